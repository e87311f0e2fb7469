"""Read a solver's answer back in the problem's own terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate

import cvxpy as cp
import cvxpy.settings as s
import numpy as np
from cvxpy.reductions.cvx_attr2constr import CvxAttr2Constr, recover_value_for_leaf
from cvxpy.reductions.solution import Solution
from numpy.typing import ArrayLike, NDArray

from lexiprog.backends.clarabel import InteriorPoint
from lexiprog.compile.answer import Answer
from lexiprog.cvxpy_adapter.numbers import Compiled, IndexMap
from lexiprog.model.expressions import CVXPY_LOCK, as_float, dense
from lexiprog.status import Status
from lexiprog.typing import Array, Constraint, Multiplier, Record, Value, ValuesById

_POINT = 0  # any key does: the reductions take the only vector there is

_ONE_ARRAY = (
    cp.constraints.Inequality,
    cp.constraints.Equality,
    cp.constraints.Zero,
    cp.constraints.NonNeg,
    cp.constraints.NonPos,
    cp.constraints.PSD,
)


def interpret(compiled: Compiled, raw: object) -> Answer:
    """Translate the native result into values of the problem's own variables and constraints."""
    if isinstance(raw, InteriorPoint):  # multipliers are those of the form's rows
        answer = answer_at(compiled, raw.x, raw.z, iterations=raw.iterations)
        claimed, status = raw.value + compiled.scaled.offset, Status.of(raw.said)
        return replace(answer, claimed=claimed, status=status, said=raw.said)
    with CVXPY_LOCK:
        record = compiled.record
        solution = compiled.chain.solver.invert(raw, record)
        attr = solution.attr or {}
        status = Status.of(solution.status)
        if not status.has_point or not solution.primal_vars:
            return Answer(Status.NO_POINT if status.has_point else status, said=solution.status)
        offset = float(record[s.OFFSET])  # of another size in equilibrated units
        shift = compiled.scaled.offset - offset
        claimed, bound = as_float(solution.opt_val) + shift, _reported_bound(attr)
        solution.primal_vars = _without_added_columns(compiled, solution.primal_vars)
        if not compiled.scaling.identity:
            solution = _in_users_units(compiled, solution, offset)
        answer = translated(compiled, solution)
    return replace(
        answer,
        claimed=claimed,
        bound=None if bound is None else bound + compiled.scaled.offset,
        iterations=_count(attr.get(s.NUM_ITERS)),
    )


def answer_at(compiled: Compiled, x: Array, z: Array | None, *, iterations: int | None) -> Answer:
    """The answer whose point and multipliers, in equilibrated units, were found without CVXPY."""
    scaling = compiled.scaling
    point = scaling.point(x)
    if compiled.index_map is not None:
        rows = None if z is None else scaling.multipliers(z)
        value = compiled.form.objective(point)
        return _by_index_map(
            compiled, compiled.index_map, s.OPTIMAL, value, point, rows, (x, z), iterations
        )
    dual: ValuesById = {}
    if z is not None:
        dual = _split(compiled, scaling.multipliers(z))
    value = compiled.form.objective(point)
    with CVXPY_LOCK:
        solution = Solution(s.OPTIMAL, value, {_POINT: point}, dual, {})
        return replace(translated(compiled, solution), iterations=iterations)


def _split(compiled: Compiled, z: Array) -> ValuesById:
    """Multipliers by the ids of the form's constraints."""
    ends = accumulate(size for _, size in compiled.rows)
    return {key: z[end - n : end] for (key, n), end in zip(compiled.rows, ends, strict=True)}


