"""Hold linear optima by their optimal face, on one warm HiGHS object for a whole chain.

Fixing what an optimum pins down (see ``canon.multipliers``) needs no slack, adds no row and keeps
the basis. It applies to linear problems over the same constraints, where each holds all that its
predecessors held, without tolerance, and HIGHS is asked first.
"""

from __future__ import annotations

import weakref
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from lexiprog.backends.highs import Vertex
from lexiprog.backends.refinement import DOUBT, MISSED, is_off
from lexiprog.backends.solver import EXACT, Ladder
from lexiprog.backends.strategies import Strategy
from lexiprog.canon.equilibration import equilibrate, is_mild, usual_units, with_cost
from lexiprog.canon.scaling import Scaling
from lexiprog.canon.standard_form import StandardForm
from lexiprog.compile.answer import Answer, HeldOptima
from lexiprog.compile.binding import bind_objective
from lexiprog.compile.task import Joint, Solutions, Task, join
from lexiprog.cvxpy_adapter import Compiled, answer_at
from lexiprog.deadline import Deadline
from lexiprog.model.lock import single
from lexiprog.model.references import REFERENCES
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.solve.face import Corners, FaceOptimum, FaceVertex, HeldFace, LeftFace, Telling, holds
from lexiprog.status import Status
from lexiprog.typing import Array, Constraint, Options


