"""The value function of each later problem while the tolerance on an earlier one moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from lexiprog.backends.highs import HighsModel
from lexiprog.canon.standard_form import Bounds, StandardForm
from lexiprog.deadline import OutOfTime
from lexiprog.errors import StageError
from lexiprog.model.expressions import as_float
from lexiprog.model.references import VALUES
from lexiprog.model.subproblem import Subproblem
from lexiprog.parametric.context import (
    LimitedObjective,
    MovingProblem,
    ParametricContext,
    Unsteady,
)
from lexiprog.parametric.integer_programs import steps_of
from lexiprog.parametric.integer_search import integer_front
from lexiprog.parametric.path import on_faces, parametric_curve
from lexiprog.parametric.value_function import (
    CurveEnd,
    CurveError,
    CurveKind,
    Sample,
    ValueFunction,
    sandwich,
)
from lexiprog.results.solution import Solution
from lexiprog.tolerances import LIMIT_SLACK, PRECISE_HIGHS, SAME_PLACE, SAME_POINT

# Where nothing tells which tolerances matter: shares of the held optimum.
SHARES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def value_functions(
    context: ParametricContext, tick: Callable[[str], None]
) -> tuple[dict[str, ValueFunction], tuple[float, ...]]:
    """The function of every problem after the held one, and the tolerances at which they bend.

    What Ctrl-C stops is noted in the context's deadline; the functions known by then are kept,
    as far as they go.
    """
    functions: dict[str, ValueFunction] = {}
    with context.deadline.kept():
        _follow(context, functions, tick)
    if context.deadline.interrupt is not None:
        functions = {later: f for later, f in functions.items() if f.breakpoints.size}
    tolerances = _tolerances(context, functions)
    with context.deadline.kept():
        for later, function in functions.items():
            if function.kind is CurveKind.SAMPLED:
                functions[later] = _sampled(context, function, later, tolerances)
                tick(later)
    return {later: f for later, f in functions.items() if f.breakpoints.size}, tolerances


def _follow(
    context: ParametricContext,
    functions: dict[str, ValueFunction],
    tick: Callable[[str], None],
) -> None:
    """Add the function of one later problem after the other."""
    program = context.program
    held = program[context.name]
    position = next(k for k, s in enumerate(program.stages) if held in s.subproblems)
    for stage in program.stages[position + 1 :]:
        moving: dict[str, ValueFunction] = {}
        for subproblem in stage.subproblems:
            name = subproblem.name
            if context.depends(subproblem):
                functions[name] = moving[name] = _value_function(context, subproblem)
            else:
                context.solved[name] = context.alone(subproblem)
                functions[name] = ValueFunction.constant(context.solved[name].value)
            if context.deadline.interrupt is not None:
                return
            tick(name)
        context.functions |= moving


def _value_function(context: ParametricContext, subproblem: Subproblem) -> ValueFunction:
    """The function of one problem, as well as its kind allows."""
    try:
        if subproblem.fair is not None:
            raise Unsteady("it has several levels")
        if subproblem.kind == "LP":
            return linear_function(context, subproblem)
        if subproblem.kind == "MILP":
            return integer_function(context, subproblem)
        if not subproblem.integer:
            return convex_function(context, subproblem)
        reason = "its kind has no curve"
    except Unsteady as why:
        reason = str(why)
    except CurveError as why:
        context.at(0.0)  # raises with all that can be said, if there is no optimum
        reason = str(why).rstrip(".")
    return ValueFunction.unknown(reason)


def _tolerances(
    context: ParametricContext, functions: Mapping[str, ValueFunction]
) -> tuple[float, ...]:
    """Every tolerance at which something happens; between them too where that is not known."""
    known = [f for f in functions.values() if f.breakpoints.size]
    tolerances = np.unique(np.concatenate([np.zeros(0), *(f.breakpoints for f in known)]))
    start = max((f.start for f in known), default=0.0)
    stop = min((f.stop for f in known), default=np.inf)
    tolerances = tolerances[(tolerances >= start) & (tolerances <= stop)]
    if len(known) < len(functions):
        if tolerances.size <= 1:
            shares = max(1.0, abs(context.optimum)) * np.array(SHARES)
            tolerances = np.unique(np.append(tolerances, shares))
        tolerances = np.unique(np.append(tolerances, (tolerances[1:] + tolerances[:-1]) / 2.0))
    return tuple(map(float, tolerances))


def _sampled(
    context: ParametricContext, function: ValueFunction, name: str, tolerances: tuple[float, ...]
) -> ValueFunction:
    """The optimum at each tolerance, by solving there."""
    values: list[float] = []
    for tolerance in tolerances:
        try:
            values.append(_solution(context, tolerance, name).value)
        except StageError:
            if not values:
                raise
            values.append(np.nan)
    return replace(
        function,
        breakpoints=np.array(tolerances),
        values=np.array(values),
        slopes=np.full(len(tolerances), np.nan),
    )


def _solution(context: ParametricContext, t: float, name: str) -> Solution:
    """The solution of one problem at ``t``, also where a later problem has none."""
    try:
        return context.at(t)[name]
    except StageError as error:
        if name in error.partial:
            return error.partial[name]
        raise


# Linear problems: exact, from one tolerance at which something that they read bends to the next.


def linear_function(context: ParametricContext, subproblem: Subproblem) -> ValueFunction:
    """The optimum of a linear problem for every tolerance.

    Between tolerances at which something that it reads bends, its right-hand side moves along a
    line, so that its optimum is convex and piecewise linear there (see ``path``).

    Raises
    ------
    Unsteady
        If its numbers do not follow the tolerance in straight lines.
    CurveError
        If there is no curve: nothing is feasible, or the objective is unbounded.
    """
    moving = MovingProblem.of(context, subproblem)
    function = ValueFunction.joined(list(_linear_pieces(context, subproblem, moving)))
    sign = -1.0 if subproblem.maximise else 1.0
    function = function.scaled(sign * moving.scaling.value(1.0))
    if function.start <= SAME_POINT * max(1.0, context.solved[context.name].size):
        function.breakpoints[0] = 0.0
    return function


def _linear_pieces(
    context: ParametricContext, subproblem: Subproblem, moving: MovingProblem
) -> Iterator[ValueFunction]:
    """The function from kink to kink of what the problem reads."""
    start, stop = context.start(subproblem), context.stop(subproblem)
    kinks = context.kinks(subproblem)
    kinks = kinks[(kinks > start) & (kinks < stop)]
    count = 0
    for here, there in pairwise([start, *kinks.tolist(), stop]):
        try:
            piece = _linear_piece(moving, here, there, context.limit)
        except (CurveError, OutOfTime, KeyboardInterrupt) as reason:
            if count:
                yield _ending(f"not known beyond {here:g}: {context.reason_of(reason)}")
                return
            if there == stop or not isinstance(reason, CurveError):
                raise
            continue  # nothing is feasible yet; something may be in a later interval
        count += piece.breakpoints.size
        if count > context.limit:
            note = f"more than {context.limit} pieces; ask for more with limit=."
            piece = replace(piece, end=CurveEnd.UNFINISHED, note=note)
        yield piece
        if piece.end in (CurveEnd.INFEASIBLE, CurveEnd.UNFINISHED):
            return


def _linear_piece(moving: MovingProblem, start: float, stop: float, limit: int) -> ValueFunction:
    """The function on one interval; ``t`` is counted from its start, for the sake of rounding."""
    direction = moving.direction(start, stop)
    form = replace(moving.form, b=moving.sides(start))
    width = stop - start
    form, direction = on_faces(form, direction, moving.tight, 0.0, width)
    if not direction.any():
        return _constant_piece(form, start, stop)
    function = parametric_curve(
        form, direction, stop=width, limit=limit, near=moving.near, deadline=moving.context.deadline
    ).scaled(1.0, start)
    gap = stop - function.breakpoints[-1]
    if function.end is CurveEnd.INFEASIBLE and gap <= SAME_PLACE * max(width, abs(stop)):
        # What is fixed on this interval can often not be met beyond it.
        function.breakpoints[-1] = stop
        return replace(function, end=CurveEnd.STOPPED)
    return function


def _constant_piece(form: StandardForm, start: float, stop: float) -> ValueFunction:
    """Nothing that matters moves."""
    model = HighsModel(form.A, PRECISE_HIGHS, form.c, Bounds.of(form))
    vertex = model.optimum()
    if vertex is None:
        status = model.status
        raise CurveError(f"there is no optimum from {start:g} on (HiGHS: {status}).")
    constant = ValueFunction.constant(float(form.c @ vertex.values[: form.c.size]) + form.offset)
    if np.isinf(stop):
        return replace(constant, breakpoints=np.array([start]))
    return replace(
        constant,
        breakpoints=np.array([start, stop]),
        values=constant.values.repeat(2),
        slopes=np.array([0.0, np.nan]),
        end=CurveEnd.STOPPED,
        stop=stop,
    )


def _ending(note: str) -> ValueFunction:
    """What comes last of a function that ends early."""
    return replace(ValueFunction.unknown(note), kind=CurveKind.LINEAR, end=CurveEnd.UNFINISHED)


# Convex problems: between tangents and chords.

# How far a curve without end is followed, in sizes of the held optimum.
REACH = 10.0


def convex_function(context: ParametricContext, subproblem: Subproblem) -> ValueFunction:
    """The optimum of a convex problem, which is convex in the tolerance, to a stated error.

    Multipliers of the moving lock are tangents that the function is never below, feasible points
    are chords that it is never above; new tolerances are tried where the two are furthest apart.

    Raises
    ------
    Unsteady
        If something else than the lock moves, so that the function need not be convex.
    """
    for _, reference in subproblem.references:
        if context.moves(reference) and reference.owner_name != context.name:
            raise Unsteady(f"{reference.owner_name!r} moves as well, and it need not be convex")
    if subproblem.gp:
        raise Unsteady("geometric programs are not convex in the tolerance")
    sign = -1.0 if subproblem.maximise else 1.0
    stop, remark = _last_tolerance(context, subproblem)

    def ask(t: float) -> Sample:
        solution = _solution(context, t, subproblem.name)
        value = sign * solution.value
        lower = value if solution.bound is None else min(sign * solution.bound, value)
        return Sample(t, value, lower, _tangent(solution, subproblem, context.name))

    function = sandwich(
        ask, 0.0, stop, error=context.error, limit=context.limit, deadline=context.deadline
    ).scaled(sign)
    if remark:
        return replace(function, note="; ".join(filter(None, [remark, function.note])))
    function.slopes[-1] = 0.0
    return replace(function, end=CurveEnd.FLAT, stop=np.inf)


def _last_tolerance(context: ParametricContext, subproblem: Subproblem) -> tuple[float, str]:
    """The tolerance from which on the lock does not matter; a remark if there may be none."""
    positions = _positions(subproblem, context.name)
    kept = [c for position, c in enumerate(subproblem.constraints) if position not in positions]
    held = context.program[context.name]
    try:
        free = Subproblem(subproblem.name, subproblem.objective, kept)
        value = as_float(context.alone(free).at(held.objective.expr))
    except (StageError, KeyError):
        reach = REACH * max(1.0, abs(context.optimum))
        return reach, f"not followed beyond {reach:g}: nothing else bounds it"
    return max(context.optimum - value if held.maximise else value - context.optimum, 0.0), ""


def _positions(subproblem: Subproblem, name: str) -> list[int]:
    return [position for position, lock in subproblem.locks if lock.owner_name == name]


def _tangent(solution: Solution, subproblem: Subproblem, name: str) -> float | None:
    """Minus the multiplier of the lock, as the certificate's bound was computed with it."""
    slope = 0.0
    for position in _positions(subproblem, name):
        record = next(lock for lock in solution.locks if lock.name == name)
        dual = solution.duals[position]
        if record.kind == "argument" or dual is None:
            return None
        slope -= abs(float(np.sum(np.asarray(dual))))
    return slope


