"""Linear levels in a row, each holding earlier optima, solved one after the other and then judged.

Small ones are solved in less time than it takes to prepare, judge and record each by itself. Here
the same numbers are found by the same runner and judged by the same certificate; only what lies
between two levels is done once for all. Whatever is out of the ordinary is not decided here: it is
solved again, stage by stage.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from types import MappingProxyType

import cvxpy as cp
import numpy as np

from lexiprog.backends.highs import HighsModel
from lexiprog.backends.refinement import is_off, misses
from lexiprog.backends.solver import Ladder, Solver, default_ladder
from lexiprog.canon.scaling import Scaling
from lexiprog.canon.standard_form import StandardForm
from lexiprog.certify.measures import LinearBatch, Measures, can_batch, measure, measure_batch
from lexiprog.compile.binding import Given, read_parameters
from lexiprog.compile.task import BRIEF, Joint
from lexiprog.cvxpy_adapter import Compiled
from lexiprog.errors import Interrupted
from lexiprog.model.expressions import as_float, dense, holding, read_only, read_only_copies
from lexiprog.model.lock import Lock
from lexiprog.model.stage import Stage, summary_of
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.evidence import Evidence, LockRecord, Price
from lexiprog.results.fingerprint import fingerprint_of
from lexiprog.results.result import Result
from lexiprog.results.solution import Solution, deferred
from lexiprog.sensitivity.gradient import gradient_of
from lexiprog.solve.certify import in_users_sense
from lexiprog.solve.face import Corners, FaceVertex, LeftFace, lift, paid_for
from lexiprog.solve.lp_chain import FaceChain, find_chains
from lexiprog.solve.options import SolveOptions
from lexiprog.solve.prices import linear_price
from lexiprog.status import Status
from lexiprog.tolerances import CERTIFIED, LOCK_DRIFT
from lexiprog.typing import Array, FreshOptions, Matrix, Options, Value, Values

# All levels of a lane judged at once: to do it to all takes little longer than to one.


@dataclass(frozen=True)
class Climbed:
    """What a level came to.

    Attributes
    ----------
    corner, compiled, checked
        The optimum on the face, the numbers it was found for, and its certificate.
    claimed : float
        The compiled objective at the vertex, to be minimised.
    point : ndarray
        The vertex in the user's units, brought within its bounds.
    multipliers, prices : ndarray, list of float
        Those of the rows as declared, and, in the user's units, those of the locks.
    held : list of float
        The objectives that it holds, at the point.
    """

    corner: FaceVertex
    compiled: Compiled
    checked: Measures
    claimed: float
    point: Array
    multipliers: Array
    prices: list[float]
    held: list[float]

    def variables(self) -> dict[int, Array]:
        """The values of the user's variables, by CVXPY's ids, which nobody can change."""
        places = self.compiled.places
        arrays = {} if places is None else places.variables(self.point)
        return {key: read_only(array) for key, array in arrays.items()}

    def evidence(self, member: Subproblem) -> Callable[[], Evidence]:
        """What makes the numbers behind the certificate, and keeps no more than it needs."""
        corner, scaling = self.corner, self.compiled.scaling
        kept = corner.form, corner.face, corner.vertex.x, corner.vertex.row_dual
        return partial(_evidence, member, scaling, *kept)


def _evidence(
    member: Subproblem,
    scaling: Scaling,
    form: StandardForm,
    face: LeftFace,
    x: Array,
    row_dual: Array,
) -> Evidence:
    return Evidence.at(member, scaling, face.form(form), x, -row_dual[face.rows.order])


def judged(
    names: Sequence[str], corners: Sequence[FaceVertex], ready: Sequence[Compiled], accept: float
) -> list[Climbed] | None:
    """Every level with its certificate; None if some point misses rows by more than rounding."""
    x = np.array([corner.vertex.x for corner in corners])
    y = -np.array([corner.vertex.row_dual for corner in corners])
    own = ready[0].scaling.point(x)  # the units of the columns are the same for all
    forms = [compiled.form for compiled in ready]
    claims = [form.objective(point) for form, point in zip(forms, own, strict=True)]
    scaled = [one.scaling.scaled_value(claim) for one, claim in zip(ready, claims, strict=True)]
    found = _checked(corners, x, y, scaled, accept)
    if found is None:
        return None
    checks, reduced = found
    inside = forms[0].within_bounds(own)
    costs, offsets = np.array([form.c for form in forms]), [form.offset for form in forms]
    signs = [1.0 if compiled.places is None else compiled.places.sign for compiled in ready]
    values = ((inside @ costs.T + offsets) * signs).tolist()  # of all objectives, as written
    places = {name: k for k, name in enumerate(names)}
    multipliers, prices = _lifted(corners, reduced, y, [one.scaling.cost for one in ready])
    return [
        Climbed(
            corner, compiled, checks[k], claims[k], inside[k], multipliers[k],
            prices[k][: len(corner.names)], [values[k][places[name]] for name in corner.names],
        )
        for k, (corner, compiled) in enumerate(zip(corners, ready, strict=True))
    ]  # fmt: skip


def _lifted(
    corners: Sequence[FaceVertex], reduced: Array, y: Array, costs: Sequence[float]
) -> tuple[Array, list[list[float]]]:
    """Multipliers of the rows as declared and of the locks: at once if each holds one more."""
    last, zero = corners[-1], corners[0].form.cones.zero
    holds = [len(corner.names) for corner in corners]
    grows = all(corner.names == last.names[: len(corner.names)] for corner in corners)
    if grows and holds == sorted(holds):
        every, locks = lift(reduced, y, last.held, holds, zero)
        return every, paid_for(locks, last.held, costs)
    alone = []
    for k, corner in enumerate(corners):
        one = slice(k, k + 1)
        own, locks = lift(reduced[one], y[one], corner.held, holds[one], zero)
        alone.append((own[0], paid_for(locks, corner.held, costs[one])[0]))
    return np.array([own for own, _ in alone]), [paid for _, paid in alone]


@np.errstate(over="ignore", invalid="ignore")  # a measure that overflows has failed
def _checked(
    corners: Sequence[FaceVertex], x: Array, y: Array, claims: Sequence[float], accept: float
) -> tuple[list[Measures], Array] | None:
    """Certificates, and the costs that the multipliers leave."""
    forms, faces = [corner.form for corner in corners], [corner.face for corner in corners]
    A, b = forms[0].A, forms[0].b
    c = np.array([form.c for form in forms])
    if not can_batch(forms[0]):
        return _one_by_one(corners, claims, accept)
    batch = LinearBatch(
        A, b, c, np.array([form.offset for form in forms]),
        np.array([face.lower for face in faces]), np.array([face.upper for face in faces]),
    )  # fmt: skip
    below, at = np.array([face.row_lower for face in faces]), batch.rows_at(x)
    if misses(batch.lower, x, batch.upper) or misses(below, at[1], b):
        return None
    equations = np.array([face.rows.fixed for face in faces])
    measured = measure_batch(batch, equations, x, y, claims, tolerance=accept, rows_at=at)
    checks = [
        one or _alone(corner, claim, accept)
        for one, corner, claim in zip(measured, corners, claims, strict=True)
    ]
    return checks, c + batch.pulled(y)


def _one_by_one(
    corners: Sequence[FaceVertex], claims: Sequence[float], accept: float
) -> tuple[list[Measures], Array] | None:
    """The same where there is no short way."""
    for corner in corners:
        if is_off(corner.form.A, corner.face.bounds(corner.form), corner.vertex.x):
            return None
    checks = [_alone(corner, claim, accept) for corner, claim in zip(corners, claims, strict=True)]
    forms = [(corner.form, corner.vertex.row_dual) for corner in corners]
    return checks, np.array([form.c + form.transpose_product(-y) for form, y in forms])


def _alone(corner: FaceVertex, claim: float, accept: float) -> Measures:
    form, z = corner.on_face
    return measure(form, corner.vertex.x, z, claimed=claim, tolerance=accept)


# One level of a lane: what is known of it beforehand, and the record of its optimum.


class _Held:
    """A lock of a level: where it stands, and the names of what it comes to."""

    __slots__ = ("effect", "label", "limit", "lock", "position", "row")

    def __init__(self, position: int, row: int, lock: Lock, limit: cp.Parameter, label: str):
        self.position, self.row, self.lock = position, row, lock
        self.limit, self.label, self.effect = limit, label, f"{lock.owner_name}.held"


class Rung:
    """A level as it was declared, with all that every solve of it needs to know.

    Parameters
    ----------
    stage : str
        Where it stands.
    member : Subproblem
        A linear problem that refers to nothing but the optima it holds exactly.
    """

    def __init__(self, stage: str, member: Subproblem) -> None:
        self.stage, self.name, self.member = stage, member.name, member
        limits = {id(reference.lock): (p, reference.label) for p, reference in member.references}
        self.locks = [
            _Held(position, member.constraints[position].id, lock, *limits[id(lock)])
            for position, lock in member.locks
        ]
        self._digest = partial(fingerprint_of, member)  # made when somebody asks for it
        self._rows = {constraint.id: k for k, constraint in enumerate(member.constraints)}

    def solution(
        self,
        found: Climbed,
        arrays: Mapping[int, Array],
        value: float,
        known: tuple[Values, Mapping[int, Value]],
        before: Mapping[str, Solution],
        optima: Mapping[str, Value],
        solver: Solver,
    ) -> Solution | None:
        """The record of a certified optimum; None if anything is in doubt.

        ``arrays`` are the variables by CVXPY's ids, ``value`` is the objective as the user wrote
        it, ``known`` are the parameters by name and by id, ``before`` the earlier levels and
        ``optima`` their values as arrays.
        """
        member, compiled, vertex = self.member, found.compiled, found.corner.vertex
        scaling, places = compiled.scaling, compiled.places
        if places is None:
            return None
        certificate, unit = found.checked.certificate, 1.0 / scaling.cost
        size = unit + abs(value)
        # The claim must also hold for the problem as the user wrote it.
        mismatch = abs(places.sign * found.claimed - value) / size
        if mismatch > certificate.claim:
            certificate = replace(certificate, claim=mismatch)
        if not certificate.proved or found.checked.bound is None:
            return None
        constants, effects = dict(known[1]), {}
        references: dict[str, Value] = {}
        drifts: list[float] = []
        multipliers = places.multipliers(scaling.multipliers(found.multipliers))
        for one, price, at in zip(self.locks, found.prices, found.held, strict=True):
            name = one.lock.owner_name
            owner = before[name]
            drift = max(owner.value - at if one.lock.maximise else at - owner.value, 0.0)
            if not drift <= LOCK_DRIFT * owner.size:
                return None
            drifts.append(drift)
            constants[one.limit.id] = references[one.label] = optima[name]
            effects[one.effect] = abs(price) * owner.uncertainty
            multipliers[one.row] = read_only(price)
        if not sum(effects.values()) <= solver.accept * size:
            return None
        variables = {}
        for key, variable in zip(member.keys, member.variables, strict=True):
            variables[key] = constants[variable.id] = arrays[variable.id]
        return Solution(
            name=self.name,
            stage=self.stage,
            value=value,
            status=Status.OPTIMAL,
            solver=solver.name,
            certificate=certificate,
            variables=MappingProxyType(variables),
            bound=in_users_sense(member, scaling, found.checked.bound),
            unit=unit,
            duals=tuple(multipliers.get(key) for key in self._rows),
            options=solver.options,
            timings={"compile": compiled.seconds, "solve": vertex.seconds},
            iterations=vertex.iterations,
            parameters=known[0],
            references=MappingProxyType(references),
            locks=deferred(partial(self._records, references, constants, drifts)),
            effects=effects,
            digest=deferred(self._digest),
            evidence=deferred(found.evidence(member)),
            _leaves=constants,
            _rows=self._rows,
        )

    def _records(
        self, references: Mapping[str, Value], constants: Mapping[int, Value], drifts: list[float]
    ) -> tuple[LockRecord, ...]:
        """How the earlier optima were held."""
        return tuple(
            LockRecord(
                one.lock.owner_name, "face", float(references[one.label]), 0.0, 0.0, drift,
                Price(find=partial(linear_price, self.member, constants, one.position, one.lock)),
            )
            for one, drift in zip(self.locks, drifts, strict=True)
        )  # fmt: skip


class Lanes:
    """The lanes of one program: which there are depends on the solvers asked for."""

    def __init__(self) -> None:
        self._known: dict[float, FastLane | None] = {}

    def of(self, stages: Sequence[Stage], ladders: Mapping[str, Ladder | None]) -> FastLane | None:
        """The lane that all stages together are, if HIGHS is asked without any options."""
        solve_options = {
            CERTIFIED if ladder is None else _plain(ladder[0]) for ladder in ladders.values()
        }
        accept = solve_options.pop()
        if solve_options or accept is None:
            return None
        if accept not in self._known:
            self._known[accept] = _lane(stages, Solver("HIGHS", accept=accept))
        return self._known[accept]


def _plain(solver: Solver) -> float | None:
    """What HIGHS without options is to accept; None if it is another, or has options."""
    plain = solver.target == "HIGHS" and not solver.options
    return solver.accept if plain and solver.gap is solver.time_limit is None else None


def _lane(stages: Sequence[Stage], solver: Solver) -> FastLane | None:
    if len(stages) < 2 or any(len(stage.subproblems) != 1 for stage in stages):
        return None
    members = [stage.subproblems[0] for stage in stages]
    chains = find_chains(stages, {member.name: (solver,) for member in members})
    if len(chains) != len(stages) or len({id(chain) for chain in chains.values()}) > 1:
        return None
    for member in members:
        owners = {reference.owner_name for _, reference in member.references}
        if not len(member.references) == len(member.locks) == len(owners):
            return None
        if any(isinstance(parameter, cp.CallbackParam) for parameter in member.inputs):
            return None
    rungs = tuple(Rung(s.name, m) for s, m in zip(stages, members, strict=True))
    return FastLane(rungs, chains[members[0].name].joint, solver)


@dataclass(frozen=True)
class FastLane:
    """The levels of a program whose every stage is one of them."""

    rungs: tuple[Rung, ...]
    joint: Joint
    solver: Solver
    # A HiGHS object that nobody uses now, by process: to make one takes as long as a small level.
    _spare: dict[int, tuple[FreshOptions, HighsModel]] = field(default_factory=dict)

    def solve(self, given: Given, tick: Callable[[str], None]) -> dict[str, Solution] | None:
        """Every level's certified optimum; None if the stages should see to it themselves."""
        members = {rung.name: rung.member for rung in self.rungs}
        taken: list[tuple[FreshOptions, HighsModel]] = []

        def session(A: Matrix, options: Options) -> HighsModel:
            taken.append(self._session(A, dict(options)))
            return taken[-1][1]

        chain = FaceChain(members, self.solver.options, self.joint, corners=Corners(session))
        inputs, ready = given.undisturbed(lambda: (self._inputs(), self._compiled(chain)))
        if ready is None:
            return None
        corners = self._corners(chain, ready)
        if corners is None:
            return None
        self._spare[os.getpid()] = taken[-1]
        found = judged([rung.name for rung in self.rungs], corners, ready, self.solver.accept)
        if found is None:
            return None
        points = [one.variables() for one in found]
        values = given.undisturbed(lambda: self._values(points))
        solutions: dict[str, Solution] = {}
        optima: dict[str, Value] = {}
        for rung, one, point, value, known in zip(
            self.rungs, found, points, values, inputs, strict=True
        ):
            solution = rung.solution(one, point, value, known, solutions, optima, self.solver)
            if solution is None:
                return None
            solutions[rung.name], optima[rung.name] = solution, read_only(value)
        for name, limit in self._limits:
            limit.save_value(optima[name])
        for name in solutions:
            tick(name)
        return solutions

    @cached_property
    def _limits(self) -> list[tuple[str, cp.Parameter]]:
        """The placeholders of held optima with the names of their owners, each once."""
        held = {id(one.limit): one for rung in self.rungs for one in rung.locks}
        return [(one.lock.owner_name, one.limit) for one in held.values()]

    def _session(self, A: Matrix, options: FreshOptions) -> tuple[FreshOptions, HighsModel]:
        """One over this matrix that begins from nothing, as new."""
        kept = self._spare.pop(os.getpid(), None)
        if kept is not None and kept[0] == options and kept[1].has_matrix(A):
            return kept
        return options, HighsModel(A, options)

    def _inputs(self) -> list[tuple[Values, Mapping[int, Value]]]:
        """The user's parameters by name and by id, the same objects for levels that share them."""
        out: list[tuple[Values, Mapping[int, Value]]] = []
        for rung, before in zip(self.rungs, (None, *self.rungs), strict=False):
            own = rung.member.parameters
            # By their ids: CVXPY takes == between parameters for a constraint.
            if before is None or [p.id for p in own] != [p.id for p in before.member.parameters]:
                named = read_only_copies(read_parameters(rung.member))
                out.append((named, {p.id: np.array(dense(p.value)) for p in own}))
            else:
                out.append(out[-1])
        return out

    def _compiled(self, chain: FaceChain) -> list[Compiled] | None:
        """The numbers of all levels; None if they are too many, or not only to be cut up."""
        every = self.joint.together()
        for compiled in every.values():
            form = compiled.form
            if compiled.places is None or form.A.nnz + form.b.size + form.c.size > BRIEF:
                return None
        return [chain.in_common_units(r.name, every[r.name]) for r in self.rungs] if every else None

    def _corners(self, chain: FaceChain, ready: list[Compiled]) -> list[FaceVertex] | None:
        """All levels' vertices, if HiGHS finds an optimum on every face and each face is clear."""
        corners = []
        for rung, compiled in zip(self.rungs, ready, strict=True):
            try:
                corner = chain.corner(rung.member, compiled)
            except Exception:  # noqa: BLE001 - the stages will meet it again, and tell
                return None
            x = corner.vertex.x
            if not corner.vertex.optimal or np.count_nonzero(np.isfinite(x)) < x.size:
                return None
            if corner.own is not None and corner.own.unclear:
                return None
            chain.remember(rung.member, compiled, corner)
            corners.append(corner)
        return corners

    def _values(self, points: Sequence[Mapping[int, Array]]) -> list[float]:
        """The objectives as the user wrote them, at the points."""
        out = []
        with holding(()) as held:
            for rung, point in zip(self.rungs, points, strict=True):
                for variable in rung.member.variables:
                    held.put(variable, point[variable.id])
                out.append(as_float(rung.member.objective.expr.value))
        return out