@dataclass
class FaceChain:
    """Linear problems over one feasible set, compiled as one with a weight on each objective."""

    members: dict[str, Subproblem]
    options: Options
    joint: Joint
    faces: dict[str, HeldFace] = field(default_factory=dict)
    forms: dict[str, StandardForm] = field(default_factory=dict)  # in the user's units
    kept: dict[str, tuple[Compiled, Vertex]] = field(default_factory=dict)
    corners: Corners = field(default_factory=Corners)
    _units: Scaling | None = None
    _known: dict[tuple[str, ...], LeftFace] = field(default_factory=dict)

    alone, same_rows = False, True

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

    def compile(self, subproblem: Subproblem, _: Strategy, solutions: Solutions) -> Compiled:
        """The shared problem with this member's objective; quick after the first time."""
        for other in self._readers:
            bind_objective(other, solutions)
        name = subproblem.name
        return self.in_common_units(name, self.joint.compile(name, self.options))

    def in_common_units(self, name: str, compiled: Compiled) -> Compiled:
        """The numbers of a member, in the units of all."""
        if not self.forms or self._units is None:
            units = self._own_units(compiled.form)
            if self._units is None or not self._units.is_near(units):
                self._units = units
        common = self._units
        self.forms[name] = compiled.form
        return self.joint.memory.of(
            ("compiled", name), (compiled, common), lambda: self._in_units(name, compiled, common)
        )

    def _own_units(self, form: StandardForm) -> Scaling:
        """The units of the shared numbers; the same object while they are the same."""
        memory, lasting = self.joint.memory, (form.A, form.lower, form.upper)
        usual = memory.of("usual units", lasting, lambda: usual_units(form))
        if usual is not None and is_mild(form.b):
            return usual
        # The matrix is shared, so its units cannot depend on one member's objective.
        bare = replace(form, c=np.zeros_like(form.c))
        units = memory.of("units", (*lasting, form.b), lambda: equilibrate(bare))
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
        corner = self.corner(member, compiled, task.deadline, refined=task.strategy.refined)
        level = FaceOptimum.of(corner, compiled.scaling.cost)
        vertex = level.vertex
        if not vertex.optimal:
            known = vertex.word is Status.NO_POINT or not self.same_rows
            word = vertex.word if known else Status.FAILED
            said = f"{vertex.status} on the optimal face" if member.locks else vertex.status
            return Answer(word, said=word if known else said, seconds=vertex.seconds)
        if level.missed and (task.strategy.strict or not task.strategy.refined):
            return Answer(Status.FAILED, said=MISSED, seconds=vertex.seconds)
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
            inaccurate=DOUBT if level.missed else "",
            held=HeldOptima(self._held_values(level, compiled), self._effects(level), level=level),
        )

    def _held_values(self, level: FaceOptimum, compiled: Compiled) -> dict[str, float]:
        """The objectives that are held at the point, as far as the form's columns are all of it."""
        if compiled.places is None:
            return {}
        point = compiled.form.within_bounds(compiled.scaling.point(level.vertex.x))
        return self.values(level.holds, point)

    def _effects(self, level: FaceOptimum) -> dict[str, float]:
        """Faces that were told with twice the digits leave no doubt to a point that was, too."""
        if level.vertex.error is None:
            return {}
        faces = {name: self.faces[name] for name in level.holds}
        return {name: 0.0 for name, face in faces.items() if face.refined and not face.doubtful}

    def corner(
        self,
        member: Subproblem,
        compiled: Compiled,
        deadline: Deadline | None = None,
        *,
        refined: bool = False,
    ) -> FaceVertex:
        """The vertex that is the member's optimum on the face that its locks leave.

        On a ``watch`` it is refined if it has to be; with ``refined`` in any case.
        """
        form, name, cost = compiled.scaled, member.name, compiled.scaling.cost
        names, tell = self._holds[name], self._telling
        if refined and deadline is not None:
            self._refine_faces(names, deadline)
        held, face = [self.faces[name] for name in names], self._face(form, names)
        wanted = name in self._wanted
        clear = not refined and not any(one.refined or one.unclear for one in held)
        # Where others have more rows, the last point may miss some of them.
        last = self.kept[names[-1]][1] if names and clear and self.same_rows else None
        if face.point and last is not None:
            same = self.corners.at(name, form, last)
            if same is not None:
                own = HeldFace.of_point(form, cost, same) if wanted else None
                return FaceVertex(form, face, names, held, same, own, off=None)
        vertex = self.corners.find(
            name, form, face, held, self.options, deadline, last, correct=wanted
        )
        own, off = None, None
        if vertex.optimal:
            if deadline is not None:
                off = is_off(form.A, face.bounds(form), vertex.x)
                if off or refined or any(one.refined for one in held):
                    vertex = tell.refined(name, compiled, face, vertex, deadline)
            if wanted:
                own = tell.face(name, compiled, face, vertex)
                if deadline is not None and own.unclear and vertex.error is None:
                    vertex = tell.refined(name, compiled, face, vertex, deadline)
                    own = tell.face(name, compiled, face, vertex)
        return FaceVertex(form, face, names, held, vertex, own, off)

    def _refine_faces(self, names: tuple[str, ...], deadline: Deadline) -> None:
        """Find the faces of these again, each within those before it."""
        for place, name in enumerate(names):
            if self.faces[name].refined:
                continue
            compiled, vertex = self.kept[name]
            within = self._face(compiled.scaled, names[:place])
            vertex = self._telling.refined(name, compiled, within, vertex, deadline)
            self.faces[name] = self._telling.face(name, compiled, within, vertex)
            self._known = {k: left for k, left in self._known.items() if name not in k}

    def values(self, names: tuple[str, ...], point: Array) -> dict[str, float]:
        """The held objectives at the point, where the compiled rows are the objectives."""
        found = {name: self.forms[name].objective(point) for name in names}
        return {name: -v if self.members[name].maximise else v for name, v in found.items()}

    def _face(self, form: StandardForm, names: tuple[str, ...]) -> LeftFace:
        """What is left where these are held: each face is that of the ones before, and one more."""
        if names not in self._known:
            before = self._face(form, names[:-1]) if names else None
            face = self.faces[names[-1]] if names else None
            self._known[names] = LeftFace.within(form, before, face)
        return self._known[names]

    def accepted(self, task: Task, answer: Answer) -> None:
        """Remember the member's optimal face for those that hold it."""
        if answer.held.level is not None:
            self.remember(task.subproblem, task.native, answer.held.level)

    def remember(
        self, member: Subproblem, compiled: Compiled, level: FaceOptimum | FaceVertex
    ) -> None:
        """Keep the basis of a certified vertex, and its face if somebody holds that."""
        name = member.name
        self.corners.bases[name] = level.vertex.basis
        if level.own is not None:
            self.faces[name] = level.own
            self.kept[name] = compiled, level.vertex

    @property
    def _telling(self) -> Telling:
        return Telling(self.corners, self.joint.memory)

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


# Find the linear chains of a program that a face lock can serve.


