"""Bases and what they determine, on a program worked by hand.

x + 2y <= 4,  3x + y <= 6,  x, y >= 0:  the rows cross at (8/5, 6/5)
"""

from fractions import Fraction

import highspy
import numpy as np
import pytest

from lexiprog.rational.basis import BASIC, LOWER, UPPER, ZERO, Basis, ExactVertex, repaired
from lexiprog.rational.program import IntegerMatrix
from lexiprog.rational.systems import SingularError

MATRIX = IntegerMatrix(2, [([0, 1], [1, 2]), ([0, 1], [3, 1])])
LOW, HIGH = [0, 0, None, None], [None, None, 4, 6]
CROSSING = Basis(np.array([BASIC, BASIC, UPPER, UPPER], dtype=np.int8))


def fractions(vector):
    pairs = zip(vector.numerators, vector.denominators, strict=True)
    return [Fraction(int(top), int(bottom)) for top, bottom in pairs]


def test_the_vertex_is_where_the_rows_cross():
    vertex = ExactVertex(MATRIX, CROSSING).vertex(LOW, HIGH)
    assert fractions(vertex) == [Fraction(8, 5), Fraction(6, 5), 4, 6]


def test_reduced_costs_are_those_of_the_rows_that_hold():
    # max x + y: 2/5 of the first row and 1/5 of the second make (1, 1).
    reduced = ExactVertex(MATRIX, CROSSING).reduced({0: -1, 1: -1})
    assert fractions(reduced) == [0, 0, Fraction(-2, 5), Fraction(-1, 5)]


def test_an_activity_can_be_the_objective():
    # Only the first row holds, y is basic: the second row's activity is 3x + (4 - x) / 2.
    corner = ExactVertex(MATRIX, Basis(np.array([LOWER, BASIC, UPPER, BASIC], dtype=np.int8)))
    assert fractions(corner.reduced({3: 1})) == [Fraction(5, 2), 0, Fraction(1, 2), 0]
    assert fractions(corner.vertex(LOW, HIGH)) == [0, 2, 4, 2]


def test_a_move_of_one_variable_takes_the_basic_ones_along():
    assert fractions(ExactVertex(MATRIX, CROSSING).point({2: 1})) == [
        Fraction(-1, 5), Fraction(3, 5), 1, 0
    ]  # fmt: skip


def test_a_basis_goes_to_highs_and_back():
    basis = Basis(np.array([BASIC, LOWER, UPPER, BASIC], dtype=np.int8))
    there = basis.to_highs(2)
    assert [s.name for s in there.col_status] == ["kBasic", "kLower"]
    back = Basis.from_highs(there, LOW, HIGH)
    assert back.places.tolist() == basis.places.tolist()


def test_what_is_not_basic_is_put_at_a_limit_it_has():
    there = highspy.HighsBasis()
    kinds = highspy.HighsBasisStatus
    there.col_status = [kinds.kUpper, kinds.kNonbasic]
    there.row_status = [kinds.kLower, kinds.kZero]
    basis = Basis.from_highs(there, [0, None, None, -7], [None, None, 4, 6])
    assert basis.places.tolist() == [LOWER, ZERO, UPPER, UPPER]


def test_dependent_columns_are_no_basis_and_are_replaced_by_activities():
    twice = IntegerMatrix(2, [([0, 1], [1, 2]), ([0, 1], [2, 4])])
    with pytest.raises(SingularError):
        ExactVertex(twice, CROSSING).vertex(LOW, HIGH)
    mended = repaired(twice, CROSSING, LOW, HIGH)
    assert (mended.places == BASIC).sum() == 2
    assert fractions(ExactVertex(twice, mended).vertex(LOW, HIGH)) == [4, 0, 4, 8]


@pytest.mark.parametrize("places", [[BASIC, BASIC, BASIC, BASIC], [LOWER, LOWER, UPPER, UPPER]])
def test_a_basis_of_another_size_is_mended(places):
    mended = repaired(MATRIX, Basis(np.array(places, dtype=np.int8)), LOW, HIGH)
    assert (mended.places == BASIC).sum() == 2
    ExactVertex(MATRIX, mended).vertex(LOW, HIGH)


def test_a_basis_that_is_one_is_left_alone():
    assert repaired(MATRIX, CROSSING, LOW, HIGH).places.tolist() == CROSSING.places.tolist()
