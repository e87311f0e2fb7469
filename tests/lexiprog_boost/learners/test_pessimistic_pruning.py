"""C4.5's estimate against the binomial distribution, and pruning on trees drawn by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from lexiprog_boost.learners.c45_tree import pessimistic_error, pruned_ancestors


@given(st.integers(1, 200), st.floats(0.01, 0.5), st.data())
def test_so_few_errors_have_just_the_probability_confidence(n, confidence, data):
    e = data.draw(st.integers(0, n - 1))
    limit = pessimistic_error(e, n, confidence) / n
    assert binom.cdf(e, n, limit) == pytest.approx(confidence, abs=1e-9)


@pytest.mark.parametrize(("n", "printed"), [(6, 0.206), (9, 0.143), (1, 0.750)])
def test_the_limits_of_quinlans_book_without_errors(n, printed):
    assert pessimistic_error(0, n, 0.25) / n == pytest.approx(printed, abs=5e-4)


@given(st.floats(0, 40), st.floats(0.5, 60))
def test_fractions_are_between_their_neighbours_and_bounded(e, n):
    e = min(e, n)
    found = pessimistic_error(e, n, 0.25)
    assert e <= found + 1e-9
    assert found <= n
    assert found <= pessimistic_error(min(e + 0.5, n), n, 0.25) + 1e-9


def test_smaller_confidence_fears_more():
    assert pessimistic_error(2, 10, 0.1) > pessimistic_error(2, 10, 0.25)


def test_all_wrong_and_traces_of_rounding_are_no_trouble():
    found = pessimistic_error([5.0, 5 + 1e-12, -1e-15], [5.0, 5.0, 5.0], 0.25)
    np.testing.assert_allclose(found, [5, 5, 5 * (1 - 0.25**0.2)])


# A root 0 with the children 1 and 4; 1 has the leaves 2 and 3, 4 has the leaves 5 and 6.
LEFT = np.array([1, 2, -1, -1, 5, -1, -1])
RIGHT = np.array([4, 3, -1, -1, 6, -1, -1])


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        # Every split saves whole errors: nothing is pruned.
        ([20, 8, 2, 2, 8, 2, 2], [0, 1, 2, 3, 4, 5, 6]),
        # The left split saves nothing.
        ([20, 4, 2, 2, 8, 2, 2], [0, 1, 1, 1, 4, 5, 6]),
        # It saves less than a tenth of an error.
        ([20, 4.09, 2, 2, 8, 2, 2], [0, 1, 1, 1, 4, 5, 6]),
        ([20, 4.11, 2, 2, 8, 2, 2], [0, 1, 2, 3, 4, 5, 6]),
        # The root saves nothing against its pruned child: all goes.
        ([8, 4, 2, 2, 8, 2, 2], [0, 0, 0, 0, 0, 0, 0]),
        # Below a useless root there may be useful splits; the whole tree counts.
        ([9, 8, 2, 2, 8, 2, 2], [0, 1, 2, 3, 4, 5, 6]),
    ],
)
def test_pruning_by_hand(errors, expected):
    found = pruned_ancestors(LEFT, RIGHT, np.array(errors, dtype=float))
    assert found.tolist() == expected


def test_nodes_may_be_numbered_in_any_order():
    # The first tree with the right subtree numbered before the left one, and 2 and 3 exchanged.
    order = np.array([0, 4, 6, 5, 1, 2, 3])  # new name of each node
    renamed = {k: np.full(7, -1) for k in ("left", "right")}
    for node in range(7):
        if LEFT[node] >= 0:
            renamed["left"][order[node]] = order[LEFT[node]]
            renamed["right"][order[node]] = order[RIGHT[node]]
    errors = np.array([20.0, 4, 2, 2, 8, 2, 2])
    renamed_errors = np.empty(7)
    renamed_errors[order] = errors
    found = pruned_ancestors(renamed["left"], renamed["right"], renamed_errors)
    expected = pruned_ancestors(LEFT, RIGHT, errors)
    np.testing.assert_array_equal(found[order], order[expected])


def test_a_root_alone_stays():
    assert pruned_ancestors(np.array([-1]), np.array([-1]), np.array([1.0])).tolist() == [0]
