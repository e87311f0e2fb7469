"""What a column costs at least, where even the sign of its reduced cost is open."""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from lexiprog.canon.compensated import Sums
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify.bound import _charge, lower_bound

INF = np.inf


def charge(value, error, lower, upper):
    reduced = Sums(np.array([value]), np.zeros(1), np.array([error]))
    charges, unknown = _charge(reduced, np.array([lower]), np.array([upper]))
    return float(charges.lower[0]), bool(unknown[0])


@pytest.mark.parametrize(
    ("value", "error", "lower", "upper"),
    [(-1e-10, 3e-10, -5.0, 7.0), (1e-10, 3e-10, -5.0, 7.0), (-1e-10, 3e-10, -9.0, 7.0),
     (0.0, 1e-10, 0.0, 2.0), (-1e-10, 3e-10, 0.0, 7.0)],
)  # fmt: skip
def test_an_open_sign_costs_as_much_as_the_worst_of_its_numbers(value, error, lower, upper):
    found, unknown = charge(value, error, lower, upper)
    ends = [(value + s * error) * end for s in (-1, 1) for end in (lower, upper)]
    assert not unknown
    assert found <= min(ends)
    assert found >= -(abs(value) + error) * max(abs(lower), abs(upper)) * (1 + 1e-4)


@pytest.mark.parametrize(
    ("value", "lower", "upper", "cost"),
    [(2.0, 3.0, INF, 6.0), (-2.0, -INF, 3.0, -6.0), (0.0, -INF, INF, 0.0), (2.0, -4.0, 1.0, -8.0)],
)
def test_a_known_sign_costs_what_its_end_does(value, lower, upper, cost):
    assert charge(value, 0.0, lower, upper) == (cost, False)


@pytest.mark.parametrize(
    ("value", "error", "lower", "upper"),
    [(2.0, 0.0, -INF, 1.0), (-2.0, 0.0, 1.0, INF), (0.0, 1.0, -INF, 0.0), (0.0, 1.0, 0.0, INF),
     (1.0, 0.0, np.nan, 1.0), (1.0, 0.0, 0.0, np.nan)],
)  # fmt: skip
def test_where_the_end_is_infinite_or_no_number_nothing_is_known(value, error, lower, upper):
    assert charge(value, error, lower, upper)[1]


def test_a_free_column_whose_cost_is_lost_in_rounding_leaves_nothing_proved():
    """Of 1 + 2^-70 + 2^-140 - 1 - 2^-70 even two floats lose the middle, which is all there is."""
    column = [2.0**-70, 2.0**-140, -1.0, -(2.0**-70)]
    assert 1 + sum(map(Fraction, column)) == Fraction(1, 2**140)
    for order in itertools.permutations(column):
        A = sp.csc_array(np.array([[a, a] for a in order]))
        form = StandardForm(np.ones(2), 0.0, A, np.zeros(4), Cones(zero=4))
        assert lower_bound(form, np.zeros(2), np.ones(4)).everywhere == -np.inf
    exact = replace(form, A=sp.csc_array(np.array([[-0.25, -0.25]] * 4)), b=np.full(4, -1.0))
    assert lower_bound(exact, np.zeros(2), np.ones(4)).everywhere == 4.0
