"""Say why a subproblem has no certified optimum, and what would help."""

from __future__ import annotations

from collections.abc import Mapping

from lexiprog.declare.subproblem import Subproblem
from lexiprog.errors import Attempt, StageError
from lexiprog.outline.records import counted
from lexiprog.result.result import Result
from lexiprog.solve.relaxation import blame
from lexiprog.status import Fault, Status

__all__ = ["stage_error"]


def stage_error(
    stage: str,
    failed: list[Subproblem],
    attempts: Mapping[str, list[Attempt]],
    partial: Result,
) -> StageError:
    """The error for a stage whose first failed subproblem explains it."""
    first = failed[0]
    tries = attempts[first.name] or [_nobody(first)]
    last = next((attempt for attempt in reversed(tries) if attempt.status.is_infeasible), tries[-1])
    said = "; ".join(dict.fromkeys(map(str, tries)))
    others = ", ".join(repr(p.name) for p in failed[1:])
    message = (
        f"stage {stage!r}, subproblem {first.name!r} has no certified optimum. "
        f"{said}. {_advice(first, last, partial)}"
        + (f" Also without one: {others}." if others else "")
        + f" {counted(_finished(partial), 'solved subproblem')} in error.partial; "
        "solve(resume=error.partial) goes on from there."
    )
    return StageError(
        message,
        stage=stage,
        subproblem=first.name,
        solver=last.solver,
        status=last.status,
        attempts=tuple(tries),
        partial=partial,
    )


def _finished(partial: Result) -> int:
    return sum(solution.status is not Status.UNFINISHED for solution in partial.values())


def _nobody(subproblem: Subproblem) -> Attempt:
    """What to say where the default has no solver to offer."""
    reason = f"none that takes problems of class {subproblem.kind} is installed"
    return Attempt("no solver", Status.NO_ANSWER, reason, Fault.NOT_TAKEN)


def _advice(subproblem: Subproblem, last: Attempt, solved: Result) -> str:
    if last.status.is_infeasible:
        return blame(subproblem, solved)
    if last.status.is_unbounded:
        return "Its objective improves without limit: add the bounds that reality has."
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
