"""Solve a program and choose among its optima, with a solver for each stage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lexiprog as lx
from lexiprog_boost.aliases import Floats
from lexiprog_boost.checks.solver_choice import solver_for
from lexiprog_boost.programs.smallest_optimum import solve_smallest
from lexiprog_boost.programs.tie_breaks import closest_weights, leximax_deviations

# The deviation that tie_break="closest" may give up, unless it is given as ("closest", number).
TOLERANCE = 0.01
# Weights below this are rounding.
NOTHING = 1e-9


@dataclass(frozen=True)
class TieBreak:
    """How to solve a balance program, and which of its optima to take.

    Attributes
    ----------
    kind : {"smallest", "leximax", "closest"} or ("closest", tolerance)
    pool_weights : array-like or None
        What "closest" is close to.
    solver : object
        As for ``lexiprog.Program.solve``, but a mapping may name stages that a reduction has
        made unnecessary.
    """

    kind: Any
    pool_weights: Any
    solver: Any

    @property
    def tolerance(self) -> float | None:
        """The deviation that "closest" may give up; None for the others, which give up none."""
        if self.kind in ("smallest", "leximax"):
            return None
        return TOLERANCE if self.kind == "closest" else float(self.kind[1])

    def solve(self, program: lx.Program) -> tuple[lx.Program, lx.Result]:
        """Solve, then choose among the optima by further stages."""
        if self.kind == "smallest":
            return solve_smallest(program, of="alpha", solver=self.solver)
        if self.kind == "leximax":
            program = leximax_deviations(program)
        else:
            program = closest_weights(program, self.pool_weights, tolerance=self.tolerance or 0.0)
        return program, program.solve(solver_for(program, self.solver))


def weights_in(result: lx.Result) -> Floats:
    """The weights of the last stage, without rounding dust."""
    alpha = np.array(result.final["alpha"], dtype=np.float64)
    alpha[alpha < NOTHING] = 0.0
    return alpha / alpha.sum()


def check_tie_break(tie_break: Any, pool_weights: Any) -> None:
    """Refuse an unknown tie-break, and one that lacks what it needs."""
    closest = tie_break == "closest" or (
        isinstance(tie_break, tuple) and len(tie_break) == 2 and tie_break[0] == "closest"
    )
    if not closest and tie_break not in ("smallest", "leximax"):
        raise ValueError(
            f"unknown tie_break {tie_break!r}; it is 'smallest', 'leximax', 'closest' or "
            "('closest', tolerance)."
        )
    if closest and pool_weights is None:
        raise ValueError("tie_break='closest' needs the pool's own weights to be close to.")


def stage_names(classes: NDArray) -> list[str]:
    """Every stage and subproblem of any form of the programs: what a solver can be chosen for."""
    single = [f"class:{label}" for label in classes]
    return ["classes", *single, "balance", "deviations", "weights", "smallest", "closest"]
