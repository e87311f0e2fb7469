"""The command: measure what is missing, then write the tables and figures."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from lexiprog_boost.experiments.measure import measure_study, store_of
from lexiprog_boost.experiments.report.writing import write_report
from lexiprog_boost.experiments.studies import STUDIES, Study, study

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 1 if a cell failed and 130 after Ctrl-C."""
    options = _parser().parse_args(arguments)
    names = list(STUDIES) if options.name == "all" else [options.name]
    code = 0
    for name in names:
        one = study(name, quick=options.quick, data_dir=options.data_dir)
        if not one.datasets:
            _say(f"{name}: left out; its data come with no package: give --data-dir DIR.")
            code = max(code, int(options.name != "all"))
            continue
        try:
            code = max(code, _run(one, options))
        except KeyboardInterrupt:
            kept, cells = _progress(one, options.out)
            _say(f"\n{name}: {kept} of {cells} cells are kept; run the same command to go on.")
            return INTERRUPTED
    return code


def _run(one: Study, options: argparse.Namespace) -> int:
    failures = {}
    if not options.report_only:
        failures = measure_study(one, options.out, data_dir=options.data_dir, n_jobs=options.jobs)
    kept, cells = _progress(one, options.out)
    if options.report_only and not kept:
        _say(f"{one.name}: there are no finished cells in {options.out}; leave --report-only out.")
        return 1
    home = write_report(one, options.out, data_dir=options.data_dir)
    for cause, count in Counter(failures.values()).most_common():
        first = next(key for key, why in failures.items() if why == cause)
        which = (
            f"1 cell failed, {first}" if count == 1 else f"{count} cells failed, the first {first}"
        )
        _say(f"{one.name}: {which}: {cause}")
    if failures:
        _say(f"{one.name}: the next run tries the failed cells again.")
    _say(f"{one.name}: {kept} of {cells} cells, report in {home / 'README.md'}")
    if find_spec("matplotlib") is None:
        _say("There are no figures: they need matplotlib (pip install 'lexiprog[plot]').")
    return int(bool(failures))


def _progress(one: Study, folder: Path) -> tuple[int, int]:
    """How many of a study's cells are finished, and how many there are."""
    wanted = {cell.key for cell in one.cells()}
    return len(wanted & store_of(folder, one).finished()), len(wanted)


def _say(sentence: str) -> None:
    sys.stdout.write(f"{sentence}\n")
    sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m lexiprog_boost.experiments",
        description="Repeat the experiments of the LexiBoost paper. Finished cells are kept, so "
        "an interrupted run goes on where it ended.",
    )
    parser.add_argument("name", choices=[*STUDIES, "all"], help="the study")
    parser.add_argument("--quick", action="store_true", help="a smoke run of some seconds")
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
        "--report-only", action="store_true", help="measure nothing, write tables and figures"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
