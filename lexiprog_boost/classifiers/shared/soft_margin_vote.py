"""What LPAdaBoost, LPBoost, LPUBoost and their duals share: two ways to a soft margin."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from lexiprog_boost.aliases import Floats
from lexiprog_boost.classifiers.shared.ensemble import TrainingData
from lexiprog_boost.classifiers.shared.weighted_vote import WeightedVote
from lexiprog_boost.margins import margin_matrix
from lexiprog_boost.pools.adaboost import train_pool
from lexiprog_boost.pools.column_generation import column_generation_pool
from lexiprog_boost.pools.pool import rounds_shown
from lexiprog_boost.programs.lp_boosting import uneven_costs
from lexiprog_boost.programs.soft_margin import PointLimits, point_limits
from lexiprog_boost.reductions.merged_soft_margin import soft_margin_weights


class SoftMarginVote(WeightedVote):
    """A vote weighed by A1, A2 or A3; which one it is lies in the limits of the point weights."""

    # What the estimators' own `__init__` store.
    estimator: Any
    n_estimators: int
    margin: Literal["vote", "proba"]
    tie_break: Literal["smallest"] | None
    solver: Any

    def _limits(self, data: TrainingData) -> PointLimits:
        """The bounds on the point weights: none for A1, a cap for A2, one a class for A3."""
        return point_limits(len(data.y), sample_weight=data.weights)

    def _check_margin(self) -> None:
        if self.margin not in ("vote", "proba"):
            raise ValueError(f"unknown margin {self.margin!r}; it is 'vote' or 'proba'.")


class OneProgramVote(SoftMarginVote):
    """AdaBoost's members, weighed by one program."""

    pool: Literal["m2", "adaboost"]

    def _train(self, data: TrainingData) -> None:
        limits = self._limits(data)
        self._check_margin()
        pool = train_pool(
            self.pool, self._learner(), data.X, data.y, sample_weight=data.weights,
            n_estimators=self.n_estimators, rule=self.margin, verbose=self.verbose,
            title=type(self).__name__, random_state=self.random_state,
        )  # fmt: skip
        margins = pool.margins
        if margins is None or pool.margin_rule != self.margin:
            margins = margin_matrix(
                pool.estimators, data.X, data.y, rule=self.margin, classes=pool.classes
            )
        solution = soft_margin_weights(
            np.asarray(margins, dtype=np.float64),
            limits,
            tie_break=self.tie_break,
            solver=self.solver,
        )
        self._remember(pool.estimators, solution.alpha, pool.classes, pool.stopped)
        self.margin_ = solution.margin
        self.program_, self.result_ = solution.program, solution.result


class ColumnGenerationVote(SoftMarginVote):
    """Members trained on the weights of A1', A2' or A3', whose multipliers weigh them."""

    tolerance: float

    def _train(self, data: TrainingData) -> None:
        limits = self._limits(data)
        self._check_margin()
        with rounds_shown(self.n_estimators, type(self).__name__, verbose=self.verbose) as tick:
            generated = column_generation_pool(
                self._learner(),
                data.X,
                data.y,
                limits,
                n_estimators=self.n_estimators,
                rule=self.margin,
                tolerance=self.tolerance,
                tie_break=self.tie_break,
                solver=self.solver,
                on_round=tick,
                random_state=self.random_state,
            )
        pool, last = generated.pool, generated.last
        self._remember(pool.estimators, pool.weights, pool.classes, pool.stopped)
        self.margin_ = last.margin
        self.history_ = dict(pool.history)
        self.convergence_ = generated.convergence
        self.point_weights_ = last.D
        self.program_, self.result_ = last.program, last.result


class NuLimits(SoftMarginVote):
    """Limits of A2: one cap for all points."""

    nu: float
    cap: float | None

    def _limits(self, data: TrainingData) -> PointLimits:
        return limits_from_nu(data.weights, nu=self.nu, cap=self.cap)


class UnevenLimits(NuLimits):
    """Limits of A3: a cap a class, and perhaps lower bounds."""

    beta: float
    target: Any
    class_costs: Any

    def _limits(self, data: TrainingData) -> PointLimits:
        costs = uneven_costs(
            data.y,
            beta=self.beta,
            target=self.target,
            class_costs=self.class_costs,
            sample_weight=data.weights,
        )
        return limits_from_nu(
            data.weights,
            nu=self.nu,
            cap=self.cap,
            costs=costs,
            lower_bound=getattr(self, "lower_bound", 0.0),
        )


def limits_from_nu(
    weights: Floats, *, nu: Any, cap: Any = None, costs: Any = 1.0, lower_bound: Any = 0.0
) -> PointLimits:
    """Return limits with D = cap, or D = 1/(nu n) if there is none, n being the sum of weights.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.classifiers.shared.soft_margin_vote import limits_from_nu
    >>> limits_from_nu(np.ones(4), nu=0.5).upper.tolist()
    [0.5, 0.5, 0.5, 0.5]
    >>> limits_from_nu(np.ones(4), nu=1.5)
    Traceback (most recent call last):
    ...
    ValueError: nu is 1.5; it must lie above 0 and at most at 1, or n D = n / (nu n) is below one.
    """
    if cap is None:
        largest = float((weights * costs).sum() / weights.sum())
        if not isinstance(nu, int | float | np.number) or not 0 < nu <= largest * (1 + 1e-12):
            raise ValueError(
                f"nu is {nu!r}; it must lie above 0 and at most at {largest:.6g}, or n D = "
                "n / (nu n) is below one."
            )
        cap = 1 / (float(nu) * weights.sum())
    return point_limits(
        len(weights), cap=cap, lower_bound=lower_bound, sample_weight=weights, costs=costs
    )
