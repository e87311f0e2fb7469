"""Implied ranges leave out no feasible point, and find what a person would find."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify.ranges import implied_ranges, stated_ranges
from tests.lexiprog.canon.known_optima import in_units, known

seeds = st.integers(0, 2**32 - 1)


def form_of(A, b, cones, **more):
    A = sp.csc_array(np.array(A, float))
    return StandardForm(np.zeros(A.shape[1]), 0.0, A, np.array(b, float), cones, **more)


def ends(form, **more):
    lower, upper = implied_ranges(form, **more)
    return lower.round(6).tolist(), upper.round(6).tolist()


@pytest.mark.parametrize("kind", ["linear", "soc", "psd", "exp", "power"])
@given(seeds)
def test_no_feasible_point_is_left_out(kind, seed):
    rng = np.random.default_rng(seed)
    problem = known(seed, kinds=() if kind == "linear" else (kind, kind))
    # Some bounds are dropped, so that rows have to do their work; in powers of two all is exact.
    problem, _ = in_units(problem, rng, 2.0, rows=30, columns=30)
    form = problem.form
    form = replace(
        form,
        lower=np.where(rng.random(form.c.size) < 0.4, form.lower, -np.inf),
        upper=np.where(rng.random(form.c.size) < 0.4, form.upper, np.inf),
    )
    lower, upper = implied_ranges(form)
    assert (lower <= problem.x).all()
    assert (problem.x <= upper).all()
    own = form.ranges()
    assert (lower >= own[0]).all()
    assert (upper <= own[1]).all()


def test_rows_bound_columns_one_after_the_other():
    # x0 <= 3, x0 >= x1 + 1, x1 >= x2, x2 >= 0 in rows alone: four passes from left to right.
    A = [[1, 0, 0], [-1, 1, 0], [0, -1, 1], [0, 0, -1]]
    assert ends(form_of(A, [3, -1, 0, 0], Cones(nonneg=4))) == ([1, 0, 0], [3, 2, 2])


def test_equations_bound_both_sides():
    form = form_of([[1, 2]], [4], Cones(zero=1), lower=np.array([0.0, -np.inf]),
                   upper=np.array([2.0, np.inf]))  # fmt: skip
    assert ends(form) == ([0, 1], [2, 2])


def test_two_unbounded_terms_bound_nothing():
    assert ends(form_of([[1, 1]], [4], Cones(zero=1))) == ([-np.inf] * 2, [np.inf] * 2)


def test_a_ball_bounds_what_lies_in_it():
    # norm(x - 3) <= 2 as (2, x0 - 3, x1 - 3) in a second-order cone.
    A = [[0, 0], [-1, 0], [0, -1]]
    assert ends(form_of(A, [2, -3, -3], Cones(soc=(3,)))) == ([1, 1], [5, 5])


@given(seeds)
def test_a_ball_is_never_too_small_by_a_rounding(seed):
    rng = np.random.default_rng(seed)
    radius, centre = rng.random(), rng.normal()
    lower, upper = implied_ranges(form_of([[0], [-1]], [radius, -centre], Cones(soc=(2,))))
    assert Fraction(upper[0]) >= Fraction(centre) + Fraction(radius)
    assert Fraction(lower[0]) <= Fraction(centre) - Fraction(radius)
    assert upper[0] - lower[0] == pytest.approx(2.0 * radius)


@pytest.mark.parametrize("layout", ["upper", "lower"])
def test_a_bounded_diagonal_bounds_a_semidefinite_matrix(layout):
    # X >= 0, X00 <= 4, X11 <= 9: the off-diagonal entry is at most 6.
    root = np.sqrt(2.0)
    A = [[1, 0, 0], [0, 0, 1], [-1, 0, 0], [0, -root, 0], [0, 0, -1]]
    form = form_of(A, [4, 9, 0, 0, 0], Cones(nonneg=2, psd=(2,), psd_layout=layout))
    assert ends(form) == ([0, -6, 0], [4, 6, 9])


def test_exponential_and_power_cones_bound_what_follows_from_their_last_rows():
    # (x, 1, z) with exp(x) <= z <= 5: x <= 5 / e, coarse but true.
    form = form_of([[0, 1], [-1, 0], [0, 0], [0, -1]], [5, 0, 1, 0], Cones(nonneg=1, exp=1))
    lower, upper = implied_ranges(form)
    assert upper[0] == pytest.approx(5 / np.e)
    assert lower.round(6).tolist() == [-np.inf, 0]
    # The root of 4 times 9 bounds the last row.
    form = form_of([[0], [0], [-1]], [4, 9, 0], Cones(power=((0.5, 0.5),)))
    assert ends(form) == ([-6], [6])


def test_an_objective_that_need_not_be_exceeded_bounds_its_columns():
    form = form_of(np.zeros((0, 2)), [], Cones(), lower=np.zeros(2), upper=np.full(2, np.inf))
    assert ends(form, cut=(np.array([1.0, 4.0]), 8.0)) == ([0, 0], [8, 2])


def test_the_search_ends_when_no_more_ends_close_or_the_passes_are_over():
    A = [[1, 0, 0], [-1, 1, 0], [0, -1, 1]]
    form = form_of(A, [3, 0, 0], Cones(nonneg=3))
    assert implied_ranges(form)[1].round(6).tolist() == [3, 3, 3]
    for passes in range(4):
        found = implied_ranges(form, passes=passes)[1]
        assert np.isfinite(found).tolist() == [k < passes for k in range(3)]
    chain = form_of(np.eye(14) - np.eye(14, k=-1), [3] + [0] * 13, Cones(nonneg=14))
    assert np.isfinite(implied_ranges(chain)[1]).sum() == 12  # of the passes that are made
    # x <= y / 2 and y <= x, from 0 <= x <= 8: finite ends halve once and then stay.
    form = form_of([[2, -1], [-1, 1]], [0, 0], Cones(nonneg=2), lower=np.zeros(2),
                   upper=np.array([8.0, 8.0]))  # fmt: skip
    assert ends(form) == ([0, 0], [4, 8])


def test_own_bounds_are_never_written_to():
    lower = np.array([-np.inf, 0.0])
    form = form_of([[1, 1], [-1, 0]], [4, 0], Cones(nonneg=2), lower=lower)
    implied_ranges(form)
    assert lower.tolist() == [-np.inf, 0.0]


def test_zeros_that_are_stored_change_nothing():
    A = np.array([[1.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    b = np.array([4.0, 1.0, 0.0])
    plain = StandardForm(np.ones(2), 0.0, sp.csc_array(A), b, Cones(nonneg=3))
    stored = sp.csc_array((A.T.ravel(), np.tile(np.arange(3), 2), np.array([0, 3, 6])), A.shape)
    assert stored.nnz == 6
    for ours, theirs in zip(
        implied_ranges(replace(plain, A=stored)), implied_ranges(plain), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)
    assert stored.nnz == 6  # what was given is not written to


@given(seeds)
def test_rows_of_one_entry_are_bounds_rounded_outwards(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 5))
    columns, factors, b = rng.integers(0, n, 2 * n), rng.normal(size=2 * n), rng.normal(size=2 * n)
    A = np.zeros((2 * n + 1, n))
    A[np.arange(2 * n), columns] = factors
    A[2 * n] = 1.0  # of several entries: nothing is said by itself
    zero = int(rng.integers(0, n))
    form = form_of(A, [*b, 1.0], Cones(zero=zero, nonneg=2 * n + 1 - zero))
    lower, upper = stated_ranges(form)
    exact = [Fraction(float(end)) / Fraction(float(a)) for end, a in zip(b, factors, strict=True)]
    for j in range(n):
        rows = [i for i in range(2 * n) if columns[i] == j]
        above = [exact[i] for i in rows if i < zero or factors[i] > 0]
        below = [exact[i] for i in rows if i < zero or factors[i] < 0]
        assert float(upper[j]) == pytest.approx(float(min(above, default=np.inf)), rel=1e-15)
        assert float(lower[j]) == pytest.approx(float(max(below, default=-np.inf)), rel=1e-15)
        assert not above or Fraction(float(upper[j])) >= min(above)
        assert not below or Fraction(float(lower[j])) <= max(below)


@pytest.mark.parametrize("share", [0.1, 0.2, 0.3, 0.6, 0.7])
def test_a_cone_is_as_wide_as_the_exact_sum_that_it_begins_with(share):
    """The first row is 1e8 + share - 1e8, of which floats lose the last digits."""
    far = np.array([1e8, share, -1e8, 0.0])
    form = form_of([[-1, -1, -1, 0], [0, 0, 0, -1]], [0, 0], Cones(soc=(2,)),
                   lower=np.append(far[:3], -np.inf), upper=np.append(far[:3], np.inf))  # fmt: skip
    lower, upper = implied_ranges(form)
    width = sum(map(Fraction, far))
    assert Fraction(lower[3]) <= -width
    assert Fraction(upper[3]) >= width
    assert upper[3] == pytest.approx(share, abs=1e-5)
