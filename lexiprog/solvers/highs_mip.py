"""Solve a linear standard form with integers on HiGHS directly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np

from lexiprog.aliases import Array
from lexiprog.forms.standard_form import StandardForm
from lexiprog.solvers.highs import Bounds, as_model

__all__ = ["Incumbent", "solve_mip"]


@dataclass(frozen=True)
class Incumbent:
    """The best whole point found, and a bound that no point is below."""

    x: Array
    bound: float


def solve_mip(
    form: StandardForm, options: Mapping[str, Any], start: Array | None = None
) -> Incumbent | None:
    """The optimum that HiGHS finds; None if it finds no point or does not finish."""
    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)
    for name, value in ({"mip_rel_gap": 0.0} | dict(options)).items():
        highs.setOptionValue(name, value)
    model = as_model(form.A, form.c, Bounds.of(form))
    kinds = np.full(form.c.size, highspy.HighsVarType.kContinuous)
    kinds[form.integer] = highspy.HighsVarType.kInteger
    model.integrality_ = list(kinds)
    highs.passModel(model)
    if start is not None:
        solution = highspy.HighsSolution()
        solution.col_value = start
        highs.setSolution(solution)
    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    x = np.array(highs.getSolution().col_value)
    return Incumbent(x, float(highs.getInfo().mip_dual_bound) + form.offset)
