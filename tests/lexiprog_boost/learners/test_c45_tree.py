"""The pruned tree: smaller, consistent with the tree it was pruned from, and weighted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost import C45TreeClassifier
from lexiprog_boost.learners.c45_tree import pessimistic_error

CANCER = load_breast_cancer(return_X_y=True)
WINE = load_wine(return_X_y=True)


def noisy(seed=0, n=400):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, np.where(rng.uniform(size=n) < 0.2, rng.integers(2, size=n), X[:, 0] > 0).astype(int)


def test_noise_is_pruned_to_the_one_split_that_matters():
    X, y = noisy()
    tree = C45TreeClassifier(confidence=0.05, random_state=0).fit(X, y)
    assert tree.grown_.get_n_leaves() > 30
    assert tree.n_leaves_ < tree.grown_.get_n_leaves() / 3
    truth = (X[:, 0] > 0).astype(int)
    assert (tree.predict(X) == truth).mean() > (tree.grown_.predict(X) == truth).mean()


def test_leaves_hold_the_class_shares_of_their_own_points():
    X, y = noisy(1)
    weights = np.random.default_rng(1).exponential(size=len(y))
    tree = C45TreeClassifier(random_state=0).fit(X, y, sample_weight=weights)
    leaves, shares = tree.apply(X), tree.predict_proba(X)
    assert len(np.unique(leaves)) == tree.n_leaves_
    for leaf in np.unique(leaves):
        rows = leaves == leaf
        expected = np.bincount(y[rows], weights[rows], minlength=2) / weights[rows].sum()
        np.testing.assert_allclose(shares[rows], np.tile(expected, (rows.sum(), 1)), atol=1e-9)


def test_no_kept_split_is_worse_than_the_leaf_in_its_place():
    X, y = noisy(2)
    tree = C45TreeClassifier(random_state=0).fit(X, y)
    leaves = tree.apply(X)

    def feared(rows):
        return float(pessimistic_error(min(np.bincount(y[rows], minlength=2)), rows.sum(), 0.25))

    nodes = tree.grown_.decision_path(X).toarray().astype(bool)
    kept_inner = [
        node for node in range(nodes.shape[1]) if len(np.unique(leaves[nodes[:, node]])) > 1
    ]
    assert kept_inner
    for node in kept_inner:
        below = sum(feared(leaves == leaf) for leaf in np.unique(leaves[nodes[:, node]]))
        assert feared(nodes[:, node]) > below + 0.1 - 1e-9


def test_confidence_of_one_half_prunes_least():
    X, y = noisy(3)
    sizes = [C45TreeClassifier(confidence=c).fit(X, y).n_leaves_ for c in (0.001, 0.25, 0.5)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[2]


@settings(max_examples=20)
@given(st.floats(1e-6, 1e6))
def test_only_ratios_of_weights_matter(scale):
    X, y = noisy(4, n=120)
    weights = np.random.default_rng(4).exponential(size=120)
    first = C45TreeClassifier(random_state=0).fit(X, y, weights)
    second = C45TreeClassifier(random_state=0).fit(X, y, scale * weights)
    assert first.n_leaves_ == second.n_leaves_
    np.testing.assert_array_equal(first.predict(X), second.predict(X))


def test_points_of_weight_zero_are_left_out():
    X, y = WINE
    used = y < 2
    partial = C45TreeClassifier(random_state=0).fit(X, y, sample_weight=used.astype(float))
    alone = C45TreeClassifier(random_state=0).fit(X[used], y[used])
    assert partial.classes_.tolist() == [0, 1, 2]
    np.testing.assert_allclose(partial.predict_proba(X)[:, :2], alone.predict_proba(X))
    assert not partial.predict_proba(X)[:, 2].any()


def test_one_class_of_positive_weight_gives_a_constant():
    X, y = WINE
    tree = C45TreeClassifier().fit(X, y, sample_weight=(y == 1).astype(float))
    assert set(tree.predict(X)) == {1}
    assert tree.n_leaves_ == 1


def test_weights_move_the_decision():
    X, y = np.zeros((10, 1)), np.repeat([0, 1], [7, 3])
    assert C45TreeClassifier().fit(X, y).predict([[0]]) == 0
    assert C45TreeClassifier().fit(X, y, np.where(y == 1, 5, 1)).predict([[0]]) == 1


def test_pruned_trees_are_as_accurate_and_smaller():
    for X, y in (CANCER, WINE):
        full = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0)
        pruned = C45TreeClassifier(random_state=0)
        loss = cross_val_score(full, X, y).mean() - cross_val_score(pruned, X, y).mean()
        assert loss < 0.02
        assert pruned.fit(X, y).n_leaves_ <= full.fit(X, y).get_n_leaves()


def test_sparse_points_give_the_same_tree():
    X, y = noisy(5)
    X[np.abs(X) < 0.5] = 0
    dense = C45TreeClassifier(random_state=0).fit(X, y)
    thin = C45TreeClassifier(random_state=0).fit(sparse.csc_matrix(X), y)
    np.testing.assert_array_equal(dense.predict_proba(X), thin.predict_proba(sparse.csr_matrix(X)))


@pytest.mark.parametrize("confidence", [0, -0.1, 0.6, np.nan])
def test_a_confidence_that_is_none_is_refused(confidence):
    with pytest.raises(ValueError, match="confidence is"):
        C45TreeClassifier(confidence=confidence).fit(*WINE)