def exact_parts(
    compiled: Compiled, x: list[Fraction], z: list[Fraction]
) -> tuple[ValuesById, ValuesById]:
    """Values of variables and multipliers as fractions, as far as CVXPY passes them through."""
    if compiled.index_map is not None:
        index_map = compiled.index_map
        return (
            index_map.variables(np.array(x, dtype=object)),
            index_map.multipliers(np.array(z, dtype=object)),
        )
    dual = _split(compiled, np.array(z, dtype=object))
    chain, inverse = compiled.chain, compiled.inverse
    try:
        with CVXPY_LOCK:
            solution = Solution(s.OPTIMAL, 0.0, {_POINT: np.array(x, dtype=object)}, dual, {})
            for reduction, record in zip(chain.reductions[-2::-1], inverse[-2::-1], strict=True):
                solution = reduction.invert(solution, record)
    except (TypeError, ValueError, AttributeError):  # numpy has no exact answer to everything
        return {}, {}
    return (
        {key: value for key, value in solution.primal_vars.items() if _is_exact(value)},
        {key: value for key, value in (solution.dual_vars or {}).items() if _is_exact(value)},
    )


def _is_exact(value: object) -> bool:
    entries = np.asarray(value, dtype=object).reshape(-1)
    return all(isinstance(entry, Fraction | int) for entry in entries)


def _without_added_columns(compiled: Compiled, primal: ValuesById) -> ValuesById:
    """The point without the columns that an interface (SCIP's, for cones) has added behind it."""
    size = compiled.form.c.size
    return {key: x[:size] if np.ndim(x) == 1 else x for key, x in primal.items()}


def _in_users_units(compiled: Compiled, solution: Solution, offset: float) -> Solution:
    """What the solver found for the scaled numbers, as it is for the numbers themselves."""
    scaling = compiled.scaling
    primal = {key: _times(x, scaling.columns) for key, x in solution.primal_vars.items()}
    dual: ValuesById = {}
    start = 0
    factors = scaling.rows / scaling.cost
    for key, rows in compiled.rows:
        value = (solution.dual_vars or {}).get(key)
        size = rows if value is None else np.size(value)
        if value is not None:
            dual[key] = _times(value, factors[start : start + size])
        start += size
    value = (as_float(solution.opt_val) - offset) / scaling.cost + offset
    return Solution(solution.status, value, primal, dual, solution.attr)


def _times(value: Value, factors: Array) -> Value:
    """Entries times factors, column by column."""
    value = np.asarray(value, dtype=float)
    return value * (factors if value.ndim == 1 else factors.reshape(value.shape, order="F"))


def translated(compiled: Compiled, solution: Solution) -> Answer:
    """A solution of the standard form, as one of the problem that the user wrote."""
    chain, inverse = compiled.chain, compiled.inverse
    x = np.asarray(next(iter(solution.primal_vars.values())), dtype=float).reshape(-1)
    z = _multipliers(compiled, solution)
    if compiled.index_map is not None:
        value = as_float(solution.opt_val)
        return _by_index_map(compiled, compiled.index_map, solution.status, value, x, z)
    claimed = compiled.scaling.scaled_value(as_float(solution.opt_val))
    for reduction, record in zip(chain.reductions[-2::-1], inverse[-2::-1], strict=True):
        solution = reduction.invert(solution, record)
    return Answer(
        status=Status.of(solution.status),
        said=solution.status,
        value=as_float(solution.opt_val),
        claimed=claimed,
        x=compiled.scaling.scaled_point(x),
        z=None if z is None else compiled.scaling.scaled_multipliers(z),
        form=compiled.scaled,
        primal=dict(solution.primal_vars),
        dual=dict(solution.dual_vars or {}),
    )


def _by_index_map(
    compiled: Compiled,
    index_map: IndexMap,
    said: str,
    value: float,
    x: Array,
    z: Array | None,
    scaled: tuple[Array, Array | None] | None = None,
    iterations: int | None = None,
) -> Answer:
    """The same where variables and constraints are parts of the form's vectors.

    ``scaled`` are point and multipliers in equilibrated units, where they are known.
    """
    scaling = compiled.scaling
    if scaled is None:
        scaled = scaling.scaled_point(x), None if z is None else scaling.scaled_multipliers(z)
    return Answer(
        status=Status.of(said),
        said=said,
        value=index_map.sign * value,
        claimed=scaling.scaled_value(value),
        x=scaled[0],
        z=scaled[1],
        iterations=iterations,
        form=compiled.scaled,
        primal=index_map.variables(compiled.form.within_bounds(x)),
        dual={} if z is None else index_map.multipliers(z),
    )


