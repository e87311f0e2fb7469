"""Run a compiled problem's solver, and read its answer back in the problem's own terms."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import cvxpy as cp
import cvxpy.settings as s
import numpy as np
from cvxpy.reductions.solution import Solution
from numpy.typing import NDArray

from lexiprog.aliases import Constraint, Value
from lexiprog.compile.answer import Answer
from lexiprog.compile.cvxpy_door.numbers import Compiled
from lexiprog.declare.leaves import CVXPY_LOCK, number
from lexiprog.status import Status

Array = NDArray[np.float64]

_ONE_ARRAY = (
    cp.constraints.Inequality,
    cp.constraints.Equality,
    cp.constraints.Zero,
    cp.constraints.NonNeg,
    cp.constraints.NonPos,
    cp.constraints.PSD,
)


def run(
    compiled: Compiled,
    options: dict[str, Any],
    *,
    verbose: bool = False,
    start: Array | None = None,
) -> Any:
    """Call the native solver; safe in a thread, since it only sees arrays.

    ``start`` is a point in equilibrated units for those interfaces that take one.
    """
    data = compiled.scaled_data()
    warm = start is not None and "init_value" in data
    if warm:
        data = dict(data) | {"init_value": start}
    return compiled.chain.solver.solve_via_data(data, warm, verbose, options, {})


def columns_of(compiled: Compiled) -> dict[int, NDArray[np.intp]]:
    """The column of each entry of a variable, by its id, for variables that are columns as such.

    CVXPY is asked to read back a point whose entries say where they stand.
    """
    program = compiled.data[s.PARAM_PROB]
    places = np.arange(1.0, program.x.size + 1.0)
    with CVXPY_LOCK:
        once, again = (
            _translated(compiled, Solution(s.OPTIMAL, 0.0, {program.x.id: x}, {}, {})).primal
            for x in (places, places[::-1])
        )
    mirrored = program.x.size + 1.0
    return {
        key: np.asarray(value).astype(np.intp) - 1
        for key, value in once.items()
        if np.isin(value, places).all() and np.array_equal(value + again[key], 0 * value + mirrored)
    }


def interpret(compiled: Compiled, raw: Any) -> Answer:
    """Translate the native result into values of the problem's own variables and constraints."""
    with CVXPY_LOCK:
        record = compiled.inverse[-1]
        solution = compiled.chain.solver.invert(raw, record)
        attr = solution.attr or {}
        status = Status.of(solution.status)
        if not status.has_point or not solution.primal_vars:
            return Answer(Status.NO_POINT if status.has_point else status, said=solution.status)
        # Interfaces add the offset as it is; in equilibrated units it has another size.
        offset = float(record[s.OFFSET])
        shift = compiled.scaled.offset - offset
        claimed, bound = number(solution.opt_val) + shift, _reported_bound(attr)
        solution.primal_vars = _own_columns(compiled, solution.primal_vars)
        if not compiled.scaling.identity:
            solution = _in_users_units(compiled, solution, offset)
        answer = _translated(compiled, solution)
    return replace(
        answer,
        claimed=claimed,
        bound=None if bound is None else bound + compiled.scaled.offset,
        iterations=_count(attr.get(s.NUM_ITERS)),
    )


def answer_at(compiled: Compiled, x: Array, z: Array | None, *, iterations: int | None) -> Answer:
    """The answer whose point and multipliers, in equilibrated units, were found without CVXPY."""
    scaling, program = compiled.scaling, compiled.data[s.PARAM_PROB]
    own = scaling.point(x)
    dual: dict[int, Any] = {}
    if z is not None:
        sizes = [constraint.size for constraint in program.constraints]
        parts = np.split(scaling.multipliers(z), np.cumsum(sizes)[:-1]) if sizes else []
        dual = dict(zip((c.id for c in program.constraints), parts, strict=True))
    value = compiled.form.objective(own)
    with CVXPY_LOCK:
        solution = Solution(s.OPTIMAL, value, {program.x.id: own}, dual, {})
        return replace(_translated(compiled, solution), iterations=iterations)


def exact_parts(
    compiled: Compiled, x: list[Fraction], z: list[Fraction]
) -> tuple[dict[int, Any], dict[int, Any]]:
    """Values of variables and multipliers as fractions, as far as CVXPY passes them through."""
    program = compiled.data[s.PARAM_PROB]
    sizes = [constraint.size for constraint in program.constraints]
    parts = np.split(np.array(z, dtype=object), np.cumsum(sizes)[:-1]) if sizes else []
    dual = dict(zip((c.id for c in program.constraints), parts, strict=True))
    chain, inverse = compiled.chain, compiled.inverse
    try:
        with CVXPY_LOCK:
            solution = Solution(s.OPTIMAL, 0.0, {program.x.id: np.array(x, dtype=object)}, dual, {})
            for reduction, record in zip(chain.reductions[-2::-1], inverse[-2::-1], strict=True):
                solution = reduction.invert(solution, record)
    except (TypeError, ValueError, AttributeError):  # numpy has no exact answer to everything
        return {}, {}
    return (
        {key: value for key, value in solution.primal_vars.items() if _is_exact(value)},
        {key: value for key, value in (solution.dual_vars or {}).items() if _is_exact(value)},
    )


