"""Levels of one linear chain: solved one after the other, then certified together.

Small levels are solved in less time than it takes to prepare, certify and record each by itself.
The same vertices and certificates are found here; only what lies between two levels is done once
for all. Whatever is out of the ordinary is left to the stages, and so are the levels after it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import cvxpy as cp
import numpy as np

from lexiprog.backends.highs import HighsModel
from lexiprog.backends.refinement import is_off, misses
from lexiprog.backends.solver import FallbackSolvers, Solver
from lexiprog.canon.scaling import Scaling
from lexiprog.canon.standard_form import StandardForm
from lexiprog.certify.measures import LinearBatch, Measures, can_batch, measure, measure_batch
from lexiprog.compile.binding import Given, read_parameters
from lexiprog.compile.task import BRIEF, Joint
from lexiprog.cvxpy_adapter import Compiled
from lexiprog.model.expressions import as_float, dense, holding, read_only, read_only_copies
from lexiprog.model.lock import Lock
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.evidence import Evidence, LockRecord, Price
from lexiprog.results.fingerprint import fingerprint_of
from lexiprog.results.solution import Solution, deferred, names_inside
from lexiprog.solve.certify import in_users_terms
from lexiprog.solve.face import FaceVertex, LinearFace, VertexFinder, lifted
from lexiprog.solve.lp_chain import FaceChain, find_chains
from lexiprog.solve.prices import linear_price
from lexiprog.status import Status
from lexiprog.tolerances import CERTIFIED, LOCK_DRIFT
from lexiprog.typing import Array, Value, Values, cached_property

if TYPE_CHECKING:
    from lexiprog.least_squares.chain import LeastSquaresChain


@dataclass(frozen=True)
class CertifiedVertex:
    """A level's optimum.

    Attributes
    ----------
    best, compiled, checked
        The vertex of the face, the numbers it was found for, and its certificate.
    claimed : float
        The compiled objective at the vertex, to be minimised.
    point : ndarray
        The vertex in the user's units, brought within its bounds.
    multipliers, prices : ndarray, list of float
        Those of the rows as declared, and, in the user's units, those of the locks.
    held : dict of str to float
        The objectives that it holds, at the point.
    """

    best: FaceVertex
    compiled: Compiled
    checked: Measures
    claimed: float
    point: Array
    multipliers: Array
    prices: list[float]
    held: dict[str, float]

    def variables(self) -> dict[int, Array]:
        """The values of the user's variables, by CVXPY's ids, which nobody can change."""
        places = self.compiled.index_map
        arrays = {} if places is None else places.variables(self.point)
        return {key: read_only(array) for key, array in arrays.items()}

    def evidence(self, member: Subproblem) -> Callable[[], Evidence]:
        """What makes the numbers behind the certificate, and keeps no more than it needs."""
        best, scaling = self.best, self.compiled.scaling
        kept = best.form, best.face, best.vertex.x, best.vertex.row_dual
        return partial(_evidence, member, scaling, *kept)


def _evidence(
    member: Subproblem,
    scaling: Scaling,
    form: StandardForm,
    face: LinearFace,
    x: Array,
    row_dual: Array,
) -> Evidence:
    return Evidence.at(member, scaling, face.restrict(form), x, -row_dual[face.rows.order])


def certify_all(
    chain: FaceChain, vertices: Sequence[FaceVertex], ready: Sequence[Compiled], accept: float
) -> list[CertifiedVertex]:
    """Every vertex with its certificate, up to the first that misses rows by more than rounding."""
    x = np.array([best.vertex.x for best in vertices])
    y = -np.array([best.vertex.row_dual for best in vertices])
    forms = [numbers.form for numbers in ready]
    points = ready[0].scaling.point(x)  # the units of the columns are the same for all
    claims = [form.objective(point) for form, point in zip(forms, points, strict=True)]
    scaled = [numbers.scaling.scaled_value(v) for numbers, v in zip(ready, claims, strict=True)]
    checks, reduced = _checked(vertices, x, y, scaled, accept, written=lambda: ready[0].written)
    if len(checks) < len(vertices):
        most = len(checks)
        return certify_all(chain, vertices[:most], ready[:most], accept) if most else []
    inside = forms[0].within_bounds(points)
    units = [numbers.scaling.cost for numbers in ready]
    multipliers, prices = lifted(vertices, reduced, y, units)
    return [
        CertifiedVertex(
            best, ready[k], checks[k], claims[k], inside[k], multipliers[k],
            prices[k][: len(best.names)], chain.values(best.names, inside[k]),
        )
        for k, best in enumerate(vertices)
    ]  # fmt: skip


# A measure that overflows has failed; slopes of zero are divided by where nobody looks.
@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def _checked(
    vertices: Sequence[FaceVertex], x: Array, y: Array, claims: Sequence[float], accept: float,
    *, written: Callable[[], bool],
) -> tuple[list[Measures], Array]:  # fmt: skip
    """Certificates up to the first that misses its rows, and the costs that multipliers leave."""
    batch, most, forms = _batch(vertices), len(vertices), [best.form for best in vertices]
    at = None if batch is None else batch.rows_at(x)
    if batch is None or at is None or _misses(batch, vertices, x, at[1]):
        most = next((k for k, best in enumerate(vertices) if _is_off(best)), most)
    if batch is None:
        reduced = [form.c + form.transpose_product(z) for form, z in zip(forms, y, strict=True)]
        return _certificates([None] * most, vertices, claims, accept, written=written), np.array(
            reduced
        )
    equations = np.array([best.face.rows.fixed for best in vertices])
    measured = measure_batch(
        batch, equations, x, y, claims, tolerance=accept, written=written, rows_at=at
    )
    checks = _certificates(measured[:most], vertices, claims, accept, written=written)
    return checks, batch.c + batch.pulled(y)


def _batch(vertices: Sequence[FaceVertex]) -> LinearBatch | None:
    """All problems on their faces, to be measured together; None if there is no short way."""
    forms, faces = [best.form for best in vertices], [best.face for best in vertices]
    if not can_batch(forms[0]):
        return None
    return LinearBatch(
        forms[0].A, forms[0].b, np.array([form.c for form in forms]),
        np.array([form.offset for form in forms]), np.array([face.lower for face in faces]),
        np.array([face.upper for face in faces]),
    )  # fmt: skip


def _misses(batch: LinearBatch, vertices: Sequence[FaceVertex], x: Array, rows: Array) -> bool:
    """Whether some point is off its bounds or rows by more than rounding."""
    below = np.array([best.face.row_lower for best in vertices])
    return misses(batch.lower, x, batch.upper) or misses(below, rows, batch.b)


def _is_off(best: FaceVertex) -> bool:
    return is_off(best.form.A, best.face.bounds(best.form), best.vertex.x)


def _certificates(
    measured: Sequence[Measures | None],
    vertices: Sequence[FaceVertex],
    claims: Sequence[float],
    accept: float,
    *,
    written: Callable[[], bool],
) -> list[Measures]:
    """Of as many as were measured; where that was not enough, each by itself."""
    return [
        _alone(best, claim, accept, written=written) if measures is None else measures
        for measures, best, claim in zip(measured, vertices, claims, strict=False)
    ]


def _alone(
    best: FaceVertex, claim: float, accept: float, *, written: Callable[[], bool]
) -> Measures:
    form, z = best.on_face
    found = measure(form, best.vertex.x, z, claimed=claim, tolerance=accept)
    if "rows" not in found.certificate.failures or written():
        return found
    return measure(form, best.vertex.x, z, claimed=claim, tolerance=accept, rows="computed")


class _Held(NamedTuple):
    """A lock of a level: where it stands, and the names of what it comes to."""

    position: int
    row: int
    lock: Lock
    limit: cp.Parameter
    label: str
    effect: str


class LinearLevel:
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
            _Held(position, member.constraints[position].id, lock, *limits[id(lock)],
                  f"{lock.owner_name}.held")
            for position, lock in member.locks
        ]  # fmt: skip
        self._digest = partial(fingerprint_of, member)  # made when somebody asks for it
        self._rows = {constraint.id: k for k, constraint in enumerate(member.constraints)}
        self._places = names_inside(member) | {"_rows": self._rows}

    def solution(
        self,
        best: CertifiedVertex,
        arrays: Mapping[int, Array],
        value: float,
        inputs: tuple[Values, Mapping[int, Value]],
        before: Mapping[str, Solution],
        optima: Mapping[str, Value],
        solver: Solver,
    ) -> Solution | None:
        """The record of a certified optimum; None if it is not plainly proved.

        ``arrays`` are the variables by CVXPY's ids, ``value`` is the objective as the user wrote
        it, ``inputs`` are the parameters by name and by id, ``before`` the earlier levels and
        ``optima`` their values as arrays.
        """
        member, compiled, vertex = self.member, best.compiled, best.best.vertex
        scaling, index_map = compiled.scaling, compiled.index_map
        unit = 1.0 / scaling.cost
        size = unit + abs(value)
        claimed = np.inf if index_map is None else index_map.sign * best.claimed
        measured = in_users_terms(member, scaling, best.checked, value, claimed)
        certificate = measured.certificate
        if index_map is None or not certificate.proved or measured.bound is None:
            return None
        constants, effects = dict(inputs[1]), {}
        references, drifts = dict[str, Value](), list[float]()
        multipliers = index_map.multipliers(scaling.multipliers(best.multipliers))
        for held, price in zip(self.locks, best.prices, strict=True):
            name = held.lock.owner_name
            owner, at = before[name], best.held[name]
            drifts.append(max(owner.value - at if held.lock.maximise else at - owner.value, 0.0))
            if not drifts[-1] <= LOCK_DRIFT * owner.size:
                return None
            constants[held.limit.id] = references[held.label] = optima[name]
            effects[held.effect] = abs(price) * owner.uncertainty
            multipliers[held.row] = read_only(price)
        if not sum(effects.values()) <= solver.accept * size:
            return None
        variables = {k: arrays[v.id] for k, v in zip(member.keys, member.variables, strict=True)}
        constants |= {v.id: arrays[v.id] for v in member.variables}
        return Solution(
            name=self.name,
            stage=self.stage,
            value=value,
            status=Status.OPTIMAL,
            solver=solver.name,
            certificate=certificate,
            variables=MappingProxyType(variables),
            bound=measured.bound,
            unit=unit,
            duals=tuple(multipliers.get(key) for key in self._rows),
            options=solver.options,
            timings={"compile": compiled.seconds, "solve": vertex.seconds},
            iterations=vertex.iterations,
            parameters=inputs[0],
            references=MappingProxyType(references),
            locks=deferred(partial(self._records, references, constants, drifts)),
            effects=effects,
            digest=deferred(self._digest),
            evidence=deferred(best.evidence(member)),
            _leaves=constants,
            **self._places,
        )

    def _records(
        self, references: Mapping[str, Value], constants: Mapping[int, Value], drifts: list[float]
    ) -> tuple[LockRecord, ...]:
        """How the earlier optima were held."""
        return tuple(
            LockRecord(
                held.lock.owner_name, "face", float(references[held.label]), 0.0, 0.0, drift,
                Price(find=partial(linear_price, self.member, constants, held.position, held.lock)),
            )
            for held, drift in zip(self.locks, drifts, strict=True)
        )  # fmt: skip


@dataclass(frozen=True)
class LevelBatch:
    """The levels of a program whose every stage is one of them."""

    levels: tuple[LinearLevel, ...]
    joint: Joint
    solver: Solver
    # A HiGHS model that nobody uses now, by process: to make one takes as long as a small level.
    _spare: dict[int, HighsModel] = field(default_factory=dict)

    @classmethod
    def of(cls, stages: Sequence[Stage], solver: Solver) -> LevelBatch | None:
        """The batch that all stages together are; None if they are not."""
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
        levels = tuple(LinearLevel(s.name, m) for s, m in zip(stages, members, strict=True))
        return cls(levels, chains[members[0].name].joint, solver)

    def solve(self, given: Given) -> tuple[FaceChain, dict[str, Solution]]:
        """The optima of the first levels, up to one that the stages should see to themselves.

        The chain knows the faces of those that were found.
        """
        members = {level.name: level.member for level in self.levels}
        finder = VertexFinder(model=self._spare.pop(os.getpid(), None))
        chain = FaceChain(members, self.solver.options, self.joint, finder=finder)
        inputs, ready = given.undisturbed(lambda: (self._inputs(), self._compiled(chain)))
        vertices = self._vertices(chain, ready)
        ready = ready[: len(vertices)]
        best = certify_all(chain, vertices, ready, self.solver.accept) if vertices else []
        points = [vertex.variables() for vertex in best]
        values = given.undisturbed(lambda: self._values(points))
        solutions: dict[str, Solution] = {}
        optima: dict[str, Value] = {}
        for level, vertex, point, value, known in zip(
            self.levels, best, points, values, inputs, strict=False
        ):
            solution = level.solution(vertex, point, value, known, solutions, optima, self.solver)
            if solution is None:
                break
            solutions[level.name], optima[level.name] = solution, read_only(value)
        for name, limit in self._limits:
            if name in optima:
                limit.save_value(optima[name])
        if len(solutions) < len(members):
            chain.forget(members.keys() - solutions.keys())
        elif finder.model is not None:
            self._spare[os.getpid()] = finder.model
        return chain, solutions

    @cached_property
    def _limits(self) -> list[tuple[str, cp.Parameter]]:
        """The placeholders of held optima with the names of their owners, each once."""
        held = {id(lock.limit): lock for level in self.levels for lock in level.locks}
        return [(lock.lock.owner_name, lock.limit) for lock in held.values()]

    def _inputs(self) -> list[tuple[Values, Mapping[int, Value]]]:
        """The user's parameters by name and by id, the same objects for levels that share them."""
        out: list[tuple[Values, Mapping[int, Value]]] = []
        for level, before in zip(self.levels, (None, *self.levels), strict=False):
            own = level.member.parameters
            # By their ids: CVXPY takes == between parameters for a constraint.
            if before is None or [p.id for p in own] != [p.id for p in before.member.parameters]:
                named = read_only_copies(read_parameters(level.member))
                out.append((named, {p.id: np.array(dense(p.value)) for p in own}))
            else:
                out.append(out[-1])
        return out

    def _compiled(self, chain: FaceChain) -> list[Compiled]:
        """The numbers of all levels; none if they are too many, or not only to be cut up."""
        every = self.joint.together()
        for compiled in every.values():
            form = compiled.form
            if compiled.index_map is None or form.A.nnz + form.b.size + form.c.size > BRIEF:
                return []
        return [chain.in_common_units(p.name, every[p.name]) for p in self.levels] if every else []

    def _vertices(self, chain: FaceChain, ready: list[Compiled]) -> list[FaceVertex]:
        """The levels' vertices, as far as HiGHS finds one on a face that is clear."""
        vertices: list[FaceVertex] = []
        for level, compiled in zip(self.levels, ready, strict=False):
            try:
                best = chain.vertex(level.member, compiled)
            except Exception:  # noqa: BLE001 - the stages will meet it again, and tell
                break
            x = best.vertex.x
            if not best.vertex.optimal or np.count_nonzero(np.isfinite(x)) < x.size:
                break
            if best.own is not None and best.own.uncertain:
                break
            chain.remember(level.member, compiled, best)
            vertices.append(best)
        return vertices

    def _values(self, points: Sequence[Mapping[int, Array]]) -> list[float]:
        """The objectives as the user wrote them, at the points."""
        out = []
        with holding(()) as held:
            for level, point in zip(self.levels, points, strict=False):
                for variable in level.member.variables:
                    held.put(variable, point[variable.id])
                out.append(as_float(level.member.objective.expr.value))
        return out


