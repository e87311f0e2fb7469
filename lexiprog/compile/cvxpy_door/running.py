"""Run a compiled problem's solver through CVXPY's interface."""

from __future__ import annotations

from typing import Any

from lexiprog.aliases import Array
from lexiprog.compile.cvxpy_door.numbers import Compiled

__all__ = ["run"]


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
