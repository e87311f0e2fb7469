"""Do the tests notice wrong code? Change one place of a module at a time and run its tests.

`make mutants`, or ``python .ci/mutants.py --only lexiprog/proof --sample 40``. Mutants are drawn by
a fixed seed, spread over the modules by their numbers of places; a larger sample contains a smaller
one. What is found is kept in build/mutants.jsonl: a run that was stopped goes on, and survivors are
tried again once their module or their tests have changed. At the end stand a table by module and
every survivor: a place where a test is missing, or code that does nothing. ``--report`` keeps both
in a file.
"""

import argparse
import contextlib
import json
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from _sample import PATHS, Mutant, every_mutant, fingerprint, sample, tests_of
from _trials import Trial, copy_source, dotted, ended, import_heavy, plant, run, start, stop

ROOT = Path(__file__).resolve().parents[1]
VERDICTS = ("killed", "timed out", "survived")
# Seconds that a mutant has beside three times what the unchanged code takes.
SPARE = 10.0
INTRODUCTION = """Small wrong changes, drawn by a fixed seed, and how many of them the tests of
their rooms noticed. `make mutants` writes this page; below the table stand the survivors."""


class Store:
    """What is known of each mutant: a line each, the last one counting."""

    def __init__(self, path: Path):
        self.path = path
        self.known = {}
        for line in path.read_text().splitlines() if path.exists() else ():
            with contextlib.suppress(json.JSONDecodeError):  # a line that a kill cut short
                entry = json.loads(line)
                self.known[entry["key"]] = entry

    def verdict(self, mutant: Mutant, tests: str) -> str | None:
        """What was found; None if nothing was, or if a survivor's tests are others now."""
        entry = self.known.get(mutant.key)
        if entry is None or (entry["verdict"] != "killed" and entry["tests"] != tests):
            return None
        return entry["verdict"]

    def put(self, mutant: Mutant, tests: str, verdict: str, cpu: float) -> None:
        """Keep a finding at once."""
        entry = {"key": mutant.key, "tests": tests, "verdict": verdict, "cpu": round(cpu, 1)}
        self.known[mutant.key] = entry
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            # The line begins with a break, lest one that was cut short swallow it.
            file.write(f"\n{json.dumps(entry)}")


def try_missing(mutants: Sequence[Mutant], store: Store, root: Path, workers: int) -> None:
    """Try the mutants of which nothing is known, room by room."""
    rooms: dict[tuple[str, ...], list[Mutant]] = {}
    for one in mutants:
        tests = tests_of(root, one.path)
        if store.verdict(one, fingerprint(root, tests)) is None:
            rooms.setdefault(tests, []).append(one)
    if not rooms:
        return
    import_heavy()
    home = Path(tempfile.mkdtemp(prefix="mutants-"))
    try:
        copies = [home / str(k) for k in range(workers)]
        for copy in copies:
            copy_source(root, copy)
        for tests, waiting in rooms.items():
            limits = unchanged(copies[0], tests, home / "times.json")
            for mutant, (verdict, cpu) in try_room(waiting, copies, limits):
                store.put(mutant, fingerprint(root, tests), verdict, cpu)
                print(f"{verdict:9} {cpu:5.1f} s  {shown(mutant)}", flush=True)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def unchanged(copy: Path, tests: tuple[str, ...], times: Path) -> Trial:
    """Run the tests on the unchanged code: they must pass, and their time sets the limits."""
    print(f"-- {' '.join(tests)}", flush=True)
    began = time.monotonic()
    verdict, cpu = run(Trial(copy, tests, times), first=True)
    if verdict != "survived":
        said = (copy / "log.txt").read_text()[-3000:]
        raise SystemExit(f"{' '.join(tests)} must pass on the unchanged code, but:\n{said}")
    print(f"unchanged {cpu:5.1f} s", flush=True)
    wall = time.monotonic() - began
    return Trial(copy, tests, times, cpu=SPARE + 3 * cpu, wall=60 + 10 * wall)


