"""P_j in dual form: T rows and box-bounded columns for n rows (fact F7, docs/facts.md)."""

from __future__ import annotations

from typing import Any

import numpy as np

from lexiprog_boost.aliases import Floats
from lexiprog_boost.programs.dual_class import declare_dual_class
from lexiprog_boost.programs.inputs import Inputs, Linear


def class_optimum_by_dual(
    inputs: Inputs, j: int, *, linear: Linear | None = None, solver: Any = None
) -> tuple[float, Floats]:
    """Return L_j and weights that attain it, the multipliers of the dual's rows.

    Use it for a margin target below 1: many points make columns, which cost little.

    Parameters
    ----------
    inputs : Inputs
        Of all points; those of class j are used.
    j : int
        Position of the class.
    linear : Linear, optional
        Losses of further points that stay below theta.
    solver : optional
        As for ``lexiprog.Program.solve``.

    Returns
    -------
    float, ndarray of shape (T,)

    Examples
    --------
    >>> from lexiprog_boost.programs import check_inputs
    >>> from lexiprog_boost.reductions import class_optimum_by_dual
    >>> inputs = check_inputs([[1, -1], [-1, 1], [1, 1]], ["a", "a", "b"], margin_target=0.5)
    >>> optimum, alpha = class_optimum_by_dual(inputs, 0)
    >>> round(optimum, 6), round(float(alpha.sum()), 6)
    (0.5, 1.0)
    """
    solution = declare_dual_class(inputs, j, "exact", linear).solve(solver).final
    return float(solution.value), np.array(solution.dual(0), dtype=np.float64)
