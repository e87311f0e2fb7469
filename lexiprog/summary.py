"""Plain records of what was declared and found, for whoever wants to show it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from importlib import import_module
from math import isfinite, isnan, prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lexiprog.errors import Attempt, ConflictPart, visible
from lexiprog.tolerances import SHOWN_NOISE
from lexiprog.typing import Values

if TYPE_CHECKING:
    import pandas

# A small picture as plain records: what stands across, what goes up, and how points are joined.

# More points than can be told apart in a small picture.
MOST = 400


@dataclass(frozen=True)
class Series:
    """Points in order, joined "straight", in "steps", or "not".

    Steps keep the value of a point until the next one.
    """

    name: str
    across: tuple[float, ...]
    up: tuple[float, ...]
    joined: str = "straight"


@dataclass(frozen=True)
class Chart:
    """Series over one axis."""

    across: str
    up: str
    series: tuple[Series, ...]

    @property
    def worth_drawing(self) -> bool:
        """Whether there is more than one point to see."""
        return any(len(series.across) > 1 for series in self.series)


def series_of(
    name: str, across: Iterable[float], up: Iterable[float], joined: str = "straight"
) -> Series:
    """The finite points in their order, thinned where there are too many to see."""
    points = [(float(x), float(y)) for x, y in zip(across, up, strict=True)]
    points = [point for point in points if all(map(isfinite, point))]
    if len(points) > MOST:
        kept = np.unique(np.linspace(0, len(points) - 1, MOST).round().astype(int))
        points = [points[k] for k in kept]
    return Series(name, tuple(p[0] for p in points), tuple(p[1] for p in points), joined)


# Of a fair solution: each value with the names of all who are settled there.
Levels = Sequence[tuple[float, Sequence[Hashable]]]


@dataclass(frozen=True)
class Read:
    """What a problem takes from an earlier one: its "optimum", "at(x)" or "dual(0)"."""

    owner: str
    what: str

    def __str__(self) -> str:
        return visible(f"{self.owner}.{self.what}", lines=False)


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
        return visible(f"{self.owner} {self.allowance}", lines=False)


@dataclass(frozen=True)
class ProblemSummary:
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
            f"{visible(self.name, lines=False)}: {self.sense} {visible(self.objective)}  "
            f"[{self.kind}, "
            f"{counted(self.size, 'variable')}, {counted(self.demands, 'constraint')}]"
        )
        reads = f"\n  reads {', '.join(map(str, self.reads))}" if self.reads else ""
        return head + reads + (f"\n  holds {', '.join(map(str, self.holds))}" if self.holds else "")


@dataclass(frozen=True)
class StageSummary:
    """One stage and its subproblems."""

    name: str
    problems: tuple[ProblemSummary, ...]

    def __str__(self) -> str:
        name = visible(self.name, lines=False)
        return "\n  ".join([name, *"\n".join(map(str, self.problems)).splitlines()])


@dataclass(frozen=True)
class ProgramSummary:
    """A whole program."""

    stages: tuple[StageSummary, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.stages))


@dataclass(frozen=True)
class LockSummary:
    """How an earlier optimum was held; ``price`` is None where there is none or none known yet."""

    name: str
    kind: str
    tolerance: float
    guard: float
    drift: float
    price: float | None = None


@dataclass(frozen=True)
class SolvedSummary:
    """What was found for one subproblem."""

    value: float
    status: str
    solver: str
    seconds: float
    certified: bool
    certificate: str
    basis: str = ""  # what certifies it, as a certificate calls it
    locks: tuple[LockSummary, ...] = ()
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
class SolutionSummary:
    """One subproblem's solution with the values of its variables."""

    name: str
    found: SolvedSummary
    variables: Values


@dataclass(frozen=True)
class ResultSummary:
    """A program with what was found for it so far, by subproblem name."""

    program: ProgramSummary
    solved: Mapping[str, SolvedSummary]


