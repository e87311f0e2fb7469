"""Tasks in strict order of priority, each met in the sense of least squares.

Stages: one for each task, over the same constraints, with the violations of all earlier ones held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from numpy.typing import ArrayLike

from lexiprog.errors import DeclarationError, there_are
from lexiprog.formulations.priorities import stages_in_turn
from lexiprog.least_squares.hierarchy import LOCKED_PIVOT, USED_PIVOT, Rank
from lexiprog.least_squares.tasks import LeastSquares, TaskLike, tasks_of
from lexiprog.model.expressions import declared
from lexiprog.program import Program
from lexiprog.typing import NUMBERS, Constraint


def hierarchical_least_squares(
    tasks: Mapping[str, TaskLike | list[TaskLike]],
    constraints: Sequence[Constraint] = (),
    *,
    weight: Mapping[str, ArrayLike] | None = None,
    damping: float = 0.0,
    rank: float = USED_PIVOT,
) -> Program:
    """Program that meets tasks in order, each as well as the earlier ones let it.

    Use it to control a robot, or wherever several things should be so and the first counts more
    than any amount of the next. All levels are solved on one active set, and what a level has
    reached is held exactly, on a basis of the directions that it leaves open. Of several points
    that are best on every level the one of least norm is taken. Affine constraints are part of
    the same active set; others are possible too, but such programs are solved stage by stage.

    Parameters
    ----------
    tasks : mapping
        Name to task, most important first. A task is an affine expression, which should be zero,
        or ``(expression, lower, upper)``, of which what lies beyond the ends counts, or these with
        a weight; or a list of such tasks for one level. Ends are numbers or made of parameters;
        they may be infinite, and 1e12 or more is taken for infinity, with a warning.
    constraints : sequence of CVXPY constraints
        What holds in any case.
    weight : mapping, optional
        Name to what a squared violation counts, one number or one for each entry: within a level
        entries are weighed, between levels there is no exchange.
    damping : float
        Weight of the squared step that a level's directions pay for, beside its violations. That
        is another problem, whose answer is never called optimal. None by default.
    rank : float
        A direction is solved for if its pivot is more than this share of its row's norm;
        ``solution.rank`` tells how many were.

    Returns
    -------
    Program
        One stage and subproblem a name, whose value is the sum of squared violations.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(2, name="x")
    >>> tasks = {"reach": x[0] + x[1] - 2, "limits": (x, 0, 0.8), "rest": x}
    >>> result = lx.hierarchical_least_squares(tasks).solve()
    >>> [round(solution.value, 6) + 0.0 for solution in result.values()]
    [0.0, 0.08, 2.0]
    >>> result["rest"][x].round(6).tolist(), result["limits"].rank["rank"]
    ([1.0, 1.0], 1.0)
    """
    if not isinstance(tasks, Mapping) or not tasks:
        raise DeclarationError(
            "hierarchical_least_squares takes a mapping from names to tasks, most important first, "
            f"not {tasks!r}."
        )
    for name in weight or {}:
        if name not in tasks:
            raise DeclarationError(
                f"weight names {name!r}, which is no task; there are {there_are(tasks, name)}"
            )
    if not (isinstance(damping, NUMBERS) and 0 <= damping < float("inf")):
        raise DeclarationError(f"damping must be a finite number of at least 0, not {damping!r}.")
    if not (isinstance(rank, NUMBERS) and 0 < rank < 1):
        raise DeclarationError(f"rank must be a share between 0 and 1, not {rank!r}.")
    pivots = Rank(float(rank), min(LOCKED_PIVOT, float(rank)), float(damping))
    levels = {
        name: LeastSquares(tasks_of(task, f"task {name!r}", (weight or {}).get(name)), pivots)
        for name, task in tasks.items()
    }
    objectives = [(name, level.objective()) for name, level in levels.items()]
    return Program(*stages_in_turn(objectives, declared(constraints)))