# Integer problems: exact, in steps.


def integer_function(context: ParametricContext, subproblem: Subproblem) -> ValueFunction:
    """The optimum of an integer problem for every tolerance: constant from step to step.

    Its steps are the non-dominated points of the held objective and its own (``integer_front``).
    Where other optima that it holds move too, each of their steps has a front of its own.
    """
    starts, stop = _step_starts(context, subproblem)
    pieces: list[ValueFunction] = []
    note, count = "", 0
    for here, there in pairwise([*starts, stop]):
        try:
            piece = _steps(context, subproblem, here, there, max(context.limit - count, 2))
        except (CurveError, OutOfTime, KeyboardInterrupt) as reason:
            if not pieces:
                raise
            stop, note = here, f"not known beyond {here:g}: {context.reason_of(reason)}"
            break
        pieces.append(piece)
        count += piece.breakpoints.size
        if not piece.complete:
            stop = float(piece.breakpoints[-1])
            note = f"not known beyond {stop:g}: {piece.note}"
            break
    breakpoints, values = (
        np.concatenate([getattr(piece, name) for piece in pieces])
        for name in ("breakpoints", "values")
    )
    keep = np.append(True, np.diff(values) != 0.0)
    return ValueFunction(
        breakpoints[keep],
        values[keep],
        np.zeros(int(keep.sum())),
        CurveKind.STEPS,
        end=CurveEnd.FLAT if np.isinf(stop) else CurveEnd.UNFINISHED,
        stop=stop,
        error=max(piece.error for piece in pieces),
        note=note,
    )


