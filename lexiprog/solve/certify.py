"""Turn a solver's claim into a certified solution, or say why it is none.

A point that comes without multipliers, or with such as prove nothing, is compared with the bound
of a verification solve by our own default solvers.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from lexiprog import cvxpy_adapter
from lexiprog.canon.scaling import Scaling
from lexiprog.canon.standard_form import StandardForm, most_of_terms
from lexiprog.certify.certificate import Certificate
from lexiprog.certify.feasible import is_met_nearby
from lexiprog.certify.measures import Measures, measure, prove, share_of_value
from lexiprog.certify.terms import TermSizes, misses, touched_rows
from lexiprog.compile.answer import Answer, LeximinAnswer
from lexiprog.compile.task import Task
from lexiprog.deadline import proof_should_end
from lexiprog.errors import Attempt, LexiprogWarning
from lexiprog.model.expressions import (
    CVXPY_LOCK,
    as_float,
    dense,
    evaluate,
    holding,
    integer_entries,
    read_only_copies,
    without_noise,
)
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.evidence import Evidence
from lexiprog.results.solution import Level, Solution, fields_by_id
from lexiprog.solve.direct import VerifiedOptimum, origin_of_rows, verification_solve
from lexiprog.status import Fault, Status
from lexiprog.tolerances import (
    ALL_DIGITS,
    CERTIFIED,
    LARGE_UNIT,
    NEARNESS,
    SAME_VALUE,
    TOUCHED,
)
from lexiprog.typing import Array, Constraint, Leaf, Multiplier, Record, Value


def certify_answer(
    task: Task, stage: str, answer: Answer, solutions: Mapping[str, Solution]
) -> Solution | Attempt:
    """Accept the claim if its certificate passes."""
    name = task.solver.name
    if not answer.primal:
        return Attempt(name, answer.status, _beyond_status(answer))
    answer = _cleaned(task, answer)
    point = _Point.of(task, answer)
    if point is None:
        reason = "its point contains NaN, infinity or nothing at all"
        return Attempt(name, answer.status, reason, Fault.NO_NUMBERS)
    proof = _prove(task, answer, point, solutions)
    certificate = _with_rows_that_hold(task, answer, proof.measured.certificate)
    if certificate is None:
        return Attempt(name, Status.INFEASIBLE, "its linear constraints alone")
    stopped = status_if_stopped(task, answer, certificate)
    if stopped is Status.WITHIN_GAP and certificate.gap > certificate.gap_tolerance:
        certificate = replace(certificate, gap_tolerance=certificate.gap)
    if not certificate.passed and stopped is None:
        return _refused(task, stage, point, proof, certificate)
    status = stopped or _status(task.subproblem, answer, proved=certificate.proved)
    solution = _solution(task, stage, point, proof, certificate, status)
    if stopped is Status.UNFINISHED:
        reason = f"stopped at {solution.summary.text()}"
        return Attempt(name, Status.LIMIT, reason, Fault.GAP, incumbent=solution)
    return solution


def _with_rows_that_hold(
    task: Task, answer: Answer, certificate: Certificate
) -> Certificate | None:
    """The certificate; no violation is allowed if linear rows may contradict each other.

    They were only met as exactly as curves or integers are. None if they do contradict each other.
    """
    decided = answer.exact is not None or answer.leximin is not None
    if decided or answer.x is None or not certificate.near or task.subproblem.kind == "LP":
        return certificate
    if task.native.scaled.cones.linear == 0:
        return certificate
    from lexiprog.solve.no_optimum import linear_rows_hold

    hold = linear_rows_hold(task, answer.x)
    if hold is False and not task.integer:
        return None
    return certificate if hold else replace(certificate, row_tolerance=0.0)


def _refused(
    task: Task, stage: str, point: _Point, proof: _Proof, certificate: Certificate
) -> Attempt:
    """What failed, with the point if it is near an optimum."""
    fault = Fault.GAP if set(certificate.failures) == {"gap"} else Fault.UNPROVED
    reason = "; ".join(filter(None, [str(certificate), _leak(task, point)]))
    near = certificate.near and not task.integer and _is_near_bound(proof, certificate)
    flagged = _solution(task, stage, point, proof, certificate, Status.INACCURATE)
    status = Status.LIMIT if proof_should_end() else proof.answer.status
    return Attempt(task.solver.name, status, reason, fault, flagged=flagged if near else None)


def _is_near_bound(proof: _Proof, certificate: Certificate) -> bool:
    """Whether a point that has no multipliers of its own is near a proved bound, in one's units."""
    if certificate.basis == "duals":
        return True
    bound = proof.measured.bound
    return bound is not None and abs(proof.value - bound) <= certificate.tolerance * proof.unit


