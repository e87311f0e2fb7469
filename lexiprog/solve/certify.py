"""Turn a solver's claim into a certified solution, or say why it is none."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from lexiprog import cvxpy_adapter
from lexiprog.certify.certificate import Certificate
from lexiprog.certify.measures import Measured, measure
from lexiprog.compile.answer import Answer, Shares
from lexiprog.compile.task import Task
from lexiprog.errors import Attempt, LexiprogWarning
from lexiprog.infeasibility.demands import about_leak
from lexiprog.model.expressions import (
    CVXPY_LOCK,
    as_float,
    dense,
    evaluate,
    read_only_copies,
    without_noise,
)
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.evidence import Evidence
from lexiprog.results.rebind import fields_by_id
from lexiprog.results.solution import Level, Solution
from lexiprog.solve.verification import check_point, in_users_sense, own_optimum, unit_of
from lexiprog.status import Fault, Status
from lexiprog.typing import Constraint, Leaf, Multiplier, Record, Value


def judge(
    task: Task, stage: str, answer: Answer, solutions: Mapping[str, Solution]
) -> Solution | Attempt:
    """Accept the claim if its certificate passes."""
    name = task.solver.name
    if not answer.primal:
        return Attempt(name, answer.status, _beyond_status(answer))
    subproblem = task.subproblem
    values = [(v, dense(answer.primal.get(v.id))) for v in subproblem.variables]
    if any(value is None or not np.isfinite(value).all() for _, value in values):
        reason = "its point contains NaN, infinity or nothing at all"
        return Attempt(name, answer.status, reason, Fault.NO_NUMBERS)
    as_left = values
    if task.integer:
        values = [(v, without_noise(v, value, task.solver.accept)) for v, value in values]
    constants = [(p, task.constants[p.id]) for p in subproblem.inputs]
    value = as_float(evaluate(subproblem.objective.expr, [*values, *constants]))
    unit = unit_of(task)
    if subproblem.gp:  # solved in logarithms, so that errors are shares of the value
        unit = abs(value)
    shares = answer.shares
    if shares is not None:
        value, unit = shares.levels[0][0], shares.unit
        checked = _of_shares(task, shares, [*values, *constants])
        evidence = shares.evidence or Evidence.of(task, answer)
    else:
        bare = answer.x is None or (answer.z is None and not task.integer)
        if not bare:
            checked = _of_numbers(task, answer, value, unit, solutions)
            evidence = Evidence.of(task, answer)
            bare = _has_useless_multipliers(task, checked.certificate)
        if bare:
            # Multipliers nobody can vouch for would poison later stages, so both they and the
            # bound come from a solve of our own.
            own = own_optimum(subproblem, task.slack, solutions, task.given, task.deadline)
            answer = replace(answer, dual=own.answer.dual if own else {}, iterations=None)
            checked = check_point(task, answer, value, [*values, *constants], own)
            evidence = None if own is None else Evidence.of(own.task, own.answer)
            unit = unit if own is None or subproblem.gp else own.unit
    certificate = checked.certificate
    wish = _wish(task, answer, certificate)
    if wish is Status.WITHIN_GAP and certificate.gap > certificate.gap_tolerance:
        certificate = replace(certificate, gap_tolerance=certificate.gap)
    if not certificate.passed and wish is None:
        fault = Fault.GAP if set(certificate.failures) == {"gap"} else Fault.UNPROVED
        why = about_leak(subproblem, as_left, constants) if task.integer else ""
        return Attempt(name, answer.status, "; ".join(filter(None, [str(certificate), why])), fault)
    variables = read_only_copies(
        {key: found for key, (_, found) in zip(subproblem.keys, values, strict=True)}
    )
    found = Solution(
        name=subproblem.name,
        stage=stage,
        value=value,
        status=wish or _status(subproblem, answer, proved=certificate.proved),
        solver=name,
        certificate=certificate,
        bound=checked.bound,
        unit=unit,
        variables=variables,
        duals=_duals(subproblem, answer),
        options=task.solver.options,
        timings={"compile": task.compile_seconds, "solve": answer.seconds},
        iterations=answer.iterations,
        parameters=task.parameters,
        references=task.references,
        evidence=evidence,
        levels=_levels(subproblem, shares),
        lottery=None if shares is None else shares.lottery,
        **_exactly(subproblem, answer),
        **fields_by_id(variables, subproblem, task.constants),
    )  # fmt: skip
    if wish is Status.UNFINISHED:
        reason = f"stopped at {found.summary.text()}"
        return Attempt(name, Status.LIMIT, reason, Fault.GAP, incumbent=found)
    return found


def _wish(task: Task, answer: Answer, certificate: Certificate) -> Status | None:
    """What an integer point is that a search had when it was stopped; None if it was not.

    A limit is a wish to go on with the best that was found, unless a gap is wished for too.
    """
    deadline = task.deadline
    stopped = deadline.stopped or deadline.enough or deadline.over or answer.status is Status.LIMIT
    unknown = not certificate.gap <= certificate.gap_tolerance
    if not task.integer or not stopped or not unknown or set(certificate.failures) - {"gap"}:
        return None
    if deadline.enough or (task.solver.gap is None and not deadline.stopped):
        return Status.WITHIN_GAP
    return Status.UNFINISHED


def _has_useless_multipliers(task: Task, certificate: Certificate) -> bool:
    """Whether a good point comes with multipliers that prove nothing.

    SCIP, for one, turns rows into bounds and then has none for them.
    """
    failed = certificate.failures.keys()
    useless = "dual" in failed and failed <= {"dual", "gap"}
    return useless and task.strategy.mode == "value" and not task.integer


def _exactly(subproblem: Subproblem, answer: Answer) -> Record:
    """What is known in rational numbers."""
    if answer.exact is None:
        return {}
    primal, dual = answer.exact.primal, answer.exact.dual
    known = {
        key: primal.get(v.id) for key, v in zip(subproblem.keys, subproblem.variables, strict=True)
    }
    return {
        "exact": answer.exact.value,
        "exact_variables": {key: value for key, value in known.items() if value is not None},
        "exact_duals": tuple(dual.get(c.id) for c in subproblem.constraints),
    }


def _beyond_status(answer: Answer) -> str:
    """What the solver said, where the status does not say the same."""
    return "" if answer.said in ("", str(answer.status)) else f"it said {answer.said}"


def _of_numbers(
    task: Task, answer: Answer, value: float, unit: float, solutions: Mapping[str, Solution]
) -> Measured:
    """Certificate from the numbers the solver was given and gave back."""
    if answer.x is None:
        raise TypeError("an answer without a point has no certificate")
    form = task.native.scaled if answer.form is None else answer.form
    bound = answer.bound
    if task.integer and bound is None and task.subproblem.kind == "MILP":
        # A solver that keeps its bound to itself gets none from its own claim.
        own = own_optimum(task.subproblem, task.slack, solutions, task.given, task.deadline)
        bound = None if own is None else own.bound_in(form, task.native.scaling.cost)
    if answer.exact is not None:
        certificate = Certificate(tolerance=task.solver.accept, basis="exact")
        return Measured(certificate, float(answer.exact.value))
    checked = measure(
        form,
        answer.x,
        None if task.integer else answer.z,
        claimed=answer.claimed,
        tolerance=task.solver.accept,
        gap_tolerance=task.solver.gap,
        bound=bound,
    )
    # The claim must also hold for the problem as the user wrote it.
    mismatch = abs(answer.value - value) / (unit + abs(value))
    certificate = checked.certificate
    if mismatch > certificate.claim:  # what is no number has failed already, and stays so
        certificate = replace(certificate, claim=mismatch)
    bound = in_users_sense(task.subproblem, task.native.scaling, checked.bound)
    if bound is not None and unit < 1.0 / task.native.scaling.cost and not task.subproblem.gp:
        gap = abs(value - bound) / (unit + abs(value))
        if gap > certificate.gap:
            certificate = replace(certificate, gap=gap)
    return Measured(certificate, bound)


def _status(subproblem: Subproblem, answer: Answer, *, proved: bool) -> Status:
    """Only what is proved is called optimal; a gap the user accepts has its own name."""
    doubt = answer.doubt if answer.shares is None else answer.shares.doubt
    if doubt:
        warnings.warn(f"subproblem {subproblem.name!r}: {doubt}.", LexiprogWarning, stacklevel=2)
        return Status.INACCURATE
    return Status.OPTIMAL if proved else Status.WITHIN_GAP


def _of_shares(task: Task, shares: Shares, leaves: list[tuple[Leaf, Value]]) -> Measured:
    """The certificate of all levels, which must also hold for the utilities as written."""
    fair = task.subproblem.fair
    if fair is None:
        return shares.checked
    gets = np.asarray(evaluate(fair.stack, leaves), dtype=float).ravel()
    missed = 0.0
    for level, members in shares.levels:
        errors = np.abs(gets[list(members)] - level) / (shares.unit + abs(level))
        missed = max(missed, float(np.max(errors)))
    certificate = shares.checked.certificate
    # What is known in fractions is rounded once, to be written in floats.
    return replace(
        shares.checked, certificate=replace(certificate, claim=max(certificate.claim, missed))
    )


def _levels(subproblem: Subproblem, shares: Shares | None) -> tuple[Level, ...]:
    if shares is None or subproblem.fair is None:
        return ()
    of = subproblem.fair.names
    return tuple(Level(value, tuple(of[i] for i in who)) for value, who in shares.levels)


def _duals(subproblem: Subproblem, answer: Answer) -> tuple[Multiplier | None, ...]:
    if answer.shares is not None and answer.shares.duals is not None:
        return answer.shares.duals
    return tuple(_dual(c, answer) for c in subproblem.constraints)


def _dual(constraint: Constraint, answer: Answer) -> Multiplier | None:
    value = answer.dual.get(constraint.id)
    if value is None:
        return None
    if type(value) is float and not constraint.shape:
        return np.array(value)
    with CVXPY_LOCK:
        return cvxpy_adapter.dual_arrays(constraint, value)
