"""A data set counts its classes and cuts itself into folds."""

import dataclasses

import numpy as np
import pytest

from lexiprog_boost.datasets import Dataset


def dataset(y, folds=None):
    y = np.asarray(y)
    return Dataset("d", np.arange(len(y), dtype=float)[:, None], y, ("x",), folds)


def test_counts_and_imbalance_ratio():
    data = dataset(["a", "b", "a", "a"])
    assert data.counts == {"a": 3, "b": 1}
    assert data.imbalance_ratio == 3


def test_published_folds_are_the_test_sets():
    data = dataset([0, 1, 0, 1, 0], np.array([1, 1, 2, 2, 3]))
    tests = [test.tolist() for _, test in data.splits(5)]
    assert tests == [[0, 1], [2, 3], [4]]


@pytest.mark.parametrize("sizes", [(30, 10), (30, 2)])
def test_other_folds_are_stratified_repeatable_and_cover_every_point_once(sizes):
    data = dataset(np.repeat([0, 1], sizes))
    splits = list(data.splits(5, seed=3))
    assert sorted(np.concatenate([test for _, test in splits])) == list(range(sum(sizes)))
    rare = [int((data.y[test] == 1).sum()) for _, test in splits]
    assert max(rare) - min(rare) <= 1
    assert all(set(train).isdisjoint(test) for train, test in splits)
    for (_, now), (_, again) in zip(splits, data.splits(5, seed=3), strict=True):
        np.testing.assert_array_equal(now, again)


def test_a_dataset_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        dataset([0, 1]).name = "other"
