"""Do the tests notice wrong code? Change one place at a time and run the tests that reach it.

`make mutants`, or ``python .ci/mutants.py --only lexiprog/proof --sample 40``. Mutants are drawn by
a fixed seed, spread over the modules by their numbers of places; a larger sample contains a smaller
one. Each is tried with the tests that run through its lines, the nearest and those that found its
neighbours first, up to --seconds. What is found is kept in build/: a run that was stopped goes on,
and survivors are tried again once their module or their tests have changed. At the end stand a
table and every survivor: a place where a test is missing, code that does nothing, or a change that
_equivalent.toml says why nobody can see. ``--report`` keeps them in a file.
"""

import argparse
import contextlib
import hashlib
import json
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from _reach import Reach
from _report import page, shown, table
from _sample import PATHS, Mutant, every_mutant, sample, tests_of
from _trials import Trial, copy_source, dotted, ended, import_heavy, plant, run, start, stop

ROOT = Path(__file__).resolve().parents[1]
# Seconds that a mutant has beside three times what the unchanged code takes.
SPARE = 10.0


@dataclass(frozen=True)
class Case:
    """A mutant, the tests it is tried with and their seconds on the unchanged code."""

    mutant: Mutant
    tests: tuple[str, ...]
    seconds: float
    digest: str


class Store:
    """What is known of each mutant: a line each, the last one counting."""

    def __init__(self, path: Path):
        self.path = path
        self.known = {}
        for line in path.read_text().splitlines() if path.exists() else ():
            with contextlib.suppress(json.JSONDecodeError):  # a line that a kill cut short
                entry = json.loads(line)
                self.known[entry["key"]] = entry

    def verdict(self, case: Case) -> str | None:
        """What was found; None if nothing was, or if a survivor's tests are others now."""
        entry = self.known.get(case.mutant.key)
        if entry is None or (entry["verdict"] != "killed" and entry["tests"] != case.digest):
            return None
        return entry["verdict"]

    def put(self, case: Case, verdict: str, cpu: float, killer: str) -> None:
        """Keep a finding at once."""
        entry = {"key": case.mutant.key, "tests": case.digest, "verdict": verdict,
                 "cpu": round(cpu, 1), "killer": killer}  # fmt: skip
        self.known[entry["key"]] = entry
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            # The line begins with a break, lest one that was cut short swallow it.
            file.write(f"\n{json.dumps(entry)}")


def measure(root: Path, copy: Path, reach: Reach, paths: Iterable[str]) -> None:
    """Find out what the tests of some modules run through, folder by folder."""
    files = dict.fromkeys(file for path in paths for file in tests_of(root, path))
    folders: dict[Path, list[str]] = {}
    for file in reach.missing(files):
        folders.setdefault(Path(file).parent, []).append(file)
    for folder, own in folders.items():
        print(f"-- {folder}", end=" ", flush=True)
        trial = Trial(copy, tuple(own), measured=True)
        verdict, cpu = run(trial)
        if verdict != "survived":
            said = (copy / "log.txt").read_text()[-3000:]
            raise SystemExit(f"{' '.join(own)} must pass on the unchanged code, but:\n{said}")
        tests = json.loads(trial.measurements.read_text())
        reach.put(own, tests)
        print(f"{len(tests)} tests in {cpu:.0f} s", flush=True)


def cases(root: Path, mutants: Sequence[Mutant], reach: Reach, most: float) -> list[Case]:
    """Each mutant with the tests that reach it, the nearest first, as many as the time allows."""
    found = []
    for one in mutants:
        chosen: dict[str, float] = {}
        for test, seconds in reach.tests(one, tests_of(root, one.path)).items():
            if sum(chosen.values()) + seconds <= most:
                chosen[test] = seconds
        whole = hashlib.sha1("\n".join(chosen).encode())
        for file in dict.fromkeys(test.split("::", 1)[0] for test in chosen):
            whole.update((root / file).read_bytes())
        found.append(Case(one, tuple(chosen), sum(chosen.values()), whole.hexdigest()[:10]))
    return found


def try_missing(waiting: Sequence[Case], store: Store, copies: Sequence[Path]) -> None:
    """Try the mutants of which nothing is known, one in each copy at a time."""
    todo, free = [case for case in waiting if store.verdict(case) is None], list(copies)
    todo.sort(key=lambda case: case.mutant.path)
    busy: dict[Path, tuple[Case, Trial, int, float]] = {}
    killers: dict[str, Counter[str]] = {}
    try:
        while todo or busy:
            while todo and free:
                case, copy = todo.pop(0), free.pop()
                path = case.mutant.path
                plant(copy, path, case.mutant.change.apply(case.mutant.source))
                trial = Trial(copy, tuple(first(case.tests, killers.get(path, Counter()))),
                              dotted(path), SPARE + 3 * case.seconds,
                              120 + 20 * case.seconds)  # fmt: skip
                busy[copy] = (case, trial, start(trial), time.monotonic())
            for copy, (case, trial, child, began) in list(busy.items()):
                found = ended(child, began, trial)
                if found is not None:
                    path = case.mutant.path
                    plant(copy, path, case.mutant.source)
                    del busy[copy]
                    free.append(copy)
                    killer = trial.killer.read_text() if trial.killer.exists() else ""
                    killers.setdefault(path, Counter())[killer] += 1
                    store.put(case, *found, killer)
                    print(f"{found[0]:9} {found[1]:5.1f} s  {shown(case.mutant)}", flush=True)
            time.sleep(0.02)
    finally:
        for _, _, child, _ in busy.values():
            stop(child)


def first(tests: Iterable[str], killers: Counter[str], most: int = 4) -> Iterator[str]:
    """The tests, those before all others that found most of a module's other mutants."""
    tests = list(tests)
    known = [test for test, _ in killers.most_common(most) if test in tests]
    yield from known
    yield from (test for test in tests if test not in known)


def main(argv: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Run the command; the exit code is 1 if fewer mutants are noticed than --least asks for."""
    parser = argparse.ArgumentParser(description="Change the code, and see whether tests notice.")
    parser.add_argument("--only", action="append", metavar="PATH", help="a file or folder, again")
    parser.add_argument("--sample", type=int, default=300, metavar="N", help="how many (300)")
    parser.add_argument("--seed", type=int, default=0, help="draws the sample (0)")
    parser.add_argument("--workers", type=int, default=2, help="processes (2)")
    parser.add_argument("--store", type=Path, default=root / "build" / "mutants.jsonl")
    parser.add_argument("--seconds", type=float, default=60.0, help="of tests for a mutant (60)")
    parser.add_argument("--report-only", action="store_true", help="try nothing, print the table")
    parser.add_argument("--report", type=Path, metavar="FILE", help="also write the table there")
    parser.add_argument("--least", type=float, default=0.0, metavar="SHARE", help="else exit 1")
    options = parser.parse_args(argv)
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
            measure(root, copies[0], reach, dict.fromkeys(one.path for one in chosen))
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
    survived = sum(verdict == "survived" for _, verdict, _ in known)
    return int(1 - survived / len(known) < options.least)


if __name__ == "__main__":
    sys.exit(main())
