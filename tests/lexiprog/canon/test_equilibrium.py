"""The units that are found do not depend on those the problem is written in."""

import time
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lexiprog.canon.cones import blocks
from lexiprog.canon.equilibration import equilibrate
from lexiprog.canon.standard_form import Cones, StandardForm
from tests.lexiprog.canon.known_optima import highs, in_units, known

seeds = st.integers(0, 2**32 - 1)
CONES = ("soc", "psd", "exp", "power")


def lp(A, b, c, **more):
    A = sp.csc_array(np.array(A, float))
    return StandardForm(np.array(c, float), 0.0, A, np.array(b, float),
                        Cones(nonneg=A.shape[0]), **more)  # fmt: skip


def factors(form):
    """Logarithms of the scaled numbers, matrix, right-hand sides, costs and bounds."""
    scaled = equilibrate(form, mild=-1.0).of(form)
    rows = np.diff(scaled.A.tocsr().indptr) > 0  # one without entries has no unit
    parts = [scaled.A.toarray().ravel(), scaled.b * rows, scaled.c, scaled.upper]
    return [np.log2(np.abs(part), where=part != 0.0, out=np.zeros(part.size)) for part in parts]


@given(seeds, st.sampled_from(CONES))
def test_factors_are_powers_of_two_and_one_for_each_cone(seed, kind):
    problem = known(seed, kinds=(kind, kind), quadratic=True)
    problem, _ = in_units(problem, np.random.default_rng(seed), rows=6, columns=6, cost=6)
    scaling = equilibrate(problem.form)
    for part in (scaling.rows, scaling.columns, np.array([scaling.cost])):
        assert (np.frexp(part)[0] == 0.5).all()
    for name, rows, _ in blocks(problem.form.cones):
        for first in range(rows.start, rows.stop, 3):
            assert np.unique(scaling.rows[first : first + 3]).size == 1, name


@given(seeds)
def test_other_units_lead_to_the_same_scaled_numbers_up_to_the_rounding(seed):
    rng = np.random.default_rng(seed)
    problem = known(seed, kinds=("soc",), quadratic=bool(rng.integers(2)), columns=(4, 9))
    other, _ = in_units(problem, rng, rows=9, columns=9, cost=12)
    for one, two in zip(factors(problem.form), factors(other.form), strict=True):
        # A row and a column, each rounded the other way, are two powers of two.
        assert np.abs(one - two).max() <= 2.0


@given(seeds)
def test_ordinary_linear_problems_are_left_alone(seed):
    form = known(seed).form
    assert equilibrate(form).identity


def test_small_numbers_of_a_curved_problem_are_not_left_alone():
    A, P = sp.csc_array(np.ones((1, 2))), sp.csc_array(np.diag([2.0, 1.0]))
    budget = StandardForm(np.zeros(2), 0.0, A, np.array([1e-3]), Cones(zero=1))
    assert equilibrate(budget).of(budget).b[0] == 1e-3
    curved = replace(budget, P=P)
    scaled = equilibrate(curved).of(curved)
    assert 0.25 <= scaled.b[0] <= 4.0
    assert ((scaled.P.diagonal() >= 0.25) & (scaled.P.diagonal() <= 4.0)).all()


@pytest.mark.parametrize("unit", [1e-12, 1e-7, 1e7, 1e12])
def test_a_common_unit_costs_one_factor_and_leaves_the_numbers_alike(unit):
    A, b, c = [[7, 3], [1, 2], [5, 4]], [40, 60, 35], [2, 3]
    plain = lp(A, b, c)
    amounts = replace(plain, b=plain.b * unit)
    money = replace(plain, c=plain.c * unit)
    for form in (amounts, money):
        scaling = equilibrate(form)
        assert np.unique(scaling.rows).size == np.unique(scaling.columns).size == 1
        scaled = scaling.of(form)
        for numbers in (scaled.A.data, scaled.b, scaled.c):
            assert 2.0**-10 <= np.abs(numbers).min() <= np.abs(numbers).max() <= 2.0**10


def test_a_huge_right_hand_side_hides_no_other_row():
    # x == 7 beside w <= 1e9: each gets the unit of its own right-hand side.
    A = sp.csc_array(np.eye(2))
    c, b = np.array([1.0, 0.0]), np.array([7.0, 1e9])
    form = StandardForm(c, 0.0, A, b, Cones(zero=1, nonneg=1))
    assert np.allclose(np.log2(equilibrate(form).of(form).b), 0.0, atol=1.0)


def test_a_column_known_only_by_its_bound_and_its_cost_has_that_unit():
    A = np.array([[1.0, 0.0], [2.0, 0.0]])
    form = lp(A, [1, 1], [1, 1e-12], lower=np.zeros(2), upper=np.array([1.0, 1e12]))
    scaled = equilibrate(form).of(form)
    assert 0.1 < scaled.upper[1] < 10.0
    assert 0.1 < scaled.c[1] < 10.0


def test_columns_and_rows_of_zeros_zero_costs_and_no_rows_at_all_are_fine():
    nothing = StandardForm(np.zeros(0), 0.0, sp.csc_array((0, 0)), np.zeros(0), Cones())
    assert equilibrate(nothing, mild=-1.0).identity
    empty = lp(np.array([[0.0, 0.0], [0.0, 1e9]]), [-1e-17, 0], [0, 0])
    scaling = equilibrate(empty)
    # An empty row is true or false in any unit; noise must not be blown up to a contradiction.
    assert abs(scaling.of(empty).b[0]) < 1e-10
    only_costs = StandardForm(np.array([1e-9]), 0.0, sp.csc_array((0, 1)), np.zeros(0), Cones())
    assert 0.5 < equilibrate(only_costs).of(only_costs).c[0] < 2.0


