"""What a held optimum fixes, and the multipliers of several."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import highspy
import numpy as np
from numpy.typing import NDArray

from lexiprog.aliases import Array, Mask
from lexiprog.declare.lock import single
from lexiprog.declare.subproblem import Subproblem
from lexiprog.forms.digits.decimals import Tails
from lexiprog.forms.optimal_face import NOISE, Sizes, binding
from lexiprog.forms.standard_form import StandardForm
from lexiprog.solvers.highs import Vertex

if TYPE_CHECKING:
    from lexiprog.runners.faces.left import LeftFace

__all__ = ["HeldFace", "holds", "lift", "paid_for"]

# Presolve that leaves fewer iterations than this share of the rows beats a warm start; on fewer
# rows than FEW both take milliseconds.
EASY, FEW = 0.01, 1_000
# Multipliers that are off by more, as a share, belong to nearly parallel rows.
ROUGH = 1e-12
# In equilibrated units: no multiplier, and a bound that is reached.
NOTHING, REACHED = 2e-15, 1e-9


def holds(member: Subproblem) -> tuple[str, ...]:
    """The names of those whose optima it holds."""
    return tuple(lock.owner_name for _, lock in single(member.locks))


@dataclass  # not frozen, which takes five times as long to make
class HeldFace:
    """The optimal face of one member: what is fixed, and the multipliers that say so."""

    rows: Mask
    columns: Array  # value where fixed, NaN where free
    y: Array
    reduced: Array
    cost: float  # unit of the member's objective
    basis: highspy.HighsBasis
    doubtful: bool  # whether some multiplier may be rounding or not
    rough: bool  # whether the basis is ill-conditioned
    easy: bool  # presolve did nearly all of the work, and so it may for the next
    refined: bool  # whether it was found with twice the digits of floats
    basic: NDArray[np.integer] | None = None  # as in Vertex
    hushed: bool = False  # whether something may be the rounding of decimals

    @classmethod
    def of(
        cls,
        form: StandardForm,
        cost: float,
        vertex: Vertex,
        face: LeftFace,
        sizes: Sizes,
        tails: Tails | None = None,
    ) -> HeldFace:
        """The face of an optimal vertex, found on the face that others left."""
        lack = None if vertex.correction is None else -vertex.correction
        found = binding(
            form.c, form.A, -vertex.row_dual, sizes, correction=lack, known=vertex.reduced,
            error=vertex.error, gain=vertex.gain, tails=tails,
        )  # fmt: skip
        y, reduced, lower, upper = found.y, found.reduced, face.lower, face.upper
        rises = reduced > 0.0
        at_bound = np.where(rises, lower, upper)
        # What a held face fixes already may have a reduced cost of either sign: it says nothing.
        free = lower < upper
        columns = np.where(free & found.columns & np.isfinite(at_bound), at_bound, np.nan)
        few = vertex.iterations <= EASY * form.b.size
        easy = few and not vertex.warm and form.b.size >= FEW
        # HiGHS may stop at a basis that a multiplier or reduced cost of 1e-10 would still leave.
        tiny = NOTHING * (1.0 + float(np.abs(y).max(initial=0.0)))
        away = np.where(rises, vertex.x, upper) - np.where(rises, lower, vertex.x)
        left = free & (away > REACHED) & (found.columns | (np.abs(reduced) > tiny))
        wrong = ~face.rows.fixed & ((found.rows & (y < 0.0)) | (y < -tiny))
        doubtful = found.doubtful or bool(np.count_nonzero(left) or np.count_nonzero(wrong))
        refined = vertex.error is not None
        rough = not refined and vertex.roughness > ROUGH
        return cls(
            found.rows, columns, y, reduced, cost, vertex.basis, doubtful, rough, easy, refined,
            vertex.basic, found.hushed,
        )  # fmt: skip

    @classmethod
    def of_point(cls, form: StandardForm, cost: float, vertex: Vertex) -> HeldFace:
        """The face of an optimum where nothing was left to choose: it fixes nothing more."""
        y = -vertex.row_dual
        rows = np.abs(y) > NOISE * (1.0 + float(np.abs(y).max(initial=0.0)))
        return cls(
            rows, np.full(form.c.size, np.nan), y, form.c + form.pull(y), cost, vertex.basis,
            doubtful=False, rough=False, easy=False, refined=False, basic=vertex.basic,
        )  # fmt: skip

    @property
    def unclear(self) -> bool:
        """Whether floats may have got it wrong."""
        return self.doubtful or self.rough

    @cached_property
    def pushing(self) -> Mask:
        """The fixed rows whose multiplier has the sign of an inequality's."""
        return self.rows & (self.y > 0)

    @cached_property
    def fixed(self) -> Mask:
        """The fixed columns."""
        return ~np.isnan(self.columns)

    @cached_property
    def resting(self) -> Array:
        """The reduced costs of the fixed columns, nothing for the others."""
        return np.where(self.fixed, self.reduced, 0.0)


def lift(
    reduced: Array, y: Array, held: list[HeldFace], holds: Sequence[int], equations: int
) -> tuple[Array, Array]:
    """Multipliers of locked problems' rows and locks, all of the right sign, from their faces'.

    A fixed row may carry a multiplier of either sign; adding enough of the holder's own
    multipliers (that much of the lock's) mends it, from the last lock to the first. What rounding
    leaves below zero in rows beyond the ``equations`` is none.

    Parameters
    ----------
    reduced, y : ndarray
        A row for each problem: the costs that the multipliers ``y`` leave.
    held : list of HeldFace
        The faces.
    holds : sequence of int
        How many of them each problem holds, from the first on; never less than the one before.
    """
    y, reduced, locks = y.copy(), reduced.copy(), np.zeros((len(y), len(held)))
    for last in reversed(range(len(held))):
        face, rows = held[last], slice(bisect_right(holds, last), None)
        wrong = face.pushing & (y[rows] < 0.0)
        against = face.resting * reduced[rows] < 0.0
        needs = []
        if np.count_nonzero(wrong):
            needs.append(_most(-y[rows], face.y, wrong))
        if np.count_nonzero(against):
            needs.append(_most(-reduced[rows], face.reduced, against))
        if needs:
            need = needs[0] if len(needs) == 1 else np.maximum(*needs)
            y[rows] += need[:, None] * face.y
            reduced[rows] += need[:, None] * face.reduced
            locks[rows, last] = need
    signed = y[:, equations:]
    if np.count_nonzero(below := signed < 0.0):
        largest = np.abs(y).max(axis=1, keepdims=True)
        signed[below & (signed > -ROUGH * (1.0 + largest))] = 0.0
    return y, locks


def _most(parts: Array, of: Array, where: Mask) -> Array:
    """The largest quotient of each row, of those that count."""
    quotients = np.divide(parts, of, out=np.zeros(parts.shape), where=where)
    return np.asarray(quotients.max(axis=1))


def paid_for(prices: Array, held: list[HeldFace], costs: Sequence[float]) -> list[list[float]]:
    """What a unit of each held objective is worth to each problem, all in the user's units."""
    owners = np.array([one.cost for one in held])
    worth: list[list[float]] = (prices * owners / np.array(costs)[:, None]).tolist()
    return worth