def find_chains(
    stages: Iterable[Stage],
    ladders: Mapping[str, Ladder],
    loosened: Iterable[str] = (),
) -> dict[str, FaceChain]:
    """The chain of every subproblem that belongs to one.

    Parameters
    ----------
    stages : iterable
        In order.
    ladders : mapping
        The solvers of each subproblem.
    loosened : iterable of str
        Subproblems whose lock has a tolerance that is not in its declaration.
    """
    loosened = set(loosened)
    groups: dict[Hashable, dict[str, Subproblem]] = {}
    starts: dict[Hashable, int] = {}
    level = {p.name: k for k, stage in enumerate(stages) for p in stage.subproblems}
    everyone = [p for stage in stages for p in stage.subproblems]
    wanted = {lock.owner_name for p in everyone for _, lock in p.locks}
    for subproblem in everyone:
        if not single(subproblem.locks) and subproblem.name not in wanted:
            continue  # neither holds nor is held
        if not is_linear(subproblem) or not _asks_highs(ladders[subproblem.name]):
            continue
        options = sorted((k, repr(v)) for k, v in ladders[subproblem.name][0].options.items())
        key = (own_constraints(subproblem), tuple(options))
        start = starts.setdefault(key, level[subproblem.name])
        group = groups.setdefault(key, {})
        if reads_nothing_later(subproblem, level, start) and _fits(subproblem, group, loosened):
            group[subproblem.name] = subproblem
    chains: dict[str, FaceChain] = {}
    for group in groups.values():
        locks = {name: single(member.locks) for name, member in group.items()}
        held = {lock.owner_name for own in locks.values() for _, lock in own}
        used = {name: member for name, member in group.items() if locks[name] or name in held}
        if held:
            first = next(iter(used))
            lead = ladders[first][0]
            chain = FaceChain(used, {} if lead.target == EXACT else lead.options, joined(used))
            chains |= dict.fromkeys(used, chain)
    return chains


def is_linear(subproblem: Subproblem) -> bool:
    """Whether it is a linear program with real variables, compiled once for all parameters."""
    return (
        not subproblem.gp
        and subproblem.fair is None
        and subproblem.dpp
        and subproblem.kind == "LP"
        and all(variable.is_real() for variable in subproblem.variables)
    )


def _asks_highs(ladder: Ladder) -> bool:
    return ladder[0].target in ("HIGHS", EXACT) and "highs_options" not in ladder[0].options


def reads_nothing_later(subproblem: Subproblem, level: Mapping[str, int], start: int) -> bool:
    """Whether what its objective reads is known at ``start``: all of a chain is compiled then."""
    return all(
        level.get(reference.owner_name, -1) < start  # an owner outside is solved already
        for parameter in subproblem.objective.parameters()
        if (reference := REFERENCES.get(parameter)) is not None
    )


def own_constraints(subproblem: Subproblem) -> frozenset[int]:
    """The ids of all constraints but the locks on single optima."""
    return frozenset(c.id for c in without_faces(subproblem))


def without_faces(subproblem: Subproblem) -> list[Constraint]:
    """All constraints but the locks on single optima: levels are kept by their rows."""
    faces = dict(single(subproblem.locks))
    return [c for k, c in enumerate(subproblem.constraints) if k not in faces]


def _fits(subproblem: Subproblem, group: Mapping[str, Subproblem], loosened: set[str]) -> bool:
    """Whether each of its locks is exact and its holders held nothing that it lets go."""
    held = {lock.owner_name for _, lock in subproblem.locks}
    for _, lock in single(subproblem.locks):
        owner = group.get(lock.owner_name)
        if owner is None or owner is not lock.owner() or lock.atol or lock.rtol:
            return False
        if lock.owner_name in loosened:
            return False
        if not {inner.owner_name for _, inner in owner.locks} <= held:
            return False
    return True


def held_apart(stages: Iterable[Stage]) -> set[str]:
    """Linear subproblems that are held by others which do not have all of their constraints."""
    locks = [
        (p, lock.owner()) for stage in stages for p in stage.subproblems for _, lock in p.locks
    ]
    return {
        owner.name
        for holder, owner in locks
        if owner is not None and owner.kind == holder.kind == "LP" and is_linear(owner)
        and not own_constraints(owner) <= own_constraints(holder)
    }  # fmt: skip


def joined(members: Mapping[str, Subproblem]) -> Joint:
    """All members as one problem, compiled once for as long as they live."""
    listed = list(members.values())
    # Members are kept weakly, or none would ever be freed.
    key = ("joint", *(weakref.ref(member) for member in listed))
    joint: Joint = listed[0].memory.once(key, lambda: _join(listed))
    return joint


def _join(members: list[Subproblem]) -> Joint:
    return join([(m.name, m.objective) for m in members], without_faces(members[0]))
