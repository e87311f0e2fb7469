"""Hold linear optima by their optimal face, on one warm HiGHS object for a whole chain.

Fixing what an optimum pins down (see ``forms.optimal_face``) needs no slack, adds no row and keeps
the basis. It applies to linear problems over the same constraints, where each holds all that its
predecessors held, without tolerance, and HIGHS is asked first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import highspy
import numpy as np

from lexiprog.aliases import Array, Matrix, Options
from lexiprog.compile.answer import Answer
from lexiprog.compile.binding import bind_objective
from lexiprog.compile.cvxpy_door import Compiled, answer_at
from lexiprog.compile.joint import Joint
from lexiprog.compile.task import Solutions, Task
from lexiprog.declare.lock import single
from lexiprog.declare.reference import REFERENCES
from lexiprog.declare.subproblem import Subproblem
from lexiprog.forms.equilibrium import equilibrate, with_cost
from lexiprog.forms.optimal_face import Sizes
from lexiprog.forms.scaling import Scaling
from lexiprog.forms.standard_form import StandardForm
from lexiprog.runners.held_face import FaceOptimum, HeldFace, LeftFace, holds, lift
from lexiprog.solvers.elsewhere.vertices import SessionElsewhere
from lexiprog.solvers.highs import TINY, Bounds, Session, Vertex
from lexiprog.solvers.ways import Way
from lexiprog.status import Status
from lexiprog.watch import Watch

__all__ = ["FaceChain"]


OPTIONS = {"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9}
AT_ONCE = {"presolve": "off"}


@dataclass
class FaceChain:
    """Linear problems over one feasible set, compiled as one with a weight on each objective."""

    members: dict[str, Subproblem]
    options: Options
    joint: Joint
    faces: dict[str, HeldFace] = field(default_factory=dict)
    forms: dict[str, StandardForm] = field(default_factory=dict)  # in the user's units
    bases: dict[str, highspy.HighsBasis] = field(
        default_factory=dict
    )  # where each member ended, and may start
    session: Callable[[Matrix, Options], Session] = SessionElsewhere
    _session: Session | None = None
    _units: Scaling | None = None
    _known: dict[tuple[str, ...], LeftFace] = field(default_factory=dict)

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

    def is_rough(self, member: Subproblem) -> bool:
        """Whether a vertex that it builds on is off by more than rounding."""
        names = {lock.owner_name for _, lock in member.locks}
        return any(face.rough for name, face in self.faces.items() if name in names)

    def compile(self, subproblem: Subproblem, _: Way, solutions: Solutions) -> Compiled:
        """The shared problem with this member's objective; quick after the first time."""
        for other in self._readers:
            bind_objective(other, solutions)
        compiled = self.joint.compile(subproblem.name, self.options)
        if not self.forms or self._units is None:
            units = self._own_units(compiled.form)
            if self._units is None or not self._units.is_near(units):
                self._units = units
        name, common = subproblem.name, self._units
        self.forms[name] = compiled.form
        return self.joint.memory.of(
            ("compiled", name), (compiled, common), lambda: self._in_units(name, compiled, common)
        )

    def _own_units(self, form: StandardForm) -> Scaling:
        """The units of the shared numbers; the same object while they are the same."""
        memory, shared = self.joint.memory, (form.A, form.b, form.lower, form.upper)
        # The matrix is shared, so its units cannot depend on one member's objective.
        bare = replace(form, c=np.zeros_like(form.c))
        units = memory.of("units", shared, lambda: equilibrate(bare))
        return memory.latest("last units", units, Scaling.equals)

    def _in_units(self, name: str, compiled: Compiled, units: Scaling) -> Compiled:
        form, of = compiled.form, self.joint.memory.of
        matrix = of("matrix", (form.A, units), lambda: units.of_matrix(form.A))
        own = of(("units", name), (form.c, units), lambda: with_cost(units, form))
        return compiled.in_units(own, matrix)

    def run(self, task: Task) -> Answer:
        """Optimise on the face the member's locks leave, from the last holder's basis.

        The multipliers by constraint are those of the locked problem as declared; ``z`` are those
        of ``form``, the problem on the face.
        """
        member, compiled = task.subproblem, task.native
        level = self.level(member, compiled, task.watch)
        vertex = level.vertex
        if not vertex.optimal:
            word = vertex.word if vertex.word is Status.NO_POINT else Status.FAILED
            said = f"{vertex.status} on the optimal face"
            return Answer(word, said=said, seconds=vertex.seconds)
        answer = answer_at(compiled, vertex.x, level.multipliers, iterations=vertex.iterations)
        value = compiled.scaling.value(answer.claimed)
        locks = [member.constraints[k].id for k, _ in single(member.locks)]
        return replace(
            answer,
            z=level.z,
            value=-value if member.maximise else value,
            dual=answer.dual | dict(zip(locks, level.prices, strict=True)),
            seconds=vertex.seconds,
            form=level.form,
            held=None if answer.point is None else self.values(level.holds, answer.point),
            trace=vertex,
        )

    def level(
        self, member: Subproblem, compiled: Compiled, watch: Watch | None = None
    ) -> FaceOptimum:
        """The member's optimum on the face that its locks leave."""
        form, names = compiled.scaled, self._holds[member.name]
        held, face = [self.faces[name] for name in names], self._face(form, names)
        vertex = self._vertex(member.name, form, held, face, watch)
        y, prices = -vertex.row_dual, [0.0] * len(held)
        z, multipliers = y, y
        if vertex.optimal:
            z = y[face.order]
            multipliers, prices = lift(form, y, held)
        # A unit of a held objective is worth so many units of this one, both in the user's units.
        own = compiled.scaling.cost
        paid = [price * face.cost / own for price, face in zip(prices, held, strict=True)]
        on_face = StandardForm(
            form.c, form.offset, face.A, face.b, face.cones, None, face.lower, face.upper,
            form.integer,
        )  # fmt: skip
        return FaceOptimum(on_face, vertex, z, multipliers, paid, names)

    def values(self, names: tuple[str, ...], point: Array) -> dict[str, float]:
        """The held objectives at the point, where the compiled rows are the objectives."""
        values = {}
        for name in names:
            form, sign = self.forms[name], -1.0 if self.members[name].maximise else 1.0
            values[name] = sign * (float(form.c @ point) + form.offset)
        return values

    def _vertex(
        self,
        name: str,
        form: StandardForm,
        held: list[HeldFace],
        face: LeftFace,
        watch: Watch | None,
    ) -> Vertex:
        if self._session is None or not self._session.has_matrix(form.A):
            if self._session is not None and self._session.shape != form.A.shape:
                self.bases.clear()
            usual = OPTIONS | AT_ONCE if form.b.size <= TINY else OPTIONS
            self._session = self.session(form.A, usual | dict(self.options))
        bounds = Bounds(face.lower, face.upper, face.row_lower, form.b)
        run = partial(self._session.run, form.c, bounds, refine=name in self._wanted, watch=watch)
        if name in self.bases:
            vertex = run(self.bases.pop(name))
            if vertex.optimal:
                return vertex
        if not held:
            return run()
        if held[-1].easy:
            vertex = run()
            if vertex.optimal:
                return vertex
        return run(held[-1].basis)

    def _face(self, form: StandardForm, names: tuple[str, ...]) -> LeftFace:
        """What is left where these are held: each face is that of the ones before, and one more."""
        if names not in self._known:
            before = self._face(form, names[:-1]) if names else None
            face = self.faces[names[-1]] if names else None
            self._known[names] = LeftFace.within(form, before, face)
        return self._known[names]

    def accepted(self, task: Task, answer: Answer) -> None:
        """Remember the member's optimal face for those that hold it."""
        self.remember(task.subproblem, task.native, answer.trace)

    def remember(self, member: Subproblem, compiled: Compiled, vertex: Vertex) -> None:
        """Keep the basis of a certified vertex, and its face if somebody holds that."""
        name, form = member.name, compiled.scaled
        self.bases[name] = vertex.basis
        if name not in self._wanted:
            return
        sizes = self.joint.memory.of("sizes", (form.A,), lambda: Sizes(form.A))
        face = self._face(form, self._holds[member.name])
        self.faces[name] = HeldFace.of(form, compiled.scaling.cost, vertex, face, sizes)

    @cached_property
    def _holds(self) -> dict[str, tuple[str, ...]]:
        """Whose optima each member holds."""
        return {name: holds(member) for name, member in self.members.items()}

    @cached_property
    def _wanted(self) -> frozenset[str]:
        """All whose optima are held."""
        return frozenset(name for names in self._holds.values() for name in names)

    @cached_property
    def _readers(self) -> list[Subproblem]:
        """The members whose objectives use earlier optima."""
        return [
            member
            for member in self.members.values()
            if any(REFERENCES.get(p) is not None for p in member.objective.parameters())
        ]
