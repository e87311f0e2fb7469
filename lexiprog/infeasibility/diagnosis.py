"""Say why a subproblem has no certified optimum, and what would help."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import cvxpy as cp
import numpy as np
import scipy.sparse as sp

from lexiprog import cvxpy_adapter
from lexiprog.backends.clarabel import solve_conic
from lexiprog.backends.solver import EXACT, Solver
from lexiprog.canon.standard_form import StandardForm
from lexiprog.certify.measures import least_multipliers
from lexiprog.compile.binding import bind_references
from lexiprog.cvxpy_adapter import Compiled, Prepared
from lexiprog.deadline import Deadline
from lexiprog.errors import Attempt, ConflictPart, StageError, visible
from lexiprog.infeasibility.conflict import SECONDS, Contradiction, find_conflict, quick_answer
from lexiprog.infeasibility.demands import Demand, elastic
from lexiprog.model.expressions import (
    CVXPY_LOCK,
    ENTRY_NAMES,
    automatic_names,
    dense,
    is_integer_kind,
    written,
)
from lexiprog.model.lock import NO_SLACK, Slack
from lexiprog.model.references import REFERENCES
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.result import Result
from lexiprog.results.solution import Solution
from lexiprog.status import Fault, Status
from lexiprog.summary import array_text, counted, names_text
from lexiprog.tolerances import RAY_NOISE, RAY_PROOF
from lexiprog.typing import Array, Constraint, Value, Values

# How far constraints would have to be relaxed for a problem to have a solution.


def tell_apart(
    subproblem: Subproblem, solutions: Mapping[str, Solution], deadline: Deadline | None = None
) -> Status:
    """Whether a problem called infeasible-or-unbounded is the one or the other."""
    with CVXPY_LOCK:
        bind_references(subproblem, solutions)
        zero = 0 * cp.sum(subproblem.variables[0]) if not subproblem.gp else cp.Constant(1.0)
        nothing = cp.Problem(cp.Minimize(zero), list(subproblem.constraints))
        status = quick_answer(nothing, gp=subproblem.gp, deadline=deadline).status
    if status is Status.OPTIMAL:
        return Status.UNBOUNDED
    return Status.INFEASIBLE if status.is_infeasible else Status.EITHER


def optima_in(constraint: Constraint) -> tuple[str, ...]:
    """The earlier optima that a constraint is written with."""
    found = (REFERENCES.get(parameter) for parameter in constraint.parameters())
    return tuple(sorted({reference.label for reference in found if reference is not None}))


def least_relaxation(
    subproblem: Subproblem, positions: Sequence[int], deadline: Deadline
) -> float | None:
    """The least sum of slacks on these constraints with which there is a solution.

    At the values that references have now. None if there is no such slack, or the kind of
    constraint has no natural one.
    """
    if subproblem.gp:
        return None
    slacks = {position: cp.Variable(nonneg=True) for position in positions}
    constraints: list[Constraint] = []
    for position, constraint in enumerate(subproblem.constraints):
        if position in slacks:
            soft = elastic(Demand(constraint, ""), slacks[position])
            if not soft:
                return None
            constraints += soft
        else:
            constraints.append(constraint)
    problem = cp.Problem(cp.Minimize(sum(slacks.values())), constraints)
    answer = quick_answer(problem, deadline=deadline)
    return answer.value if answer.status is Status.OPTIMAL else None


# An infeasible problem explained: what contradicts what, and which earlier optimum would yield.

Conflict = tuple[ConflictPart, ...]


def explain(
    subproblem: Subproblem,
    solutions: Mapping[str, Solution],
    slack: Slack,
    deadline: Deadline | None = None,
) -> tuple[Conflict, str]:
    """The conflict, and what it means in a sentence or two."""
    deadline = Deadline(SECONDS) if deadline is None else deadline
    with CVXPY_LOCK:
        bind_references(subproblem, solutions, slack)
        conflict = find_conflict(subproblem, deadline)
        if conflict is None:
            return (), _dependence(subproblem, deadline)
        parts = tuple(
            _part(subproblem, demand, deadline)
            for demand in (*conflict.constraints, *conflict.bounds)
        )
        parts += tuple(ConflictPart(f"{name} is whole") for name in conflict.whole)
        said = f"{_statement(parts, conflict)} {_relaxations(subproblem, parts, deadline)}"
        return parts, said.strip()


def _dependence(subproblem: Subproblem, deadline: Deadline) -> str:
    """What to say where no solver confirms the contradiction."""
    named = sorted({label for c in subproblem.constraints for label in optima_in(c)})
    depends = f"It depends on {', '.join(named)}. " if named else ""
    reason = (
        "the time was over."
        if deadline.should_stop
        else "it is so close to feasible, or so large, that solvers do not agree on it."
    )
    return f"{depends}What contradicts what could not be found: {reason}"


def _part(subproblem: Subproblem, demand: Demand, deadline: Deadline) -> ConflictPart:
    if demand.position is None:
        names = _entry_names(demand, demand.of)
        written_as = visible(demand.text)
        text = f"bounds of {names_text(names)}" if names else written_as
        return ConflictPart(text, entries=_entries(demand), expression=written_as, names=names)
    constraint = subproblem.constraints[demand.position]
    names = _entry_names(demand, constraint)
    optima = optima_in(constraint)
    relaxation = least_relaxation(subproblem, [demand.position], deadline) if optima else None
    part = ConflictPart.of(
        written(constraint, automatic_names(subproblem.variables)),
        position=demand.position + 1,
        label=None if constraint.label is None else visible(str(constraint.label)),
        entries=_entries(demand),
        optima=optima,
        relaxation=relaxation,
        names=names,
    )
    return replace(part, text=names_text(names)) if names else part


def _entry_names(demand: Demand, named: object) -> tuple[str, ...]:
    """Names of the entries that take part, if ``named``, a variable or constraint, has some."""
    names = ENTRY_NAMES.get(named) or ()
    return tuple(names[e] for e in demand.all_entries) if names else ()


def _entries(demand: Demand) -> tuple[tuple[int, ...], ...]:
    if demand.entries is None or not demand.entrywise:
        return ()
    shape = demand.constraint.expr.shape
    if len(demand.entries) == demand.constraint.expr.size:
        return ()
    return tuple(tuple(int(k) for k in np.unravel_index(e, shape)) for e in demand.entries)


def _statement(parts: Conflict, conflict: Contradiction) -> str:
    listed = "; ".join(map(str, parts))
    if len(parts) == 1:
        return f"This cannot hold, whatever else is left out: {listed}."
    bounds = "" if not (conflict.bounds or conflict.whole) else " and bounds"
    head = f"These {counted(len(parts), 'constraint')}{bounds} cannot hold together"
    if not conflict.minimal:
        return f"{head}, though perhaps not all of them are needed for that: {listed}."
    return f"{head}, and none of them can be left out: {listed}."


def _relaxations(subproblem: Subproblem, parts: Conflict, deadline: Deadline) -> str:
    """Which earlier optimum to relax, and by how much."""
    every = [k for k, c in enumerate(subproblem.constraints) if optima_in(c)]
    if not every:
        return ""
    with_optima = [part for part in parts if part.optima]
    if not with_optima:
        return "No earlier optimum takes part: relaxing those it depends on would not help."
    alone = sorted((p for p in with_optima if p.relaxation is not None), key=_relaxation)
    if alone:
        return " ".join(
            f"The earlier optimum {' and '.join(part.optima)} would have to be relaxed by "
            f"{part.relaxation:.6g}, no less, in constraint {part.position}."
            for part in alone
        )
    together = least_relaxation(subproblem, every, deadline)
    if together is not None:
        names = ", ".join(sorted(_names(optima_in(subproblem.constraints[k]) for k in every)))
        return f"The earlier optima {names} would have to be relaxed by {together:.6g} in sum."
    depends = f"It depends on {', '.join(_names(part.optima for part in with_optima))}"
    if deadline.should_stop:
        return f"{depends}; there was no time to find by how much that must be relaxed."
    return f"{depends}, but relaxing that alone would not help."


def _relaxation(part: ConflictPart) -> float:
    return part.relaxation or 0.0


def _names(labels: Iterable[tuple[str, ...]]) -> list[str]:
    """Each once, in the order in which they come."""
    return list(dict.fromkeys(chain.from_iterable(labels)))


# A recession direction in which an objective improves, proved from the problem's numbers.


def direction_of(
    subproblem: Subproblem, deadline: Deadline | None = None
) -> Mapping[str, Value] | None:
    """The shortest direction of unit gain that never leaves the feasible set, by variable name.

    At the values that parameters and references have now. None if there is no straight one, or
    none that the problem's numbers prove to be one.
    """
    linear = subproblem.kind in ("LP", "MILP")
    if is_integer_kind(subproblem.kind) and not linear:
        return None
    solver = Solver("HIGHS" if linear else "CLARABEL")
    options = solver.options_for(integer=subproblem.integer)
    prepared = Prepared(subproblem.problem, gp=subproblem.gp, dpp=False)
    compiled = prepared.compile(solver.target, options)
    deadline = Deadline(SECONDS) if deadline is None else deadline
    shortest = deadline.wait_for(solve_conic, _recession(compiled.scaled), deadline)
    if shortest is None:
        return None
    ray = proved_ray(compiled.scaled, shortest.x)
    return None if ray is None else _by_variable(compiled, subproblem, ray)


def _recession(form: StandardForm) -> StandardForm:
    """The directions that never leave the feasible set and gain one, the shortest sought."""
    size = form.c.size
    flat = [sp.csr_array(form.c.reshape(1, -1))]
    if form.P is not None:  # a quadratic objective must not bend
        flat.append(sp.csr_array(form.P))
    above = sp.vstack(flat)
    free = np.full(size, np.inf)
    return replace(
        form,
        c=np.zeros(size),
        offset=0.0,
        P=sp.csc_array(sp.eye_array(size)),
        A=sp.csc_array(sp.vstack([above, form.A])),
        b=np.concatenate([[-1.0], np.zeros(above.shape[0] - 1 + form.b.size)]),
        cones=replace(form.cones, zero=form.cones.zero + above.shape[0]),
        lower=-free if form.lower is None else np.where(np.isfinite(form.lower), 0.0, -np.inf),
        upper=free if form.upper is None else np.where(np.isfinite(form.upper), 0.0, np.inf),
        integer=None,
    )


def proved_ray(form: StandardForm, ray: Array) -> Array | None:
    """The ray without rounding errors, if the numbers say that it is one."""
    largest = float(np.max(np.abs(ray), initial=0.0))
    if not largest > 0:
        return None
    # Most rays are made of small whole numbers; so much the better if one can be had exactly.
    smallest = float(np.min(np.abs(ray[np.abs(ray) > RAY_NOISE * largest])))
    tries: list[Array] = [np.round(ray / unit, 4) for unit in (smallest, largest)]
    tries += [np.where(np.abs(ray) > RAY_NOISE * largest, ray, 0.0), ray]
    return next((a for a in tries if least_multipliers(form, a) >= RAY_PROOF), None)


def _by_variable(compiled: Compiled, subproblem: Subproblem, ray: Array) -> Mapping[str, Value]:
    values = cvxpy_adapter.answer_at(compiled, ray, None, iterations=None).primal
    return {
        key: np.array(dense(values[variable.id])) + 0.0
        for key, variable in zip(subproblem.keys, subproblem.variables, strict=True)
    }


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
    deadline: Deadline | None = None,
) -> StageError:
    """The error for a stage whose first failed subproblem explains it.

    ``deadline`` is that of the explanation.
    """
    first = failed[0]
    tries = attempts[first.name] or [_nobody(first)]
    last = _decisive(tries)
    said = "; ".join(dict.fromkeys(map(str, tries)))
    others = ", ".join(repr(p.name) for p in failed[1:])
    reason = _reason(first, last, partial, slack, deadline or Deadline(SECONDS))
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


def _decisive(tries: Sequence[Attempt]) -> Attempt:
    """The attempt whose word counts: what fractions say, else that there is no point at all."""
    ends = [a for a in tries if a.status.is_infeasible or a.status.is_unbounded]
    exact = [attempt for attempt in ends if attempt.solver == EXACT]
    infeasible = [attempt for attempt in reversed(ends) if attempt.status.is_infeasible]
    return [*exact, *infeasible, tries[-1]][0]


def _finished(partial: Result) -> int:
    return sum(solution.status is not Status.UNFINISHED for solution in partial.values())


def _nobody(subproblem: Subproblem) -> Attempt:
    """What to say where the default has no solver to offer."""
    reason = f"none that takes problems of class {subproblem.kind} is installed"
    return Attempt("no solver", Status.NO_ANSWER, reason, Fault.NOT_TAKEN)


def _reason(
    subproblem: Subproblem, last: Attempt, solved: Result, slack: Slack, deadline: Deadline
) -> _Reason:
    if last.status.is_infeasible:
        try:
            conflict, text = explain(subproblem, solved, slack, deadline)
        except Exception as error:  # noqa: BLE001 - advice must not replace the error it explains
            return _Reason(f"What contradicts what could not be found: {type(error).__name__}.")
        return _Reason(text, conflict)
    if last.status.is_unbounded:
        return _unbounded(subproblem, solved, slack, deadline)
    return _Reason(_advice(subproblem, last))


def _unbounded(subproblem: Subproblem, solved: Result, slack: Slack, deadline: Deadline) -> _Reason:
    """In which direction an objective improves without limit."""
    direction: Values | None = None
    with CVXPY_LOCK:
        bind_references(subproblem, solved, slack)
        try:
            direction = direction_of(subproblem, deadline)
        except Exception:  # noqa: BLE001 - advice must not replace the error it explains
            direction = None
    text = "Its objective improves without limit"
    if direction is not None:
        moving = {k: v for k, v in direction.items() if (v != (1 if subproblem.gp else 0)).any()}
        shown = ", ".join(f"{name} = {array_text(value)}" for name, value in moving.items())
        how = "by multiplying with factors" if subproblem.gp else "in the direction"
        text = f"{text} {how} {shown}"
    return _Reason(f"{text}: bound the variables.", direction=direction)


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
        if subproblem.nlp:
            return "Install one that does: UNO (pip install 'lexiprog[nlp]') or IPOPT (cyipopt)."
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
