"""What plain floats prove of a linear program in a box is proved, and is all there is to know."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify import measures as certify
from lexiprog.certify.measures import check_answer
from lexiprog.certify.rounding_bound import Several, measured
from lexiprog.tolerances import BOUND_LOSS
from tests.lexiprog.certify.exact_bounds import bound_by_hand, linear_optimum

seeds = st.integers(0, 2**32 - 1)


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
    return form, rng.uniform(lower - 0.1, form.upper + 0.1), z


@given(seed=seeds)
def test_the_bound_is_below_what_the_multipliers_prove_in_fractions_and_next_to_it(seed):
    form, x, z = boxed(seed)
    found, exact = measured(form, x, z), bound_by_hand(form, x, z)
    assert Fraction(found.bound) <= exact
    assert float(exact - Fraction(found.bound)) <= 2 * BOUND_LOSS * (1.0 + abs(found.value))


@pytest.mark.parametrize("seed", range(0, 60, 2))
def test_no_multipliers_exceed_the_optimum(seed):
    form, x, z = boxed(seed)
    optimum = linear_optimum(form)
    if optimum is not None:
        assert Fraction(measured(form, x, z).bound) <= optimum


@given(seed=seeds)
def test_the_measures_are_those_of_twice_the_working_precision(seed):
    form, x, z = boxed(2 * (seed // 2))
    quick = check_answer(form, x, z, claimed=1.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certify, "measured", lambda *_: None)
        slow = check_answer(form, x, z, claimed=1.0)
    for name, value in slow.certificate.measures.items():
        assert quick.certificate.measures[name] == pytest.approx(value, abs=1e-10, rel=1e-10)


def test_what_is_not_that_simple_is_left_to_others():
    form, x, z = boxed(4)
    assert measured(form, x, z) is not None
    open_end = np.where(np.arange(x.size) == 0, np.inf, form.upper)
    assert measured(replace(form, upper=open_end), x, z) is None
    assert measured(replace(form, lower=None), x, z) is None
    assert measured(replace(form, P=sp.eye_array(x.size, format="csc")), x, z) is None
    assert measured(replace(form, integer=np.array([0])), x, z) is None
    assert measured(form, np.full(x.size, np.nan), z) is None
    # Multipliers so large that rounding counts.
    assert measured(form, x, 1e12 * z) is None


@given(seed=seeds)
def test_several_at_once_are_measured_as_each_alone(seed):
    """Other objectives, boxes and equations over one matrix, rows in its own order."""
    rng = np.random.default_rng(seed)
    form, *_ = boxed(seed)
    m, n = form.A.shape
    equations = rng.random((3, m)) < 0.4
    c, x, z = rng.normal(size=(3, n)), rng.normal(size=(3, n)), rng.normal(size=(3, m))
    lower = rng.normal(size=(3, n)) - 1.0
    several = Several(form.A, form.b, c, np.zeros(3), lower, lower + 2.0, equations)
    pulled, activity = several.pulled(z), several.rows_at(x)[1]
    for k, found in enumerate(several.measured(x, z)):
        order = np.argsort(~equations[k], kind="stable")
        zero = int(equations[k].sum())
        alone = StandardForm(
            c[k], 0.0, form.A[order], form.b[order], Cones(zero=zero, nonneg=m - zero),
            lower=lower[k], upper=lower[k] + 2.0,
        )  # fmt: skip
        one = measured(alone, x[k], z[k][order])
        for name in ("value", "bound", "primal", "dual", "effect"):
            assert getattr(found, name) == pytest.approx(getattr(one, name), rel=1e-13, abs=1e-13)
        assert pulled[k] == pytest.approx(form.A.T @ z[k], rel=1e-13, abs=1e-13)
        assert activity[k] == pytest.approx(form.A @ x[k], rel=1e-13, abs=1e-13)


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
    assert Fraction(measured(form, x, z).bound) <= bound_by_hand(form, x, z)