def _is_exact(value: Any) -> bool:
    entries = np.asarray(value, dtype=object).reshape(-1)
    return all(isinstance(entry, Fraction | int) for entry in entries)


def _own_columns(compiled: Compiled, primal: dict[int, Any]) -> dict[int, Any]:
    """The point without the columns that an interface (SCIP's, for cones) has added behind it."""
    size = compiled.data[s.PARAM_PROB].x.size
    return {key: x[:size] if np.ndim(x) == 1 else x for key, x in primal.items()}


def _in_users_units(compiled: Compiled, solution: Any, offset: float) -> Any:
    """What the solver found for the scaled numbers, as it is for the numbers themselves."""
    scaling, program = compiled.scaling, compiled.data[s.PARAM_PROB]
    primal = {
        key: np.reshape(scaling.point(np.ravel(x, order="F")), np.shape(x), order="F")
        for key, x in solution.primal_vars.items()
    }
    dual: dict[int, Any] = {}
    start = 0
    factors = scaling.rows / scaling.cost
    for constraint in program.constraints:
        value = (solution.dual_vars or {}).get(constraint.id)
        size = constraint.size if value is None else np.size(value)
        if value is not None:
            part = np.reshape(factors[start : start + size], np.shape(value), order="F")
            dual[constraint.id] = np.asarray(value, dtype=float) * part
        start += size
    value = (number(solution.opt_val) - offset) / scaling.cost + offset
    return Solution(solution.status, value, primal, dual, solution.attr)


def _translated(compiled: Compiled, solution: Any) -> Answer:
    """A solution of the standard form, as one of the problem that the user wrote."""
    chain, inverse = compiled.chain, compiled.inverse
    x = np.asarray(next(iter(solution.primal_vars.values())), dtype=float).reshape(-1)
    z = _multipliers(compiled, solution)
    claimed = compiled.scaling.scaled_value(number(solution.opt_val))
    for reduction, record in zip(chain.reductions[-2::-1], inverse[-2::-1], strict=True):
        solution = reduction.invert(solution, record)
    return Answer(
        status=Status.of(solution.status),
        said=solution.status,
        value=number(solution.opt_val),
        claimed=claimed,
        x=compiled.scaling.scaled_point(x),
        z=None if z is None else compiled.scaling.scaled_multipliers(z),
        form=compiled.scaled,
        primal=dict(solution.primal_vars),
        dual=dict(solution.dual_vars or {}),
    )


def dual_arrays(constraint: Constraint, value: Value) -> Value | list[Value]:
    """A multiplier in the shape CVXPY shows it: an array, or a list for cones with parts."""
    if isinstance(constraint, _ONE_ARRAY):
        kind = complex if np.iscomplexobj(value) else float
        return np.reshape(np.asarray(value, dtype=kind), constraint.shape, order="F")
    with CVXPY_LOCK:
        before = [leaf.value for leaf in constraint.dual_variables]
        constraint.save_dual_value(value)
        parts = [np.array(leaf.value) for leaf in constraint.dual_variables]
        for leaf, old in zip(constraint.dual_variables, before, strict=True):
            leaf.save_value(old)
    return parts


def _multipliers(compiled: Compiled, solution: Any) -> Array | None:
    """The multipliers in the row order of the standard form; None if any is missing."""
    program = compiled.data[s.PARAM_PROB]
    if solution.dual_vars is None or program.is_mixed_integer():
        return None
    parts = []
    for constraint in program.constraints:
        value = solution.dual_vars.get(constraint.id)
        if value is None:
            return None
        parts.append(np.asarray(value, dtype=float).reshape(-1, order="F"))
    z = np.concatenate(parts) if parts else np.zeros(0)
    return z if z.size == compiled.form.b.size else None


def _reported_bound(attr: dict[str, Any]) -> float | None:
    """The lower bound an integer solver reports, wherever its interface keeps it."""
    stats = attr.get(s.EXTRA_STATS)
    for name in ("mip_dual_bound", "ObjBound", "getDualbound"):
        value = stats.get(name) if isinstance(stats, dict) else getattr(stats, name, None)
        value = value() if callable(value) else value
        if value is not None and np.isfinite(value):
            return float(value)
    model: Any = stats.get("model") if isinstance(stats, dict) else None
    if hasattr(model, "getDualbound"):  # SCIP's
        value = float(model.getDualbound())
        return value if abs(value) < model.infinity() else None
    return None


def _count(value: Any) -> int | None:
    return None if value is None else int(np.sum(value))
