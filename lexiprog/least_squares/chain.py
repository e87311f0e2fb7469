"""Stages that are levels of one hierarchy of least squares: recognised, solved and recorded."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import numpy as np

from lexiprog.certify.certificate import Certificate
from lexiprog.compile.binding import Given, read_parameters
from lexiprog.deadline import Deadline, OutOfTime
from lexiprog.errors import LexiprogWarning
from lexiprog.least_squares.active_set import ActiveSet, NoActiveSet, find
from lexiprog.least_squares.check import MET, Check, check_levels
from lexiprog.least_squares.hierarchy import INFINITE_END, Hierarchy
from lexiprog.least_squares.numbers import HierarchyMap
from lexiprog.least_squares.repeated import certificate_of
from lexiprog.least_squares.tasks import OBJECTIVES, least_squares_of
from lexiprog.model.expressions import as_float, dense, holding, read_only, read_only_copies
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.evidence import LockRecord
from lexiprog.results.fingerprint import fingerprint_of
from lexiprog.results.solution import Solution, deferred
from lexiprog.status import Status
from lexiprog.tolerances import VALUE_ROUNDING
from lexiprog.typing import Array, Constraint, Multiplier, Value, Values

ACTIVE_SET = "ACTIVE_SET"  # who is named as the solver
DOES = "on one active set for all levels, held on a basis of what they leave open"
# Rows times columns that full matrices are used for.
LARGEST = 300_000


@dataclass(frozen=True)
class LeastSquaresChain:
    """The first stages of a program, if they are levels of one hierarchy of least squares."""

    members: tuple[tuple[str, Subproblem], ...]  # with the names of their stages
    maps: HierarchyMap
    offsets: tuple[float, ...]  # what the user's objectives add to the sums of squares

    @classmethod
    def of(cls, stages: Sequence[Stage], least: int = 2) -> LeastSquaresChain | None:
        """Those stages as a chain; None if they are too few, unless it was declared as one."""
        members: list[tuple[str, Subproblem]] = []
        levels = []
        for stage in stages:
            if len(stage.subproblems) != 1 or stage.solver is not None:
                break
            member = stage.subproblems[0]
            level = least_squares_of(member.objective, general=len(stages) > 1)
            if level is None or not _continues(member, members):
                break
            members.append((stage.name, member))
            levels.append(level)
        declared = bool(members) and OBJECTIVES.get(members[0][1].objective) is not None
        if len(members) < (1 if declared else least):
            return None
        maps = HierarchyMap.of(
            levels, _constraints(members[0][1]), [member.name for _, member in members]
        )
        if maps is None or maps.entries > LARGEST:
            return None
        return cls(tuple(members), maps, tuple(level.offset for level in levels))

    @property
    def names(self) -> frozenset[str]:
        """Of the subproblems."""
        return frozenset(member.name for _, member in self.members)

    def solve(self, given: Given, deadline: Deadline | None = None) -> dict[str, Solution]:
        """The optima of all levels; none if they are not proved in time, so that others may try."""
        begun = time.perf_counter()
        inputs, values = given.undisturbed(lambda: (self._inputs(), self.maps.rows.read()))
        hierarchy = self.maps.at(values)
        self._tell_of_infinite_ends(values)
        compiled = time.perf_counter()
        try:
            held = find(hierarchy, self.maps.rank, deadline=deadline)
        except (NoActiveSet, OutOfTime):
            return {}
        found = check_levels(hierarchy, held)
        if not self.is_proved(hierarchy, held, found):
            return {}
        seconds = {"compile": compiled - begun, "solve": time.perf_counter() - compiled}
        arrays = {key: read_only(value) for key, value in self.maps.variables(held.point.x).items()}
        written = given.undisturbed(lambda: self._values(arrays))
        record = _Record(self, hierarchy, held, found, arrays, inputs, seconds)
        return record.solutions(written)

    def is_proved(self, hierarchy: Hierarchy, held: ActiveSet, found: Check) -> bool:
        """Whether constraints are met and every level is optimal; with damping, no level is."""
        met = not (self.maps.hard and found.violations[hierarchy.rows(0)].any())
        proved = found.passed or self.maps.rank.damping > 0.0
        beyond = float(np.abs(held.at).max(initial=0.0))  # infinite ends may be meant as numbers
        return met and proved and beyond < INFINITE_END

    def _inputs(self) -> tuple[Values, Mapping[int, Value]]:
        """The user's parameters by name and by id."""
        named: dict[str, Value] = {}
        by_id: dict[int, Value] = {}
        for _, member in self.members:
            named |= read_parameters(member)
            by_id |= {p.id: np.array(dense(p.value)) for p in member.parameters}
        return read_only_copies(named), by_id

    def _values(self, arrays: Mapping[int, Array]) -> list[float]:
        """The objectives as the user wrote them."""
        with holding(()) as held:
            for variable in {v.id: v for _, m in self.members for v in m.variables}.values():
                held.put(variable, arrays[variable.id])
            return [as_float(member.objective.expr.value) for _, member in self.members]

    def _tell_of_infinite_ends(self, values: Array) -> None:
        taken = self.maps.infinite_ends(values)
        if taken:
            warnings.warn(
                f"{taken} ends that parameters give are {INFINITE_END:g} or more, which is taken "
                "for infinity.",
                LexiprogWarning,
                stacklevel=5,
            )


