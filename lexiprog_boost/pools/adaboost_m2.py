"""The pool of AdaBoost.M2, AdaBoost for any number of classes."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from lexiprog_boost.aliases import Floats
from lexiprog_boost.checks.points import check_sample_weight
from lexiprog_boost.checks.values import check_classes, check_rounds
from lexiprog_boost.margins import class_codes, probabilities, votes
from lexiprog_boost.members.training import fit_member, prepare_learner
from lexiprog_boost.pools.pool import KeptRounds, Pool

# Stands in for a pseudo-loss of zero, whose weight log(1 / beta) would be infinite.
LEAST_LOSS = 1e-10


def adaboost_m2_pool(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_estimators: int = 50,
    output: Literal["hard", "confidence"] = "hard",
    sample_weight: ArrayLike | None = None,
    keep_distributions: bool = False,
    on_round: Callable[[int, float], None] | None = None,
    random_state: Any = None,
) -> Pool:
    """Train members by AdaBoost.M2, which weighs every pair of a point and a wrong class.

    With two classes and hard outputs it is AdaBoost.M1. It solves no program: use it to make the
    members whose weights LexiBoost chooses.

    Training ends early with a member of pseudo-loss zero, which is kept with the weight of a
    pseudo-loss of 1e-10 (nothing is left to learn), and with one of pseudo-loss 1/2 or more,
    which is dropped (it is no better than chance); if that is the first one, it is an error.

    Parameters
    ----------
    estimator : classifier
        The learner; without sample_weight it is trained on points drawn by weight.
    X : array-like or sparse matrix of shape (n, n_features)
        Training points; sparse if the learner takes it.
    y : array-like of shape (n,)
        Labels of two classes or more.
    n_estimators : int
        Rounds at most.
    output : {"hard", "confidence"}
        Whether h(x, y) is the vote of ``predict`` or the probability of ``predict_proba``.
    sample_weight : array-like of shape (n,), optional
        Initial weights of the points.
    keep_distributions : bool
        Keep the point weights of every round, as cross-fitting needs them.
    on_round : callable (round, error), optional
        Called after every round, the first one being 1.
    random_state : int, RandomState or None
        Draws one seed a member.

    Returns
    -------
    Pool
        Its weights are log(1 / beta); its history has "pseudo_loss" and "error" (the weighted
        share of wrong votes, with hard outputs, or mean probability of wrong classes).

    References
    ----------
    Y. Freund and R. E. Schapire, A decision-theoretic generalization of on-line learning and an
    application to boosting, Journal of Computer and System Sciences 55, 1997.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from lexiprog_boost.pools import adaboost_m2_pool
    >>> X, y = load_iris(return_X_y=True)
    >>> stump = DecisionTreeClassifier(max_depth=1)
    >>> pool = adaboost_m2_pool(stump, X, y, n_estimators=5, random_state=0)
    >>> pool.history["pseudo_loss"][:1].round(3).tolist()  # a third is wrong: (1/3) (1 + 1/2) / 2
    [0.25]
    """
    check_rounds(n_estimators)
    if output not in ("hard", "confidence"):
        raise ValueError(f"unknown output {output!r}; it is 'hard' or 'confidence'.")
    y = _checked_labels(X, y)
    classes = check_classes(np.unique(y))
    codes = class_codes(y, classes)
    is_true_class = np.eye(len(classes), dtype=bool)[codes]
    points = check_sample_weight(sample_weight, len(y))
    # Mislabel weights w[i, c]: how much it matters to tell point i from the wrong class c. They
    # are scaled to sum to one before each round.
    mislabel = np.where(is_true_class, 0.0, points[:, None])

    learner = prepare_learner(estimator, X)
    rng = check_random_state(random_state)
    kept = KeptRounds(n_estimators)
    for t in range(1, n_estimators + 1):
        mislabel /= mislabel.sum()
        distribution = mislabel.sum(axis=1)
        member = fit_member(learner, X, y, distribution, rng)
        h = _outputs(member, X, classes, output)
        truth = h[np.arange(len(y)), codes]
        # The paper's D_i q_ic is w_ic itself, once the w sum to one.
        loss = 0.5 * float((mislabel * (1 - truth[:, None] + h)).sum())
        if on_round is not None:
            on_round(t, loss)
        if loss >= 0.5:
            kept.stopped = f"the member of round {t} was no better than chance and was dropped."
            break
        kept.add(
            member,
            column=_margins(truth, output),
            distribution=distribution if keep_distributions else None,
            pseudo_loss=loss,
            error=float(distribution @ (1 - truth)),
        )
        if loss <= LEAST_LOSS:
            kept.stopped = f"the member of round {t} was perfect, which left nothing to learn."
            break
        beta = loss / (1 - loss)
        mislabel *= beta ** (0.5 * (1 + truth[:, None] - h))
    if not kept.members:
        raise ValueError(
            f"no member is better than chance: the first {type(estimator).__name__} has the "
            f"pseudo-loss {loss:.3f} >= 1/2. Use a stronger learner, or check X and y."
        )
    losses = np.maximum(kept.history("pseudo_loss"), LEAST_LOSS)
    rule = "vote" if output == "hard" else "proba"
    return kept.pool(np.log((1 - losses) / losses), classes, rule)


def _checked_labels(X: Any, y: Any) -> NDArray:
    labels: NDArray = column_or_1d(y)
    check_consistent_length(X, labels)
    check_classification_targets(labels)
    return labels


def _outputs(member: Any, X: Any, classes: NDArray, output: str) -> Floats:
    """h(x, y) of every point and class."""
    if output == "hard":
        return np.eye(len(classes))[votes(member, X, classes)]
    return probabilities(member, X, classes)


def _margins(truth: Floats, output: str) -> NDArray:
    margins = 2 * truth - 1
    return margins.astype(np.int8) if output == "hard" else margins
