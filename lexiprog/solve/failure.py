"""Say why a subproblem has no certified optimum, and what would help."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lexiprog.aliases import Values
from lexiprog.compile.binding import bind_references
from lexiprog.declare.leaves import CVXPY_LOCK
from lexiprog.declare.lock import NO_SLACK, Slack
from lexiprog.declare.subproblem import Subproblem
from lexiprog.errors import Attempt, ConflictPart, StageError
from lexiprog.outline.records import counted
from lexiprog.outline.text import array_text
from lexiprog.result.result import Result
from lexiprog.solve.reasons.conflict import SECONDS
from lexiprog.solve.reasons.contradiction import explain
from lexiprog.solve.reasons.direction import direction_of
from lexiprog.status import Fault, Status

__all__ = ["stage_error"]


@dataclass(frozen=True)
class _Reason:
    """Why there is no optimum, or what to do about it."""

    text: str
    conflict: tuple[ConflictPart, ...] = ()
    direction: Values | None = None


def stage_error(
    stage: str,
    failed: list[Subproblem],
    attempts: Mapping[str, list[Attempt]],
    partial: Result,
    slack: Slack = NO_SLACK,
    seconds: float = SECONDS,
) -> StageError:
    """The error for a stage whose first failed subproblem explains it.

    ``seconds`` are what the explanation may take, beside what was spent already.
    """
    first = failed[0]
    tries = attempts[first.name] or [_nobody(first)]
    last = next((attempt for attempt in reversed(tries) if attempt.status.is_infeasible), tries[-1])
    said = "; ".join(dict.fromkeys(map(str, tries)))
    others = ", ".join(repr(p.name) for p in failed[1:])
    reason = _reason(first, last, partial, slack, seconds)
    count = _finished(partial)
    solved = f"{counted(count, 'solved subproblem')} {'is' if count == 1 else 'are'}"
    message = (
        f"stage {stage!r}, subproblem {first.name!r} has no certified optimum. "
        f"{said}. {reason.text}"
        + (f" Also without one: {others}." if others else "")
        + (
            f" {solved} in error.partial; solve(resume=error.partial) goes on from there."
            if count
            else ""
        )
    )
    return StageError(
        message,
        stage=stage,
        subproblem=first.name,
        solver=last.solver,
        status=last.status,
        attempts=tuple(tries),
        partial=partial,
        conflict=reason.conflict,
        direction=reason.direction,
        reason=reason.text,
    )


def _finished(partial: Result) -> int:
    return sum(solution.status is not Status.UNFINISHED for solution in partial.values())


def _nobody(subproblem: Subproblem) -> Attempt:
    """What to say where the default has no solver to offer."""
    reason = f"none that takes problems of class {subproblem.kind} is installed"
    return Attempt("no solver", Status.NO_ANSWER, reason, Fault.NOT_TAKEN)


def _reason(
    subproblem: Subproblem, last: Attempt, solved: Result, slack: Slack, seconds: float
) -> _Reason:
    if last.status.is_infeasible:
        try:
            conflict, text = explain(subproblem, solved, slack, seconds)
        except Exception as error:  # noqa: BLE001 - advice must not replace the error it explains
            return _Reason(f"What contradicts what could not be found: {type(error).__name__}.")
        return _Reason(text, conflict)
    if last.status.is_unbounded:
        return _endless(subproblem, solved, slack)
    return _Reason(_advice(subproblem, last))


def _endless(subproblem: Subproblem, solved: Result, slack: Slack) -> _Reason:
    """Where an objective that improves without limit goes."""
    direction: Values | None = None
    with CVXPY_LOCK:
        bind_references(subproblem, solved, slack)
        try:
            direction = direction_of(subproblem)
        except Exception:  # noqa: BLE001 - advice must not replace the error it explains
            direction = None
    text = "Its objective improves without limit"
    if direction is not None:
        moving = {k: v for k, v in direction.items() if (v != (1 if subproblem.gp else 0)).any()}
        shown = ", ".join(f"{name} = {array_text(value)}" for name, value in moving.items())
        how = "by multiplying with factors" if subproblem.gp else "in the direction"
        text = f"{text} {how} {shown}"
    return _Reason(f"{text}: add the bounds that reality has.", direction=direction)


def _advice(subproblem: Subproblem, last: Attempt) -> str:
    if subproblem.integer and last.fault is Fault.GAP:
        return (
            "It found an integer point but no proof that none is better: raise the limit, or "
            "accept such a gap with Solver(name, gap=...)."
        )
    if last.fault in (Fault.UNPROVED, Fault.GAP, Fault.LOCK_MISSED):
        return (
            "The answer does not survive its own check: try another solver, a list of them, or "
            "Solver(name, accept=...) if that much error is fine with you."
        )
    if last.status is Status.NO_ANSWER and last.fault is Fault.NOT_TAKEN:
        return (
            "Install one that does: SCIP (pip install pyscipopt), GUROBI (gurobipy), MOSEK (mosek) "
            "or ECOS_BB (ecos)."
        )
    if last.fault is Fault.NOT_TAKEN:
        return (
            f"{last.solver} does not take problems of its class, {subproblem.kind}: leave the "
            "choice to the engine, or name one that does."
        )
    if last.status.is_limit:
        return "It ran into a limit: raise the time or iteration limit, or try another solver."
    return "Try another solver, or a list of them: program.solve(['HIGHS', 'CLARABEL'])."
