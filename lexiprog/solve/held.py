"""What a solve says about the optima it held: how, how well, and at what price."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from lexiprog.backends.solver import Solver
from lexiprog.compile.answer import Answer
from lexiprog.compile.task import Strategy, Task, prepare
from lexiprog.errors import Attempt, LexiprogError, LexiprogWarning
from lexiprog.fairness.objective import Fairness
from lexiprog.model.expressions import as_float
from lexiprog.model.lock import Lock
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.evidence import LockRecord
from lexiprog.results.solution import Solution
from lexiprog.solve.direct import VerifiedOptimum, verification_solve
from lexiprog.solve.mixed_rows import MixedRowChain, is_proved
from lexiprog.solve.prices import price_of_lock
from lexiprog.status import Fault, Status
from lexiprog.tolerances import LOCK_DRIFT, LOCK_DRIFT_ROUNDING
from lexiprog.typing import cached_property

# Rows of a level that is looked at in any case: faces tell more digits than floats have.
SMALL = 500
# Two answers to the same question differ by the errors of both.
TWICE = 2.0


def check_locks(
    task: Task,
    answer: Answer,
    solution: Solution,
    solved: Mapping[str, Solution],
    ambiguous: Sequence[str] = (),
) -> Solution | Attempt:
    """The solution with a record of the optima it holds, if all of them are really held.

    ``ambiguous`` names those whose optimal face rounding may have changed.
    """
    return with_locks(task, solution, _checks(task, answer, solution, solved, ambiguous))


@dataclass(frozen=True)
class LockChecks:
    """What was found about the optima that a solution holds.

    Attributes
    ----------
    records : tuple of LockRecord
        How each was held.
    effects : mapping of str to float
        How much what is not known of each may have changed the value.
    owners : mapping of str to Solution
        The held optima themselves.
    solved_again : frozenset of str
        Those that were solved again, in fractions.
    ambiguous : sequence of str
        Those whose optimal face rounding may have changed.
    find_loose : callable
        Finds those that are not kept exactly enough, which may take solves of our own.
    """

    records: tuple[LockRecord, ...]
    effects: Mapping[str, float]
    owners: Mapping[str, Solution]
    solved_again: frozenset[str] = frozenset()
    ambiguous: Sequence[str] = ()
    find_loose: Callable[[], list[str]] = list

    @cached_property
    def loose(self) -> list[str]:
        """Those that are not kept exactly enough."""
        return self.find_loose()


def _checks(
    task: Task,
    answer: Answer,
    solution: Solution,
    solved: Mapping[str, Solution],
    ambiguous: Sequence[str],
) -> LockChecks:
    locks = task.subproblem.locks
    limits = task.given.undisturbed(lambda: [_limit(task, lock, solved) for _, lock in locks])
    records = tuple(
        lock_record(task, answer, position, lock, limit, tolerance, solution, solved)
        for (position, lock), (limit, tolerance) in zip(locks, limits, strict=True)
    )
    exact = answer.exact is not None
    return LockChecks(
        records=records,
        effects=effects_of_locks(task, answer, solved),
        owners=solved,
        solved_again=frozenset(answer.held.effects) if exact else frozenset(),
        ambiguous=ambiguous,
        find_loose=list if exact else partial(loose_locks, task, records, solution, solved),
    )


def with_locks(task: Task, solution: Solution, checks: LockChecks) -> Solution | Attempt:
    """The solution with a record of each optimum it holds, or why it does not hold one."""
    records, effects, accept = checks.records, checks.effects, task.solver.accept
    share = sum(effects.values()) / solution.size
    refusal = _missed(checks, accept)
    if not refusal and task.strategy.strict:
        refusal = _doubt(checks, share, accept)
    if refusal:
        reason = f"not certified: {refusal}"
        return Attempt(task.solver.name, solution.status, reason, Fault.LOCK_MISSED)
    cautions = _cautions(checks, share if share > accept else 0.0, task.solver.name)
    for caution in cautions:
        warnings.warn(f"subproblem {solution.name!r} {caution}", LexiprogWarning, stacklevel=2)
    # What holds an inaccurate optimum is inaccurate, too; it was warned of when that was found.
    rests_on = {record.name for record in records} - checks.solved_again
    inherited = any(checks.owners[name].status is Status.INACCURATE for name in rests_on)
    inaccurate = cautions or inherited or share > accept
    return solution.changed(
        locks=records,
        status=Status.INACCURATE if inaccurate else solution.status,
        effects={f"{name}.held": effect for name, effect in effects.items()},
    )


def _missed(checks: LockChecks, accept: float) -> str:
    """Which held optimum was given up by more than is tolerated."""
    for record in checks.records:
        beyond = record.drift - record.tolerance - record.guard
        if not beyond <= accept * checks.owners[record.name].size:
            return f"the held optimum {record.name!r} is missed by {beyond:.1e}"
    return ""


def _doubt(checks: LockChecks, share: float, accept: float) -> str:
    """What a strategy that is followed by a more exact one does not let pass."""
    if share > accept:
        return f"held optima may change it by {share:.1e} of its size"
    return f"it may keep {_quoted(checks.loose)} not exactly enough" if checks.loose else ""


def _cautions(checks: LockChecks, share: float, solver: str) -> list[str]:
    """What to say of optima that are not known, not kept or not known well enough."""
    cautions = []
    if share and np.isfinite(share):
        worst = max(checks.effects, key=lambda name: checks.effects[name])
        cautions.append(
            f"is sensitive to the optima it holds: what is not known of them, of {worst!r} above "
            f"all, may change its value by {share:.1e} of its size; hold them with a tolerance "
            "(atol=, rtol=), or solve them more exactly."
        )
    if checks.loose:
        cautions.append(
            f"keeps {_quoted(checks.loose)} less exactly than it was found; another solver than "
            f"{solver} may hold it."
        )
    if checks.ambiguous:
        cautions.append(
            f"holds {_quoted(checks.ambiguous)} exactly, but which points are optimal there "
            "depends on digits that floats don't have (nearly parallel rows): hold with a "
            "tolerance (atol=, rtol=), or use Solver('EXACT')."
        )
    guarded = [record for record in checks.records if record.guard]
    if guarded:
        # The first of a slack may be worth far more than its multiplier says.
        cautions.append(
            f"could only be solved with the lock on {_quoted([r.name for r in guarded])} loosened "
            f"by {max(record.guard for record in guarded):.1e}."
        )
    return cautions


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))


def _limit(task: Task, lock: Lock, solved: Mapping[str, Solution]) -> tuple[float, float]:
    """The limit of a held optimum, and how far that is from it by the user's wish."""
    optimum, unit = solved[lock.owner_name].value, solved[lock.owner_name].unit
    tolerance = float(task.slack.tolerance(lock, optimum))
    return lock.limit(optimum, tolerance + task.slack.guard_for(optimum, unit)), tolerance


