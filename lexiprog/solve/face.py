"""Faces of a linear program: which rows and columns held optima fix, and what that leaves.

By complementary slackness an optimum fixes the rows and bounds whose multipliers are not zero (see
``canon.multipliers``). :class:`HeldFace` is what one optimum fixes, :class:`LinearFace` the points
that several of them leave, and :func:`lift` gives multipliers of the problem with locks from those
of the problem on the face, in floats or in fractions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import highspy
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.backends.highs import TINY, HighsModel, Vertex
from lexiprog.backends.refinement import is_off, refined
from lexiprog.backends.remote_lp import RemoteHighs
from lexiprog.canon.decimals import DecimalResiduals, decimal_residuals
from lexiprog.canon.multipliers import Refinement, Sizes, binding, is_real
from lexiprog.canon.standard_form import Bounds, Cones, StandardForm, by_columns, same_columns
from lexiprog.cvxpy_adapter import Compiled
from lexiprog.deadline import Deadline
from lexiprog.model.expressions import Memory
from lexiprog.model.lock import single
from lexiprog.model.subproblem import Subproblem
from lexiprog.tolerances import (
    AT_BOUND,
    MULTIPLIER_NOISE,
    MULTIPLIER_ROUNDING,
    PRECISE_HIGHS,
    REDUCED_COST_ROUNDING,
)
from lexiprog.typing import Array, Mask, Matrix, Options, cached_property

# Presolve that leaves fewer iterations than this share of the rows beats a warm start; on fewer
# rows than FEW both take milliseconds.
EASY, FEW = 0.01, 1_000


def held_names(member: Subproblem) -> tuple[str, ...]:
    """The names of those whose optima it holds."""
    return tuple(lock.owner_name for _, lock in single(member.locks))


@dataclass  # not frozen, which takes five times as long to make
class RowOrder:
    """The rows of a form, those that are fixed first, as equations; worked out when asked for.

    Rows that are ``absent`` are left out.
    """

    form: StandardForm
    fixed: Mask
    absent: Mask | None = None

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """Where each row stood."""
        order = np.argsort(~self.fixed, kind="stable")
        return order if self.absent is None else order[~self.absent[order]]

    @cached_property
    def cones(self) -> Cones:
        """How many are equations."""
        zero = int(np.count_nonzero(self.fixed))
        return Cones(zero=zero, nonneg=self.order.size - zero)

    @cached_property
    def matrix(self) -> Matrix:
        """The matrix in this order."""
        A = self.form.A
        if self.absent is not None:
            return by_columns(sp.csr_array(A)[self.order])
        return A if self.fixed[: self.cones.zero].all() else _with_rows(A, self.order)

    @cached_property
    def sides(self) -> Array:
        """The right-hand sides in this order."""
        return self.form.b[self.order]


@dataclass
class LinearFace:
    """The feasible points where some rows and columns are fixed."""

    lower: Array
    upper: Array
    row_lower: Array
    rows: RowOrder
    point: bool = False  # whether it is a single one

    @classmethod
    def whole(cls, form: StandardForm, absent: Mask | None = None) -> LinearFace:
        """All feasible points; rows that are ``absent``, whose limits are infinite, are others'."""
        size = form.c.size
        lower = np.full(size, -np.inf) if form.lower is None else form.lower
        upper = np.full(size, np.inf) if form.upper is None else form.upper
        fixed = np.zeros(form.b.size, dtype=bool)
        fixed[: form.cones.zero] = True
        if absent is not None:
            fixed &= ~absent
        rows = RowOrder(form, fixed, absent)
        return cls(lower, upper, np.where(fixed, form.b, -np.inf), rows)

    def intersect(self, held: HeldFace, form: StandardForm) -> LinearFace:
        """The points of it that are optimal for the held one as well."""
        if self.point:
            return self
        lower = np.where(held.fixed, held.columns, self.lower)
        upper = np.where(held.fixed, held.columns, self.upper)
        fixed = self.rows.fixed | held.rows
        point = held.basic is not None and is_point(lower < upper, ~fixed, held.basic)
        if np.count_nonzero(fixed) == np.count_nonzero(self.rows.fixed):
            return LinearFace(lower, upper, self.row_lower, self.rows, point)
        row_lower = np.where(fixed, form.b, -np.inf)
        return LinearFace(lower, upper, row_lower, RowOrder(form, fixed, self.rows.absent), point)

    def restrict(self, form: StandardForm) -> StandardForm:
        """A problem on the face."""
        rows = self.rows
        return StandardForm(
            form.c, form.offset, rows.matrix, rows.sides, rows.cones, None, self.lower, self.upper,
            form.integer,
        )  # fmt: skip

    def bounds(self, form: StandardForm) -> Bounds:
        """The limits of its points, rows in the order of the form."""
        return Bounds(self.lower, self.upper, self.row_lower, form.b)


