"""A compromise: each objective alone first, then the least worst regret.

Stages: "ideal" with every objective by itself; "regret", which minimises the largest scaled
distance to an ideal; with ``refine`` it goes on to the second largest, level by level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lexiprog.errors import DeclarationError, there_are
from lexiprog.fairness.objective import Leximax
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.program import Program
from lexiprog.typing import Constraint, Objective


def minimax_regret(
    objectives: Mapping[str, Objective],
    constraints: Sequence[Constraint] = (),
    *,
    scales: Mapping[str, float] | None = None,
    refine: bool = False,
) -> Program:
    """Program that finds the point whose worst regret is least.

    Use it for one decision under several scenarios of which none has a probability.

    Parameters
    ----------
    objectives : mapping
        Name to ``cp.Minimize`` or ``cp.Maximize``.
    constraints : sequence of CVXPY constraints
    scales : mapping, optional
        Factor of each regret, 1 by default.
    refine : bool
        Go on to the second largest regret and so on, so that no regret is larger than it must:
        "regret" is then a leximax, whose levels name the objectives.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(2, bounds=[0, 10], name="x")
    >>> demand = [x[0] + 2 * x[1] >= 8, 2 * x[0] + x[1] >= 8]
    >>> program = lx.minimax_regret(
    ...     {"cost": cp.Minimize(3 * x[0] + x[1]), "fumes": cp.Minimize(x[0] + 4 * x[1])}, demand)
    >>> round(program.solve().final.value, 6)
    4.571429
    """
    if not isinstance(objectives, Mapping) or not objectives:
        raise DeclarationError(
            f"minimax_regret takes a mapping from names to objectives, not {objectives!r}."
        )
    scales = {} if scales is None else dict(scales)
    for name, scale in scales.items():
        if name not in objectives:
            raise DeclarationError(
                f"scales names {name!r}, which is no objective; "
                f"there are {there_are(objectives, name)}"
            )
        if not isinstance(scale, int | float | np.number) or not 0 < scale < np.inf:
            raise DeclarationError(f"the scale of {name!r} must be positive, not {scale!r}.")
    ideals = [Subproblem(name, objective, constraints) for name, objective in objectives.items()]
    regrets = [
        scales.get(p.name, 1.0)
        * (p.optimum - p.objective.expr if p.maximise else p.objective.expr - p.optimum)
        for p in ideals
    ]
    worst = Leximax(dict(zip(objectives, regrets, strict=True)))
    last = Subproblem("regret", worst if refine else worst.objective, constraints)
    return Program(Stage("ideal", *ideals), Stage("regret", last))
