"""Make the whole numbers of an integer answer whole, and solve the rest of it once more.

An integer solver may stop with 3.9999997 for a 4 and let the other columns profit from the
difference. What is then called the optimum cannot be had, and no later problem can hold it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lexiprog.aliases import Array
from lexiprog.compile.answer import Answer
from lexiprog.compile.cvxpy_door import Compiled, answer_at
from lexiprog.forms.standard_form import StandardForm
from lexiprog.solvers.clarabel import solve_conic
from lexiprog.solvers.highs import Bounds, Session

__all__ = ["made_whole"]

# What a solver may call whole; beyond it rounding would be guessing.
NEARLY = 1e-3


def made_whole(compiled: Compiled, answer: Answer) -> Answer:
    """The answer at the best point with its integers rounded; itself if there is no such point."""
    form, point = answer.form, answer.x
    if form is None or point is None or form.integer is None or not form.integer.size:
        return answer
    whole = np.round(point[form.integer])
    if not np.max(np.abs(point[form.integer] - whole)) <= NEARLY:
        return answer
    rest = _rest(form, whole)
    if rest is None:
        return answer
    rest[form.integer] = whole
    found = answer_at(compiled, rest, None, iterations=answer.iterations)
    return replace(
        found, status=answer.status, said=answer.said, claimed=form.objective(rest),
        bound=answer.bound, seconds=answer.seconds,
    )  # fmt: skip


def _rest(form: StandardForm, whole: Array) -> Array | None:
    """The best point with these integers."""
    bounds = Bounds.of(form)
    bounds.lower[form.integer] = bounds.upper[form.integer] = whole
    if form.P is None and form.cones.linear == form.b.size:
        for tolerance in (1e-9, 1e-7):  # a lock without slack may be too much to ask at first
            session = Session(form.A, {"primal_feasibility_tolerance": tolerance})
            vertex = session.run(form.c, bounds)
            if vertex.optimal:
                return vertex.x
        return None
    found = solve_conic(replace(form, lower=bounds.lower, upper=bounds.upper))
    return None if found is None else found.x
