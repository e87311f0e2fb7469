"""Make the whole numbers of an integer answer whole, and solve the rest of it once more.

An integer solver may stop with 3.9999997 for a 4 and let the other columns profit from the
difference. What is then called the optimum cannot be had, and no later problem can hold it. Where
the rest cannot follow, a big M leaks: the problem is solved again with smaller ones.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lexiprog.aliases import Array
from lexiprog.compile.answer import Answer
from lexiprog.compile.cvxpy_door import Compiled, answer_at
from lexiprog.forms.standard_form import StandardForm
from lexiprog.solvers.big_m import tightened
from lexiprog.solvers.clarabel import solve_conic
from lexiprog.solvers.highs import Bounds, Session
from lexiprog.solvers.highs_mip import solve_mip

__all__ = ["made_whole"]

# What a solver may call whole; beyond it rounding would be guessing.
NEARLY = 1e-3
# The smallest tolerances that HiGHS accepts.
STRICT = {"mip_feasibility_tolerance": 1e-10, "primal_feasibility_tolerance": 1e-10}
# How often a leaking problem is tightened by the value of a better point.
ROUNDS = 3


def made_whole(compiled: Compiled, answer: Answer) -> Answer:
    """The answer at the best point with its integers rounded.

    If there is no such point, the answer comes back as it is and will not be certified.
    """
    form, point = answer.form, answer.x
    if form is None or point is None or form.integer is None or not form.integer.size:
        return answer
    if not np.max(np.abs(point[form.integer] - np.round(point[form.integer]))) <= NEARLY:
        return answer
    rest, bound = _follow(form, np.round(point[form.integer])), answer.bound
    if rest is None and is_linear(form):
        found = _without_leaks(form, point)
        if found is not None:
            rest, bound = found
    if rest is None:
        return answer
    found_answer = answer_at(compiled, rest, None, iterations=answer.iterations)
    return replace(
        found_answer, status=answer.status, said=answer.said, claimed=form.objective(rest),
        bound=bound, seconds=answer.seconds,
    )  # fmt: skip


def is_linear(form: StandardForm) -> bool:
    """Whether nothing is curved."""
    return form.P is None and form.cones.linear == form.b.size


def _without_leaks(form: StandardForm, point: Array) -> tuple[Array, float] | None:
    """The best whole point of a problem whose big M let something through, and a bound.

    Opening whatever leaked gives a point that can be had; its value bounds the columns, and so
    the M that are needed.
    """
    near = np.round(point[form.integer])
    leaking = np.abs(point[form.integer] - near) > 0.0
    opened = np.where(leaking, near + np.sign(point[form.integer] - near), near)
    best = _follow(form, opened)
    for _ in range(ROUNDS):
        value = None if best is None else form.objective(best)
        found = solve_mip(tightened(form, value), STRICT)
        if found is None:
            return None
        rest = _follow(form, np.round(found.x[form.integer]))
        if rest is not None:
            return rest, found.bound
        leaks = np.abs(found.x[form.integer] - np.round(found.x[form.integer])) > 0.0
        better = _follow(form, np.where(leaks, 1.0, np.round(found.x[form.integer])))
        if better is None or (value is not None and form.objective(better) >= value):
            return None
        best = better
    return None


def _follow(form: StandardForm, whole: Array) -> Array | None:
    """The best point with these integers, exactly; None if the rest cannot follow."""
    bounds = Bounds.of(form)
    if ((whole < bounds.lower[form.integer]) | (whole > bounds.upper[form.integer])).any():
        return None
    bounds.lower[form.integer] = bounds.upper[form.integer] = whole
    if is_linear(form):
        for tolerance in (1e-9, 1e-7):  # a lock without slack may be too much to ask at first
            session = Session(form.A, {"primal_feasibility_tolerance": tolerance})
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
