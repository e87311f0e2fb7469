"""Fronts by the upper image of several objectives: linear ones exactly, convex ones to an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from heapq import heapify, heapreplace
from math import ceil, floor
from typing import Any

import cvxpy as cp
import numpy as np
import scipy.sparse as sp

from lexiprog.backends.highs import HighsModel
from lexiprog.backends.solver import SolverChoice
from lexiprog.canon.standard_form import Bounds
from lexiprog.errors import StageError
from lexiprog.parametric.double_description import DoubleDescription
from lexiprog.parametric.front import FrontFacet, Frontier
from lexiprog.parametric.front_methods import ObjectiveRows
from lexiprog.parametric.front_problem import FrontProblem
from lexiprog.parametric.front_proof import FrontProof
from lexiprog.parametric.regions import non_dominated
from lexiprog.parametric.upper_image import Fractions, UpperImage, outer_approximation, value_of
from lexiprog.parametric.value_function import CurveError
from lexiprog.rational.numbers import read_floats
from lexiprog.rational.program import ExactLP
from lexiprog.results.solution import Solution
from lexiprog.summary import counted
from lexiprog.tolerances import FRONT_RESOLUTION, PRECISE_HIGHS, SAME_POINT
from lexiprog.typing import Array

# Which share of the time the front is searched for; the rest is for its certificates.
SEARCHING = 0.8


# Linear: every vertex and facet.


def vertices_and_facets(
    problem: FrontProblem,
    *,
    limit: int | None,
    resume: Frontier | None,
    tick: Callable[[str], None],
) -> Frontier:
    """The front of any number of linear objectives; CurveError if there is none."""
    objectives = ObjectiveRows.of(problem)
    deadline = problem.deadline.child(SEARCHING * problem.deadline.left())
    lp = ExactLP.from_form(objectives.form)
    costs = [tuple(read_floats(cost)) for cost in objectives.costs]
    units = list(zip(read_floats(objectives.sides), read_floats(objectives.units), strict=True))

    def own(values: Fractions) -> Fractions:
        return tuple((v - side) / unit for v, (side, unit) in zip(values, units, strict=True))

    # Here, whoever solves the rest: what is in fractions takes longer to send than to find.
    image = outer_approximation(
        lp, costs, limit=limit, resume=None if resume is None else deepcopy(resume.state),
        deadline=deadline, tick=lambda v: tick(", ".join(f"{float(a):g}" for a in own(v))),
    )  # fmt: skip
    vertices = image.vertices
    fractions = [own(value_of(ray)) for ray in vertices]
    order = sorted(range(len(fractions)), key=fractions.__getitem__)[:limit]
    rays = [vertices[k] for k in order]
    on = image.cuts_at(rays)
    solutions = _certified(problem, objectives, image, rays, on, own)
    shown = [fractions[k] for k in order[: len(solutions)]]
    points = np.array([[float(v) for v in f] for f in shown]).reshape(-1, len(costs))
    complete = image.complete and len(solutions) == len(fractions)
    notes = [problem.deadline.note, image.note, _undecided(image), _asked(limit)]
    return Frontier(
        names=problem.names,
        maximised=problem.maximised,
        points=points,
        solutions=solutions,
        kind=_kind(image, complete=complete),
        complete=complete,
        open=0.0 if complete else np.nan,
        note="" if complete else next(filter(None, notes), ""),
        facets=_facets(image, on, units) if complete else (),
        directions=_directions(image, units),
        fractions=tuple(shown),
        proof=FrontProof("linear", _linear_numbers(image)) if complete else None,
        state=image,
    )


def _kind(image: UpperImage, *, complete: bool) -> str:
    """What the points are; along a line the front goes on both ways, and has no extreme point."""
    if image.outer.lines:
        return "a point on each of its smallest faces" if complete else "points on its faces"
    return "every extreme point" if complete else "extreme points"


def _undecided(image: UpperImage) -> str:
    count = len(image.undecided)
    return f"{counted(count, 'extreme point')} could not be decided in fractions." if count else ""


def _asked(limit: int | None) -> str:
    return "" if limit is None else f"{limit} points were asked for."


def _facets(
    image: UpperImage, on: list[list[int]], units: list[tuple[Fraction, Fraction]]
) -> tuple[FrontFacet, ...]:
    """The facets in the objectives' own units, all as things to minimise.

    ``on`` are the cuts that each vertex lies on.
    """
    members: dict[int, list[int]] = {}
    for place, cuts in enumerate(on):
        for k in cuts:
            members.setdefault(k, []).append(place)
    found = []
    for k in image.facets:
        cut = image.cuts[k]
        weights = [w * abs(unit) for w, (_, unit) in zip(cut.weights, units, strict=True)]
        side = sum((w * s for w, (s, _) in zip(cut.weights, units, strict=True)), Fraction(0))
        total = sum(weights, Fraction(0))
        found.append(
            FrontFacet(
                np.array([float(w / total) for w in weights]),
                float((cut.value - side) / total),
                tuple(members.get(k, ())),
            )
        )
    return tuple(found)


def _directions(image: UpperImage, units: list[tuple[Fraction, Fraction]]) -> Array | None:
    """Directions in which the front has no end, in the objectives' own units and senses."""
    endless = [ray[1:] for ray in image.directions]
    if not endless:
        return None
    found = [[float(v / unit) for v, (_, unit) in zip(ray, units, strict=True)] for ray in endless]
    return np.array([np.array(ray) / np.abs(ray).max() for ray in found])


