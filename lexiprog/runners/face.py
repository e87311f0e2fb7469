"""Hold linear optima by their optimal face, on one warm HiGHS object for a whole chain.

Fixing the rows and columns that an optimum pins down (see ``forms.optimal_face``), instead of
bounding the objective, needs no slack at all, adds no row and keeps the basis: the next objective
is only another cost vector.

It applies to linear problems over the same constraints, where each holds all that its
predecessors held, without tolerance, and HIGHS is asked first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.aliases import Matrix, Options
from lexiprog.compile.answer import Answer
from lexiprog.compile.binding import bind_objective
from lexiprog.compile.cvxpy_door import Compiled, Prepared, answer_at
from lexiprog.compile.task import Solutions, Task
from lexiprog.declare.lock import single
from lexiprog.declare.subproblem import Subproblem
from lexiprog.forms.equilibrium import equilibrate, with_cost
from lexiprog.forms.optimal_face import Sizes, binding
from lexiprog.forms.scaling import Scaling
from lexiprog.forms.standard_form import Cones, StandardForm
from lexiprog.solvers.highs import Bounds, Session, Vertex
from lexiprog.solvers.ways import Way
from lexiprog.status import Status

__all__ = ["FaceChain"]

Array = NDArray[np.float64]

# Presolve that leaves fewer iterations than this share of the rows beats a warm start; on fewer
# rows than FEW both take milliseconds.
EASY, FEW = 0.01, 1_000
OPTIONS = {"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9}


@dataclass(frozen=True)
class HeldFace:
    """The optimal face of one member: what is fixed, and the multipliers that say so."""

    rows: NDArray[np.bool_]
    columns: Array  # value where fixed, NaN where free
    y: Array
    reduced: Array
    cost: float  # unit of the member's objective
    basis: Any
    doubtful: bool  # whether some multiplier may be rounding or not
    easy: bool  # presolve did nearly all of the work, and so it may for the next


@dataclass
class FaceChain:
    """Linear problems over one feasible set, compiled as one with a weight on each objective."""

    members: dict[str, Subproblem]
    options: Options
    prepared: Prepared
    weights: dict[str, cp.Parameter]
    faces: dict[str, HeldFace] = field(default_factory=dict)
    forms: dict[str, StandardForm] = field(default_factory=dict)  # in the user's units
    bases: dict[str, Any] = field(default_factory=dict)  # where each member ended, and may start
    session: Callable[[Matrix, Options], Session] = Session
    _session: Session | None = None
    _sizes: Sizes | None = None
    _units: Scaling | None = None

    alone = False

    def serves(self, member: Subproblem) -> bool:
        """Whether the faces of all optima that it holds are known."""
        return all(lock.owner_name in self.faces for _, lock in single(member.locks))

    def follow(self, before: FaceChain) -> None:
        """Start each member from the basis that it ended at in an earlier solve."""
        self.bases = dict(before.bases)
        self._session, self._units = before._session, before._units

    def doubtful(self, member: Subproblem) -> list[str]:
        """The held optima whose face rounding may have changed."""
        return [
            lock.owner_name
            for _, lock in single(member.locks)
            if lock.owner_name in self.faces and self.faces[lock.owner_name].doubtful
        ]

    def compile(self, subproblem: Subproblem, _: Way, solutions: Solutions) -> Compiled:
        """The shared problem with this member's objective; quick after the first time."""
        for other in self.members.values():
            bind_objective(other, solutions)
        for name, weight in self.weights.items():
            weight.value = float(name == subproblem.name)
        compiled = self.prepared.compile("HIGHS", dict(self.options))
        if not self.forms or self._units is None:
            # The matrix is shared, so its units cannot depend on one member's objective.
            units = equilibrate(replace(compiled.form, c=np.zeros_like(compiled.form.c)))
            if self._units is None or not self._units.is_near(units):
                self._units = units
        self.forms[subproblem.name] = compiled.form
        return compiled.in_units(with_cost(self._units, compiled.form))

    def run(self, task: Task) -> Answer:
        """Optimise on the face the member's locks leave, from the last holder's basis.

        The multipliers by constraint are those of the locked problem as declared; ``z`` are those
        of ``form``, the problem on the face.
        """
        vertex = self._vertex(task)
        if not vertex.optimal:
            return Answer(
                Status.FAILED, said=f"{vertex.status} on the optimal face", seconds=vertex.seconds
            )
        form, y = task.native.scaled, -vertex.row_dual
        held = self._held(task.subproblem)
        lifted, prices = _lift(form, y, held)
        answer = answer_at(task.native, vertex.x, lifted, iterations=vertex.iterations)
        fixed = _fixed_rows(form, held)
        order = np.argsort(~fixed, kind="stable")  # equations first
        rows = form.A if not held else sp.csr_array(form.A)[order]
        cones = Cones(zero=int(fixed.sum()), nonneg=int((~fixed).sum()))
        on_face = replace(_on_face(form, held), A=rows, b=form.b[order], cones=cones)
        value = -answer.value if task.subproblem.maximise else answer.value
        locks = [task.subproblem.constraints[k].id for k, _ in single(task.subproblem.locks)]
        # A unit of a held objective is worth so many units of this one, both in the user's units.
        own = task.native.scaling.cost
        paid = (price * face.cost / own for price, face in zip(prices, held, strict=True))
        return replace(
            answer,
            z=y[order],
            value=value,
            dual=answer.dual | dict(zip(locks, paid, strict=True)),
            seconds=vertex.seconds,
            form=on_face,
            trace=vertex,
        )

    def _vertex(self, task: Task) -> Vertex:
        form = task.native.scaled
        held = self._held(task.subproblem)
        if self._session is None or not self._session.has_matrix(form.A):
            if self._session is not None and self._session.shape != form.A.shape:
                self.bases.clear()
            self._session = self.session(form.A, OPTIONS | dict(self.options))
        below = np.full(form.b.size, -np.inf)
        fixed = _fixed_rows(form, held)
        below[fixed] = form.b[fixed]
        lower, upper = _column_bounds(_on_face(form, held))
        bounds = Bounds(lower, upper, below, form.b)
        name = task.subproblem.name
        refine = self._is_held(name)
        if name in self.bases:
            vertex = self._session.run(form.c, bounds, self.bases.pop(name), refine=refine)
            if vertex.optimal:
                return vertex
        if not held:
            return self._session.run(form.c, bounds, refine=refine)
        if held[-1].easy:
            vertex = self._session.run(form.c, bounds, refine=refine)
            if vertex.optimal:
                return vertex
        return self._session.run(form.c, bounds, held[-1].basis, refine=refine)

    def accepted(self, task: Task, answer: Answer) -> None:
        """Remember the member's optimal face for those that hold it."""
        name, form, vertex = task.subproblem.name, task.native.scaled, answer.trace
        self.bases[name] = vertex.basis
        if not self._is_held(name):
            return
        if self._sizes is None:
            self._sizes = Sizes(form.A)
        lack = None if vertex.correction is None else -vertex.correction
        found = binding(form.c, form.A, -vertex.row_dual, self._sizes, correction=lack)
        lower, upper = _column_bounds(_on_face(form, self._held(task.subproblem)))
        at_bound = np.where(found.reduced > 0, lower, upper)
        # What a held face fixes already may have a reduced cost of either sign: it says nothing.
        pinned = (lower < upper) & found.columns & np.isfinite(at_bound)
        columns = np.where(pinned, at_bound, np.nan)
        easy = not vertex.warm and form.b.size >= FEW and vertex.iterations <= EASY * form.b.size
        self.faces[name] = HeldFace(
            found.rows,
            columns,
            found.y,
            found.reduced,
            task.native.scaling.cost,
            vertex.basis,
            found.doubtful,
            easy,
        )

    def _is_held(self, name: str) -> bool:
        return any(lock.owner_name == name for m in self.members.values() for _, lock in m.locks)

    def _held(self, member: Subproblem) -> list[HeldFace]:
        return [self.faces[lock.owner_name] for _, lock in single(member.locks)]


