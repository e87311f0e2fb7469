"""Where the members of a given ensemble are measured, and against what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from lexiprog_boost.classifiers.shared.fitting import rounds_shown, with_offsets
from lexiprog_boost.margins import (
    Member,
    class_codes,
    cross_fitted_margins,
    cross_fitted_outputs,
    margin_matrix,
    out_of_bag_margins,
    out_of_bag_outputs,
    pair_margins,
    probabilities,
)
from lexiprog_boost.margins.unseen_outputs import FOLDS

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Measured:
    """What the program of the weights is made of.

    Attributes
    ----------
    margins : ndarray of shape (rows, T or T + C)
        The columns of the class offsets come last.
    points : ndarray of int, shape (rows,)
        The point that each row is about; with the rule "pairs" there are several a point.
    outputs : ndarray of shape (n, T or T + C, C), or None
        The probabilities that the margins come from; for the rule "pairs" only.
    """

    margins: NDArray
    points: NDArray[np.intp]
    outputs: Floats | None


def measure_ensemble(
    model: Any, members: list[Member], X: Any, y: NDArray, weights: Floats, classes: NDArray,
    *, sample_weight: Any, seed: int,
) -> Measured:  # fmt: skip
    """Measure the members of ``model.ensemble_`` by its rule, where ``margins_from_`` says."""
    if model.margin == "pairs":
        for member in members:
            if not hasattr(member.estimator, "predict_proba"):
                raise TypeError(
                    f"{type(member.estimator).__name__} has no predict_proba, which the rule "
                    "'pairs' needs; use margin='vote' or another member."
                )
        outputs = _outputs(model, members, X, y, weights, classes, sample_weight, seed)
        if model.class_offsets:
            constants = np.broadcast_to(np.eye(len(classes)), (len(y), *[len(classes)] * 2))
            outputs = np.concatenate([outputs, constants], axis=1)
        pairs = pair_margins(outputs, class_codes(y, classes))
        return Measured(pairs.margins, pairs.points, outputs)
    margins = _margins(model, members, X, y, weights, classes, seed)
    return Measured(with_offsets(model, margins, y, classes), np.arange(len(y)), None)


def _outputs(
    model: Any, members: list[Member], X: Any, y: NDArray, weights: Floats, classes: NDArray,
    sample_weight: Any, seed: int,
) -> Floats:  # fmt: skip
    if model.margins_from_ == "oob":
        return out_of_bag_outputs(model.ensemble_, X, y, classes, weights)
    if model.margins_from_ == "cross":
        blind = [m for m in members if not hasattr(m.estimator, "oob_decision_function_")]
        with rounds_shown(model, FOLDS * len(blind), "cross-fitting") as shown:
            return cross_fitted_outputs(
                members, X, y, classes, sample_weight=sample_weight, n_jobs=model.n_jobs,
                random_state=seed, on_fit=lambda: shown(0, 0.0),
            )  # fmt: skip
    return np.stack([probabilities(member, X, classes) for member in members], axis=1)


def _margins(
    model: Any, members: list[Member], X: Any, y: NDArray, weights: Floats, classes: NDArray,
    seed: int,
) -> NDArray:  # fmt: skip
    if model.margins_from_ == "oob":
        return out_of_bag_margins(
            model.ensemble_, X, y, rule=model.margin, sample_weight=weights
        ).margins
    if model.margins_from_ == "cross":
        columns = Parallel(n_jobs=model.n_jobs)(
            delayed(cross_fitted_margins)([member], X, y, rule=model.margin, random_state=seed)
            for member in members
        )
        return np.column_stack([column.margins for column in columns])
    return margin_matrix(members, X, y, rule=model.margin, classes=classes)


def leaves_points_out(ensemble: Any) -> bool:
    """Whether the members were trained on samples that left some points out."""
    sampled = hasattr(ensemble, "estimators_samples_") or hasattr(ensemble, "samplers_")
    whole = not getattr(ensemble, "bootstrap", True) and getattr(ensemble, "max_samples", None) in (
        None,
        1.0,
    )
    return sampled and not whole
