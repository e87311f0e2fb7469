"""Try mutants in a process that has read all tests: a child only exchanges a function's code.

Reading our packages and the tests takes longer than most tests. So they are read once, and each
child that is forked from there gives every function object of the changed function other code. A
change outside all functions, or in a module that nobody has imported yet, needs the other way.
"""

import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType

import pytest
from _reach import places
from _sample import Mutant
from _trials import EXAMPLES, FAILED, OPTIONS, Trial, dotted, enter, examples_hold, forked, limit


class Live:
    """A plugin of pytest: collects the tests, then lets `work` fork children that run some."""

    def __init__(self, work: Callable[["Live"], None]):
        self.work = work
        self.items: dict[str, pytest.Item] = {}
        self.functions: dict[tuple[str, str, int], list[FunctionType]] = {}
        self.failed = ""

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """In place of running all tests."""
        self.items = {item.nodeid: item for item in session.items}
        for one in gc.get_objects():
            if type(one) is FunctionType:
                self.functions.setdefault(_key(one.__code__), []).append(one)
        gc.collect()
        gc.freeze()  # children that look for garbage would copy all that was read
        self.work(self)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the first failure."""
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def takes(self, mutant: Mutant) -> bool:
        """Whether the code of such a mutant can be exchanged here."""
        return bool(self._exchanged(mutant))

    def start(self, trial: Trial, mutant: Mutant | None) -> int:
        """Fork a child that runs the trial, and return its process id."""
        return forked(trial, lambda: self._run(trial, mutant))

    def _run(self, trial: Trial, mutant: Mutant | None) -> int:
        limit(trial)
        trial.killer.unlink(missing_ok=True)
        for function, code in [] if mutant is None else self._exchanged(mutant):
            function.__code__ = code
        if trial.module and not examples_hold(trial.module):
            return EXAMPLES
        items = [self.items[test] for test in trial.tests]
        for item, following in zip(items, [*items[1:], None], strict=False):
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                trial.killer.write_text(self.failed)
                return FAILED
        return 0

    def _exchanged(self, mutant: Mutant) -> list[tuple[FunctionType, CodeType]]:
        """Function objects with their new code; nothing if that would not be the whole change."""
        module = sys.modules.get(dotted(mutant.path))
        if module is None or places(mutant) is None:
            return []
        line = mutant.change.line
        changed = mutant.change.apply(mutant.source)
        new = {_key(code): code for code in _codes(compile(changed, module.__file__, "exec"))}
        pairs = [
            (function, new[_key(old)])
            for old in _codes(compile(mutant.source, module.__file__, "exec"))
            if old.co_firstlineno <= line <= max(end or 0 for _, _, end in old.co_lines())
            for function in self.functions.get(_key(old), [])
        ]
        fits = all(one.__code__.co_freevars == code.co_freevars for one, code in pairs)
        return pairs if fits else []


def serve(copy: Path, files: Sequence[str], work: Callable[[Live], None]) -> int:
    """Collect the tests of some files in a child of its own, and let it work."""
    trial = Trial(copy, tuple(files))

    def served() -> int:
        enter(copy)
        return int(pytest.main([*OPTIONS, "-s", *files], plugins=[Live(work)]))

    return forked(trial, served)


def _key(code: CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of all functions in a module, inner ones too."""
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield part
            yield from _codes(part)
