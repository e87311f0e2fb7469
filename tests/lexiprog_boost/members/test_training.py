"""One member from any learner and any weights, those with zeros included (F11)."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost import C45TreeClassifier, WeightedKNeighborsClassifier
from lexiprog_boost.learners import NeighborTable, ResampledClassifier
from lexiprog_boost.margins import cross_fitted_margins, margin_matrix
from lexiprog_boost.pools import fit_member, prepare_learner, refit_member

X, CODES = load_wine(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
Y = np.array(["red", "white", "rose"])[CODES]

LEARNERS = [
    C45TreeClassifier(),
    DecisionTreeClassifier(max_depth=2),
    GaussianNB(),
    KNeighborsClassifier(3),
    LogisticRegression(),
    SVC(),
    WeightedKNeighborsClassifier(3),
    make_pipeline(StandardScaler(), SVC()),
]


def rng():
    return np.random.RandomState(0)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_a_class_of_weight_zero_is_no_trouble(learner):
    weights = (CODES != 1).astype(float)
    member = fit_member(prepare_learner(learner, X), X, Y, weights, rng())
    margins = margin_matrix([member], X, Y, classes=np.unique(Y))
    assert margins[CODES != 1].mean() > 0.8


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_weight_on_one_class_alone_makes_members_right_on_it(learner):
    weights = (CODES == 1).astype(float)
    member = fit_member(prepare_learner(learner, X), X, Y, weights, rng())
    assert set(member.predict(X[CODES == 1])) == {"white"}
    if not isinstance(learner, WeightedKNeighborsClassifier):  # its far points have no vote
        assert set(member.predict(X)) == {"white"}


def test_points_of_weight_zero_are_as_if_absent():
    weights = np.where(np.arange(len(Y)) % 3 == 0, 0.0, 1.0)
    learner = prepare_learner(DecisionTreeClassifier(min_samples_leaf=5), X)
    partial = fit_member(learner, X, Y, weights, rng())
    alone = fit_member(learner, X[weights > 0], Y[weights > 0], np.ones((weights > 0).sum()), rng())
    np.testing.assert_array_equal(partial.predict_proba(X), alone.predict_proba(X))


def test_learners_are_prepared_by_what_they_can_do():
    resampled = prepare_learner(KNeighborsClassifier(3), X)
    assert isinstance(resampled, ResampledClassifier)
    neighbours = prepare_learner(WeightedKNeighborsClassifier(3), X)
    assert isinstance(neighbours.table, NeighborTable)
    for weights in (np.ones(178), (CODES != 1).astype(float)):  # zeros keep their places
        assert fit_member(neighbours, X, Y, weights, rng()).table_ is neighbours.table
    plain = DecisionTreeClassifier(max_depth=2)
    prepared = prepare_learner(plain, X)
    assert prepared is not plain
    assert prepared.get_params() == plain.get_params()


def test_two_members_from_one_state_differ_and_equal_states_agree():
    learner = prepare_learner(KNeighborsClassifier(1), X)
    state = rng()
    first, second = (fit_member(learner, X, Y, np.ones(178), state) for _ in range(2))
    again = fit_member(learner, X, Y, np.ones(178), rng())
    assert not np.array_equal(first.sample_indices_, second.sample_indices_)
    np.testing.assert_array_equal(first.sample_indices_, again.sample_indices_)


def test_a_refit_keeps_the_seed_and_handles_every_weight():
    member = fit_member(
        prepare_learner(DecisionTreeClassifier(max_features=1), X), X, Y, np.ones(178), rng()
    )
    np.testing.assert_array_equal(refit_member(member, X, Y, None).predict(X), member.predict(X))
    assert set(refit_member(member, X, Y, np.zeros(178)).predict(X)) == {"red", "rose", "white"}
    one_class = refit_member(member, X, Y, (CODES == 0).astype(float))
    assert isinstance(one_class, DummyClassifier)


def test_members_cross_fit_with_their_own_weights():
    weights = np.array([np.ones(178), CODES != 1, CODES == 2], dtype=float)
    learner = prepare_learner(WeightedKNeighborsClassifier(3), X)
    tree = prepare_learner(C45TreeClassifier(), X)
    members = [
        fit_member(learner if t == 1 else tree, X, Y, w, rng()) for t, w in enumerate(weights)
    ]
    found = cross_fitted_margins(
        members, X, Y, sample_weights=weights, refit=refit_member, random_state=0
    )
    np.testing.assert_array_equal(found.margins[:, 2], np.where(CODES == 2, 1, -1))
    assert (found.margins[CODES == 1, 1] == -1).all()
    assert found.margins[:, 0].mean() > 0.7
