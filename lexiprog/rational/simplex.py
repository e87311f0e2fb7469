"""The simplex method in exact arithmetic, from any basis to a proof.

A basis that is primal feasible is pivoted by the primal method, else the dual method makes it so,
with costs that are raised as far as it needs. Both take the largest violation while they make
progress and the first one (Bland's rule) while they do not, so that they always end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from lexiprog.deadline import Deadline
from lexiprog.rational.basis import LOWER, UPPER, ZERO, Basis, ExactVertex, Found, repaired
from lexiprog.rational.numbers import Vector, library, quotient
from lexiprog.rational.program import IntegerMatrix, Limits
from lexiprog.rational.systems import SingularError

# A basis, and the costs that were raised: what a look at it depends on.
Seen = tuple[bytes, tuple[tuple[int, int], ...]]

PATIENCE = 8  # pivots without progress before Bland's rule


@dataclass
class Simplex:
    """One linear program in whole numbers.

    Attributes
    ----------
    matrix : IntegerMatrix
        Its columns and rows.
    cost : sequence of int
        Costs of the columns.
    lower, upper : list of int or None
        Limits of all variables.
    deadline : Deadline, optional
        After which OutOfTime is raised.
    pivots : int
        Bases that were tried after the first.
    """

    matrix: IntegerMatrix
    cost: Sequence[int]
    lower: Limits
    upper: Limits
    deadline: Deadline = field(default_factory=Deadline)
    pivots: int = field(default=0, init=False)
    _raised: dict[int, int] = field(default_factory=dict, init=False)
    _looked: tuple[Seen, tuple[ExactVertex, Vector, Vector]] | None = field(
        default=None, init=False
    )

    def look(self, basis: Basis) -> tuple[ExactVertex, Vector, Vector]:
        """A basis, mended if it is none, with its exact point and reduced costs."""
        key = basis.places.tobytes(), tuple(self._raised.items())
        if self._looked is None or self._looked[0] != key:
            self._looked = key, self._look(basis)
        return self._looked[1]

    def _look(self, basis: Basis) -> tuple[ExactVertex, Vector, Vector]:
        self.deadline.check()
        corner = ExactVertex(self.matrix, basis, self.deadline)
        try:
            return corner, *self._both(corner)
        except SingularError:
            basis = repaired(self.matrix, basis, self.lower, self.upper)
            corner = ExactVertex(self.matrix, basis, self.deadline)
            return corner, *self._both(corner)

    def too_low_or_high(self, corner: ExactVertex, point: Vector) -> list[tuple[int, int]]:
        """Basic variables outside of their limits, with the direction they have to go."""
        wrong = []
        for v in corner.basic:
            top, bottom = point.numerators[v], point.denominators[v]
            low, high = self.lower[v], self.upper[v]
            if low is not None and top < low * bottom:
                wrong.append((v, 1))
            elif high is not None and top > high * bottom:
                wrong.append((v, -1))
        return wrong

    def worth_moving(self, corner: ExactVertex, reduced: Vector) -> list[tuple[int, int]]:
        """Variables at a limit that improve the objective when they leave it, and how they move."""
        places = corner.basis.places.tolist()
        wrong = []
        for v in corner.others:
            cost = reduced.numerators[v]
            if not cost or self._fixed(v):
                continue
            sign = -1 if cost > 0 else 1
            if places[v] == ZERO or places[v] == -sign:
                wrong.append((v, sign))
        return wrong

    def run(self, basis: Basis) -> Found:
        """Pivot until the end."""
        corner, point, reduced = self.look(basis)
        outside = self.too_low_or_high(corner, point)
        if not outside and not self.worth_moving(corner, reduced):
            return Found("optimal", corner.basis, point, reduced)
        # Pivots keep a basis one, so it is enough to know that the first is.
        basis = repaired(self.matrix, corner.basis, self.lower, self.upper)
        corner, point, _ = self.look(basis)
        if self.too_low_or_high(corner, point):
            found = self._dual(basis)
            if found.kind == "infeasible":
                return found
            basis = found.basis
        return self._primal(basis)

    def _primal(self, basis: Basis) -> Found:
        idle = 0
        while True:
            corner, point, reduced = self.look(basis)
            basis = corner.basis
            wrong = self.worth_moving(corner, reduced)
            if not wrong:
                return Found("optimal", basis, point, reduced)
            entering, sign = _pick(wrong, reduced, idle)
            ray = corner.point({entering: sign})
            steps = [
                (step, v, UPPER if ray.numerators[v] > 0 else LOWER)
                for v in corner.basic
                if (step := self._room(v, point, ray)) is not None
            ]
            low, high = self.lower[entering], self.upper[entering]
            if low is not None and high is not None:
                steps.append((library().fmpq(high - low), -1, sign))
            if not steps:
                return Found("unbounded", basis, point, reduced, ray)
            step, leaving, to = min(steps, key=lambda found: found[:2])
            if leaving < 0:
                basis = basis.moved({entering: to})
            else:
                basis = basis.exchange(leaving, to, entering)
            idle = 0 if step else idle + 1
            self.pivots += 1

    def _dual(self, basis: Basis) -> Found:
        """A basis within the limits, or the proof that there is none."""
        idle = 0
        self._raised = {}
        while True:
            basis, corner, point, reduced = self._dually_feasible(basis)
            wrong = self.too_low_or_high(corner, point)
            if not wrong:
                self._raised = {}
                return Found("optimal", basis, point, reduced)
            leaving, sign = self._pick_leaving(wrong, point, idle)
            row = corner.reduced({leaving: 1})
            places = basis.places.tolist()
            steps = []
            for v in corner.others:
                slope = row.numerators[v] * sign
                if not slope or self._fixed(v):
                    continue
                if places[v] == ZERO:
                    steps.append((library().fmpq(0), -1, v))  # free: in for good
                elif (slope > 0) == (places[v] == LOWER):
                    ratio = library().fmpq(
                        abs(reduced.numerators[v]) * row.denominators[v],
                        abs(row.numerators[v]) * reduced.denominators[v],
                    )
                    steps.append((ratio, v, v))
            if not steps:
                ray = Vector([-sign * top for top in row.numerators], list(row.denominators))
                ray.numerators[leaving] = library().fmpz(sign)
                return Found("infeasible", basis, ray=ray)
            step, _, entering = min(steps)
            basis = basis.exchange(leaving, LOWER if sign > 0 else UPPER, entering)
            idle = 0 if step else idle + 1
            self.pivots += 1

    def _dually_feasible(self, basis: Basis) -> tuple[Basis, ExactVertex, Vector, Vector]:
        """The basis with variables moved to their other limit, or costs raised, until none pays."""
        while True:
            corner, point, reduced = self.look(basis)
            places = corner.basis.places.tolist()
            wrong = [v for v, _ in self.worth_moving(corner, reduced) if places[v] != ZERO]
            if not wrong:
                return corner.basis, corner, point, reduced
            turned = {}
            for v in wrong:
                if self.lower[v] is not None and self.upper[v] is not None:
                    turned[v] = -places[v]
                else:
                    # Rounded up, for whole costs are solved faster than fractions.
                    excess = abs(reduced.numerators[v]) // reduced.denominators[v] + 1
                    raised = self._raised.get(v, 0) - places[v] * int(excess)
                    self._raised[v] = raised
            basis = corner.basis.moved(turned)

    def _both(self, corner: ExactVertex) -> tuple[Vector, Vector]:
        if len(corner.basic) != self.matrix.m:
            raise SingularError("A basis needs as many variables as there are rows.")
        cost = {v: value for v, value in enumerate(self.cost) if value}
        for v, raised in self._raised.items():
            cost[v] = cost.get(v, 0) + raised
        return corner.vertex(self.lower, self.upper), corner.reduced(cost)

    def _fixed(self, v: int) -> bool:
        return self.lower[v] is not None and self.lower[v] == self.upper[v]

    def _room(self, v: int, point: Vector, ray: Vector) -> Any:
        """How far a ray may be followed until a variable meets its limit; None if for ever."""
        slope = ray.numerators[v]
        limit = self.upper[v] if slope > 0 else self.lower[v]
        if not slope or limit is None:
            return None
        top, bottom = point.numerators[v], point.denominators[v]
        return library().fmpq((limit * bottom - top) * ray.denominators[v], bottom * slope)

    def _pick_leaving(
        self, wrong: list[tuple[int, int]], point: Vector, idle: int
    ) -> tuple[int, int]:
        if idle > PATIENCE:
            return wrong[0]

        def outside(found: tuple[int, int]) -> float:
            v, sign = found
            limit = self.lower[v] if sign > 0 else self.upper[v]
            bottom = point.denominators[v]
            return abs(quotient((limit or 0) * bottom - point.numerators[v], bottom))

        return max(wrong, key=outside)


def _pick(wrong: list[tuple[int, int]], reduced: Vector, idle: int) -> tuple[int, int]:
    if idle > PATIENCE:
        return wrong[0]
    return max(
        wrong,
        key=lambda found: abs(
            quotient(reduced.numerators[found[0]], reduced.denominators[found[0]])
        ),
    )
