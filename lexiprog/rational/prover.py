"""Solve a linear program exactly and return the answer with its proof."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from fractions import Fraction

from lexiprog.deadline import Deadline, OutOfTime
from lexiprog.rational.basis import Basis, Effort, ExactFace, Found, Outcome, Tight
from lexiprog.rational.numbers import Integer, Ratio, RationalVector, Vector, library
from lexiprog.rational.program import ExactLP, IntegerMatrix, IntegerProgram, Limits
from lexiprog.rational.search import Search
from lexiprog.typing import Options

# Check proofs in whole numbers, from the data alone: no basis, no solver, no tolerance.


class NotProved(ArithmeticError):
    """A proof that fails its check, which would be a fault of this library."""


def verify(
    claim: Found, matrix: IntegerMatrix, cost: Sequence[int], lower: Limits, upper: Limits
) -> None:
    """Refuse a proof that is none.

    Parameters
    ----------
    claim : Found
        What was found, with its vectors over columns and activities.
    matrix, cost, lower, upper
        The program it is about.

    Raises
    ------
    NotProved
        If anything about it is not exactly so.
    """
    if claim.kind == "infeasible":
        _weights(claim.ray, matrix, [0] * matrix.n)
        if _least(claim.ray, lower, upper) <= 0:
            raise NotProved("The weights of the rows do not exclude every point.")
        return
    _activities(claim.point, matrix)
    for v, (top, bottom) in enumerate(_pairs(claim.point)):
        low, high = lower[v], upper[v]
        if (low is not None and top < low * bottom) or (high is not None and top > high * bottom):
            raise NotProved(f"Variable {v} is outside of its limits.")
    if claim.kind == "unbounded":
        _verify_ray(claim.ray, matrix, cost, lower, upper)
    else:
        _verify_optimum(claim, matrix, cost, lower, upper)


def _verify_ray(
    ray: Vector, matrix: IntegerMatrix, cost: Sequence[int], lower: Limits, upper: Limits
) -> None:
    """Whether a direction never ends and lowers the objective."""
    _activities(ray, matrix)
    for v, (top, _) in enumerate(_pairs(ray)):
        if (top < 0 and lower[v] is not None) or (top > 0 and upper[v] is not None):
            raise NotProved(f"Variable {v} cannot follow the direction for ever.")
    if ray.dot(range(matrix.n), cost)[0] >= 0:
        raise NotProved("The objective does not fall in this direction.")


def _verify_optimum(
    claim: Found, matrix: IntegerMatrix, cost: Sequence[int], lower: Limits, upper: Limits
) -> None:
    """Whether every variable with a reduced cost stands at the limit that it asks for."""
    _weights(claim.reduced, matrix, cost)
    for v, (slope, (top, bottom)) in enumerate(
        zip(claim.reduced.numerators, _pairs(claim.point), strict=True)
    ):
        limit = lower[v] if slope > 0 else upper[v]
        if slope and (limit is None or top != limit * bottom):
            raise NotProved(f"Variable {v} could still improve the objective.")


def _pairs(vector: Vector) -> Iterator[Ratio]:
    return zip(vector.numerators, vector.denominators, strict=True)


def _activities(point: Vector, matrix: IntegerMatrix) -> None:
    """Whether the last entries are the rows' activities at the first."""
    for i, row in enumerate(matrix.rows):
        if not _equal(point.dot(*row), point, matrix.n + i):
            raise NotProved(f"The activity of row {i} is another.")


def _weights(reduced: Vector, matrix: IntegerMatrix, cost: Sequence[int]) -> None:
    """Whether the first entries are costs less the rows weighted with the last entries."""
    weights = Vector(reduced.numerators[matrix.n :], reduced.denominators[matrix.n :])
    for j, (places, values) in enumerate(matrix.columns):
        top, bottom = weights.dot(places, values, -cost[j])
        if not _equal((-top, bottom), reduced, j):
            raise NotProved(f"The reduced cost of column {j} is another.")


def _equal(pair: Ratio, vector: Vector, place: int) -> bool:
    top, bottom = vector.numerators[place], vector.denominators[place]
    if pair[1] is bottom:
        return bool(pair[0] == top)
    return bool(pair[0] * bottom == top * pair[1])


def _least(weights: Vector, lower: Limits, upper: Limits) -> Integer:
    """The sign of the least weighted sum within the limits; negative if it has none."""
    sides = []
    for v, top in enumerate(weights.numerators):
        limit = lower[v] if top > 0 else upper[v]
        if top and limit is None:
            return -1
        sides.append(limit or 0 if top else 0)
    return weights.dot(range(len(sides)), sides)[0]