@dataclass(frozen=True)
class TableCell:
    """A text in a table; ``tone`` is "good", "bad", "quiet" or nothing."""

    text: str
    tone: str = ""


@dataclass(frozen=True)
class TableSummary:
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


# Records and results know nothing of HTML: the renderers of ``lexiprog.display`` register
# themselves here, and are imported when something is first drawn.


@singledispatch
def render(summary: object) -> str | None:  # noqa: ARG001 - kinds are registered elsewhere
    """A summary as HTML by the renderer that is registered for its kind."""
    return None


def draw(summary: object) -> str | None:
    """A summary as HTML; None if its kind has text only."""
    import_module("lexiprog.display")
    return render(summary)


# What can be explored of a program: each held level's curve, as plain records for display.


@dataclass(frozen=True)
class LevelSummary:
    """One held level: what the later optima and the variables are at each of its tolerances.

    Attributes
    ----------
    name : str
    declared : float
        The tolerance that the program declares.
    tolerances : tuple of float
        Rising; between two of them everything changes linearly, or not at all if ``steps``. If
        ``sampled``, nothing is known between them, and the declared one is among them.
    optima : tuple of (name, sense, values)
        Each later problem with its optimum at each tolerance.
    variables : tuple of (name, values)
        Entries of the last stage's variables that move, at each tolerance.
    steps, sampled : bool
    note : str
        How exact this is, or why there is no curve.
    """

    name: str
    declared: float
    tolerances: tuple[float, ...] = ()
    optima: tuple[tuple[str, str, tuple[float, ...]], ...] = ()
    variables: tuple[tuple[str, tuple[float, ...]], ...] = ()
    steps: bool = False
    sampled: bool = False
    note: str = ""


@dataclass(frozen=True)
class PairSummary:
    """Two held levels whose tolerances move at once, solved at every pair of a few of them.

    Attributes
    ----------
    names : (str, str)
    declared : (float, float)
    tolerances : (tuple of float, tuple of float)
        Of each level.
    optima : tuple of (name, sense, values)
        The problems after both, with their optimum at each pair, the second level's tolerance
        running fastest; None where it is not certain.
    """

    names: tuple[str, str]
    declared: tuple[float, float]
    tolerances: tuple[tuple[float, ...], tuple[float, ...]]
    optima: tuple[tuple[str, str, tuple[float | None, ...]], ...] = ()


@dataclass(frozen=True)
class ExploreSummary:
    """The levels of a program that others hold, each by itself and two at once."""

    levels: tuple[LevelSummary, ...]
    pairs: tuple[PairSummary, ...] = ()
    framed: bool = True  # inside another page, such as a notebook; otherwise a page of its own


@dataclass(frozen=True)
class FrontSummary:
    """The points of a front, to be looked at from all sides and narrowed down by bounds.

    Attributes
    ----------
    names, senses : tuple of str
        The objectives, "minimised" or "maximised".
    points : tuple of tuples of float
    facets : tuple of tuples of int
        Flat pieces of a front, by the places of their points.
    notes : tuple of str
        What the points are, and what is missing.
    """

    names: tuple[str, ...]
    senses: tuple[str, ...]
    points: tuple[tuple[float, ...], ...]
    facets: tuple[tuple[int, ...], ...] = ()
    notes: tuple[str, ...] = ()


# A plain record of a hierarchy that could not be solved to its end, and why.


@dataclass(frozen=True)
class FailureSummary:
    """What was declared and found, where it stops, who was asked, and what contradicts what."""

    result: ResultSummary
    problem: str
    status: str
    reason: str
    attempts: tuple[Attempt, ...]
    conflict: tuple[ConflictPart, ...] = ()
    direction: Values | None = None

    def html(self) -> str | None:
        """As HTML, if somebody has registered how to draw it."""
        return draw(self)


# Numbers as short texts, the same in every display.


