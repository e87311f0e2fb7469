"""One level of a lane: what is known of it beforehand, and the record of its optimum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType

import cvxpy as cp

from lexiprog.aliases import Array, Value, Values
from lexiprog.declare.leaves import read_only
from lexiprog.declare.lock import Lock
from lexiprog.declare.subproblem import Subproblem
from lexiprog.result.digest import digest_of
from lexiprog.result.lock_record import LockRecord, Price
from lexiprog.result.solution import Solution
from lexiprog.solve.bare_point import in_users_sense
from lexiprog.solve.express.judging import Climbed
from lexiprog.solve.price import linear_price
from lexiprog.solve.second_opinion import LOOSE
from lexiprog.solvers.solver import Solver
from lexiprog.status import Status

__all__ = ["Rung"]


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
        self._digest = partial(digest_of, member)  # made when somebody asks for it
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
            if not drift <= LOOSE * owner.size:
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
            locks=partial(self._records, references, constants, drifts),  # type: ignore[arg-type]
            effects=effects,
            digest=self._digest,  # type: ignore[arg-type]  # made when asked
            evidence=found.evidence(member),  # type: ignore[arg-type]  # made when asked
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
