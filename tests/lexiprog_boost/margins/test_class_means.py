"""Class means in chunks are the class means."""

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexiprog_boost.margins import class_mean_margins


def random_margins(seed, n=60, n_members=4):
    rng = np.random.default_rng(seed)
    y = np.array(["x", "yy", "z"])[np.r_[0, 1, 2, rng.integers(3, size=n - 3)]]
    return rng.uniform(-1, 1, size=(n, n_members)), y, rng.exponential(size=n)


@given(st.integers(0, 10**6), st.lists(st.integers(0, 60), max_size=5))
def test_any_cut_into_blocks_gives_the_weighted_means(seed, cuts):
    margins, y, weights = random_margins(seed)
    edges = [0, *sorted(cuts), len(y)]
    blocks = [(margins[a:b], y[a:b], weights[a:b]) for a, b in pairwise(edges)]
    found = class_mean_margins(blocks)
    for c, label in enumerate(found.classes):
        rows = y == label
        np.testing.assert_allclose(
            found.means[c], np.average(margins[rows], axis=0, weights=weights[rows]), atol=1e-12
        )
        assert found.weights[c] == pytest.approx(weights[rows].sum())
        assert found.counts[c] == rows.sum()
    assert (found.smallest, found.largest) == (margins.min(), margins.max())


def test_votes_kept_as_bytes_are_not_added_as_bytes():
    votes = np.ones((300, 1), dtype=np.int8)
    votes[0] = -1
    found = class_mean_margins([(votes, np.zeros(300))])
    assert found.means.item() == pytest.approx(298 / 300)


def test_a_long_stream_needs_the_memory_of_one_block():
    rng = np.random.default_rng(0)
    block = rng.choice([-1, 1], size=(10_000, 20)).astype(np.int8), rng.integers(2, size=10_000)
    tracemalloc.start()
    found = class_mean_margins((block for _ in range(50)), classes=[0, 1])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.counts.sum() == 500_000
    assert peak < 8e6  # all margins as numbers: 80 MB
    np.testing.assert_allclose(found.means, class_mean_margins([block]).means, atol=1e-12)


def test_a_block_of_weight_zero_adds_nothing():
    first = [[1.0]], ["a"], [2.0]
    silent = [[-1.0]], ["a"], [0.0]
    found = class_mean_margins([first, silent])
    assert (found.means.item(), found.weights.item(), found.counts.item()) == (1, 2, 2)


def test_known_classes_may_be_given_in_any_order():
    assert class_mean_margins([([[1.0], [0.0]], [1, 0])], classes=[1, 0]).classes.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("blocks", "classes", "message"),
    [
        ([], None, "no block"),
        ([([[1.0]], ["a"])], ["a", "b"], "class 'b' has no point of weight > 0"),
        ([([[1.0], [1.0]], ["a", "b"], [1, 0])], None, "class 'b'"),
        ([([[1.0]], ["c"])], ["a", "b"], "'c'.* not among the classes"),
        ([([[1.0]], ["a"]), ([[1.0, 1.0]], ["a"])], None, "2 members, but .* had 1"),
        ([([1.0], ["a"])], None, r"shape \(1,\)"),
        ([([[1.0]], ["a", "b"])], None, r"labels of shape \(2,\)"),
        ([([[np.nan]], ["a"])], None, "not finite"),
        ([([[1.0], [1.0]], ["a", "a"], [1, -1])], None, "negative"),
    ],
)
def test_bad_blocks_are_refused(blocks, classes, message):
    with pytest.raises(ValueError, match=message):
        class_mean_margins(blocks, classes=classes)
