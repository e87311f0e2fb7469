"""AdaBoost.M2: the first rounds by hand, AdaBoost.M1 for two classes, and its guards."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import AdaBoostClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost import C45TreeClassifier, WeightedKNeighborsClassifier
from lexiprog_boost.margins import margin_matrix, probabilities
from lexiprog_boost.pools import adaboost_m2_pool
from tests.lexiprog_boost.written_out.stumps import WorseLater

STUMP = DecisionTreeClassifier(max_depth=1)
IRIS = load_iris(return_X_y=True)
WINE = load_wine(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)


def confidence(pool, X, t):
    return probabilities(pool.estimators[t], X, pool.classes)


def hard(pool, X, t):
    return (pool.estimators[t].predict(X)[:, None] == pool.classes).astype(float)


def replay(pool, X, y, output, initial=None):
    """Follow the algorithm of the literature entry by entry, with the pool's own members."""
    n, n_classes = len(y), len(pool.classes)
    initial = np.ones(n) / n if initial is None else initial / initial.sum()
    w = [
        {c: initial[i] / (n_classes - 1) for c in range(n_classes) if pool.classes[c] != y[i]}
        for i in range(n)
    ]
    for t in range(len(pool.estimators)):
        h = output(pool, X, t)
        truth = [int(np.flatnonzero(pool.classes == label)[0]) for label in y]
        totals = np.array([sum(row.values()) for row in w])
        distribution = totals / totals.sum()
        loss = 0.5 * sum(
            distribution[i]
            * (1 - h[i, truth[i]] + sum(value / totals[i] * h[i, c] for c, value in w[i].items()))
            for i in range(n)
        )
        beta = loss / (1 - loss)
        for i, row in enumerate(w):
            for c in row:
                row[c] *= beta ** (0.5 * (1 + h[i, truth[i]] - h[i, c]))
        yield distribution, loss, np.log(1 / beta)


@pytest.mark.parametrize(("output", "h"), [("hard", hard), ("confidence", confidence)])
def test_three_classes_follow_the_published_steps(output, h):
    X, y = IRIS
    weights = np.random.default_rng(0).uniform(0.5, 2, size=len(y))
    pool = adaboost_m2_pool(
        STUMP,
        X,
        y,
        n_estimators=6,
        output=output,
        sample_weight=weights,
        keep_distributions=True,
        random_state=0,
    )
    assert len(pool.estimators) == 6
    for t, (distribution, loss, alpha) in enumerate(replay(pool, X, y, h, weights)):
        np.testing.assert_allclose(pool.distributions[t], distribution, atol=1e-12)
        assert pool.history["pseudo_loss"][t] == pytest.approx(loss)
        assert pool.weights[t] == pytest.approx(alpha)


def adaboost_m1(X, y, n_rounds):
    """AdaBoost.M1 in its own words: y in {-1, +1}, one weight a point."""
    D = np.full(len(y), 1 / len(y))
    for _ in range(n_rounds):
        h = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y, sample_weight=D)
        wrong = h.predict(X) != y
        error = D[wrong].sum()
        beta = error / (1 - error)
        yield D, error, np.log(1 / beta), np.where(wrong, -1, 1)
        D = D * np.where(wrong, 1, beta)
        D = D / D.sum()


def test_two_classes_and_hard_votes_are_adaboost_m1():
    X, y = CANCER[0][:, :4], 2 * CANCER[1] - 1  # few features: no two splits are equally good
    pool = adaboost_m2_pool(STUMP, X, y, n_estimators=8, keep_distributions=True, random_state=0)
    for t, (D, error, alpha, margins) in enumerate(adaboost_m1(X, y, 8)):
        np.testing.assert_allclose(pool.distributions[t], D, rtol=1e-9)
        assert pool.history["pseudo_loss"][t] == pytest.approx(error)
        assert pool.history["error"][t] == pytest.approx(error)
        assert pool.weights[t] == pytest.approx(alpha)
        np.testing.assert_array_equal(pool.margins[:, t], margins)


def test_two_classes_and_hard_votes_agree_with_scikit_learns_adaboost():
    X, y = CANCER[0][:, :4], CANCER[1]
    pool = adaboost_m2_pool(STUMP, X, y, n_estimators=8, random_state=0)
    theirs = AdaBoostClassifier(STUMP, n_estimators=8, random_state=1).fit(X, y)
    np.testing.assert_allclose(pool.history["error"], theirs.estimator_errors_, rtol=1e-9)
    np.testing.assert_allclose(pool.weights, theirs.estimator_weights_, rtol=1e-9)


@pytest.mark.parametrize(("output", "rule"), [("hard", "vote"), ("confidence", "proba")])
def test_the_margins_kept_are_the_margin_matrix(output, rule):
    X, y = WINE
    pool = adaboost_m2_pool(STUMP, X, y, n_estimators=4, output=output, random_state=0)
    assert pool.margin_rule == rule
    np.testing.assert_allclose(pool.margins, margin_matrix(pool.estimators, X, y, rule=rule))