def _cleaned(task: Task, answer: Answer) -> Answer:
    """The answer at the point that is judged and returned: inside its bounds, on its rows."""
    form = answer.form
    known = answer.measured is not None or answer.exact is not None or answer.leximin is not None
    # A solver that was told to stop early is taken at its word.
    known = known or (answer.status.is_limit and bool(task.solver.options))
    if known or task.integer or form is None or answer.x is None or answer.z is None:
        return answer
    accept, decimals = task.solver.accept, lambda: task.native.decimals
    if task.subproblem.kind == "LP":  # mostly enough, and nobody need look where numbers come from
        measured = measure(form, answer.x, answer.z, claimed=answer.claimed, tolerance=accept)
        if measured.certificate.proved:
            return replace(answer, measured=_met(task, form, answer.x, answer.z, measured))
    origin = origin_of_rows(task)
    found = prove(
        form, answer.x, answer.z, claimed=answer.claimed, tolerance=accept, rows=origin,
        decimals=decimals if origin == "written" else lambda: None,
    )  # fmt: skip
    found = replace(found, measures=_met(task, form, found.x, found.z, found.measures))
    if found.x is answer.x:
        return replace(answer, measured=found.measures)
    moved = cvxpy_adapter.answer_at(task.native, found.x, None, iterations=None)
    return replace(
        answer, x=found.x, z=found.z, primal=moved.primal, value=moved.value,
        claimed=moved.claimed, measured=found.measures,
    )  # fmt: skip


def _met(task: Task, form: StandardForm, x: Array, z: Array, measured: Measures) -> Measures:
    """What is measured; no violation is allowed if the rows that are touched contradict others."""
    certificate, linear = measured.certificate, task.subproblem.kind == "LP"
    if not (linear and certificate.proved and certificate.row_tolerance < CERTIFIED * NEARNESS):
        return measured
    terms = TermSizes(form, x, z)
    inside = np.count_nonzero((terms.lower < x) & (x < terms.upper))
    if task.solver.target == "HIGHS" and touched_rows(terms, x, TOUCHED).sum() <= inside:
        return measured  # what a vertex touches is independent, unless it is too much
    if not misses(terms, x):
        return measured
    if origin_of_rows(task) != "written":
        return measured  # and not known better
    if is_met_nearby(terms, x, touched=TOUCHED, decimals=lambda: task.native.decimals):
        return measured
    return replace(measured, certificate=replace(certificate, row_tolerance=0.0))


@dataclass(frozen=True)
class _Point:
    """The user's variables as an answer leaves them and, where they are integer, rounded."""

    as_left: list[tuple[Leaf, Value]]
    values: list[tuple[Leaf, Value]]
    constants: list[tuple[Leaf, Value]]

    @classmethod
    def of(cls, task: Task, answer: Answer) -> _Point | None:
        """The point of an answer; None if some of it is missing or not finite."""
        subproblem = task.subproblem
        as_left = [(v, dense(answer.primal.get(v.id))) for v in subproblem.variables]
        if any(value is None or not np.isfinite(value).all() for _, value in as_left):
            return None
        values = as_left
        if task.integer:
            values = [(v, without_noise(v, value, task.solver.accept)) for v, value in as_left]
        return cls(as_left, values, [(p, task.constants[p.id]) for p in subproblem.inputs])

    @property
    def leaves(self) -> list[tuple[Leaf, Value]]:
        """Variables and parameters with their values."""
        return [*self.values, *self.constants]


def _leak(task: Task, point: _Point) -> str:
    """Whether an integrality tolerance is what makes the certificate fail, in words."""
    if not task.integer:
        return ""
    from lexiprog.infeasibility.demands import about_leak

    return about_leak(task.subproblem, point.as_left, point.constants)


@dataclass(frozen=True)
class _Proof:
    """The value and unit of an objective at a point, and what is measured and known of it.

    ``answer`` is the claim, with multipliers that somebody can vouch for.
    """

    answer: Answer
    value: float
    unit: float
    measured: Measures
    evidence: Evidence | None


