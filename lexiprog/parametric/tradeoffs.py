"""What slack on one level buys in the later ones: at some tolerances, or at all of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import numpy as np

from lexiprog.backends.remote import Elsewhere
from lexiprog.backends.solver import SolverChoice
from lexiprog.compile.binding import Given
from lexiprog.deadline import Deadline
from lexiprog.errors import DeclarationError, Interrupted, StageError
from lexiprog.model.subproblem import Subproblem
from lexiprog.parametric.context import Cases, Later, Scene, Unsteady, given_up_in
from lexiprog.parametric.curve import CurveError
from lexiprog.parametric.tradeoff_curves import convex_track, integer_track, linear_track
from lexiprog.parametric.value_function import Shape, Track, Tradeoff
from lexiprog.program import Program
from lexiprog.progress import bar
from lexiprog.results.result import Result
from lexiprog.results.solution import Solution
from lexiprog.summary import counted

# Follow every later problem of a program along all tolerances on one level.

# Where nothing tells which tolerances matter: shares of the held optimum.
SHARES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def whole_curve(
    program: Program,
    name: str,
    head: Mapping[str, Solution],
    cases: Cases,
    given: Given,
    *,
    error: float,
    limit: int,
    tick: Callable[[str], None],
    deadline: Deadline,
) -> Tradeoff:
    """The curve of every problem after ``name``; ``head`` are those up to its stage.

    What Ctrl-C stops is noted in ``deadline``; the curves followed by then are kept as they are.
    """
    scene = Scene(program, name, given, dict(head), {}, deadline)
    shown: dict[str, Track] = {}
    with deadline.kept():
        _follow(scene, cases, shown, error=error, limit=limit, tick=tick)
    known = {
        later: track
        for later, track in shown.items()
        if track.knots.size or (track.shape is Shape.SAMPLED and deadline.interrupt is None)
    }
    tolerances = _tolerances(scene, known)
    with deadline.kept():
        for later, track in known.items():
            if track.shape is Shape.SAMPLED:
                known[later] = _sampled(track, cases, later, tolerances)
                tick(later)
    known = {later: track for later, track in known.items() if track.knots.size}
    results = Later(len(tolerances), lambda k: cases(tolerances[k]))
    given_up = Later(len(tolerances), lambda k: given_up_in(results[k], list(shown), name))
    return Tradeoff.of_tracks(name, known, tolerances, given_up, results)


def _follow(
    scene: Scene,
    cases: Cases,
    shown: dict[str, Track],
    *,
    error: float,
    limit: int,
    tick: Callable[[str], None],
) -> None:
    """Add the curve of one later problem after the other."""
    program, name = scene.program, scene.name
    position = next(k for k, s in enumerate(program.stages) if program[name] in s.subproblems)
    for stage in program.stages[position + 1 :]:
        found: dict[str, Track] = {}
        for subproblem in stage.subproblems:
            if scene.depends(subproblem):
                track = _track(scene, cases, stage.name, subproblem, error=error, limit=limit)
                found[subproblem.name] = track
            else:
                solution = cases.alone(stage.name, subproblem, scene.solved)
                scene.solved[subproblem.name] = solution
                track = Track.constant(solution.value)
            shown[subproblem.name] = track
            if scene.deadline.interrupt is not None:
                return
            tick(subproblem.name)
        scene.tracks |= found


def _track(
    scene: Scene, cases: Cases, stage: str, subproblem: Subproblem, *, error: float, limit: int
) -> Track:
    """The curve of one problem, as well as its kind allows."""
    try:
        if subproblem.fair is not None:
            raise Unsteady("it has several levels")
        if subproblem.kind == "LP":
            return linear_track(scene, subproblem, limit)
        if subproblem.kind == "MILP":
            return integer_track(scene, subproblem, limit=limit)
        if not subproblem.integer:
            return convex_track(scene, cases, stage, subproblem, error=error, limit=limit)
        reason = "its kind has no curve"
    except Unsteady as why:
        reason = str(why)
    except CurveError as why:
        cases(0.0)  # raises with all that can be said, if there is no optimum
        reason = str(why).rstrip(".")
    nothing = np.zeros(0)
    return Track(nothing, nothing, nothing, Shape.SAMPLED, note=reason)


def _tolerances(scene: Scene, tracks: Mapping[str, Track]) -> tuple[float, ...]:
    """Every tolerance at which something happens; between them too where that is not known."""
    known = [track.knots for track in tracks.values() if track.shape is not Shape.SAMPLED]
    knots = np.unique(np.concatenate([np.zeros(0), *known]))
    stop = min((track.stop for track in tracks.values()), default=np.inf)
    start = max((t.knots[0] for t in tracks.values() if t.knots.size), default=0.0)
    knots = knots[(knots >= start) & (knots <= stop)]
    if any(track.shape is Shape.SAMPLED for track in tracks.values()):
        if knots.size <= 1:
            shares = max(1.0, abs(scene.optimum)) * np.array(SHARES)
            knots = np.unique(np.append(knots, shares))
        knots = np.unique(np.append(knots, (knots[1:] + knots[:-1]) / 2.0))
    return tuple(map(float, knots))


def _sampled(track: Track, cases: Cases, name: str, tolerances: tuple[float, ...]) -> Track:
    """The optimum at each tolerance, by solving there."""
    values = []
    for tolerance in tolerances:
        try:
            values.append(cases(tolerance)[name].value)
        except StageError as error:
            if name in error.partial:
                values.append(error.partial[name].value)
            elif not values:
                raise
            else:
                values.append(np.nan)
    size = len(tolerances)
    knots = np.array(tolerances)
    return replace(track, knots=knots, values=np.array(values), slopes=np.full(size, np.nan))


def tradeoff(
    program: Program,
    name: str,
    tolerances: Iterable[float] | None = None,
    *,
    solver: SolverChoice = None,
    progress: bool = False,
    error: float = 1e-3,
    limit: int = 1000,
    executor: Executor | Elsewhere | None = None,
) -> Tradeoff:
    """What the later optima become with more slack on one held optimum.

    With tolerances the program is solved at each of them: the stages up to that optimum once;
    later ones are compiled once and, where they are linear, started from the last basis.

    Without tolerances the result is the whole curve, for every tolerance there is. Linear
    problems: exact, piecewise linear, from one solve and the basis exchanges after it; the
    tolerances are the breakpoints. Integer problems: exact, every step. Other convex problems:
    solved at more and more tolerances until tangents and chords are close together. A later
    problem that reads others which move is followed from breakpoint to breakpoint of those, if it
    is linear or integer like they are; otherwise it is solved at the tolerances of the others and
    in the middle between them, and the text says so.

    Parameters
    ----------
    program : Program
    name : str
        A subproblem that later ones hold (``held()``, as the formulations do).
    tolerances : iterable of float, optional
        Absolute degradations, in place of those declared; all of them if left out.
    solver : optional
        As for :meth:`Program.solve`; curves of linear and integer problems are followed by HiGHS
        whatever is given here.
    progress : bool
        Show a bar (needs tqdm).
    error : float
        For whole curves of convex problems: how far tangents and chords may be apart, as a share
        of all that slack buys.
    limit : int
        For whole curves: most breakpoints or samples of one problem. A curve with more says where
        it ends.
    executor : optional
        As for :meth:`Program.solve`, with the tolerances shared out among its workers. Whole
        curves are followed here; what is solved on the way is solved there.

    Raises
    ------
    Interrupted
        Ctrl-C was pressed; ``partial`` is the Tradeoff so far: the tolerances that were done, or
        the curves that were followed, the last of them as far as it says.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> hours = cp.Variable(2, nonneg=True, name="hours")
    >>> levels = {"bread": cp.Maximize(hours[0]), "cake": cp.Maximize(hours[1])}
    >>> program = lx.preemptive(levels, [hours @ [2, 1] <= 3, hours @ [0.5, 1] <= 1.5])
    >>> [round(cake, 6) for cake in lx.tradeoff(program, "bread", [0.25, 0.5, 1.5]).values["cake"]]
    [0.5, 1.0, 1.5]
    >>> curve = lx.tradeoff(program, "bread")
    >>> curve.tolerances, curve.values["cake"], curve.slopes["cake"]
    ((0.0, 0.5, 1.5), (0.0, 1.0, 1.5), (2.0, 0.5, 0.0))
    """
    held = program[name]
    if not any(lock.owner() is held for p in program.subproblems.values() for _, lock in p.locks):
        raise DeclarationError(f"no later subproblem holds {name!r}: there is nothing to trade.")
    steps = None if tolerances is None else [float(tolerance) for tolerance in tolerances]
    for step in steps or []:
        if not 0 <= step < np.inf:
            raise DeclarationError(f"a tolerance is a finite number of at least 0, not {step!r}.")
    position = next(k for k, s in enumerate(program.stages) if held in s.subproblems)
    if not 0 < error < 1:
        raise DeclarationError(f"error is a share between 0 and 1, not {error!r}.")
    if limit < 2:
        raise DeclarationError(f"limit is at least 2, not {limit!r}.")
    given = Given.to(program.subproblems.values())
    there = Elsewhere.of(executor)
    choice = _head_choice(program, solver, position)
    head = Program(*program.stages[: position + 1]).solve(choice, executor=there)
    new = partial(Cases, program, name, head, program.ladders(solver), given, there)
    later = [p.name for stage in program.stages[position + 1 :] for p in stage.subproblems]
    deadline = Deadline(keeps=True)
    if steps is None:
        with bar(len(later), 0, progress=progress) as tick:
            found = whole_curve(
                program,
                name,
                head,
                new(),
                given,
                error=error,
                limit=limit,
                tick=tick,
                deadline=deadline,
            )
        known = f"{len(found.tracks)} of {counted(len(later), 'curve')}"
        return _or_interrupted(found, deadline, f"{known}, the last as far as it was followed")
    results: dict[int, Result] = {}
    with bar(len(steps), 0, progress=progress) as tick, deadline.kept():
        _at_each(steps, new, 1 if there is None else there.width, tick, results)
    rows = sorted(results)
    table = Tradeoff(
        name=name,
        tolerances=tuple(steps[k] for k in rows),
        values={other: tuple(results[k][other].value for k in rows) for other in later},
        given_up=tuple(given_up_in(results[k], later, name) for k in rows),
        results=tuple(results[k] for k in rows),
    )
    return _or_interrupted(table, deadline, f"{len(rows)} of {counted(len(steps), 'tolerance')}")


def _or_interrupted(found: Tradeoff, deadline: Deadline, known: str) -> Tradeoff:
    """What was found, unless Ctrl-C ended it early: then that is what the error brings along."""
    if deadline.interrupt is None:
        return found
    raise Interrupted(
        f"interrupted with {known}: error.partial is the Tradeoff so far.",
        partial=found,  # type: ignore[arg-type]
    ) from deadline.interrupt


def _at_each(
    steps: list[float],
    new: Callable[[], Cases],
    width: int,
    tick: Callable[[str], None],
    results: dict[int, Result],
) -> None:
    """The results at all tolerances; each thread goes through neighbours, from basis to basis."""
    stop = threading.Event()

    def work(block: Sequence[int]) -> None:
        cases = new()
        for k in block:
            if stop.is_set():
                break
            results[k] = cases(steps[k])
            tick(f"{cases.name} {steps[k]:g}")

    blocks = [part.tolist() for part in np.array_split(range(len(steps)), max(width, 1))]
    blocks = [block for block in blocks if block]
    if len(blocks) <= 1:  # here, where Ctrl-C arrives
        for block in blocks:
            work(block)
        return
    with ThreadPoolExecutor(len(blocks), thread_name_prefix="lexiprog-tradeoff") as pool:
        try:
            list(pool.map(work, blocks))
        except BaseException:  # an error, or Ctrl-C: the others need not go on
            stop.set()
            raise


def _head_choice(program: Program, solver: SolverChoice, position: int) -> SolverChoice:
    """The part of a solver choice that concerns the stages up to ``position``."""
    if not isinstance(solver, Mapping):
        return solver
    stages = program.stages[: position + 1]
    names = {name for s in stages for name in (s.name, *(p.name for p in s.subproblems))}
    return {name: choice for name, choice in solver.items() if name in names}