def number(value: float) -> str:
    """Six digits, without the sign of a zero."""
    return f"{value + 0.0:.6g}"


def cleaned(values: Iterable[float]) -> list[float]:
    """The values, with zeros for those that are rounding errors beside the largest."""
    values = list(values)
    noise = SHOWN_NOISE * max(map(abs, values), default=0.0)
    return [value if abs(value) > noise else 0.0 for value in values]


def tiny(value: float) -> str:
    """The order of an error; nothing else of it matters."""
    if value == 0:
        return "0"
    return "not a number" if isnan(value) else f"{value:.0e}".replace("e-0", "e-")


def duration(seconds: float) -> str:
    """Seconds in the unit that fits."""
    if seconds < 1e-3:
        return f"{1e6 * seconds:.0f} µs"
    if seconds < 1:
        return f"{1e3 * seconds:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 120 else f"{seconds / 60:.3g} min"


# Tables and arrays as text, for terminals and logs.

MOST_LEVELS, MOST_NAMES = 12, 10


def text_table(table: TableSummary) -> str:
    """The heads and rows of a table, column under column; notes below."""
    rows = [table.columns, *(tuple(cell.text for cell in row) for row in table.rows)]
    rows = [tuple(visible(text, lines=False) for text in row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    right = [name in table.numeric for name in table.columns]
    lines = [
        "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in rows
    ]
    return "\n".join([*lines, *(visible(note.text) for note in table.notes)])


def level_texts(levels: Levels) -> list[tuple[str, str]]:
    """Each level's value and who is on it, long lists of names and of levels shortened."""
    shown = [(number(value), names_text(names)) for value, names in levels[:MOST_LEVELS]]
    if len(levels) > MOST_LEVELS:
        rest = sum(len(names) for _, names in levels[MOST_LEVELS:])
        shown.append(
            (
                "...",
                f"{counted(len(levels) - MOST_LEVELS, 'more level')} with {counted(rest, 'name')}",
            )
        )
    return shown


def names_text(names: Sequence[Hashable]) -> str:
    """Names in a row, the first ones if there are many."""
    listed = ", ".join(visible(str(name), lines=False) for name in names[:MOST_NAMES])
    return listed if len(names) <= MOST_NAMES else f"{listed} and {len(names) - MOST_NAMES} more"


def level_lines(levels: Levels) -> list[str]:
    """One line a level."""
    texts = level_texts(levels)
    width = max((len(value) for value, _ in texts), default=0)
    return [f"  level {value.rjust(width)}: {names}" for value, names in texts]


def array_text(value: NDArray[np.generic]) -> str:
    """A value as numpy would print it, long arrays shortened."""
    return np.array2string(value, precision=6, threshold=8, separator=", ")


def solution_text(solution: SolutionSummary, words: str) -> str:
    """What was found for one problem, with its levels and variables, and how it is known."""
    found = solution.found
    name = visible(solution.name, lines=False)
    lines = [f"{name}: {found.text(10)} ({found.status}, {found.solver})"]
    lines += level_lines(found.levels)
    for key, value in solution.variables.items():
        key = visible(key, lines=False)
        lines.append(f"  {key} = {array_text(value)}".replace("\n", "\n    "))
    return "\n".join([*lines, f"  {words}"])


# What all results that are tables have in common: how they are printed and drawn.


def data_frame(data: Any, index: str = "", **options: Any) -> pandas.DataFrame:
    """A pandas table, for the ``to_frame`` of every record; by a column as its index if named."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_frame() needs pandas: pip install pandas.") from error
    frame = pandas.DataFrame(data, **options)
    return frame.set_index(index) if index else frame


class ShownTable:
    """A record that shows itself as a table: as text when printed, as HTML in a notebook."""

    @property
    def summary(self) -> TableSummary:
        """Heads, rows and notes."""
        raise NotImplementedError

    def __str__(self) -> str:
        return text_table(self.summary)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str | None:
        return draw(self.summary)
