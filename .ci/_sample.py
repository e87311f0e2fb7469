"""Which changes are tried: a sample over modules, drawn by a seed, and the tests of each module."""

import hashlib
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from _mutations import Mutation, mutations

# What is mutated unless --only says otherwise.
PATHS = (
    "lexiprog/certify", "lexiprog/solve",
    "lexiprog/model/lock.py",
    "lexiprog/model/reformulate.py", "lexiprog_boost/weights", "lexiprog_boost/reductions",
)  # fmt: skip
# Tests that may reach a module beside those that mirror its folder; the longest path that it
# begins with counts. Which of them do is measured.
FURTHER_TESTS = {
    "lexiprog": ("tests/lexiprog", "tests/contract"),
    # Its own tests have to notice what a measure or bound is; the others would take ten minutes.
    "lexiprog/certify": (),
    "lexiprog/least_squares": (),
    "lexiprog_boost/experiments": ("tests/lexiprog_boost/experiments",),
    "lexiprog_boost/reductions": ("tests/lexiprog_boost/weights", "tests/lexiprog_boost/programs"),
    "lexiprog_boost/weights": (
        "tests/lexiprog_boost/reductions",
        "tests/lexiprog_boost/programs",
        "tests/lexiprog_boost/blocks",
    ),
}


@dataclass(frozen=True)
class Mutant:
    """A change in a file of the repository."""

    path: str
    change: Mutation
    source: str

    @property
    def key(self) -> str:
        """Its name in the store, another one as soon as the file changes."""
        digest = hashlib.sha1(self.source.encode()).hexdigest()[:10]
        change = self.change
        return f"{self.path}@{digest}:{change.start}-{change.end}:{change.text}"


def every_mutant(root: Path, paths: Iterable[str]) -> list[Mutant]:
    """All changes of all modules in these files and folders."""
    files: list[Path] = []
    for name in paths:
        place = root / name
        if not place.exists():
            raise SystemExit(f"there is no {name}; name a file or folder of {root}.")
        files += [place] if place.is_file() else sorted(place.rglob("*.py"))
    found = []
    for file in dict.fromkeys(files):
        source = file.read_text()
        path = file.relative_to(root).as_posix()
        found += [Mutant(path, change, source) for change in mutations(source)]
    return found


def sample(mutants: Sequence[Mutant], size: int, seed: int) -> list[Mutant]:
    """Draw from each module in proportion to its mutants; a larger sample contains this one."""
    by_module: dict[str, list[Mutant]] = {}
    for one in mutants:
        by_module.setdefault(one.path, []).append(one)
    places = []
    for path, own in by_module.items():
        random.Random(f"{seed}/{path}").shuffle(own)
        places += [((k + 0.5) / len(own), path, one) for k, one in enumerate(own)]
    places.sort(key=lambda place: place[:2])
    return [one for _, _, one in places[:size]]


def tests_of(root: Path, path: str) -> tuple[str, ...]:
    """The files of tests that mirror a module's folder or one above it, and those of the table."""
    package, *inner = Path(path).parent.parts
    folders = [Path("tests", package, *inner[:k]) for k in range(len(inner), 0, -1)]
    nearest = next((one for one in folders if any((root / one).rglob("test_*.py"))), None)
    mirrored = [] if nearest is None else [nearest.as_posix()]
    fitting = [name for name in FURTHER_TESTS if f"{path}/".startswith(f"{name}/")]
    further = FURTHER_TESTS[max(fitting, key=len)] if fitting else ()
    if not mirrored and not further:
        raise SystemExit(f"no tests are known for {path}; add them to FURTHER_TESTS in {__file__}.")
    return _files(root, (*mirrored, *further))


@cache
def _files(root: Path, folders: tuple[str, ...]) -> tuple[str, ...]:
    found = [file for name in folders for file in sorted((root / name).rglob("test_*.py"))]
    return tuple(dict.fromkeys(file.relative_to(root).as_posix() for file in found))
