"""Run linear programs, and chains of them, in rational arithmetic."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple, get_args

import numpy as np
import scipy.sparse as sp

from lexiprog.backends.solver import Solver
from lexiprog.canon.scaling import Scaling
from lexiprog.canon.standard_form import StandardForm
from lexiprog.compile.answer import Answer, ExactAnswer, HeldOptima
from lexiprog.compile.rational_data import Fractions, exact_costs, exact_program, exact_references
from lexiprog.compile.task import Solutions, Strategy, Task, compile_for, prepare
from lexiprog.cvxpy_adapter import Compiled, answer_at, exact_parts
from lexiprog.deadline import OutOfTime
from lexiprog.model.lock import NO_SLACK, single
from lexiprog.model.subproblem import Subproblem
from lexiprog.rational.basis import ExactFace, Outcome
from lexiprog.rational.numbers import DEFAULT, ReadAs, nearest, read_floats
from lexiprog.rational.prover import Prover
from lexiprog.solve.face import held_names, lift
from lexiprog.solve.lp_chain import FaceChain
from lexiprog.solve.mixed_rows import owners_first
from lexiprog.status import Status
from lexiprog.typing import Array, Mask

_WORDS = {
    "infeasible": Status.INFEASIBLE,
    "unbounded": Status.UNBOUNDED,
    "time_limit": Status.NO_POINT,
}


@dataclass
class Exact:
    """Solves one linear program, or the members of one chain, and proves every answer.

    A chain's locks are exact faces: no rounded optimum stands between its levels.
    """

    chain: FaceChain | None = None
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    costs: dict[str, tuple[list[Fraction], Fraction]] = field(default_factory=dict)
    _prover: Prover | None = None

    alone = False

    def compile(self, subproblem: Subproblem, strategy: Strategy, solutions: Solutions) -> Compiled:
        """The numbers as HIGHS would get them."""
        if self.chain is not None:
            for name in held_names(subproblem):
                if name not in self.chain.forms:  # it was solved in an earlier call
                    self.chain.compile(self.chain.members[name], strategy, solutions)
            return self.chain.compile(subproblem, strategy, solutions)
        return compile_for(strategy.statement(subproblem), Solver("HIGHS"), {})

    def run(self, task: Task) -> Answer:
        """Solve this level, and those it holds if they were not solved exactly yet."""
        start = time.perf_counter()
        read_as = task.options.get("read_as", DEFAULT)
        if read_as not in get_args(ReadAs):
            raise ValueError(f"EXACT: read_as is one of {get_args(ReadAs)}, not {read_as!r}.")
        if task.deadline.over:  # reading the numbers alone would take longer
            return Answer(Status.NO_POINT, said="time_limit")
        try:
            if self._prover is None or self.chain is None:
                program = exact_program(task.native, task.fractions, read_as)
                self._prover = Prover(program, time_limit=task.options.get("time_limit"))
            self.costs[task.subproblem.name] = exact_costs(task.native, task.fractions, read_as)
        except OutOfTime:
            return Answer(Status.NO_POINT, said="time_limit")
        held = [] if self.chain is None else list(held_names(task.subproblem))
        levels = self._levels(task, held, read_as)
        seconds = time.perf_counter() - start
        if levels[-1].status != "optimal":
            return Answer(_WORDS[levels[-1].status], said=levels[-1].status, seconds=seconds)
        return replace(self._answer(task, held, levels, read_as), seconds=seconds)

    def _answer(
        self, task: Task, held: list[str], levels: list[Outcome], read_as: ReadAs
    ) -> Answer:
        """The last level's optimum, in floats and in fractions, with prices of the held ones."""
        last = levels[-1]
        if last.x is None or last.value is None:
            raise TypeError("an optimum has a point and a value")
        y, prices = locked_multipliers(levels)
        scaling = task.native.scaling
        x, z = scaling.scaled_point(last.x.floats()), scaling.scaled_multipliers(nearest(y))
        answer = answer_at(task.native, x, z, iterations=last.effort.pivots)
        if self.chain is not None and held:
            owners = [self.chain.forms[name] for name in held]
            limits = [
                (level.value or 0) - self._costs(name, read_as)[1]
                for level, name in zip(levels[:-1], held, strict=True)
            ]
            answer = _with_lock_rows(answer, scaling, owners, nearest(limits), nearest(prices))
        value = -last.value if task.subproblem.maximise else last.value
        primal, dual = exact_parts(task.native, list(last.x), y)
        locks = [] if self.chain is None else single(task.subproblem.locks)
        names = [task.subproblem.constraints[position].id for position, _ in locks]
        dual |= dict(zip(names, map(np.array, prices), strict=True))
        return replace(
            answer,
            value=float(value),
            dual=answer.dual | dict(zip(names, nearest(prices), strict=True)),
            exact=ExactAnswer(value, primal, dual),
            # Held by exact faces, whatever floats made of them.
            held=HeldOptima(effects=dict.fromkeys(held, 0.0)),
        )

    def _levels(self, task: Task, held: list[str], read_as: ReadAs) -> list[Outcome]:
        """The outcomes of the held levels in order, and of this one."""
        if self._prover is None:
            raise TypeError("a level is solved before its program is read")
        levels: list[Outcome] = []
        for name in [*held, task.subproblem.name]:
            if name not in self.outcomes or name == task.subproblem.name:
                costs, offset = self._costs(name, read_as)
                before = levels[-1] if levels else None
                self.outcomes[name] = self._prover.minimise(
                    costs,
                    offset,
                    face=before.face if before else None,
                    start=before.basis if before else None,
                    deadline=task.deadline,
                )
            levels.append(self.outcomes[name])
            if levels[-1].status != "optimal":
                break
        return levels

    def _costs(self, name: str, read_as: ReadAs) -> tuple[list[Fraction], Fraction]:
        """The objective of a level; of one that floats were enough for, as it is read."""
        if name not in self.costs and self.chain is not None:
            form = self.chain.forms[name]
            costs = read_floats(np.append(form.c, form.offset), read_as)
            self.costs[name] = costs[:-1], costs[-1]
        return self.costs[name]

    def accepted(self, task: Task, answer: Answer) -> None:
        """The outcome was kept already."""