def _with_rows(A: Matrix, order: NDArray[np.intp]) -> Matrix:
    """The matrix with its rows in another order; the entries of a column stay as they are."""
    A = by_columns(A)
    places = np.empty(order.size, dtype=A.indices.dtype)
    places[order] = np.arange(order.size, dtype=places.dtype)
    return same_columns(A, places[A.indices])


def is_point(columns: Mask, rows: Mask, basic: NDArray[np.integer]) -> bool:
    """Whether all free columns and rows are basic: the rest, which is fixed, determines them."""
    if int(np.count_nonzero(columns)) + int(np.count_nonzero(rows)) > basic.size:
        return False
    free = np.concatenate([columns, rows[::-1]])  # row k is variable -1 - k
    free[basic] = False
    return not np.count_nonzero(free)


@dataclass  # not frozen, which takes five times as long to make
class HeldFace:
    """The optimal face of one member: what is fixed, and the multipliers that say so."""

    rows: Mask
    columns: Array  # value where fixed, NaN where free
    y: Array
    reduced: Array
    cost: float  # unit of the member's objective
    basis: highspy.HighsBasis
    ambiguous: bool  # whether some multiplier may be rounding or not
    ill_conditioned: bool  # whether the basis is
    presolved: bool  # presolve did nearly all of the work, and so it may for the next
    refined: bool  # whether it was found with twice the digits of floats
    basic: NDArray[np.integer] | None = None  # as in Vertex
    rounding_limited: bool = False  # whether something may be the rounding of decimals

    @classmethod
    def of(
        cls,
        form: StandardForm,
        cost: float,
        vertex: Vertex,
        face: LinearFace,
        sizes: Sizes,
        residuals: DecimalResiduals | None = None,
    ) -> HeldFace:
        """The face of an optimal vertex of another face."""
        more = None
        if vertex.correction is not None:
            known = vertex.reduced, vertex.error, vertex.gain
            more = Refinement(-vertex.correction, *known, residuals)
        tight = binding(form.c, form.A, -vertex.row_dual, sizes, more)
        y, reduced, lower, upper = tight.y, tight.reduced, face.lower, face.upper
        rises = reduced > 0.0
        at_bound = np.where(rises, lower, upper)
        # What the face fixes already may have a reduced cost of either sign: it says nothing.
        free = lower < upper
        columns = np.where(free & tight.columns & np.isfinite(at_bound), at_bound, np.nan)
        few = vertex.iterations <= EASY * form.b.size
        presolved = few and not vertex.warm and form.b.size >= FEW
        # HiGHS may stop at a basis that a multiplier or reduced cost of 1e-10 would still leave.
        tiny = REDUCED_COST_ROUNDING * (1.0 + float(np.abs(y).max(initial=0.0)))
        away = np.where(rises, vertex.x, upper) - np.where(rises, lower, vertex.x)
        inside = free & (away > AT_BOUND) & (tight.columns | (np.abs(reduced) > tiny))
        wrong = ~face.rows.fixed & ((tight.rows & (y < 0.0)) | (y < -tiny))
        ambiguous = tight.ambiguous or bool(np.count_nonzero(inside) or np.count_nonzero(wrong))
        refined = vertex.error is not None
        ill_conditioned = not refined and vertex.roughness > MULTIPLIER_ROUNDING
        return cls(
            tight.rows, columns, y, reduced, cost, vertex.basis, ambiguous, ill_conditioned,
            presolved, refined, vertex.basic, tight.rounding_limited,
        )  # fmt: skip

    @classmethod
    def of_point(cls, form: StandardForm, cost: float, vertex: Vertex) -> HeldFace:
        """The face of an optimum where nothing was left to choose: it fixes nothing more."""
        y = -vertex.row_dual
        reduced = form.c + form.transpose_product(y)
        rows = is_real(np.abs(y), 1.0 + float(np.abs(y).max(initial=0.0)), MULTIPLIER_NOISE)
        return cls(
            rows, np.full(form.c.size, np.nan), y, reduced, cost, vertex.basis,
            ambiguous=False, ill_conditioned=False, presolved=False, refined=False,
            basic=vertex.basic,
        )  # fmt: skip

    @property
    def uncertain(self) -> bool:
        """Whether floats may have got it wrong."""
        return self.ambiguous or self.ill_conditioned

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


