"""The front of several objectives: all that can be had of one for what the others cost."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import replace

import cvxpy as cp
import numpy as np

from lexiprog.backends.remote import Elsewhere
from lexiprog.backends.solver import SolverChoice
from lexiprog.deadline import Deadline
from lexiprog.errors import DeclarationError, Interrupted, LexiprogWarning
from lexiprog.model.expressions import as_float, declared, is_integer_kind, shorten
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.parametric.front import Frontier, sorted_front
from lexiprog.parametric.front_images import enclosed_points, vertices_and_facets
from lexiprog.parametric.front_methods import (
    extreme_points,
    grid_points,
    non_dominated_points,
    only_point,
    sampled_points,
)
from lexiprog.parametric.front_problem import FrontProblem
from lexiprog.parametric.region_solver import WorkerProcesses
from lexiprog.parametric.upper_image import UpperImage
from lexiprog.parametric.value_function import CurveError
from lexiprog.program import Program
from lexiprog.progress import bar
from lexiprog.results.solution import Solution
from lexiprog.summary import counted
from lexiprog.typing import NUMBERS, Constraint, Objective


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
    workers: int | None = None,
    program: Program | None = None,
) -> Frontier:
    """Every compromise between objectives that is worth considering.

    Linear problems: every extreme point and, of three and more objectives, every facet of the
    front, with the weights for which they are best. Integer problems: every non-dominated point,
    if all objectives but one move in whole steps (costs on whole variables alone); otherwise a
    sample whose resolution is stated. Other convex problems: points that with all between them are
    the front to a stated error. ``front.proof`` shows that nothing is missing. Geometric programs
    and integer programs with curved parts: a sample on a grid of limits.

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
        Most points; of a grid, about as many cells. More may be known, to go on from.
    progress : bool
        Show a bar (needs tqdm).
    time_limit : float, optional
        Seconds, for fronts of every kind. What was found is kept, and the front says what is
        missing.
    resume : Frontier, optional
        A front of the same problem to go on from, such as one that a limit or Ctrl-C has stopped.
    error : float
        For convex problems: how well the front is to be known between points, as a share of the
        objectives' ranges.
    executor : optional
        As for :meth:`Program.solve`. Regions of integer fronts are shared out among its workers,
        fronts of two linear objectives are followed there as a whole; points are certified here.
    workers : int, optional
        For integer fronts: so many other processes of this machine settle regions.
    program : Program, optional
        Levels that come before: it is solved first, and the front is one of what it leaves open.
        Constraints that read its optima (``held()``) say what is held of it; without any, its last
        stage is, with its constraints.

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
    _check_workers(workers)
    deadline = Deadline(time_limit, keeps=True, executor=Elsewhere.of(executor))
    constraints = declared(constraints)
    before, solved, held = _earlier(program, objectives, constraints, solver, deadline)
    varying = {k: o for k, o in objectives.items() if not o.expr.is_constant()}
    searched = varying or dict([next(iter(objectives.items()))])
    problem = FrontProblem.of(
        searched, [*constraints, *held], solver, deadline, before=before, solved=solved
    )
    if resume is not None:
        _check_resume(resume, problem, objectives)
    if deadline.on_their_word and _by_regions(problem):
        warnings.warn(
            "a front of integer problems is searched here: what a worker says of it could not be "
            "checked. Elsewhere(executor, trusted=True) sends it all the same.",
            LexiprogWarning,
            stacklevel=2,
        )
        executor = deadline.executor = None
    with ExitStack() as stack:
        width = 1 if executor is None else workers or deadline.executor.width  # type: ignore[union-attr]
        if workers is not None and workers > 1 and executor is None and _by_regions(problem):
            pool = stack.enter_context(WorkerProcesses(workers))
            deadline.executor, width = Elsewhere(pool), workers
        tick = stack.enter_context(bar(limit, 0, progress=progress))
        try:
            front = _found(problem, solver, limit, error, resume, tick, width)
        except CurveError as reason:
            raise problem.explain(reason) from reason
    front = _with_constants(replace(front, mark=problem.mark), objectives)
    front = sorted_front(front)
    if deadline.interrupt is not None:
        raise Interrupted(
            f"interrupted with {counted(len(front), 'point')} of the front, which are in "
            "error.partial; go on with frontier(..., resume=error.partial).",
            partial=front,  # type: ignore[arg-type]
        ) from deadline.interrupt
    return front


def _by_regions(problem: FrontProblem) -> bool:
    """Whether the front is one of an integer program, settled region by region."""
    return problem.subproblem.kind == "MILP" and len(problem.objectives) > 1