def _step_starts(context: ParametricContext, subproblem: Subproblem) -> tuple[list[float], float]:
    """Tolerances at which something else that the problem reads makes a step."""
    starts = {0.0}
    for _, reference in subproblem.references:
        function = context.functions.get(reference.owner_name)
        if function is None:
            continue
        if function.kind is not CurveKind.STEPS or function.error:
            raise Unsteady(f"{reference.owner_name!r} is not known in steps")
        if reference.kind not in VALUES:
            raise Unsteady(f"it reads {reference.label}, of which the curve knows nothing")
        starts |= set(function.breakpoints.tolist())
    start, stop = context.start(subproblem), context.stop(subproblem)
    return sorted(t for t in starts if start <= t < stop), stop


def _steps(
    context: ParametricContext, subproblem: Subproblem, start: float, stop: float, limit: int
) -> ValueFunction:
    """The steps from one tolerance to another.

    Of a front that is not complete only what lies before its gap, as there may be steps in it.
    """
    moving = MovingProblem.at(context, subproblem, start)
    form, (row, unit) = moving.task.form, _moved_row(moving)
    b = form.b.copy()
    for reference, rate, _ in moving.rates:
        held = reference.owner_name == context.name
        for other in () if held else np.flatnonzero(rate):
            b[other] += _allowance(form, int(other))
    limited = LimitedObjective.of(replace(form, b=b), row, unit)
    within = limited.form
    if np.isfinite(stop):
        b[row] += unit * (stop - start) - _allowance(form, row)
        within = replace(form, b=b)
    front = integer_front(within, limited.cost, form.c, limit=limit, deadline=context.deadline)
    pairs = front.pairs
    if front.missing:
        pairs = pairs[pairs[:, 0] <= front.missing[0][0][0]]
    if not len(pairs):
        raise OutOfTime
    t = start + (pairs[:, 0] - form.b[row]) / unit
    t = np.where(t - start <= LIMIT_SLACK * (1.0 + abs(form.b[row]) / unit), start, t)
    # Of those with no more than is given up already, the last.
    here = max(int(np.sum(t <= start)) - 1, 0)
    sign = -1.0 if subproblem.maximise else 1.0
    return replace(
        front,
        breakpoints=t[here:],
        values=sign * (pairs[here:, 1] + form.offset),
        slopes=np.zeros(len(t) - here),
    )


def _moved_row(moving: MovingProblem) -> tuple[int, float]:
    """The inequality that the tolerance moves, and what a unit of tolerance adds to it."""
    name, zero = moving.context.name, moving.task.form.cones.zero
    rates = [rate for r, rate, moves in moving.rates if moves and r.owner_name == name]
    rows = {int(row) for rate in rates for row in np.flatnonzero(rate)}
    if len(rows) != 1 or min(rows) < zero:
        raise Unsteady("the tolerance moves more than one row, or an equation")
    row = rows.pop()
    return row, abs(float(rates[-1][row]))


def _allowance(form: StandardForm, row: int) -> float:
    """Half a step of a row, or what rounding may make of its limit."""
    coefficients = np.asarray(sp.csr_array(form.A)[[row]].toarray()).ravel()
    integer = np.zeros(0, dtype=np.intp) if form.integer is None else form.integer
    steps = steps_of(coefficients, integer)
    return 0.5 * float(steps.size) if steps is not None else LIMIT_SLACK * (1.0 + abs(form.b[row]))