class Fixing(Protocol):
    """What :func:`lift` needs of a held face; arrays of floats, or of fractions."""

    @property
    def y(self) -> Array:
        """Multipliers of the rows."""

    @property
    def reduced(self) -> Array:
        """The costs that they leave."""

    @property
    def pushing(self) -> Mask:
        """The fixed rows whose multiplier has the sign of an inequality's."""

    @property
    def resting(self) -> Array:
        """The reduced costs of the fixed columns, nothing for the others."""


def lift(
    reduced: Array, y: Array, held: Sequence[Fixing], holds: Sequence[int], equations: int
) -> tuple[Array, Array]:
    """Multipliers of locked problems' rows and locks, all of the right sign, from their faces'.

    A fixed row may carry a multiplier of either sign; adding enough of the owner's own
    multipliers (that much of the lock's) mends it, from the last lock to the first. What rounding
    leaves below zero in rows beyond the ``equations`` is none.

    Parameters
    ----------
    reduced, y : ndarray
        A row for each problem: the costs that the multipliers ``y`` leave.
    held : sequence
        The faces.
    holds : sequence of int
        How many of them each problem holds, from the first on; never less than the one before.
    """
    y, reduced = y.copy(), reduced.copy()
    locks = np.zeros((len(y), len(held)), dtype=y.dtype)
    for last in reversed(range(len(held))):
        face, rows = held[last], slice(bisect_right(holds, last), None)
        wrong = face.pushing & (y[rows] < 0)
        against = face.resting * reduced[rows] < 0
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
    if np.count_nonzero(below := signed < 0):
        largest = np.abs(y).max(axis=1, keepdims=True)
        signed[below & (signed > -MULTIPLIER_ROUNDING * (1.0 + largest))] = 0.0
    return y, locks


def _most(parts: Array, of: Array, where: Mask) -> Array:
    """The largest quotient of each row, of those that count."""
    quotients = np.divide(parts, of, out=np.zeros(parts.shape, dtype=parts.dtype), where=where)
    return np.asarray(quotients.max(axis=1))


def lock_prices(prices: Array, held: list[HeldFace], costs: Sequence[float]) -> list[list[float]]:
    """What a unit of each held objective is worth to each problem, all in the user's units."""
    owners = np.array([face.cost for face in held])
    worth: list[list[float]] = (prices * owners / np.array(costs)[:, None]).tolist()
    return worth


@dataclass  # not frozen, which takes five times as long to make
class FaceVertex:
    """The best vertex of a face, before it is certified.

    Attributes
    ----------
    form, face : StandardForm, LinearFace
        The member's problem, and what those that it holds leave of it.
    names, held : tuple of str, list of HeldFace
        Whose optima are held, and their faces.
    own : HeldFace or None
        Its own face, if somebody holds it and there is one.
    off : bool or None
        Whether its point missed rows by more than rounding, if anybody looked.
    """

    form: StandardForm
    face: LinearFace
    names: tuple[str, ...]
    held: list[HeldFace]
    vertex: Vertex
    own: HeldFace | None
    off: bool | None

    @property
    def on_face(self) -> tuple[StandardForm, Array]:
        """The problem on the face, and the multipliers of its rows."""
        return self.face.restrict(self.form), -self.vertex.row_dual[self.face.rows.order]