def _certified(
    problem: FrontProblem, objectives: ObjectiveRows, image: UpperImage,
    rays: list[tuple[int, ...]], on: list[list[int]], own: Callable[[Fractions], Fractions],
) -> tuple[Solution, ...]:  # fmt: skip
    """The certified solutions behind vertices, as many as there is time for."""
    weights, rows = (
        np.array([getattr(cut, part) for cut in image.cuts], dtype=object)
        for part in ("weights", "multipliers")
    )
    least = [min(cut.weights) for cut in image.cuts]
    plain = replace(problem, ladder=None)  # exact points are certified, not solved again
    solutions: list[Solution] = []
    with problem.deadline.kept():
        for ray, cuts in zip(rays, on, strict=True):
            x, values = image.points[ray], value_of(ray)
            # One facet that gives every objective some weight; if there is none, all of them.
            even = max(cuts, key=least.__getitem__)
            used = [even] if least[even] else cuts
            z = objectives.multipliers(weights[used].sum(axis=0), -rows[used].sum(axis=0))
            floats = np.array(x, dtype=float)
            limits = objectives.limits_at(np.array(values, dtype=float), floats)
            exact = None if problem.solved else (own(values)[-1], list(x), list(z))
            solutions.append(plain.certified(limits, floats, z.astype(float), exact=exact))
    return tuple(solutions)


def _linear_numbers(image: UpperImage) -> Mapping[str, Any]:
    """All that an independent check needs, in fractions."""
    lp = image.lp

    def texts(values: Any) -> list[str | None]:
        return [None if v is None else str(v) for v in values]

    facets = [image.cuts[k] for k in image.facets]
    return {
        "rows": [{str(j): str(v) for j, v in zip(*line, strict=True)} for line in lp.rows],
        "sides": texts(lp.b), "equations": lp.zero, "lower": texts(lp.lower),
        "upper": texts(lp.upper), "costs": [texts(c) for c in image.costs],
        "points": [texts(image.points[ray]) for ray in image.vertices],
        "rays": [texts(x) for x in image.rays.values()],
        "lines": [texts(line[1:]) for line in image.outer.lines],
        "facets": [texts([f.value, *f.weights]) for f in facets],
        "multipliers": [texts(f.multipliers) for f in facets],
    }  # fmt: skip


