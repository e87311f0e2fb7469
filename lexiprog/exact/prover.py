"""Solve a linear program exactly and hand back the answer with its proof."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from fractions import Fraction

from lexiprog.aliases import Options
from lexiprog.exact.basis import Basis
from lexiprog.exact.integer_program import IntegerProgram, Limits
from lexiprog.exact.outcome import Effort, ExactFace, Found, Outcome, Tight
from lexiprog.exact.program import ExactLP
from lexiprog.exact.search import Search
from lexiprog.exact.systems.vectors import RationalVector, Vector, library
from lexiprog.exact.verification import verify


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
    >>> from lexiprog.exact.program import ExactLP
    >>> from lexiprog.exact.prover import Prover
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
        self.time_limit = math.inf if time_limit is None else time_limit
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
        seconds: float = math.inf,
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
        seconds : float
            That it may take, if less than the prover's own limit.
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
        deadline = begin + min(self.time_limit, seconds)
        try:
            found = self._search.run(cost, lower, upper, effort, start=start, deadline=deadline)
        except TimeoutError:
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
