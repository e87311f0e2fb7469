"""Objectives in order of priority: one stage each, all earlier optima held."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from lexiprog.aliases import Constraint, Objective
from lexiprog.declare.lock import Tolerance
from lexiprog.declare.objectives.fairness import Fairness
from lexiprog.declare.stage import Stage
from lexiprog.declare.subproblem import Subproblem

Priority = tuple[str, Objective | Fairness]


def stages_in_turn(
    levels: Iterable[Priority],
    constraints: Sequence[Constraint],
    tolerance: Callable[[str], dict[str, Tolerance]] = lambda _: {},
    *,
    gp: bool = False,
) -> list[Stage]:
    """One stage and one subproblem for each (name, objective), in order.

    ``tolerance(name)`` gives the ``atol`` and ``rtol`` a level is later held with.
    """
    stages: list[Stage] = []
    held: list[Constraint] = []
    allowed: dict[str, Tolerance] = {}
    for name, objective in levels:
        if stages:
            # A lock of its own for every later problem would do as well; one constraint object
            # shared by all of them is what lets a chain be recognised.
            held.append(stages[-1].subproblems[0].held(**allowed))
        stages.append(Stage(name, Subproblem(name, objective, [*constraints, *held], gp=gp)))
        allowed = tolerance(name)
    return stages
