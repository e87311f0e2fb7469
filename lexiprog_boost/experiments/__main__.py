"""The command: measure what is missing, then write the tables and figures."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from joblib import parallel_config

from lexiprog_boost.experiments.measure import measure_study, store_of
from lexiprog_boost.experiments.methods import LEARNERS
from lexiprog_boost.experiments.studies import (
    BESIDES,
    OWN_DATA,
    PARTS,
    STUDIES,
    study,
    study_of_file,
)
from lexiprog_boost.experiments.study import Study
from lexiprog_boost.experiments.writing import (
    about_data,
    processor_time,
    write_overview,
    write_report,
)

# Let joblib's workers be those of a Dask cluster.


@contextmanager
def workers_at(address: str) -> Iterator[None]:
    """While inside, joblib sends its work to the cluster at ``address``; without one it stays.

    Parameters
    ----------
    address : str
        Of Dask's scheduler, such as "tcp://10.0.0.7:8786"; empty for none.

    Examples
    --------
    >>> from lexiprog_boost.experiments.__main__ import workers_at
    >>> with workers_at(""):
    ...     print("here")
    here
    """
    if not address:
        yield
        return
    if find_spec("distributed") is None:
        raise ImportError("--dask needs Dask: pip install 'lexiprog[dask]'")
    from distributed import Client

    with Client(address), parallel_config(backend="dask"):
        yield


INTERRUPTED = 130
QUICK = "a smoke run: about a minute of processor time for all studies"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 1 if a cell failed and 130 after Ctrl-C."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if (options.name is None) == (options.data is None):
        parser.error("give the name of a study, or a table of your own with --data FILE.csv.")
    if options.data is not None:
        try:
            table_study = study_of_file(
                options.data, quick=options.quick, part=options.part, without=options.without
            )
        except (ValueError, OSError) as cause:
            _say(f"{OWN_DATA}: {cause}")
            return 1
        return _run_there([table_study], options)
    if options.sets and options.name == "all":
        parser.error("--sets names data sets of one study; give its name instead of all.")
    names = list(STUDIES) if options.name == "all" else [options.name]
    try:
        chosen = [
            study(name, quick=options.quick, data_dir=options.data_dir, part=options.part,
                  sets=options.sets, without=options.without)
            for name in names
        ]  # fmt: skip
    except ValueError as cause:
        parser.error(str(cause))
    return _run_there(chosen, options)


def _run_there(studies: Sequence[Study], options: argparse.Namespace) -> int:
    """Run all on the cluster that was named, or here."""
    try:
        with workers_at(options.dask):
            return _run_all(studies, options)
    except (ImportError, OSError) as cause:
        if not options.dask:
            raise
        _say(f"--dask {options.dask}: {cause}")
        return 1


def _run_all(studies: Sequence[Study], options: argparse.Namespace) -> int:
    code, there = 0, []
    for current in studies:
        if not current.datasets:
            _say(f"{current.name}: left out; its data come with no package: give --data-dir DIR.")
            code = max(code, int(options.name != "all"))
            continue
        if not current.methods:
            _say(f"{current.name}: left out; it has no {current.part}.")
            continue
        if options.learner:
            current = replace(
                current, learners={options.learner: current.learners[options.learner]}
            )
        try:
            code = max(code, _run(current, options))
            there.append(current)
        except KeyboardInterrupt:
            kept, cells = _progress(current, options.out)
            _say(
                f"\n{current.name}: {kept} of {cells} cells are kept; "
                "run the same command to go on."
            )
            return INTERRUPTED
    if options.name == "all":
        _say(f"All studies, and what they took: {write_overview(there, options.out)}")
    return code


def _run(study: Study, options: argparse.Namespace) -> int:
    failures = {}
    _say(f"{study.name}: {about_data(study, options.data_dir)}")
    if not options.report_only:
        failures = measure_study(study, options.out, data_dir=options.data_dir, n_jobs=options.jobs)
    kept, cells = _progress(study, options.out)
    if options.report_only and not kept:
        _say(
            f"{study.name}: there are no finished cells in {options.out}; leave --report-only out."
        )
        return 1
    home = write_report(study, options.out, data_dir=options.data_dir)
    for cause, count in Counter(failures.values()).most_common():
        first = next(key for key, why in failures.items() if why == cause)
        which = (
            f"1 cell failed, {first}" if count == 1 else f"{count} cells failed, the first {first}"
        )
        _say(f"{study.name}: {which}: {cause}")
    if failures:
        _say(f"{study.name}: the next run tries the failed cells again.")
    _say(f"{study.name}: {kept} of {cells} cells, report in {home / 'README.md'}")
    spent, counted = processor_time(study, options.out)
    if counted:
        _say(f"{study.name}: {spent:.0f} s of processor time for {counted} cells.")
    if find_spec("matplotlib") is None:
        _say("There are no figures: they need matplotlib (pip install 'lexiprog[plot]').")
    return int(bool(failures))


def _progress(study: Study, folder: Path) -> tuple[int, int]:
    """How many of a study's cells are finished, and how many there are."""
    wanted = {cell.key for cell in study.cells()}
    return len(wanted & store_of(folder, study).finished()), len(wanted)


def _say(sentence: str) -> None:
    sys.stdout.write(f"{sentence}\n")
    sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m lexiprog_boost.experiments",
        description="Repeat the experiments of the LexiBoost paper. Finished cells are kept, so "
        "an interrupted run goes on where it ended.",
    )
    parser.add_argument("name", nargs="?", choices=[*STUDIES, "all"], help="the study")
    parser.add_argument(
        "--data", type=Path, metavar="FILE.csv",
        help="put a table of your own through every method instead: a header row, then a row a "
        "point, the class in the last column",
    )  # fmt: skip
    parser.add_argument("--quick", action="store_true", help=QUICK)
    parser.add_argument(
        "--part", choices=PARTS, default="",
        help="measure only these methods: controls (Dual-LexiBoost and its first member alone) "
        "or costs (sweeps of class costs)",
    )  # fmt: skip
    parser.add_argument(
        "--without", nargs="+", choices=BESIDES, default=(), metavar="WHAT",
        help=f"leave some out that the paper does not have: {', '.join(BESIDES)}",
    )  # fmt: skip
    parser.add_argument(
        "--sets", nargs="+", default=(), metavar="SET", help="measure only these sets of the study"
    )
    parser.add_argument(
        "--learner", choices=LEARNERS, default="", help="measure with this base learner only"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("build", "experiments"), metavar="DIR",
        help="where cells, tables and figures go (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--data-dir", type=Path, metavar="DIR",
        help="folder of data files; without it, data come from installed packages",
    )  # fmt: skip
    parser.add_argument(
        "--jobs", type=int, default=-1, metavar="N", help="processes (default: one a core)"
    )
    parser.add_argument(
        "--dask", default="", metavar="ADDRESS",
        help="send the cells to the workers of a Dask cluster, such as tcp://10.0.0.7:8786; they "
        "need lexiprog[experiments] and the data",
    )  # fmt: skip
    parser.add_argument(
        "--report-only", action="store_true", help="measure nothing, write tables and figures"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
