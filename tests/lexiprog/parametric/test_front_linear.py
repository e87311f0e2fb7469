"""Fronts of two linear objectives: by hand, and against weighted sums."""

import numpy as np
import pytest

from lexiprog.deadline import Deadline, OutOfTime
from lexiprog.parametric.curve import CurveError
from lexiprog.parametric.linear_fronts import linear_front
from tests.lexiprog.parametric.forms import form_of, optimum


def test_a_published_front():
    # MultiObjectiveAlgorithms.jl, test_Dichotomy.jl, test_moi_bolp_1 (without its constant).
    form = form_of([0, 0], [[-1, -1], [-0.5, -1], [0, -1]], [-1, -0.75, -0.25])
    front = linear_front(form, np.array([2.0, 1.0]), np.array([1.0, 3.0]))
    assert front.points == pytest.approx(np.array([[1, 3], [1.5, 2], [2.25, 1.75]]))
    assert front.solutions == pytest.approx(np.array([[0, 1], [0.5, 0.5], [1, 0.25]]))
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
        values = front.points @ [w, 1 - w]
        assert values.min() == pytest.approx(best, abs=1e-6)
        here = (front.weights[:, 0] <= w) & (w <= front.weights[:, 1])
        assert values[here] == pytest.approx(best, abs=1e-6)
    form.c[:] = 0.0
    gaps = np.diff(front.points, axis=0)
    assert np.all(gaps[:, 0] > 0)
    assert np.all(gaps[:, 1] < 0)
    assert np.all(np.diff(gaps[:, 1] / gaps[:, 0]) > 0)  # extreme: every point is a corner
    assert front.weights[1:, 1] == pytest.approx(front.weights[:-1, 0])


def test_one_objective_without_end_gives_a_ray():
    # The least x, and the least -y, for y <= 2x: nothing bounds y but x.
    form = form_of([0, 0], [[-2, 1]], [0])
    front = linear_front(form, np.array([1.0, 0.0]), np.array([0.0, -1.0]))
    assert front.points == pytest.approx(np.array([[0, 0]]))
    assert front.ray == pytest.approx([1, -2])
    turned = linear_front(form, np.array([0.0, -1.0]), np.array([1.0, 0.0]))
    assert turned.points == pytest.approx(np.array([[0, 0]]))
    assert turned.ray / abs(turned.ray[1]) == pytest.approx([-2, 1])


def test_objectives_that_agree_have_one_point():
    form = form_of([0, 0], [[-1, -1]], [-2])
    front = linear_front(form, np.array([1.0, 2.0]), np.array([2.0, 4.0]))
    assert front.points == pytest.approx(np.array([[2, 4]]))


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
        for point in part.points:
            assert np.min(np.abs(whole.points - point).sum(axis=1)) < 1e-9
        after = linear_front(form, first, second, resume=part)
        assert after.points == pytest.approx(whole.points)
        assert after.weights == pytest.approx(whole.weights)
    assert parts > 3