class _Fixing(NamedTuple):
    """What an exact optimum fixes beyond those before it, for :func:`lift`."""

    y: Array
    reduced: Array
    pushing: Mask
    resting: Array

    @classmethod
    def of(cls, level: Outcome, before: ExactFace) -> _Fixing:
        if level.y is None or level.reduced is None:
            raise ValueError("Every level of a chain needs an optimum.")
        y, reduced = (np.array([list(part)], dtype=object)[0] for part in (level.y, level.reduced))
        pushing, fixed = np.zeros(y.size, dtype=bool), np.zeros(reduced.size, dtype=bool)
        pushing[list(level.face.rows - before.rows)] = True
        fixed[list(level.face.columns.keys() - before.columns.keys())] = True
        return cls(y, reduced, pushing, np.where(fixed, reduced, 0))


def locked_multipliers(levels: Sequence[Outcome]) -> tuple[list[Fraction], list[Fraction]]:
    """Multipliers of the last level's rows and locks, from those of each level on its face.

    Parameters
    ----------
    levels : sequence of Outcome
        In order, all optimal, each on the face of the one before.
    """
    before = [ExactFace(), *(level.face for level in levels)]
    *owners, last = (_Fixing.of(level, face) for level, face in zip(levels, before, strict=False))
    y, locks = lift(last.reduced[None], last.y[None], owners, [len(owners)], last.y.size)
    return y[0].tolist(), [Fraction(price) for price in locks[0]]


def _with_lock_rows(
    answer: Answer, scaling: Scaling, owners: list[StandardForm], limits: Array, prices: Array
) -> Answer:
    """The answer with a row for each held objective, since its multipliers belong to these too."""
    form, z = answer.form, answer.z
    if form is None or z is None:
        return answer
    costs = np.array([owner.c * scaling.columns for owner in owners])
    largest = np.abs(costs).max(axis=1)
    units = np.exp2(-np.round(np.log2(np.where(largest > 0.0, largest, 1.0))))
    rows = sp.vstack([form.A, sp.csr_array(units[:, None] * costs)], format="csc")
    cones = replace(form.cones, nonneg=form.cones.nonneg + len(owners))
    locked = replace(form, A=rows, b=np.concatenate([form.b, units * limits]), cones=cones)
    return replace(answer, form=locked, z=np.concatenate([z, prices * scaling.cost / units]))


@dataclass
class ExactResolve:
    """Levels over rows of their own, in fractions.

    What they hold is solved again exactly where floats were enough: the optimum of a lock is a
    fraction then, not a float.
    """

    known: dict[str, Fractions] = field(default_factory=dict)

    alone = False

    def compile(self, subproblem: Subproblem, strategy: Strategy, solutions: Solutions) -> Compiled:
        """The level's numbers; what it holds is solved on the way."""
        ours = dict(solutions)
        for owner in owners_first(subproblem):
            if owner is subproblem or ours[owner.name].exact is not None:
                continue
            answer = Exact().run(prepare(owner, strategy, ours, compiler=Exact().compile))
            if answer.exact is None:
                raise ArithmeticError(f"{owner.name!r} has no exact optimum")
            ours[owner.name] = replace(ours[owner.name], exact=answer.exact.value)
        read_as = strategy.solver.options.get("read_as", DEFAULT)
        self.known[subproblem.name] = exact_references(subproblem, ours, NO_SLACK, read_as)
        return Exact().compile(subproblem, strategy, solutions)

    def run(self, task: Task) -> Answer:
        """Solve with the fractions that are known."""
        fractions = {**task.fractions, **self.known[task.subproblem.name]}
        answer = Exact().run(replace(task, fractions=fractions))
        if answer.exact is None:
            return answer
        effects = dict.fromkeys(held_names(task.subproblem), 0.0)
        return replace(answer, held=HeldOptima(effects=effects))

    def accepted(self, task: Task, answer: Answer) -> None:
        """Each level solves again what it needs."""
