"""A front as the user sees it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lexiprog.errors import DeclarationError, there_are
from lexiprog.model.expressions import shorten
from lexiprog.parametric.front_proof import FrontProof
from lexiprog.parametric.regions import hypervolume
from lexiprog.parametric.value_function import Gap
from lexiprog.results.solution import Solution
from lexiprog.summary import (
    Chart,
    FrontSummary,
    ShownTable,
    TableCell,
    TableSummary,
    cleaned,
    counted,
    data_frame,
    draw,
    number,
    series_of,
)
from lexiprog.typing import NUMBERS, Array

if TYPE_CHECKING:
    import pandas


# How many rows a text or a page shows before it leaves out the middle.
MOST = 60


@dataclass(frozen=True, eq=False)
class FrontFacet:
    """A flat piece of a linear front: no value is better than ``weights @ values >= value``.

    Attributes
    ----------
    weights : ndarray of shape (p,)
        Of the objectives, all as things to minimise (those that are maximised with a minus); their
        sum is 1. Every point of the facet is best for them.
    value : float
        What the weighted sum is there.
    points : tuple of int
        The extreme points on it, as places in ``Frontier.points``.
    """

    weights: Array
    value: float
    points: tuple[int, ...]


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
    facets : tuple of FrontFacet
        Linear problems with three or more objectives: every facet of the front.
    directions : ndarray of shape (d, m), optional
        The same problems: the directions in which the front goes on for ever.
    fractions : tuple, optional
        The same problems, and others for ``Solver("EXACT")``: the points as fractions.
    open : float
        At most which share of the space between the best and the worst values of the objectives
        may still have points: 0 if the front is complete, nan if nothing is known.
    proof : FrontProof, optional
        What shows that nothing is missing; ``proof.save(path)`` writes it for
        ``docs/check_fronts.py``, which needs no lexiprog.
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
    facets: tuple[FrontFacet, ...] = field(default=(), repr=False)
    directions: Array | None = None
    fractions: tuple[tuple[Fraction, ...], ...] | None = field(default=None, repr=False)
    open: float = 0.0
    proof: FrontProof | None = field(default=None, repr=False, compare=False)
    note: str = ""
    state: Any = field(default=None, repr=False, compare=False)  # what `resume` goes on from
    mark: str = field(default="", repr=False, compare=False)  # of the problem it belongs to

    def __len__(self) -> int:
        return len(self.points)

    @property
    def _minimised(self) -> Array:
        """The points as things to minimise."""
        return np.asarray(self.points * np.where(self.maximised, -1.0, 1.0))

    def _part(self, places: Sequence[int]) -> Frontier:
        """Some of the points as a front, which is no longer complete by itself."""
        return replace(
            self,
            points=self.points[list(places)],
            solutions=tuple(self.solutions[k] for k in places),
            weights=None if self.weights is None else self.weights[list(places)],
            fractions=None if self.fractions is None else tuple(self.fractions[k] for k in places),
            facets=(),
            ray=None,
            directions=None,
            proof=None,
            state=None,
            mark="",
        )

    def filter(self, **bounds: float | tuple[float | None, float | None]) -> Frontier:
        """The points within bounds on the objectives.

        Parameters
        ----------
        **bounds : float or pair of float
            By objective: the worst value that is acceptable, or a pair of the least and the
            largest, None where there is no bound.

        Returns
        -------
        Frontier
            With these points alone. If it is complete, no other listed point is within the bounds:
            of an integer front, none at all. Convex fronts are never, as what is best at a bound
            need not be between points within.

        Examples
        --------
        >>> import cvxpy as cp, lexiprog as lx
        >>> take = cp.Variable(3, boolean=True, name="take")
        >>> front = lx.frontier({"value": cp.Maximize([5, 2, 2] @ take),
        ...                      "weight": cp.Minimize([3, 4, 2] @ take)})
        >>> front.filter(weight=5).points.tolist()
        [[0.0, 0.0], [2.0, 2.0], [5.0, 3.0], [7.0, 5.0]]
        >>> front.filter(weight=(3, None), value=6).points.tolist()
        [[7.0, 5.0], [9.0, 9.0]]
        """
        keep = np.ones(len(self), dtype=bool)
        for name, bound in bounds.items():
            k = self._place(name)
            given: Any = (bound, None) if self.maximised[k] else (None, bound)
            if isinstance(bound, tuple | list) and len(bound) == 2:
                given = bound
            ends = [
                end if v is None else v for v, end in zip(given, (-np.inf, np.inf), strict=True)
            ]
            if not all(isinstance(v, NUMBERS) and not np.isnan(v) for v in ends):
                raise DeclarationError(
                    f"the bound on {name!r} is a number or a pair of a least and a largest one, "
                    f"not {shorten(repr(bound))}."
                )
            keep &= (self.points[:, k] >= ends[0]) & (self.points[:, k] <= ends[1])
        part = self._part(np.flatnonzero(keep).tolist())
        part = replace(part, kind=f"{self.kind} within bounds")
        if self.discrete or not self.complete or not self.error:
            return part
        note = "what is best at a bound is not listed; a front with them as constraints has it."
        return replace(part, kind="points within bounds", complete=False, error=np.nan, note=note)

    def _wanted(self, reference: Mapping[str, float]) -> dict[int, float]:
        """Values of objectives by their places, as things to minimise."""
        if not isinstance(reference, Mapping) or not all(
            isinstance(v, NUMBERS) and np.isfinite(v) for v in reference.values()
        ):
            raise DeclarationError(
                f"a reference takes objectives to finite numbers, such as {{{self.names[0]!r}: "
                f"1.0}}, not {shorten(repr(reference))}."
            )
        places = {self._place(name): float(v) for name, v in reference.items()}
        return {k: -v if self.maximised[k] else v for k, v in places.items()}

    def _place(self, name: str) -> int:
        if name not in self.names:
            known = there_are(self.names, name)
            raise DeclarationError(f"the front has no objective {name!r}; there are {known}")
        return self.names.index(name)

    def nearest(self, reference: Mapping[str, float]) -> int:
        """The place of the point that comes closest to what one would like to have.

        Distances are shares of the ranges of the objectives; the largest of what is missing counts,
        and among equal ones the sum. What is better than asked for does not count.

        Parameters
        ----------
        reference : mapping
            Some or all objectives to the values that one would like.

        Examples
        --------
        >>> import cvxpy as cp, lexiprog as lx
        >>> take = cp.Variable(3, boolean=True, name="take")
        >>> front = lx.frontier({"value": cp.Maximize([5, 2, 2] @ take),
        ...                      "weight": cp.Minimize([3, 4, 2] @ take)})
        >>> front.points[front.nearest({"value": 6, "weight": 4})].tolist()
        [5.0, 3.0]
        """
        self._check_any()
        wanted = self._wanted(reference)
        if not wanted:
            raise DeclarationError("nearest needs a value of one objective at least.")
        places = list(wanted)
        values = self._minimised[:, places]
        missing = np.maximum(values - list(wanted.values()), 0.0) / self._ranges[places]
        return int(np.lexsort([missing.sum(axis=1), missing.max(axis=1)])[0])

    @property
    def _ranges(self) -> Array:
        ranges = np.ptp(self.points, axis=0)
        return np.where(ranges > 0.0, ranges, 1.0)

    def _check_any(self) -> None:
        if not len(self):
            raise DeclarationError("the front has no points to choose from.")

    def hypervolume(self, reference: Mapping[str, float] | None = None) -> float:
        """The volume of all values that some point is at least as good as.

        Parameters
        ----------
        reference : mapping, optional
            The worst value of each objective that counts; by default the worst of the points.

        Examples
        --------
        >>> import cvxpy as cp, lexiprog as lx
        >>> take = cp.Variable(3, boolean=True, name="take")
        >>> front = lx.frontier({"value": cp.Maximize([5, 2, 2] @ take),
        ...                      "weight": cp.Minimize([3, 4, 2] @ take)})
        >>> front.hypervolume({"value": 0, "weight": 10})
        49.0
        """
        self._check_any()
        values = self._minimised
        worst = values.max(axis=0)
        for k, value in self._wanted({} if reference is None else reference).items():
            worst[k] = value
        return hypervolume(values, worst)

    def knee(self) -> int:
        """The place of the point that is furthest from the plane through the best of each.

        With objectives in shares of their ranges: where giving up more of one begins to buy little
        of the others. Of a front of one point, that point.

        Examples
        --------
        >>> import cvxpy as cp, lexiprog as lx
        >>> x = cp.Variable(2, nonneg=True, name="x")
        >>> demand = [x[0] + 2 * x[1] >= 8, 2 * x[0] + x[1] >= 8]
        >>> front = lx.frontier({"cost": cp.Minimize(3 * x[0] + x[1]),
        ...                      "fumes": cp.Minimize(x[0] + 4 * x[1])}, demand)
        >>> front.points[front.knee()].round(3).tolist()
        [10.667, 13.333]
        """
        self._check_any()
        shares = (self._minimised - self._minimised.min(axis=0)) / self._ranges
        ends = shares[np.argmin(shares, axis=0)]
        try:
            normal = np.linalg.solve(ends, np.ones(len(self.names)))
        except np.linalg.LinAlgError:
            normal = np.ones(len(self.names))
        if np.any(normal < 0.0):
            normal = np.ones(len(self.names))
        return int(np.argmin(shares @ normal))

    def weights_of(self, point: int) -> Array:
        """Weights for which an extreme point of a linear front is best, and all between them.

        Parameters
        ----------
        point : int
            Its place in ``points``.

        Returns
        -------
        ndarray of shape (k, m)
            One row for each facet that the point lies on.
        """
        place = range(len(self))[point]
        rows = [facet.weights for facet in self.facets if place in facet.points]
        if self.weights is not None:
            rows = [np.array([w, 1.0 - w]) for w in self.weights[place]]
        return np.array(rows).reshape(-1, len(self.names))

    def to_frame(self) -> pandas.DataFrame:
        """A pandas table, one row a point."""
        columns = dict(zip(self.names, self.points.T, strict=True))
        if self.weights is not None:
            columns |= {"best from": self.weights[:, 0], "best to": self.weights[:, 1]}
        return data_frame(columns)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a page in which the front can be turned and narrowed down by bounds.

        Three objectives stand in space, with the facets of a linear front; any number of them as
        lines over parallel axes. Sliders set bounds on the objectives, and the page shows what is
        left. It works in any browser, without a network.
        """
        summary = FrontSummary(
            names=self.names,
            senses=tuple("maximised" if m else "minimised" for m in self.maximised),
            points=tuple(tuple(map(float, point)) for point in self.points),
            facets=tuple(facet.points for facet in self.facets),
            notes=self.notes,
        )
        Path(path).write_text(draw(summary) or str(self), encoding="utf-8")

    @property
    def notes(self) -> tuple[str, ...]:
        """What the points are, and what is missing."""
        text = f"{self.kind} ({len(self)})"
        if self.weights is not None and len(self) > 1:
            text += "; between neighbours the front is a straight line"
        if self.ray is not None:
            direction = ", ".join(
                f"{n} {number(v)}" for n, v in zip(self.names, self.ray, strict=True)
            )
            text += f"; without end in the direction {direction}"
        if self.facets:
            text += f"; every facet ({len(self.facets)})"
        if self.directions is not None:
            text += f"; without end in {counted(len(self.directions), 'direction')}"
        out = [text]
        if self.open > 0.0:
            share = f"{100 * self.open:.3g}"
            out.append(f"at most {share} % of the space between the objectives' ends is still open")
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