def _on_face(form: StandardForm, held: list[HeldFace]) -> StandardForm:
    """The form with the columns of every held face fixed."""
    lower, upper = _column_bounds(form)
    for face in held:
        fixed = ~np.isnan(face.columns)
        lower[fixed] = upper[fixed] = face.columns[fixed]
    return replace(form, lower=lower, upper=upper)


def _column_bounds(form: StandardForm) -> tuple[Array, Array]:
    size = form.c.size
    lower = np.full(size, -np.inf) if form.lower is None else form.lower.copy()
    upper = np.full(size, np.inf) if form.upper is None else form.upper.copy()
    return lower, upper


def _fixed_rows(form: StandardForm, held: list[HeldFace]) -> NDArray[np.bool_]:
    fixed = np.zeros(form.b.size, dtype=bool)
    fixed[: form.cones.zero] = True
    for face in held:
        fixed |= face.rows
    return fixed


def _lift(form: StandardForm, y: Array, held: list[HeldFace]) -> tuple[Array, list[float]]:
    """Multipliers of the locked problem's rows and locks, all of the right sign, from a face's.

    A fixed row may carry a multiplier of either sign; adding enough of the holder's own
    multipliers (that much of the lock's) mends it, from the last lock to the first.
    """
    reduced: Array = form.c + (form.A.T @ y if y.size else 0.0)
    locks = [0.0] * len(held)
    for k, face in reversed(list(enumerate(held))):
        wrong = face.rows & (y < 0) & (face.y > 0)
        need = float(np.max(-y[wrong] / face.y[wrong], initial=0.0))
        fixed = ~np.isnan(face.columns)
        against = fixed & (reduced * face.reduced < 0)
        need = max(need, float(np.max(-reduced[against] / face.reduced[against], initial=0.0)))
        if need > 0:
            y, reduced = y + need * face.y, reduced + need * face.reduced
            locks[k] = need
    return y, locks
