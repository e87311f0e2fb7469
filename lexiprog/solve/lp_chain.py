"""Hold linear optima by their optimal face, on one warm HiGHS object for a whole chain.

Fixing what an optimum pins down (see ``canon.multipliers``) needs no slack, adds no row and keeps
the basis. It applies to linear problems over the same constraints, where each holds all that its
predecessors held, without tolerance, and HIGHS is asked first.
"""

from __future__ import annotations

import weakref
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from lexiprog.backends.highs import Vertex
from lexiprog.backends.refinement import DOUBT, MISSED, is_off
from lexiprog.backends.solver import EXACT, FallbackSolvers
from lexiprog.canon.equilibration import equilibrate, is_mild, usual_units, with_cost
from lexiprog.canon.scaling import Scaling
from lexiprog.canon.standard_form import StandardForm
from lexiprog.compile.answer import Answer, HeldOptima
from lexiprog.compile.binding import bind_objective
from lexiprog.compile.task import Joint, Solutions, Strategy, Task, join
from lexiprog.cvxpy_adapter import Compiled, answer_at
from lexiprog.deadline import Deadline
from lexiprog.model.lock import single
from lexiprog.model.references import REFERENCES
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.solve.face import (
    FaceIdentification,
    FaceOptimum,
    FaceVertex,
    HeldFace,
    LinearFace,
    VertexFinder,
    held_names,
)
from lexiprog.status import Status
from lexiprog.typing import Array, Constraint, Mask, Options, cached_property


