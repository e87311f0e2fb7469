"""Fronts over whole numbers, against every point there is."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from lexiprog.deadline import Deadline
from lexiprog.parametric.curve import CurveError
from lexiprog.parametric.integer_fronts import integer_front
from tests.lexiprog.parametric.forms import form_of


def brute(form, first, second, most=1):
    """All non-dominated pairs of values, by trying every point."""
    x = np.array(list(product(range(most + 1), repeat=form.c.size)))
    x = x[np.all(x @ form.A.toarray().T <= form.b + 1e-9, axis=1)]
    pairs = {tuple(pair) for pair in np.round(x @ np.stack([first, second], axis=1), 9)}
    beaten = {p for p in pairs if any(q != p and q[0] <= p[0] and q[1] <= p[1] for q in pairs)}
    return sorted(pairs - beaten)


def knapsack(seed, size=9):
    rng = np.random.default_rng(seed)
    weights, first, second = rng.integers(1, 20, (3, size))
    form = form_of(
        np.zeros(size), [weights], [weights.sum() // 2], upper=1.0, integer=np.arange(size)
    )
    return form, -first.astype(float), -second.astype(float)


@pytest.mark.parametrize("seed", range(10))
def test_knapsacks_have_every_non_dominated_point(seed):
    form, first, second = knapsack(seed)
    front = integer_front(form, first, second)
    assert front.complete
    assert front.resolution == 0
    assert front.points.tolist() == [list(p) for p in brute(form, first, second)]
    assert np.array_equal(front.solutions, np.rint(front.solutions))
    assert front.bounds == pytest.approx(front.points)  # each point is its own proof


def test_steps_of_a_tenth_are_as_exact():
    form, first, second = knapsack(3)
    front = integer_front(form, 0.1 * first, second)
    assert front.complete
    assert front.resolution == 0
    assert front.points == pytest.approx(np.array(brute(form, 0.1 * first, second)))


def test_one_objective_without_steps_is_enough_for_all_points():
    form, first, second = knapsack(4)
    other = second * np.pi
    for pair in ((first, other), (other, first)):
        front = integer_front(form, *pair)
        assert front.complete
        assert front.points == pytest.approx(np.array(brute(form, *pair)))


def test_without_steps_every_point_is_matched_to_the_resolution():
    form, first, second = knapsack(5)
    one, other = first * np.pi, second * np.sqrt(2)
    front = integer_front(form, one, other, resolution=2.0)
    assert front.resolution == pytest.approx(2.0)
    for a, b in brute(form, one, other):
        matched = (front.points[:, 0] <= a + 1e-6) & (front.points[:, 1] <= b + 2.0 + 1e-6)
        assert matched.any()


def test_a_limit_keeps_what_is_there_and_resume_finds_the_rest():
    form, first, second = knapsack(7, size=10)
    wanted = brute(form, first, second)
    assert len(wanted) > 4
    part = integer_front(form, first, second, limit=3)
    assert len(part.points) == 3
    assert not part.complete
    ((left, right),) = part.missing
    absent = [p for p in wanted if list(p) not in part.points.tolist()]
    assert all(left[0] < p[0] < right[0] for p in absent)
    whole = integer_front(form, first, second, resume=part)
    assert whole.points.tolist() == [list(p) for p in wanted]
    other = replace(form, b=form.b + 1)
    with pytest.raises(ValueError, match="other numbers"):
        integer_front(other, first, second, resume=part)


def test_no_time_at_all_finds_nothing_and_says_so():
    form, first, second = knapsack(7)
    front = integer_front(form, first, second, deadline=Deadline(1e-9))
    assert len(front.points) == 0
    assert "not enough" in front.note
    assert front.missing


def test_what_has_no_front_is_refused_in_a_sentence():
    empty = form_of([0, 0], [[1, 1]], [-1], upper=1.0, integer=[0, 1])
    with pytest.raises(CurveError, match="nothing is feasible"):
        integer_front(empty, np.ones(2), np.ones(2))
    endless = form_of([0, 0], [[-1, -1]], [0], integer=[0, 1])
    with pytest.raises(CurveError, match="no optimum"):
        integer_front(endless, -np.ones(2), np.ones(2))
    with pytest.raises(ValueError, match="integer columns"):
        integer_front(form_of([0], [[1]], [1]), np.ones(1), np.ones(1))
    form, first, second = knapsack(0)
    with pytest.raises(ValueError, match="at least 2"):
        integer_front(form, first, second, limit=1)