def _prove(task: Task, answer: Answer, point: _Point, solutions: Mapping[str, Solution]) -> _Proof:
    """Measure the point by its own multipliers or, where they don't do, by a verification solve."""
    subproblem, leximin = task.subproblem, answer.leximin
    value = _value(task, answer, as_float(evaluate(subproblem.objective.expr, point.leaves)))
    if leximin is not None:
        measured = _measured_levels(task, leximin, point.leaves)
        evidence = leximin.evidence or Evidence.of(task, answer)
        return _Proof(answer, leximin.levels[0][0], leximin.unit, measured, evidence)
    # Geometric programs are solved in logarithms, so that errors are shares of the value.
    unit = abs(value) if subproblem.gp else _unit_of(task)
    if answer.x is not None and (answer.z is not None or task.integer):
        measured = _measured_numbers(task, answer, value, solutions)
        if not has_useless_multipliers(task, measured.certificate):
            return _Proof(answer, value, unit, measured, Evidence.of(task, answer))
    # Multipliers nobody can vouch for would poison later stages, so both they and the bound come
    # from a solve of our own.
    verified = verification_solve(subproblem, task.slack, solutions, task.given, task.deadline)
    answer = replace(answer, dual=verified.answer.dual if verified else {}, iterations=None)
    measured = _measured_point(task, answer, value, point, verified)
    if verified is None:
        return _Proof(answer, value, unit, measured, None)
    unit = unit if subproblem.gp else verified.unit
    return _Proof(answer, value, unit, measured, Evidence.of(verified.task, verified.answer))


def _value(task: Task, answer: Answer, value: float) -> float:
    """The objective at a point, which was added up in floats, without their rounding if it can be.

    Steps of whole numbers and decimals are added up exactly, and the sum is rounded once.
    """
    if not task.integer or task.compiled is None or answer.x is None or answer.leximin is not None:
        return value
    exact = task.native.whole_numbers.value(answer.x)
    if exact is None:
        return value
    exact = -exact if task.subproblem.maximise else exact
    return exact if abs(exact - value) <= SAME_VALUE * max(abs(value), 1.0) else value


def _solution(
    task: Task, stage: str, point: _Point, proof: _Proof, certificate: Certificate, status: Status
) -> Solution:
    subproblem, answer, leximin = task.subproblem, proof.answer, proof.answer.leximin
    arrays = (value for _, value in point.values)
    variables = read_only_copies(dict(zip(subproblem.keys, arrays, strict=True)))
    return Solution(
        name=subproblem.name,
        stage=stage,
        value=proof.value,
        status=status,
        solver=task.solver.name,
        certificate=certificate,
        bound=proof.measured.bound,
        unit=proof.unit,
        variables=variables,
        duals=_duals(subproblem, answer),
        options=task.solver.options,
        timings={"compile": task.compile_seconds, "solve": answer.seconds},
        iterations=answer.iterations,
        parameters=task.parameters,
        references=task.references,
        evidence=proof.evidence,
        levels=_levels(subproblem, leximin),
        lottery=None if leximin is None else leximin.lottery,
        **_exact_fields(subproblem, answer),
        **fields_by_id(variables, subproblem, task.constants),
    )


def status_if_stopped(task: Task, answer: Answer, certificate: Certificate) -> Status | None:
    """What an integer point is that a search had when it was stopped; None if it was not.

    A limit is a wish to go on with the best that was found, unless a gap is wished for too.
    """
    deadline = task.deadline
    stopped = (
        deadline.cancelled or deadline.enough or deadline.over or answer.status is Status.LIMIT
    )
    unknown = not certificate.gap <= certificate.gap_tolerance
    if not task.integer or not stopped or not unknown or set(certificate.failures) - {"gap"}:
        return None
    if deadline.enough or (task.solver.gap is None and not deadline.cancelled):
        return Status.WITHIN_GAP
    return Status.UNFINISHED


def _status(subproblem: Subproblem, answer: Answer, *, proved: bool) -> Status:
    """Only what is proved is called optimal; a gap the user accepts has its own name."""
    reason = answer.inaccurate if answer.leximin is None else answer.leximin.inaccurate
    if reason:
        warnings.warn(f"subproblem {subproblem.name!r}: {reason}.", LexiprogWarning, stacklevel=2)
        return Status.INACCURATE
    return Status.OPTIMAL if proved else Status.WITHIN_GAP


def _beyond_status(answer: Answer) -> str:
    """What the solver said, where the status does not say the same, or why we do not take it."""
    if answer.reason:
        return answer.reason
    return "" if answer.said in ("", str(answer.status)) else f"it said {answer.said}"


def has_useless_multipliers(task: Task, certificate: Certificate) -> bool:
    """Whether a good point comes with multipliers that prove nothing.

    SCIP, for one, turns rows into bounds and then has none for them.
    """
    failed = certificate.failures.keys()
    useless = "columns" in failed and failed <= {"columns", "slackness", "gap"}
    return useless and task.strategy.mode == "value" and not task.integer


# Certificates: from multipliers, of all levels of a leximin, and from a verification solve.