@dataclass
class FaceChain:
    """Linear problems over one matrix, compiled as one with a weight on each objective.

    Attributes
    ----------
    absent : mapping, optional
        The rows that each member does not have; without it all have the same rows.
    faces, forms, kept : dict
        By member: the optimal face, the problem in the user's units, and the vertex.
    """

    members: dict[str, Subproblem]
    options: Options
    joint: Joint
    absent: Mapping[str, Mask | None] | None = None
    faces: dict[str, HeldFace] = field(default_factory=dict)
    forms: dict[str, StandardForm] = field(default_factory=dict)
    kept: dict[str, tuple[Compiled, Vertex]] = field(default_factory=dict)
    finder: VertexFinder = field(default_factory=VertexFinder)
    _units: Scaling | None = None
    _remaining: dict[tuple[str, ...], LinearFace] = field(default_factory=dict)

    alone = False

    def serves(self, member: Subproblem) -> bool:
        """Whether the faces of all optima that it holds are known."""
        return all(lock.owner_name in self.faces for _, lock in single(member.locks))

    def follow(self, before: FaceChain) -> None:
        """Start each member from the basis that it ended at in an earlier solve."""
        self.finder.follow(before.finder)
        self._units = before._units

    def doubtful(self, member: Subproblem) -> list[str]:
        """The held optima whose face rounding may have changed."""
        faces = ((name, self.faces.get(name)) for name in held_names(member))
        return [name for name, face in faces if face is not None and face.uncertain]

    def compile(self, subproblem: Subproblem, _: Strategy, solutions: Solutions) -> Compiled:
        """The shared problem with this member's objective; quick after the first time."""
        for other in self._readers:
            bind_objective(other, solutions)
        name = subproblem.name
        compiled = self.joint.compile(name, self.options)
        absent = None if self.absent is None else self.absent[name]
        if absent is not None:  # units are those of all rows
            self._units = self._units or self._common_units(compiled.form)
            b = np.where(absent, np.inf, compiled.form.b)
            compiled = replace(compiled, given=replace(compiled.form, b=b))
        return self.in_common_units(name, compiled)

    def in_common_units(self, name: str, compiled: Compiled) -> Compiled:
        """The numbers of a member, in the units of all."""
        if not self.forms or self._units is None:
            units = self._common_units(compiled.form)
            if self._units is None or not self._units.is_near(units):
                self._units = units
        common = self._units
        self.forms[name] = compiled.form
        return self.joint.memory.of(
            ("compiled", name), (compiled, common), lambda: self._in_units(name, compiled, common)
        )

    def _common_units(self, form: StandardForm) -> Scaling:
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
        """Optimise on the face the member's locks leave, from the last owner's basis.

        The multipliers by constraint are those of the locked problem as declared; ``z`` are those
        of ``form``, the problem on the face.
        """
        member, compiled = task.subproblem, task.native
        best = self.optimum(member, compiled, task.deadline, refined=task.strategy.refined)
        level = FaceOptimum.of(best, compiled.scaling.cost)
        vertex = level.vertex
        if not vertex.optimal:
            known = vertex.word is Status.NO_POINT or self.absent is not None
            word = vertex.word if known else Status.FAILED
            said = f"{vertex.status} on the optimal face" if member.locks else vertex.status
            return Answer(word, said=word if known else said, seconds=vertex.seconds)
        if level.missed and (task.strategy.strict or not task.strategy.refined):
            return Answer(Status.FAILED, reason=MISSED, seconds=vertex.seconds)
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
        if compiled.index_map is None:
            return {}
        point = compiled.form.within_bounds(compiled.scaling.point(level.vertex.x))
        return self.values(level.holds, point)

    def _effects(self, level: FaceOptimum) -> dict[str, float]:
        """Faces that were found with twice the digits leave no doubt to a point that was, too."""
        if level.vertex.error is None:
            return {}
        faces = {name: self.faces[name] for name in level.holds}
        return {name: 0.0 for name, face in faces.items() if face.refined and not face.ambiguous}

    def vertex(
        self, member: Subproblem, compiled: Compiled, deadline: Deadline | None = None,
        *, warm: bool = True,
    ) -> FaceVertex:  # fmt: skip
        """The best vertex of the face that the member's locks leave, in floats.

        Without ``warm`` the last owner's vertex is not tried first.
        """
        form, name = compiled.scaled, member.name
        names, wanted = self._holds[name], name in self._wanted
        held, face = [self.faces[owner] for owner in names], self._face(form, name, names)
        clear = warm and not any(owner.refined or owner.uncertain for owner in held)
        # Where others have more rows, the last point may miss some of them.
        last = self.kept[names[-1]][1] if names and clear and self.absent is None else None
        if face.point and last is not None:
            same = self.finder.at(name, form, last)
            if same is not None:
                own = HeldFace.of_point(form, compiled.scaling.cost, same) if wanted else None
                return FaceVertex(form, face, names, held, same, own, off=None)
        vertex = self.finder.find(
            name, form, face, held, self.options, deadline, last, correct=wanted
        )
        own = None
        if wanted and vertex.optimal:
            own = self._identification.face(name, compiled, face, vertex)
        return FaceVertex(form, face, names, held, vertex, own, off=None)

    def optimum(
        self, member: Subproblem, compiled: Compiled, deadline: Deadline, *, refined: bool = False
    ) -> FaceVertex:
        """The same, with twice the digits where it needs them; with ``refined`` in any case.

        It needs them if it misses rows by more than rounding, if its face is ambiguous, or if a
        face that it is on was found with them.
        """
        name, identify = member.name, self._identification
        if refined:
            self._refine_faces(self._holds[name], deadline)
        best = self.vertex(member, compiled, deadline, warm=not refined)
        form, face = best.form, best.face
        if not best.vertex.optimal:
            return best
        best.off = is_off(form.A, face.bounds(form), best.vertex.x)
        needed = best.off or refined or any(owner.refined for owner in best.held)
        if needed or (best.own is not None and best.own.uncertain):
            best.vertex = identify.refined(name, compiled, face, best.vertex, deadline)
            if best.own is not None:
                best.own = identify.face(name, compiled, face, best.vertex)
        return best

    def _refine_faces(self, names: tuple[str, ...], deadline: Deadline) -> None:
        """Find the faces of these again, each within those before it."""
        for place, name in enumerate(names):
            if self.faces[name].refined:
                continue
            compiled, vertex = self.kept[name]
            within = self._face(compiled.scaled, name, names[:place])
            vertex = self._identification.refined(name, compiled, within, vertex, deadline)
            self.faces[name] = self._identification.face(name, compiled, within, vertex)
            self._remaining = {k: f for k, f in self._remaining.items() if name not in k}

    def values(self, names: tuple[str, ...], point: Array) -> dict[str, float]:
        """The held objectives at the point, where the compiled rows are the objectives."""
        values = {name: self.forms[name].objective(point) for name in names}
        return {name: -v if self.members[name].maximise else v for name, v in values.items()}

    def _face(self, form: StandardForm, name: str, held: tuple[str, ...]) -> LinearFace:
        """What is left to a member where these are held, each face within those before it."""
        if self.absent is not None:
            face = LinearFace.whole(form, self.absent[name])
            for owner in held:
                face = face.intersect(self.faces[owner], form)
            return face
        if held not in self._remaining:
            if held:
                before = self._face(form, name, held[:-1])
                self._remaining[held] = before.intersect(self.faces[held[-1]], form)
            else:
                self._remaining[held] = LinearFace.whole(form)
        return self._remaining[held]

    def accepted(self, task: Task, answer: Answer) -> None:
        """Remember the member's optimal face for those that hold it."""
        if answer.held.level is not None:
            self.remember(task.subproblem, task.native, answer.held.level)

    def remember(
        self, member: Subproblem, compiled: Compiled, level: FaceOptimum | FaceVertex
    ) -> None:
        """Keep the basis of a vertex, and its face if somebody holds that."""
        name = member.name
        self.finder.bases[name] = level.vertex.basis
        if level.own is not None:
            self.faces[name] = level.own
            self.kept[name] = compiled, level.vertex

    def forget(self, names: Iterable[str]) -> None:
        """Drop what was remembered of members that are not certified."""
        for name in names:
            self.finder.bases.pop(name, None)
            self.faces.pop(name, None)
            self.kept.pop(name, None)
            self._remaining = {k: f for k, f in self._remaining.items() if name not in k}

    @property
    def _identification(self) -> FaceIdentification:
        return FaceIdentification(self.finder, self.joint.memory)

    @cached_property
    def _holds(self) -> dict[str, tuple[str, ...]]:
        """Whose optima each member holds."""
        return {name: held_names(member) for name, member in self.members.items()}

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


