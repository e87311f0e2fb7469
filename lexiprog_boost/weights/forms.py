"""The forms in which weights can be found, from the smallest program to the full one; ties."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lexiprog as lx
from lexiprog_boost.aliases import Floats
from lexiprog_boost.checks.values import check_optima, solver_for, solver_of
from lexiprog_boost.programs.inputs import Inputs, Linear
from lexiprog_boost.programs.lexiboost import declare_balance, declare_lexiboost, game_program
from lexiprog_boost.programs.tie_breaks import closest_weights, leximax_deviations, solve_smallest
from lexiprog_boost.reductions import class_optima, class_optimum_by_dual, solve_screened

# What is known about an ensemble's weights once they are found.


@dataclass(frozen=True)
class LexiWeights:
    """The weights of an ensemble's members, and the programs they come from.

    `lexicographic_weights` returns it: read `alpha` to vote, the rest to see what it costs whom.

    Attributes
    ----------
    alpha : ndarray of shape (T,)
        On the simplex.
    classes : ndarray of shape (C,)
        Sorted labels.
    class_optima : ndarray of shape (C,)
        L_j: the least mean loss of each class by itself.
    class_losses, deviations : ndarray of shape (C,)
        The mean loss of each class with `alpha`, and its distance to `class_optima`.
    chi : float
        The least worst costed deviation; below zero only if the optima were given (fact F10,
        docs/facts.md).
    program : lexiprog.Program
        What was solved last: with a reduction, the reduced program.
    result : lexiprog.Result
        Its certified optima.
    reduction : {"class means", "merged rows", "points in doubt", "passes", "none"}
        Which exact reduction was used.
    gap : float
        How far chi and the class optima may be from the true ones, as a share of them; zero
        unless they were found by passes over blocks.
    passes : int
        How often all points were read, if they came in blocks; else zero.

    Examples
    --------
    >>> from lexiprog_boost.weights import lexicographic_weights
    >>> found = lexicographic_weights([[1, -1], [-1, 1]], ["a", "b"])
    >>> found.class_losses.round(6).tolist(), found.deviations.round(6).tolist()
    ([1.0, 1.0], [1.0, 1.0])
    """

    alpha: Floats
    classes: NDArray
    class_optima: Floats
    class_losses: Floats
    chi: float
    program: lx.Program
    result: lx.Result
    reduction: str
    gap: float = 0.0
    passes: int = 0

    @property
    def deviations(self) -> Floats:
        """How far each class is from its optimum, costs left out."""
        return self.class_losses - self.class_optima

    @property
    def deviation(self) -> float:
        """The paper's chi, which is not negative."""
        return max(0.0, self.chi)


# Solve a program and choose among its optima, with a solver for each stage.

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
        inputs_j = replace(
            self.inputs, margins=self.inputs.margins[mine], codes=self.inputs.codes[mine],
            weights=self.inputs.weights[mine],
        )  # fmt: skip
        choice = solver_of(self.ties.solver, f"class:{self.inputs.classes[j]}", "classes")
        if len(mine) <= MANY_ROWS:
            return class_optimum_by_dual(inputs_j, j, solver=choice)[0]
        return solve_screened(
            inputs_j,
            lambda rows, linear: class_optimum_by_dual(rows, j, linear=linear, solver=choice),
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
