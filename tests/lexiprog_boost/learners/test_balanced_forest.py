"""The balanced forest: what each tree sees, and what it leaves out."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

from lexiprog_boost.learners import BalancedForestClassifier
from lexiprog_boost.learners.balanced_forest import draw_balanced
from lexiprog_boost.metrics import geometric_mean_score

X, Y = make_classification(400, weights=[0.93], class_sep=1.5, flip_y=0.02, random_state=1)


def test_a_tree_sees_equal_weight_of_each_class():
    groups = [np.arange(100), np.arange(100, 103)]
    rng = np.random.RandomState(0)
    sample, shares = draw_balanced(groups, np.ones(103), 20, rng)
    assert (sample < 100).sum() == 20
    assert (sample >= 100).sum() == 3
    assert shares[sample >= 100].sum() == pytest.approx(shares[sample < 100].sum())


def test_out_of_bag_probabilities_are_less_sure_than_those_of_seen_points():
    forest = BalancedForestClassifier(40, random_state=0).fit(X, Y)
    rare = Y == 1
    unseen = forest.oob_decision_function_[rare, 1].mean()
    assert unseen < forest.predict_proba(X[rare])[:, 1].mean()
    assert geometric_mean_score(Y, forest.oob_decision_function_.argmax(axis=1)) > 0.75


def test_the_only_point_of_a_class_is_judged_by_all_trees():
    points, labels = X[:60], np.where(np.arange(60) == 7, 2, Y[:60])
    forest = BalancedForestClassifier(10, random_state=0).fit(points, labels)
    alone = forest.oob_decision_function_[7]
    np.testing.assert_allclose(alone, forest.predict_proba(points[7:8])[0])
    np.testing.assert_allclose(forest.oob_decision_function_.sum(axis=1), 1)


def test_points_of_weight_zero_are_never_drawn():
    weights = (np.arange(400) % 2).astype(float)
    even = BalancedForestClassifier(5, random_state=0).fit(X, Y, sample_weight=weights)
    changed = X.copy()
    changed[::2] = 1e3
    same = BalancedForestClassifier(5, random_state=0).fit(changed, Y, sample_weight=weights)
    np.testing.assert_array_equal(even.predict_proba(X), same.predict_proba(X))


def test_missing_values_are_taken():
    holes = X.copy()
    holes[::7, 0] = np.nan
    assert BalancedForestClassifier(5, random_state=0).fit(holes, Y).predict(holes).shape == (400,)