def _measured_numbers(
    task: Task, answer: Answer, value: float, solutions: Mapping[str, Solution]
) -> Measures:
    """Certificate from the numbers the solver was given and gave back."""
    if answer.x is None:
        raise TypeError("an answer without a point has no certificate")
    form = task.native.scaled if answer.form is None else answer.form
    bound = answer.bound
    if task.integer and bound is None and task.subproblem.kind == "MILP":
        # A solver that keeps its bound to itself gets none from its own claim.
        verified = verification_solve(
            task.subproblem, task.slack, solutions, task.given, task.deadline
        )
        bound = None if verified is None else verified.bound_in(form, task.native.scaling.cost)
    if answer.exact is not None:
        certificate = Certificate(tolerance=task.solver.accept, basis="exact")
        return Measures(certificate, float(answer.exact.value))
    measured = answer.measured or measure(
        form,
        answer.x,
        None if task.integer else answer.z,
        claimed=answer.claimed,
        tolerance=task.solver.accept,
        gap_tolerance=task.solver.gap,
        bound=bound,
        rows=origin_of_rows(task),
    )
    users = in_users_terms(task.subproblem, task.native.scaling, measured, value, answer.value)
    judged = _judged_exactly(task, answer.x, measured.bound, users.certificate)
    return replace(users, certificate=judged)


def in_users_terms(
    subproblem: Subproblem, scaling: Scaling, measured: Measures, value: float, claimed: float
) -> Measures:
    """The same of the objective that the user wrote, whose ``value`` is that at the point."""
    certificate = measured.certificate
    bound = in_users_sense(subproblem, scaling, measured.bound)
    # Geometric programs are solved in logarithms, so that errors are shares of the value.
    unit = abs(value) if subproblem.gp else scaling.value(1.0)
    rounding, effect = unit * measured.rounding, unit * measured.effect
    # The claim must also hold for the problem as the user wrote it.
    claim = max(certificate.claim, share_of_value(value, claimed, rounding))
    gap, interval = certificate.gap, None
    if bound is not None:
        gap = np.maximum(gap, share_of_value(value, bound, rounding))  # no number stays none
        doubt = max(rounding, effect) if certificate.basis == "duals" else 0.0
        interval = _interval(value, bound, doubt, maximise=subproblem.maximise)
    certificate = replace(certificate, claim=claim, gap=float(gap), interval=interval)
    return Measures(certificate, bound, rounding, effect)


def _interval(value: float, bound: float, doubt: float, *, maximise: bool) -> tuple[float, float]:
    """Where the optimum lies; values of which a float has all digits are taken as they are."""
    doubt = 0.0 if doubt <= ALL_DIGITS * abs(value) else doubt
    low, high = min(bound, value), max(bound, value)
    return (low - doubt, high) if maximise else (low, high + doubt)


def _judged_exactly(
    task: Task, x: Array, bound: float | None, certificate: Certificate
) -> Certificate:
    """The certificate of an integer point, without tolerance for what is made of whole numbers."""
    if not task.integer or task.subproblem.gp:
        return certificate
    native = task.native
    least = None if bound is None else native.scaling.value(bound - native.scaled.offset)
    return native.whole_numbers.judged(certificate, x, least)


def _unit_of(task: Task) -> float:
    """What counts as one in the user's objective: no more than its terms can come to."""
    unit = 1.0 if task.compiled is None else 1.0 / task.native.scaling.cost
    if unit <= LARGE_UNIT or task.subproblem.kind != "LP":
        return unit
    return min(unit, most_of_terms(task.form)) or unit


def in_users_sense(subproblem: Subproblem, scaling: Scaling, bound: float | None) -> float | None:
    """A lower bound of the form as a bound of the problem that the user wrote."""
    if bound is None:
        return None
    value = scaling.value(bound)
    if subproblem.gp:  # solved in logarithms
        value = float(np.exp(value))
        return 1.0 / value if subproblem.maximise else value
    return -value if subproblem.maximise else value


def _measured_levels(
    task: Task, leximin: LeximinAnswer, leaves: list[tuple[Leaf, Value]]
) -> Measures:
    """The certificate of all levels, which must also hold for the utilities as written."""
    fair = task.subproblem.fair
    if fair is None:
        return leximin.measured
    utilities = np.asarray(evaluate(fair.stack, leaves), dtype=float).ravel()
    missed = 0.0
    for level, members in leximin.levels:
        errors = np.abs(utilities[list(members)] - level) / (leximin.unit + abs(level))
        missed = max(missed, float(np.max(errors)))
    certificate = leximin.measured.certificate
    # What is known in fractions is rounded once, to be written in floats.
    claim = max(certificate.claim, missed)
    return replace(leximin.measured, certificate=replace(certificate, claim=claim))


