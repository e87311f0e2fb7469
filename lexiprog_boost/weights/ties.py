"""Solve a program and choose among its optima, with a solver for each stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lexiprog as lx
from lexiprog_boost.programs.face import optimal_face
from lexiprog_boost.programs.tie_breaks import closest_weights, leximax_deviations, smallest_norm

Floats = NDArray[np.float64]

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

    def solve(self, program: lx.Program) -> tuple[lx.Program, lx.Result]:
        """Solve, then choose among the optima by further stages."""
        if self.kind == "leximax":
            program = leximax_deviations(program)
            return program, program.solve(self.solver_for(program))
        if self.kind != "smallest":
            tolerance = TOLERANCE if self.kind == "closest" else float(self.kind[1])
            program = closest_weights(program, self.pool_weights, tolerance=tolerance)
            return program, program.solve(self.solver_for(program))
        result = program.solve(self.solver_for(program))
        face = optimal_face(program["balance"], result["balance"])
        if face.is_point:
            return program, result
        exact = smallest_norm(program, face=face)
        try:
            return exact, exact.solve(self.solver_for(exact), resume=result)
        except lx.StageError:
            # Multipliers too rough to tell the face: hold the optimum by its value instead.
            program = smallest_norm(program)
            return program, program.solve(self.solver_for(program), resume=result)

    def solver_for(self, program: lx.Program) -> Any:
        """The solver choice without the names of stages that this form does not have."""
        if not isinstance(self.solver, Mapping):
            return self.solver
        names = {stage.name for stage in program.stages} | set(program.subproblems)
        return {name: choice for name, choice in self.solver.items() if name in names}

    def solver_of_class(self, label: Any) -> Any:
        """The solver for the P_j of one class, declared by itself."""
        if not isinstance(self.solver, Mapping):
            return self.solver
        return self.solver.get(f"class:{label}", self.solver.get("classes"))


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


def check_solver_names(solver: Any, classes: NDArray) -> None:
    """Refuse a solver choice for a stage or subproblem that no form of the programs has."""
    if not isinstance(solver, Mapping):
        return
    n_classes = len(classes)
    known = ["classes", *(f"class:{label}" for label in classes), "balance"]
    known += [f"deviation {k}" for k in range(2, n_classes + 1)]
    known += ["weights", "smallest", "closest"]
    for name in solver:
        if name not in known:
            raise ValueError(
                f"solver names {name!r}, which is no stage or subproblem; there are {known}."
            )
