"""Products in units of their own are the same problem."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lexiprog.canon.product_units import in_product_units
from lexiprog.canon.standard_form import Cones, StandardForm

powers = st.integers(-9, 9).map(lambda k: 10.0**k)


def squares(unit, weights):
    """The least of weighted squares of shares of a total: t >= x**2 as a cone with 1 + t, 1 - t."""
    size = len(weights)
    A, b = np.zeros((1 + 3 * size, 2 * size)), np.zeros(1 + 3 * size)
    A[0, size:], b[0] = 1.0, unit
    for k in range(size):
        A[1 + 3 * k, k], A[2 + 3 * k, k], A[3 + 3 * k, size + k] = -1.0, 1.0, -2.0
        b[1 + 3 * k] = b[2 + 3 * k] = 1.0
    cones = Cones(zero=1, soc=(3,) * size)
    c = np.concatenate([weights, np.zeros(size)])
    return StandardForm(c, 0.0, sp.csc_array(A), b, cones, integer=np.zeros(0, dtype=np.intp))


@given(powers, st.lists(st.integers(1, 9), min_size=1, max_size=3), st.floats(0.1, 10.0))
def test_a_point_is_in_a_cone_in_both_units_or_in_neither(unit, weights, share):
    form = squares(unit, weights)
    found = in_product_units(form)
    x = np.full(len(weights), unit / len(weights))
    for inside, factor in ((True, 1.01), (False, 0.99)):
        y = np.concatenate([factor * share * x**2, np.sqrt(share) * x]) / found.columns
        parts = found.form.slack(y)[1:].reshape(-1, 3)
        assert ((parts[:, 0] >= np.linalg.norm(parts[:, 1:], axis=1)) == inside).all()
        value = found.form.objective(y) / found.cost
        assert value == pytest.approx(form.objective(y * found.columns), rel=1e-12)


@given(powers)
def test_all_numbers_are_about_one_whatever_the_unit(unit):
    form = in_product_units(squares(unit, [1.0, 2.0])).form
    sizes = np.abs(np.concatenate([form.A.data, form.b, form.c]))
    sizes = sizes[sizes > 0.0]
    assert sizes.max() <= 16.0
    assert sizes.min() >= 1 / 16


def test_cones_that_are_no_products_are_left_alone():
    A = sp.csc_array(np.vstack([np.zeros(2), -np.eye(2)]))
    ball = StandardForm(np.ones(2), 0.0, A, np.array([0.7, -0.5, -0.5]), Cones(soc=(3,)))
    assert in_product_units(ball).form is ball
