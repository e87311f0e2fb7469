"""Round the integers of an answer and solve for the rest of it once more.

An integer solver may stop with 3.9999997 for a 4 and let the other columns profit from the
difference. What is then called the optimum cannot be had, and no later problem can hold it. Where
the rest cannot follow, an integrality tolerance leaks through a big M: the problem is solved again
with smaller ones. Where it can, but an M stays large, the solver's word is not enough either, and
the same is done.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lexiprog.backends.clarabel import solve_conic
from lexiprog.backends.digits import solve_by_digits
from lexiprog.backends.highs import HighsModel
from lexiprog.backends.highs_mip import MipSearch, largest_m, small_m, solve_mip, tightened
from lexiprog.canon.standard_form import Bounds, StandardForm
from lexiprog.certify.measures import Measures, measure, share_of_value
from lexiprog.compile.answer import Answer
from lexiprog.compile.task import Task
from lexiprog.cvxpy_adapter import Compiled, answer_at, columns_of
from lexiprog.deadline import Deadline
from lexiprog.status import Status
from lexiprog.tolerances import (
    AMBIGUOUS_M,
    LEAST_FEASIBILITY,
    LOCK_FEASIBILITY,
    MIP_FEASIBILITY,
    NEARLY_INTEGER,
    ROUNDED_POINT,
    SAME_VALUE,
)
from lexiprog.typing import Array, Options

if TYPE_CHECKING:
    from lexiprog.backends.branching import Leaf, TreeSearch
    from lexiprog.canon.product_units import ProductUnits

    Held = Callable[[StandardForm], tuple[StandardForm, Leaf]]

# The smallest tolerances that HiGHS keeps.
STRICT = {
    "mip_feasibility_tolerance": MIP_FEASIBILITY,
    "primal_feasibility_tolerance": LEAST_FEASIBILITY,
}
# How often a leaking problem is tightened by the value of a better point.
ROUNDS = 3


def rounded_and_resolved(
    compiled: Compiled, answer: Answer, deadline: Deadline, gap: float | None = None
) -> Answer:
    """The answer at the best point with its integers rounded.

    If there is no such point, the answer comes back as it is and will not be certified. What
    leaks is searched anew within the deadline of the first search. Where somebody is content with
    a ``gap``, the bound need not be reached.
    """
    form, point = answer.form, answer.x
    if form is None or point is None or form.integer is None or not form.integer.size:
        return answer
    nearest = np.round(point[form.integer])
    if not np.max(np.abs(point[form.integer] - nearest)) <= NEARLY_INTEGER:
        return answer
    rest, bound, found = best_with(form, nearest), answer.bound, None
    if form.is_linear:
        if rest is None:
            found = _without_leaks(form, point, deadline)
        elif _may_mislead(form, answer):
            found = solve_tightened(form, rest, deadline)
    if found is not None:
        rest, bound = found[0], bound if found[1] is None else found[1]
    if not _is_exact(compiled, answer, rest, None if gap else bound):
        return _again_by_digits(compiled, answer, deadline)
    return answer if rest is None else moved_answer(compiled, form, rest, answer, bound)


def search_by_digits(
    compiled: Compiled, options: Options, start: Array | None, deadline: Deadline
) -> MipSearch:
    """The best point where rows and objective of whole numbers are written in digits."""
    return solve_by_digits(
        small_m(compiled.scaled), compiled.whole_numbers, options, start, deadline,
        cost=compiled.scaling.cost,
    )  # fmt: skip


def _is_exact(compiled: Compiled, answer: Answer, x: Array | None, bound: float | None) -> bool:
    """Whether an optimum, if it is called one, is one in whole numbers; curves have no digits."""
    form, numbers = compiled.form, compiled.whole_numbers
    if answer.status is not Status.OPTIMAL or not form.is_linear:
        return True
    if x is None:  # what leaks beside continuous columns is another matter
        return form.integer is None or form.integer.size < form.c.size
    if numbers.excess(x):
        return False
    if numbers.objective is None or bound is None or not np.isfinite(bound):
        return True
    least = compiled.scaling.value(bound - compiled.scaled.offset)
    return numbers.objective.is_reached(x, least)


def _again_by_digits(compiled: Compiled, answer: Answer, deadline: Deadline) -> Answer:
    """The answer of a search in digits; the first if that finds nothing."""
    found = search_by_digits(compiled, STRICT, None, deadline)
    form = compiled.scaled
    if found.x is None:
        return Answer(found.status, said=found.said) if found.status.is_infeasible else answer
    x = best_with(form, np.round(found.x[form.integer]))
    if x is None:
        return answer
    said = replace(answer, status=found.status, said=found.said)
    return moved_answer(compiled, form, x, said, found.bound)


def moved_answer(
    compiled: Compiled, form: StandardForm, x: Array, answer: Answer, bound: float | None
) -> Answer:
    """The same answer at another point of its form."""
    found = answer_at(compiled, x, None, iterations=answer.iterations)
    return replace(
        found, status=answer.status, said=answer.said, claimed=form.objective(x), form=form,
        bound=bound, seconds=answer.seconds, inaccurate=answer.inaccurate,
    )  # fmt: skip


def _may_mislead(form: StandardForm, answer: Answer) -> bool:
    """Whether rows and bounds leave an M so large that a solver's word is not enough."""
    return answer.status is Status.OPTIMAL and largest_m(small_m(form)) >= AMBIGUOUS_M