def _found(
    problem: FrontProblem,
    solver: SolverChoice,
    limit: int | None,
    error: float,
    resume: Frontier | None,
    tick: Callable[[str], None],
    width: int,
) -> Frontier:
    """The front by the method for its kind."""
    kind, count = problem.subproblem.kind, len(problem.objectives)
    if count == 1:
        return only_point(problem)
    if _by_regions(problem):
        return non_dominated_points(problem, limit=limit, resume=resume, tick=tick, width=width)
    if kind == "GP" or is_integer_kind(kind):
        return grid_points(problem, solver=solver, limit=limit, resume=resume, tick=tick)
    exact = problem.ladder is not None and problem.ladder[0].target == "EXACT"
    if kind == "LP":
        return _linear(problem, limit, resume, tick, exact=exact or count > 2)
    if count > 2:
        return enclosed_points(
            problem, solver=solver, error=error, limit=limit, resume=resume, tick=tick
        )
    return sampled_points(problem, error=error, limit=limit, resume=resume, tick=tick)


def _linear(
    problem: FrontProblem,
    limit: int | None,
    resume: Frontier | None,
    tick: Callable[[str], None],
    *,
    exact: bool,
) -> Frontier:
    """Two objectives are followed in floats, unless the front has no extreme point to begin at."""
    image = None if resume is None or not isinstance(resume.state, UpperImage) else resume
    if not exact and image is None:
        try:
            return extreme_points(problem, limit=limit, resume=resume, tick=tick)
        except CurveError:
            pass
    return vertices_and_facets(problem, limit=limit, resume=image, tick=tick)


def _with_constants(front: Frontier, objectives: Mapping[str, Objective]) -> Frontier:
    """The front with the objectives that are constant, and so cannot be traded."""
    if tuple(objectives) == front.names:
        return front
    columns = dict(zip(front.names, front.points.T, strict=True))
    for name, objective in objectives.items():
        if name not in columns:
            columns[name] = np.full(len(front), as_float(objective.expr.value))
    return replace(
        front,
        names=tuple(objectives),
        maximised=tuple(isinstance(o, cp.Maximize) for o in objectives.values()),
        points=np.stack([columns[name] for name in objectives], axis=1),
        missing=(),
        ray=None,
    )


def _earlier(
    program: Program | None,
    objectives: Mapping[str, Objective],
    constraints: Sequence[Constraint],
    solver: SolverChoice,
    deadline: Deadline,
) -> tuple[tuple[Stage, ...], dict[str, Solution], list[Constraint]]:
    """The stages that come before the front, their optima, and what is held of them.

    Constraints that read an optimum of the program say themselves what is held; without any, it
    is all that the last stage holds, and its optima.
    """
    if program is None:
        return (), {}, []
    if not isinstance(program, Program):
        raise DeclarationError(f"program takes a Program, not {shorten(repr(program))}.")
    clash = [name for name in objectives if name in program.subproblems]
    if clash:
        raise DeclarationError(
            f"{clash[0]!r} is both an objective of the front and a subproblem of the program: "
            "give one of them another name."
        )
    left = deadline.left() if deadline.limited else None
    solved = program.solve(solver, time_limit=left, executor=deadline.executor)  # type: ignore[arg-type]
    probe = Subproblem("front", next(iter(objectives.values())), list(constraints))
    held: list[Constraint] = []
    if not probe.references:
        for last in program.stages[-1].subproblems:
            held += [c for c in last.constraints if not any(c is other for other in held)]
            held.append(last.held())
    return program.stages, dict(solved), held


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
    if time_limit is not None and not (isinstance(time_limit, NUMBERS) and time_limit > 0):
        raise DeclarationError(f"time_limit is a number of seconds above 0, not {time_limit!r}.")
    if not (isinstance(error, NUMBERS) and 0 < error < 1):
        raise DeclarationError(f"error is a share between 0 and 1, not {error!r}.")
    return dict(objectives)


def _check_workers(workers: int | None) -> None:
    if workers is not None and (not isinstance(workers, int) or workers < 1):
        raise DeclarationError(f"workers is a whole number of at least 1, not {workers!r}.")


def _check_resume(
    resume: Frontier, problem: FrontProblem, objectives: Mapping[str, Objective]
) -> None:
    if not isinstance(resume, Frontier):
        raise DeclarationError(f"resume takes a Frontier, not {shorten(repr(resume))}.")
    senses = tuple(isinstance(o, cp.Maximize) for o in objectives.values())
    if (resume.names, resume.maximised) != (tuple(objectives), senses):
        raise DeclarationError(
            f"the front to go on from is one of {' and '.join(resume.names)}, not of "
            f"{' and '.join(objectives)}."
        )
    if resume.mark != problem.mark:
        raise DeclarationError(
            "the front to go on from belongs to other numbers than these: an objective, a "
            "constraint or a parameter has changed since."
        )
