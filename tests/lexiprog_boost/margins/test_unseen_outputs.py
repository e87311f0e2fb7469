"""Probabilities come from members that did not see the point."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from lexiprog_boost.margins import Member, cross_fitted_outputs, out_of_bag_outputs

X, Y = load_iris(return_X_y=True)

CLASSES = np.arange(3)


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
