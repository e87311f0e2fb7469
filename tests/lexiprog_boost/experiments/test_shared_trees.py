"""Trees that are not grown twice: the same answers, and their time counts as if they were."""

import time

import numpy as np
import pytest

from lexiprog_boost.datasets import make_toy
from lexiprog_boost.experiments import methods
from lexiprog_boost.experiments.cell import Cell, evaluate_cell
from lexiprog_boost.experiments.methods import SharedTree, Spent, TreeStore, now
from lexiprog_boost.learners import C45TreeClassifier


@pytest.fixture
def points():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 3))
    return X, (X[:, 0] + rng.normal(size=120) > 0.5).astype(int), rng.random(120)


def test_a_remembered_tree_answers_like_one_that_was_grown(points):
    X, y, weights = points
    grown = C45TreeClassifier(random_state=4).fit(X, y, sample_weight=weights)
    for _ in range(2):
        tree = SharedTree(random_state=4).fit(X, y, sample_weight=weights)
        assert tree.n_leaves_ == grown.n_leaves_
        np.testing.assert_array_equal(tree.predict_proba(X), grown.predict_proba(X))


def test_whatever_differs_grows_another_tree(points):
    X, y, weights = points
    first = SharedTree(random_state=0).fit(X, y, sample_weight=weights)
    moved, other = X.copy(), y.copy()
    moved[7, 1] += 1e-9
    other[7] = 1 - other[7]
    trees = [
        SharedTree(random_state=1).fit(X, y, sample_weight=weights),
        SharedTree(random_state=0, confidence=0.1).fit(X, y, sample_weight=weights),
        SharedTree(random_state=0).fit(X, y),
        SharedTree(random_state=0).fit(X, y, sample_weight=np.nextafter(weights, 1)),
        SharedTree(random_state=0).fit(moved, y, sample_weight=weights),
        SharedTree(random_state=0).fit(X, other, sample_weight=weights),
        SharedTree(random_state=0).fit(X[::-1], y[::-1], sample_weight=weights[::-1]),
        SharedTree(random_state=0).fit(X[:, [0, 1]], y, sample_weight=weights),
    ]
    assert len({id(tree.grown_) for tree in (first, *trees)}) == 9
    again = SharedTree(random_state=0).fit(X.copy(), y.copy(), sample_weight=weights.copy())
    assert again.grown_ is first.grown_


@pytest.mark.parametrize("seed", [None, np.random.RandomState(0)])
def test_trees_without_a_seed_of_their_own_are_all_grown(points, seed):
    X, y, _ = points
    first, second = (SharedTree(random_state=seed).fit(X, y) for _ in range(2))
    assert first.grown_ is not second.grown_


def test_labels_that_are_objects_are_not_taken_for_one_another(points):
    X, y, _ = points
    words = np.array(["a", "b"], dtype=object)[y]
    first, second = (SharedTree(random_state=0).fit(X, words) for _ in range(2))
    assert first.grown_ is not second.grown_


def test_the_tree_asked_for_least_lately_is_forgotten():
    trees = TreeStore(most=2)
    for seed in (b"0", b"1"):
        trees.keep(seed, {"seed": seed}, Spent(0.0, 0.0))
    assert trees.find(b"0") == {"seed": b"0"}
    trees.keep(b"2", {}, Spent(0.0, 0.0))
    assert trees.find(b"1") is None
    assert trees.find(b"0") == {"seed": b"0"}


def test_the_time_of_a_remembered_tree_counts(points, monkeypatch):
    X, y, _ = points
    grow = C45TreeClassifier.fit

    def slowly(*arguments, **named):
        end = time.process_time() + 0.2
        while time.process_time() < end:
            pass
        return grow(*arguments, **named)

    monkeypatch.setattr(C45TreeClassifier, "fit", slowly)
    SharedTree(random_state=77).fit(X, y)
    start, worked = now(), time.process_time()
    SharedTree(random_state=77).fit(X, y)
    spent = now().since(start)
    assert time.process_time() - worked < 0.1
    assert min(spent.seconds, spent.processor) >= 0.2


def test_a_cell_scores_the_same_with_trees_grown_anew(monkeypatch):
    toy = make_toy()
    times = ("seconds", "processor")
    names = ("AdaBoost", "LPAdaBoost", "LexiBoost", "LPUBoost", "Dual-LexiBoost")

    def records():
        for name in names:
            cell = Cell("artificial", "toy", "C4.5", name, 0)
            grid = methods.BY_NAME[name].grid[:2]
            for run in evaluate_cell(cell, toy, grid)["runs"]:
                yield {key: value for key, value in run.items() if key not in times}

    shared = list(records())
    monkeypatch.setattr(methods, "SharedTree", C45TreeClassifier)
    assert shared == list(records())
    assert all("g_mean" in run for run in shared)
