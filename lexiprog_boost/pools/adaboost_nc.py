"""The pool of AdaBoost.NC, which rewards members for being wrong on different points."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

import lexiprog as lx
from lexiprog_boost.aliases import Codes, Floats
from lexiprog_boost.checks.points import check_sample_weight, take_rows
from lexiprog_boost.checks.values import check_rounds
from lexiprog_boost.margins import class_codes, votes
from lexiprog_boost.members.training import fit_member, prepare_learner
from lexiprog_boost.pools.pool import KeptRounds, Pool

# Stands in for a share of wrong points of zero, whose weight would be infinite.
LEAST_SHARE = 1e-10


def adaboost_nc_pool(
    estimator: Any,
    X: Any,
    y: NDArray,
    *,
    n_estimators: int = 10,
    penalty: float = 2.0,
    oversample: bool = True,
    sample_weight: ArrayLike | None = None,
    on_round: Callable[[int, float], None] | None = None,
    random_state: Any = None,
) -> Pool:
    """Train members by AdaBoost.NC, on classes that are first oversampled to equal size.

    With amb_t the ambiguity, by how much the uniform vote of the first t members is right more
    often than they are on average, and p_t = 1 - abs(amb_t), round t computes ::

        a_t    = 1/2 log(sum over right points of D p^penalty / the same over wrong points)
        D     ~= D p^penalty exp(-a_t [right])

    Training ends early with a member that is right everywhere, which is kept, and with one whose
    a_t is not positive, which is dropped; the first one is kept even so, with a warning. Use it for
    members that err on different points where a class is rare.

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
    penalty : float
        Strength of the penalty (lambda), at least 0; its authors use 2 and 9. 0 ignores the
        ambiguity.
    oversample : bool
        Draw copies of the points of smaller classes until all classes have the same size.
    sample_weight : array-like of shape (n,), optional
        Initial weights of the points; copies share the weight of their original's class.
    on_round : callable (round, error), optional
        Called after every round, the first one being 1.
    random_state : int, RandomState or None
        Draws the copies, and one seed a member.

    Returns
    -------
    Pool
        Its weights are a_t; its history has "error", the penalised share of wrong points.

    References
    ----------
    S. Wang and X. Yao, Multiclass imbalance problems: analysis and potential solutions, IEEE
    Transactions on Systems, Man, and Cybernetics B 42, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from lexiprog_boost.pools import adaboost_nc_pool
    >>> X, y = np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 1, 0])
    >>> stump = DecisionTreeClassifier(max_depth=1)
    >>> pool = adaboost_nc_pool(stump, X, y, n_estimators=3, random_state=0)
    >>> pool.history["error"][:1].round(6).tolist()
    [0.166667]
    """
    check_rounds(n_estimators)
    if not isinstance(penalty, int | float | np.number) or not 0 <= penalty < np.inf:
        raise ValueError(f"penalty is {penalty!r}; its strength is a number of at least 0.")
    classes = np.unique(y)
    weights = check_sample_weight(sample_weight, len(y))
    rng = check_random_state(random_state)
    if oversample:
        rows = oversampled_rows(class_codes(y, classes), rng)
        X, y, weights = take_rows(X, rows), y[rows], weights[rows]
    codes = class_codes(y, classes)
    learner = prepare_learner(estimator, X)
    D = weights / weights.sum()
    ballots = np.zeros((len(y), len(classes)))
    everyone = np.arange(len(y))
    kept, scales, rights = KeptRounds(n_estimators), [], []
    for t in range(1, n_estimators + 1):
        member = fit_member(learner, X, y, D, rng)
        vote = votes(member, X, classes)
        right = vote == codes
        ballots[everyone, vote] += 1
        rights.append(right)
        penalised = D * (1 - np.abs(ambiguity(ballots, codes, np.array(rights)))) ** penalty
        share = float(penalised[~right].sum() / penalised.sum())
        if on_round is not None:
            on_round(t, share)
        if share >= 0.5:
            kept.stopped = f"the member of round {t} was wrong on half of the points or more."
            break
        floored = max(share, LEAST_SHARE)
        scale = 0.5 * np.log((1 - floored) / floored)
        kept.add(member, error=share)
        scales.append(scale)
        if share <= LEAST_SHARE:
            kept.stopped = f"the member of round {t} was perfect, which left nothing to learn."
            break
        D = penalised * np.exp(-scale * right)
        D /= D.sum()
    if not kept.members:
        warnings.warn(
            f"the first {type(estimator).__name__} is wrong on a share of {share:.3f} of the "
            "points: it votes alone. Use a stronger learner, such as a deeper tree.",
            lx.LexiprogWarning,
            stacklevel=2,
        )
        kept.add(member, error=share)
        scales.append(1.0)
    return kept.pool(np.array(scales), classes)


def ambiguity(ballots: Floats, codes: Codes, rights: NDArray[np.bool_]) -> Floats:
    """The uniform vote's success less the members' mean success; ties go to the first class."""
    together = ballots.argmax(axis=1) == codes
    return together - rights.mean(axis=0)


def oversampled_rows(codes: Codes, rng: np.random.RandomState) -> Codes:
    """All rows, then copies drawn from each class up to the size of the largest."""
    counts = np.bincount(codes)
    copies = [
        rng.choice(np.flatnonzero(codes == j), size=counts.max() - count)
        for j, count in enumerate(counts)
    ]
    return np.concatenate([np.arange(len(codes)), *copies])
