"""A search over whole numbers: its bound is true whenever it stops, and nothing is believed."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from lexiprog.backends.branching import branch_and_bound, refuted
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.deadline import Deadline

SIDE = 3  # whole numbers from -SIDE to SIDE


def nearest(table, goal, *, whole=None, rows=None, limits=()):
    """Squares of table @ (x - goal), least over a box."""
    size = goal.size
    A = sp.csc_array((0, size)) if rows is None else sp.csc_array(np.array(rows, float))
    square = table.T @ table
    return StandardForm(
        -2 * square @ goal, float(goal @ square @ goal), A, np.array(limits, float),
        Cones(nonneg=A.shape[0]), P=sp.csc_array(2 * square), lower=np.full(size, -float(SIDE)),
        upper=np.full(size, float(SIDE)),
        integer=np.arange(size) if whole is None else np.array(whole),
    )  # fmt: skip


def enumerated(form):
    points = (np.array(p, float) for p in product(range(-SIDE, SIDE + 1), repeat=form.c.size))
    return min((form.objective(p) for p in points if (form.slack(p) >= 0).all()), default=np.inf)


numbers = st.integers(-30, 30).map(lambda n: n / 10)


@st.composite
def forms(draw):
    size = draw(st.integers(1, 3))
    table = np.array(draw(st.lists(numbers, min_size=size**2, max_size=size**2)))
    goal = np.array(draw(st.lists(numbers, min_size=size, max_size=size)))
    row = draw(st.lists(st.integers(-5, 5), min_size=size, max_size=size))
    table = table.reshape(size, size) + 4 * np.eye(size)
    return nearest(table, goal, rows=[row], limits=[draw(st.integers(-9, 9))])


def test_the_least_of_two_squares_above_a_line():
    # x**2 + 2 y**2 with x + y >= 2.5: (2, 1) has 6, (3, 0) has 9, (1, 2) also 9.
    table = np.diag([1.0, np.sqrt(2.0)])
    found = branch_and_bound(nearest(table, np.zeros(2), rows=[[-1, -1]], limits=[-2.5]))
    assert found.finished
    assert found.best.x.tolist() == [2.0, 1.0]
    assert found.bound == pytest.approx(6.0, rel=1e-6)


def test_what_is_not_whole_follows_the_rest():
    # (x - 0.6)**2 + (y - 0.3)**2 with x + y >= 1 and y whole: (1, 0) has 0.25, (0.6, 1) 0.49.
    form = nearest(np.eye(2), np.array([0.6, 0.3]), whole=[1], rows=[[-1, -1]], limits=[-1])
    found = branch_and_bound(form)
    assert found.best.x == pytest.approx([1.0, 0.0], abs=1e-9)
    assert form.objective(found.best.x) == pytest.approx(0.25)


@settings(max_examples=25)
@given(form=forms(), most=st.integers(1, 40))
def test_the_bound_is_true_whenever_the_search_stops(form, most):
    truth = enumerated(form)
    found = branch_and_bound(form, most=most)
    assert found.bound <= truth + 1e-9 * (1 + abs(truth))
    if found.best is not None:
        assert found.best.x.tolist() == np.round(found.best.x).tolist()
        assert form.objective(found.best.x) >= truth - 1e-9 * (1 + abs(truth))


@settings(max_examples=25)
@given(form=forms())
def test_a_finished_search_has_found_the_least_or_that_there_is_none(form):
    truth = enumerated(form)
    found = branch_and_bound(form)
    assert found.finished
    if np.isinf(truth):
        assert found.best is None
        assert found.bound == np.inf
    else:
        assert form.objective(found.best.x) == pytest.approx(truth, rel=1e-6, abs=1e-9)
        assert found.bound >= truth - 1e-6 * abs(truth) - 1e-9


@settings(max_examples=50)
@given(
    st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3),
    st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3),
)
def test_no_multipliers_refute_what_has_a_point(point, z):
    A = sp.csc_array(np.array([[1.0, -2.0, 0.5], [3.0, 1.0, 1.0], [-1.0, 0.0, 4.0]]))
    b = A @ np.array(point)
    assert not refuted(StandardForm(np.ones(3), 0.0, A, b, Cones(nonneg=3)), np.array(z), 1e-9)
    assert not refuted(StandardForm(np.ones(3), 0.0, A, b, Cones(soc=(3,))), np.array(z), 1e-9) or (
        b[0] < np.linalg.norm(b[1:])
    )


def test_a_ball_between_whole_points_is_proved_to_be_empty_of_them():
    A = sp.csc_array(np.vstack([np.zeros(2), -np.eye(2)]))  # |x - (1/2, 1/2)| <= 0.7
    ball = StandardForm(
        np.ones(2), 0.0, A, np.array([0.7, -0.5, -0.5]), Cones(soc=(3,)), integer=np.arange(2)
    )
    found = branch_and_bound(ball)
    assert (found.best, found.bound, found.finished) == (None, np.inf, True)


def test_an_objective_without_an_end_is_called_so():
    free = StandardForm(
        np.array([-1.0]), 0.0, sp.csc_array((0, 1)), np.zeros(0), Cones(), integer=np.arange(1)
    )
    found = branch_and_bound(free)
    assert (found.best, found.bound, found.unbounded) == (None, -np.inf, True)
    assert not found.finished


def test_a_start_is_the_first_point_to_be_beaten():
    form = nearest(np.eye(2), np.array([0.4, 0.4]))
    found = branch_and_bound(form, np.array([1.0, 1.0]), most=1)
    assert found.best.x.tolist() == [1.0, 1.0]
    assert branch_and_bound(form, np.array([1.0, 1.0])).best.x.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("how", ["time", "cancelled", "enough"])
def test_a_search_that_should_stop_returns_what_it_has(how):
    deadline = Deadline(0.0 if how == "time" else None)
    if how == "cancelled":
        deadline.cancel()
    deadline.enough = how == "enough"
    table = np.eye(3) + 0.3
    form = nearest(table, np.array([0.5, 0.4, 1.4]))
    found = branch_and_bound(form, np.zeros(3), deadline=deadline)
    assert not found.finished
    assert found.nodes <= 2
    assert found.bound <= enumerated(form)


def test_a_gap_that_is_wished_for_ends_the_search_early():
    form = nearest(np.eye(3) + 0.3, np.array([0.5, 0.4, 1.4]))
    truth = enumerated(form)
    loose, tight = branch_and_bound(form, gap=0.9), branch_and_bound(form)
    assert loose.nodes < tight.nodes
    assert loose.bound <= truth <= form.objective(loose.best.x)
    assert form.objective(loose.best.x) - loose.bound <= 0.9 * form.objective(loose.best.x)