def try_room(
    mutants: Iterable[Mutant], copies: Sequence[Path], limits: Trial
) -> Iterator[tuple[Mutant, tuple[str, float]]]:
    """Try mutants with the same tests, one in each copy at a time."""
    waiting, free = list(mutants), list(copies)
    busy: dict[Path, tuple[Mutant, Trial, int, float]] = {}
    try:
        while waiting or busy:
            while waiting and free:
                mutant, copy = waiting.pop(0), free.pop()
                plant(copy, mutant.path, mutant.change.apply(mutant.source))
                trial = limits.of(copy, dotted(mutant.path))
                busy[copy] = (mutant, trial, start(trial), time.monotonic())
            for copy, (mutant, trial, child, began) in list(busy.items()):
                found = ended(child, began, trial)
                if found is not None:
                    plant(copy, mutant.path, mutant.source)
                    del busy[copy]
                    free.append(copy)
                    yield mutant, found
            time.sleep(0.02)
    finally:
        for _, _, child, _ in busy.values():
            stop(child)


def shown(mutant: Mutant) -> str:
    """A mutant as people look for it."""
    change = mutant.change
    return f"{mutant.path}:{change.line}: {change.before} -> {change.after}"


def table(verdicts: Sequence[tuple[Mutant, str]]) -> str:
    """Counts by module, their sum, and every survivor."""
    rows = []
    modules = sorted({mutant.path for mutant, _ in verdicts})
    for name in [*modules, "all"]:
        own = Counter(found for mutant, found in verdicts if name in ("all", mutant.path))
        share = 1 - own["survived"] / own.total()
        rows.append([name, own.total(), *(own[one] for one in VERDICTS), f"{share:.0%}"])
    head = ["module", "mutants", *VERDICTS, "noticed"]
    widths = [max(len(str(row[k])) for row in [head, *rows]) for k in range(len(head))]
    lines = [
        "  ".join(str(cell).ljust(w) if k == 0 else str(cell).rjust(w)
                  for k, (cell, w) in enumerate(zip(row, widths, strict=True)))
        for row in [head, *rows]
    ]  # fmt: skip
    survivors = sorted(
        (mutant.path, mutant.change.line, shown(mutant))
        for mutant, found in verdicts
        if found == "survived"
    )
    return "\n".join([*lines, "", *(text for _, _, text in survivors)]).rstrip()


def main(argv: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Run the command; the exit code is 1 if fewer mutants are noticed than --least asks for."""
    parser = argparse.ArgumentParser(description="Change the code, and see whether tests notice.")
    parser.add_argument("--only", action="append", metavar="PATH", help="a file or folder, again")
    parser.add_argument("--sample", type=int, default=300, metavar="N", help="how many (300)")
    parser.add_argument("--seed", type=int, default=0, help="draws the sample (0)")
    parser.add_argument("--workers", type=int, default=2, help="processes (2)")
    parser.add_argument("--store", type=Path, default=root / "build" / "mutants.jsonl")
    parser.add_argument("--report-only", action="store_true", help="try nothing, print the table")
    parser.add_argument("--report", type=Path, metavar="FILE", help="also write the table there")
    parser.add_argument("--least", type=float, default=0.0, metavar="SHARE", help="else exit 1")
    options = parser.parse_args(argv)
    chosen = sample(every_mutant(root, options.only or PATHS), options.sample, options.seed)
    store = Store(options.store)
    if not options.report_only:
        # Started in the background, a shell has Ctrl-C ignored; either signal ends all children.
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, signal.default_int_handler)
        try:
            try_missing(chosen, store, root, options.workers)
        except KeyboardInterrupt:
            print("\nStopped; the same command goes on from here.")
            return 130
    prints = {one.path: fingerprint(root, tests_of(root, one.path)) for one in chosen}
    found = [(one, store.verdict(one, prints[one.path])) for one in chosen]
    known = [(one, verdict) for one, verdict in found if verdict is not None]
    if not known:
        print("Nothing is known yet; leave --report-only out.")
        return 1
    said = f"{len(known)} of {len(chosen)} mutants were tried.\n\n{table(known)}"
    print(f"\n{said}")
    if options.report is not None:
        options.report.write_text(f"# Mutants\n\n{INTRODUCTION}\n\n```text\n{said}\n```\n")
    survived = sum(verdict == "survived" for _, verdict in known)
    return int(1 - survived / len(known) < options.least)


if __name__ == "__main__":
    sys.exit(main())