def solve_tightened(
    form: StandardForm, known: Array, deadline: Deadline
) -> tuple[Array, float | None] | None:
    """The best whole point of the problem with the M that a known point's value allows."""
    value = form.objective(known)
    found = solve_mip(tightened(form, value), STRICT, known, deadline)
    if found.x is None or found.status is not Status.OPTIMAL or found.word:
        return None
    rest = best_with(form, np.round(found.x[form.integer]))
    return (known if rest is None or form.objective(rest) > value else rest), found.bound


def _without_leaks(
    form: StandardForm, point: Array, deadline: Deadline
) -> tuple[Array, float | None] | None:
    """The best whole point of a problem whose big M let something through, and a bound.

    Opening whatever leaked gives a point that can be had; its value bounds the columns, and so
    the M that are needed.
    """
    near = np.round(point[form.integer])
    leaking = np.abs(point[form.integer] - near) > 0.0
    opened = np.where(leaking, near + np.sign(point[form.integer] - near), near)
    best = best_with(form, opened)
    for _ in range(ROUNDS):
        value = None if best is None else form.objective(best)
        found = solve_mip(tightened(form, value), STRICT, best, deadline)
        if found.x is None or found.status is not Status.OPTIMAL or found.word:
            # Out of time, the point that can be had is as good as any.
            return (best, None) if best is not None and deadline.should_stop else None
        rest = best_with(form, np.round(found.x[form.integer]))
        if rest is not None:
            return rest, found.bound
        leaks = np.abs(found.x[form.integer] - np.round(found.x[form.integer])) > 0.0
        better = best_with(form, np.where(leaks, 1.0, np.round(found.x[form.integer])))
        if better is None or (value is not None and form.objective(better) >= value):
            return None
        best = better
    return None


def best_with(form: StandardForm, whole: Array) -> Array | None:
    """The best point with these integers, exactly; None if the rest cannot follow."""
    bounds = Bounds.of(form)
    if ((whole < bounds.lower[form.integer]) | (whole > bounds.upper[form.integer])).any():
        return None
    bounds.lower[form.integer] = bounds.upper[form.integer] = whole
    if form.integer is not None and form.is_linear and form.integer.size == form.c.size:
        return _inside(form, whole)
    if form.is_linear:
        for tolerance in LOCK_FEASIBILITY:
            session = HighsModel(form.A, {"primal_feasibility_tolerance": tolerance})
            vertex = session.run(form.c, bounds)
            if vertex.optimal:
                vertex.x[form.integer] = whole
                return vertex.x
        return None
    found = solve_conic(replace(form, lower=bounds.lower, upper=bounds.upper))
    if found is None:
        return None
    found.x[form.integer] = whole
    return found.x


def _inside(form: StandardForm, whole: Array) -> Array | None:
    """A point all of whose columns are whole, if it is within the rows."""
    x = np.zeros(form.c.size)
    x[form.integer] = whole
    slack, zero = form.slack(x), form.cones.zero
    sizes = 1.0 + np.abs(form.b) + abs(form.A) @ np.abs(x)
    missed = max(np.max(np.abs(slack[:zero]) / sizes[:zero], initial=0.0),
                 np.max(-slack[zero:] / sizes[zero:], initial=0.0))  # fmt: skip
    return x if missed <= ROUNDED_POINT else None