def test_a_perfect_member_ends_training_with_a_finite_weight():
    X, y = WINE
    pool = adaboost_m2_pool(DecisionTreeClassifier(), X, y, n_estimators=5, random_state=0)
    assert len(pool.estimators) == 1
    assert pool.history["pseudo_loss"].tolist() == [0]
    assert np.isfinite(pool.weights).all()
    assert "perfect" in pool.stopped


def test_a_member_no_better_than_chance_is_dropped():
    y = np.array([0, 1] * 5)
    pool = adaboost_m2_pool(WorseLater(), y[:, None], y, n_estimators=5, random_state=0)
    assert len(pool.estimators) == 1
    assert pool.margins.shape == (10, 1)
    assert pool.stopped == "the member of round 2 was no better than chance and was dropped."


def test_a_pool_without_a_member_better_than_chance_is_an_error():
    X, y = np.zeros((8, 1)), np.array([0, 1] * 4)
    with pytest.raises(ValueError, match=r"no member is better than chance.*pseudo-loss 0\.500"):
        adaboost_m2_pool(STUMP, X, y)


def test_a_weight_is_a_number_of_copies_for_a_learner_that_heeds_weights():
    X, y = IRIS
    copies = np.random.default_rng(1).integers(0, 3, size=len(y))
    weighted = adaboost_m2_pool(STUMP, X, y, n_estimators=5, sample_weight=copies, random_state=0)
    repeated = adaboost_m2_pool(
        STUMP, np.repeat(X, copies, axis=0), np.repeat(y, copies), n_estimators=5, random_state=0
    )
    np.testing.assert_allclose(weighted.weights, repeated.weights)


@pytest.mark.parametrize(
    "learner",
    [KNeighborsClassifier(3), WeightedKNeighborsClassifier(3), C45TreeClassifier(), LinearSVC()],
    ids=lambda learner: type(learner).__name__,
)
def test_any_learner_trains_and_an_integer_state_repeats_it(learner):
    X, y = WINE
    names = np.array(["x", "y", "z"])[y]
    first, second = (
        adaboost_m2_pool(learner, X / X.max(axis=0), names, n_estimators=3, random_state=5)
        for _ in range(2)
    )
    assert len(first.estimators) >= 1
    np.testing.assert_array_equal(first.margins, second.margins)
    assert first.margins.mean() > 0


def test_members_get_seeds_of_their_own_and_the_learner_none():
    X, y = CANCER
    learner = DecisionTreeClassifier(max_depth=1)
    pool = adaboost_m2_pool(learner, X, y, n_estimators=4, random_state=0)
    assert len({member.random_state for member in pool.estimators}) == 4
    assert learner.random_state is None


def test_neighbours_of_the_training_set_are_searched_once(searches):
    X, y = WINE
    pool = adaboost_m2_pool(WeightedKNeighborsClassifier(5), X, y, n_estimators=4, random_state=0)
    margin_matrix(pool.estimators, X, y)
    assert len(pool.estimators) == 4
    assert searches == [178]


@pytest.mark.parametrize("kind", [sparse.csr_matrix, pd.DataFrame])
def test_points_may_be_sparse_or_a_frame(kind):
    X, y = IRIS
    expected = adaboost_m2_pool(STUMP, X, y, n_estimators=3, random_state=0).margins
    found = adaboost_m2_pool(STUMP, kind(X), y, n_estimators=3, random_state=0).margins
    np.testing.assert_array_equal(found, expected)


def test_rounds_are_reported_as_they_end():
    rounds = []
    pool = adaboost_m2_pool(
        STUMP,
        *IRIS,
        n_estimators=3,
        random_state=0,
        on_round=lambda t, loss: rounds.append((t, loss)),
    )
    assert rounds == list(zip([1, 2, 3], pool.history["pseudo_loss"], strict=True))


def test_the_callers_arrays_are_left_alone():
    X, y = IRIS[0].copy(), IRIS[1].copy()
    weights = np.linspace(1, 2, len(y))
    kept = X.copy(), y.copy(), weights.copy()
    adaboost_m2_pool(STUMP, X, y, n_estimators=3, sample_weight=weights)
    for now, before in zip((X, y, weights), kept, strict=True):
        np.testing.assert_array_equal(now, before)


@pytest.mark.parametrize(
    ("y", "keywords", "message"),
    [
        (np.zeros(150), {}, r"one class \[0.0\]"),
        (IRIS[1][:9], {}, "inconsistent numbers"),
        (IRIS[1] + 0.5, {}, "Unknown label type"),
        (IRIS[1], {"n_estimators": 0}, "n_estimators is 0"),
        (IRIS[1], {"output": "soft"}, "unknown output 'soft'"),
        (IRIS[1], {"sample_weight": -np.ones(150)}, "negative"),
    ],
)
def test_bad_input_is_named(y, keywords, message):
    with pytest.raises(ValueError, match=message):
        adaboost_m2_pool(STUMP, IRIS[0], y, **keywords)