def lifted(
    vertices: Sequence[FaceVertex], reduced: Array, y: Array, costs: Sequence[float]
) -> tuple[Array, list[list[float]]]:
    """Multipliers of the rows as declared and prices of the locks, of several vertices.

    ``costs`` are the units of their objectives. All are lifted at once if each holds what those
    before it hold.
    """
    last, zero = vertices[-1], vertices[0].form.cones.zero
    holds = [len(vertex.names) for vertex in vertices]
    nested = all(vertex.names == last.names[: len(vertex.names)] for vertex in vertices)
    if nested and holds == sorted(holds):
        multipliers, locks = lift(reduced, y, last.held, holds, zero)
        return multipliers, lock_prices(locks, last.held, costs)
    alone = [
        lifted([vertex], reduced[[k]], y[[k]], [costs[k]]) for k, vertex in enumerate(vertices)
    ]
    return np.concatenate([rows for rows, _ in alone]), [prices for _, (prices,) in alone]


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

    @classmethod
    def of(cls, best: FaceVertex, cost: float) -> FaceOptimum:
        """A vertex, with multipliers of the right signs; ``cost`` is the unit of its objective."""
        form, face, vertex, off = best.form, best.face, best.vertex, best.off
        if off is None:
            off = vertex.optimal and is_off(form.A, face.bounds(form), vertex.x)
        y = -vertex.row_dual
        z, multipliers, prices = y, y, [0.0] * len(best.held)
        if vertex.optimal:
            z, reduced = y[face.rows.order], form.c + form.transpose_product(y)
            (multipliers,), (prices,) = lifted([best], reduced[None], y[None], [cost])
        return cls(
            face.restrict(form), vertex, z, multipliers, prices, best.names, best.own,
            missed=off and vertex.error is None,
        )  # fmt: skip


AT_ONCE = {"presolve": "off"}
# Up to so many rows the primal simplex method is as fast as the dual one, or faster.
MODERATE = 2_000


