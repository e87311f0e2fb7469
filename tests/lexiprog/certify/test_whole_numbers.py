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


def test_numbers_nobody_wrote_may_be_simple_multiples_of_the_least():
    third = 1 / 3
    assert in_steps(np.array([third, -2 * third, 5 * third]))[1] == [1, -2, 5]
    assert in_steps(np.array([third, third * 1000 / 999]))[1] == [999, 1000]
    assert in_steps(np.array([third, third * 1001 / 1000]))[1] == [1000, 1001]
    assert in_steps(np.array([third, third * 1002 / 1001])) is None
    step, counts = in_steps(np.array([third, 0.0])) or (None, None)
    assert (step, counts) == (None, None)  # there is no least beside nothing
    # Equal but for a rounding or two is equal; more is not.
    assert in_steps(np.array([third, 2 * third * (1 + 2.0**-51)]))[1] == [1, 2]
    assert in_steps(np.array([third, 2 * third * (1 + 2.0**-48)])) is None
    assert in_steps(np.array([0.5, 0.75])) == (Fraction(1, 4), [2, 3])
    assert in_steps(np.array([0.0, 0.0])) == (Fraction(1), [0, 0])


@pytest.mark.parametrize(("most", "is_long"), [(10**6, False), (10**6 + 1, True)])
def test_more_than_a_million_steps_are_long(most, is_long):
    rows = WholeNumbers.of(program([1, 1], [[most / 10, 0.1]], [9]))
    assert (rows.has_long_rows, rows.is_long, rows.plain.any()) == (is_long, is_long, False)
    costs = WholeNumbers.of(program([-most, 1], [[1, 1]], [9]))
    assert (costs.has_long_rows, costs.is_long) == (False, is_long)
    assert costs.objective.is_long is is_long
    plain = WholeNumbers.of(program([1, 1], [[-most, 1]], [9]))
    assert (plain.plain.any(), len(plain.rows)) == (not is_long, int(is_long))
    assert not WholeNumbers.of(program([0.5, np.pi], [[1, 1]], [9])).is_long


def test_rows_are_whole_where_all_their_columns_are_and_their_numbers_have_steps():
    A = [[1, 2, 0], [1, 0, 2], [0.5, 0.25, 0], [0, 0, 0], [1, 1, 0], [np.pi, 1, 0]]
    form = program([0, 0, 0], A, [3, 3, 1, 1, np.inf, 1], integer=[0, 1])
    form = replace(form, A=sp.csc_array(np.array(A)), cones=Cones(zero=1, nonneg=4, soc=(1,)))
    numbers = WholeNumbers.of(form)
    assert numbers.plain.tolist() == [True, False, False, False, False, False]
    assert [(row.row, row.step, row.counts, row.limit) for row in numbers.rows] == [
        (2, Fraction(1, 4), [2, 1], 4)
    ]
    form.A.data[form.A.indices == 1] *= [1.0, 0.0]  # the continuous one counts nothing
    assert WholeNumbers.of(form).plain.tolist() == [True, True, False, False, False, False]
    row = numbers.rows[0]
    assert [row.excess(np.array(x)) for x in ([2.0, 0, 0], [2, 1, 0], [1, 3, 5])] == [0, 1, 1]
    assert replace(row, equation=True).excess(np.array([1.0, 0, 0])) == 2
    assert replace(row, limit=None).excess(np.array([1.0, 0, 0])) == 2


@pytest.mark.parametrize(
    ("b", "zero", "limit"),
    [(3.0, 0, 6), (3.25, 0, 6), (-3.25, 0, -7), (3.25, 1, None), (3.5, 1, 7),
     (3 * 0.1 * 5, 0, 3), (1.5 - 2.0**-52, 0, 3), (1.5 - 2.0**-44, 0, 2),
     (1.5 + 2.0**-51, 1, 3), (1.5 + 2.0**-44, 1, None), (1.5 + 2.0**-44, 0, 3),
     (2.0**60 / 3, 0, int(2.0**60 / 3) * 2)],
)  # fmt: skip
def test_a_limit_is_a_whole_count_of_halves(b, zero, limit):
    (row,) = WholeNumbers.of(program([0, 0], [[0.5, 1.5]], [b], zero=zero)).rows
    assert (row.step, row.limit, row.equation) == (Fraction(1, 2), limit, zero == 1)


