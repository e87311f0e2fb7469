"""Do the tests notice wrong code? Change one place at a time and run the tests that reach it.

`make mutants`, or ``python .ci/mutants.py --only lexiprog/proof --sample 40``. Mutants are drawn by
a fixed seed, spread over the modules by their numbers of places; a larger sample contains a smaller
one. Each is tried with the tests that run through its lines: those that mirror its module and then
the quickest, up to --seconds. What is found is kept in build/: a run that was stopped goes on, and
survivors are tried again once their module or their tests have changed. At the end stand a table
and every survivor: a place where a test is missing, code that does nothing, or a change that nobody
can see, with the reason given in _equivalent.toml. ``--report`` keeps them in a file.
"""

import argparse
import hashlib
import json
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from _reach import Reach, file_of, is_own
from _report import judged, noticed, page, reason, reasons, table
from _sample import PATHS, Mutant, every_mutant, sample, tests_of
from _store import Case, Store
from _trials import Trial, copy_source, ended, import_heavy, start, stop
from _trying import try_missing

ROOT = Path(__file__).resolve().parents[1]


def measure(root: Path, copies: Sequence[Path], reach: Reach, paths: Iterable[str]) -> None:
    """Find out what the tests of some modules run through, folder by folder, one in each copy."""
    files = dict.fromkeys(file for path in paths for file in tests_of(root, path))
    folders: dict[Path, list[str]] = {}
    for file in reach.missing(files):
        folders.setdefault(Path(file).parent, []).append(file)
    todo, free = list(folders.items()), list(copies)
    busy: dict[int, tuple[Path, Trial, float]] = {}
    try:
        while todo or busy:
            while todo and free:
                folder, own = todo.pop(0)
                trial = Trial(free.pop(), tuple(own), measured=True)
                busy[start(trial)] = (folder, trial, time.monotonic())
            for child, (folder, trial, began) in list(busy.items()):
                found = ended(child, began, trial)
                if found is None:
                    continue
                del busy[child]
                free.append(trial.copy)
                if found[0] != "survived":
                    said = (trial.copy / "log.txt").read_text()[-3000:]
                    whole = " ".join(trial.tests)
                    raise SystemExit(f"{whole} must pass on the unchanged code, but:\n{said}")
                tests = json.loads(trial.measurements.read_text())
                reach.put(trial.tests, tests)
                print(f"-- {folder} {len(tests)} tests in {found[1]:.0f} s", flush=True)
            time.sleep(0.02)
    finally:
        for child in busy:
            stop(child)


def cases(root: Path, mutants: Sequence[Mutant], reach: Reach, most: float) -> list[Case]:
    """Each mutant with as many of the tests that reach it as the time allows."""
    found, unseen = [], reasons()
    for one in mutants:
        every = reach.tests(one, tests_of(root, one.path))
        chosen = affordable(every, one.path, most)
        whole = hashlib.sha1("\n".join(sorted(every)).encode())
        for file in sorted({file_of(test) for test in every}):
            whole.update((root / file).read_bytes())
        digest = whole.hexdigest()[:10]
        listed = reason(one, unseen) is not None
        found.append(Case(one, tuple(chosen), sum(chosen.values()), most, digest, listed))
    return found


def affordable(every: Mapping[str, float], path: str, most: float) -> dict[str, float]:
    """As many tests as fit into a time: those of the module's own file, then the quickest.

    Examples
    --------
    >>> every = {"tests/b/test_m.py::own": 5, "tests/test_x.py::long": 6, "tests/test_x.py::y": 1}
    >>> affordable(every, "b/m.py", 7)
    {'tests/b/test_m.py::own': 5, 'tests/test_x.py::y': 1}
    """
    spent, fitting = 0.0, set()
    for test in sorted(every, key=lambda one: (not is_own(file_of(one), path), every[one])):
        if spent + every[test] <= most:
            spent += every[test]
            fitting.add(test)
    return {test: seconds for test, seconds in every.items() if test in fitting}


def main(argv: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Run the command; the exit code is 1 if fewer mutants are noticed than --least asks for."""
    parser = argparse.ArgumentParser(description="Change the code, and see whether tests notice.")
    parser.add_argument("--only", action="append", metavar="PATH", help="a file or folder, again")
    parser.add_argument("--sample", type=int, default=300, metavar="N", help="how many (300)")
    parser.add_argument("--seed", type=int, default=0, help="draws the sample (0)")
    parser.add_argument("--workers", type=int, default=2, help="processes (2)")
    parser.add_argument("--store", type=Path, default=root / "build" / "mutants.jsonl")
    parser.add_argument("--seconds", type=float, default=20.0, help="of tests for a mutant (20)")
    parser.add_argument("--report-only", action="store_true", help="try nothing, print the table")
    parser.add_argument("--report", type=Path, metavar="FILE", help="also write the table there")
    parser.add_argument("--least", type=float, default=0.0, metavar="SHARE", help="else exit 1")
    options = parser.parse_args(argv)
    options.store = options.store.resolve()  # children work in other folders
    chosen = sample(every_mutant(root, options.only or PATHS), options.sample, options.seed)
    store = Store(options.store)
    reach = Reach(options.store.with_name("reach.json"), root)
    if not options.report_only:
        # Started in the background, a shell has Ctrl-C ignored; either signal ends all children.
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, signal.default_int_handler)
        import_heavy()
        home = Path(tempfile.mkdtemp(prefix="mutants-"))
        try:
            copies = [home / str(k) for k in range(options.workers)]
            for copy in copies:
                copy_source(root, copy)
            measure(root, copies, reach, dict.fromkeys(one.path for one in chosen))
            try_missing(cases(root, chosen, reach, options.seconds), store, copies)
        except KeyboardInterrupt:
            print("\nStopped; the same command goes on from here.")
            return 130
        finally:
            shutil.rmtree(home, ignore_errors=True)
    found = [(case, store.verdict(case)) for case in cases(root, chosen, reach, options.seconds)]
    known = [(case.mutant, verdict, bool(case.tests)) for case, verdict in found if verdict]
    if not known:
        print("Nothing is known yet; leave --report-only out.")
        return 1
    said = f"{len(known)} of {len(chosen)} mutants were tried.\n\n{table(known)}"
    print(f"\n{said}")
    if options.report is not None:
        options.report.write_text(page(said, options.seconds))
    share = noticed(Counter(verdict for _, verdict in judged(known)))
    return int(share is not None and share < options.least)


if __name__ == "__main__":
    sys.exit(main())
