"""Which tests run through which lines: measured once on the unchanged code, file by file, and kept.

A mutant is tried with the tests that reach it, the most telling first. What a test
file's fixtures run through counts for all its tests, since a fixture may be shared; a change
outside all functions is reached by every test that runs through its module.
"""

import ast
import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache, cached_property
from pathlib import Path

import pytest
from _probes import Probes
from _sample import Mutant


class Recorder:
    """A plugin of pytest that keeps each test's lines and its seconds of processor time."""

    def __init__(self, probes: Probes):
        self.probes = probes
        self.seconds: dict[str, float] = {}
        self.lines: dict[str, dict[str, set[int]]] = {}
        self.shared: dict[str, dict[str, set[int]]] = {}
        self.failed: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Take a test's time."""
        began = time.process_time()
        self.probes.taken()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = time.process_time() - began

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        """What ran until now belongs to the fixtures of a file."""
        own = self.shared.setdefault(file_of(item.nodeid), {})
        for path, some in self.probes.taken().items():
            own.setdefault(path, set()).update(some)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        """What ran until now belongs to a test."""
        self.lines[item.nodeid] = self.probes.taken()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what fails on the unchanged code."""
        if report.failed:
            self.failed.add(report.nodeid)

    def found(self) -> dict[str, dict]:
        """For each test its seconds and, for each module, the lines that it ran through."""
        return {
            test: {"seconds": round(spent, 3), "lines": _joined(self.lines.get(test, {}),
                                                               self.shared.get(file_of(test), {}))}
            for test, spent in self.seconds.items()
        }  # fmt: skip


def file_of(test: str) -> str:
    """The file of a test."""
    return test.split("::", 1)[0]


def _joined(one: dict[str, set[int]], other: dict[str, set[int]]) -> dict[str, list[int]]:
    return {
        path: sorted(one.get(path, set()) | other.get(path, set()))
        for path in sorted({*one, *other})
    }


class Reach:
    """What was measured, by test file, as long as neither the file nor a helper has changed.

    Where the source has changed since, lines are those that stood in their place: tests that ran
    through them are still the likeliest to notice a change.
    """

    def __init__(self, kept: Path, root: Path):
        self.kept = kept
        self.root = root
        known = json.loads(kept.read_text()) if kept.exists() else {}
        self.files: dict[str, dict] = known.get("files", {})
        # Sources as they were when something was measured: their digests, and the texts of these.
        self.states: dict[str, dict[str, str]] = known.get("states", {})
        self.texts: dict[str, str] = known.get("texts", {})

    @cached_property
    def _helpers(self) -> bytes:
        """What all files beside the tests themselves come down to."""
        files = sorted((self.root / "tests").rglob("*.py"))
        whole = b"".join(f.read_bytes() for f in files if not f.name.startswith("test_"))
        return hashlib.sha1(whole).digest()

    @cached_property
    def _state(self) -> str:
        """The source of today, as something is kept of it."""
        state = {}
        for folder in ("lexiprog", "lexiprog_boost"):
            for file in sorted((self.root / folder).rglob("*.py")):
                text = file.read_text()
                digest = hashlib.sha1(text.encode()).hexdigest()[:10]
                state[file.relative_to(self.root).as_posix()] = digest
                self.texts[digest] = text
        name = hashlib.sha1(json.dumps(state).encode()).hexdigest()[:10]
        self.states[name] = state
        return name

    @cache  # noqa: B019 - one object lives as long as the command
    def digest(self, file: str) -> str:
        """What a test file and the helpers come down to."""
        return hashlib.sha1((self.root / file).read_bytes() + self._helpers).hexdigest()[:10]

    def missing(self, files: Iterable[str]) -> list[str]:
        """The files of which nothing is known that still holds."""
        known = {
            name for name, entry in self.files.items()
            if (self.root / name).exists() and entry["digest"] == self.digest(name)
        }  # fmt: skip
        return [name for name in files if name not in known]

    def put(self, files: Sequence[str], tests: dict[str, dict]) -> None:
        """Keep what was measured of some files."""
        for name in files:
            own = {test: entry for test, entry in tests.items() if file_of(test) == name}
            self.files[name] = {"digest": self.digest(name), "state": self._state, "tests": own}
        self.kept.parent.mkdir(parents=True, exist_ok=True)
        known = {"files": self.files, "states": self.states, "texts": self.texts}
        self.kept.write_text(json.dumps(known))

    @cache  # noqa: B019
    def _places_before(self, state: str, mutant: Mutant) -> set[int] | None:
        """Where a change would have been when something was measured."""
        lines = places(mutant)
        before = self.texts.get(self.states[state].get(mutant.path, ""), "")
        if lines is None or before == mutant.source:
            return lines
        then = carried(before, mutant.source)
        return {old for line in lines for old in then[line]}

    def tests(self, mutant: Mutant, files: Sequence[str]) -> dict[str, float]:
        """The tests that reach a mutant with their seconds, the most telling files first.

        A file tells most that runs through much of the module in little time; a module's own
        file comes before all others.
        """
        found: list[tuple[tuple, str, float]] = []
        for name in files:
            if name not in self.files:
                continue
            entries = self.files[name]["tests"]
            lines = self._places_before(self.files[name]["state"], mutant)
            there = {test: entry["lines"].get(mutant.path, ()) for test, entry in entries.items()}
            own = {
                test: entries[test]["seconds"]
                for test, some in there.items()
                if some and (lines is None or not lines.isdisjoint(some))
            }
            seen = len({line for test in own for line in there[test]})
            rank = (not is_own(name, mutant.path), -seen / (0.3 + sum(own.values())), name)
            # Inside a file the order stays: tests may share a fixture that they change.
            found += [((*rank, k), test, own[test]) for k, test in enumerate(own)]
        return {test: seconds for _, test, seconds in sorted(found)}


def carried(before: str, now: str) -> dict[int, set[int]]:
    r"""The lines of an earlier text that stood where each line of a text stands now.

    Examples
    --------
    >>> carried("a\nb\nc", "a\nB\nc\nd")
    {1: {1}, 2: {2}, 3: {3}, 4: {3}}
    """
    old, new = before.splitlines(), now.splitlines()
    out: dict[int, set[int]] = {}
    for kind, i, i_end, j, j_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for k in range(j, j_end):
            # What is new has the lines that it replaces, or those around it.
            same = (
                {i + k - j + 1} if kind == "equal" else set(range(i + 1, i_end + 1)) or {i, i + 1}
            )
            out[k + 1] = same & set(range(1, len(old) + 1))
    return out


def places(mutant: Mutant) -> set[int] | None:
    """The lines of a change; None if it lies outside all functions."""
    change = mutant.change
    last = change.line + mutant.source.encode()[change.start : change.end].count(b"\n")
    if not any(first <= change.line <= end for first, end in _bodies(mutant.source)):
        return None
    return set(range(change.line, last + 1))


@cache
def _bodies(source: str) -> list[tuple[int, int]]:
    """First and last lines of what functions do."""
    return [
        (node.body[0].lineno, node.end_lineno)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]


def is_own(test: str, path: str) -> bool:
    """Whether a test file is the one that mirrors a module."""
    module = Path(path)
    return Path(test) == Path("tests", module.parent, f"test_{module.name}")