# A whole result, whichever way its solutions were found.


def through_lane(
    stages: tuple[Stage, ...],
    ladders: Mapping[str, Ladder | None],
    lanes: Lanes,
    tick: Callable[[str], None],
    given: Given | None,
    solve_options: SolveOptions | None,
) -> Result | None:
    """The whole result, where the stages are a lane and nothing else is wished for."""
    if given is None or solve_options is None or not solve_options.plain:
        return None
    lane = lanes.of(stages, ladders)
    try:
        found = None if lane is None else lane.solve(given, tick)
    except KeyboardInterrupt as error:
        raise interrupted(result_of(stages, {}, ladders), len(ladders)) from error
    return None if found is None else result_of(stages, found, ladders)


def interrupted(found_so_far: Result, of: int) -> Interrupted:
    """What Ctrl-C raises, with what was solved before."""
    done = f"interrupted with {len(found_so_far)} of {of} subproblems solved; "
    advice = "go on with program.solve(resume=error.partial)."
    return Interrupted(done + advice, partial=found_so_far)


def result_of(
    stages: tuple[Stage, ...],
    found: Mapping[str, Solution],
    ladders: Mapping[str, Ladder | None],
) -> Result:
    """What was found, to be shown with the solvers that each was to be tried with."""
    names = {stage.name: tuple(p.name for p in stage.subproblems) for stage in stages}

    def solvers(subproblem: Subproblem) -> list[str]:
        ladder = ladders[subproblem.name] or default_ladder(subproblem.kind)
        return [solver.name for solver in ladder]

    summary, derive = partial(summary_of, stages, solvers), partial(gradient_of, stages)
    return Result(names, found, summary, derive)
