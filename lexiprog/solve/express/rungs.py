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
        self.locks: list[tuple[int, Lock, cp.Parameter, str]] = [
            (position, lock, *limits[id(lock)]) for position, lock in member.locks
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
        solver: Solver,
    ) -> Solution | None:
        """The record of a certified optimum; None if anything is in doubt.

        ``arrays`` are the variables by CVXPY's ids, ``value`` is the objective as the user wrote
        it, ``known`` are the parameters by name and by id, ``before`` the earlier levels.
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
        records: list[LockRecord] = []
        for (position, lock, limit, label), price, at in zip(
            self.locks, found.prices, found.held, strict=True
        ):
            owner = before[lock.owner_name]
            drift = max(owner.value - at if lock.maximise else at - owner.value, 0.0)
            if not drift <= LOOSE * owner.size:
                return None
            constants[limit.id] = references[label] = read_only(owner.value)
            find = partial(linear_price, member, constants, position, lock)
            records.append(
                LockRecord(lock.owner_name, "face", owner.value, 0.0, 0.0, drift, Price(find=find))
            )
            effects[f"{lock.owner_name}.held"] = abs(price) * owner.uncertainty
        if not sum(effects.values()) <= solver.accept * size:
            return None
        for _, _, limit, label in self.locks:
            limit.save_value(references[label])
        multipliers = places.multipliers(scaling.multipliers(found.multipliers))
        for (position, *_), price in zip(self.locks, found.prices, strict=True):
            multipliers[member.constraints[position].id] = read_only(price)
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
            locks=tuple(records),
            effects=effects,
            digest=self._digest,  # type: ignore[arg-type]  # made when asked
            evidence=found.evidence(member),  # type: ignore[arg-type]  # made when asked
            _leaves=constants,
            _rows=self._rows,
        )
