"""Plain records of what was declared, for whoever wants to show it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ProblemOutline", "ProgramOutline", "StageOutline"]


@dataclass(frozen=True)
class ProblemOutline:
    """One subproblem: what it optimises, how large it is, what it reads."""

    name: str
    kind: str
    sense: str
    objective: str
    constraints: tuple[str, ...]
    variables: tuple[tuple[str, tuple[int, ...]], ...]
    reads: tuple[str, ...]

    @property
    def size(self) -> int:
        """Scalar variables in all."""
        total = 0
        for _, shape in self.variables:
            entries = 1
            for length in shape:
                entries *= length
            total += entries
        return total

    def __str__(self) -> str:
        head = (
            f"{self.name}: {self.sense} {self.objective}  [{self.kind}, "
            f"{self.size} variables, {len(self.constraints)} constraints]"
        )
        return head + (f"\n  reads {', '.join(self.reads)}" if self.reads else "")


@dataclass(frozen=True)
class StageOutline:
    """One stage and its subproblems."""

    name: str
    problems: tuple[ProblemOutline, ...]

    def __str__(self) -> str:
        return "\n  ".join([self.name, *"\n".join(map(str, self.problems)).splitlines()])


@dataclass(frozen=True)
class ProgramOutline:
    """A whole program."""

    stages: tuple[StageOutline, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.stages))