def find_chains(
    stages: Iterable[Stage],
    ladders: Mapping[str, FallbackSolvers],
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
    chains: dict[str, FaceChain] = {}
    for group in _groups(tuple(stages), ladders, set(loosened)):
        locks = {name: single(member.locks) for name, member in group.items()}
        held = {lock.owner_name for listed in locks.values() for _, lock in listed}
        used = {name: member for name, member in group.items() if locks[name] or name in held}
        if held:
            lead = ladders[next(iter(used))][0]
            chain = FaceChain(used, {} if lead.target == EXACT else lead.options, joined(used))
            chains |= dict.fromkeys(used, chain)
    return chains


def _groups(
    stages: tuple[Stage, ...], ladders: Mapping[str, FallbackSolvers], loosened: set[str]
) -> Iterable[dict[str, Subproblem]]:
    """Linear subproblems with the same constraints and options, whose locks are exact."""
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
    return groups.values()


def is_linear(subproblem: Subproblem) -> bool:
    """Whether it is a linear program with real variables, compiled once for all parameters."""
    return (
        not subproblem.gp
        and subproblem.fair is None
        and subproblem.dpp
        and subproblem.kind == "LP"
        and all(variable.is_real() for variable in subproblem.variables)
    )


def _asks_highs(ladder: FallbackSolvers) -> bool:
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
    """Whether each of its locks is exact and its holders held nothing that it excludes."""
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
