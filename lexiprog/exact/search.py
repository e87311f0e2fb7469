"""Find and prove the end of a linear program: a basis from floats, corrected, then exact.

What HiGHS says is only a hint where to look. An optimal basis is solved exactly and accepted if
its point is within all limits and its reduced costs have the right signs. If not, what is wrong is
magnified and given back to HiGHS; the simplex method in exact arithmetic does the rest.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lexiprog.aliases import Options
from lexiprog.exact.basis import Basis
from lexiprog.exact.float_model import FloatModel
from lexiprog.exact.integer_program import Limits
from lexiprog.exact.outcome import Effort, Found
from lexiprog.exact.simplex import Simplex
from lexiprog.exact.systems.vectors import Vector
from lexiprog.exact.systems.whole_matrix import WholeMatrix

ROUNDS = 6  # of corrections in floats


class Search:
    """One matrix, searched for many objectives and limits.

    Parameters
    ----------
    matrix : WholeMatrix
        Whole numbers.
    options : mapping
        HiGHS options.
    """

    def __init__(self, matrix: WholeMatrix, options: Options) -> None:
        self._matrix, self._options = matrix, options
        self._floats = FloatModel(matrix, options)

    def run(
        self,
        cost: Sequence[int],
        lower: Limits,
        upper: Limits,
        effort: Effort,
        *,
        start: Basis | None = None,
        solvable: bool = False,
        deadline: float = math.inf,
    ) -> Found:
        """The optimum, or a proof that there is none.

        Parameters
        ----------
        cost : sequence of int
            Costs of the columns.
        lower, upper : list of int or None
            Limits of all variables, which do not cross.
        effort : Effort
            Is added to.
        start : Basis, optional
            Where HiGHS begins.
        solvable : bool
            Whether it is known that there is an optimum, whatever HiGHS says.
        deadline : float
            Time of `time.perf_counter` after which TimeoutError is raised.
        """
        simplex = Simplex(self._matrix, cost, lower, upper, deadline)
        status, basis = self._guess(simplex, effort, start)
        if status != "kOptimal" and start is not None:
            # From a basis HiGHS works without presolve, which is the more fragile way.
            status, basis = self._guess(simplex, effort)
        hint = basis or start or Basis.of_rows(self._matrix, lower, upper)
        if not solvable and status in ("kInfeasible", "kUnboundedOrInfeasible", "kUnbounded"):
            found = self._without_optimum(simplex, status, effort)
            if isinstance(found, Found):
                return found
            hint = found
        try:
            return simplex.run(self._corrected(simplex, hint, effort))
        finally:
            effort.pivots += simplex.pivots

    def _guess(
        self, simplex: Simplex, effort: Effort, start: Basis | None = None
    ) -> tuple[str, Basis | None]:
        left = simplex.deadline - time.perf_counter()
        if left < 0:
            raise TimeoutError
        effort.runs += 1
        return self._floats.guess(simplex.cost, simplex.lower, simplex.upper, start, seconds=left)

    def _corrected(self, simplex: Simplex, basis: Basis, effort: Effort) -> Basis:
        """The best basis of those that floats find, told each time what is exactly wrong."""
        seen: dict[bytes, tuple[int, Basis]] = {}
        for _ in range(ROUNDS):
            corner, point, reduced = simplex.look(basis)
            effort.core = max(effort.core, corner.factor.core_size)
            outside = simplex.too_low_or_high(corner, point)
            wrong = len(outside) + len(simplex.worth_moving(corner, reduced))
            seen[basis.places.tobytes()] = wrong, corner.basis
            if not wrong:
                return corner.basis
            left = max(simplex.deadline - time.perf_counter(), 0.0)
            better = self._floats.correct(
                corner.basis, point, reduced, simplex.cost, simplex.lower, simplex.upper,
                seconds=left,
            )  # fmt: skip
            effort.runs += 1
            effort.corrections += 1
            if better is None or better.places.tobytes() in seen:
                break
            basis = better
        return min(seen.values(), key=lambda found: found[0])[1]

    def _without_optimum(self, simplex: Simplex, status: str, effort: Effort) -> Found | Basis:
        """A proof that there is no optimum, or a basis within the limits if there may be one."""
        if status != "kInfeasible":
            inside = replace(simplex, cost=[0] * self._matrix.n)
            status, basis = self._guess(inside, effort)
            if status == "kOptimal" and basis is not None:
                found = inside.run(self._corrected(inside, basis, effort))
                effort.pivots += inside.pivots
                if found.kind == "infeasible":
                    return found
                ray = self._falling(simplex, effort)
                if ray is None:
                    return found.basis
                return Found("unbounded", found.basis, found.point, found.reduced, ray)
        return self._infeasible(simplex, effort)

    def _falling(self, simplex: Simplex, effort: Effort) -> Vector | None:
        """A direction that never ends and lowers the objective, or None."""
        n = self._matrix.n
        low: Limits = [
            (-1 if v < n else None) if limit is None else 0 for v, limit in enumerate(simplex.lower)
        ]
        high: Limits = [
            (1 if v < n else None) if limit is None else 0 for v, limit in enumerate(simplex.upper)
        ]
        found = self.run(simplex.cost, low, high, effort, solvable=True, deadline=simplex.deadline)
        top, _ = found.point.dot(range(n), simplex.cost)
        return found.point if top < 0 else None

    def _infeasible(self, simplex: Simplex, effort: Effort) -> Found | Basis:
        """Weights that prove it: the multipliers of the least total violation of the rows."""
        n, m = self._matrix.n, self._matrix.m
        elastic = Search(self._matrix.with_units(), self._options)
        cost = [0] * n + [1] * (2 * m)
        low = [*simplex.lower[:n], *[0] * (2 * m), *simplex.lower[n:]]
        high = [*simplex.upper[:n], *[None] * (2 * m), *simplex.upper[n:]]
        found = elastic.run(cost, low, high, effort, solvable=True, deadline=simplex.deadline)
        added = slice(n, n + 2 * m)
        basis = Basis(np.delete(found.basis.places, added)).settled(simplex.lower, simplex.upper)
        if not any(found.point.numerators[added]):
            return basis
        weights = Vector(list(found.reduced.numerators), list(found.reduced.denominators))
        del weights.numerators[added], weights.denominators[added]
        return Found("infeasible", basis, ray=weights)
