"""The matrix game between the classes that Q becomes when no point reaches the margin target."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import lexiprog as lx
from lexiprog_boost.checks.docstrings import described
from lexiprog_boost.programs.inputs import Inputs, Linear
from lexiprog_boost.programs.lexiboost import declare_balance


@described
def game_program(inputs: Inputs, optima: Any) -> lx.Program:
    """Declare Q on the class means of the margins: T + 1 variables and C rows.

    Where no margin exceeds theta, the hinge is active everywhere (fact F1, docs/facts.md): use it
    there, whatever the number of points. Q is::

        minimise    chi
        subject to  cost_j (theta - m_j . alpha - L_j) <= chi   for every class j,
                    sum alpha = 1,  0 <= alpha <= cap

    {Parameters: class means, optima}

    Returns
    -------
    lexiprog.Program
        One stage "balance" with a subproblem of the same name, variables "alpha", "chi"
        and "deviations".

    Examples
    --------
    The means of the example of `lexiboost_program`:

    >>> from lexiprog_boost.programs import check_inputs, game_program
    >>> means = check_inputs([[1, -1 / 3], [-1, 1]], ["many", "rare"])
    >>> game_program(means, [0, 0]).solve().final["alpha"].round(6).tolist()
    [0.4, 0.6]
    """
    if not np.array_equal(inputs.codes, np.arange(len(inputs.classes))):
        raise ValueError("the game is declared on class means: give one row a class, in order.")
    none = np.zeros(0, dtype=np.intp)
    ones = np.ones(len(inputs.classes))
    linear = Linear(inputs.target * ones, inputs.margins)
    hinges = replace(inputs, margins=inputs.margins[none], codes=none, weights=ones[none])
    return declare_balance(hinges, optima, linear)
