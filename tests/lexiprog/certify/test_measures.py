"""The measures of a certificate, worked by hand: both bounds agree on them."""

import numpy as np
import pytest
import scipy.sparse as sp

from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify.measures import SMALL, can_batch, measure


def least(kind=sp.csc_array, **more):
    """Least x + 3y over x + 2y >= 4 and 0 <= x, y <= 10: 4 at (4, 0), with the multiplier 1."""
    rows = {"A": kind(np.array([[-1.0, -2.0]])), "b": np.array([-4.0]), "cones": Cones(nonneg=1)}
    box = {"lower": np.zeros(2), "upper": np.full(2, 10.0)}
    return StandardForm(**{"c": np.array([1.0, 3.0]), "offset": 0.0, **rows, **box, **more})


CASES = {
    # x, z, claimed -> primal, dual, gap, claim, bound
    "optimal": ((4, 0), 1, 4, (0, 0, 0, 0, 4)),
    "too dear": ((5, 0), 0.5, 7, (0, 0, 3 / 6, 2 / 6, 2)),
    "too cheap": ((3, 0), 1, 3, (1 / 4, 0, 1 / 4, 0, 4)),
    "a wrong sign": ((4, 0), -0.5, 4, (0, 0.5 / 4, 4 / 5, 0, 0)),
    "beyond its bounds": ((12, -1), 0, 0, (1, 0, 9 / 10, 9 / 10, 0)),
    "too far to be good": ((12, 0), 2, 12, (2 / 10, 0, 24 / 13, 0, -12)),
}


@pytest.mark.parametrize("offset", [0.0, -2.0])
@pytest.mark.parametrize("kind", [sp.csc_array, sp.csr_array])
@pytest.mark.parametrize("case", CASES)
def test_the_measures_of_a_point_and_its_multipliers(case, kind, offset):
    x, z, claimed, (primal, dual, gap, claim, bound) = CASES[case]
    form = least(kind, offset=offset)
    x, z = np.array(x, float), np.array([z], float)
    value = float(form.c @ x)
    share = (1 + value) / (1 + abs(value + offset))
    checked = measure(form, x, z, claimed=claimed + offset, tolerance=1e-5)
    found = checked.certificate
    assert found.primal == pytest.approx(primal, abs=1e-12)
    assert found.dual == pytest.approx(dual, abs=1e-12)
    assert found.gap == pytest.approx(gap * share, abs=1e-11)
    assert found.claim == pytest.approx(claim * share, abs=1e-12)
    assert checked.bound == pytest.approx(bound + offset, abs=1e-10)
    assert (found.cone, found.integrality, found.basis) == (0.0, 0.0, "duals")
    assert (found.tolerance, found.gap_tolerance) == (1e-5, 1e-5)
    wide = measure(form, x, z, claimed=claimed + offset, gap_tolerance=0.25).certificate
    assert (wide.tolerance, wide.gap_tolerance) == (1e-6, 0.25)


def test_an_equation_is_missed_on_either_side_and_its_multiplier_has_either_sign():
    for row in (3.0, 5.0):
        form = least(cones=Cones(zero=1), b=np.array([-row]))
        found = measure(form, np.array([4.0, 0.0]), np.array([-1.0]), claimed=4.0).certificate
        assert found.primal == pytest.approx(1 / max(4, row))
        assert found.dual == 0.0


@pytest.mark.parametrize(
    "more",
    [
        {"lower": None},
        {"upper": None},
        {"P": sp.csc_array(np.eye(2))},
        {"integer": np.array([0])},
        {"cones": Cones(soc=(1,))},
        {"A": sp.csc_array((1, 2))},
        {"A": sp.csr_array(np.array([[-1.0, -2.0]]))},
    ],
)
def test_what_is_not_a_small_linear_program_with_bounds_is_measured_alone(more):
    assert not can_batch(least(**more))