@dataclass(frozen=True)
class _Record:
    """What was found, to be written down level by level."""

    chain: LeastSquaresChain
    hierarchy: Hierarchy
    held: ActiveSet
    found: Check
    arrays: Mapping[int, Array]
    inputs: tuple[Values, Mapping[int, Value]]
    seconds: Mapping[str, float]

    def solutions(self, written: list[float]) -> dict[str, Solution]:
        solutions: dict[str, Solution] = {}
        for place, ((stage, member), value) in enumerate(
            zip(self.chain.members, written, strict=True)
        ):
            level = place + self.chain.maps.first
            certificate = self._certificate(level, value, self.chain.offsets[place])
            damped = self.chain.maps.rank.damping > 0.0
            if not (certificate.passed or damped):
                return {}
            solutions[member.name] = self._solution(
                stage, member, level, value, certificate, solutions
            )
        self._bind(solutions)
        return solutions

    def _certificate(self, level: int, value: float, offset: float) -> Certificate:
        found = self.found
        terms = self.held.size[self.hierarchy.rows(level)]
        expected = float(found.values[level])
        # What is added to the squares may cancel them in the objective as it is written.
        rounding = (
            float(np.sum((MET * terms) ** 2))
            if not offset
            else VALUE_ROUNDING * (abs(offset) + float(terms @ terms))
        )
        off = max(abs(value - offset - expected) - rounding, 0.0)
        size = abs(offset) + expected
        size += float(np.abs(found.violations[self.hierarchy.rows(level)]) @ terms)
        return certificate_of(found, level, off / size if size else off)

    def _solution(
        self,
        stage: str,
        member: Subproblem,
        level: int,
        value: float,
        certificate: Certificate,
        before: Mapping[str, Solution],
    ) -> Solution:
        limits = {id(reference.lock): (p, reference.label) for p, reference in member.references}
        constants = dict(self.inputs[1])
        references: dict[str, Value] = {}
        locks = []
        for _, lock in member.locks:
            limit, label = limits[id(lock)]
            owner = before[lock.owner_name]
            constants[limit.id] = references[label] = read_only(owner.value)
            locks.append(LockRecord(lock.owner_name, "face", owner.value, 0.0))
        variables = {
            key: self.arrays[v.id] for key, v in zip(member.keys, member.variables, strict=True)
        }
        constants |= {v.id: self.arrays[v.id] for v in member.variables}
        worth = value * float(self.found.gap[level])
        point, damped = self.held.point, self.chain.maps.rank.damping > 0.0
        return Solution(
            name=member.name,
            stage=stage,
            value=value,
            status=Status.INACCURATE if damped else Status.OPTIMAL,
            solver=ACTIVE_SET,
            certificate=certificate,
            variables=MappingProxyType(variables),
            bound=None if damped else max(value - worth, 0.0),
            duals=self._duals(member, level),
            timings=self.seconds,
            iterations=self.held.decompositions,
            parameters=self.inputs[0],
            references=MappingProxyType(references),
            locks=tuple(locks),
            effects={f"{lock.name}.held": 0.0 for lock in locks},
            rank={
                "rank": float(point.ranks[level, 0]),
                "rows": float(
                    np.count_nonzero(self.hierarchy.matrix.level_of[self.held.rows] == level)
                ),
                "smallest used pivot": float(point.pivots[level, 0]),
                "largest unused pivot": float(point.pivots[level, 1]),
                "largest entry": float(np.abs(point.x).max()),
            },
            digest=deferred(partial(fingerprint_of, member)),
            _leaves=constants,
            _rows={constraint.id: k for k, constraint in enumerate(member.constraints)},
        )

    def _duals(self, member: Subproblem, level: int) -> tuple[Multiplier | None, ...]:
        """Multipliers of the constraints; what is held has none."""
        maps, h = self.chain.maps, self.hierarchy
        by_row = np.zeros(h.lower.size)
        by_row[self.held.rows] = (
            2.0 * self.held.point.multipliers[:, level] / h.matrix.norms[self.held.rows]
        )
        own = by_row[maps.bounds.size :]
        known = {part.id: part.of(own) for part in maps.rows.dual}
        return tuple(known.get(constraint.id) for constraint in member.constraints)

    def _bind(self, solutions: Mapping[str, Solution]) -> None:
        """Leave the placeholders of what is held with their values, as every solve does."""
        for _, member in self.chain.members:
            for placeholder, reference in member.references:
                placeholder.save_value(np.array(solutions[reference.owner_name].value))


def _constraints(member: Subproblem) -> list[Constraint]:
    """Those that hold nothing."""
    locks = {position for position, _ in member.locks}
    return [c for position, c in enumerate(member.constraints) if position not in locks]


def _continues(member: Subproblem, before: Sequence[tuple[str, Subproblem]]) -> bool:
    """Whether it has the constraints of the levels before, holds them exactly, and no more."""
    if member.integer or member.gp or member.fair is not None or not member.dpp:
        return False
    return holds_exactly(member, [earlier.name for _, earlier in before]) and (
        not before or _same(_constraints(member), _constraints(before[0][1]))
    )


def holds_exactly(member: Subproblem, names: Sequence[str]) -> bool:
    """Whether it holds these optima, each once and without tolerance, and refers to no others."""
    locks = [lock for _, lock in member.locks]
    if any(lock.loose or lock.fair or lock.parameters for lock in locks):
        return False
    owners = [lock.owner_name for lock in locks]
    return sorted(owners) == sorted(names) and len(member.references) == len(names)


def _same(ones: Sequence[Constraint], others: Sequence[Constraint]) -> bool:
    """Whether these are the same objects: CVXPY takes == for a constraint."""
    pairs = zip(ones, others, strict=False)
    return len(ones) == len(others) and all(one is other for one, other in pairs)
