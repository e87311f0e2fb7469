"""A lower bound never exceeds the optimum, whatever point and multipliers it is made from."""

import time
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lexiprog.canon.compensated import Pair, Sums
from lexiprog.canon.cones import matrix, triangle
from lexiprog.canon.decimals import DecimalResiduals
from lexiprog.canon.equilibration import equilibrate
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify import bound as module
from lexiprog.certify.bound import charge_columns, charged_bound
from lexiprog.certify.bound import lower_bound as bound_in_dual_cones
from lexiprog.certify.measures import measure
from lexiprog.certify.terms import TermSizes, into_dual, worth
from lexiprog.tolerances import REDUCED_TO_ZERO
from tests.lexiprog.canon.known_optima import highs, in_units, known
from tests.lexiprog.certify.exact_bounds import bound_by_hand, linear_optimum

seeds = st.integers(0, 2**32 - 1)


def lower_bound(form, x, z):
    """From any multipliers, which are brought into the dual cones first."""
    terms = TermSizes(form, x, z)
    with np.errstate(all="ignore"):
        inside = into_dual(terms, terms.frame.enter(z), terms.row_sizes(x))
    return bound_in_dual_cones(terms, x, inside)


KINDS = [(), ("soc", "soc"), ("psd", "psd"), ("exp", "exp"), ("power", "power")]


def wild(rng, size):
    """Numbers of any size and sign, zeros among them."""
    spread = int(rng.choice([0, 3, 12]))
    return rng.normal(size=size) * 10.0 ** rng.integers(-spread, spread + 1, size) * (
        rng.random(size) < 0.8
    )  # fmt: skip


def wild_form(seed):
    """A small linear or quadratic form of badly scaled numbers; ends may be open."""
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 6, 2)
    A = wild(rng, m * n).reshape(m, n) if seed % 2 else rng.integers(-3, 4, (m, n)).astype(float)
    lower = np.where(rng.random(n) < 0.8, wild(rng, n), -np.inf)
    width = np.where(rng.random(n) < 0.8, np.abs(wild(rng, n)), np.inf)
    P = None
    if seed % 3 == 0:
        root = rng.normal(size=(n, n)) if seed % 2 else np.diag(rng.integers(0, 3, n))
        P = sp.csc_array((root @ root.T).astype(float))
    zero = int(rng.integers(0, m))
    upper = np.where(np.isneginf(lower), 0.0, lower) + width
    return rng, StandardForm(wild(rng, n), float(wild(rng, 1)[0]), sp.csc_array(A), wild(rng, m),
                             Cones(zero=zero, nonneg=int(m - zero)),
                             P=P if P is not None and P.nnz else None,
                             lower=lower, upper=upper)  # fmt: skip


@given(seeds)
def test_the_bound_is_the_one_in_rational_numbers_rounded_down(seed):
    for trial in range(10):
        rng, form = wild_form(seed + trial)
        x, z = wild(rng, form.c.size), wild(rng, form.b.size)
        z[form.cones.zero :] = np.maximum(z[form.cones.zero :], 0.0)
        pairs = Pair.of(x), Pair.of(z)
        bound = charged_bound(TermSizes(form, x, z), *pairs, form.ranges())
        exact = bound_by_hand(form, x, z)
        if exact is not None:
            assert Fraction(bound) <= exact
            least = Fraction(1, 10**300)  # floats end there
            assert exact - Fraction(bound) <= abs(exact) * Fraction(1, 10**15) + least


@given(seeds)
def test_no_multipliers_exceed_the_optimum_of_a_linear_program(seed):
    rng, form = wild_form(seed)
    form = replace(form, P=None)
    optimum = linear_optimum(form)
    if optimum is None:
        return
    for _ in range(5):
        bound = lower_bound(form, wild(rng, form.c.size), wild(rng, form.b.size))
        assert bound == -np.inf or Fraction(bound) <= optimum