def _measured_point(
    task: Task, answer: Answer, value: float, point: _Point, verified: VerifiedOptimum | None
) -> Measures:
    """Certificate of a point alone: violations as declared, and the distance to a proved bound."""
    subproblem = task.subproblem
    with holding(point.leaves):
        conditions = [*subproblem.constraints, *_domains(subproblem)]
        for variable, _ in point.values:
            conditions += variable.domain
        misses = [relative_violation(condition) for condition in conditions]
    fractional = [
        float(np.max(np.abs(array - np.round(array)), initial=0.0, where=integer_entries(variable)))
        for variable, array in point.values
    ]
    gap, bound, rounding = np.nan, None, 0.0
    if verified is not None:
        bound = -verified.bound if subproblem.maximise else verified.bound
        bound = verified.answer.value if subproblem.gp else bound
        rounding = verified.measured.rounding / verified.task.native.scaling.cost
        gap = share_of_value(value, bound, rounding)
        if (value > bound) == subproblem.maximise and value != bound:
            gap = max(gap, float(np.max([0.0, *misses])))  # too good to be true
    certificate = Certificate(
        rows=float(np.max([0.0, *misses])),  # not-a-number stays not-a-number
        gap=float(gap),
        claim=share_of_value(value, answer.value, rounding),
        integrality=float(np.max([0.0, *fractional])),
        tolerance=task.solver.accept,
        gap_tolerance=max(task.solver.accept, task.solver.gap or 0.0),
        row_tolerance=task.solver.accept,
        basis="bound",
        interval=None if bound is None else (min(bound, value), max(bound, value)),
    )
    x = None if verified is None or not task.integer else _in_columns(verified.task, point)
    if verified is not None and x is not None:
        certificate = _judged_exactly(verified.task, x, verified.measured.bound, certificate)
    return Measures(certificate, bound, rounding)


def _in_columns(task: Task, point: _Point) -> Array | None:
    """A point of the user's variables in the columns of a form; None if some variable has none."""
    columns, x = cvxpy_adapter.columns_of(task.native), np.zeros(task.form.c.size)
    for variable, array in point.values:
        if variable.id not in columns:
            return None
        x[columns[variable.id]] = array
    return x


def _domains(subproblem: Subproblem) -> list[Constraint]:
    """Where the expressions mean what their curvature says: CVXPY evaluates 1 / x below zero, too.

    Geometric programs have positive variables, whose domains are checked with them.
    """
    if subproblem.gp:
        return []
    sides = [side for constraint in subproblem.constraints for side in constraint.args]
    return [limit for side in [*subproblem.objective.args, *sides] for limit in side.domain]


def relative_violation(condition: Constraint) -> float:
    """The violation over the size of the two sides, or of the variables in them."""
    violation = float(np.max(condition.violation(), initial=0.0))
    if violation == 0.0:
        return 0.0
    parts = [side.value for side in condition.args] + [v.value for v in condition.variables()]
    size = max((float(np.max(np.abs(s), initial=0.0)) for s in parts if s is not None), default=0.0)
    return violation / size if size else np.inf


# Fields of a solution.


def _exact_fields(subproblem: Subproblem, answer: Answer) -> Record:
    """What is known in rational numbers."""
    if answer.exact is None:
        return {}
    primal, dual = answer.exact.primal, answer.exact.dual
    arrays = {
        key: primal.get(v.id) for key, v in zip(subproblem.keys, subproblem.variables, strict=True)
    }
    return {
        "exact": answer.exact.value,
        "exact_variables": {key: value for key, value in arrays.items() if value is not None},
        "exact_duals": tuple(dual.get(c.id) for c in subproblem.constraints),
    }


def _levels(subproblem: Subproblem, leximin: LeximinAnswer | None) -> tuple[Level, ...]:
    if leximin is None or subproblem.fair is None:
        return ()
    names = subproblem.fair.names
    return tuple(Level(value, tuple(names[i] for i in who)) for value, who in leximin.levels)


def _duals(subproblem: Subproblem, answer: Answer) -> tuple[Multiplier | None, ...]:
    if answer.leximin is not None and answer.leximin.duals is not None:
        return answer.leximin.duals
    return tuple(_dual(c, answer) for c in subproblem.constraints)


def _dual(constraint: Constraint, answer: Answer) -> Multiplier | None:
    value = answer.dual.get(constraint.id)
    if value is None:
        return None
    if type(value) is float and not constraint.shape:
        return np.array(value)
    with CVXPY_LOCK:
        return cvxpy_adapter.dual_arrays(constraint, value)
