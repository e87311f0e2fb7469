"""An irreducible infeasible subset of constraints and bounds: nothing of it can be left out.

Constraints of the user's list come first, with all bounds in force; then the bounds of variables,
then integrality, then single entries of arrays. So every constraint of the conflict is needed even
where all bounds stay, which is how one tries it out: by deleting lines.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import cvxpy as cp
import numpy as np
from numpy.typing import NDArray

from lexiprog import cvxpy_adapter
from lexiprog.backends.solver import default_fallbacks, words_of
from lexiprog.canon.multipliers import is_real
from lexiprog.canon.scaling import Scaling
from lexiprog.compile.answer import Answer
from lexiprog.cvxpy_adapter import Compiled, Prepared
from lexiprog.deadline import Deadline
from lexiprog.infeasibility.demands import Demand, Demands, asked_by, elastic
from lexiprog.model.expressions import kind_of
from lexiprog.model.subproblem import Subproblem
from lexiprog.status import Status
from lexiprog.tolerances import CONFLICT_VIOLATION
from lexiprog.typing import Array, Constraint, Value

# Seconds that an explanation may take if the call has no limit.
SECONDS = 20.0
# More entries than this are not tried one by one.
MOST_ENTRIES = 2000


class Feasibility:
    """Whether demands can be met together, asked of solvers for as long as there is time."""

    def __init__(self, variables: Sequence[cp.Variable], *, gp: bool, deadline: Deadline) -> None:
        self._variables = list(variables)
        self._gp, self._deadline = gp, deadline
        self._longest = [0.0]  # seconds that a question took

    def about(self, variables: Sequence[cp.Variable]) -> Feasibility:
        """The same for other variables."""
        other = Feasibility(variables, gp=self._gp, deadline=self._deadline)
        other._longest = self._longest
        return other

    def possible(self, demands: Sequence[Demand]) -> bool | None:
        """Whether some point meets all of them; None if nobody can say."""
        # Compiling a question cannot be stopped: none is asked that the last ones had no time for.
        if self._deadline.should_stop or self._deadline.left() < self._longest[0]:
            return None
        begun = time.monotonic()
        try:
            return self._asked(demands)
        finally:
            self._longest[0] = max(self._longest[0], time.monotonic() - begun)

    def _asked(self, demands: Sequence[Demand]) -> bool | None:
        problem = cp.Problem(cp.Minimize(self._nothing()), [d.stated() for d in demands])
        if not problem.variables():  # nothing is asked
            return True
        status = quick_answer(problem, gp=self._gp, deadline=self._deadline).status
        if status in (Status.OPTIMAL, Status.UNBOUNDED):
            return True
        if status in (Status.INFEASIBLE, Status.EITHER):  # nothing improves without limit here
            return False
        if problem.is_mixed_integer() or self._gp:
            return None
        slack = cp.Variable(nonneg=True)
        miss = self._softened(demands, (), slack)[0].value
        if miss < CONFLICT_VIOLATION:
            return True
        return False if miss > 10 * CONFLICT_VIOLATION else None  # None also if it is not a number

    def support(
        self, soft: Sequence[Demand], hard: Sequence[Demand]
    ) -> list[NDArray[np.bool_]] | None:
        """Entries of all demands, soft then hard, with multipliers in the least miss of the soft.

        With one slack for all, these multipliers are a Farkas certificate, and at a vertex of a
        linear program one of which nothing can be left out.
        """
        if self._deadline.should_stop or self._deadline.left() < self._longest[0]:
            return None
        slack = cp.Variable(nonneg=True)
        answer, stated = self._softened(soft, hard, slack)
        if answer.status is not Status.OPTIMAL or not answer.value > 0:
            return None
        weights = []
        for demand, parts in zip([*soft, *hard], stated, strict=True):
            duals = [answer.dual[part.id] for part in parts if part.id in answer.dual]
            if len(duals) < len(parts):
                return None
            size = len(demand.all_entries) if demand.entrywise else 1
            weights.append(np.maximum.reduce([_sizes(value, demand, size) for value in duals]))
        largest = max((float(w.max(initial=0.0)) for w in weights), default=0.0)
        return [is_real(weight, largest) for weight in weights] if largest > 0 else None

    def _softened(
        self, soft: Sequence[Demand], hard: Sequence[Demand], slack: cp.Variable
    ) -> tuple[Answer, list[list[Constraint]]]:
        stated = [elastic(demand, slack) for demand in soft]
        stated += [[demand.stated()] for demand in hard]
        everything = [part for parts in stated for part in parts]
        problem = cp.Problem(cp.Minimize(slack + self._nothing()), everything)
        if not all(stated) or not problem.is_dcp():
            return Answer(Status.FAILED), stated
        return quick_answer(problem, gp=self._gp, deadline=self._deadline), stated

    def _nothing(self) -> cp.Expression:
        """Zero, written with every variable, so that what they are declared with counts."""
        if self._gp:
            return cp.Constant(1.0)
        return sum(0 * cp.sum(cp.real(v) if v.is_complex() else v) for v in self._variables)


def quick_answer(
    problem: cp.Problem, *, gp: bool = False, deadline: Deadline | None = None
) -> Answer:
    """What a solver says, uncertified: good enough for advice."""
    deadline = Deadline(SECONDS) if deadline is None else deadline

    def run(compiled: Compiled) -> Answer:
        whole = compiled.form.integer
        if whole is not None and whole.size and compiled.whole_numbers.is_long:
            return Answer(Status.FAILED)  # what is not told apart needs no advice
        if deadline.limited:
            words_of(solver.name).put("time", deadline.left(), options)
        raw = deadline.wait_for(cvxpy_adapter.run, compiled, options)
        return cvxpy_adapter.interpret(compiled, raw)

    last = Answer(Status.FAILED)
    for solver in default_fallbacks(kind_of(problem, gp=gp))[:2]:
        if deadline.should_stop:
            break
        options = solver.options_for(integer=problem.is_mixed_integer())
        try:
            compiled = Prepared(problem, gp=gp, dpp=False).compile(solver.target, options)
            last = run(compiled)
            if last.status.is_infeasible and not compiled.scaling.identity:
                # Believed only where it does not depend on the units.
                last = run(compiled.in_units(Scaling.none(compiled.form)))
        except Exception:  # noqa: BLE001 - advice must not replace the error it explains
            continue
        if last.status in (Status.OPTIMAL, Status.INFEASIBLE, Status.EITHER, Status.UNBOUNDED):
            return last
    return last


def _sizes(value: Value, demand: Demand, size: int) -> Array:
    """Sizes of the multipliers, by entry; the largest where a cone has no entries."""
    array: Array = np.abs(np.asarray(value, dtype=float))
    if size == 1:
        return np.atleast_1d(array.max(initial=0.0))
    if demand.entries is None:  # CVXPY lists columns first
        array = np.reshape(array, demand.constraint.shape, order="F")
    return array.reshape(-1)


Item = TypeVar("Item")
Impossible = Callable[[Sequence[Item]], bool | None]


@dataclass(frozen=True)
class Contradiction:
    """Demands that cannot be met together, and the variables whose integrality matters."""

    constraints: tuple[Demand, ...]
    bounds: tuple[Demand, ...]
    whole: tuple[str, ...]
    minimal: bool


@dataclass
class _Filter:
    """Leaves out what is not needed, and notes whether all questions were answered."""

    sure: bool = True

    def needed(
        self, items: Sequence[Item], impossible: Impossible[Item], *, few: bool
    ) -> list[Item]:
        """What cannot be left out; ``few`` if most of it is thought to be needed."""
        sift = self._one_by_one if few else self._by_halves
        return sift(items, impossible)

    def _one_by_one(self, items: Sequence[Item], impossible: Impossible[Item]) -> list[Item]:
        """What is left when each is left out in turn, if it can be: a deletion filter."""
        kept = list(items)
        for item in items:
            rest = [other for other in kept if other is not item]
            known = impossible(rest)
            self.sure &= known is not None
            if known:
                kept = rest
        return kept

    def _by_halves(self, items: Sequence[Item], impossible: Impossible[Item]) -> list[Item]:
        """The same with few questions where little of much is needed (Junker's QuickXplain)."""

        def ask(chosen: Sequence[Item]) -> bool:
            known = impossible(chosen)
            self.sure &= known is not None
            return bool(known)

        def needed(given: list[Item], news: bool, rest: list[Item]) -> list[Item]:  # noqa: FBT001
            if news and ask(given):
                return []
            if len(rest) == 1:
                return rest
            first, second = rest[: len(rest) // 2], rest[len(rest) // 2 :]
            late = needed([*given, *first], True, second)
            return needed([*given, *late], bool(late), first) + late

        chosen = needed([], True, list(items)) if items else []
        return [item for item in items if any(item is other for other in chosen)]


def find_conflict(subproblem: Subproblem, deadline: Deadline | None = None) -> Contradiction | None:
    """What contradicts itself at the values that parameters and references have now.

    None if nothing does as far as a solver can tell. When the time is over, what is known to be
    contradictory is returned as it is, not minimal.
    """
    asked = asked_by(subproblem)
    deadline = Deadline(SECONDS) if deadline is None else deadline
    oracle = Feasibility(asked.variables, gp=subproblem.gp, deadline=deadline)
    if oracle.possible([*asked.constraints, *asked.bounds]) is not False:
        return None
    sieve = _Filter()
    start, guided = _first_guess(asked, oracle)
    bounds = list(asked.bounds)
    kept = sieve.needed(start, lambda some: _no(oracle.possible([*some, *bounds])), few=guided)
    bounds, guided = _resting_on(oracle, asked, kept, bounds)
    bounds = sieve.needed(bounds, lambda some: _no(oracle.possible([*kept, *some])), few=guided)
    integers = _needed_integers(sieve, oracle, asked, [*kept, *bounds])
    kept, bounds = _entries(sieve, oracle, kept, bounds, asked)
    names = tuple(asked.names[v.id] for v in integers)
    return Contradiction(tuple(kept), tuple(bounds), names, sieve.sure)


def _no(possible: bool | None) -> bool | None:  # noqa: FBT001 - a verdict, turned round
    return None if possible is None else not possible


def _first_guess(asked: Demands, oracle: Feasibility) -> tuple[list[Demand], bool]:
    """Constraints that suffice for a contradiction, few if a proof tells which."""
    everything = list(asked.constraints)
    simple = asked.without_integers(asked.integers)
    relaxed = oracle.about(simple.variables)
    if asked.integers and relaxed.possible([*simple.constraints, *simple.bounds]) is not False:
        return everything, False
    support = relaxed.support(simple.constraints, simple.bounds)
    if support is None:
        return everything, False
    few = [d for d, needed in zip(everything, support, strict=False) if needed.any()]
    if oracle.possible([*few, *asked.bounds]) is not False:
        return everything, False
    return few, True


def _resting_on(
    oracle: Feasibility, asked: Demands, kept: list[Demand], bounds: list[Demand]
) -> tuple[list[Demand], bool]:
    """The bounds that a proof with these constraints rests on."""
    if not bounds or asked.integers:
        return bounds, False
    support = oracle.support(kept, bounds)
    if support is None:
        return bounds, False
    used = support[len(kept) :]
    few = [d for d, needed in zip(bounds, used, strict=True) if needed.any()]
    return (few, True) if oracle.possible([*kept, *few]) is False else (bounds, False)


def _needed_integers(
    sieve: _Filter, oracle: Feasibility, asked: Demands, demands: list[Demand]
) -> list[cp.Variable]:
    """The variables whose integrality is part of the contradiction."""
    involved = {v.id for d in demands for v in d.constraint.variables()}
    # A variable without constraints can contradict itself: integer, between 0.2 and 0.8.
    variables = [v for v in asked.integers if v.id in involved or not demands]
    chosen = Demands(tuple(demands), (), asked.variables, asked.names)

    def impossible(some: Sequence[cp.Variable]) -> bool | None:
        free = chosen.without_integers([v for v in variables if all(v is not w for w in some)])
        return _no(oracle.about(free.variables).possible([*free.constraints, *free.bounds]))

    if not variables or impossible([]):
        return []
    return sieve.needed(variables, impossible, few=True)


def _entries(
    sieve: _Filter, oracle: Feasibility, kept: list[Demand], bounds: list[Demand], asked: Demands
) -> tuple[list[Demand], list[Demand]]:
    """The same demands of as few entries of their arrays as can be."""
    demands = [*kept, *bounds]
    guided = False
    support = None if asked.integers else oracle.support(kept, bounds)
    if support is not None:
        few = [
            d.only(e for e, needed in zip(d.all_entries, used, strict=True) if needed)
            if d.entrywise else d
            for d, used in zip(demands, support, strict=True)
        ]  # fmt: skip
        if all(d.entries != () for d in few) and oracle.possible(few) is False:
            demands, guided = few, True
    pieces = [
        (position, entry)
        for position, demand in enumerate(demands)
        if demand.entrywise
        for entry in demand.all_entries
    ]
    if not pieces or len(pieces) > MOST_ENTRIES:
        return demands[: len(kept)], demands[len(kept) :]

    def with_only(some: Sequence[tuple[int, int]]) -> list[Demand]:
        return [
            d.only(e for p, e in some if p == position) if d.entrywise else d
            for position, d in enumerate(demands)
        ]

    def impossible(some: Sequence[tuple[int, int]]) -> bool | None:
        return _no(oracle.possible([d for d in with_only(some) if d.entries != ()]))

    demands = with_only(sieve.needed(pieces, impossible, few=guided))
    return demands[: len(kept)], demands[len(kept) :]
