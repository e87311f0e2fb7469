"""What a held optimum fixes, what is left where several are held, and their multipliers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import highspy
import numpy as np
from numpy.typing import NDArray

from lexiprog.aliases import Array, Mask, Matrix
from lexiprog.declare.lock import single
from lexiprog.declare.subproblem import Subproblem
from lexiprog.forms.optimal_face import Sizes, binding
from lexiprog.forms.precision import by_columns
from lexiprog.forms.standard_form import Cones, StandardForm, same_columns
from lexiprog.solvers.highs import Bounds, Vertex

__all__ = ["Corner", "FaceOptimum", "HeldFace", "LeftFace", "holds", "lift", "paid_for"]

# Presolve that leaves fewer iterations than this share of the rows beats a warm start; on fewer
# rows than FEW both take milliseconds.
EASY, FEW = 0.01, 1_000
# Multipliers that are off by more, as a share, belong to nearly parallel rows.
ROUGH = 1e-12
# In equilibrated units: no multiplier, and a bound that is reached.
NOTHING, REACHED = 1e-13, 1e-9


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

    @classmethod
    def of(
        cls, form: StandardForm, cost: float, vertex: Vertex, face: LeftFace, sizes: Sizes
    ) -> HeldFace:
        """The face of an optimal vertex, found on the face that others left."""
        lack = None if vertex.correction is None else -vertex.correction
        found = binding(
            form.c, form.A, -vertex.row_dual, sizes, correction=lack, known=vertex.reduced,
            error=vertex.error, gain=vertex.gain,
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
        inside = np.where(rises, vertex.x - lower, upper - vertex.x) > REACHED
        left = free & inside & (np.abs(reduced) > tiny)
        doubtful = found.doubtful or bool(left.any() or (~face.rows.fixed & (y < -tiny)).any())
        refined = vertex.error is not None
        rough = not refined and vertex.roughness > ROUGH
        return cls(
            found.rows, columns, y, reduced, cost, vertex.basis, doubtful, rough, easy, refined
        )

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
class FixedRows:
    """The rows of a form, those that are fixed first, as equations; worked out when asked for."""

    form: StandardForm
    fixed: Mask

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """Where each row stood."""
        return np.argsort(~self.fixed, kind="stable")

    @cached_property
    def cones(self) -> Cones:
        """How many are equations."""
        zero = int(np.count_nonzero(self.fixed))
        return Cones(zero=zero, nonneg=self.fixed.size - zero)

    @cached_property
    def matrix(self) -> Matrix:
        """The matrix in this order."""
        A = self.form.A
        return A if self.fixed[: self.cones.zero].all() else _with_rows(A, self.order)

    @cached_property
    def sides(self) -> Array:
        """The right-hand sides in this order."""
        return self.form.b[self.order]


@dataclass(frozen=True)
class LeftFace:
    """The points that some held faces leave: limits of the columns, and fixed rows."""

    lower: Array
    upper: Array
    row_lower: Array
    rows: FixedRows

    @classmethod
    def within(cls, form: StandardForm, before: LeftFace | None, face: HeldFace | None) -> LeftFace:
        """What a face leaves of the points that were left before, of all if there was nothing."""
        if before is None or face is None:
            size = form.c.size
            lower = np.full(size, -np.inf) if form.lower is None else form.lower
            upper = np.full(size, np.inf) if form.upper is None else form.upper
            fixed = np.zeros(form.b.size, dtype=bool)
            fixed[: form.cones.zero] = True
        else:
            lower = np.where(face.fixed, face.columns, before.lower)
            upper = np.where(face.fixed, face.columns, before.upper)
            fixed = before.rows.fixed | face.rows
            if (fixed == before.rows.fixed).all():
                return cls(lower, upper, before.row_lower, before.rows)
        return cls(lower, upper, np.where(fixed, form.b, -np.inf), FixedRows(form, fixed))

    def form(self, of: StandardForm) -> StandardForm:
        """A problem on the face."""
        rows = self.rows
        return StandardForm(
            of.c, of.offset, rows.matrix, rows.sides, rows.cones, None, self.lower, self.upper,
            of.integer,
        )  # fmt: skip

    def bounds(self, form: StandardForm) -> Bounds:
        """The limits that are left, rows in the order of the form."""
        return Bounds(self.lower, self.upper, self.row_lower, form.b)


@dataclass(frozen=True)
class Corner:
    """The best vertex of what is left, before it is judged.

    Attributes
    ----------
    form, face : StandardForm, LeftFace
        The member's problem, and what those that it holds leave of it.
    names, held : tuple of str, list of HeldFace
        Whose optima are held, and their faces.
    own : HeldFace or None
        Its own face, if somebody holds it and there is one.
    off : bool or None
        Whether its point missed rows by more than rounding, if anybody looked.
    """

    form: StandardForm
    face: LeftFace
    names: tuple[str, ...]
    held: list[HeldFace]
    vertex: Vertex
    own: HeldFace | None
    off: bool | None

    @property
    def on_face(self) -> tuple[StandardForm, Array]:
        """The problem on the face, and the multipliers of its rows."""
        return self.face.form(self.form), -self.vertex.row_dual[self.face.rows.order]


@dataclass(frozen=True)
class FaceOptimum:
    """What a member came to, in equilibrated units.

    Attributes
    ----------
    form, z : StandardForm, ndarray
        The problem on the face, and the multipliers of its rows.
    multipliers, prices : ndarray, list of float
        Those of the rows as declared, and, in the user's units, those of the locks.
    holds : tuple of str
        Whose optima are held.
    own : HeldFace or None
        Its own face, if somebody holds it.
    missed : bool
        Whether its point misses rows by more than rounding.
    """

    form: StandardForm
    vertex: Vertex
    z: Array
    multipliers: Array
    prices: list[float]
    holds: tuple[str, ...]
    own: HeldFace | None
    missed: bool


def _with_rows(A: Matrix, order: NDArray[np.intp]) -> Matrix:
    """The matrix with its rows in another order; the entries of a column stay as they are."""
    A = by_columns(A)
    places = np.empty(order.size, dtype=A.indices.dtype)
    places[order] = np.arange(order.size, dtype=places.dtype)
    return same_columns(A, places[A.indices])


def lift(reduced: Array, y: Array, held: list[HeldFace]) -> tuple[Array, list[float]]:
    """Multipliers of the locked problem's rows and locks, all of the right sign, from a face's.

    A fixed row may carry a multiplier of either sign; adding enough of the holder's own
    multipliers (that much of the lock's) mends it, from the last lock to the first. ``reduced`` are
    the costs that the multipliers ``y`` leave.
    """
    locks, last = [0.0] * len(held), len(held)
    pushing = np.array([face.pushing for face in held])
    resting = np.array([face.resting for face in held])
    while last:
        clash = (pushing[:last] & (y < 0.0)).any(axis=1)
        clash |= (resting[:last] * reduced < 0.0).any(axis=1)
        if not clash.any():
            break
        last = int(np.flatnonzero(clash)[-1])
        face, need = held[last], 0.0
        wrong = pushing[last] & (y < 0.0)
        if wrong.any():
            need = float((-y[wrong] / face.y[wrong]).max())
        against = resting[last] * reduced < 0.0
        if against.any():
            need = max(need, float((-reduced[against] / face.reduced[against]).max()))
        if need > 0:
            y, reduced = y + need * face.y, reduced + need * face.reduced
            locks[last] = need
    return y, locks


def paid_for(prices: list[float], held: list[HeldFace], cost: float) -> list[float]:
    """What a unit of each held objective is worth, all in the user's units."""
    return [price * one.cost / cost for price, one in zip(prices, held, strict=True)]
