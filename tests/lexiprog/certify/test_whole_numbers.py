"""Rows and objectives of whole numbers are read and judged without any tolerance."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lexiprog.canon.decimals import written
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify.certificate import Certificate
from lexiprog.certify.whole_numbers import WholeNumbers, in_steps


def program(c, A, b, *, zero=0, integer=None):
    A = np.atleast_2d(np.array(A, float))
    whole = np.arange(A.shape[1]) if integer is None else np.array(integer)
    rows = Cones(zero=zero, nonneg=len(b) - zero)
    return StandardForm(np.array(c, float), 0.0, sp.csc_array(A), np.array(b, float), rows,
                        lower=np.zeros(A.shape[1]), integer=whole)  # fmt: skip


def test_a_weight_of_eleven_digits_fits_or_does_not():
    """9999999999 + 5000000001 = 15000000000."""
    form = program([-3, -2], [[9999999999, 5000000001]], [14999999999])
    numbers = WholeNumbers.of(form)
    assert numbers.excess(np.ones(2)) == 1
    assert numbers.excess(np.array([1.0, 0.0])) == 0
    assert WholeNumbers.of(replace(form, b=form.b + 1)).excess(np.ones(2)) == 0
    assert numbers.is_long
    assert numbers.has_long_rows


def test_decimals_are_met_as_they_are_written():
    """0.1 + 0.2 is 0.3, and 3 * 0.1, which floats round up, is no more."""
    for side in (0.3, 3 * 0.1):
        numbers = WholeNumbers.of(program([0, 0], [[0.1, 0.2]], [side], zero=1))
        assert numbers.excess(np.ones(2)) == 0
        assert numbers.excess(np.array([1.0, 0.0])) == 2  # tenths
    assert WholeNumbers.of(program([0, 0], [[0.1, 0.2]], [0.2999999999])).excess(np.ones(2)) == 1


def test_small_whole_numbers_are_judged_by_floats_which_add_them_up_exactly():
    numbers = WholeNumbers.of(program([1, 1], [[2, 3], [1, 1]], [5, 2], zero=1))
    assert numbers.plain.all()
    assert not numbers.rows
    assert numbers.excess(np.ones(2)) == 0
    assert numbers.excess(np.array([1.0, 2.0])) == 3
    assert numbers.excess(np.array([4.0, -1.0])) == 1


def test_a_row_with_a_continuous_column_or_measured_numbers_has_no_steps():
    assert not WholeNumbers.of(program([0, 0], [[1, 1]], [1], integer=[0])).plain.any()
    numbers = WholeNumbers.of(program([1, np.pi], [[1, np.pi]], [1]))
    assert (numbers.plain.any(), numbers.rows, numbers.objective) == (False, [], None)
    assert numbers.value(np.ones(2)) is None


def test_an_equation_between_two_steps_contradicts_itself_and_says_so():
    numbers = WholeNumbers.of(program([1, 1], [[6e9, 4e9]], [10000000001], zero=1))
    assert "steps of 2000000000" in numbers.contradiction
    assert "10000000001" in numbers.contradiction
    assert not WholeNumbers.of(program([1, 1], [[6e9, 4e9]], [10000000001])).contradiction


def test_a_value_is_added_up_exactly_and_rounded_once():
    form = replace(program([0.1, 0.2, 0.3], [[1, 1, 1]], [9]), offset=0.4)
    assert WholeNumbers.of(form).value(np.ones(3)) == 1.0
    assert sum([0.1, 0.2, 0.3, 0.4]) == 1.0  # in this order; in another one it is not
    assert WholeNumbers.of(form).value(np.array([7.0, 0.0, 1.0])) == 1.4


def test_a_row_missed_by_a_unit_or_a_bound_by_a_step_is_no_certificate():
    form = program([-1e11 - 3, -1e11 - 6], [[99999999999, 1e11]], [1e11])
    numbers, blank = WholeNumbers.of(form), Certificate(gap=1e-12)
    right = numbers.judged(blank, np.array([0.0, 1.0]), -1e11 - 6)
    assert right.proved
    assert right.gap == 0.0
    beside = numbers.judged(blank, np.array([1.0, 0.0]), -1e11 - 6)
    assert not beside.proved
    assert beside.failures.keys() == {"gap"}
    assert numbers.judged(blank, np.ones(2), -2e11 - 9).failures.keys() == {"integrality"}
    assert numbers.judged(blank, np.array([0.0, 1.0]), None) == blank


@given(
    st.lists(st.integers(-(10**13), 10**13), min_size=1, max_size=6),
    st.integers(0, 3),
    st.lists(st.integers(0, 9), min_size=6, max_size=6),
    st.integers(-2, 2),
)
def test_the_excess_is_that_of_pythons_integers(counts, places, point, more):
    values = [count / 10**places for count in counts]
    if written(np.array(values)) is None:  # more than 15 digits
        return
    x = np.array(point[: len(counts)], float)
    total = sum(c * int(v) for c, v in zip(counts, x, strict=True)) + more
    side = total / 10**places
    if written(np.array([side])) is None or not any(counts):
        return
    numbers = WholeNumbers.of(program([0] * len(counts), [values], [side]))
    missed = numbers.excess(x)
    assert (missed > 0) is (more < 0)
    equation = WholeNumbers.of(program([0] * len(counts), [values], [side], zero=1))
    if not equation.contradiction:
        assert (equation.excess(x) > 0) is (more != 0)


def test_steps_are_the_largest_there_are():
    assert in_steps(np.array([6e9, 4e9])) == (Fraction(2 * 10**9), [3, 2])
    assert in_steps(np.array([0.25, -1.5])) == (Fraction(1, 4), [1, -6])
    assert in_steps(np.array([1.0, np.e])) is None


@pytest.mark.parametrize("value", [1 / 3, np.pi, 5.551115123125783e-17])
def test_what_nobody_wrote_is_not_read(value):
    assert written(np.array([1.0, value])) is None
