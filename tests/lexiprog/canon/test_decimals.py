"""What floats lack to the decimals that they stand for, against fractions."""

import random
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp

import lexiprog as lx
from lexiprog.canon.decimals import DecimalResiduals, decimal_residuals
from lexiprog.canon.scaling import Scaling
from lexiprog.canon.standard_form import Cones, StandardForm


def test_a_written_decimal_and_what_its_float_lacks_are_the_decimal():
    rng = random.Random(8)
    for _ in range(200):
        text = f"{rng.randint(-(10**15) + 1, 10**15 - 1)}e{rng.randint(-18, 3)}"
        meant, value = Fraction(text), float(text)
        (lack,) = decimal_residuals(np.array([value]))
        assert abs(Fraction(value) + Fraction(float(lack)) - meant) <= abs(meant) / 2**100


def test_short_arithmetic_is_undone_and_extreme_decimals_are_read():
    values = np.array([3 * 0.1, 0.1 + 0.7, 1e-30, 3e25, 0.0])
    meant = [Fraction(3, 10), Fraction(8, 10), Fraction(1, 10**30), Fraction(3 * 10**25), 0]
    lack = decimal_residuals(values)
    for value, low, number in zip(values.tolist(), lack.tolist(), meant, strict=True):
        assert abs(Fraction(value) + Fraction(low) - number) <= abs(number) / 2**100


@pytest.mark.parametrize("value", [1 / 3, np.pi, 0.1 + 0.2 - 0.3, 1 / 7e30])
def test_a_number_that_was_computed_is_none_that_somebody_wrote(value):
    assert decimal_residuals(np.array([1.0, value])) is None
    assert decimal_residuals(np.append(np.linspace(1, 100, 100), value)) is None


def test_a_small_power_of_two_is_one_where_nothing_is_larger():
    assert decimal_residuals(np.array([2.0**-54, 2.0**-60])).tolist() == [0.0, 0.0]


def test_what_reduced_costs_lack_comes_in_the_units_of_the_program():
    """0.3 - 0.1 y in columns of 4, rows of 2 and costs of 8: 32 and 8 times as much."""
    A = sp.csc_array(np.array([[0.1]]))
    form = StandardForm(np.array([0.3]), 0.0, A, np.array([1.0]), Cones(nonneg=1))
    units = Scaling(np.array([2.0]), np.array([4.0]), 8.0)
    residuals = DecimalResiduals.of(form, units, decimal_residuals(A.data))
    found = residuals.of_reduced_costs(np.array([-3.0]))
    lack = [float(Fraction(text) - Fraction(float(text))) for text in ("0.3", "0.1")]
    assert found == pytest.approx([32 * lack[0] - 3 * 8 * lack[1]], rel=1e-12)
    assert DecimalResiduals.of(form, units, None) is None


@pytest.mark.parametrize("fractions", [True, False])
@pytest.mark.parametrize("most", [1.0, 1e-5])
@pytest.mark.parametrize("apart", [1e-12, 1e-13, 1e-14, 1e-15])
def test_an_objective_that_differs_in_the_last_written_digit_leaves_one_point(
    apart, most, fractions, monkeypatch
):
    if not fractions:
        monkeypatch.setattr("lexiprog.solve.choice.has_exact", lambda: False)
    x, y = (cp.Variable(nonneg=True, name=name) for name in "xy")
    levels = {"first": cp.Maximize(x + (1 - apart) * y), "second": cp.Maximize(y)}
    found = lx.preemptive(levels, [x + y <= 1, y <= most, x <= 1]).solve()["second"]
    assert (found.status, found.value) == ("optimal", pytest.approx(0.0, abs=1e-6 * most))


def test_decimals_that_cancel_leave_all_that_they_tie():
    """0.3 x + 0.6 y along 0.1 x + 0.2 y <= 1: as floats the tie is broken in the 17th digit."""
    x, y = (cp.Variable(bounds=[0, 10], name=name) for name in "xy")
    for last, most in ((x, 10.0), (y, 5.0)):
        levels = {"first": cp.Maximize(0.3 * x + 0.6 * y), "last": cp.Maximize(last)}
        found = lx.preemptive(levels, [0.1 * x + 0.2 * y <= 1]).solve()
        assert found["first"].value == pytest.approx(3.0)
        assert (found["last"].status, found["last"].value) == ("optimal", pytest.approx(most))


def test_numbers_that_were_computed_tie_where_only_their_last_bits_differ():
    rng = np.random.default_rng(3)
    for _ in range(20):
        A = np.abs(rng.normal(size=(3, 6)))
        weights = rng.uniform(0.5, 2, 3)
        x = cp.Variable(6, bounds=[0, 10], name="x")
        levels = {"first": cp.Maximize((A.T @ weights) @ x), "last": cp.Maximize(x[0])}
        found = lx.preemptive(levels, [A @ x <= A.sum(axis=1)]).solve()
        # All rows are tight on the face, whichever point of it is taken.
        assert A @ found["last"][x] == pytest.approx(A.sum(axis=1))
        point = cp.Variable(6, bounds=[0, 10])
        cp.Problem(cp.Maximize(point[0]), [A @ point == A.sum(axis=1)]).solve("HIGHS")
        assert found["last"].value == pytest.approx(float(point.value[0]))
