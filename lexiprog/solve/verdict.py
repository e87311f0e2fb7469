"""Turn a solver's claim into a certified solution, or say why it is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Constraint, Leaf, Value
from lexiprog.compile import cvxpy_door
from lexiprog.compile.answer import Answer
from lexiprog.compile.task import Task, prepare
from lexiprog.declare.leaves import CVXPY_LOCK, dense, evaluate, holding, key_of
from lexiprog.errors import Attempt
from lexiprog.proof.certificate import Certificate, certify
from lexiprog.result.solution import Solution
from lexiprog.solvers.solver import default_ladder
from lexiprog.solvers.ways import Way
from lexiprog.status import Fault, Status


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
    if task.integer:
        values = [(v, _whole(v, value, task.solver.accept)) for v, value in values]
    constants = [(p, task.constants[p.id]) for p in subproblem.inputs]
    value = float(np.real(evaluate(subproblem.objective.expr, [*values, *constants])))
    if answer.z is None and not (task.integer and answer.x is not None):
        # A bare point. Multipliers nobody can vouch for would poison later stages, so both they
        # and the bound come from a solve of our own.
        own = _own_answer(task, solutions)
        answer = replace(answer, dual=own.dual if own else {}, iterations=None)
        certificate = _of_point(task, answer, value, [*values, *constants], own)
    else:
        certificate = _of_multipliers(task, answer, value)
    if not certificate.passed:
        fault = Fault.GAP if set(certificate.failures) == {"gap"} else Fault.UNPROVED
        return Attempt(name, answer.status, str(certificate), fault)
    return Solution(
        name=subproblem.name,
        stage=stage,
        value=value,
        # Only what is proved is called optimal; a gap the user accepts has its own name.
        status=Status.OPTIMAL if certificate.gap <= certificate.tolerance else Status.WITHIN_GAP,
        solver=name,
        certificate=certificate,
        variables={key_of(v, k): found for k, (v, found) in enumerate(values)},
        duals=tuple(_dual(c, answer) for c in subproblem.constraints),
        options=task.solver.options,
        timings={"compile": task.compile_seconds, "solve": answer.seconds},
        iterations=answer.iterations,
        parameters=task.parameters,
        references=task.references,
    )  # fmt: skip


def _beyond_status(answer: Answer) -> str:
    """What the solver said, where the status does not say the same."""
    return "" if answer.said in ("", str(answer.status)) else f"it said {answer.said}"


def _of_multipliers(task: Task, answer: Answer, value: float) -> Certificate:
    """Certificate from the numbers the solver was given and gave back."""
    if answer.x is None:
        raise TypeError("an answer without a point has no certificate")
    bound = answer.bound
    if task.integer and bound is None and answer.status is Status.OPTIMAL:
        bound = answer.claimed  # some interfaces keep the bound to themselves
    certificate = certify(
        task.form if answer.form is None else answer.form,
        answer.x,
        None if task.integer else answer.z,
        claimed=answer.claimed,
        tolerance=task.solver.accept,
        gap_tolerance=task.solver.gap,
        bound=bound,
    )
    # The claim must also hold for the problem as the user wrote it.
    mismatch = abs(answer.value - value) / (1.0 + abs(value))
    return replace(certificate, claim=max(certificate.claim, mismatch))


def _of_point(
    task: Task, answer: Answer, value: float, leaves: list[tuple[Leaf, Value]], own: Answer | None
) -> Certificate:
    """Certificate of a bare point: violations as declared, and the distance to our own optimum."""
    variables = [(leaf, found) for leaf, found in leaves if isinstance(leaf, cp.Variable)]
    with holding(leaves):
        conditions = [*task.subproblem.constraints]
        for variable, _ in variables:
            conditions += variable.domain
        primal = max((float(np.max(c.violation(), initial=0.0)) for c in conditions), default=0.0)
    integrality = max(
        (
            float(np.max(np.abs(found - np.round(found)), initial=0.0))
            for variable, found in variables
            if variable.attributes["integer"] or variable.attributes["boolean"]
        ),
        default=0.0,
    )
    return Certificate(
        primal=primal,
        gap=np.nan if own is None else abs(value - own.value) / (1.0 + abs(value)),
        claim=abs(answer.value - value) / (1.0 + abs(value)),
        integrality=integrality,
        tolerance=task.solver.accept,
        gap_tolerance=max(task.solver.accept, task.solver.gap or 0.0),
        basis="bound",
    )


def _own_answer(task: Task, solutions: Mapping[str, Solution]) -> Answer | None:
    """The problem's optimum as our own default solvers find and certify it, if they do."""
    subproblem = task.subproblem
    for solver in default_ladder(subproblem.kind):
        try:
            own = prepare(subproblem, Way(solver), solutions, task.slack)
            raw = cvxpy_door.run(own.native, own.fresh_options())
            answer = cvxpy_door.interpret(own.native, raw)
        except Exception:  # noqa: BLE001 - solvers fail in any way; the next one is asked
            continue
        if answer.x is None:
            continue
        checked = certify(own.form, answer.x, answer.z, claimed=answer.claimed, bound=answer.bound)
        if checked.passed:
            return answer
    return None


def _whole(variable: cp.Variable, value: Value, tolerance: float) -> Value:
    """Integer values without the solver's rounding noise."""
    if not (variable.attributes["integer"] or variable.attributes["boolean"]):
        return value
    rounded = np.round(value)
    return np.where(np.abs(rounded - value) <= tolerance, rounded, value)


def _dual(constraint: Constraint, answer: Answer) -> Any:
    value = answer.dual.get(constraint.id)
    if value is None:
        return None
    with CVXPY_LOCK:
        return cvxpy_door.dual_arrays(constraint, value)
