"""One level of a lane: what is known of it beforehand, and the record of its optimum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Array, Value, Values
from lexiprog.compile.cvxpy_door import Compiled
from lexiprog.declare.leaves import read_only_copies
from lexiprog.declare.lock import Lock
from lexiprog.declare.subproblem import Subproblem
from lexiprog.proof.certify import Checked
from lexiprog.result.digest import digest_of
from lexiprog.result.evidence import Evidence
from lexiprog.result.lock_record import LockRecord, Price
from lexiprog.result.solution import Solution
from lexiprog.runners.held_face import FaceOptimum
from lexiprog.solve.price import linear_price
from lexiprog.solve.second_opinion import LOOSE
from lexiprog.solve.verdict import in_users_sense
from lexiprog.solvers.solver import Solver
from lexiprog.status import Status

__all__ = ["Climbed", "Rung"]


@dataclass(frozen=True)
class Climbed:
    """What a level came to.

    Attributes
    ----------
    level, compiled, checked
        The optimum on the face, the numbers it was found for, and its certificate.
    claimed : float
        The compiled objective at the vertex, to be minimised.
    arrays, held : mapping
        At the vertex, brought within its bounds: the variables by CVXPY's ids, and the objectives
        that it holds.
    """

    level: FaceOptimum
    compiled: Compiled
    checked: Checked
    claimed: float
    arrays: Mapping[int, Array]
    held: Mapping[str, float]


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
        self._digest: Any = partial(digest_of, member)  # made when somebody asks for it
        self._rows = {constraint.id: k for k, constraint in enumerate(member.constraints)}

    def solution(
        self,
        found: Climbed,
        value: float,
        known: tuple[Values, Mapping[int, Value]],
        before: Mapping[str, Solution],
        solver: Solver,
    ) -> Solution | None:
        """The record of a certified optimum; None if anything is in doubt.

        ``value`` is the objective as the user wrote it, ``known`` are the parameters by name and
        by id, ``before`` the earlier levels.
        """
        member, scaling = self.member, found.compiled.scaling
        places = found.compiled.places
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
        parameters, constants = known[0], dict(known[1])
        references, records, effects = {}, [], {}
        for (position, lock, limit, label), price in zip(
            self.locks, found.level.prices, strict=True
        ):
            owner = before[lock.owner_name]
            at = found.held[lock.owner_name]
            drift = max(owner.value - at if lock.maximise else at - owner.value, 0.0)
            if not drift <= LOOSE * owner.size:
                return None
            constants[limit.id] = references[label] = np.array(owner.value)
            find = partial(linear_price, member, constants, position, lock)
            records.append(
                LockRecord(lock.owner_name, "face", owner.value, 0.0, 0.0, drift, Price(find=find))
            )
            effects[f"{lock.owner_name}.held"] = abs(price) * owner.uncertainty
        if not sum(effects.values()) <= solver.accept * size:
            return None
        for _, _, limit, label in self.locks:
            limit.save_value(references[label])
        multipliers = places.multipliers(scaling.multipliers(found.level.multipliers))
        for (position, *_), price in zip(self.locks, found.level.prices, strict=True):
            multipliers[member.constraints[position].id] = np.array(price)
        variables = read_only_copies(
            {
                key: found.arrays[variable.id]
                for key, variable in zip(member.keys, member.variables, strict=True)
            }
        )
        for variable, array in zip(member.variables, variables.values(), strict=True):
            constants[variable.id] = array
        level = found.level
        return Solution(
            name=self.name,
            stage=self.stage,
            value=value,
            status=Status.OPTIMAL,
            solver=solver.name,
            certificate=certificate,
            variables=variables,
            bound=in_users_sense(member, scaling, found.checked.bound),
            unit=unit,
            duals=tuple(multipliers.get(key) for key in self._rows),
            options=solver.options,
            timings={"compile": found.compiled.seconds, "solve": level.vertex.seconds},
            iterations=level.vertex.iterations,
            parameters=parameters,
            references=references,
            locks=tuple(records),
            effects=effects,
            digest=self._digest,
            evidence=Evidence.at(member, scaling, level.form, level.vertex.x, level.z),
            _leaves=constants,
            _rows=self._rows,
        )