# Convex: points within a stated error of everything.

# Hyperplanes are rounded to multiples of one over this, away from what they bound.
GRID = 1 << 40
# Shares of the weights that an interior-point solver leaves where there are none, and how far, in
# ranges, values are thought to be from the best at most.
NOISE, REACH = 1e-8, 1e2
# From how many places a corner is asked for that has no certified optimum.
TURNS = 3


@dataclass
class _ConvexState:
    """Optima found, hyperplanes that bound all values, and which of their vertices are settled.

    Values are minimised, from the least value of each objective on, in shares of its range.
    """

    ends: list[Solution] = field(default_factory=list)
    solutions: list[Solution] = field(default_factory=list)
    values: list[Array] = field(default_factory=list)  # of all of these, as they are minimised
    low: Array | None = None
    units: Array | None = None
    outer: DoubleDescription | None = None
    covers: dict[tuple[int, ...], tuple[float, list[tuple[int, float]], int]] = field(
        default_factory=dict
    )  # vertices: how far they are from points, which of them show it, of how many
    failed: set[tuple[int, ...]] = field(default_factory=set)

    def connected(self, problem: FrontProblem) -> _ConvexState:
        """The same in lists of its own, for the problem's own variables."""
        other = deepcopy(replace(self, ends=[], solutions=[]))
        other.ends = [problem.connected(s) for s in self.ends]
        other.solutions = [problem.connected(s) for s in self.solutions]
        other.failed = set()
        return other


def enclosed_points(
    problem: FrontProblem,
    *,
    solver: SolverChoice,
    error: float,
    limit: int | None,
    resume: Frontier | None,
    tick: Callable[[str], None],
) -> Frontier:
    """The front of several convex objectives, known to a share of their ranges."""
    state = _ConvexState() if resume is None else resume.state.connected(problem)
    with problem.deadline.kept():
        _find_ends(problem, state, tick)
    reached = np.nan
    if state.outer is not None:
        with problem.deadline.kept():
            _refine(problem, solver, state, error, limit, tick)
        reached = _furthest(state, 0.0, given_up=True)[0]
    everything = [*state.ends, *state.solutions]
    keep = _worth_listing(state)[: limit or None]
    points = np.array([problem.values(everything[k]) for k in keep])
    complete = bool(reached <= error) and not problem.deadline.note
    notes = [problem.deadline.note, _failed(state, reached), _asked(limit)]
    kind = "points of a front whose ends are not known"
    if not np.isnan(reached):
        kind = f"points that with all between them are the front to {reached:.2g} of its ranges"
    return Frontier(
        names=problem.names,
        maximised=problem.maximised,
        points=points.reshape(-1, len(problem.names)),
        solutions=tuple(everything[k] for k in keep),
        kind=kind,
        complete=complete,
        error=reached,
        open=0.0 if complete else np.nan,
        note="" if complete else next(filter(None, notes), ""),
        proof=_convex_proof(state, error) if complete else None,
        state=state,
    )


def _worth_listing(state: _ConvexState) -> list[int]:
    """The places of points that no other one beats, but for rounding."""
    if not state.values:
        return []
    values = np.array(state.values)
    unit = np.ones(values.shape[1]) if state.units is None else state.units
    return non_dominated(np.round(values / unit, 7))


def _failed(state: _ConvexState, reached: float) -> str:
    """Where the front is not known as well as was asked for."""
    if not state.failed:
        return ""
    corners = counted(len(state.failed), "corner")
    return (
        f"no certified optimum was found for {corners} of the outer approximation; near them the "
        f"front is known to {reached:.2g} of the ranges."
    )


