"""The points that no other point beats in every objective, each with its solution."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lexiprog.results.solution import Solution
from lexiprog.summary import (
    Chart,
    ShownTable,
    TableCell,
    TableSummary,
    cleaned,
    counted,
    number,
    series_of,
)
from lexiprog.typing import Array

if TYPE_CHECKING:
    import pandas


Gap = tuple[tuple[float, ...], tuple[float, ...]]

# How many rows a text or a page shows before it leaves out the middle.
MOST = 60


@dataclass(frozen=True, repr=False)
class Frontier(ShownTable):
    """The front of two or more objectives.

    What :func:`frontier` returns: draw it, choose a point of it, or see what is still missing.

    Attributes
    ----------
    names : tuple of str
        The objectives.
    maximised : tuple of bool
        Their senses.
    points : ndarray of shape (k, m)
        Values of the objectives, in their own senses, sorted by the first.
    solutions : tuple of Solution
        The certified optimum behind each point.
    weights : ndarray of shape (k, 2), optional
        Linear problems with two objectives: from which to which share of the first objective the
        point is best, if the objectives are added up as things to minimise, ``w`` of the first and
        ``1 - w`` of the second.
    kind : str
        What the points are: every extreme point, every non-dominated point, or a sample.
    complete : bool
        Whether nothing is missing.
    discrete : bool
        Whether the front consists of points alone, as that of an integer program does.
    error : float
        How far the second objective may be better between two neighbours than the points (for
        integer problems) or the line between them (for others) say. 0 if the front is exact, nan
        if nothing is known.
    missing : tuple
        Pairs of neighbours between which points may be missing.
    ray : ndarray of shape (2,), optional
        The direction in which a linear front goes on for ever from its last or first point.
    note : str
        Why something is missing.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(2, nonneg=True, name="x")
    >>> demand = [x[0] + 2 * x[1] >= 8, 2 * x[0] + x[1] >= 8]
    >>> front = lx.frontier({"cost": cp.Minimize(3 * x[0] + x[1]),
    ...                      "fumes": cp.Minimize(x[0] + 4 * x[1])}, demand)
    >>> print(front)
       cost    fumes  best from        to
          8       32      0.875         1
    10.6667  13.3333   0.285714     0.875
         24        8          0  0.285714
    every extreme point (3); between neighbours the front is a straight line
    >>> front.solutions[1][x].round(6).tolist()
    [2.666667, 2.666667]
    """

    names: tuple[str, ...]
    maximised: tuple[bool, ...]
    points: Array
    solutions: tuple[Solution, ...] = field(repr=False)
    kind: str
    complete: bool
    discrete: bool = False
    error: float = 0.0
    weights: Array | None = None
    missing: tuple[Gap, ...] = ()
    ray: Array | None = None
    note: str = ""
    state: Any = field(default=None, repr=False, compare=False)  # what `resume` goes on from
    mark: str = field(default="", repr=False, compare=False)  # of the problem it belongs to

    def __len__(self) -> int:
        return len(self.points)

    def to_frame(self) -> pandas.DataFrame:
        """A pandas table, one row a point."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_frame() needs pandas: pip install pandas.") from error
        columns = dict(zip(self.names, self.points.T, strict=True))
        if self.weights is not None:
            columns |= {"best from": self.weights[:, 0], "best to": self.weights[:, 1]}
        return pandas.DataFrame(columns)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the points are, and what is missing."""
        said = f"{self.kind} ({len(self)})"
        if self.weights is not None and len(self) > 1:
            said += "; between neighbours the front is a straight line"
        if self.ray is not None:
            direction = ", ".join(
                f"{n} {number(v)}" for n, v in zip(self.names, self.ray, strict=True)
            )
            said += f"; without end in the direction {direction}"
        out = [said]
        if self.note:
            out.append(f"not complete: {self.note}" if not self.complete else self.note)
        for left, right in self.missing:
            ends = (", ".join(map(number, end)) for end in (left, right))
            out.append(f"points may be missing between ({') and ('.join(ends)})")
        return tuple(out)

    @property
    def summary(self) -> TableSummary:
        """The table as plain records for display."""
        columns = [*self.names] + (["best from", "to"] if self.weights is not None else [])
        parts = [self.points] + ([self.weights] if self.weights is not None else [])
        series = [list(map(number, cleaned(column))) for part in parts for column in part.T]
        rows = [tuple(map(TableCell, row)) for row in zip(*series, strict=True)]
        if len(rows) > MOST:
            half = MOST // 2
            left_out = f"{counted(len(rows) - 2 * half, 'point')} more"
            gap = (TableCell(left_out, "quiet"), *[TableCell("")] * (len(columns) - 1))
            rows = [*rows[:half], gap, *rows[-half:]]
        tone = "quiet" if self.complete else "bad"
        return TableSummary(
            title=f"Front of {' and '.join(self.names)}",
            columns=tuple(columns),
            rows=tuple(rows),
            numeric=frozenset(columns),
            notes=tuple(
                TableCell(note, tone if k else "quiet") for k, note in enumerate(self.notes)
            ),
            chart=self._chart,
        )

    @property
    def _chart(self) -> Chart | None:
        """Two objectives as a picture; a staircase never says that more can be had than can."""
        if len(self.names) != 2:
            return None
        order = np.argsort(self.points[:, 0], kind="stable")
        across, up = self.points[order].T
        joined = "straight" if not self.discrete else "not" if self.maximised[0] else "steps"
        return Chart(*self.names, (series_of(self.names[1], across, up, joined),))


def sorted_front(front: Frontier) -> Frontier:
    """The front with its points in the order of the first objective's own values."""
    order = np.lexsort(front.points.T[::-1])
    if np.array_equal(order, np.arange(len(order))):
        return front
    return replace(
        front,
        points=front.points[order],
        solutions=tuple(front.solutions[k] for k in order),
        weights=None if front.weights is None else front.weights[order],
    )