class Prover:
    """One feasible set, optimised exactly for any number of objectives.

    Parameters
    ----------
    lp : ExactLP
        The feasible set, and the objective that is minimised unless another is given.
    time_limit : float, optional
        Seconds that one answer may take. One solution of a system in python-flint is not
        interrupted.
    options : mapping, optional
        HiGHS options.

    Examples
    --------
    >>> from lexiprog.rational.program import ExactLP
    >>> from lexiprog.rational.prover import Prover
    >>> lp = ExactLP.of([-1, -1], [[0.1, 0.3], [3, 1]], [0.1, 1], lower=[0, 0])
    >>> outcome = Prover(lp).minimise()
    >>> outcome.status, outcome.value, outcome.x
    ('optimal', Fraction(-1, 2), RationalVector([1/4, 1/4]))
    >>> outcome.y
    RationalVector([5/2, 1/4])
    """

    def __init__(
        self,
        lp: ExactLP,
        *,
        time_limit: float | None = None,
        options: Options | None = None,
    ) -> None:
        library()  # an absent library is told before any work
        self.lp = lp
        self.time_limit = time_limit
        self.program = IntegerProgram(lp)
        limit = {} if time_limit is None else {"time_limit": float(time_limit)}
        self.options = limit | dict(options or {})
        self._search = Search(self.program.matrix, self.options)

    def minimise(
        self,
        c: Sequence[Fraction] | None = None,
        offset: Fraction = Fraction(0),
        *,
        face: ExactFace | None = None,
        start: Basis | None = None,
        deadline: Deadline | None = None,
    ) -> Outcome:
        """The exact optimum on a face of the feasible set.

        Parameters
        ----------
        c : sequence of Fraction, optional
            Costs; those of the program, with its offset, if not given.
        offset : Fraction
            A constant to add.
        face : ExactFace, optional
            What is fixed; nothing if not given.
        start : Basis, optional
            Where HiGHS begins, for instance the last outcome's.
        deadline : Deadline, optional
            Beside the prover's own limit.
        """
        begin, effort, face = time.perf_counter(), Effort(), face or ExactFace()
        if c is None:
            c, offset = self.lp.c, self.lp.offset
        n, program = self.program.matrix.n, self.program
        fixed = face.columns | {n + i: 1 for i in face.rows}
        lower, upper = program.limits(fixed)
        for v, (low, high) in enumerate(zip(lower, upper, strict=True)):
            if low is not None and high is not None and low > high:
                return Outcome("infeasible", crossed=v, face=face, effort=effort)
        cost, units = program.cost(c)
        deadline = Deadline(self.time_limit, parent=deadline)
        try:
            found = self._search.run(cost, lower, upper, effort, start=start, deadline=deadline)
        except OutOfTime:
            effort.seconds = time.perf_counter() - begin
            return Outcome("time_limit", face=face, effort=effort)
        verify(found, program.matrix, cost, lower, upper)
        effort.seconds = time.perf_counter() - begin
        if found.kind == "infeasible":
            y, reduced = self._multipliers(found.ray, 1)
            return Outcome("infeasible", y=y, reduced=reduced, face=face, effort=effort)
        x, basis = self._columns(found.point), found.basis
        if found.kind == "unbounded":
            direction = self._columns(found.ray)
            return Outcome(
                "unbounded", x=x, direction=direction, face=face, basis=basis, effort=effort
            )
        top, bottom = found.point.dot(range(n), cost)
        y, reduced = self._multipliers(found.reduced, units)
        return Outcome(
            "optimal",
            value=Fraction(int(top), int(bottom) * units) + offset,
            x=x,
            y=y,
            reduced=reduced,
            tight=_tight(found, program.lower, program.upper, n),
            face=_optimal_face(found, face, lower, upper, n),
            basis=basis,
            effort=effort,
        )

    def _columns(self, point: Vector) -> RationalVector:
        """The columns of a point, or of a direction, in the user's units."""
        unit = self.program.unit[: self.program.matrix.n]
        return _scaled(point, [u.numerator for u in unit], [u.denominator for u in unit])

    def _multipliers(self, reduced: Vector, units: int) -> tuple[RationalVector, RationalVector]:
        """Multipliers of the rows and reduced costs of the columns in the user's units."""
        n, unit = self.program.matrix.n, self.program.unit
        tops, bottoms = [u.denominator for u in unit], [u.numerator * units for u in unit]
        rows = Vector(reduced.numerators[n:], reduced.denominators[n:])
        # An activity's reduced cost is the price of b, whose multiplier has the other sign.
        y = _scaled(rows, [-top for top in tops[n:]], bottoms[n:])
        return y, _scaled(reduced, tops[:n], bottoms[:n])


def _scaled(vector: Vector, tops: Sequence[int], bottoms: Sequence[int]) -> RationalVector:
    """The first entries times some factors."""
    size = len(tops)
    return RationalVector(
        [int(a) * top for a, top in zip(vector.numerators[:size], tops, strict=True)],
        [int(b) * bottom for b, bottom in zip(vector.denominators[:size], bottoms, strict=True)],
    )


def _tight(found: Found, lower: Limits, upper: Limits, n: int) -> Tight:
    low, high = (
        [
            v
            for v, limit in enumerate(limits)
            if limit is not None
            and found.point.numerators[v] == limit * found.point.denominators[v]
        ]
        for limits in (lower, upper)
    )
    return Tight(
        frozenset(v for v in low if v < n),
        frozenset(v for v in high if v < n),
        frozenset(v - n for v in high if v >= n),
    )


def _optimal_face(found: Found, face: ExactFace, lower: Limits, upper: Limits, n: int) -> ExactFace:
    """By complementary slackness what has a reduced cost stays where it is, and only that."""
    held = {
        v: -1 if cost > 0 else 1
        for v, cost in enumerate(found.reduced.numerators)
        if cost and lower[v] != upper[v]
    }
    columns = {v: side for v, side in held.items() if v < n}
    return ExactFace(face.columns | columns, face.rows | {v - n for v in held if v >= n})
