"""Every vertex and facet of a linear program with several objectives, in fractions.

The upper image is the set of all values that a feasible point reaches or stays below. Benson's
outer approximation: cut off a vertex of what contains it by the multipliers of the linear program
that asks how far the vertex is from a feasible point, until every vertex is reached. HiGHS finds
the bases; points and multipliers are computed from them in integers, from the numbers as written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

import numpy as np
import scipy.sparse as sp

from lexiprog.backends.highs import HighsModel
from lexiprog.canon.standard_form import Bounds
from lexiprog.deadline import Deadline, OutOfTime
from lexiprog.parametric.double_description import DoubleDescription, integers
from lexiprog.parametric.value_function import CurveError
from lexiprog.rational.program import ExactLP
from lexiprog.tolerances import PRECISE_HIGHS, SHARPEST_HIGHS
from lexiprog.typing import Array

Fractions = tuple[Fraction, ...]
# Steps of an elimination between two looks at the clock.
PIVOTS = 16


@dataclass(frozen=True)
class Facet:
    """``weights @ y >= value`` for every value ``y`` that can be had, all objectives minimised.

    Attributes
    ----------
    weights : tuple of Fraction
        At least 0, their sum is 1.
    value : Fraction
    multipliers : tuple of Fraction
        Of the rows, which prove it: ``weights @ costs == A' y + reduced costs``.
    """

    weights: Fractions
    value: Fraction
    multipliers: Fractions


@dataclass
class UpperImage:
    """What is known of an upper image.

    Attributes
    ----------
    lp : ExactLP
        The feasible set.
    costs : tuple of tuples of Fraction
    outer : DoubleDescription
        What contains the image.
    cuts : list of Facet
        One for each row of ``outer`` but the first.
    points : dict
        Vertices of ``outer`` that are reached, as its rays, with a feasible point each.
    rays : dict
        Directions of the image with those of the feasible set.
    undecided : set
        Vertices for which no basis of HiGHS was optimal in fractions.
    solves : int
        Linear programs.
    note : str
        What stopped the search.
    """

    lp: ExactLP
    costs: tuple[Fractions, ...]
    outer: DoubleDescription
    cuts: list[Facet] = field(default_factory=list)
    points: dict[tuple[int, ...], Fractions] = field(default_factory=dict)
    rays: dict[tuple[int, ...], Fractions] = field(default_factory=dict)
    undecided: set[tuple[int, ...]] = field(default_factory=set)
    solves: int = 0
    note: str = ""

    @property
    def waiting(self) -> tuple[int, ...] | None:
        """A vertex of which it is not known whether it is reached."""
        points, undecided = self.points, self.undecided
        unknown = (r for r in self.outer.rays if r not in points and r not in undecided and r[0])
        return next(unknown, None)

    @property
    def complete(self) -> bool:
        """Whether every vertex is reached."""
        here = self.undecided.intersection(self.outer.rays)
        return bool(self.cuts) and self.waiting is None and not here

    @property
    def vertices(self) -> list[tuple[int, ...]]:
        """Rays of the vertices that are reached."""
        return [ray for ray in self.outer.rays if ray in self.points]

    @property
    def facets(self) -> list[int]:
        """Which cuts are facets."""
        return [k - 1 for k in self.outer.facets if k > 0]

    @property
    def directions(self) -> list[tuple[int, ...]]:
        """Rays along which some objective falls for ever; lines count in both ways."""
        lines = [tuple(s * v for v in line) for line in self.outer.lines for s in (1, -1)]
        return [ray for ray in [*self.outer.rays, *lines] if not ray[0] and min(ray) < 0]

    def cuts_at(self, rays: Sequence[tuple[int, ...]]) -> list[list[int]]:
        """Those cuts that each of some vertices lies on."""
        index = {ray: k for k, ray in enumerate(self.outer.rays)}
        return [np.flatnonzero(self.outer.tight[index[ray], 1:]).tolist() for ray in rays]


def value_of(ray: Sequence[int]) -> Fractions:
    """The vertex that a ray stands for."""
    return tuple(Fraction(v, ray[0]) for v in ray[1:])


@dataclass(frozen=True)
class _Line:
    """A row of the program in integers."""

    columns: list[int]
    entries: list[int]
    factor: int  # by which the row was multiplied


@dataclass(frozen=True)
class _Vertex:
    """A basis: which columns are basic, which rows tight, and where the other columns stand."""

    columns: list[int]
    rows: list[int]
    fixed: dict[int, Fraction]


class _Scalarised:
    """Minimise ``t`` with ``costs @ x <= v + units * t``, or one of the costs."""

    def __init__(self, lp: ExactLP, costs: Sequence[Fractions], deadline: Deadline) -> None:
        self.lp, self.costs, n, m = lp, costs, len(lp.c), len(lp.rows)
        self.n, self.m, self.p = n, m, len(costs)
        self.units = [max(map(abs, cost)) or Fraction(1) for cost in costs]
        rows = [dict(zip(*line, strict=True)) for line in lp.rows]
        rows += [_limit_row(cost, unit, n) for cost, unit in zip(costs, self.units, strict=True)]
        self.lines = [_line(row, lp.b[i] if i < m else Fraction(0)) for i, row in enumerate(rows)]
        self.sides = [int(b * line.factor) for b, line in zip(lp.b, self.lines, strict=False)]
        entries = [(i, j, float(v)) for i, row in enumerate(rows) for j, v in row.items()]
        i, j, v = (list(column) for column in zip(*entries, strict=True))
        self.matrix = sp.csc_array((v, (i, j)), shape=(m + self.p, n + 1))
        sides = np.array([float(b) for b in lp.b])
        below = np.where(np.arange(m) < lp.zero, sides, -np.inf)
        self.bounds = Bounds(
            _floats(lp.lower, -np.inf),
            _floats(lp.upper, np.inf),
            np.append(below, np.full(self.p, -np.inf)),
            np.append(sides, np.full(self.p, np.inf)),
        )
        self.deadline = deadline
        self.models: dict[int, HighsModel] = {}
        self.solves = 0

    def least(self, k: int) -> Facet | None:
        """The least value of one cost; None if there is none."""
        cost = {j: v for j, v in enumerate(self.costs[k]) if v}
        weights = tuple(Fraction(int(i == k)) for i in range(self.p))
        self.solves += 1
        for sharpness in (0, 1):
            vertex = self._optimum(sharpness, cost, [None] * self.p)
            if vertex is None:
                return None
            facet = self._facet(cost, vertex, weights)
            if facet is not None:
                return facet
        raise CurveError("a basis of HiGHS is not optimal in fractions.")

    def below(self, v: Fractions) -> tuple[Facet, Fraction, Fractions | None]:
        """A cut, by how much ``v`` violates it, and a point that reaches ``v`` if it does not."""
        cost = {self.n: Fraction(1)}
        limits = [a / u for a, u in zip(v, self.units, strict=True)]
        self.solves += 1
        for sharpness in (0, 1):
            vertex = self._optimum(sharpness, cost, limits)
            facet = None if vertex is None else self._facet(cost, vertex)
            if vertex is None or facet is None:
                continue
            gap = facet.value - sum(
                (w * a for w, a in zip(facet.weights, v, strict=True)), Fraction(0)
            )
            if gap > 0:
                return facet, gap, None
            x = self._point(limits, vertex)
            if x is not None:
                return facet, gap, x
        raise CurveError("a basis of HiGHS is not optimal in fractions.")

    def _optimum(
        self, sharpness: int, cost: dict[int, Fraction], limits: Sequence[Fraction | None]
    ) -> _Vertex | None:
        """The basis that HiGHS calls optimal; None if it says that there is none."""
        if sharpness not in self.models:
            options = {"presolve": "off"} | dict((PRECISE_HIGHS, SHARPEST_HIGHS)[sharpness])
            self.models[sharpness] = HighsModel(
                self.matrix, options, np.zeros(self.n + 1), self.bounds, deadline=self.deadline
            )
        model, costs = self.models[sharpness], np.zeros(self.n + 1)
        if cost:
            costs[list(cost)] = [float(v) for v in cost.values()]
            costs /= np.abs(costs).max()
        model.set_cost(costs)
        upper = np.array([np.inf if v is None else float(v) for v in limits])
        model.set_rows(np.full(self.p, -np.inf), upper, np.arange(self.m, self.m + self.p))
        found = model.optimum(warm=True)
        if found is None:
            if model.status == "kInfeasible":
                raise CurveError("nothing is feasible (HiGHS: kInfeasible).")
            return None
        basic = set(found.basic.tolist())
        fixed = {j: self._end(j, found.values[j]) for j in set(range(self.n)) - basic}
        columns = [j for j in range(self.n + 1) if j in basic]
        rows = [i for i in range(self.m + self.p) if self.n + 1 + i not in basic]
        return _Vertex(columns, rows, fixed)

    def _end(self, j: int, here: float) -> Fraction:
        """The end of its range that a column stands at."""
        ends = [e for e in (self.lp.lower[j], self.lp.upper[j]) if e is not None]
        if len(ends) == 1:
            return ends[0]
        return min(ends, key=lambda e: abs(float(e) - here), default=Fraction(0))

    def _facet(
        self, cost: dict[int, Fraction], vertex: _Vertex, weights: Fractions | None = None
    ) -> Facet | None:
        """What the multipliers of a basis prove; None if nothing.

        Without ``weights``, those are the multipliers of the limits.
        """
        table = [list(column) for column in zip(*self._square(vertex), strict=True)]
        found = solved(
            table, [cost.get(j, Fraction(0)) for j in vertex.columns], self.deadline.check
        )
        if found is None:
            return None
        numerators, bottom = found
        y = dict(zip(vertex.rows, numerators, strict=True))
        if any(v > 0 for i, v in y.items() if i >= self.lp.zero):
            return None
        value = self._least(cost, y, bottom)
        if value is None:
            return None
        total = Fraction(1)
        if weights is None:
            raw = [
                Fraction(-y.get(self.m + k, 0) * self.lines[self.m + k].factor, bottom) / unit
                for k, unit in enumerate(self.units)
            ]
            total = sum(raw, Fraction(0)) or Fraction(1)
            weights = tuple(w / total for w in raw)
        below, zero = bottom * total.numerator, Fraction(0)
        times = [y.get(i, 0) * line.factor for i, line in enumerate(self.lines[: self.m])]
        multipliers = tuple(Fraction(v * total.denominator, below) if v else zero for v in times)
        return Facet(weights, value / total, multipliers)

    def _square(self, vertex: _Vertex) -> list[list[int]]:
        """The tight rows over the basic columns."""
        index = {j: k for k, j in enumerate(vertex.columns)}
        table = []
        for i in vertex.rows:
            row = [0] * len(index)
            for j, entry in zip(self.lines[i].columns, self.lines[i].entries, strict=True):
                if j in index:
                    row[index[j]] = entry
            table.append(row)
        return table

    def _least(self, cost: dict[int, Fraction], y: dict[int, int], bottom: int) -> Fraction | None:
        """``b'y`` and each reduced cost at the end that it asks for; None without such an end."""
        common = lcm(*(v.denominator for v in cost.values())) if cost else 1
        left = [0] * (self.n + 1)
        for j, v in cost.items():
            left[j] = v.numerator * (common // v.denominator) * bottom
        total = 0
        for i, multiplier in y.items():
            if multiplier:
                line, scaled = self.lines[i], multiplier * common
                for j, entry in zip(line.columns, line.entries, strict=True):
                    left[j] -= scaled * entry
                if i < self.m:
                    total += scaled * self.sides[i]
        if left[self.n]:
            return None
        bound = Fraction(total)
        for j, d in enumerate(left):
            if d:
                end = self.lp.lower[j] if d > 0 else self.lp.upper[j]
                if end is None:
                    return None
                if end:
                    bound += d * end
        return bound / (bottom * common)

    def _point(self, limits: Sequence[Fraction], vertex: _Vertex) -> Fractions | None:
        """The point of a basis, if it is feasible and within the limits."""
        factors = [line.factor for line in self.lines[self.m :]]
        sides = [*map(Fraction, self.sides), *(v * f for v, f in zip(limits, factors, strict=True))]
        rhs = [sides[i] - self._known(i, vertex.fixed) for i in vertex.rows]
        found = solved(self._square(vertex), rhs, self.deadline.check)
        if found is None:
            return None
        numerators, bottom = found
        ends = [*vertex.fixed.values(), *sides]
        common = lcm(bottom, *(v.denominator for v in ends))
        values = [0] * (self.n + 1)
        for j, end in vertex.fixed.items():
            values[j] = int(end * common)
        for j, v in zip(vertex.columns, numerators, strict=True):
            values[j] = v * (common // bottom)
        if values[self.n] > 0:
            return None
        values[self.n] = 0
        x = tuple(Fraction(v, common) for v in values[: self.n])
        return x if self._holds(values, [int(side * common) for side in sides], x) else None

    def _known(self, i: int, fixed: dict[int, Fraction]) -> Fraction:
        """What the columns that are not basic add to a row."""
        line = self.lines[i]
        parts = zip(line.columns, line.entries, strict=True)
        return sum((e * fixed[j] for j, e in parts if fixed.get(j)), Fraction(0))

    def _holds(self, values: list[int], sides: list[int], x: Fractions) -> bool:
        """Whether a point is feasible; ``values`` and ``sides`` are over one denominator."""
        for i, line in enumerate(self.lines):
            used = sum(e * values[j] for j, e in zip(line.columns, line.entries, strict=True))
            if used > sides[i] or (used < sides[i] and i < self.lp.zero):
                return False
        return all(
            (low is None or low <= v) and (high is None or v <= high)
            for v, low, high in zip(x, self.lp.lower, self.lp.upper, strict=True)
        )


def _limit_row(cost: Fractions, unit: Fraction, place: int) -> dict[int, Fraction]:
    """A cost over its unit, less the distance."""
    return {j: v / unit for j, v in enumerate(cost) if v} | {place: Fraction(-1)}


def _floats(ends: Sequence[Fraction | None], none: float) -> Array:
    """Bounds of the columns and of the distance, which has none."""
    return np.array([*(none if e is None else float(e) for e in ends), none])


def _line(row: dict[int, Fraction], side: Fraction) -> _Line:
    """A row whose entries and side are integers."""
    factor = lcm(side.denominator, *(v.denominator for v in row.values()))
    entries = [v.numerator * (factor // v.denominator) for v in row.values()]
    return _Line(list(row), entries, factor)


def solved(
    matrix: list[list[int]], rhs: list[Fraction], check: Callable[[], None] = lambda: None
) -> tuple[list[int], int] | None:
    """The solution of a square system, over one denominator (Bareiss); None if it is singular.

    ``check`` is called now and then, and may end it by an exception.

    Examples
    --------
    >>> from fractions import Fraction
    >>> solved([[2, 1], [0, 3]], [Fraction(1), Fraction(1, 2)])
    ([5, 2], 12)
    """
    size = len(matrix)
    if len(rhs) != size or any(len(row) != size for row in matrix):
        return None
    below = lcm(1, *(v.denominator for v in rhs))
    table = [
        [*row, v.numerator * (below // v.denominator)] for row, v in zip(matrix, rhs, strict=True)
    ]
    last = 1
    for k in range(size):
        if not k % PIVOTS:
            check()
        pivot = next((i for i in range(k, size) if table[i][k]), None)
        if pivot is None:
            return None
        table[k], table[pivot] = table[pivot], table[k]
        table = _eliminated(table, k, last)
        last = table[k][k]
    sign = 1 if last > 0 else -1
    return [sign * line[size] for line in table], sign * last * below


def _eliminated(table: list[list[int]], k: int, last: int) -> list[list[int]]:
    """One step of fraction-free elimination: all rows but the k-th without their k-th entry."""
    row, at, out = table[k], table[k][k], []
    for i, other in enumerate(table):
        off = other[k]
        if i == k or (not off and at == last):
            out.append(other)
        elif off:
            out.append([(at * a - off * b) // last for a, b in zip(other, row, strict=True)])
        else:
            out.append([at * a // last for a in other])
    return out


def outer_approximation(
    lp: ExactLP,
    costs: Sequence[Fractions],
    *,
    deadline: Deadline,
    limit: int | None = None,
    resume: UpperImage | None = None,
    tick: Callable[[Fractions], None] = lambda _: None,
) -> UpperImage:
    """Vertices and facets of the upper image of some costs over a linear program.

    Parameters
    ----------
    lp : ExactLP
        Its own costs are not looked at.
    costs : sequence of tuples of Fraction
        All minimised.
    deadline : Deadline
        How long it may take; what was found is kept.
    limit : int, optional
        Stop at so many vertices.
    resume : UpperImage, optional
        To go on from; it is changed.
    tick : callable
        Called for every vertex.

    Raises
    ------
    CurveError
        If nothing is feasible, or the image has no vertex.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from lexiprog.deadline import Deadline, OutOfTime
    >>> lp = ExactLP.of([0, 0], [[-1, -2], [-2, -1]], [-8, -8], lower=[0, 0])
    >>> costs = [(Fraction(3), Fraction(1)), (Fraction(1), Fraction(4))]
    >>> image = outer_approximation(lp, costs, deadline=Deadline())
    >>> sorted(tuple(map(str, value_of(ray))) for ray in image.vertices)
    [('24', '8'), ('32/3', '40/3'), ('8', '32')]
    >>> len(image.facets), image.complete
    (4, True)
    """
    image = resume or UpperImage(lp, tuple(costs), DoubleDescription(len(costs) + 1))
    program = _Scalarised(lp, costs, deadline)
    try:
        with deadline.kept():
            if not image.cuts:
                _begin(image, program, deadline)
            while (ray := image.waiting) is not None:
                if limit is not None and len(image.points) >= limit:
                    break
                deadline.check()
                v = value_of(ray)
                try:
                    facet, gap, x = program.below(v)
                except CurveError:
                    image.undecided.add(ray)
                    continue
                if gap > 0:
                    image.cuts.append(facet)
                    image.outer.cut(_row(facet))
                elif x is not None:
                    image.points[ray] = x
                    tick(v)
            if image.complete:
                _reach_directions(image, deadline)
    finally:
        image.solves += program.solves
        del image.cuts[max(0, len(image.outer.rows) - 1) :]  # one that Ctrl-C came before
    image.note = deadline.note
    return image


def _begin(image: UpperImage, program: _Scalarised, deadline: Deadline) -> None:
    """The first cuts: the least value of each cost, or of other weights where there is none."""
    first = [program.least(k) for k in range(program.p)]
    facets = [facet for facet in first if facet is not None]
    if len(facets) < program.p:
        facets = _bounded_weights(image, program, deadline)
    outer = DoubleDescription(program.p + 1)
    outer.cut((1, *[0] * program.p))
    for facet in facets:
        outer.cut(_row(facet))
    # Along a line that stays, what one objective gains another must lose.
    if outer.lines and not all(map(any, zip(*(f.weights for f in facets), strict=True))):
        raise CurveError("there is no front: the objectives fall without limit. Bound one of them.")
    image.outer, image.cuts = outer, facets


def _reach_directions(image: UpperImage, deadline: Deadline) -> None:
    """A direction of the feasible set for each one of the image in which some objective falls."""
    wanted = [ray for ray in image.directions if ray not in image.rays]
    if wanted:
        program = _Scalarised(_directions_of(image.lp), image.costs, deadline)
        for ray in wanted:
            x = program.below(tuple(map(Fraction, ray[1:])))[2]
            if x is None:
                raise CurveError("a direction of the front is that of no feasible point.")
            image.rays[ray] = x


def _bounded_weights(image: UpperImage, program: _Scalarised, deadline: Deadline) -> list[Facet]:
    """Facets for the extreme weights whose sums have a least value.

    These are the facets through the origin of the image of all directions, which is the same
    problem with sides of zero, cut off where a cost falls below -1.
    """
    lp, costs = image.lp, image.costs
    cone = _directions_of(lp, as_far_as=costs)
    directions = outer_approximation(cone, costs, deadline=deadline)
    if directions.note:  # stopped, by time or Ctrl-C: half of the directions say nothing
        raise OutOfTime
    for ray, x in directions.points.items():
        if any(ray[1:]):
            image.rays[(0, *integers(list(value_of(ray))))] = x
    found = []
    for k in directions.facets:
        weights = directions.cuts[k].weights
        if directions.cuts[k].value == 0:
            parts = [[w * v for v in cost] for w, cost in zip(weights, costs, strict=True)]
            total = tuple(sum(column, Fraction(0)) for column in zip(*parts, strict=True))
            least = _Scalarised(lp, [total], deadline).least(0)
            program.solves += 1
            if least is not None:
                found.append(Facet(weights, least.value, least.multipliers))
    program.solves += directions.solves
    if not found:
        raise CurveError("there is no front: the objectives fall without limit. Bound one of them.")
    return found


def _directions_of(lp: ExactLP, as_far_as: Sequence[Fractions] = ()) -> ExactLP:
    """The directions of a feasible set, as far as each of some costs falls by one at most."""
    zero, rows = Fraction(0), list(lp.rows)
    for cost in as_far_as:
        used = tuple(j for j, v in enumerate(cost) if v)
        rows.append((used, tuple(-cost[j] for j in used)))
    sides = [zero] * len(lp.rows) + [Fraction(1)] * len(as_far_as)
    lower, upper = (tuple(None if e is None else zero for e in s) for s in (lp.lower, lp.upper))
    return ExactLP(lp.c, tuple(rows), tuple(sides), lp.zero, lower, upper)


def _row(facet: Facet) -> tuple[int, ...]:
    return integers([-facet.value, *facet.weights])
