"""The steps of `fit` that all classifiers share: labels, margins, weights, fitted attributes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

import lexiprog as lx
from lexiprog_boost.checks.sample_weights import check_sample_weight
from lexiprog_boost.checks.values import check_class_costs, check_classes, check_margin_target
from lexiprog_boost.margins import (
    cross_fitted_margins,
    margin_matrix,
    offset_margins,
    out_of_bag_margins,
)
from lexiprog_boost.members.constant import constant_members
from lexiprog_boost.pools import Pool, refit_member
from lexiprog_boost.weights import LexiWeights, lexicographic_weights
from lexiprog_boost.weights.ties import check_tie_break

Floats = NDArray[np.float64]

# A class loss below this is no loss.
NO_LOSS = 1e-9
# Weights above this count as carried.
SOME_WEIGHT = 1e-6


def check_labels(y: NDArray, sample_weight: Any) -> Floats:
    """Return checked sample weights; refuse one class, or one that weighs nothing."""
    check_classification_targets(y)
    classes = check_classes(np.unique(y))
    weights = check_sample_weight(sample_weight, len(y))
    empty = np.setdiff1d(classes, y[weights > 0]).tolist()
    if empty:
        raise ValueError(
            f"class {empty[0]!r} is empty after weighting: all its points weigh zero. Give one of "
            "them a weight > 0, or leave the class out of y."
        )
    return weights


def check_options(model: Any, y: NDArray, *, also: str | None = None) -> None:
    """Refuse options that no program could be made of, before any member is trained."""
    check_class_costs(model.class_costs, np.unique(y))
    check_margin_target(model.margin_target)
    check_tie_break(model.tie_break, pool_weights=())
    if model.margins_from not in ("train", "oob", "cross", also):
        raise ValueError(
            f"unknown margins_from {model.margins_from!r}; it is 'train', 'oob' or 'cross'."
        )


def measure_margins(
    model: Any, pool: Pool, X: Any, y: NDArray, weights: Floats, *, seed: int
) -> NDArray:
    """Measure a pool's margins where the model asks for it, class offsets included."""
    where = model.margins_from
    if where == "train":
        margins = pool.margins if pool.margin_rule == model.margin else None
        if margins is None:
            margins = margin_matrix(pool.estimators, X, y, rule=model.margin, classes=pool.classes)
    elif where == "oob":
        margins = out_of_bag_margins(
            list(pool.estimators), X, y, rule=model.margin, sample_weight=weights
        ).margins
    else:
        margins = _cross_fitted(model, pool, X, y, seed)
    return with_offsets(model, margins, y, pool.classes)


def with_offsets(model: Any, margins: NDArray, y: NDArray, classes: NDArray) -> NDArray:
    """Append the margins of the class offsets, if the model has them."""
    if not model.class_offsets:
        return margins
    return np.column_stack([margins, offset_margins(y, classes, rule=model.margin)])


def _cross_fitted(model: Any, pool: Pool, X: Any, y: NDArray, seed: int) -> Floats:
    if pool.distributions is None:
        raise ValueError(
            "margins_from='cross' trains each member again with its own point weights, which this "
            "pool does not keep; use pool='m2' or margins_from='train'."
        )
    columns = Parallel(n_jobs=model.n_jobs)(
        delayed(cross_fitted_margins)(
            [member], X, y, rule=model.margin, sample_weights=row[None], refit=refit_member,
            random_state=seed,
        )
        for member, row in zip(pool.estimators, pool.distributions, strict=True)
    )  # fmt: skip
    return np.column_stack([column.margins for column in columns])


def find_weights(
    model: Any,
    margins: Any,
    y: NDArray,
    weights: Floats,
    pool_weights: Floats,
    class_optima: Floats | None = None,
    *,
    weight_cap: float | None = None,
) -> LexiWeights:
    """Solve the programs with the model's options; `weight_cap` takes the place of its own."""
    n_offsets = margins.shape[1] - len(pool_weights)
    return lexicographic_weights(
        margins,
        y,
        class_costs=model.class_costs,
        sample_weight=weights,
        margin_target=model.margin_target,
        weight_cap=model.weight_cap if weight_cap is None else weight_cap,
        class_optima=class_optima,
        tie_break=model.tie_break,
        pool_weights=np.append(pool_weights, np.zeros(n_offsets)),
        reduce=model.reduce,
        solver=model.solver,
    )


def remember(model: Any, members: list[Any], found: LexiWeights, stopped: str) -> None:
    """Set the fitted attributes, and warn where the training data left nothing to balance."""
    offsets = constant_members(found.classes) if model.class_offsets else []
    model.classes_ = found.classes
    model.estimators_ = [*members, *offsets]
    model.estimator_weights_ = found.alpha
    model.class_optima_ = found.class_optima
    model.class_losses_ = found.class_losses
    model.deviation_ = found.deviation
    model.chi_ = found.chi
    model.program_ = found.program
    model.result_ = found.result
    model.reduction_ = found.reduction
    model.n_members_ = int((found.alpha > SOME_WEIGHT).sum())
    model.pool_stopped_ = stopped
    if (
        getattr(model, "margins_from_", model.margins_from) == "train"
        and (found.class_losses < NO_LOSS).all()
    ):
        warnings.warn(
            f"{type(model).__name__}: the members are perfect on the training data, which leaves "
            "nothing to balance. Measure margins on points they did not see "
            "(margins_from='cross', or 'oob' for bagged members) or use a weaker learner.",
            lx.LexiprogWarning,
            stacklevel=3,
        )


@contextmanager
def rounds_shown(model: Any, n_rounds: int, title: str) -> Iterator[Callable[[int, float], None]]:
    """Show a bar of the rounds (needs tqdm) if the model is verbose."""
    if not model.verbose:
        yield lambda _round, _loss: None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield lambda _round, _loss: None
        return
    with tqdm(total=n_rounds, desc=title) as bar:
        yield lambda _round, _loss: bar.update()