def lock_record(
    task: Task,
    answer: Answer,
    position: int,
    lock: Lock,
    limit: float,
    tolerance: float,
    solution: Solution,
    solved: Mapping[str, Solution],
) -> LockRecord:
    """How one optimum was held: kind, guard, drift and price of its lock."""
    name, owner = lock.owner_name, lock.owner()
    if owner is None:
        raise LexiprogError(f"the owner of the lock on {name!r} is gone.")
    optimum = solved[name].value
    if owner.fair is not None:
        drift = _worst_drift(owner, owner.fair, solution, solved[name])
    else:
        value = answer.held.values.get(name)
        value = as_float(solution.at(owner.objective.expr)) if value is None else value
        drift = max(optimum - value if lock.maximise else value - optimum, 0.0)
    kind = task.strategy.kind_of_lock(task.subproblem, position)
    exactly = answer.exact is not None and name in answer.held.effects
    return LockRecord(
        name=name,
        kind="face" if exactly else kind,
        limit=limit,
        tolerance=tolerance,
        guard=float(task.slack.guard_for(optimum, solved[name].unit)),
        drift=drift,
        _price=price_of_lock(task, position, lock, kind, solution, solved),
    )


def _worst_drift(owner: Subproblem, fair: Fairness, solution: Solution, held: Solution) -> float:
    """How far somebody ended up below his level, or a position of the order below its own."""
    levels = fair.sign * fair.values(held.levels, ordered=owner.integer)
    gets = fair.sign * np.asarray(solution.at(fair.stack), dtype=float).ravel()
    return max(float(np.max(levels - (np.sort(gets) if owner.integer else gets))), 0.0)


def effects_of_locks(
    task: Task, answer: Answer, solved: Mapping[str, Solution]
) -> dict[str, float]:
    """First-order effect on the optimum of what is not exactly known of each held one.

    An optimum that is certified to a gap of 1e-9 and held at a price of 1e5 leaves the later
    objective uncertain by 1e-4.
    """
    effects = {}
    for position, lock in task.subproblem.locks:
        held = solved[lock.owner_name]
        guard = task.slack.guard_for(held.value, held.unit)
        if lock.owner_name in answer.held.effects:
            effects[lock.owner_name] = answer.held.effects[lock.owner_name]
            continue
        multiplier = answer.dual.get(task.subproblem.constraints[position].id)
        if multiplier is not None:
            unknown = held.uncertainty
            unknown = unknown if np.isfinite(unknown) else held.size
            if lock.fair:  # of any level, not only of the first
                unknown = max(unknown, held.certificate.gap * held.size)
            size = abs(multiplier) if type(multiplier) is float else np.sum(np.abs(multiplier))
            # What the user tolerates is not known any better than what is held; it is a wish.
            effects[lock.owner_name] = float(size) * (unknown + guard)
        elif guard:
            # Nobody knows what a loosened lock without multiplier is worth.
            effects[lock.owner_name] = np.inf
    return effects


