"""Run a compiled problem's solver through CVXPY's interface."""

from __future__ import annotations

from typing import Any

import highspy

from lexiprog.aliases import Array, FreshOptions, Highs
from lexiprog.compile.cvxpy_door.numbers import Compiled
from lexiprog.compile.cvxpy_door.straight import StraightCompiled
from lexiprog.forms.standard_form import StandardForm
from lexiprog.solvers.highs import Bounds, as_model

__all__ = ["run"]


def run(
    compiled: Compiled,
    options: FreshOptions,
    *,
    verbose: bool = False,
    start: Array | None = None,
) -> Any:
    """Call the native solver; safe in a thread, since it only sees arrays.

    ``start`` is a point in equilibrated units for those interfaces that take one.
    """
    if isinstance(compiled, StraightCompiled) and not verbose:
        raw = _by_highs(compiled.scaled, options)
        if raw is not None:
            return raw
    data = compiled.scaled_data()
    warm = start is not None and "init_value" in data
    if warm:
        data = dict(data) | {"init_value": start}
    return compiled.chain.solver.solve_via_data(data, warm, verbose, options, {})


def _by_highs(form: StandardForm, options: FreshOptions) -> dict[str, Any] | None:
    """What CVXPY's interface of HIGHS returns, from one HiGHS object; None if it must be asked.

    The interface makes two such objects and a copy of everything, which takes longer than a small
    problem.
    """
    options = options | options.get("highs_options", {})
    options.pop("highs_options", None)
    highs: Highs = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)
    refused = highspy.HighsStatus.kError
    if "write_model_file" in options or any(
        highs.setOptionValue(name, value) == refused for name, value in options.items()
    ):
        return None
    highs.passModel(as_model(form.A, form.c, Bounds.of(form)))
    highs.run()
    status = highs.getModelStatus().name
    ray = {"dual_ray": highs.getDualRay()} if status == "kInfeasible" else {}
    return ray | {
        "solution": highs.getSolution(),
        "basis": None,
        "info": highs.getInfo(),
        "model_status": status,
        "run_time": highs.getRunTime(),
    }