def test_plain_rows_are_met_up_to_a_rounding_of_their_limits():
    ulp = 2.0**-51
    for side, excess in ((3.0, 0), (3.0 - ulp, 0), (3.0 - 4 * ulp, 0), (3.0 - 5 * ulp, 5 * ulp),
                         (2.9999, 1e-4), (2.5, 0.5), (4.5, 0.0)):  # fmt: skip
        form = program([0, 0], [[1, 1]], [side])
        assert WholeNumbers.of(form).excess(np.array([1.0, 2.0])) == pytest.approx(excess, abs=1e-9)
        exact = WholeNumbers.of(form).excess(np.array([1.0, 2.0]))
        assert (exact == 0.0) == (excess == 0)
    # Only integer columns count, each as the whole number that it is nearest to.
    form = program([0, 0], [[1, 1]], [3])
    assert WholeNumbers.of(form).excess(np.array([1.0 + 1e-9, 3.0])) == 1.0
    both = program([0, 0], [[1, 1], [0.5, 0]], [3, 1])
    assert WholeNumbers.of(both).excess(np.array([4.0, 0.0])) == 2.0
    assert WholeNumbers.of(both).excess(np.array([2.0, 3.0])) == 2.0


def test_an_objective_is_reached_within_half_a_step_of_its_bound():
    numbers = WholeNumbers.of(replace(program([0.5, 1.5], [[1, 1]], [9]), offset=7.0))
    x = np.array([1.0, 2.0])  # 3.5, or 7 halves
    assert (numbers.objective.step, numbers.objective.count(x)) == (Fraction(1, 2), 7)
    assert numbers.value(x) == 10.5
    for bound, reached in ((3.5, True), (3.26, True), (3.25, False), (3.0, False), (9.0, True)):
        assert numbers.objective.is_reached(x, bound) is reached
        judged = numbers.judged(Certificate(gap=0.5), x, bound)
        assert judged.gap == (0.0 if reached else 0.5)
    assert numbers.judged(Certificate(), x, 3.0).gap == 2e-6
    assert numbers.judged(Certificate(gap=0.5), x, np.inf).gap == 0.5
    assert numbers.judged(Certificate(integrality=0.1), x, 3.5).integrality == 0.1
    assert numbers.judged(Certificate(), np.array([9.0, 3.0]), None).integrality == 3.0
    nothing = WholeNumbers.of(program([0, 0], [[1, 1]], [9]))
    assert (nothing.objective.step, nothing.objective.counts) == (1, [])
    assert nothing.objective.is_long is False
    curved = replace(program([1, 1], [[1, 1]], [9]), P=sp.csc_array(np.eye(2)))
    assert WholeNumbers.of(curved).objective is None
    assert WholeNumbers.of(program([1, 1], [[1, 1]], [9], integer=[0])).objective is None
    measured = replace(program([1, 1], [[1, 1]], [9]), offset=np.pi)
    assert WholeNumbers.of(measured).value(x) is None


def test_rows_without_entries_have_no_steps():
    numbers = WholeNumbers.of(program([0, 0], [[1, 1], [0.5, 1], [0, 0]], [3, 3, 3]))
    assert numbers.plain.tolist() == [True, False, False]
    assert [row.row for row in numbers.rows] == [1]


def test_a_multiple_of_thirds_counts_as_one_but_for_rounding():
    """x / 3 + 2 y / 3 against 5/3, which floats have as no multiple of their third."""
    third = np.array([[1.0, 2.0]]) / 3.0
    side = float(np.float64(5.0) / 3.0)
    assert Fraction(side) / Fraction(1 / 3) != 5
    for zero in (0, 1):
        (row,) = WholeNumbers.of(program([0, 0], third, [side], zero=zero)).rows
        assert (row.counts, row.limit) == ([1, 2], 5)
        (row,) = WholeNumbers.of(program([0, 0], third, [side + 1e-9], zero=zero)).rows
        assert row.limit == (None if zero else 5)
        (row,) = WholeNumbers.of(program([0, 0], third, [side - 1e-9], zero=zero)).rows
        assert row.limit == (None if zero else 4)
    # Beside 1e15 floats are eighths apart: of thirds no more is known than what they say.
    side = 1e15 + 0.125
    count = Fraction(side) / Fraction(1 / 3)
    for zero in (0, 1):
        (row,) = WholeNumbers.of(program([0, 0], third, [side], zero=zero)).rows
        assert row.limit == (None if zero else count.numerator // count.denominator)
