"""Hold linear optima by their optimal face, on one warm HiGHS object for a whole chain.

Fixing what an optimum pins down (see ``forms.optimal_face``) needs no slack, adds no row and keeps
the basis. It applies to linear problems over the same constraints, where each holds all that its
predecessors held, without tolerance, and HIGHS is asked first.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from lexiprog.aliases import Options
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
from lexiprog.runners.corners import Corners
from lexiprog.runners.held_face import HeldFace, LeftFace, holds, lift
from lexiprog.solvers.highs import Vertex
from lexiprog.solvers.linear.refinement import DOUBT, MISSED, is_off
from lexiprog.solvers.ways import Way
from lexiprog.status import Status
from lexiprog.watch import Watch

__all__ = ["FaceChain"]


@dataclass
class FaceChain:
    """Linear problems over one feasible set, compiled as one with a weight on each objective."""

    members: dict[str, Subproblem]
    options: Options
    joint: Joint
    faces: dict[str, HeldFace] = field(default_factory=dict)
    forms: dict[str, StandardForm] = field(default_factory=dict)  # in the user's units
    kept: dict[str, tuple[StandardForm, float, Vertex]] = field(default_factory=dict)
    corners: Corners = field(default_factory=Corners)
    _units: Scaling | None = None
    _known: dict[tuple[str, ...], LeftFace] = field(default_factory=dict)

    alone = False

    def serves(self, member: Subproblem) -> bool:
        """Whether the faces of all optima that it holds are known."""
        return all(lock.owner_name in self.faces for _, lock in single(member.locks))

    def follow(self, before: FaceChain) -> None:
        """Start each member from the basis that it ended at in an earlier solve."""
        self.corners.follow(before.corners)
        self._units = before._units

    def doubtful(self, member: Subproblem) -> list[str]:
        """The held optima whose face rounding may have changed."""
        faces = ((name, self.faces.get(name)) for name in holds(member))
        return [name for name, face in faces if face is not None and face.unclear]

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
            ("compiled", name), (compiled, common), lambda: self._in_units(compiled, common)
        )

    def _own_units(self, form: StandardForm) -> Scaling:
        """The units of the shared numbers; the same object while they are the same."""
        memory, shared = self.joint.memory, (form.A, form.b, form.lower, form.upper)
        # The matrix is shared, so its units cannot depend on one member's objective.
        bare = replace(form, c=np.zeros_like(form.c))
        units = memory.of("units", shared, lambda: equilibrate(bare))
        return memory.latest("last units", units, Scaling.equals)

    def _in_units(self, compiled: Compiled, units: Scaling) -> Compiled:
        A = compiled.form.A
        matrix = self.joint.memory.of("matrix", (A, units), lambda: units.of_matrix(A))
        return compiled.in_units(with_cost(units, compiled.form), matrix)

    def run(self, task: Task) -> Answer:
        """Optimise on the face the member's locks leave, from the last holder's basis.

        The multipliers by constraint are those of the locked problem as declared; ``z`` are those
        of ``form``, the problem on the face.
        """
        form, names = task.native.scaled, holds(task.subproblem)
        if task.way.refined:
            self._refine_faces(names, task.watch)
        held, within = [self.faces[name] for name in names], self._face(form, names)
        name = task.subproblem.name
        vertex = self.corners.find(
            name, form, within, held, self.options, task.watch, correct=name in self._wanted
        )
        if not vertex.optimal:
            word = vertex.word if vertex.word is Status.NO_POINT else Status.FAILED
            said = f"{vertex.status} on the optimal face"
            return Answer(word, said=said, seconds=vertex.seconds)
        off = is_off(form.A, within.bounds(form), vertex.x)
        fine = off or task.way.refined or any(face.refined for face in held)
        vertex, mine = self._looked_at(task, within, vertex, fine=fine)
        missed = off and vertex.error is None
        if missed and (task.way.strict or not task.way.refined):
            return Answer(Status.FAILED, said=MISSED, seconds=vertex.seconds)
        y = -vertex.row_dual
        lifted, prices = lift(form, y, held)
        answer = answer_at(task.native, vertex.x, lifted, iterations=vertex.iterations)
        value = task.native.scaling.value(answer.claimed)
        locks = [task.subproblem.constraints[k].id for k, _ in single(task.subproblem.locks)]
        # A unit of a held objective is worth so many units of this one, both in the user's units.
        own = task.native.scaling.cost
        paid = [price * face.cost / own for price, face in zip(prices, held, strict=True)]
        return replace(
            answer,
            z=y[within.order],
            value=-value if task.subproblem.maximise else value,
            dual=answer.dual | dict(zip(locks, paid, strict=True)),
            seconds=vertex.seconds,
            form=replace(
                form,
                lower=within.lower,
                upper=within.upper,
                A=within.A,
                b=within.b,
                cones=within.cones,
            ),
            held=self._values(names, answer),
            doubts=self._doubts(names, vertex),
            doubt=DOUBT if missed else "",
            trace=(vertex, mine),
        )

    def _doubts(self, names: tuple[str, ...], vertex: Vertex) -> dict[str, float]:
        """Faces that were told with twice the digits leave no doubt to a point that was, too."""
        if vertex.error is None:
            return {}
        faces = {name: self.faces[name] for name in names}
        return {name: 0.0 for name, face in faces.items() if face.refined and not face.doubtful}

    def _values(self, names: tuple[str, ...], answer: Answer) -> dict[str, float] | None:
        """The held objectives at the point, where the compiled rows are the objectives."""
        point = answer.point
        if point is None:
            return None
        values = {}
        for name in names:
            form, sign = self.forms[name], -1.0 if self.members[name].maximise else 1.0
            values[name] = sign * (float(form.c @ point) + form.offset)
        return values

    def _face(self, form: StandardForm, names: tuple[str, ...]) -> LeftFace:
        """What is left where these are held: each face is that of the ones before, and one more."""
        if names not in self._known:
            before = self._face(form, names[:-1]) if names else None
            face = self.faces[names[-1]] if names else None
            self._known[names] = LeftFace.within(form, before, face)
        return self._known[names]

    def accepted(self, task: Task, answer: Answer) -> None:
        """Remember the member's optimal face for those that hold it."""
        name, (vertex, face) = task.subproblem.name, answer.trace
        self.corners.bases[name] = vertex.basis
        if face is not None:
            self.faces[name] = face
            self.kept[name] = task.native.scaled, task.native.scaling.cost, vertex

    def _looked_at(
        self, task: Task, within: LeftFace, vertex: Vertex, *, fine: bool
    ) -> tuple[Vertex, HeldFace | None]:
        """A vertex and its face, if somebody holds it: refined if asked for, or else unclear."""
        form, cost = task.native.scaled, task.native.scaling.cost
        if fine:
            vertex = self.corners.refined(form, within, vertex, task.watch)
        if task.subproblem.name not in self._wanted:
            return vertex, None
        face = self._face_of(form, cost, within, vertex)
        if face.unclear and not fine:
            return self._looked_at(task, within, vertex, fine=True)
        return vertex, face

    def _face_of(
        self, form: StandardForm, cost: float, within: LeftFace, vertex: Vertex
    ) -> HeldFace:
        sizes = self.joint.memory.of("sizes", (form.A,), lambda: Sizes(form.A))
        return HeldFace.of(form, cost, within, vertex, sizes)

    def _refine_faces(self, names: tuple[str, ...], watch: Watch) -> None:
        """Find the faces of these again, each within those before it."""
        for place, name in enumerate(names):
            if self.faces[name].refined:
                continue
            form, cost, vertex = self.kept[name]
            within = self._face(form, names[:place])
            vertex = self.corners.refined(form, within, vertex, watch)
            self.faces[name] = self._face_of(form, cost, within, vertex)
            self._known = {k: left for k, left in self._known.items() if name not in k}

    @cached_property
    def _wanted(self) -> frozenset[str]:
        """All whose optima are held."""
        return frozenset(name for member in self.members.values() for name in holds(member))

    @cached_property
    def _readers(self) -> list[Subproblem]:
        """The members whose objectives use earlier optima."""
        return [
            member
            for member in self.members.values()
            if any(REFERENCES.get(p) is not None for p in member.objective.parameters())
        ]
