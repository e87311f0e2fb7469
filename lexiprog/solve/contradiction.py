"""Whether linear constraints can hold together, whatever else a problem has.

A curve is met up to a share of its terms, and no solver does better. Beside it linear rows could
contradict each other by as little, and nobody would notice: so they are looked at alone.
"""

from __future__ import annotations

from dataclasses import replace

import cvxpy as cp
import numpy as np
import scipy.sparse as sp

from lexiprog.backends.remote_lp import RemoteHighs
from lexiprog.backends.solver import EXACT, Solver, has_exact
from lexiprog.canon.decimals import DecimalResiduals
from lexiprog.canon.standard_form import Bounds, Cones, StandardForm, columns_of
from lexiprog.certify.feasible import is_met_nearby
from lexiprog.certify.measures import row_tolerance
from lexiprog.certify.terms import TermSizes
from lexiprog.compile.binding import Given
from lexiprog.compile.rational_data import Fractions, exact_program
from lexiprog.compile.task import Solutions, Strategy, Task, prepare
from lexiprog.cvxpy_adapter import Compiled
from lexiprog.deadline import Deadline
from lexiprog.model.lock import Slack
from lexiprog.model.subproblem import Subproblem
from lexiprog.rational.prover import Prover
from lexiprog.solve.exact import Exact
from lexiprog.tolerances import NEARLY_TOUCHED, NEARNESS, PRECISE_HIGHS, TOUCHED
from lexiprog.typing import Array, Constraint

# More rows than this are not looked at in fractions unless the user asks for it.
MOST_ROWS = 500


def linear_rows_hold(task: Task, x: Array) -> bool | None:
    """Whether some point is on all linear rows of a problem, as they are written; None if unsure.

    Such a point is looked for near ``x`` first; columns that are integer stay where they are there.
    Rows whose numbers were computed may be missed by as much as those of linear problems. Rows that
    hold an earlier optimum say nothing: it is known up to rounding or less.
    """
    compiled = _own_rows(task)
    if compiled is None:
        return True
    form = linear_part(compiled.scaled, at=x if task.integer else None)
    x = x if x.size == form.c.size else np.zeros(form.c.size)
    x = np.where(np.abs(x) <= TOUCHED * np.abs(x).max(initial=0.0), 0.0, x)
    terms = TermSizes(form, x, np.zeros(form.b.size))

    def met(point: Array, touched: float) -> bool:
        def decimals() -> DecimalResiduals | None:
            return _first_rows(compiled.decimals, form.b.size)

        return is_met_nearby(terms, point, touched=touched, decimals=decimals)

    if met(form.within_bounds(x), NEARNESS * task.solver.accept):
        return True
    vertex = RemoteHighs(form.A, PRECISE_HIGHS).run(form.c, Bounds.of(form), deadline=task.deadline)
    point = form.within_bounds(vertex.x) if vertex.optimal else None
    if point is not None and met(point, NEARLY_TOUCHED):
        return True
    if not compiled.written:
        allowed = row_tolerance(form, task.solver.accept, "computed")
        near = point is not None and terms.measure(point, np.zeros(form.b.size)).rows <= allowed
        return near or None
    rows = linear_part(compiled.form, at=compiled.scaling.point(x) if task.integer else None)
    exact = _hold_in_fractions(compiled, rows, {}, task.deadline)
    return False if exact is None and vertex.word.is_infeasible else exact


def linear_part(form: StandardForm, at: Array | None = None) -> StandardForm:
    """Its linear rows and the bounds of its columns, without an objective.

    Integer columns are fixed where they are ``at``, if that is given.
    """
    count, cones = form.cones.linear, form.cones
    rows = form.A
    if count < form.b.size:
        rows = columns_of(rows).once("linear", count, lambda: sp.csc_array(form.A[:count]))
    lower, upper = form.lower, form.upper
    if at is not None and form.integer is not None:
        lower, upper = (end.copy() for end in form.ranges())
        lower[form.integer] = upper[form.integer] = np.round(at[form.integer])
    kept = Cones(zero=cones.zero, nonneg=cones.nonneg)
    return StandardForm(np.zeros(form.c.size), 0.0, rows, form.b[:count], kept, None, lower, upper)


def _first_rows(decimals: DecimalResiduals | None, count: int) -> DecimalResiduals | None:
    if decimals is None or decimals.sides is None:
        return None
    return replace(decimals, matrix=decimals.matrix[:count], sides=decimals.sides[:count])


def _own_rows(task: Task) -> Compiled | None:
    """The numbers of a problem without what refers to others; None if there is nothing to look at.

    What it has in common with problems that it holds was looked at with these.
    """
    subproblem = task.subproblem
    if not subproblem.references:
        return task.compiled
    placeholders = {parameter.id for parameter, _ in subproblem.references}
    owners = [owner for _, r in subproblem.references if (owner := r.owner()) is not None]
    known = {id(constraint) for owner in owners for constraint in owner.constraints}
    own = [c for c in subproblem.constraints if not placeholders & {p.id for p in c.parameters()}]
    if all(id(constraint) in known for constraint in own):
        return None
    alone = Subproblem(subproblem.name, cp.Minimize(1.0), own, gp=subproblem.gp)
    return prepare(alone, Strategy(task.solver), {}, given=task.given).compiled


def _hold_in_fractions(
    compiled: Compiled, form: StandardForm, known: Fractions, deadline: Deadline
) -> bool | None:
    """Whether these linear rows hold together in rational numbers; None if nobody knows."""
    if not has_exact() or form.b.size > MOST_ROWS:
        return None
    program = exact_program(replace(compiled, given=form), known)
    status = Prover(program).minimise(deadline=deadline).status
    return {"optimal": True, "infeasible": False}.get(status)


def contradicts_itself(
    subproblem: Subproblem, solved: Solutions, slack: Slack, given: Given, deadline: Deadline
) -> bool:
    """Whether fractions prove that the linear constraints of a problem cannot hold together."""
    straight = [constraint for constraint in subproblem.constraints if _is_straight(constraint)]
    if subproblem.gp or not straight or not has_exact():
        return False
    try:
        zero = cp.Minimize(0 * cp.sum(straight[0].variables()[0]))
        alone = Subproblem("its linear constraints", zero, straight)
        strategy = Strategy(Solver(EXACT))
        task = prepare(alone, strategy, solved, slack, Exact().compile, given, deadline)
        rows = linear_part(task.form)
        return _hold_in_fractions(task.native, rows, task.fractions, deadline) is False
    except Exception:  # noqa: BLE001 - what cannot be decided is not decided
        return False


def _is_straight(constraint: Constraint) -> bool:
    kinds = cp.constraints
    linear = kinds.Inequality | kinds.Equality | kinds.Zero | kinds.NonNeg | kinds.NonPos
    affine = isinstance(constraint, linear) and all(side.is_affine() for side in constraint.args)
    return affine and bool(constraint.variables())
