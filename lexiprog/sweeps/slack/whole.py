"""Follow every later problem of a program along all tolerances on one level."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from lexiprog.compile.binding import Given
from lexiprog.curves.curve import CurveError
from lexiprog.curves.pace import Pace
from lexiprog.declare.subproblem import Subproblem
from lexiprog.errors import StageError
from lexiprog.program import Program
from lexiprog.result.solution import Solution
from lexiprog.sweeps.slack.cases import Cases, Later, given_up_in
from lexiprog.sweeps.slack.convex import convex_track
from lexiprog.sweeps.slack.integer import integer_track
from lexiprog.sweeps.slack.linear import linear_track
from lexiprog.sweeps.slack.moving import Scene, Unsteady
from lexiprog.sweeps.slack.record import Tradeoff
from lexiprog.sweeps.slack.track import Shape, Track

__all__ = ["whole_curve"]

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
    pace: Pace,
) -> Tradeoff:
    """The curve of every problem after ``name``; ``head`` are those up to its stage.

    What Ctrl-C stops is noted in ``pace``; the curves followed by then are kept, as far as they go.
    """
    scene = Scene(program, name, given, dict(head), {}, pace)
    shown: dict[str, Track] = {}
    with pace.kept():
        _follow(scene, cases, shown, error=error, limit=limit, tick=tick)
    known = {
        later: track
        for later, track in shown.items()
        if track.knots.size or (track.shape is Shape.SAMPLED and pace.interrupt is None)
    }
    tolerances = _tolerances(scene, known)
    with pace.kept():
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
            if scene.pace.interrupt is not None:
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
