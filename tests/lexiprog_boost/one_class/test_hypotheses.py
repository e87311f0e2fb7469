"""Bumps and trees: worked by hand, and against scikit-learn's own forest."""

import numpy as np
import pytest
from sklearn.ensemble import IsolationForest

from lexiprog_boost.one_class.hypotheses import GaussianBumps, grow_trees, place_bumps

RNG = np.random.default_rng(1)
X = RNG.normal(size=(300, 3))


def test_a_bump_is_one_at_its_centre_and_falls_with_the_distance():
    bumps = GaussianBumps(np.zeros((1, 2)), 2.0)
    values = bumps.values(np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 4.0], [50.0, 0.0]]))[:, 0]
    assert values == pytest.approx([1, np.exp(-0.5), np.exp(-2), 0])
    assert values[3] == 0  # no number that a solver would stumble over


def test_centres_are_distinct_training_points_and_not_too_many():
    twice = np.r_[X, X]
    bumps = place_bumps(twice, 40, None, np.random.RandomState(0))
    assert len(bumps) == 40
    assert len(np.unique(bumps.centres, axis=0)) == 40
    assert len(place_bumps(twice, 1000, None, np.random.RandomState(0))) == 300


def test_the_default_width_is_that_of_the_one_class_svm():
    width = place_bumps(X, 10, None, np.random.RandomState(0)).width
    assert 0.5 / width**2 == pytest.approx(1 / (3 * X.var()))
    assert place_bumps(np.ones((4, 2)), 10, None, np.random.RandomState(0)).width > 0


def test_the_mean_depth_is_that_of_the_isolation_forest():
    trees = grow_trees(X, 25, seed=3)
    forest = IsolationForest(n_estimators=25, max_samples=256, random_state=3).fit(X)
    depths = -np.log2(1 - trees.values(X)) * trees.mean_depth
    # Its score is -2^(-mean depth / c).
    expected = -np.log2(-forest.score_samples(X)) * trees.mean_depth
    np.testing.assert_allclose(depths.mean(axis=1), expected, rtol=1e-6)


def test_some_of_a_pool_are_its_columns():
    for pool in (grow_trees(X, 5, seed=0), place_bumps(X, 5, 1.0, np.random.RandomState(0))):
        np.testing.assert_array_equal(pool.only([3, 0]).values(X), pool.values(X)[:, [3, 0]])
        assert (pool.values(X) >= 0).all()
        assert (pool.values(X) <= 1).all()
