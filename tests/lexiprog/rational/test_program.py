"""Rational programs from standard forms and from plain numbers."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.rational.program import ExactLP


def form(**changes):
    parts = {
        "c": np.array([0.1, 1 / 3]), "offset": 0.5, "A": sp.csr_array([[0.2, 0.0], [1.0, 4.0]]),
        "b": np.array([0.3, 7.0]), "cones": Cones(zero=1, nonneg=1),
        "lower": np.array([0.0, -np.inf]), "upper": np.array([np.inf, 2.5]),
    }  # fmt: skip
    return StandardForm(**(parts | changes))


def test_a_form_is_read_entry_by_entry():
    lp = ExactLP.from_form(form())
    assert lp.c == (Fraction(1, 10), Fraction(1 / 3))
    assert lp.rows == (((0,), (Fraction(1, 5),)), ((0, 1), (Fraction(1), Fraction(4))))
    assert (lp.b, lp.zero, lp.offset) == ((Fraction(3, 10), Fraction(7)), 1, Fraction(1, 2))
    assert (lp.lower, lp.upper) == ((Fraction(0), None), (None, Fraction(5, 2)))


def test_a_form_may_be_read_as_the_binary_numbers_that_it_holds():
    assert ExactLP.from_form(form(), "binary").c == (Fraction(0.1), Fraction(1 / 3))


def test_a_form_without_rows_or_bounds_is_one():
    lp = ExactLP.from_form(
        form(A=sp.csr_array((0, 2)), b=np.zeros(0), cones=Cones(), lower=None, upper=None)
    )
    assert (lp.rows, lp.lower, lp.upper) == ((), (None, None), (None, None))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"P": sp.csr_array(np.eye(2))}, "a quadratic objective"),
        ({"integer": np.array([1])}, "integer columns"),
        ({"cones": Cones(soc=(2,))}, "curved cones"),
    ],
)
def test_what_is_not_linear_is_refused_by_name(changes, reason):
    with pytest.raises(ValueError, match=reason):
        ExactLP.from_form(form(**changes))


def test_fractions_and_floats_may_be_mixed_and_none_is_no_bound():
    lp = ExactLP.of([Fraction(1, 3), 0.5], [[1, 0], [0.25, 2]], [1, 2], lower=[None, 0.1])
    assert lp.c == (Fraction(1, 3), Fraction(1, 2))
    assert lp.rows[1] == ((0, 1), (Fraction(1, 4), Fraction(2)))
    assert lp.lower == (None, Fraction(1, 10))


def test_the_numbers_given_are_not_touched():
    matrix = sp.csr_array((np.ones(3), [1, 0, 1], [0, 3]), shape=(1, 2))  # unsorted, doubled
    lp = ExactLP.of(np.zeros(2), matrix, np.ones(1))
    assert lp.rows == (((0, 1), (Fraction(1), Fraction(2))),)
    assert matrix.nnz == 3


@pytest.mark.parametrize(
    "arguments",
    [
        {"A": [[1, 2, 3]], "b": [1]},
        {"A": [[1, 2]], "b": [1, 2]},
        {"A": sp.csr_array(np.ones((1, 3))), "b": [1]},
        {"A": [[1, 2]], "b": [1], "zero": 2},
        {"A": [[1, 2]], "b": [1], "lower": [0]},
        {"A": [[1, 2]], "b": [1], "lower": [np.inf, 0]},
    ],
)
def test_sizes_and_infinite_numbers_that_do_not_fit_are_refused(arguments):
    with pytest.raises(ValueError, match=r"fit|finite"):
        ExactLP.of([1, 1], **arguments)


def test_another_cost_keeps_the_feasible_set():
    lp = ExactLP.of([1, 1], [[1, 2]], [3])
    other = lp.with_cost([Fraction(2), Fraction(0)], Fraction(1))
    assert (other.rows, other.c, other.offset) == (lp.rows, (2, 0), 1)
    with pytest.raises(ValueError, match="3 costs do not fit 2 columns"):
        lp.with_cost([Fraction(1)] * 3)


def test_whole_numbers_of_numpy_are_kept_beyond_what_floats_hold():
    large = 2**62 + 1
    lp = ExactLP.of(np.array([large]), np.array([[large]]), [np.int64(large)], lower=[large])
    assert (lp.c, lp.b, lp.lower, lp.rows[0][1]) == ((large,),) * 4
    assert lp.c[0] * lp.c[0] == large**2  # and do not overflow