@given(seeds, st.sampled_from(KINDS), st.booleans(), st.booleans())
def test_no_multipliers_exceed_a_known_optimum_in_any_units(seed, kinds, quadratic, free):
    rng = np.random.default_rng(seed)
    problem = known(seed, kinds=kinds, quadratic=quadratic, free=free)
    problem, _ = in_units(problem, rng, 2.0, rows=35, columns=35, cost=35)  # without rounding
    x, z, size = problem.x, problem.z, problem.z.size
    guesses = [z, z + 1e-9 * z * rng.normal(size=size), z * rng.normal(size=size), wild(rng, size)]
    for guess in guesses:
        for point in (x, x * rng.normal(size=x.size)):
            bound = lower_bound(problem.form, point, guess)
            size = 1e-15 * float(np.abs(problem.form.b) @ np.abs(guess)) if kinds else 0.0
            assert bound == -np.inf or Fraction(bound) <= problem.optimum + Fraction(size)


@given(seeds, st.sampled_from(KINDS), st.booleans(), st.booleans())
def test_the_right_multipliers_prove_the_optimum(seed, kinds, quadratic, free):
    problem = known(seed, kinds=kinds, quadratic=quadratic, free=free)
    bound = lower_bound(problem.form, problem.x, problem.z)
    optimum = float(problem.optimum)
    size = max(1.0, float(np.abs(problem.form.b) @ np.abs(problem.z)))
    assert bound == pytest.approx(optimum, abs=1e-12 * size)
    # Whole numbers leave reduced costs of exactly zero: open ends cost nothing at all.
    if not kinds:
        assert bound == optimum


@given(seeds)
def test_highs_multipliers_prove_its_optimum_to_nine_digits(seed):
    problem = known(seed, columns=(5, 15))
    x, z = highs(problem.form)
    bound = lower_bound(problem.form, x, z)
    assert Fraction(bound) <= problem.optimum
    assert bound == pytest.approx(float(problem.optimum), rel=1e-9, abs=1e-9)


def test_a_wrong_sign_a_wrong_size_and_an_open_column_count():
    # min x + 3y over x + 2y >= 4, x, y >= 0: the multiplier 1 proves 4.
    A = sp.csc_array(np.array([[-1.0, -2.0]]))
    form = StandardForm(np.array([1.0, 3.0]), 0.0, A, np.array([-4.0]), Cones(nonneg=1),
                        lower=np.zeros(2))  # fmt: skip
    x = np.array([4.0, 0.0])
    assert lower_bound(form, x, np.array([-5.0])) == 0.0
    # The column between its bounds is balanced: any multiplier is corrected to 1.
    assert lower_bound(form, x, np.array([0.5])) == pytest.approx(4.0)
    assert lower_bound(form, x, np.array([1.5])) == pytest.approx(4.0)
    # With the multiplier 1.5 alone x has reduced cost -0.5. Points that matter have an objective
    # of 6, half more than at x, at most, so that x <= 6: 1.5 * 4 - 0.5 * 6.
    pairs = Pair.of(x), Pair.of(np.array([1.5]))
    assert charged_bound(TermSizes(form, x, pairs[1].high), *pairs, form.ranges()) == pytest.approx(
        3.0
    )


def test_a_free_column_is_balanced_by_its_row_or_leaves_nothing_proved():
    form = StandardForm(np.array([1.0]), 0.0, sp.csc_array(np.array([[-1.0]])), np.array([-2.0]),
                        Cones(zero=1), lower=np.array([-np.inf]))  # fmt: skip
    fixed = lower_bound(form, np.array([2.0]), np.array([0.0]))
    assert fixed == pytest.approx(2.0)  # the equation itself is the range
    two = replace(form, A=sp.csc_array(np.array([[-1.0, -1.0]])), c=np.ones(2), lower=None)
    x = np.ones(2)
    # min x + y over x + y = 2: any multiplier is corrected to 1, which proves 2.
    assert lower_bound(two, x, np.array([0.75])) == pytest.approx(2.0, abs=1e-15)
    # min x + 2y over the same falls without end: no multiplier proves anything.
    assert lower_bound(replace(two, c=np.array([1.0, 2.0])), x, np.array([1.5])) == -np.inf