def _find_ends(problem: FrontProblem, state: _ConvexState, tick: Callable[[str], None]) -> None:
    """The best points of each objective, and the box that they span."""
    signs, names = problem.signs, problem.names
    for name in names[len(state.ends) :]:
        solution = problem.alone(name, *(other for other in names if other != name))
        values = [*state.values, signs * np.array(problem.values(solution))]
        state.ends, state.values = [*state.ends, solution], values  # both, whenever Ctrl-C comes
        tick(", ".join(f"{v:g}" for v in problem.values(solution)))
    if state.outer is not None:
        return
    payoff = np.array(state.values[: len(names)])
    low = payoff.min(axis=0)
    size = np.maximum(np.abs(payoff).max(axis=0), 1.0)
    low = low - FRONT_RESOLUTION * 1e-2 * size  # what a certified optimum may still hide
    ranges = payoff.max(axis=0) - low
    state.low, state.units = low, np.where(ranges > SAME_POINT * size, ranges, 1.0)
    outer = DoubleDescription(len(names) + 1)
    for k in range(len(names) + 1):
        outer.cut([int(i == k) for i in range(len(names) + 1)])
    state.outer = outer


def _refine(
    problem: FrontProblem, solver: SolverChoice, state: _ConvexState, error: float,
    limit: int | None, tick: Callable[[str], None],
) -> None:  # fmt: skip
    """Cut off vertices of the outer approximation until all are near points."""
    if state.outer is None or state.low is None or state.units is None:
        return
    scalarised = _scalarised(problem, solver, state.units)
    while True:
        problem.deadline.check()
        worst = _furthest(state, error)[1]
        if worst is None or (limit is not None and len(state.values) >= limit):
            return
        v = np.array([c / worst[0] for c in worst[1:]])
        solution, v = _asked_below(scalarised, state, (state.low, state.units), v)
        if solution is None:
            state.failed.add(worst)
            continue
        values = [*state.values, problem.signs * np.array(problem.values(solution))]
        state.solutions, state.values = [*state.solutions, solution], values  # both, as above
        tick(", ".join(f"{value:g}" for value in problem.values(solution)))
        _cut(state.outer, solution, v, state.units)
        if worst in state.outer.rays and _distance(state, worst, error) > error:
            state.failed.add(worst)


def _asked_below(
    scalarised: FrontProblem, state: _ConvexState, reach: tuple[Array, Array], v: Array
) -> tuple[Solution | None, Array]:
    """The nearest feasible values to some vertex, and from where they were asked for.

    From halfway to the nearest mixture of points if there is no certified optimum: what is proved
    there cuts that vertex off as well.
    """
    low, units = reach
    for _ in range(TURNS):
        try:
            return scalarised.solve((scalarised.signs * (low + v * units)).tolist()), v
        except StageError:
            v = (v + _nearest((np.array(state.values) - low) / units, v)[1]) / 2.0
    return None, v


def _furthest(
    state: _ConvexState, error: float, *, given_up: bool = False
) -> tuple[float, tuple[int, ...] | None]:
    """The vertex that is furthest from the points, and how far, if one is further than the error.

    Distances only fall as points are added: an old one is computed again once it is the largest.
    ``given_up`` counts vertices near which no optimum was certified as well.
    """
    waiting = [
        (-state.covers[ray][0] if ray in state.covers else -np.inf, ray)
        for ray in ([] if state.outer is None else state.outer.rays)
        if ray[0] and (given_up or ray not in state.failed)
    ]
    heapify(waiting)
    while waiting and -waiting[0][0] > error:
        known, ray = waiting[0]
        distance = _distance(state, ray, error)
        if distance >= -known:
            return distance, ray
        heapreplace(waiting, (-distance, ray))
    return 0.0, None


def _scalarised(problem: FrontProblem, solver: SolverChoice, units: Array) -> FrontProblem:
    """How far, in shares of the ranges, every objective must give way for limits to be met."""
    t = cp.Variable(name="distance of the front")
    moved = {
        name: cp.Maximize(o.expr + unit * t)
        if isinstance(o, cp.Maximize)
        else cp.Minimize(o.expr - unit * t)
        for (name, o), unit in zip(problem.objectives.items(), units.tolist(), strict=True)
    }
    return FrontProblem.of(
        moved, problem.constraints, solver, problem.deadline, target=cp.Minimize(t),
        before=problem.before, solved=problem.solved,
    )  # fmt: skip