def dual_arrays(constraint: Constraint, value: Value) -> Multiplier:
    """A multiplier in the shape CVXPY shows it: an array, or several for cones with parts."""
    if isinstance(constraint, _ONE_ARRAY):
        kind = complex if np.iscomplexobj(value) else float
        return np.reshape(np.asarray(value, dtype=kind), constraint.shape, order="F")
    with CVXPY_LOCK:
        before = [leaf.value for leaf in constraint.dual_variables]
        constraint.save_dual_value(value)
        parts = [np.array(leaf.value) for leaf in constraint.dual_variables]
        for leaf, old in zip(constraint.dual_variables, before, strict=True):
            leaf.save_value(old)
    return tuple(parts)


def _multipliers(compiled: Compiled, solution: Solution) -> Array | None:
    """The multipliers in the row order of the standard form; None if any is missing."""
    if solution.dual_vars is None or compiled.integer:
        return None
    parts = []
    for key, _ in compiled.rows:
        value = solution.dual_vars.get(key)
        if value is None:
            return None
        parts.append(np.asarray(value, dtype=float).reshape(-1, order="F"))
    z = np.concatenate(parts) if parts else np.zeros(0)
    return z if z.size == compiled.form.b.size else None


def _reported_bound(attr: Record) -> float | None:
    """The lower bound an integer solver reports, wherever its interface keeps it."""
    stats = attr.get(s.EXTRA_STATS)
    for name in ("mip_dual_bound", "ObjBound", "getDualbound"):
        value = stats.get(name) if isinstance(stats, dict) else getattr(stats, name, None)
        value = value() if callable(value) else value
        if value is not None and np.isfinite(value):
            return float(value)
    model = stats.get("model") if isinstance(stats, dict) else None
    if model is not None and hasattr(model, "getDualbound"):  # SCIP's
        value = float(model.getDualbound())
        return value if abs(value) < model.infinity() else None
    return None


def _count(value: ArrayLike | None) -> int | None:
    return None if value is None else int(np.sum(value))


def columns_of(compiled: Compiled) -> dict[int, NDArray[np.intp]]:
    """The column of each entry of a variable, by its id, for variables that are columns as such.

    CVXPY is asked to read back a point whose entries say where they stand.
    """
    marks = np.arange(1.0, compiled.form.c.size + 1.0)
    with CVXPY_LOCK:
        once, again = (
            {key: np.asarray(dense(value)) for key, value in _read_back(compiled, x).items()}
            for x in (marks, marks[::-1])
        )
    mirrored = marks.size + 1.0
    return {
        key: value.astype(np.intp) - 1
        for key, value in once.items()
        if np.isin(value, marks).all() and np.array_equal(value + again[key], 0 * value + mirrored)
    }


def _read_back(compiled: Compiled, x: Array) -> ValuesById:
    """A point in terms of the variables, by id, whatever their limits are."""
    if compiled.index_map is not None:
        return compiled.index_map.variables(x)
    solution = Solution(s.OPTIMAL, 0.0, {_POINT: x}, {}, {})
    chain, inverse = compiled.chain, compiled.inverse
    for reduction, record in zip(chain.reductions[-2::-1], inverse[-2::-1], strict=True):
        if isinstance(reduction, CvxAttr2Constr) and record:
            solution.primal_vars = _without_limits(solution.primal_vars, *record[:2])
        else:
            solution = reduction.invert(solution, record)
    return dict(solution.primal_vars)


def _without_limits(
    found: ValuesById, new: Mapping[int, cp.Variable], old: Mapping[int, cp.Variable]
) -> ValuesById:
    """What CVXPY makes of values of the variables that stand for others, before it clips them."""
    return {
        key: recover_value_for_leaf(variable, found[new[key].id], project=False)
        for key, variable in old.items()
        if new[key].id in found
    }