# Linear levels that may stand beside the face they should keep to, checked by verification solves.


def loose_locks(
    task: Task,
    records: Sequence[LockRecord],
    solution: Solution,
    solved: Mapping[str, Solution],
) -> list[str]:
    """The exact locks of a linear level that stand too far beside the optima they should hold.

    A linear optimum may jump when a lock gives way a little; its multiplier need not tell. With
    every held optimum as we find it ourselves there is no jump left.
    """
    exact = [r for r in records if not r.tolerance and r.kind != "face"]
    if task.subproblem.kind != "LP" or not exact:
        return []
    small = _rows(task) <= SMALL
    if _stands_beside(exact, solved) or (small and _has_faces(task)):
        value = value_on_faces(task, solved)
    elif small:  # tolerances or curves somewhere before it: only what is given up tells
        value = None
    else:
        return []
    if value is None:
        return [r.name for r in exact if r.drift > LOCK_DRIFT * solved[r.name].size]
    close = abs(value - solution.value) <= task.solver.accept * solution.size
    return [] if close else [r.name for r in exact]


def _rows(task: Task) -> int:
    return sum(c.size for c in task.subproblem.constraints)


def _stands_beside(records: Sequence[LockRecord], solved: Mapping[str, Solution]) -> bool:
    """Whether a held optimum is missed, or not known, by more than a rounding."""
    shares = (max(r.drift, solved[r.name].uncertainty) / solved[r.name].size for r in records)
    return any(share > LOCK_DRIFT_ROUNDING for share in shares)


def value_on_faces(task: Task, solved: Mapping[str, Solution]) -> float | None:
    """The optimum of a linear level where all that it holds is held at our own optima.

    They are found one by one, each at what was found for those that it holds itself; not a number
    if one cannot be found, None if one is not linear.
    """
    value = value_along_chain(task, solved)
    if value is not None:
        return value
    ours, all_digits = dict(solved), _has_faces(task)

    def optimum(subproblem: Subproblem) -> float | None:
        for _, lock in subproblem.locks:
            owner = lock.owner()
            if owner is None or owner.kind != "LP" or owner.fair is not None:
                return None
            if ours[owner.name] is solved[owner.name]:
                value = optimum(owner)
                if value is None or np.isnan(value):
                    return value
                # The last digit is rounded: without it there may be no point.
                room = -np.spacing(abs(value)) if lock.maximise else np.spacing(abs(value))
                ours[owner.name] = replace(solved[owner.name], value=value + room)
        verified = verification_solve(
            subproblem, task.slack, ours, task.given, task.deadline, refined=True
        )
        if verified is None or (all_digits and not verified.answer.refined):
            return np.nan
        if effect_of_last_digits(subproblem, verified, ours) > task.solver.accept:
            return np.nan
        return verified.answer.value

    return optimum(task.subproblem)


def _has_faces(task: Task) -> bool:
    """Whether all that it holds is held exactly and linear, so that every digit may count."""
    return MixedRowChain(task.slack.tolerances).serves(task.subproblem)


def effect_of_last_digits(
    subproblem: Subproblem, verified: VerifiedOptimum, held: Mapping[str, Solution]
) -> float:
    """How much of its size an optimum may owe to the last digits of those that it holds."""
    effect = 0.0
    for position, lock in subproblem.locks:
        price = np.sum(np.abs(verified.answer.dual.get(subproblem.constraints[position].id, 0.0)))
        effect += float(price) * TWICE * np.spacing(abs(held[lock.owner_name].value))
    return effect / (verified.unit + abs(verified.answer.value))


def value_along_chain(task: Task, solved: Mapping[str, Solution]) -> float | None:
    """The same by faces, to all digits; None if that is not possible, NaN if one is ambiguous."""
    wider = MixedRowChain(task.slack.tolerances)
    if not wider.serves(task.subproblem):
        return None
    strategy = Strategy(Solver("HIGHS", accept=task.solver.accept), "face", refined=True)
    inner = prepare(
        task.subproblem, strategy, solved, task.slack, wider.compile, task.given, task.deadline
    )
    answer = wider.run(inner)
    if answer.fault is Fault.UNCLEAR:
        return np.nan
    return answer.value if is_proved(answer) else None