def _cut(outer: DoubleDescription, solution: Solution, v: Array, units: Array) -> None:
    """Add the hyperplane that an optimum's bound and multipliers prove, if it bounds anything.

    The bound falls with the limits at the rate of their multipliers, and no value that can be had
    needs to give way: ``weights @ (z - v) >= bound`` for all of them. Weights that are noise of
    the solver are left out, at the price of what they could be worth within REACH ranges.
    """
    last = solution.duals[-units.size :]
    duals = [0.0 if d is None else abs(float(np.sum(np.asarray(d)))) for d in last]
    bound = solution.value if solution.bound is None else min(solution.bound, solution.value)
    # Multipliers are per unit of the objectives, values in shares of their ranges.
    weights = np.array(duals) * units
    total = float(weights.sum())
    if not total > 0.0 or bound <= 0.0:
        return
    shares = weights / total
    noise = shares < NOISE
    side = Fraction(bound / total) - Fraction(float(shares[noise].sum()) * REACH)
    side += sum(Fraction(w) * Fraction(a) for w, a in zip(shares.tolist(), v.tolist(), strict=True))
    whole = [
        0 if small else ceil(w * GRID) for w, small in zip(shares.tolist(), noise, strict=True)
    ]
    outer.cut([-floor(side * GRID), *whole])


def _distance(state: _ConvexState, ray: tuple[int, ...], error: float) -> float:
    """How far a vertex is from the points and all between them, in shares of the ranges."""
    known = state.covers.get(ray)
    if known is not None and (known[0] <= error or known[2] == len(state.values)):
        return known[0]
    if state.low is None or state.units is None:
        return np.inf
    v = np.array([c / ray[0] for c in ray[1:]])
    points = (np.array(state.values) - state.low) / state.units
    distance, _, shares = _nearest(points, v)
    used = [(int(i), float(shares[i])) for i in np.flatnonzero(shares)]
    state.covers[ray] = distance, used, len(points)
    return distance


def _nearest(points: Array, v: Array) -> tuple[float, Array, Array]:
    """How far values are from points and all between them, the nearest mixture, its shares."""
    count, p = points.shape
    matrix = np.zeros((p + 1, count + 1))
    matrix[:p, :count], matrix[:p, count] = points.T, -1.0
    matrix[p, :count] = 1.0
    bounds = Bounds(
        np.append(np.zeros(count), -np.inf), np.full(count + 1, np.inf),
        np.append(np.full(p, -np.inf), 1.0), np.append(v, 1.0),
    )  # fmt: skip
    cost = np.append(np.zeros(count), 1.0)
    model = HighsModel(sp.csc_array(matrix), PRECISE_HIGHS, cost, bounds)
    if model.solve() != "kOptimal":
        return np.inf, points[0], np.zeros(count)
    shares = np.maximum(np.array(model.solution.col_value)[:count], 0.0)
    shares /= shares.sum()
    mixture = shares @ points
    return float(np.max(mixture - v)), mixture, shares


def _convex_proof(state: _ConvexState, error: float) -> FrontProof:
    """Hyperplanes, points, and which points show that a vertex is near."""
    if state.outer is None or state.low is None or state.units is None:
        raise CurveError("nothing is known of the front.")
    points = (np.array(state.values) - state.low) / state.units
    covers = [
        [list(map(str, ray)), [[i, share] for i, share in state.covers[ray][1]]]
        for ray in state.outer.rays
        if ray[0]
    ]
    numbers = {
        "hyperplanes": [list(map(str, row)) for row in state.outer.rows[1:]],
        "values": points.tolist(), "covers": covers, "error": error,
    }  # fmt: skip
    return FrontProof("convex", numbers)
