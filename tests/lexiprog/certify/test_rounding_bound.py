"""What is proved with an a-priori rounding bound is true, and next to all there is to prove."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lexiprog.canon.cones import project
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify import rounding_bound
from lexiprog.certify.bound import lower_bound
from lexiprog.certify.measures import measure, measure_batch
from lexiprog.certify.rounding_bound import LinearBatch, bound_with_rounding
from lexiprog.certify.terms import TermSizes
from lexiprog.tolerances import LONG_ROUNDOFF, UNIT_ROUNDOFF
from tests.lexiprog.certify.exact_bounds import bound_by_hand, linear_optimum

BOUND_LOSS = 1e-12  # as a share of 1 + |value|

seeds = st.integers(0, 2**32 - 1)


def signed(form, z):
    """Multipliers in the dual cones."""
    return np.where(np.arange(z.size) < form.cones.zero, z, np.maximum(z, 0.0))


def quadratic(seed):
    """Squares of any kind over rows and a box, with a point and multipliers of anybody's choice."""
    rng = np.random.default_rng(seed)
    m, n = (int(k) for k in rng.integers(1, 7, 2))
    A = rng.normal(size=(m, n)) * (rng.random((m, n)) < 0.7)
    A[0, 0] = 1.0
    root = rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.5)
    zero = int(rng.integers(0, m + 1))
    lower = rng.normal(size=n)
    form = StandardForm(
        rng.normal(size=n), float(rng.normal()), sp.csc_array(A), rng.normal(size=m),
        Cones(zero=zero, nonneg=m - zero), sp.csc_array(root @ root.T), lower,
        lower + rng.uniform(0.0, 3.0, n),
    )  # fmt: skip
    return form, rng.uniform(form.lower, form.upper), signed(form, rng.normal(size=m))


