"""The two ways to fit an ensemble to a soft margin: one program, or column generation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.classifiers.shared.boosted_vote import remember_members
from lexiprog_boost.classifiers.shared.fitting import rounds_shown
from lexiprog_boost.classifiers.shared.training_data import learner_of
from lexiprog_boost.margins import margin_matrix
from lexiprog_boost.pools.adaboost import adaboost_pool
from lexiprog_boost.pools.adaboost_m2 import adaboost_m2_pool
from lexiprog_boost.pools.column_generation import column_generation_pool
from lexiprog_boost.pools.pool import Pool
from lexiprog_boost.programs.soft_margin import PointLimits
from lexiprog_boost.reductions.merged_soft_margin import soft_margin_weights


def fit_by_one_program(
    model: Any, X: Any, y: NDArray, weights: NDArray[np.float64], limits: PointLimits
) -> Any:
    """Train the model's pool, then weigh its members by A1, A2 or A3."""
    check_margin(model.margin)
    pool = train_pool(model, X, y, weights)
    margins = pool.margins
    if margins is None or pool.margin_rule != model.margin:
        margins = margin_matrix(pool.estimators, X, y, rule=model.margin, classes=pool.classes)
    found = soft_margin_weights(
        np.asarray(margins, dtype=np.float64),
        limits,
        tie_break=model.tie_break,
        solver=model.solver,
    )
    remember_members(model, pool, found.alpha)
    model.margin_ = found.margin
    model.program_, model.result_ = found.program, found.result
    return model


def fit_by_column_generation(model: Any, X: Any, y: NDArray, limits: PointLimits) -> Any:
    """Train members on the weights of A1', A2' or A3', whose multipliers weigh them."""
    check_margin(model.margin)
    with rounds_shown(model, model.n_estimators, type(model).__name__) as tick:
        found = column_generation_pool(
            learner_of(model),
            X,
            y,
            limits,
            n_estimators=model.n_estimators,
            rule=model.margin,
            tolerance=model.tolerance,
            tie_break=model.tie_break,
            solver=model.solver,
            on_round=tick,
            random_state=model.random_state,
        )
    pool, last = found.pool, found.last
    remember_members(model, pool, pool.weights)
    model.margin_ = last.margin
    model.history_ = dict(pool.history)
    model.convergence_ = found.convergence
    model.point_weights_ = last.D
    model.program_, model.result_ = last.program, last.result
    return model


def train_pool(model: Any, X: Any, y: NDArray, weights: NDArray[np.float64]) -> Pool:
    """Train AdaBoost's members, by AdaBoost.M2 or by scikit-learn's AdaBoost."""
    settings: dict[str, Any] = {
        "n_estimators": model.n_estimators,
        "sample_weight": weights,
        "random_state": model.random_state,
    }
    learner = learner_of(model)
    if model.pool == "m2":
        output: Any = "confidence" if model.margin == "proba" else "hard"
        with rounds_shown(model, model.n_estimators, type(model).__name__) as tick:
            return adaboost_m2_pool(learner, X, y, output=output, on_round=tick, **settings)
    if model.pool == "adaboost":
        return adaboost_pool(learner, X, y, **settings)
    raise ValueError(f"unknown pool {model.pool!r}; it is 'm2' or 'adaboost'.")


def check_margin(margin: Any) -> None:
    """Refuse an unknown margin rule before any member is trained."""
    if margin not in ("vote", "proba"):
        raise ValueError(f"unknown margin {margin!r}; it is 'vote' or 'proba'.")
