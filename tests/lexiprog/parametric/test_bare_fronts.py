"""Fronts of bare programs: linear ones by hand and weighted sums, integer ones by every point."""

from itertools import product

import numpy as np
import pytest

from lexiprog.deadline import Deadline, OutOfTime
from lexiprog.parametric.fronts import linear_front
from lexiprog.parametric.integer_search import integer_front
from lexiprog.parametric.value_function import CurveEnd, CurveError
from tests.lexiprog.parametric.forms import form_of, optimum


def test_a_published_front():
    # MultiObjectiveAlgorithms.jl, test_Dichotomy.jl, test_moi_bolp_1 (without its constant).
    form = form_of([0, 0], [[-1, -1], [-0.5, -1], [0, -1]], [-1, -0.75, -0.25])
    front = linear_front(form, np.array([2.0, 1.0]), np.array([1.0, 3.0]))
    assert front.pairs == pytest.approx(np.array([[1, 3], [1.5, 2], [2.25, 1.75]]))
    assert front.points == pytest.approx(np.array([[0, 1], [0.5, 0.5], [1, 0.25]]))
    assert front.complete


@pytest.mark.parametrize("seed", range(10))
def test_every_weight_has_its_best_point_on_the_front(seed):
    rng = np.random.default_rng(seed)
    A, b = -rng.integers(0, 5, (4, 6)), -rng.integers(1, 16, 4)
    first, second = rng.integers(-3, 6, (2, 6)).astype(float)
    form = form_of(np.zeros(6), A, b, upper=9.0)
    front = linear_front(form, first, second)
    for w in [*np.linspace(0, 1, 11), *front.weights.mean(axis=1)]:
        form.c[:] = w * first + (1 - w) * second
        best = optimum(form)
        values = front.pairs @ [w, 1 - w]
        assert values.min() == pytest.approx(best, abs=1e-6)
        here = (front.weights[:, 0] <= w) & (w <= front.weights[:, 1])
        assert values[here] == pytest.approx(best, abs=1e-6)
    form.c[:] = 0.0
    gaps = np.diff(front.pairs, axis=0)
    assert np.all(gaps[:, 0] > 0)
    assert np.all(gaps[:, 1] < 0)
    assert np.all(np.diff(gaps[:, 1] / gaps[:, 0]) > 0)  # extreme: every point is a corner
    assert front.weights[1:, 1] == pytest.approx(front.weights[:-1, 0])


def test_one_objective_without_end_gives_a_ray():
    # The least x, and the least -y, for y <= 2x: nothing bounds y but x.
    form = form_of([0, 0], [[-2, 1]], [0])
    front = linear_front(form, np.array([1.0, 0.0]), np.array([0.0, -1.0]))
    assert front.pairs == pytest.approx(np.array([[0, 0]]))
    assert (front.end, front.slopes.tolist()) == (CurveEnd.STRAIGHT, [-2.0])
    turned = linear_front(form, np.array([0.0, -1.0]), np.array([1.0, 0.0]))
    assert turned.pairs == pytest.approx(np.array([[0, 0]]))
    assert (turned.slope_before, turned.slopes.tolist()) == (-0.5, [0.0])


def test_objectives_that_agree_have_one_point():
    form = form_of([0, 0], [[-1, -1]], [-2])
    front = linear_front(form, np.array([1.0, 2.0]), np.array([2.0, 4.0]))
    assert front.pairs == pytest.approx(np.array([[2, 4]]))


def test_no_front_is_said():
    with pytest.raises(CurveError, match="no front"):
        linear_front(form_of([0], [[1]], [-1]), np.ones(1), np.ones(1))
    with pytest.raises(CurveError, match="Bound one"):
        linear_front(form_of([0], [[0]], [1]), -np.ones(1), -np.ones(1))


def test_a_limit_says_what_is_missing():
    form = form_of([0, 0], [[-1, -1], [-0.5, -1], [0, -1]], [-1, -0.75, -0.25])
    front = linear_front(form, np.array([2.0, 1.0]), np.array([1.0, 3.0]), limit=1)
    assert not front.complete
    assert front.note


class Short(Deadline):
    """A deadline that comes after some steps of a walk."""

    def __init__(self, steps, what):
        super().__init__(60.0, keeps=True)
        self.steps, self.what = steps, what

    def check(self):
        self.steps -= 1
        if self.steps < 0:
            raise self.what


@pytest.mark.parametrize("what", [OutOfTime, KeyboardInterrupt])
def test_a_walk_that_is_stopped_anywhere_goes_on_to_the_same_front(what):
    rng = np.random.default_rng(1)
    A, b = -rng.integers(0, 5, (6, 9)), -rng.integers(1, 16, 6)
    first, second = rng.integers(0, 6, (2, 9)).astype(float)
    form = form_of(np.zeros(9), A, b, upper=9.0)
    whole = linear_front(form, first, second)
    parts = 0
    for steps in range(3, 30):
        deadline = Short(steps, what)
        try:
            part = linear_front(form, first, second, deadline=deadline)
        except (OutOfTime, KeyboardInterrupt):  # not even one point
            continue
        if part.complete:
            break
        assert part.note == deadline.note != ""
        parts += 1
        for point in part.pairs:
            assert np.min(np.abs(whole.pairs - point).sum(axis=1)) < 1e-9
        after = linear_front(form, first, second, resume=part)
        assert after.pairs == pytest.approx(whole.pairs)
        assert after.weights == pytest.approx(whole.weights)
    assert parts > 3


# Integer programs.


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
    assert front.error == 0
    assert front.pairs.tolist() == [list(p) for p in brute(form, first, second)]
    assert np.array_equal(front.points, np.rint(front.points))
    assert front.bounds == pytest.approx(front.pairs)  # each point is its own proof


def test_steps_of_a_tenth_are_as_exact():
    form, first, second = knapsack(3)
    front = integer_front(form, 0.1 * first, second)
    assert front.complete
    assert front.error == 0
    assert front.pairs == pytest.approx(np.array(brute(form, 0.1 * first, second)))


def test_one_objective_without_steps_is_enough_for_all_points():
    form, first, second = knapsack(4)
    other = second * np.pi
    for pair in ((first, other), (other, first)):
        front = integer_front(form, *pair)
        assert front.complete
        assert front.pairs == pytest.approx(np.array(brute(form, *pair)))


def test_without_steps_every_point_is_matched_to_the_resolution():
    form, first, second = knapsack(5)
    rng = np.random.default_rng(5)
    one, other = first + rng.random(first.size), second + rng.random(second.size)
    front = integer_front(form, one, other, resolution=2.0)
    assert front.error == pytest.approx(2.0)
    for a, b in brute(form, one, other):
        matched = (front.pairs[:, 0] <= a + 1e-6) & (front.pairs[:, 1] <= b + 2.0 + 1e-6)
        assert matched.any()


def test_a_limit_keeps_what_is_there_and_says_where_the_rest_is():
    form, first, second = knapsack(7, size=10)
    wanted = brute(form, first, second)
    assert len(wanted) > 4
    part = integer_front(form, first, second, limit=3)
    count = len(part.pairs)
    assert 3 <= count < len(wanted)
    assert not part.complete
    ((left, right),) = part.missing
    assert all(left[0] < p[0] < right[0] for p in wanted[count:])
    assert part.pairs.tolist() == [list(p) for p in wanted[:count]]  # from the left


def test_no_time_at_all_finds_nothing_and_says_so():
    form, first, second = knapsack(7)
    front = integer_front(form, first, second, deadline=Deadline(1e-9))
    assert len(front.pairs) == 0
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
