"""Plain records of what was declared and found, for whoever wants to show it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from lexiprog.aliases import Values
from lexiprog.outline.charts import Chart

__all__ = [
    "Hold",
    "Levels",
    "LockOutline",
    "ProblemOutline",
    "ProgramOutline",
    "Read",
    "ResultOutline",
    "SolutionOutline",
    "SolvedOutline",
    "StageOutline",
    "TableCell",
    "TableOutline",
]


# Of a fair solution: each value with the names of all who are settled there.
Levels = Sequence[tuple[float, Sequence[Hashable]]]


@dataclass(frozen=True)
class Read:
    """What a problem takes from an earlier one: its "optimum", "at(x)" or "dual(0)"."""

    owner: str
    what: str

    def __str__(self) -> str:
        return f"{self.owner}.{self.what}"


@dataclass(frozen=True)
class Hold:
    """An earlier optimum that a problem keeps, and how much of it may be given up."""

    owner: str
    atol: float | str = 0.0  # or the name of a parameter, read when the program is solved
    rtol: float | str = 0.0

    @property
    def allowance(self) -> str:
        """The tolerance in words."""
        parts = []
        if self.atol:
            parts.append(self.atol if isinstance(self.atol, str) else f"{self.atol:g}")
        if self.rtol:
            share = self.rtol if isinstance(self.rtol, str) else f"{100 * self.rtol:g} %"
            parts.append(f"{share} of it" if isinstance(self.rtol, str) else share)
        return f"within {' or '.join(parts)}" if parts else "exactly"

    def __str__(self) -> str:
        return f"{self.owner} {self.allowance}"


@dataclass(frozen=True)
class ProblemOutline:
    """One subproblem: what it optimises, how large it is, what it reads and holds.

    What is not known is left empty; ``constraints`` are those beside the holds.
    """

    name: str
    kind: str = ""
    sense: str = ""
    objective: str = ""
    constraints: tuple[str, ...] = ()
    variables: tuple[tuple[str, tuple[int, ...]], ...] = ()
    reads: tuple[Read, ...] = ()
    holds: tuple[Hold, ...] = ()
    solvers: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Scalar variables in all."""
        return sum(prod(shape) for _, shape in self.variables)

    @property
    def demands(self) -> int:
        """Constraints in all, with those that hold earlier optima."""
        return len(self.constraints) + len(self.holds)

    def __str__(self) -> str:
        head = (
            f"{self.name}: {self.sense} {self.objective}  [{self.kind}, "
            f"{counted(self.size, 'variable')}, {counted(self.demands, 'constraint')}]"
        )
        reads = f"\n  reads {', '.join(map(str, self.reads))}" if self.reads else ""
        return head + reads + (f"\n  holds {', '.join(map(str, self.holds))}" if self.holds else "")


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


@dataclass(frozen=True)
class LockOutline:
    """How an earlier optimum was held; ``price`` is None where there is none or none known yet."""

    name: str
    kind: str
    tolerance: float
    guard: float
    drift: float
    price: float | None = None


@dataclass(frozen=True)
class SolvedOutline:
    """What was found for one subproblem."""

    value: float
    status: str
    solver: str
    seconds: float
    certified: bool
    certificate: str
    basis: str = ""  # what certifies it, as a certificate calls it
    locks: tuple[LockOutline, ...] = ()
    levels: Levels = ()
    variables: Values = field(default_factory=dict)
    bound: float | None = None

    @property
    def settled(self) -> bool:
        """Whether the value is the optimum, as far as anybody can tell."""
        return self.status not in UNSETTLED

    @property
    def proved(self) -> bool:
        """Whether more than a solver's word says that nothing is better."""
        return self.certified and self.basis not in ("incumbent", "point")

    def text(self, digits: int = 6) -> str:
        """The value; where a better one may exist, with the interval that the optimum is in."""
        return value_text(self.value, self.bound, self.status, digits)


@dataclass(frozen=True)
class SolutionOutline:
    """One subproblem's solution with the values of its variables."""

    name: str
    found: SolvedOutline
    variables: Values


@dataclass(frozen=True)
class ResultOutline:
    """A program with what was found for it so far, by subproblem name."""

    program: ProgramOutline
    solved: Mapping[str, SolvedOutline]


@dataclass(frozen=True)
class TableCell:
    """A text in a table; ``tone`` is "good", "bad", "quiet" or nothing."""

    text: str
    tone: str = ""


@dataclass(frozen=True)
class TableOutline:
    """Rows of texts under column heads; ``numeric`` names the columns to align on the right.

    ``chart`` is a picture of the same numbers, for who can draw it.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    numeric: frozenset[str] = frozenset()
    notes: tuple[TableCell, ...] = field(default=())
    chart: Chart | None = None


def counted(count: int, noun: str) -> str:
    """A number with its noun: "1 variable", "2 variables"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


# Statuses of values that a better one may exist for.
UNSETTLED = ("within_gap", "unfinished")


def value_text(value: float, bound: float | None, status: str, digits: int = 6) -> str:
    """A value; where a better one may exist, with the interval that the optimum is in."""
    text = f"{value + 0.0:.{digits}g}"
    if status not in UNSETTLED:
        return text
    if bound is None:
        return f"{text} (no bound)"
    low, high = sorted((value + 0.0, bound + 0.0))
    return f"{text} in [{low:.{digits}g}, {high:.{digits}g}]"
