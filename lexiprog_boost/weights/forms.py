"""The forms in which the weights can be found, from the smallest program to the full one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lexiprog as lx
from lexiprog_boost.aliases import Floats
from lexiprog_boost.checks.solver_choice import solver_for, solver_of
from lexiprog_boost.checks.values import check_optima
from lexiprog_boost.programs.game import game_program
from lexiprog_boost.programs.inputs import Inputs, Linear
from lexiprog_boost.programs.lexiboost import declare_balance, declare_lexiboost
from lexiprog_boost.reductions import class_optima, class_optimum_by_dual, solve_screened
from lexiprog_boost.weights.record import LexiWeights
from lexiprog_boost.weights.ties import TieBreak, weights_in

# Above this many rows it pays to look for the points whose side of the target is in doubt.
MANY_ROWS = 600


@dataclass(frozen=True)
class WeightProblem:
    """One set of weights to find; each method is a way to find them."""

    inputs: Inputs
    optima: Any
    ties: TieBreak

    def by_class_means(self) -> LexiWeights:
        """Solve the game on the class means; the optima have a closed form."""
        inputs = self.inputs
        optima = class_optima(inputs) if self.optima is None else self._given_optima()
        program, result = self.ties.solve(game_program(inputs, optima))
        alpha = weights_in(result)
        losses = inputs.target - inputs.margins @ alpha
        return self._record(program, result, alpha, optima, losses, "class means")

    def in_full(self, reduction: str) -> LexiWeights:
        """Solve P_j and Q on all rows."""
        if self.optima is None:
            program, result = self.ties.solve(declare_lexiboost(self.inputs))
            names = [f"class:{label}" for label in self.inputs.classes]
            optima = np.array([result[name].value for name in names])
        else:
            optima = self._given_optima()
            program, result = self.ties.solve(declare_balance(self.inputs, optima))
        alpha = weights_in(result)
        return self._record(program, result, alpha, optima, self.inputs.losses(alpha), reduction)

    def by_points_in_doubt(self) -> LexiWeights:
        """Solve P_j in dual form and Q on the points whose side of the target is in doubt."""
        optima = self.optima_by_dual() if self.optima is None else self._given_optima()

        def solve(hinges: Inputs, linear: Linear) -> tuple[Any, Floats]:
            solved = self.ties.solve(declare_balance(hinges, optima, linear))
            return solved, weights_in(solved[1])

        def rough(hinges: Inputs, linear: Linear) -> tuple[Any, Floats]:
            program = declare_balance(hinges, optima, linear)
            quick = (
                "CLARABEL" if self.ties.solver is None else solver_for(program, self.ties.solver)
            )
            return None, weights_in(program.solve(quick))

        screened = solve_screened(self.inputs, solve, rough=rough)
        losses = self.inputs.losses(screened.alpha)
        program, result = screened.found
        return self._record(program, result, screened.alpha, optima, losses, "points in doubt")

    def optima_by_dual(self) -> Floats:
        """Every L_j, each class by itself."""
        return np.array([self._optimum_by_dual(j) for j in range(len(self.inputs.classes))])

    def _optimum_by_dual(self, j: int) -> float:
        mine = np.flatnonzero(self.inputs.codes == j)
        if self.inputs.bound >= 1 and _has_servant(self.inputs, mine):
            return 0.0
        own = replace(
            self.inputs, margins=self.inputs.margins[mine], codes=self.inputs.codes[mine],
            weights=self.inputs.weights[mine],
        )  # fmt: skip
        choice = solver_of(self.ties.solver, f"class:{self.inputs.classes[j]}", "classes")
        if len(mine) <= MANY_ROWS:
            return class_optimum_by_dual(own, j, solver=choice)[0]
        return solve_screened(
            own, lambda rows, linear: class_optimum_by_dual(rows, j, linear=linear, solver=choice)
        ).found

    def _given_optima(self) -> Floats:
        return check_optima(self.optima, self.inputs.classes)

    def _record(
        self, program: lx.Program, result: lx.Result, alpha: Floats, optima: Floats,
        losses: Floats, reduction: str,
    ) -> LexiWeights:  # fmt: skip
        chi = float(result["balance"].value)
        return LexiWeights(
            alpha, self.inputs.classes, optima, losses, chi, program, result, reduction
        )


def _has_servant(inputs: Inputs, mine: NDArray[np.intp]) -> bool:
    """Whether one member alone, a class offset say, leaves these points no loss (fact F13)."""
    return bool((inputs.margins[mine] >= inputs.target).all(axis=0).any())
