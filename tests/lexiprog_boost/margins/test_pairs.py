"""Margins against every rival class, from probabilities of points that members did not see."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lexiprog_boost.margins import (
    Member,
    cross_fitted_outputs,
    margin_matrix,
    out_of_bag_outputs,
    pair_margins,
)
from lexiprog_boost.members.weighted import weighted_fit

X, Y = load_iris(return_X_y=True)
CLASSES = np.arange(3)


def test_pairs_of_one_point_by_hand():
    outputs = np.array([[[0.5, 0.3, 0.2], [0.1, 0.6, 0.3]]])
    found = pair_margins(outputs, np.array([1]))
    np.testing.assert_allclose(found.margins, [[-0.2, 0.5], [0.1, 0.3]])
    assert found.points.tolist() == [0, 0]


def test_with_two_classes_pairs_are_the_margins_of_probabilities():
    rows = np.flatnonzero(Y < 2)
    member = LogisticRegression().fit(X[rows, :1], Y[rows])
    outputs = member.predict_proba(X[rows, :1])[:, None]
    found = pair_margins(outputs, Y[rows])
    expected = margin_matrix([member], X[rows, :1], Y[rows], rule="proba")
    np.testing.assert_allclose(found.margins, expected)


def test_a_vote_is_right_where_all_its_pairs_are_positive():
    rng = np.random.default_rng(0)
    outputs = rng.dirichlet(np.ones(4), size=(200, 3))
    codes, alpha = rng.integers(4, size=200), np.array([0.2, 0.5, 0.3])
    pairs = pair_margins(outputs, codes)
    won = np.ones(200, dtype=bool)
    np.logical_and.at(won, pairs.points, pairs.margins @ alpha > 0)
    predicted = np.einsum("ntc,t->nc", outputs, alpha).argmax(axis=1)
    np.testing.assert_array_equal(won, predicted == codes)


def test_no_point_is_judged_by_a_member_that_saw_it():
    nearest = Member(KNeighborsClassifier(1).fit(X, np.arange(150) % 3))
    honest = cross_fitted_outputs([nearest], X, np.arange(150) % 3, CLASSES, random_state=0)
    assert honest[np.arange(150), 0, np.arange(150) % 3].mean() < 0.6


def test_a_forest_with_out_of_bag_scores_is_not_trained_again(monkeypatch):
    forest = RandomForestClassifier(30, oob_score=True, random_state=0).fit(X, Y)
    monkeypatch.setattr(RandomForestClassifier, "fit", None)
    found = cross_fitted_outputs([Member(forest)], X, Y, CLASSES, random_state=0)
    np.testing.assert_allclose(found[:, 0], forest.oob_decision_function_)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_tiny_classes_are_kept_in_every_training_part(size):
    rows = np.r_[0:50, 50 : 50 + size, 100:150]
    members = [Member(LogisticRegression().fit(X[rows], Y[rows]))]
    done = []
    found = cross_fitted_outputs(
        members, X[rows], Y[rows], CLASSES, random_state=0, on_fit=lambda: done.append(1)
    )
    assert len(done) == 5
    np.testing.assert_allclose(found.sum(axis=2), 1)
    if size == 1:
        np.testing.assert_allclose(found[50, 0], members[0].predict_proba(X[50:51])[0])


def test_out_of_bag_outputs_replace_what_a_tree_had_seen():
    forest = RandomForestClassifier(10, random_state=0).fit(X, Y)
    found = out_of_bag_outputs(forest, X, Y, CLASSES, np.ones(150))
    np.testing.assert_allclose(found.sum(axis=2), 1)
    sample = forest.estimators_samples_[0]
    seen_of_first_class = np.unique(sample[Y[sample] == 0])
    assert len(np.unique(found[seen_of_first_class, 0], axis=0)) == 1


def test_weights_reach_the_last_step_of_a_pipeline_and_skip_who_takes_none():
    weights = np.where(Y == 2, 1.0, 1e-6)
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    assert set(weighted_fit(pipeline, X, Y, weights).predict(X)) == {2}
    assert weighted_fit(KNeighborsClassifier(1), X, Y, weights).score(X, Y) == 1.0
    assert weighted_fit(DummyClassifier(), X, Y, weights).predict(X[:1]).tolist() == [2]
