"""Sums in twice the working precision lie within their stated errors of the exact ones."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lexiprog.canon.compensated import (
    Segments,
    Sums,
    dot,
    products,
    reduced_costs,
    times,
    total,
    transposed_times,
)

seeds = st.integers(0, 2**32 - 1)


def exact_dot(left, right):
    pairs = zip(left.tolist(), right.tolist(), strict=True)
    return sum((Fraction(a) * Fraction(b) for a, b in pairs), Fraction(0))


def holds(sums, exact):
    """Whether the exact numbers lie where the sums say, by distance and by both ends."""
    for k, number in enumerate(exact):
        if np.isfinite(sums.error[k]):
            found = Fraction(sums.high[k]) + Fraction(sums.low[k])
            assert abs(found - number) <= Fraction(sums.error[k])
            assert Fraction(sums.lower[k]) <= number <= Fraction(sums.upper[k])
        else:
            assert np.isneginf(sums.lower[k])
            assert np.isposinf(sums.upper[k])
    return True


def numbers(rng, size):
    """Floats of one size, of many sizes, or down to the smallest there are."""
    spread = int(rng.choice([0, 5, 60, 530]))
    out = rng.normal(size=size) * 2.0 ** rng.integers(-spread, spread + 1, size)
    return out * (rng.random(size) < 0.8)


@given(seeds)
def test_inner_products_are_right_to_twice_the_precision(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 200))
    left, right = numbers(rng, size), rng.normal(size=size)
    if right[-1] and seed % 2:  # nearly everything cancels
        left[-1] = -float(exact_dot(left[:-1], right[:-1]) / Fraction(right[-1]))
    sums = dot(left, right)
    assert holds(sums, [exact_dot(left, right)])
    assert sums.error[0] <= 1e-25 * float(np.abs(left) @ np.abs(right)) + 1e-300


@given(seeds)
def test_products_with_a_matrix_are_right_by_rows_and_by_columns(seed):
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(1, 9, 2)
    A = numbers(rng, rows * columns).reshape(rows, columns)
    x, z = numbers(rng, columns), numbers(rng, rows)
    assert holds(transposed_times(sp.csc_array(A), z), [exact_dot(column, z) for column in A.T])
    assert holds(times(sp.csr_array(A), x), [exact_dot(row, x) for row in A])


@given(seeds)
def test_what_is_computed_from_sums_keeps_its_error(seed):
    rng = np.random.default_rng(seed)
    a, b, c, d = (numbers(rng, 6) for _ in range(4))
    with np.errstate(over="ignore"):
        sums = products(a, b).plus(products(c, d)).times(a).plus(Sums.of(d))
    exact = [
        (Fraction(p) * Fraction(q) + Fraction(r) * Fraction(s)) * Fraction(p) + Fraction(s)
        for p, q, r, s in zip(*(v.tolist() for v in (a, b, c, d)), strict=True)
    ]
    assert holds(sums, exact)
    assert holds(total(sums, Sums.of(a)), [sum(exact) + sum(map(Fraction, a.tolist()))])


def test_whole_numbers_make_no_error_at_all():
    rng = np.random.default_rng(1)
    A, z = rng.integers(-9, 10, (40, 30)).astype(float), rng.integers(-9, 10, 40).astype(float)
    sums = transposed_times(sp.csc_array(A), z)
    assert (sums.error == 0.0).all()
    assert np.array_equal(sums.lower, A.T @ z)
    assert np.array_equal(sums.upper, A.T @ z)


@given(seeds)
def test_sums_of_numbers_with_few_digits_are_exact_and_said_to_be(seed):
    """Multiples of a power of two up to the limits; one that is none spoils it."""
    rng = np.random.default_rng(seed)
    left = rng.integers(1 - 2**20, 2**20, 1_000) * 2.0 ** float(rng.integers(-60, 60))
    right = rng.integers(1 - 2**22, 2**22, 1_000) * 2.0 ** float(rng.integers(-60, 60))
    starts = np.array([0, 3, 3, 500, 1_000])  # the second sum is empty
    found = Segments(left, starts).exact_sums(right)
    pairs = [Fraction(a) * Fraction(b) for a, b in zip(left.tolist(), right.tolist(), strict=True)]
    expected = [sum(pairs[a:b], Fraction(0)) for a, b in pairwise(starts)]
    assert [Fraction(v) for v in found.tolist()] == expected
    for spoilt in (np.nextafter(np.abs(right).max(), 0.0), np.nan, np.inf):
        other = np.concatenate([[spoilt], right[1:]])
        assert Segments(left, starts).exact_sums(other) is None


def test_longer_sums_are_not_taken_for_exact():
    ones = np.ones(1_025)
    assert Segments(ones, np.array([0, 1_000, 1_025])).exact_sums(ones) is not None
    assert Segments(ones, np.array([0, 1_025])).exact_sums(ones) is None


@given(seeds)
def test_products_too_small_for_a_float_are_counted_as_errors(seed):
    rng = np.random.default_rng(seed)
    left = rng.normal(size=(3, 2)) * 2.0**-600
    right = rng.normal(size=3) * 2.0 ** rng.integers(-480, -300)
    sums = transposed_times(sp.csc_array(left), right)
    assert holds(sums, [exact_dot(column, right) for column in left.T])


def test_columns_without_entries_and_empty_matrices_sum_to_zero():
    A = sp.csc_array(np.array([[0.0, 2.0, 0.0], [0.0, 3.0, 0.0]]))
    assert transposed_times(A, np.array([1.0, 1.0])).nearest.tolist() == [0.0, 5.0, 0.0]
    assert transposed_times(sp.csc_array((0, 2)), np.zeros(0)).nearest.tolist() == [0.0, 0.0]
    assert transposed_times(sp.csc_array((2, 0)), np.ones(2)).nearest.size == 0
    assert total(Sums.of(np.zeros(0))).nearest.tolist() == [0.0]


def test_long_matrices_are_summed_piece_by_piece():
    rng = np.random.default_rng(2)
    A = sp.csc_array(sp.random_array((300, 20_000), density=0.01, random_state=rng))
    z = rng.normal(size=300)
    assert A.nnz > 3 * 2**14
    assert np.allclose(transposed_times(A, z).nearest, A.T @ z, rtol=0, atol=1e-13)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e308])
def test_nothing_is_known_after_an_overflow_or_a_missing_number(bad):
    sums = dot(np.array([bad, 1.0]), np.array([10.0, 1.0]))
    assert np.isinf(sums.error[0])
    assert np.isneginf(sums.lower[0])
    assert np.isposinf(sums.upper[0])


@given(seeds)
def test_a_matrix_that_is_written_to_has_new_sums(seed):
    """The last products are remembered, but by their numbers."""
    rng = np.random.default_rng(seed)
    matrix = sp.csc_array(rng.integers(-3, 4, (4, 5)).astype(float) * rng.random((4, 5)))
    costs, vector = rng.normal(size=5), rng.normal(size=4)
    for _ in range(2):
        dense = matrix.toarray()
        exact = [
            Fraction(cost) + exact_dot(column, vector)
            for cost, column in zip(costs.tolist(), dense.T, strict=True)
        ]
        holds(reduced_costs(costs, matrix, vector), exact)
        holds(reduced_costs(costs, matrix, vector.copy()), exact)
        matrix.data *= 1.5
        costs = costs + 1.0
