"""What solutions themselves say of the problems, where no declaration is at hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lexiprog.outline.records import Hold, ProblemOutline, ProgramOutline, Read, StageOutline
from lexiprog.result.solution import Solution


def recall(
    stages: Mapping[str, Iterable[str]], solutions: Mapping[str, Solution]
) -> ProgramOutline:
    """The stages with the variables, references and locks that the solutions recorded."""
    earlier: list[str] = []
    outlines = []
    for stage, names in stages.items():
        problems = tuple(_problem(name, solutions.get(name), earlier) for name in names)
        outlines.append(StageOutline(stage, problems))
        earlier += names
    return ProgramOutline(tuple(outlines))


def _problem(name: str, solution: Solution | None, earlier: list[str]) -> ProblemOutline:
    if solution is None:
        return ProblemOutline(name)
    reads = []
    for label in solution.references:
        # A name may contain dots; the longest one that fits is the owner's.
        owner = max((n for n in earlier if label.startswith(f"{n}.")), key=len, default="")
        what = label.removeprefix(f"{owner}.")
        if owner and what != "held":
            reads.append(Read(owner, what))
    return ProblemOutline(
        name,
        variables=tuple((key, value.shape) for key, value in solution.variables.items()),
        reads=tuple(reads),
        holds=tuple(Hold(lock.name, lock.tolerance) for lock in solution.locks),
    )
