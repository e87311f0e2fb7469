"""What a solve says about the optima it held: how, how well, and at what price."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from lexiprog.compile.answer import Answer
from lexiprog.compile.task import Task
from lexiprog.errors import Attempt, LexiprogError, LexiprogWarning
from lexiprog.fairness.objective import Fairness
from lexiprog.model.expressions import as_float
from lexiprog.model.lock import Lock
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.evidence import LockRecord, Price
from lexiprog.results.solution import Solution
from lexiprog.solve.error_propagation import with_references
from lexiprog.solve.prices import linear_price
from lexiprog.solve.verification import loose_locks, own_optimum
from lexiprog.status import Fault, Status
from lexiprog.tolerances import PRICE_STEPS, SAME_VALUE


def with_inheritance(
    task: Task,
    answer: Answer,
    solution: Solution,
    solved: Mapping[str, Solution],
    doubtful: Sequence[str] = (),
) -> Solution | Attempt:
    """The solution with a record of what it holds and refers to, if all of that is really held."""
    if task.subproblem.locks:
        found = _with_locks(task, answer, solution, solved, doubtful)
        if isinstance(found, Attempt):
            return found
        solution = found
    return with_references(task, answer, solution, solved)


def _with_locks(
    task: Task,
    answer: Answer,
    solution: Solution,
    solved: Mapping[str, Solution],
    doubtful: Sequence[str],
) -> Solution | Attempt:
    """The solution with a record of each optimum it holds.

    Uncertainty about a held optimum, or a guard, counts by what it may have done to this one.
    ``doubtful`` names the held optima whose optimal face rounding may have changed.
    """
    locks = task.subproblem.locks
    room = task.given.undisturbed(lambda: [_room(task, lock, solved) for _, lock in locks])
    records = tuple(
        _record(task, answer, position, lock, *limits, solution, solved)
        for (position, lock), limits in zip(locks, room, strict=True)
    )
    for lock in records:
        beyond = lock.drift - lock.tolerance - lock.guard
        if not beyond <= task.solver.accept * solved[lock.name].size:
            reason = f"not certified: the held optimum {lock.name!r} is missed by {beyond:.1e}"
            return Attempt(task.solver.name, solution.status, reason, Fault.LOCK_MISSED)
    effects = _uncertainties(task, answer, solved)
    unsure = sum(effects.values()) / solution.size
    doubted = Status.INACCURATE
    # What holds a doubtful optimum is as doubtful; it was warned of when that was found.
    again = set(answer.doubts) if answer.exact is not None else set()  # they were solved anew
    unclear = (r.name not in again and solved[r.name].status is doubted for r in records)
    status = doubted if any(unclear) else solution.status
    if unsure > task.solver.accept:
        if task.strategy.strict:
            reason = f"not certified: held optima may change it by {unsure:.1e} of its size"
            return Attempt(task.solver.name, solution.status, reason, Fault.LOCK_MISSED)
        status = doubted
        if np.isfinite(unsure):
            worst = max(effects, key=lambda name: effects[name])
            _warn(
                f"subproblem {solution.name!r} is sensitive to the optima it holds: what is not "
                f"known of them, of {worst!r} above all, may change its value by {unsure:.1e} of "
                "its size; hold them with a tolerance (atol=, rtol=), or solve them more exactly."
            )
    loose = [] if answer.exact is not None else loose_locks(task, records, solution, solved)
    if loose and task.strategy.strict:
        reason = f"not certified: it may keep {', '.join(map(repr, loose))} not exactly enough"
        return Attempt(task.solver.name, solution.status, reason, Fault.LOCK_MISSED)
    if loose:
        status = doubted
        _warn(
            f"subproblem {solution.name!r} keeps {', '.join(map(repr, loose))} less exactly than "
            f"it was found; another solver than {task.solver.name} may hold it."
        )
    if doubtful:
        status = doubted
        _warn(
            f"subproblem {solution.name!r} holds {', '.join(map(repr, doubtful))} exactly, but "
            "which points are optimal there depends on digits that floats don't have (nearly "
            "parallel rows): hold with a tolerance (atol=, rtol=), or use Solver('EXACT')."
        )
    if any(lock.guard for lock in records):
        # The first of a slack may be worth far more than its multiplier says.
        status = doubted
        names = ", ".join(repr(lock.name) for lock in records if lock.guard)
        _warn(
            f"subproblem {solution.name!r} could only be solved with the lock on {names} loosened "
            f"by {max(lock.guard for lock in records):.1e}."
        )
    inherited = {f"{name}.held": effect for name, effect in effects.items()}
    return solution.changed(locks=records, status=status, effects=inherited)


def _warn(message: str) -> None:
    warnings.warn(message, LexiprogWarning, stacklevel=2)


def _room(task: Task, lock: Lock, solved: Mapping[str, Solution]) -> tuple[float, float]:
    """The limit of a held optimum, and how far that is from it by the user's wish."""
    optimum, unit = solved[lock.owner_name].value, solved[lock.owner_name].unit
    tolerance = float(task.slack.tolerance(lock, optimum))
    return lock.limit(optimum, tolerance + task.slack.guard_for(optimum, unit)), tolerance


