"""The front of several objectives: all that can be had of one for what the others cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace

import cvxpy as cp

from lexiprog.backends.remote import Elsewhere
from lexiprog.backends.solver import SolverChoice
from lexiprog.deadline import Deadline
from lexiprog.errors import DeclarationError, Interrupted
from lexiprog.model.expressions import declared, shorten
from lexiprog.parametric.front import Frontier, FrontProblem, sorted_front
from lexiprog.parametric.front_methods import (
    extreme_points,
    grid_points,
    non_dominated_points,
    sampled_points,
)
from lexiprog.parametric.value_function import CurveError
from lexiprog.progress import bar
from lexiprog.summary import counted
from lexiprog.typing import Constraint, Objective


def frontier(
    objectives: Mapping[str, Objective],
    constraints: Sequence[Constraint] = (),
    *,
    solver: SolverChoice = None,
    limit: int | None = None,
    progress: bool = False,
    time_limit: float | None = None,
    resume: Frontier | None = None,
    error: float = 1e-3,
    executor: Executor | Elsewhere | None = None,
) -> Frontier:
    """Every compromise between two objectives that is worth considering.

    Linear problems: every extreme point of the front, with the weights for which it is best; in
    between the front is straight. Integer problems: every non-dominated point, if one of the
    objectives moves in whole steps (costs on whole variables alone); otherwise a sample whose
    resolution is stated. Other convex problems: points between which the front is known to a
    stated error. Three and more objectives: a sample on a grid of limits.

    Parameters
    ----------
    objectives : mapping
        Names to ``cp.Minimize`` or ``cp.Maximize``.
    constraints : sequence of CVXPY constraints
    solver : optional
        As for :meth:`Program.solve`. Fronts of linear and integer problems are searched by HiGHS,
        which gets the options of ``Solver("HIGHS", ...)``; another solver then solves each point
        again.
    limit : int, optional
        Most points; of a grid, about as many cells.
    progress : bool
        Show a bar (needs tqdm).
    time_limit : float, optional
        Seconds, for fronts of every kind. What was found is kept, and the front says what is
        missing.
    resume : Frontier, optional
        A front of the same problem to go on from, such as one that a limit or Ctrl-C has stopped.
    error : float
        For convex problems: how well the front is to be known between two points, as a share of
        the second objective's range.
    executor : optional
        As for :meth:`Program.solve`; fronts of linear and integer problems are followed there as
        a whole, and their points are certified here.

    Returns
    -------
    Frontier

    Raises
    ------
    StageError
        If nothing is feasible, or an objective has no best value.
    Interrupted
        Ctrl-C was pressed; ``partial`` is the Frontier found by then, which says what is missing.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> take = cp.Variable(3, boolean=True, name="take")
    >>> value, beauty = [5, 2, 2] @ take, [1, 4, 3] @ take
    >>> front = lx.frontier({"value": cp.Maximize(value), "beauty": cp.Maximize(beauty)},
    ...                     [[3, 4, 2] @ take <= 6])
    >>> front.points.tolist(), front.complete
    ([[4.0, 7.0], [7.0, 4.0]], True)
    >>> front.solutions[1][take].tolist()
    [1.0, 0.0, 1.0]
    """
    objectives = _checked(objectives, limit, time_limit, error)
    deadline = Deadline(time_limit, keeps=True, executor=Elsewhere.of(executor))
    problem = FrontProblem.of(objectives, declared(constraints), solver, deadline)
    if resume is not None:
        _check_resume(resume, problem)
    kind = problem.subproblem.kind
    with bar(limit, 0, progress=progress) as tick:
        try:
            if len(objectives) > 2 or kind in ("MIQP", "MIconic", "GP"):
                front = grid_points(problem, solver=solver, limit=limit, resume=resume, tick=tick)
            elif kind == "LP":
                front = extreme_points(problem, limit=limit, resume=resume, tick=tick)
            elif kind == "MILP":
                front = non_dominated_points(problem, limit=limit, resume=resume, tick=tick)
            else:
                front = sampled_points(problem, error=error, limit=limit, resume=resume, tick=tick)
        except CurveError as reason:
            raise problem.explain(reason) from reason
    front = sorted_front(replace(front, mark=problem.mark))
    if deadline.interrupt is not None:
        raise Interrupted(
            f"interrupted with {counted(len(front), 'point')} of the front, which are in "
            "error.partial; go on with frontier(..., resume=error.partial).",
            partial=front,  # type: ignore[arg-type]
        ) from deadline.interrupt
    return front


def _checked(
    objectives: Mapping[str, Objective],
    limit: int | None,
    time_limit: float | None,
    error: float,
) -> dict[str, Objective]:
    if not isinstance(objectives, Mapping):
        raise DeclarationError(
            f"frontier takes a mapping from names to objectives, not {shorten(repr(objectives))}."
        )
    if len(objectives) < 2:
        raise DeclarationError(
            f"a front needs at least two objectives, not {len(objectives)}: there is nothing to "
            "trade one for."
        )
    for name, objective in objectives.items():
        if not isinstance(objective, cp.Minimize | cp.Maximize):
            raise DeclarationError(
                f"objective {name!r} must be cp.Minimize(...) or cp.Maximize(...), not "
                f"{shorten(repr(objective))}."
            )
    if limit is not None and (not isinstance(limit, int) or limit < 2):
        raise DeclarationError(f"limit is a whole number of at least 2, not {limit!r}.")
    if time_limit is not None and not time_limit > 0:
        raise DeclarationError(f"time_limit is a number of seconds above 0, not {time_limit!r}.")
    if not 0 < error < 1:
        raise DeclarationError(f"error is a share between 0 and 1, not {error!r}.")
    return dict(objectives)


def _check_resume(resume: Frontier, problem: FrontProblem) -> None:
    if not isinstance(resume, Frontier):
        raise DeclarationError(f"resume takes a Frontier, not {shorten(repr(resume))}.")
    if (resume.names, resume.maximised) != (problem.names, problem.maximised):
        raise DeclarationError(
            f"the front to go on from is one of {' and '.join(resume.names)}, not of "
            f"{' and '.join(problem.names)}."
        )
    if resume.mark != problem.mark:
        raise DeclarationError(
            "the front to go on from belongs to other numbers than these: an objective, a "
            "constraint or a parameter has changed since."
        )
