"""What the processor's own floats prove of a curved problem is proved, and next to all there is."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify.bound import lower_bound
from lexiprog.certify.rounding_bound import _Sides, plain_bound
from lexiprog.tolerances import BOUND_LOSS
from tests.lexiprog.certify.exact_bounds import bound_by_hand

seeds = st.integers(0, 2**32 - 1)


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
    return form, rng.uniform(form.lower, form.upper), rng.normal(size=m)


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


@given(seed=seeds)
def test_it_is_below_the_bound_in_fractions_and_next_to_it(seed):
    form, x, z = quadratic(seed)
    value = form.objective(x)
    found, exact = plain_bound(form, x, z, value), bound_by_hand(form, x, z)
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
    found = plain_bound(form, x, z, form.objective(x))
    assert found is not None
    assert Fraction(found) <= optimum
    assert float(optimum - Fraction(found)) <= 1e-12 + 100.0 * off**2


@given(seed=seeds, noise=st.sampled_from([0.0, 1e-16, 1e-13, -1e-13]))
def test_a_length_whose_multiplier_is_a_little_too_large_is_bounded_as_well(seed, noise):
    form, x, z, value = distance(seed)
    found = plain_bound(form, x, z * (1.0 + noise), value)
    assert found is not None
    # The length as floats have it is itself wrong by a rounding or two.
    assert found <= value * (1.0 + 2.0**-50)
    assert found >= value - 1e-11


@pytest.mark.parametrize("seed", range(20))
def test_it_says_what_twice_the_working_precision_says(seed):
    form, x, z = quadratic(seed)
    value = form.objective(x)
    slow = lower_bound(form, x, z).everywhere
    assert plain_bound(form, x, z, value) <= slow + BOUND_LOSS * (1.0 + abs(value))


def test_what_is_not_that_simple_is_left_to_others():
    form, x, z = quadratic(3)
    value = form.objective(x)
    assert plain_bound(form, x, z, value) is not None
    assert plain_bound(form, np.full(x.size, np.nan), z, value) is None
    assert plain_bound(form, x, np.full(z.size, np.nan), value) is None
    assert plain_bound(form, x, 1e18 * z, value) is None
    assert plain_bound(replace(form, A=form.A.tocsr()), x, z, value) is None
    # A length that its multiplier makes negative by far has no least.
    form, x, z, value = distance(3)
    assert plain_bound(form, x, 1.01 * z, value) is None
    # A free column with a reduced cost has no least either.
    free = StandardForm(np.ones(1), 0.0, sp.csc_array(np.ones((1, 1))), np.ones(1), Cones(nonneg=1))
    assert plain_bound(free, np.ones(1), np.array([-0.5]), 1.0) is None


def test_a_free_column_is_not_known_to_cost_nothing_where_rounding_hides_it():
    """1 - 1 + 2^-80 is zero in the processor's longest floats, and yet no bound at all."""
    rows = np.array([[-1.0, -1.0], [2.0**-80, 2.0**-80]])
    form = StandardForm(np.ones(2), 0.0, sp.csc_array(rows), np.array([-1.0, 1.0]), Cones(nonneg=2))
    assert plain_bound(form, np.array([0.5, 0.5]), np.ones(2), 1.0) is None
    boxed = replace(form, lower=np.zeros(2), upper=np.ones(2))
    assert plain_bound(boxed, np.array([0.5, 0.5]), np.ones(2), 1.0) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("rows", [1, 2, 7])
@pytest.mark.parametrize("curved", [False, True])
def test_rounding_is_allowed_for_as_much_as_sums_of_so_many_terms_may_be_wrong(rows, curved):
    """A sum of n products may be wrong by n + 1 units of their sizes (Higham, 2002)."""
    P = sp.csc_array(np.ones((2, 2))) if curved else None
    A = sp.csc_array(np.ones((rows, 2)))
    form = StandardForm(np.ones(2), 0.0, A, np.ones(rows), Cones(nonneg=rows), P)
    unit = float(np.finfo(np.longdouble).eps) / 2
    terms = rows + 1 + (2 if curved else 0)  # the cost itself, rows, and squares
    assert (terms + 1) * unit <= _Sides(form, np.ones(2)).rounding <= 2 * (terms + 3) * unit