@dataclass
class VertexFinder:
    """Finds the vertices of a chain's members, each from where the last one ended."""

    session: Callable[[Matrix, Options], HighsModel] = RemoteHighs
    # Where each member ended, and may start.
    bases: dict[str, highspy.HighsBasis] = field(default_factory=dict)
    model: HighsModel | None = None

    def follow(self, before: VertexFinder) -> None:
        """Go on where an earlier solve ended."""
        self.bases, self.model = dict(before.bases), before.model

    def find(
        self,
        name: str,
        form: StandardForm,
        within: LinearFace,
        held: list[HeldFace],
        options: Options,
        deadline: Deadline | None,
        last: Vertex | None = None,
        *,
        correct: bool,
    ) -> Vertex:
        """The best vertex of a face; with ``correct``, multipliers that are more exact.

        ``last`` is a vertex of it, which may be the best already.
        """
        model = self._model_of(form, options)
        same = None if last is None else self.at(name, form, last, within, correct=correct)
        if same is not None:
            return same
        bounds = within.bounds(form)
        for start, primal in self._starts(name, form, held):
            vertex = model.run(
                form.c, bounds, start, refine=correct, primal=primal, deadline=deadline
            )
            if vertex.optimal:
                break
        return vertex

    def _model_of(self, form: StandardForm, options: Options) -> HighsModel:
        """The model of the last member, or a new one if the matrix is another."""
        if self.model is None or not self.model.has_matrix(form.A):
            if self.model is not None and self.model.shape != form.A.shape:
                self.bases.clear()
            usual = PRECISE_HIGHS | AT_ONCE if form.b.size <= TINY else PRECISE_HIGHS
            self.model = self.session(form.A, usual | dict(options))
        return self.model

    def _starts(
        self, name: str, form: StandardForm, held: list[HeldFace]
    ) -> list[tuple[highspy.HighsBasis | None, bool]]:
        """Bases to start from in turn, and whether by the primal simplex method."""
        starts: list[tuple[highspy.HighsBasis | None, bool]] = []
        starts += [(self.bases.pop(name), False)] if name in self.bases else []
        # Without a basis presolve does its part, which may be most of the work.
        starts += [(None, False)] if not held or held[-1].presolved else []
        # The last owner's point is one of this face: only the costs are others.
        starts += [(held[-1].basis, True)] if held and form.b.size <= MODERATE else []
        return starts + ([(held[-1].basis, False)] if held else [])

    def at(
        self,
        name: str,
        form: StandardForm,
        vertex: Vertex,
        within: LinearFace | None = None,
        *,
        correct: bool = False,
    ) -> Vertex | None:
        """The same vertex with the multipliers of a member's costs, if HiGHS is there still.

        With a face that it may not be all of, only if it is the best of that.
        """
        if self.model is None:
            return None
        bounds = None if within is None else within.bounds(form)
        same = self.model.at(form.c, vertex, bounds, refine=correct)
        if same is not None:
            self.bases.pop(name, None)
        return same

    def corrected(self, form: StandardForm, vertex: Vertex, residuals: DecimalResiduals) -> Vertex:
        """The vertex with multipliers of the decimals that were meant, if they can be had."""
        return vertex if self.model is None else self.model.corrected(form.c, vertex, residuals)

    def refined(
        self,
        form: StandardForm,
        within: LinearFace,
        vertex: Vertex,
        deadline: Deadline,
        residuals: DecimalResiduals | None = None,
    ) -> Vertex:
        """The vertex with twice the digits, if they can be had; else as it is."""
        if self.model is None:
            return vertex
        bounds = within.bounds(form)
        found = refined(self.model, form.A, form.c, bounds, vertex, deadline, residuals)
        if found is None:
            return vertex
        return replace(
            vertex, x=found.x.nearest, row_dual=found.y.high, reduced=None,
            correction=found.y.low, basis=found.basis, basic=None, error=found.error,
            gain=found.gain,
        )  # fmt: skip


@dataclass(frozen=True)
class FaceIdentification:
    """Which face a vertex is optimal on, found with as many digits as it takes."""

    finder: VertexFinder
    memory: Memory

    def face(self, name: str, compiled: Compiled, within: LinearFace, vertex: Vertex) -> HeldFace:
        """The face of a member's vertex, found on the face that others left.

        Multipliers are looked at as those of the decimals that the user wrote where rounding could
        have made them, and where they were refined.
        """
        form, cost = compiled.scaled, compiled.scaling.cost
        sizes = self.memory.of("sizes", (form.A,), lambda: Sizes(form.A))
        if vertex.error is not None:
            residuals = self._residuals(name, compiled)
            return HeldFace.of(form, cost, vertex, within, sizes, residuals)
        face = HeldFace.of(form, cost, vertex, within, sizes)
        residuals = self._residuals(name, compiled) if face.rounding_limited else None
        if residuals is None:
            return face
        vertex = self.finder.corrected(form, vertex, residuals)
        return HeldFace.of(form, cost, vertex, within, sizes, residuals)

    def refined(
        self, name: str, compiled: Compiled, within: LinearFace, vertex: Vertex, deadline: Deadline
    ) -> Vertex:
        """The vertex with twice the digits, if they can be had; else as it is."""
        residuals = self._residuals(name, compiled)
        return self.finder.refined(compiled.scaled, within, vertex, deadline, residuals)

    def _residuals(self, name: str, compiled: Compiled) -> DecimalResiduals | None:
        form, of = compiled.form, self.memory.of
        entries = of("entries", (form.A,), lambda: decimal_residuals(form.A.data))
        units, key = compiled.scaling, ("residuals", name)
        return of(key, (compiled,), lambda: DecimalResiduals.of(form, units, entries))