class LevelBatches:
    """The batches of one program: which there are depends on the solvers asked for."""

    def __init__(self) -> None:
        self._known: dict[float, LevelBatch | None] = {}
        self._least_squares: list[LeastSquaresChain | None] = []

    def least_squares(
        self, stages: Sequence[Stage], ladders: Mapping[str, FallbackSolvers | None]
    ) -> LeastSquaresChain | None:
        """The first stages as a hierarchy of least squares, if no solver is asked for there."""
        if stages[0].subproblems[0].kind != "QP":
            return None
        if not self._least_squares:
            from lexiprog.least_squares.chain import LeastSquaresChain

            self._least_squares.append(LeastSquaresChain.of(stages))
        chain = self._least_squares[0]
        asked = chain is not None and any(ladders[name] is not None for name in chain.names)
        return None if asked else chain

    def of(
        self, stages: Sequence[Stage], ladders: Mapping[str, FallbackSolvers | None]
    ) -> LevelBatch | None:
        """The batch of all stages, if HIGHS is asked without any options."""
        wanted = {CERTIFIED if ladder is None else _plain(ladder[0]) for ladder in ladders.values()}
        accept = wanted.pop()
        if wanted or accept is None:
            return None
        if accept not in self._known:
            self._known[accept] = LevelBatch.of(stages, Solver("HIGHS", accept=accept))
        return self._known[accept]


def _plain(solver: Solver) -> float | None:
    """What HIGHS without options is to accept; None if it is another, or has options."""
    plain = solver.target == "HIGHS" and not solver.options
    return solver.accept if plain and solver.gap is solver.time_limit is None else None