def test_a_square_in_the_objective_needs_no_range():
    # min x**2 - 2x: at 1.1 the slope is 0.2, and 0.2**2 / (2 * 2) is all it can cost.
    form = StandardForm(np.array([-2.0]), 0.0, sp.csc_array((0, 1)), np.zeros(0), Cones(),
                        P=sp.csc_array(np.array([[2.0]])))  # fmt: skip
    bound = lower_bound(form, np.array([1.1]), np.zeros(0))
    assert bound == pytest.approx(-1.0, abs=1e-5)
    assert bound <= -1.0


def test_a_column_with_a_range_is_charged_by_that_whatever_its_square():
    # min x + 1e-6 x**2 / 2 + y**2 / 2 over 0 <= x <= 1: the square of x would allow for -5e5.
    form = StandardForm(np.array([1.0, 0.0]), 0.0, sp.csc_array((0, 2)), np.zeros(0), Cones(),
                        P=sp.csc_array(np.diag([1e-6, 1.0])), lower=np.array([0.0, -np.inf]),
                        upper=np.array([1.0, np.inf]))  # fmt: skip
    bound = lower_bound(form, np.array([0.0, 0.1]), np.zeros(0))
    assert bound == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("spoilt", ["x", "z"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_proves_nothing(spoilt, bad):
    problem = known(8, quadratic=True)
    x, z = problem.x.copy(), problem.z.copy()
    (x if spoilt == "x" else z)[0] = bad
    bound = lower_bound(problem.form, x, z)
    assert bound == -np.inf or spoilt == "z"
    assert not bound > float(problem.optimum)


def test_a_hundred_thousand_rows_take_a_moment():
    rng = np.random.default_rng(0)
    size, each = 100_000, 6
    where = np.repeat(np.arange(size), each), rng.integers(0, size, size * each)
    A = sp.csc_array(sp.coo_array((rng.normal(size=size * each), where), shape=(size, size)))
    form = StandardForm(np.ones(size), 0.0, A, np.ones(size), Cones(nonneg=size),
                        lower=np.zeros(size), upper=np.ones(size))  # fmt: skip
    start = time.process_time()
    assert np.isfinite(lower_bound(form, np.ones(size), rng.random(size)))
    assert time.process_time() - start < 3.0


def nearly_parallel(seed, size):
    """Pairs of rows that differ in the last digits; HiGHS alone is wrong on some of these."""
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 6, (10, 8))
    A = np.vstack([base * size + rng.integers(-1, 2, (10, 8)) for _ in range(2)])
    b = np.tile(rng.integers(3, 15, 10), 2) * size + rng.integers(-2, 3, 20)
    return StandardForm(-base[0].astype(float), 0.0, sp.csc_array(np.maximum(A, 0).astype(float)),
                        b.astype(float), Cones(nonneg=20),
                        lower=np.zeros(8), upper=np.full(8, 10.0))  # fmt: skip


def test_the_gap_catches_every_wrong_answer_on_nearly_parallel_rows():
    caught = 0
    for seed in range(40):
        form = nearly_parallel(seed, 3000)
        optimum = float(linear_optimum(form))
        x, z = highs(form)
        gap = form.objective(x) - lower_bound(form, x, z)
        error = form.objective(x) - optimum
        assert gap >= error - 1e-12
        caught += error > 1e-6
        scaling = equilibrate(form, mild=-1.0)
        sharp = {"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9}
        scaled = scaling.of(form)
        y, w = highs(scaled, **sharp)
        assert scaled.objective(y) - lower_bound(scaled, y, w) < 1e-9
        assert scaling.value(scaled.objective(y)) == pytest.approx(optimum, rel=1e-9)
    assert caught > 0, "these rows are no test any more: HiGHS is right on all of them"


def test_a_reduced_cost_of_unknown_sign_costs_the_farthest_end():
    """Within 1e-3 of zero, over [-2, 5]: it may cost 5e-3 and no more; beside it a plain one."""
    reduced = Sums(np.array([0.0, 2.0]), np.zeros(2), np.array([1e-3, 0.0]))
    charges, unknown = charge_columns(reduced, np.array([-2.0, -3.0]), np.array([5.0, 4.0]))
    assert not unknown.any()
    assert charges.lower == pytest.approx([-5e-3, -6.0], rel=1e-5)
    assert charges.lower[0] <= -5e-3


INF = np.inf


def charge(value, error, lower, upper):
    reduced = Sums(np.array([value]), np.zeros(1), np.array([error]))
    charges, unknown = charge_columns(reduced, np.array([lower]), np.array([upper]))
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


@pytest.mark.parametrize("apart", [0.0, 2.0**-50, 2.0**-30])
def test_a_free_column_is_balanced_to_more_digits_than_floats_have(apart):
    """min x + (1 + apart) y over x + y = 2 is 2 if nothing is apart, and else has no bound."""
    form = StandardForm(np.array([1.0, 1.0 + apart]), 0.0, sp.csc_array([[-1.0, -1.0]]),
                        np.array([-2.0]), Cones(zero=1))  # fmt: skip
    bound = lower_bound(form, np.ones(2), np.array([1.0 + 1e-9]))
    assert bound == (-np.inf if apart else pytest.approx(2.0, abs=1e-15))


# Local metrics of the dual cones, and steps towards their inside.


def cone(cones, z):
    """A form of nothing but the rows of some cones, with terms at some multipliers."""
    rows = z.size
    form = StandardForm(np.zeros(rows), 0.0, -sp.csc_array(np.eye(rows)), np.zeros(rows), cones)
    return TermSizes(form, z, z)


@pytest.mark.parametrize(
    ("z", "mate", "square"),
    [
        # 2 z z' - (4 p q - r**2) [[0, 1/2, 0], [1/2, 0, 0], [0, 0, -1]], of 24 - 16
        ([2, 3, 4], 1, [[8, 8, 16], [8, 18, 24], [16, 24, 40]]),
        ([2, 4, 3], 2, [[8, 16, 8], [16, 40, 24], [8, 24, 18]]),
        # 4 - 1 - 1
        ([1, 1, 1, 1], 1, [[2, 1, 2, 2], [1, 2, 2, 2], [2, 2, 4, 2], [2, 2, 2, 4]]),
        # Outside there is no distance to the surface: 2 z z'
        ([1, 1, 4], 1, [[2, 2, 8], [2, 2, 8], [8, 8, 32]]),
        ([0, 1, 0], 1, [[0, 0, 0], [0, 2, 0], [0, 0, 0]]),
        ([3, 5], 1, [[18, 0], [0, 50]]),  # 30 - 60 / 2
        ([-3], 0, [[9]]),
    ],
)
def test_the_metric_of_a_second_order_cone(z, mate, square):
    root = module._root_of_pair(np.array(z, float), mate)
    np.testing.assert_allclose(root @ root.T, square, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("layout", ["upper", "lower", "full"])
def test_the_metric_of_matrices_is_their_root_on_both_sides(layout):
    z = triangle(np.array([[4.0, 0.0], [0.0, 9.0]]), layout)
    root = module._root_semidefinite(z, 2, layout)
    step = np.array([[1.0, 2.0], [2.0, 3.0]])
    found = matrix(root @ triangle(step, layout), 2, layout)
    np.testing.assert_allclose(found, [[4, 12], [12, 27]], rtol=1e-14)
    turned = np.array([[13.0, 5.0], [5.0, 13.0]]) / 2  # of the values 4 and 9 along (1, -1), (1, 1)
    root = module._root_semidefinite(triangle(turned, layout), 2, layout)
    found = matrix(root @ triangle(np.ones((2, 2)), layout), 2, layout)
    np.testing.assert_allclose(found, [[9, 9], [9, 9]], rtol=1e-14)
    below = module._root_semidefinite(triangle(np.diag([-4.0, 9.0]), layout), 2, layout)
    found = matrix(below @ triangle(step, layout), 2, layout)
    np.testing.assert_allclose(found, [[0, 0], [0, 27]], atol=1e-14)


def test_each_cone_has_its_metric_in_its_place():
    z = np.array([7, 5, 3, 5, 2, 3, 4, 4, 0, 9, -1, 2, 3, 6, 5, -4], float)
    cones = Cones(nonneg=1, soc=(1, 2, 3), psd=(2,), exp=1, power=((0.5, 0.5),))
    roots = module._roots(cone(cones, z), z)
    assert [len(root) for root in roots] == [1, 2, 3, 3, 3, 3]
    assert roots[0].tolist() == [[5.0]]
    np.testing.assert_array_equal(roots[1], module._root_of_pair(z[2:4], 1))
    at = module._root_of_pair(z[4:7], cone(cones, z).frame.mates[1] - 4)
    np.testing.assert_array_equal(roots[2], at)
    np.testing.assert_allclose(np.diag(roots[3]), [4, 6, 9])
    assert roots[4].tolist() == np.diag([1.0, 2, 3]).tolist()
    assert roots[5].tolist() == np.diag([6.0, 5, 4]).tolist()


def test_multipliers_are_moved_inwards_by_a_share_of_themselves():
    cones = Cones(zero=1, nonneg=1, soc=(1, 3), psd=(2,), exp=2, power=((0.5, 0.5),))
    z = np.array([1, 2, 3, 2, 3, 4, 4, 1, 9, -1, 2, 3, -5, -6, 7, 6, 5, -4], float)
    before = z.copy()
    terms = cone(cones, z)
    assert terms.frame.mates.tolist() == [5]
    moved = module.inwards(terms, z, 0.25)
    wanted = [1, 2, 3, 2.5, 3, 5, 5, 1, 11.25, -1, 2.25, 3.75, -5, -4.75, 8.75, 7.5, 6.25, -4]
    assert moved == pytest.approx(wanted, rel=1e-15)
    np.testing.assert_array_equal(z, before)


def test_a_square_of_its_own_holds_a_column_near_the_point():
    """r (y - x) + p / 2 (y - x)**2 is at least -r**2 / 2p; also beside an error of the cost r."""
    P = sp.csc_array(np.array([[2.0, 0, 0, 0], [0, 4, 1, 0], [0, 1, 4, 0], [0, 0, 0, 0]]))
    reduced = Sums(np.array([3.0, 1, 1, 1]), np.zeros(4), np.array([0.5, 0, 0, 0]))
    x = np.array([5.0, 1, 1, 1])
    everything = np.ones(4, dtype=bool)
    charges, strong = module._bend(P, x, reduced, everything)
    assert strong.tolist() == [True, False, False, False]
    # 15 +- 2.5, less 3.5**2 / 4
    assert charges.lower[0] == pytest.approx(15 - 2.5 - 3.0625, rel=1e-5)
    assert charges.lower[0] <= 15 - 2.5 - 3.0625
    assert not module._bend(P, x, reduced, ~everything)[1].any()
    falling = Sums(np.array([-3.0, 1, 1, 1]), np.zeros(4), np.array([0.5, 0, 0, 0]))
    assert module._bend(P, x, falling, everything)[0].lower[0] == pytest.approx(-15 - 2.5 - 3.0625)


def test_sums_are_put_together_and_what_is_no_number_bounds_nothing():
    one, other = (
        Sums(*(np.array([k, k + 1.0]) for k in range(start, start + 3))) for start in (1, 7)
    )
    mixed = module._where(np.array([True, False]), one, other)
    assert [part.tolist() for part in (mixed.high, mixed.low, mixed.error)] == [
        [1, 8], [2, 9], [3, 10]
    ]  # fmt: skip
    assert module._lower(Sums.of(np.array([1.0, 2.0])), Sums.of(np.array([-5.0]))) == -2.0
    with np.errstate(invalid="ignore"):
        assert module._lower(Sums.of(np.array([np.nan]))) == -np.inf


def test_the_metric_weighs_rows_by_their_multipliers_and_equations_by_the_worth_of_all():
    """Two equations, an inequality and an exponential triple: worth of 2 + 3 + 8 + 10 + ..."""
    A = sp.csc_array(np.vstack([[4.0, 0], [0, 0], [1, 1], np.zeros((3, 2))]))
    form = StandardForm(np.array([2.0, -3.0]), 0.0, A, np.array([4.0, 0, 5, 0, 0, 0]),
                        Cones(zero=2, nonneg=1, exp=1))  # fmt: skip
    x, z = np.array([1.0, -1.0]), np.array([-2.0, -6.0, 2.0, -1.0, 2.0, 3.0])
    terms = TermSizes(form, x, z)
    assert worth(form, x, z) == 2 + 3 + 8 + 10
    metric = module._metric(terms, x, z, terms.row_sizes(x)).toarray()
    # 23 over terms of 8; an equation without terms has its multiplier's own size.
    inner = module.inwards(terms, z, 1e-2)[3:]
    np.testing.assert_allclose(metric, np.diag([23 / 8, 6, 2, *np.abs(inner)]))
    large = module._metric(terms, x, np.array([-60.0, 0, 2, -1, 2, 3]), terms.row_sizes(x))
    assert large.toarray()[0, 0] == 60.0 >= (5 + 240 + 10) / 8
    rowless = StandardForm(np.ones(1), 0.0, sp.csc_array((0, 1)), np.zeros(0), Cones())
    none = TermSizes(rowless, np.ones(1), np.zeros(0))
    assert module._metric(none, np.ones(1), np.zeros(0), np.zeros(0)).shape == (0, 0)
    conic = cone(Cones(exp=1), np.array([-1.0, 2.0, 3.0]))
    alone = module._metric(conic, np.ones(3), np.array([-1.0, 2, 3]), np.ones(3))
    np.testing.assert_allclose(alone.toarray(), np.diag([1.0, 2.01, 3.03]))


def test_the_objective_is_a_row_up_to_half_its_terms_above_the_point():
    """Least x + 2y + 5 with x of at least 0 at (1, 1): 3 + 3/2 are left, so y is at most 9/4."""
    form = StandardForm(np.array([1.0, 2.0]), 5.0, sp.csc_array((0, 2)), np.zeros(0), Cones(), None,
                        np.array([0.0, -np.inf]))  # fmt: skip
    x, stated = np.ones(2), form.ranges()
    (lower, upper), ceiling = module._implied(form, x, stated)
    assert ceiling == 9.5
    assert upper[1] == pytest.approx(2.25, rel=1e-14)
    assert (lower[1], upper[0]) == (-np.inf, np.inf)
    free = StandardForm(np.zeros(2), 5.0, form.A, form.b, Cones(), None, form.lower)
    assert module._implied(free, x, stated)[1] == np.inf
    curved = StandardForm(form.c, 5.0, form.A, form.b, Cones(), sp.csc_array(np.eye(2)), form.lower)
    (_, upper), ceiling = module._implied(curved, x, stated)
    assert (upper[1], ceiling) == (np.inf, np.inf)


def test_only_columns_without_an_end_are_charged_by_what_rows_imply():
    """Least x + y with x of at least -5 by rows, and y of at least 0, or of 1 by its row: -5."""
    form = StandardForm(np.ones(2), 0.0, sp.csc_array(-np.eye(2)), np.array([5.0, -1.0]),
                        Cones(nonneg=2), None, np.array([-INF, 0.0]), np.full(2, 9.0))  # fmt: skip
    x, z = Pair.of(np.ones(2)), Pair.of(np.zeros(2))
    terms = TermSizes(form, x.high, z.high)
    assert charged_bound(terms, x, z, form.ranges()) == pytest.approx(-5.0, rel=1e-14)


# Multipliers that are corrected where nothing bounds a column.


def corrections(form, x, z, **more):
    """What there is to choose from: points and multipliers with the bound that each proves."""
    terms, ranges = TermSizes(form, x, z), form.ranges()
    with np.errstate(all="ignore"):
        inside = into_dual(terms, terms.frame.enter(z), terms.row_sizes(x))
        found = list(module.balanced(terms, x, inside, ranges, REDUCED_TO_ZERO, None))
        bounds = [charged_bound(terms, *pairs, ranges) - doubt for *pairs, doubt in found]
    return found, bounds, bound_in_dual_cones(terms, x, inside, **more)


def test_the_best_of_all_corrections_counts_but_no_more_than_enough_are_tried():
    """Least t + u + 3y over t + u + y = 2 and y + v = 1, with y between its ends at first.

    With all three balanced the multiplier of the second row is -2, and v costs 2 up to its end 20:
    all that is proved is 2 + 2 - 40 = -36. With t and u alone the other multiplier stays 1/10: y
    costs nothing at its end 0, v 1/10 at its end -10, and 2 - 1/10 - 1 is proved.
    """
    form = StandardForm(np.array([1.0, 1, 3, 0]), 0.0, sp.csc_array([[1.0, 1, 1, 0], [0, 0, 1, 1]]),
                        np.array([2.0, 1.0]), Cones(zero=2), None, np.array([-INF, -INF, 0, -10]),
                        np.array([INF, INF, 1.0, 20.0]))  # fmt: skip
    x, z = np.array([1.0, 0.5, 0.5, 20.0]), np.array([-0.5, 0.1])
    _, bounds, best = corrections(form, x, z)
    assert bounds == pytest.approx([-36.0, 0.9], abs=1e-13)
    assert best == bounds[1]
    assert corrections(form, x, z, enough=-40.0)[2] == bounds[0]
    assert corrections(form, x, z, enough=-30.0)[2] == bounds[1]


@pytest.mark.parametrize("seed", [0, 2])
def test_what_a_surface_leaves_in_doubt_is_taken_from_the_bound(seed):
    problem, rng = known(seed, kinds=("soc", "soc"), free=True), np.random.default_rng(seed)
    z = problem.z * (1.0 + 1e-9 * rng.normal(size=problem.z.size))
    ((*pairs, doubt),), _, bound = corrections(problem.form, problem.x, z)
    terms = TermSizes(problem.form, problem.x, z)
    assert doubt > 0.0
    # The multipliers that were found are outside by half of that, over the terms of their rows.
    inside = into_dual(terms, pairs[1].high, terms.row_sizes(problem.x))
    away = np.abs(inside - pairs[1].high) @ terms.row_sizes(problem.x)
    assert doubt == pytest.approx(2.0 * away, rel=1e-9)
    ranges = problem.form.ranges()
    assert bound == charged_bound(terms, *pairs, ranges) - doubt < problem.optimum


def test_a_column_at_its_end_is_balanced_where_its_cost_leads_to_no_end():
    """Least x + 3y over x + y >= 1, x >= 0 and 1 <= y <= 5: 3, where x must not cost -1e-9."""
    form = StandardForm(np.array([1.0, 3.0]), 0.0, sp.csc_array([[-1.0, -1.0]]), -np.ones(1),
                        Cones(nonneg=1), None, np.array([0.0, 1]), np.array([INF, 5]))  # fmt: skip
    found, bounds, best = corrections(form, np.array([0.0, 1.0]), np.array([1.0 + 1e-9]))
    assert len(found) == 1
    assert best == bounds[0] == pytest.approx(3.0, abs=1e-15)


def test_no_correction_is_tried_twice():
    """Least u + v over u + v = 2: the same two columns are in need at first and at last."""
    form = StandardForm(np.ones(2), 0.0, sp.csc_array([[1.0, 1.0]]), np.array([2.0]), Cones(zero=1))
    found, bounds, _ = corrections(form, np.ones(2), np.array([-0.5]))
    assert len(found) == 1
    assert bounds == [2.0]
    assert found[0][2] == 0.0
    # From multipliers of nothing, too: those of equations may become something.
    assert corrections(form, np.ones(2), np.zeros(1))[1:] == ([2.0], 2.0)


def test_multipliers_that_would_become_negative_are_left_out():
    """Least u + v over u + v >= 2 and u + v >= 1, from 6/5 and 1/1000: -1/10 each is too much."""
    form = StandardForm(np.ones(2), 0.0, sp.csc_array(-np.ones((2, 2))), np.array([-2.0, -1.0]),
                        Cones(nonneg=2))  # fmt: skip
    found, bounds, best = corrections(form, np.ones(2), np.array([1.2, 1e-3]))
    assert found[0][1].high.tolist() == pytest.approx([1.0, 0.0], abs=1e-15)
    assert (best, bounds[0]) == (pytest.approx(2.0, abs=1e-14),) * 2


PUSHED = [("exp", True, 26), ("exp", True, 30), ("power", False, 9), ("power", False, 16),
          ("power", True, 15), ("power", True, 22)]  # fmt: skip


@pytest.mark.parametrize("noise", [1e-12, 1e-9, 1e-7])
@pytest.mark.parametrize(("kind", "quadratic", "seed"), PUSHED)
def test_multipliers_off_by_noise_cost_the_bound_about_as_much(kind, quadratic, seed, noise):
    problem = known(seed, kinds=(kind, kind), quadratic=quadratic, free=True)
    z = problem.z * (1.0 + noise * np.random.default_rng(seed).normal(size=problem.z.size))
    optimum = float(problem.optimum)
    bound = corrections(problem.form, problem.x, z)[2]
    assert optimum - 10.0 * noise * abs(optimum) <= bound <= optimum + 1e-13 * abs(optimum)


@pytest.mark.parametrize(("apart", "proved"), [(2.0**-50, True), (2.0**-30, False)])
def test_of_computed_numbers_some_roundings_are_nothing(apart, proved):
    """Least x + (1 + apart) y over x + y = 2, where costs up to 2**-48 of their terms are noise."""
    form = StandardForm(np.array([1.0, 1.0 + apart]), 0.0, sp.csc_array([[-1.0, -1.0]]),
                        np.array([-2.0]), Cones(zero=1))  # fmt: skip
    x, z = np.ones(2), np.ones(1)
    terms = TermSizes(form, x, z)
    for start in (z, 0.5 * z):
        found = bound_in_dual_cones(terms, x, start, zero=2.0**-48)
        assert found == (pytest.approx(2.0, abs=1e-14) if proved else -np.inf)


def test_ties_of_decimals_are_ties():
    """Three free columns and two multipliers of 1: 0.1 + 0.2 = 0.3 and 0.1 + 0.1 = 0.2."""
    A = sp.csc_array(-np.array([[0.1, 0.2, 0.1], [0.2, 0.1, 0.1]]))
    form = StandardForm(np.array([0.3, 0.3, 0.2]), 0.0, A, -np.ones(2), Cones(nonneg=2))
    x, z = np.array([1.0, 1.0, 7.0]), np.ones(2)
    costs = np.array([float(Fraction(3, 10) - Fraction(0.3))] * 2 + [0.0])
    costs[2] = float(Fraction(2, 10) - Fraction(0.2))
    meant = np.array([[float(Fraction(str(-v)) * -1 - Fraction(v)) for v in row]
                      for row in A.toarray().tolist()])  # fmt: skip
    decimals = DecimalResiduals(costs, sp.csc_array(meant))
    terms = TermSizes(form, x, z)
    assert bound_in_dual_cones(terms, x, z) == -np.inf
    assert bound_in_dual_cones(terms, x, z, decimals=decimals) == pytest.approx(2.0, abs=1e-14)
    asked = []

    def ask():
        asked.append(True)
        return decimals

    assert measure(form, x, z, claimed=2.0).bound is None
    assert measure(form, x, z, claimed=2.0, decimals=ask).bound == pytest.approx(2.0, abs=1e-14)
    assert asked == [True]


def test_steps_are_of_length_one_where_squares_are_worth_the_objective():
    """P = diag(4, 1/4, 0) at (1, 2, 3): c x = 3, x P x / 2 = 5/2; no rows. 3, 11/2 or 6 at most."""
    P = sp.csc_array(np.diag([4.0, 0.25, 0.0]))
    form = StandardForm(np.array([0.0, 0.0, 1.0]), 0.0, sp.csc_array((0, 3)), np.zeros(0), Cones(),
                        P)  # fmt: skip
    x = np.array([1.0, 2.0, 3.0])
    terms, none = TermSizes(form, x, np.zeros(0)), np.zeros(0)
    system = module._in_metric(terms, x, none, np.array([0, 1]), none)
    assert system.reach[:2] == pytest.approx(np.sqrt(np.array([5.5 / 4.0, 5.5 / 0.25])))
    assert system.scale.tolist() == [4.0, 0.5]  # |P||x|
    effects = np.diag([system.reach[0] * 4.0 / 4.0, system.reach[1] * 0.25 / 0.5])
    np.testing.assert_allclose(system.effects.toarray()[:2], effects)