def _record(
    task: Task,
    answer: Answer,
    position: int,
    lock: Lock,
    limit: float,
    tolerance: float,
    solution: Solution,
    solved: Mapping[str, Solution],
) -> LockRecord:
    owner, held = lock.owner(), solved[lock.owner_name]
    if owner is None:
        raise LexiprogError(f"the owner of the lock on {lock.owner_name!r} is gone.")
    optimum = held.value
    exactly = answer.exact is not None and lock.owner_name in answer.doubts
    if answer.held is not None and lock.owner_name in answer.held:
        found = answer.held[lock.owner_name]
    else:
        found = as_float(solution.at(owner.objective.expr))
    drift = max(optimum - found if lock.maximise else found - optimum, 0.0)
    if owner.fair is not None:
        drift = _worst_drift(owner, owner.fair, solution, held)
    kind = task.strategy.kind_of_lock(task.subproblem, position)
    return LockRecord(
        name=lock.owner_name,
        kind="face" if exactly else kind,
        limit=limit,
        tolerance=tolerance,
        guard=float(task.slack.guard_for(optimum, held.unit)),
        drift=drift,
        _price=_price(task, position, lock, kind, solution, solved),
    )


def _worst_drift(owner: Subproblem, fair: Fairness, solution: Solution, held: Solution) -> float:
    """How far somebody ended up below his level, or a position of the order below its own."""
    levels = fair.sign * fair.values(held.levels, ordered=owner.integer)
    gets = fair.sign * np.asarray(solution.at(fair.stack), dtype=float).ravel()
    return max(float(np.max(levels - (np.sort(gets) if owner.integer else gets))), 0.0)


def _uncertainties(task: Task, answer: Answer, solved: Mapping[str, Solution]) -> dict[str, float]:
    """First-order effect on the optimum of what is not exactly known of each held one.

    An optimum that is certified to a gap of 1e-9 and held at a price of 1e5 leaves the later
    objective uncertain by 1e-4.
    """
    effects = {}
    for position, lock in task.subproblem.locks:
        held = solved[lock.owner_name]
        guard = task.slack.guard_for(held.value, held.unit)
        if lock.owner_name in answer.doubts:
            effects[lock.owner_name] = answer.doubts[lock.owner_name]
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


def _price(
    task: Task,
    position: int,
    lock: Lock,
    kind: str,
    solution: Solution,
    solved: Mapping[str, Solution],
) -> Price:
    """The price of a lock, or how to find it where that costs another solve."""
    subproblem, constants, owner = task.subproblem, task.constants, lock.owner()
    if task.integer or owner is None or owner.integer:
        return Price()
    if kind == "argument":
        return Price()
    if subproblem.kind == "LP" and subproblem.dpp:
        return Price(find=lambda: linear_price(subproblem, constants, position, lock))
    dual = solution.duals[position]
    if kind == "face" and not subproblem.gp:
        before = {name: solved[name] for name in {r.owner_name for _, r in subproblem.references}}
        return Price(find=lambda: _curved_price(task, position, lock, before))
    if dual is None:
        return Price()
    # A geometric program is solved in logarithms, so its multipliers are elasticities.
    limit = task.references[f"{lock.owner_name}.held"]
    unit = solution.value / float(limit) if subproblem.gp else 1.0
    return Price(abs(float(np.sum(dual)) * unit))


def _curved_price(
    task: Task, position: int, lock: Lock, solved: Mapping[str, Solution]
) -> float | None:
    """The multiplier of the lock as a bound with little slack, and less; infinite at a curve."""
    constraint = task.subproblem.constraints[position]
    prices = []
    for share in PRICE_STEPS:
        room = {lock.owner_name: share * solved[lock.owner_name].size}
        slack = replace(task.slack, tolerances=dict(task.slack.tolerances) | room)
        own = own_optimum(task.subproblem, slack, solved, task.given, task.deadline)
        dual = None if own is None else own.answer.dual.get(constraint.id)
        if dual is None:
            return None
        prices.append(abs(float(np.sum(dual))))
    return float("inf") if prices[1] > 2.0 * prices[0] + SAME_VALUE else prices[1]