def distance(seed):
    """The distance of a point from a box, as a cone's first row, and the answer by hand."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    far = rng.uniform(1.5, 4.0, n) * rng.choice([-1.0, 1.0], n)
    nearest = np.clip(far, -1.0, 1.0)
    value = float(np.linalg.norm(far - nearest))
    # Columns t and y: rows y <= 1, -y <= 1, and (t, far - y) in the cone.
    box = np.hstack([np.zeros((n, 1)), np.eye(n)])
    head = np.append(-1.0, np.zeros(n))
    A = sp.csc_array(np.vstack([box, -box, head, box]))
    b = np.concatenate([np.ones(2 * n), [0.0], far])
    form = StandardForm(np.append(1.0, np.zeros(n)), 0.0, A, b, Cones(0, 2 * n, (n + 1,)))
    along = (far - nearest) / value
    z = np.concatenate([np.maximum(along, 0.0), np.maximum(-along, 0.0), [1.0], -along])
    return form, np.append(value, nearest), z, value


def boxed(seed):
    """A form with rows of both kinds in a box, and a point and multipliers that need not fit it."""
    rng = np.random.default_rng(seed)
    m, n = (int(k) for k in rng.integers(1, 7, 2))
    A = np.round(rng.normal(size=(m, n)), int(rng.integers(0, 17))) * (rng.random((m, n)) < 0.7)
    A[0, 0] = 1.0
    zero = int(rng.integers(0, m + 1))
    lower = rng.normal(size=n)
    form = StandardForm(
        rng.normal(size=n), float(rng.normal()), sp.csc_array(A), rng.normal(size=m),
        Cones(zero=zero, nonneg=m - zero), lower=lower, upper=lower + rng.uniform(0, 3, n),
    )  # fmt: skip
    z = rng.normal(size=m) if seed % 2 else np.abs(rng.normal(size=m))
    return form, rng.uniform(lower - 0.1, form.upper + 0.1), signed(form, z)


@given(seed=seeds)
def test_it_is_below_the_bound_in_fractions_and_next_to_it(seed):
    form, x, z = quadratic(seed)
    value = form.objective(x)
    found, exact = bound_with_rounding(form, x, z), bound_by_hand(form, x, z)
    assert found is not None
    assert Fraction(found) <= exact
    assert float(exact - Fraction(found)) <= 2.0 * BOUND_LOSS * (1.0 + abs(value))


@given(seed=seeds)
def test_squares_of_their_own_hold_columns_without_bounds(seed):
    """Half of the distance from a point to a plane, squared, from multipliers that are a bit off.

    The minimum of |x|^2 / 2 where a @ x = b is b^2 / 2 |a|^2.
    """
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(0.5, 2.0, 3), float(rng.uniform(1.0, 3.0))
    rows = Cones(zero=1)
    form = StandardForm(
        np.zeros(3), 0.0, sp.csc_array(a[None]), np.array([b]), rows, sp.eye_array(3, format="csc")
    )
    optimum = Fraction(b) ** 2 / (2 * sum(Fraction(v) ** 2 for v in a.tolist()))
    off = float(rng.choice([0.0, 1e-6, 1e-3]))
    x = a * b / (a @ a) + off * rng.normal(size=3)
    z = np.array([-b / (a @ a) + off * float(rng.normal())])
    found = bound_with_rounding(form, x, z)
    assert found is not None
    assert Fraction(found) <= optimum
    assert float(optimum - Fraction(found)) <= 1e-12 + 100.0 * off**2


@given(seed=seeds, noise=st.sampled_from([0.0, 1e-16, 1e-13, -1e-13]))
def test_a_length_whose_multiplier_is_a_little_too_large_is_bounded_as_well(seed, noise):
    form, x, z, value = distance(seed)
    found = bound_with_rounding(form, x, project(form.cones, z * (1.0 + noise), dual=True))
    assert found is not None
    # The length as floats have it is itself wrong by a rounding or two.
    assert found <= value * (1.0 + 2.0**-50)
    assert found >= value - 1e-11


@pytest.mark.parametrize("seed", range(20))
def test_it_says_what_twice_the_working_precision_says(seed):
    form, x, z = quadratic(seed)
    value = form.objective(x)
    slow = lower_bound(TermSizes(form, x, z), x, z)
    assert bound_with_rounding(form, x, z) <= slow + BOUND_LOSS * (1.0 + abs(value))


def test_what_is_not_that_simple_is_left_to_others():
    form, x, z = quadratic(3)
    assert bound_with_rounding(form, x, z) is not None
    assert bound_with_rounding(form, np.full(x.size, np.nan), z) is None
    assert bound_with_rounding(form, x, np.full(z.size, np.nan)) is None
    assert bound_with_rounding(replace(form, A=form.A.tocsr()), x, z) is None
    # A length that its multiplier makes negative by far has no least.
    form, x, z, _ = distance(3)
    assert bound_with_rounding(form, x, project(form.cones, 1.01 * z, dual=True)) is None
    # A free column with a reduced cost has no least either.
    free = StandardForm(np.ones(1), 0.0, sp.csc_array(np.ones((1, 1))), np.ones(1), Cones(nonneg=1))
    assert bound_with_rounding(free, np.ones(1), np.array([0.5])) is None


def test_a_free_column_is_not_known_to_cost_nothing_where_rounding_hides_it():
    """1 - 1 + 2^-80 is zero in the processor's longest floats, and yet no bound at all."""
    rows = np.array([[-1.0, -1.0], [2.0**-80, 2.0**-80]])
    form = StandardForm(np.ones(2), 0.0, sp.csc_array(rows), np.array([-1.0, 1.0]), Cones(nonneg=2))
    assert bound_with_rounding(form, np.array([0.5, 0.5]), np.ones(2)) is None
    boxed = replace(form, lower=np.zeros(2), upper=np.ones(2))
    assert bound_with_rounding(boxed, np.array([0.5, 0.5]), np.ones(2)) == pytest.approx(
        0.0, abs=1e-9
    )


@given(seed=seeds)
def test_it_is_below_the_bound_of_a_linear_program_in_fractions_and_next_to_it(seed):
    form, x, z = boxed(seed)
    value = form.objective(x)
    found, exact = bound_with_rounding(form, x, z), bound_by_hand(form, x, z)
    assert Fraction(found) <= exact
    assert float(exact - Fraction(found)) <= 2 * BOUND_LOSS * (1.0 + abs(value))


@pytest.mark.parametrize("seed", range(0, 60, 2))
def test_no_multipliers_exceed_the_optimum(seed):
    form, x, z = boxed(seed)
    optimum = linear_optimum(form)
    if optimum is not None:
        assert Fraction(bound_with_rounding(form, x, z)) <= optimum


