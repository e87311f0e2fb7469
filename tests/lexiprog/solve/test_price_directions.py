"""The best rate over the directions that are left, which rows and bounds forbid, by hand."""

import numpy as np
import pytest
import scipy.sparse as sp

from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.solve import prices as price
from lexiprog.solve.prices import derivative_along, right_derivative


def most(limit=6.0, upper=(4.0, 9.0), lower=(0.0, 0.0), zero=0):
    """The most of x + 2y where x + y <= limit."""
    return StandardForm(
        np.array([-1.0, -2.0]), 0.0, sp.csc_array(np.ones((1, 2))), np.array([limit]),
        Cones(zero=zero, nonneg=1 - zero), lower=np.array(lower), upper=np.array(upper),
    )  # fmt: skip


@pytest.fixture(params=["beyond", "directions"])
def strategy(request, monkeypatch):
    """What is found a little further on, or, where nothing is, by the directions alone."""
    if request.param == "directions":
        monkeypatch.setattr(price, "_multiplier_beyond", lambda *_: None)


@pytest.mark.usefixtures("strategy")
@pytest.mark.parametrize(
    ("form", "rate"),
    [
        (most(), 2.0),  # (0, 6): y rises
        (most(upper=(4.0, 6.0)), 1.0),  # y has reached 6: x rises
        (most(upper=(4.0, 5.0)), 1.0),  # (1, 5) as well
        (most(upper=(1.0, 5.0)), 0.0),  # (1, 5), both at their ends
        (most(limit=20.0), 0.0),  # nobody comes near the row
        (most(limit=-3.0, lower=(-9.0, -9.0)), 2.0),
        (most(limit=-3.0, upper=(9.0, -1.0), lower=(-9.0, -9.0)), 1.0),
        (most(zero=1), 2.0),
        (most(zero=1, upper=(4.0, 5.0)), 1.0),
    ],
)
def test_the_optimum_rises_by_the_best_column_that_is_free_to_move(form, rate):
    assert right_derivative(form, 0) == pytest.approx(rate, abs=1e-9)


@pytest.mark.usefixtures("strategy")
def test_a_column_may_fall_only_from_above_its_lower_bound():
    """The least x where x >= b: less of b takes x along unless zero stops it."""
    for limit, lower, rate in ((3.0, 0.0, 1.0), (3.0, 3.0, 0.0), (0.0, -np.inf, 1.0)):
        form = StandardForm(
            np.ones(1), 0.0, sp.csc_array([[-1.0]]), np.array([-limit]), Cones(nonneg=1),
            lower=np.array([lower]), upper=np.array([np.inf]),
        )  # fmt: skip
        assert right_derivative(form, 0) == pytest.approx(rate, abs=1e-9)


@pytest.mark.usefixtures("strategy")
def test_a_direction_adds_to_several_rows_at_once():
    """The most of x + y, each below its own row: 1 for each, in its share."""
    form = StandardForm(-np.ones(2), 0.0, sp.csc_array(np.eye(2)), np.ones(2), Cones(nonneg=2))
    for share in ([1.0, 0.0], [0.5, 1.0], [1.0, 1.0]):
        assert derivative_along(form, np.array(share)) == pytest.approx(sum(share))
    # The same row twice: one of them alone opens nothing.
    twice = StandardForm(
        -np.ones(1), 0.0, sp.csc_array(np.ones((2, 1))), np.ones(2), Cones(nonneg=2)
    )
    assert derivative_along(twice, np.array([1.0, 0.0])) == pytest.approx(0.0, abs=1e-9)
    assert derivative_along(twice, np.array([1.0, 0.5])) == pytest.approx(0.5)


def test_what_has_no_optimum_has_no_price():
    empty = StandardForm(
        np.ones(1), 0.0, sp.csc_array([[1.0], [-1.0]]), np.array([0.0, -1.0]), Cones(nonneg=2)
    )
    assert right_derivative(empty, 0) is None
    # A tolerance of 1e-7 is still an optimum, of 1e-6 no more.
    for gap, known in ((2e-8, True), (1e-6, False)):
        narrow = StandardForm(
            np.ones(1), 0.0, sp.csc_array([[1.0], [-1.0]]), np.array([0.0, -gap]), Cones(nonneg=2)
        )
        assert (price._optimum(narrow) is not None) is known