def test_one_entry_is_enough_for_a_batch_and_too_many_are_too_large():
    assert can_batch(least(A=sp.csc_array(np.array([[-1.0, 0.0]])), integer=np.zeros(0, np.intp)))
    for size in (SMALL, SMALL + 1):
        large = sp.csc_array(np.full((1, size), -1.0))
        many = StandardForm(np.ones(size), 0.0, large, np.array([-4.0]), Cones(nonneg=1),
                            lower=np.zeros(size), upper=np.ones(size))  # fmt: skip
        assert can_batch(many) == (size == SMALL)


def test_without_multipliers_a_bound_says_how_far_a_point_may_be_from_the_optimum():
    x = np.array([5.0, 0.0])
    checked = measure(least(), x, None, claimed=5.0, bound=2.0)
    assert checked.certificate.gap == pytest.approx(3 / 6)
    assert (checked.certificate.basis, checked.certificate.dual, checked.bound) == (
        "bound",
        0.0,
        2.0,
    )
    better = measure(least(), x, None, claimed=5.0, bound=6.0)
    assert (better.certificate.gap, better.bound) == (0.0, 6.0)
    unknown = measure(least(), x, None, claimed=5.0)
    assert np.isnan(unknown.certificate.gap)
    assert not unknown.certificate.passed
    assert (unknown.certificate.basis, unknown.bound) == ("bound", None)
    endless = measure(least(), x, None, claimed=5.0, bound=-np.inf)
    assert (endless.certificate.gap, endless.bound) == (np.inf, None)


def test_integers_are_measured_by_their_distance_to_whole_ones():
    form = least(integer=np.array([1]))
    whole = measure(form, np.array([2.5, 1.0]), None, claimed=5.5, bound=5.5).certificate
    assert (whole.integrality, whole.basis, whole.passed) == (0.0, "incumbent", True)
    off = measure(form, np.array([1.5, 1.25]), None, claimed=5.25, bound=5.25).certificate
    assert off.integrality == pytest.approx(0.25)
    alone = measure(form, np.array([2.5, 1.0]), None, claimed=5.5).certificate
    assert (alone.basis, np.isnan(alone.gap)) == ("point", True)


def test_a_cone_is_missed_by_the_distance_to_it_and_so_is_its_dual():
    """Least -x over (10, x) in the cone |x| <= 10: 10 at most, with multipliers (1, 1)."""
    A, b = sp.csc_array(np.array([[0.0], [-1.0]])), np.array([10.0, 0.0])
    form = StandardForm(np.array([-1.0]), 0.0, A, b, Cones(soc=(2,)))
    right = measure(form, np.array([10.0]), np.array([1.0, -1.0]), claimed=-10.0)
    assert right.certificate.passed
    assert right.certificate.cone == pytest.approx(0.0, abs=1e-15)
    # 12 is 2 longer than 10, the size of its row; 1 is 0.5 longer than 0.5, and costs count as 2.
    far = measure(form, np.array([12.0]), np.array([1.0, -1.0]), claimed=-12.0).certificate
    assert far.cone == pytest.approx(2 / 10)
    wrong = measure(form, np.array([10.0]), np.array([0.5, -1.0]), claimed=-10.0).certificate
    assert wrong.cone == pytest.approx(0.5 / 2)


def test_a_squared_objective_bends_the_reduced_costs():
    """Least x^2 / 2 - 3x is at 3, where the slope is none; at 1 it is -2."""
    form = StandardForm(np.array([-3.0]), 0.0, sp.csc_array((0, 1)), np.zeros(0), Cones(),
                        P=sp.csc_array(np.eye(1)))  # fmt: skip
    best = measure(form, np.array([3.0]), np.zeros(0), claimed=-4.5).certificate
    assert best.passed
    short = measure(form, np.array([1.0]), np.zeros(0), claimed=-2.5).certificate
    assert short.dual == pytest.approx(2 / 4)
    assert short.primal == 0.0