@given(seed=seeds)
def test_the_measures_are_those_of_twice_the_working_precision(seed):
    form, x, z = boxed(2 * (seed // 2))
    x = np.clip(x, form.lower, form.upper)
    quick = measure(form, x, z, claimed=1.0)
    by_rows = replace(form, A=form.A.tocsr())  # which has no other bound
    slow = measure(by_rows, x, z, claimed=1.0)
    for name, value in slow.certificate.measures.items():
        if name != "gap":
            assert quick.certificate.measures[name] == pytest.approx(value, abs=1e-10, rel=1e-10)
    optimum = linear_optimum(form)
    assert optimum is None or Fraction(quick.bound) <= optimum


@given(seed=seeds)
def test_several_at_once_are_measured_as_each_alone(seed):
    """Other objectives, boxes and equations over one matrix, rows in its own order."""
    rng = np.random.default_rng(seed)
    form, *_ = boxed(seed)
    m, n = form.A.shape
    equations = rng.random((3, m)) < 0.4
    c, z, lower = rng.normal(size=(3, n)), rng.normal(size=(3, m)), rng.normal(size=(3, n)) - 1.0
    x = lower + rng.uniform(0.0, 2.0, (3, n))
    batch = LinearBatch(form.A, form.b, c, np.zeros(3), lower, lower + 2.0)
    claims = rng.normal(size=3).tolist()
    pulled, activity = batch.pulled(z), batch.rows_at(x)[1]
    measured = measure_batch(batch, equations, x, z, claims, tolerance=1e-5)
    for k, together in enumerate(measured):
        if together is None:  # not proved: it is measured alone
            continue
        order = np.argsort(~equations[k], kind="stable")
        zero = int(equations[k].sum())
        alone = StandardForm(
            c[k], 0.0, form.A[order], form.b[order], Cones(zero=zero, nonneg=m - zero),
            lower=lower[k], upper=lower[k] + 2.0,
        )  # fmt: skip
        # Of a multiplier of the wrong sign only what is left of it is charged to the bounds.
        left = np.where(equations[k], z[k], np.maximum(z[k], 0.0))
        single = measure(alone, x[k], left[order], claimed=claims[k], tolerance=1e-5)
        # Alone, multipliers that prove too little are corrected.
        assert together.bound <= single.bound + 1e-13 * (1.0 + abs(single.bound))
        ours, theirs = together.certificate, single.certificate
        assert (ours.tolerance, ours.gap_tolerance) == (theirs.tolerance, theirs.gap_tolerance)
        for name in ("rows", "slackness", "claim"):
            assert getattr(ours, name) == pytest.approx(getattr(theirs, name), rel=1e-9, abs=1e-13)
        assert pulled[k] == pytest.approx(form.A.T @ z[k], rel=1e-13, abs=1e-13)
        assert activity[k] == pytest.approx(form.A @ x[k], rel=1e-13, abs=1e-13)


def test_a_batch_leaves_open_columns_and_what_is_no_number_to_the_single_measure():
    form, x, z = boxed(4)
    lower, upper = np.array([form.lower] * 4), np.array([form.upper] * 4)
    upper[1, 0] = np.inf
    x, z = np.array([np.clip(x, form.lower, form.upper)] * 4), np.array([z] * 4)
    x[2, 0], x[3, 0] = np.nan, 9.0  # no number, and beyond its bounds
    batch = LinearBatch(form.A, form.b, np.array([form.c] * 4), np.zeros(4), lower, upper)
    equations = np.zeros((4, form.b.size), dtype=bool)
    with np.errstate(invalid="ignore"):
        measured = measure_batch(batch, equations, x, z, [0.0] * 4, tolerance=1e-6)
    assert [one is None for one in measured][1:] == [True, True, True]


def rounded_down(rng, count):
    """Pairs of positive numbers whose product is rounded down."""
    found = []
    while len(found) < count:
        one, other = rng.uniform(1, 2, 2)
        if Fraction(one) * Fraction(other) > Fraction(one * other):
            found.append((one, other))
    return np.array(found).T


@pytest.mark.parametrize("where", ["rows", "columns"])
def test_products_that_are_all_rounded_to_one_side_do_not_lift_the_bound(where):
    """Fifty products, each a little too small: in sum more than the last digit of the bound."""
    many, rng = 50, np.random.default_rng(5)
    one, other = rounded_down(rng, many)
    if where == "rows":  # offset - b'z, with a column that hardly moves
        A, x, z = np.full((many, 1), 1e-9), np.zeros(1), other
        form = StandardForm(np.zeros(1), 0.0, sp.csc_array(A), one, Cones(nonneg=many),
                            lower=np.zeros(1), upper=np.full(1, 1e-9))  # fmt: skip
    else:  # -c'x at the upper ends
        A, x, z = np.eye(many), np.zeros(many), np.zeros(many)
        form = StandardForm(-one, 0.0, sp.csc_array(A), np.full(many, 9.0), Cones(nonneg=many),
                            lower=np.zeros(many), upper=other)  # fmt: skip
    found = bound_with_rounding(form, x, z)
    assert Fraction(found) <= bound_by_hand(form, x, z)


def test_where_rounding_hides_the_sign_multipliers_are_made_smaller_by_a_rounding():
    """1 - 1 - 2^-80 x falls for ever over x >= 0; 1 - (1 - 2^-52) (1 + 2^-80) does not."""
    form = StandardForm(np.ones(1), 0.0, sp.csc_array([[-1.0], [-(2.0**-80)]]), -np.ones(2),
                        Cones(nonneg=2), lower=np.zeros(1))  # fmt: skip
    bound = bound_with_rounding(form, np.ones(1), np.ones(2))
    # Each of the two multipliers loses two units, and eight are taken from the sum.
    assert (2.0 - bound) / UNIT_ROUNDOFF == pytest.approx(4 + 16, abs=1.5)
    turned = replace(form, A=-form.A, c=-form.c, lower=None, upper=np.zeros(1))
    assert bound_with_rounding(turned, -np.ones(1), np.ones(2)) == bound


@pytest.mark.parametrize("unit", [1.0, 4.0, 0.125])
def test_multipliers_that_are_too_large_lose_twice_what_is_too_much_in_any_unit(unit):
    """The least x over x >= 1, beside y of nothing at all, with the multiplier 1 + 1e-12."""
    A, ends = sp.csc_array([[-unit, -1.0]]), (np.zeros(2), np.array([np.inf, 0.0]))
    form = StandardForm(np.array([unit, 0.0]), 0.0, A, -np.ones(1), Cones(nonneg=1), None, *ends)
    bound = bound_with_rounding(form, np.zeros(2), np.array([1.0 + 1e-12]))
    assert 1.0 - bound == pytest.approx(1e-12, rel=0.01, abs=0.0)


def test_only_columns_without_a_known_end_are_charged_by_their_squares():
    """Least x + 1e-6 x**2 / 2 over 0 <= x <= 1, beside y**2 / 2 of a free column, is 0."""
    form = StandardForm(np.array([1.0, 0.0]), 0.0, sp.csc_array([[1.0, 1.0]]), np.full(1, 9.0),
                        Cones(nonneg=1), sp.csc_array(np.diag([1e-6, 1.0])),
                        np.array([0.0, -np.inf]), np.array([1.0, np.inf]))  # fmt: skip
    assert bound_with_rounding(form, np.zeros(2), np.zeros(1)) == pytest.approx(0.0, abs=1e-15)


def test_what_rounding_adds_to_a_reduced_cost_is_charged_with_its_square():
    """2^-10 of terms of 2^41 beside x**2 / 2: six long roundings of these, and one of itself."""
    form = StandardForm(np.array([2.0**40, 0.0]), 0.0, sp.csc_array([[-1.0, 1.0]]), np.zeros(1),
                        Cones(nonneg=1), sp.csc_array(np.diag([1.0, 0.0])),
                        np.array([-np.inf, 0.0]), np.array([np.inf, 0.0]))  # fmt: skip
    bound = bound_with_rounding(form, np.zeros(2), np.array([2.0**40 - 2.0**-10]))
    wrong = 6 * LONG_ROUNDOFF * 2.0**41 + UNIT_ROUNDOFF * 2.0**-10
    assert bound == pytest.approx(-((2.0**-10 + wrong) ** 2) / 2, rel=1e-5, abs=0.0)


def test_what_underflows_is_taken_from_a_bound_of_nothing():
    form = StandardForm(np.zeros(1), 0.0, sp.csc_array([[1.0]]), np.zeros(1), Cones(nonneg=1),
                        None, np.zeros(1), np.ones(1))  # fmt: skip
    assert -1e-300 < bound_with_rounding(form, np.zeros(1), np.zeros(1)) < 0.0


def test_a_form_without_entries_is_left_to_the_other_bound():
    form = StandardForm(np.ones(2), 0.0, sp.csc_array((1, 2)), np.ones(1), Cones(nonneg=1),
                        lower=np.zeros(2), upper=np.ones(2))  # fmt: skip
    assert bound_with_rounding(form, np.zeros(2), np.zeros(1)) is None


def test_rounding_of_the_curvature_is_taken_from_the_bound():
    """x**2 / 2 - x at 1: four units of rounding of the sum, and two of x P x."""
    form = StandardForm(-np.ones(1), 0.0, sp.csc_array([[1.0]]), np.ones(1), Cones(nonneg=1),
                        sp.csc_array([[1.0]]))  # fmt: skip
    bound = bound_with_rounding(form, np.ones(1), np.zeros(1))
    assert (-0.5 - bound) / UNIT_ROUNDOFF == pytest.approx(6, abs=1.5)


def test_what_rounding_takes_grows_with_the_longest_columns():
    """Three entries of A, two of P, and four roundings more; sums of P in short floats twice."""
    A, P = sp.csc_array(np.ones((3, 2))), sp.csc_array(np.array([[2.0, -1.0], [-1.0, 3.0]]))
    ends = np.full((1, 2), np.inf)
    batch = LinearBatch(A, np.ones(3), np.ones((1, 2)), np.zeros(1), -ends, ends, P)
    charges = rounding_bound._Charges.of(batch, np.array([[1.0, -2.0]]))
    assert charges.rounding == pytest.approx(LONG_ROUNDOFF * 9, rel=1e-5, abs=0.0)
    sizes = np.array([[4.0, 7.0]])
    short = (2 * UNIT_ROUNDOFF + 2 * LONG_ROUNDOFF) * sizes
    np.testing.assert_allclose(charges.curvature_error, short, rtol=1e-6, atol=0.0)
    np.testing.assert_array_equal(charges.curvature, [[4.0, -7.0]])
    np.testing.assert_array_equal(charges.costs, [[5.0, -6.0]])
    np.testing.assert_array_equal(charges.sizes, sizes + 1.0)
    np.testing.assert_array_equal(charges.squares, [0.0, 0.0])  # no column has its square alone
    plain = rounding_bound._Charges.of(replace(batch, P=None), np.ones((1, 2)))
    assert plain.rounding == pytest.approx(LONG_ROUNDOFF * 7, rel=1e-5, abs=0.0)
    assert (plain.curvature, plain.squares, plain.curvature_error) == (None, None, 0.0)


@pytest.mark.parametrize(
    ("cost", "lower", "upper", "known"),
    [(-1, 0, np.inf, False), (1, 0, np.inf, True), (1, -np.inf, 0, False), (-1, -np.inf, 0, True)],
)
def test_a_column_with_one_bound_is_charged_there_or_not_at_all(cost, lower, upper, known):
    """Beside a column of which there is nothing to say; the row's multiplier is none."""
    form = StandardForm(np.array([cost, 0.0]), 0.0, sp.csc_array([[1.0, 1.0]]), np.ones(1),
                        Cones(nonneg=1), None, np.array([lower, -np.inf]),
                        np.array([upper, np.inf]))  # fmt: skip
    bound = bound_with_rounding(form, np.zeros(2), np.zeros(1))
    assert bound == (pytest.approx(0.0, abs=1e-20) if known else None)


@pytest.mark.parametrize("ends", ["boxed", "open", "curved"])
def test_each_of_several_has_the_bound_that_it_has_alone(ends):
    """Objectives, boxes and multipliers of very different sizes over one matrix."""
    rng, sizes = np.random.default_rng(3), np.array([1.0, 1e6, 1e-3])
    A, b = sp.csc_array(rng.normal(size=(4, 5))), rng.normal(size=4)
    c, z = rng.normal(size=(3, 5)) * sizes[:, None], np.abs(rng.normal(size=(3, 4)))
    z *= sizes[:, None]
    lower = rng.normal(size=(3, 5))
    upper = lower + rng.uniform(1.0, 2.0, (3, 5))
    x = 0.5 * (lower + upper)
    if ends == "open":  # where the reduced cost does not lead
        reduced = c + z @ A
        lower, upper = np.where(reduced < 0, -np.inf, lower), np.where(reduced > 0, np.inf, upper)
    P = sp.csc_array(np.diag(np.arange(1.0, 6.0))) if ends == "curved" else None
    x *= sizes[:, None]
    together = LinearBatch(A, b, c, np.zeros(3), lower, upper, P).bounds(x, z)
    for k, bound in enumerate(together):
        (alone,) = LinearBatch(A, b, c[k : k + 1], np.zeros(1), lower[k : k + 1],
                               upper[k : k + 1], P).bounds(x[k : k + 1], z[k : k + 1])  # fmt: skip
        assert bound is not None
        assert bound == alone