def best_start(task: Task, form: StandardForm) -> Array | None:
    """The best point of ``form`` whose integers are those of an earlier point; None without one."""
    if not task.starts or form.integer is None:
        return None
    columns = columns_of(task.native)
    best: Array | None = None
    seen: set[bytes] = set()
    for leaves in task.starts:
        values = np.full(form.c.size, np.nan)
        for key in columns.keys() & leaves.keys():
            values[columns[key]] = leaves[key]
        whole = np.round(values[form.integer])
        if np.isnan(whole).any() or whole.tobytes() in seen:
            continue
        seen.add(whole.tobytes())
        x = best_with(form, whole)
        if x is not None and (best is None or form.objective(x) < form.objective(best)):
            best = x
        if task.deadline.should_stop and best is not None:
            break
    return best


def no_worse_than(
    start: Array | None, compiled: Compiled, form: StandardForm, answer: Answer
) -> Answer:
    """The answer, or the start where that is better than what was found."""
    if start is None:
        return answer
    if answer.x is None:
        if not answer.status.is_limit:
            reason = f"called {answer.status}, though a feasible point is known"
            return replace(answer, status=Status.FAILED, reason=reason)
        return moved_answer(compiled, form, start, replace(answer, status=Status.LIMIT), None)
    known, found = form.objective(start), form.objective(answer.x)
    if known < found - SAME_VALUE * (1.0 + abs(found)):
        return moved_answer(compiled, form, start, answer, answer.bound)
    return answer


def branched(
    task: Task, form: StandardForm, answer: Answer, start: Array | None, held: Held | None = None
) -> Answer:
    """The answer of a curved problem, proved by a search of our own.

    Parameters
    ----------
    task : Task
        The problem.
    form : StandardForm
        Its numbers; they are searched in units of their own.
    answer : Answer
        What a solver has found, if it has: the search begins there. A bound that the solver itself
        gives, and that is near enough to its point, is left to it.
    start : ndarray, optional
        Where to begin otherwise.
    held : callable, optional
        Makes a relaxed form to be searched, and what knows the optimum where integers are fixed.
    """
    solver = task.solver
    if answer.x is not None and answer.bound is not None:
        whole = rounded_and_resolved(task.native, answer, task.deadline, task.solver.gap)
        x = answer.x if whole.x is None else whole.x
        if _measured(task, form, x, whole.bound).certificate.passed:
            return whole
    from lexiprog.backends.branching import branch_and_bound
    from lexiprog.canon.product_units import in_product_units

    units = in_product_units(form)
    begin = start if answer.x is None else answer.x
    searched, leaf = (units.form, None) if held is None else held(units.form)
    search = task.deadline.follow(
        branch_and_bound, searched, None if begin is None else begin / units.columns,
        tolerance=solver.accept, gap=solver.gap, leaf=leaf,
    )  # fmt: skip
    return _judged(task, form, answer, search, units)


def _judged(
    task: Task, form: StandardForm, answer: Answer, search: TreeSearch, units: ProductUnits
) -> Answer:
    """What a search has found, as an answer whose certificate rests on the search's bound."""
    if search.unbounded:
        status = Status.EITHER if search.best is None else Status.UNBOUNDED
        return Answer(status, said=f"{status}, as it is without integers")
    if search.best is None:
        if search.finished and search.bound == np.inf:
            return Answer(Status.INFEASIBLE, said="infeasible, proved by a search of our own")
        said = f"{answer.said or answer.status}, and a search of our own found no point"
        return Answer(Status.NO_POINT if task.deadline.over else Status.FAILED, said=said)
    x = search.best.x * units.columns
    bound = search.bound / units.cost if np.isfinite(search.bound) else None
    measured, own = _measured(task, form, x, bound), search.best.measures
    certificate = measured.certificate
    rounding = max(measured.rounding, own.rounding / units.cost)
    if bound is not None:
        # What the rows are missed by may be worth something, which the point's own proof knows.
        gap = max(share_of_value(form.objective(x), bound, rounding), own.certificate.gap)
        certificate = replace(certificate, gap=gap, basis="bound")
    proved = certificate.gap <= certificate.gap_tolerance
    found = answer_at(task.native, x, None, iterations=search.nodes)
    return replace(
        found, status=Status.OPTIMAL if proved else Status.LIMIT, form=form, bound=bound,
        measured=replace(measured, certificate=certificate, rounding=rounding),
    )  # fmt: skip


def _measured(task: Task, form: StandardForm, x: Array, bound: float | None) -> Measures:
    return measure(
        form, x, None, claimed=form.objective(x), tolerance=task.solver.accept,
        gap_tolerance=task.solver.gap, bound=bound,
    )  # fmt: skip
