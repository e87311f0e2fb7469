"""Run a compiled problem's solver, and read its answer back in the problem's own terms."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import cvxpy.settings as s
import numpy as np
from numpy.typing import NDArray

from lexiprog.aliases import Constraint, Value
from lexiprog.compile.answer import Answer
from lexiprog.compile.cvxpy_door.numbers import Compiled
from lexiprog.declare.leaves import CVXPY_LOCK
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


def run(compiled: Compiled, options: dict[str, Any]) -> Any:
    """Call the native solver; safe in a thread, since it only sees arrays."""
    return compiled.chain.solver.solve_via_data(compiled.data, False, False, options, {})


def interpret(compiled: Compiled, raw: Any) -> Answer:
    """Translate the native result into values of the problem's own variables and constraints."""
    with CVXPY_LOCK:
        chain, inverse = compiled.chain, compiled.inverse
        solution = chain.solver.invert(raw, inverse[-1])
        attr = solution.attr or {}
        status = Status.of(solution.status)
        if not status.has_point or not solution.primal_vars:
            return Answer(Status.NO_POINT if status.has_point else status, said=solution.status)
        x = np.asarray(next(iter(solution.primal_vars.values())), dtype=float).reshape(-1)
        z = _multipliers(compiled, solution)
        claimed = float(solution.opt_val)
        for reduction, record in zip(chain.reductions[-2::-1], inverse[-2::-1], strict=True):
            solution = reduction.invert(solution, record)
    return Answer(
        status=Status.of(solution.status),
        said=solution.status,
        value=float(solution.opt_val),
        claimed=claimed,
        x=x,
        z=z,
        bound=_reported_bound(attr, float(inverse[-1][s.OFFSET])),
        iterations=_count(attr.get(s.NUM_ITERS)),
        primal=dict(solution.primal_vars),
        dual=dict(solution.dual_vars or {}),
    )


def dual_arrays(constraint: Constraint, value: Value) -> Value | list[Value]:
    """A multiplier in the shape CVXPY shows it: an array, or a list for cones with parts."""
    if isinstance(constraint, _ONE_ARRAY):
        return np.reshape(np.asarray(value, dtype=float), constraint.shape, order="F")
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


def _reported_bound(attr: dict[str, Any], offset: float) -> float | None:
    """The lower bound an integer solver reports, wherever its interface keeps it."""
    stats = attr.get(s.EXTRA_STATS)
    for name in ("mip_dual_bound", "ObjBound"):
        value = stats.get(name) if isinstance(stats, dict) else getattr(stats, name, None)
        if value is not None and np.isfinite(value):
            return float(value) + offset
    return None


def _count(value: Any) -> int | None:
    return None if value is None else int(np.sum(value))
