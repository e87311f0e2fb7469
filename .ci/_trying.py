"""Try mutants, several at a time: in memory where that is possible, from changed files else."""

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from _live import Live, serve
from _reach import file_of
from _report import shown
from _sample import Mutant
from _store import Case, Store
from _trials import Trial, dotted, ended, plant, portions, run, start, stop

# Seconds that a mutant has beside three times what the unchanged code takes.
SPARE = 10.0


@dataclass(frozen=True)
class Way:
    """How a mutant, or none, gets into a child: how that begins, and what its end asks for."""

    begin: Callable[[Trial, Mutant | None], int]
    end: Callable[[Path, Mutant], None]


def planted(trial: Trial, mutant: Mutant | None) -> int:
    """Begin by a changed file that is imported."""
    if mutant is not None:
        plant(trial.copy, mutant.path, mutant.change.apply(mutant.source))
    return start(trial)


FROM_FILES = Way(planted, lambda copy, mutant: plant(copy, mutant.path, mutant.source))


def try_all(
    waiting: Sequence[Case], store: Store, copies: Sequence[Path], way: Way, out: TextIO
) -> None:
    """Try mutants, one in each copy at a time."""
    todo, free = list(waiting), list(copies)
    busy: dict[Path, tuple[Case, Trial, int, float]] = {}
    killers: dict[str, Counter[str]] = {}
    sound: dict[str, bool] = {}
    try:
        while todo or busy:
            while todo and free:
                case, copy = todo.pop(0), free.pop()
                tests = first(case.tests, killers.get(case.mutant.path, Counter()))
                trial = Trial(copy, tuple(tests), dotted(case.mutant.path),
                              SPARE + 3 * case.seconds, 120 + 20 * case.seconds)  # fmt: skip
                busy[copy] = (case, trial, way.begin(trial, case.mutant), time.monotonic())
            for copy, (case, trial, child, began) in list(busy.items()):
                found = ended(child, began, trial)
                if found is None:
                    continue
                killer = trial.killer.read_text() if trial.killer.exists() else ""
                real = is_real(killer, trial, lambda one, of=case.mutant: way.begin(one, of))
                way.end(copy, case.mutant)
                if killer and real and killer not in sound:  # it must pass on the unchanged code
                    alone = replace(trial, tests=(killer,), module="")
                    sound[killer] = run(alone, lambda one: way.begin(one, None))[0] == "survived"
                real = real and sound.get(killer, True)
                del busy[copy]
                free.append(copy)
                if not real:
                    others = tuple(test for test in case.tests if test != killer)
                    todo.insert(0, replace(case, tests=others))
                    continue
                killers.setdefault(case.mutant.path, Counter())[killer] += 1
                store.put(case, *found, killer)
                print(f"{found[0]:9} {found[1]:5.1f} s  {shown(case.mutant)}", file=out, flush=True)
            time.sleep(0.02)
    finally:
        for _, _, child, _ in busy.values():
            stop(child)


def is_real(killer: str, trial: Trial, begin: Callable[[Trial], int]) -> bool:
    """Whether a test found the mutant: not if it fails only after the tests of other files."""
    if not killer or killer in next(portions(trial.tests))[1]:
        return True
    return run(replace(trial, tests=(killer,), module=""), begin)[0] != "survived"


def try_missing(waiting: Sequence[Case], store: Store, copies: Sequence[Path]) -> None:
    """Try the mutants of which nothing is known: in memory those that can be, then the others."""
    todo = [case for case in waiting if store.verdict(case) is None]
    # What nothing is known of comes before survivors of fewer or other tests. Else the order is
    # that of the sample: a run that is stopped has tried a smaller one.
    todo.sort(key=lambda case: case.mutant.key in store.known)
    files = dict.fromkeys(file_of(test) for case in todo for test in case.tests)
    with os.fdopen(os.dup(1), "w") as out:

        def work(live: Live) -> None:
            some = [case for case in todo if live.takes(case.mutant)]
            way = Way(live.start, lambda _copy, _mutant: None)
            try_all(some, store, copies, way, out)

        if files:
            child = serve(copies[0], list(files), work)
            try:
                os.waitpid(child, 0)
            except KeyboardInterrupt:
                os.kill(child, signal.SIGINT)
                os.waitpid(child, 0)
                raise
            store.read()
        rest = [case for case in todo if store.verdict(case) is None]
        try_all(rest, store, copies, FROM_FILES, out)


def first(tests: Iterable[str], killers: Counter[str], most: int = 4) -> Iterator[str]:
    """The tests, those before all others that found most of a module's other mutants."""
    tests = list(tests)
    known = [test for test, _ in killers.most_common(most) if test in tests]
    yield from known
    yield from (test for test in tests if test not in known)
