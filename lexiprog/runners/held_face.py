"""What a held optimum fixes, and the multipliers of several."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from operator import is_
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

__all__ = ["HeldFace", "Stack", "holds", "lift", "paid_for"]

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


@dataclass(frozen=True)
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
        doubtful = found.doubtful or bool(left.any() or wrong.any())
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


@dataclass(frozen=True)
class Stack:
    """Faces one above the other: the rows that push, and what rests on the columns."""

    held: list[HeldFace]
    pushing: Mask
    resting: Array

    @classmethod
    def of(cls, held: list[HeldFace]) -> Stack:
        """Of faces that are held together."""
        pushing = np.array([face.pushing for face in held])
        return cls(held, pushing, np.array([face.resting for face in held]))

    def begins_with(self, held: list[HeldFace]) -> bool:
        """Whether its first are these."""
        return all(map(is_, self.held, held)) and len(held) <= len(self.held)


def lift(
    reduced: Array, y: Array, held: list[HeldFace], equations: int, stack: Stack | None = None
) -> tuple[Array, list[float]]:
    """Multipliers of the locked problem's rows and locks, all of the right sign, from a face's.

    A fixed row may carry a multiplier of either sign; adding enough of the holder's own
    multipliers (that much of the lock's) mends it, from the last lock to the first. ``reduced`` are
    the costs that the multipliers ``y`` leave; a ``stack`` that begins with these faces is of use.
    What rounding leaves below zero in rows beyond the ``equations`` is none.
    """
    locks, last = [0.0] * len(held), len(held)
    if stack is None or not stack.begins_with(held):
        stack = Stack.of(held)
    pushing, resting = stack.pushing, stack.resting
    while last:
        clash = (pushing[:last] & (y < 0.0)).any(axis=1)
        clash |= (resting[:last] * reduced < 0.0).any(axis=1)
        places = np.flatnonzero(clash)
        if not places.size:
            break
        last = int(places[-1])
        face, need = held[last], 0.0
        wrong = pushing[last] & (y < 0.0)
        if wrong.any():
            need = float((-y[wrong] / face.y[wrong]).max())
        against = resting[last] * reduced < 0.0
        if against.any():
            need = max(need, float((-reduced[against] / face.reduced[against]).max()))
        y, reduced = y + need * face.y, reduced + need * face.reduced
        locks[last] = need
    signed = y[equations:]
    if (signed < 0.0).any():
        noise = (signed < 0.0) & (signed > -ROUGH * (1.0 + float(np.abs(y).max())))
        y = np.concatenate([y[:equations], np.where(noise, 0.0, signed)])
    return y, locks


def paid_for(prices: list[float], held: list[HeldFace], cost: float) -> list[float]:
    """What a unit of each held objective is worth, all in the user's units."""
    return [price * one.cost / cost for price, one in zip(prices, held, strict=True)]
