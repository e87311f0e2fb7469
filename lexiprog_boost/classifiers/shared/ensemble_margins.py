"""Where the members of a given ensemble are measured, and against what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from lexiprog_boost.aliases import Floats, Mask
from lexiprog_boost.checks.points import take_rows
from lexiprog_boost.classifiers.shared.ensemble import TrainingData
from lexiprog_boost.classifiers.shared.lexi_vote import with_offsets
from lexiprog_boost.classifiers.shared.listed_members import NamedMembers
from lexiprog_boost.margins import (
    Member,
    cross_fitted_margins,
    cross_fitted_outputs,
    margin_matrix,
    out_of_bag_margins,
    out_of_bag_outputs,
    pair_margins,
    probabilities,
)
from lexiprog_boost.margins.unseen import members_and_samples
from lexiprog_boost.margins.unseen_outputs import FOLDS, cross_fitted_members
from lexiprog_boost.members.ensembles import last_step
from lexiprog_boost.members.fitting import workers_for
from lexiprog_boost.pools.pool import rounds_shown


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
    seen : ndarray of bool, shape (n, T), or None
        Which members were trained on which points, where that differs from point to point.
    """

    margins: NDArray
    points: NDArray[np.intp]
    outputs: Floats | None
    seen: Mask | None = None

    def scores(self, alpha: Floats) -> Floats:
        """The weighted scores of the points by members that did not see them, of shape (n, C).

        What a member has seen is left out, and the others speak for it; the class means that stand
        in for it in the program know the point's class.
        """
        if self.outputs is None:
            raise ValueError("scores of points are those of margin='pairs'.")
        if self.seen is None:
            return np.einsum("ntc,t->nc", self.outputs, alpha)
        n_members = self.seen.shape[1]
        shares = np.where(self.seen, 0.0, alpha[:n_members])
        total = shares.sum(axis=1, keepdims=True)
        shares = np.where(total > 0, shares / np.where(total > 0, total, 1.0), 1 / n_members)
        mass = alpha[:n_members].sum()
        unseen = mass * np.einsum("ntc,nt->nc", self.outputs[:, :n_members], shares)
        return unseen + np.einsum("ntc,t->nc", self.outputs[:, n_members:], alpha[n_members:])


def measure_ensemble(
    model: Any, members: list[Member], data: TrainingData, *, seed: int
) -> Measured:
    """Measure the members of ``model.ensemble_`` by its rule, where ``margins_from_`` says."""
    if model.margin != "pairs":
        margins = _measured_margins(model, members, data, seed)
        return Measured(with_offsets(model, margins, data), np.arange(len(data.y)), None)
    for member in members:
        if not hasattr(member.estimator, "predict_proba"):
            raise TypeError(
                f"{type(member.estimator).__name__} has no predict_proba, which the rule "
                "'pairs' needs; use margin='vote' or another member."
            )
    outputs = _measured_outputs(model, members, data, seed)
    if model.class_offsets:
        n_classes = len(data.classes)
        constants = np.broadcast_to(np.eye(n_classes), (len(data.y), n_classes, n_classes))
        outputs = np.concatenate([outputs, constants], axis=1)
    pairs = pair_margins(outputs, data.codes)
    seen = None
    if model.margins_from_ == "oob":
        seen = ~members_and_samples(model.ensemble_, len(data.y))[1]
    return Measured(pairs.margins, pairs.points, outputs, seen)


def _measured_outputs(model: Any, members: list[Member], data: TrainingData, seed: int) -> Floats:
    if model.margins_from_ == "oob":
        return out_of_bag_outputs(model.ensemble_, data.X, data.y, data.classes, data.weights)
    if model.margins_from_ == "cross" and not isinstance(model.ensemble_, NamedMembers):
        outputs = np.empty((len(data.y), len(members), len(data.classes)))
        for rows, twins in _twins(model, data, seed):
            points = take_rows(data.X, rows)
            for t, twin in enumerate(twins):
                outputs[rows, t] = probabilities(twin, points, data.classes)
        return outputs
    if model.margins_from_ == "cross":
        has_outputs = [hasattr(last_step(m.estimator), "oob_decision_function_") for m in members]
        n_fits = FOLDS * has_outputs.count(False)
        with rounds_shown(n_fits, "cross-fitting", verbose=model.verbose) as shown:
            return cross_fitted_outputs(
                members, data.X, data.y, data.classes, sample_weight=data.given_weights,
                n_jobs=model.n_jobs, random_state=seed, on_fit=lambda: shown(0, 0.0),
            )  # fmt: skip
    return np.stack([probabilities(member, data.X, data.classes) for member in members], axis=1)


def _measured_margins(model: Any, members: list[Member], data: TrainingData, seed: int) -> NDArray:
    if model.margins_from_ == "oob":
        return out_of_bag_margins(
            model.ensemble_, data.X, data.y, rule=model.margin, sample_weight=data.weights
        ).margins
    if model.margins_from_ == "cross" and not isinstance(model.ensemble_, NamedMembers):
        margins = np.empty((len(data.y), len(members)))
        for rows, twins in _twins(model, data, seed):
            points, labels = take_rows(data.X, rows), data.y[rows]
            margins[rows] = margin_matrix(
                twins, points, labels, rule=model.margin, classes=data.classes
            )
        return margins
    if model.margins_from_ == "cross":
        columns = Parallel(n_jobs=workers_for(data.X, model.n_jobs))(
            delayed(cross_fitted_margins)(
                [member], data.X, data.y, rule=model.margin, random_state=seed
            )
            for member in members
        )
        return np.column_stack([column.margins for column in columns])
    return margin_matrix(members, data.X, data.y, rule=model.margin, classes=data.classes)


def _twins(
    model: Any, data: TrainingData, seed: int
) -> Iterator[tuple[NDArray[np.intp], list[Member]]]:
    """Points, and members of twins of the model's ensemble that did not see them."""
    with rounds_shown(FOLDS, "cross-fitting", verbose=model.verbose) as shown:
        for rows, twins in cross_fitted_members(
            model.ensemble_, data.X, data.y, data.codes, sample_weight=data.given_weights,
            random_state=seed,
        ):  # fmt: skip
            yield rows, twins
            shown(0, 0.0)


def check_known_classes(members: list[Member], data: Any) -> None:
    """Refuse data without a point of some class that the members know."""
    trained_on = np.unique(np.concatenate([member.classes_ for member in members]))
    unseen = np.setdiff1d(trained_on, data.classes).tolist()
    if unseen:
        raise ValueError(
            f"the members know the class {unseen[0]!r}, of which y has no point, so nothing "
            "can be measured for it; give points of every class."
        )


def leaves_points_out(ensemble: Any) -> bool:
    """Whether members are trained on samples that leave some points out; fitted or not."""
    samples = hasattr(type(ensemble), "estimators_samples_") or hasattr(ensemble, "samplers_")
    # imbalanced-learn's ensembles draw samples for each member.
    sampled = samples or "sampling_strategy" in getattr(ensemble, "get_params", dict)()
    whole = not getattr(ensemble, "bootstrap", True) and getattr(ensemble, "max_samples", None) in (
        None,
        1.0,
    )
    return sampled and not whole