def test_squares_are_scaled_by_roots():
    P = sp.csc_array(np.diag([1e12, 1e-12]))
    A = sp.csc_array((0, 2))
    form = StandardForm(np.zeros(2), 0.0, A, np.zeros(0), Cones(), P=P)
    assert np.allclose(np.log2(equilibrate(form).of(form).P.diagonal()), 0.0, atol=1.5)


def test_the_rounding_of_zeros_sets_no_unit():
    rng = np.random.default_rng(4)
    for _ in range(20):
        A = rng.integers(1, 6, (12, 15)) * (rng.random((12, 15)) < 0.4)
        A[:, 0], A[0] = 1, 1
        noise = 1e-17 * rng.normal(size=A.shape) * ((rng.random(A.shape) < 0.1) & (A == 0))
        form = lp(A + noise, np.ones(12), np.ones(15))
        scaled = np.abs(equilibrate(form).of(form).A.toarray())
        assert scaled[A > 0].min() > 0.01
        assert scaled[A > 0].max() < 100.0
        assert scaled[A == 0].max() < 1e-11


@pytest.mark.parametrize("M", [1e6, 1e8, 1e10])
def test_a_big_M_does_not_push_its_partner_below_what_a_solver_sees(M):
    # f1 + f2 == 1, f <= M b: the integer columns keep their unit, the flows theirs.
    A = np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, -M, 0.0], [0.0, 1.0, 0.0, -M]])
    form = StandardForm(np.array([1.0, 1.0, 50.0, 50.0]), 0.0, sp.csc_array(A),
                        np.array([1.0, 0.0, 0.0]), Cones(zero=1, nonneg=2),
                        lower=np.zeros(4), upper=np.array([np.inf, np.inf, 1.0, 1.0]),
                        integer=np.array([2, 3]))  # fmt: skip
    scaling = equilibrate(form)
    assert (scaling.columns[2:] == 1.0).all()
    assert np.abs(scaling.of(form).A.toarray()[1:, :2].max(axis=1)).min() > 0.05


@pytest.mark.parametrize("integers", [False, True])
@given(seeds)
def test_highs_finds_the_optimum_in_whatever_units(integers, seed):
    rng = np.random.default_rng(seed)
    problem = known(seed, integers=integers, columns=(3, 15))
    rows, columns, cost = ((9, 0, 0), (0, 9, 0), (0, 0, 12), (9, 9, 12))[seed % 4]
    other, unit = in_units(problem, rng, rows=rows, columns=columns, cost=cost)
    scaling = equilibrate(other.form)
    scaled = scaling.of(other.form)
    found = highs(scaled) or highs(scaled, presolve="off")
    assert found is not None
    value = other.form.objective(scaling.point(found[0])) / unit
    assert value == pytest.approx(float(problem.optimum), rel=1e-7, abs=1e-7)


def test_a_hundred_thousand_rows_take_a_moment():
    rng = np.random.default_rng(0)
    size, each = 100_000, 6
    where = np.repeat(np.arange(size), each), rng.integers(0, size, size * each)
    entries = rng.uniform(0.1, 1.0, size * each) * 10.0 ** rng.integers(-6, 7, size * each)
    A = sp.csc_array(sp.coo_array((entries, where), shape=(size, size)))
    form = StandardForm(np.ones(size), 0.0, A, np.ones(size), Cones(nonneg=size))
    start = time.process_time()
    assert not equilibrate(form).identity
    assert time.process_time() - start < 5.0


def boxed(row, side, cost):
    """One row of three columns that rows hold between 0 and 12."""
    table = [row, *np.eye(3), *-np.eye(3)]
    return lp(table, [side, 12, 12, 12, 0, 0, 0], cost)


@pytest.mark.parametrize("leftover", [5e-17, -2e-13, 5e-324])
@pytest.mark.parametrize("place", ["coefficient", "side", "cost"])
def test_a_leftover_among_ones_changes_no_unit(place, leftover):
    row, side, cost = [1.0, 3.0, 2.0], 2e4, [4.0, 1.0, 2.0]  # too large to be left alone
    if place == "coefficient":
        row[2] = leftover
    elif place == "cost":
        cost[2] = leftover
    form = boxed(row, side, cost)
    if place == "side":
        form = replace(form, b=np.append(form.b[:-1], leftover))
    zeros = boxed(
        [0.0 if n == leftover else n for n in row],
        side,
        [0.0 if n == leftover else n for n in cost],
    )
    found, wanted = equilibrate(form), equilibrate(zeros)
    assert found.equals(wanted)
    assert not found.identity


def test_infinity_written_as_a_number_moves_no_other_row_out_of_sight():
    scaled = equilibrate(boxed([1.0, 3.0, 2.0], 1e15, [4.0, 1.0, 2.0])).of(
        boxed([1.0, 3.0, 2.0], 1e15, [4.0, 1.0, 2.0])
    )
    others = np.abs(scaled.b[1:4])
    assert others.min() > 1e-3
    assert np.abs(scaled.A.data).min() > 1e-3
