"""The measures of a certificate, worked by hand, and the same in whatever units."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lexiprog.canon.scaling import Scaling
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify import measures
from lexiprog.certify.certificate import Certificate
from lexiprog.certify.measures import (
    SMALL,
    LinearBatch,
    Measures,
    can_batch,
    measure,
    measure_batch,
    prove,
    row_tolerance,
    share_of_value,
)
from lexiprog.certify.terms import TermSizes
from lexiprog.deadline import Deadline
from lexiprog.tolerances import EPS, LONG_ROUNDOFF
from tests.lexiprog.canon.known_optima import known

INF = np.inf
seeds = st.integers(0, 2**32 - 1)
KINDS = [(), ("soc", "soc"), ("psd", "psd"), ("exp", "exp"), ("power", "power")]


def least(kind=sp.csc_array, **more):
    """Least x + 3y over x + 2y >= 4 and 0 <= x, y <= 10: 4 at (4, 0), with the multiplier 1."""
    rows = {"A": kind(np.array([[-1.0, -2.0]])), "b": np.array([-4.0]), "cones": Cones(nonneg=1)}
    box = {"lower": np.zeros(2), "upper": np.full(2, 10.0)}
    return StandardForm(**{"c": np.array([1.0, 3.0]), "offset": 0.0, **rows, **box, **more})


CASES = {
    # x, z, claimed -> rows, slackness, gap, claim, bound
    "optimal": ((4, 0), 1, 4, (0, 0, 0, 0, 4)),
    # Reduced costs 1/2 and 2 charge 5/2, the slack of 1 another 1/2; terms 5 and 2. The column
    # between its bounds is balanced for the bound, by the multiplier 1.
    "too dear": ((5, 0), 0.5, 7, (0, 3 / 7, 1 / 5, 2 / 5, 4)),
    # 3 where 4 is asked for: the terms of the row are 3 and 4.
    "too cheap": ((3, 0), 1, 3, (1 / 7, 1 / 7, 1 / 3, 0, 4)),
    "a wrong sign": ((4, 0), -0.5, 4, (0, 1, 1, 0, 0)),
    "beyond its bounds": ((12, 0), 1, 12, (2 / 22, 8 / 16, 8 / 12, 0, 4)),
}


@pytest.mark.parametrize("kind", [sp.csc_array, sp.csr_array])
@pytest.mark.parametrize("case", CASES)
def test_the_measures_of_a_point_and_its_multipliers(case, kind):
    x, z, claimed, (rows, slackness, gap, claim, bound) = CASES[case]
    x, z = np.array(x, float), np.array([z], float)
    checked = measure(least(kind), x, z, claimed=claimed, tolerance=1e-5)
    found = checked.certificate
    assert found.rows == pytest.approx(rows, abs=1e-15)
    assert found.slackness == pytest.approx(slackness, abs=1e-15)
    assert found.gap == pytest.approx(gap, abs=1e-12)
    assert found.claim == pytest.approx(claim, abs=1e-15)
    assert checked.bound == pytest.approx(bound, abs=1e-10)
    assert (found.cones, found.columns, found.integrality) == (0.0, 0.0, 0.0)
    assert (found.basis, found.tolerance, found.gap_tolerance) == ("duals", 1e-5, 1e-5)
    wide = measure(least(kind), x, z, claimed=claimed, gap_tolerance=0.25).certificate
    assert (wide.tolerance, wide.gap_tolerance) == (1e-6, 0.25)


def test_an_offset_adds_to_the_value_and_to_the_terms():
    checked = measure(least(offset=-2.0), np.array([5.0, 0.0]), np.array([0.5]), claimed=3.0)
    assert checked.certificate.slackness == pytest.approx(3 / 9)
    assert checked.certificate.gap == pytest.approx(1 / 3)


def test_an_equation_is_missed_on_either_side_and_its_multiplier_has_either_sign():
    for row in (3.0, 5.0):
        form = least(cones=Cones(zero=1), b=np.array([-row]))
        found = measure(form, np.array([4.0, 0.0]), np.array([-1.0]), claimed=4.0).certificate
        assert found.rows == pytest.approx(1 / (4 + row))


def scaled(form, x, z, rng, most):
    """The same problem with rows, columns and objective multiplied by powers of two."""
    power = rng.integers(-most, most + 1, form.b.size + form.c.size + 1)
    rows, columns = 2.0 ** power[: form.b.size], 2.0 ** power[form.b.size : -1]
    if form.integer is not None:
        columns[form.integer] = 1.0  # whole numbers have no other unit
    start = form.cones.linear
    sizes = [*form.cones.soc, *map(form.cones.psd_rows, form.cones.psd), *[3] * form.cones.exp]
    for size in [*sizes, *(len(powers) + 1 for powers in form.cones.power)]:
        rows[start : start + size] = rows[start]
        start += size
    units = Scaling(rows, columns, float(2.0 ** power[-1]))
    return units.of(form), units.scaled_point(x), units.scaled_multipliers(z), units.cost


@given(seeds, st.sampled_from([*KINDS, ("soc", "psd", "exp", "power")]), st.booleans(),
       st.booleans(), st.booleans())  # fmt: skip
def test_no_unit_of_rows_columns_or_objective_changes_a_measure(
    seed, kinds, quadratic, free, integers
):
    """LP, QP, SOC, SDP, exponential, power and all of these with integers: same to rounding."""
    rng = np.random.default_rng(seed)
    problem = known(seed, kinds=kinds, quadratic=quadratic, free=free, integers=integers)
    form = problem.form
    for size in (0.0, 1e-9, 1e-3):
        x = problem.x * (1.0 + size * rng.normal(size=problem.x.size))
        z = problem.z * (1.0 + size * rng.normal(size=problem.z.size))
        other, y, w, cost = scaled(form, x, z, rng, 40)
        below = float(problem.optimum) - 1.0 if integers else None
        z, w = (None, None) if integers else (z, w)
        first = measure(form, x, z, claimed=form.objective(x), bound=below)
        below = cost * below if integers else None
        second = measure(other, y, w, claimed=other.objective(y), bound=below)
        assert first.certificate.basis == second.certificate.basis
        for name, value in first.certificate.measures.items():
            assert second.certificate.measures[name] == pytest.approx(value, rel=1e-9, abs=1e-13)
        assert second.rounding == pytest.approx(cost * first.rounding, rel=1e-3)


@given(seeds, st.sampled_from(KINDS), st.booleans())
def test_what_is_proved_is_within_its_interval(seed, kinds, quadratic):
    """From a point and multipliers that are a little off, the true optimum is where it is said."""
    rng = np.random.default_rng(seed)
    problem = known(seed, kinds=kinds, quadratic=quadratic)
    x = problem.x + 1e-10 * rng.normal(size=problem.x.size) * np.abs(problem.x)
    z = problem.z * (1.0 + 1e-10 * rng.normal(size=problem.z.size))
    found = prove(problem.form, x, z, claimed=problem.form.objective(x))
    if found.measures.certificate.proved:
        optimum, rounding = float(problem.optimum), found.measures.rounding
        value = problem.form.objective(found.x)
        assert abs(value - optimum) <= 1e-6 * abs(optimum) + 100.0 * rounding
        assert found.measures.bound <= optimum


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
    assert checked.certificate.gap == pytest.approx(3 / 5)
    assert (checked.certificate.basis, checked.bound) == ("bound", 2.0)
    assert (checked.certificate.columns, checked.certificate.slackness) == (0.0, 0.0)
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


def test_a_cone_is_missed_by_the_share_of_its_terms_that_would_mend_it():
    """Least -x over (10, x) in the cone |x| <= 10, as p = 10 - x and q = 10 + x, both positive."""
    A, b = sp.csc_array(np.array([[0.0], [-1.0]])), np.array([10.0, 0.0])
    form = StandardForm(np.array([-1.0]), 0.0, A, b, Cones(soc=(2,)))
    right = measure(form, np.array([10.0]), np.array([1.0, -1.0]), claimed=-10.0)
    assert right.certificate.passed
    assert right.certificate.cones == 0.0
    # At 12 p is -2, and its terms are 10 and 12.
    far = measure(form, np.array([12.0]), np.array([1.0, -1.0]), claimed=-12.0).certificate
    assert far.cones == pytest.approx(2 / 22, rel=0.02)


def test_a_cone_in_two_units_is_judged_in_both():
    """The least v >= x**2 as |(v - 1, 2x)| <= v + 1, at x = 1e-6: a rounding of 1 is all of v."""
    A = sp.csc_array(np.array([[-1.0, 0.0], [-1.0, 0.0], [0.0, -2.0], [0.0, 1.0], [0.0, -1.0]]))
    form = StandardForm(
        np.array([1.0, 0.0]), 0.0, A[[3, 4, 0, 1, 2]], np.array([1e-6, -1e-6, 1.0, -1.0, 0.0]),
        Cones(nonneg=2, soc=(3,)),
    )  # fmt: skip
    terms = TermSizes(form, np.array([1e-12, 1e-6]), np.zeros(5))
    assert terms.measure(np.array([1e-12, 1e-6]), np.zeros(5)).cones <= 1e-15
    assert terms.measure(np.array([0.9e-12, 1e-6]), np.zeros(5)).cones > 0.01


def test_a_squared_objective_bends_the_reduced_costs():
    """Least x^2 / 2 - 3x is at 3, where the slope is none; at 1 it is -2 of the terms 3 and 1."""
    form = StandardForm(np.array([-3.0]), 0.0, sp.csc_array((0, 1)), np.zeros(0), Cones(),
                        P=sp.csc_array(np.eye(1)))  # fmt: skip
    best = measure(form, np.array([3.0]), np.zeros(0), claimed=-4.5).certificate
    assert best.passed
    short = measure(form, np.array([1.0]), np.zeros(0), claimed=-2.5).certificate
    assert short.columns == pytest.approx(2 / 4)
    assert short.rows == 0.0


def test_the_point_that_is_proved_is_inside_its_bounds_and_on_its_rows():
    """What an interior point leaves: 1e-11 beyond a bound and beside a row, noise elsewhere."""
    x, z = np.array([4.0 - 1e-11, -1e-11]), np.array([1.0 + 1e-11])
    form = least()
    assert not measure(form, x, z, claimed=4.0).certificate.proved
    found = prove(form, x, z, claimed=4.0)
    assert found.measures.certificate.proved
    assert found.x.tolist() == [4.0, 0.0]
    # What is not near an optimum is none, or lies by another one, which is told instead.
    far = replace(form, b=np.array([-99.0]))
    assert not prove(far, x, z, claimed=4.0).measures.certificate.proved
    inside = np.array([5.0, 0.0])
    assert prove(far, inside, z, claimed=5.0).x is inside  # nothing better is near
    other = prove(form, np.array([5.0, 0.0]), 0.5 * z, claimed=5.0)
    assert not other.measures.certificate.proved or other.x.tolist() == [4.0, 0.0]


@pytest.mark.parametrize(
    ("x", "beyond"),
    [((0, 2), False), ((10, 10), False), ((-1e-15, 2), True), ((0, -3), True),
     ((10 + 1e-8, 2), False), ((10 + 1e-7, 2), True), ((-1e-15, 10 + 1e-8), True)],
)  # fmt: skip
def test_a_column_is_beyond_its_end_by_a_share_of_both(x, beyond):
    assert measures._is_beyond(least(), np.array(x, float), 1e-9) is beyond


def test_nothing_is_looked_for_once_there_is_no_time():
    x, z = np.array([4.0 - 1e-11, -1e-11]), np.array([1.0 + 1e-11])
    assert prove(least(), x, z, claimed=4.0).measures.certificate.proved
    with Deadline(0.0).here():
        found = prove(least(), x, z, claimed=4.0)
    assert found.x is x
    assert not found.measures.certificate.proved


def test_measures_that_nobody_took_have_no_rounding():
    assert Measures(Certificate(), None).rounding == 0.0


# What rounding explains.


def explained(form, x, z=None):
    z = np.zeros(form.b.size) if z is None else np.array(z, float)
    return measure(form, np.array(x, float), z, claimed=0.0).rounding


def test_rounding_is_sixteen_units_of_the_terms_of_a_linear_value():
    # |c||x| = 4 + 6, |b||z| = 4 * 3, and the constant
    assert explained(least(offset=5.0), [4, 2], [3]) == pytest.approx(
        16 * EPS * 27, rel=1e-12, abs=0.0
    )


def test_a_curved_value_is_rounded_with_its_point():
    """x**2 - x y + 2 y**2 - 3 x at (1, 2), whose rooms are told by the row x + 2 y <= 8."""
    P = sp.csc_array(np.array([[2.0, -1.0], [-1.0, 4.0]]))
    form = StandardForm(np.array([-3.0, 0.0]), 0.0, sp.csc_array([[1.0, 2.0]]), np.array([8.0]),
                        Cones(nonneg=1), P)  # fmt: skip
    terms = 3 + np.array([1, 2]) @ np.abs(P.toarray()) @ np.array([1, 2])
    rooms = np.array([13.0, 6.5])  # 8 + 1 + 4 of terms
    off = 16 * EPS * rooms
    slopes = np.array([3.0, 0.0]) + np.abs(P.toarray()) @ (np.array([1, 2]) + 0.5 * off)
    assert explained(form, [1, 2]) == pytest.approx(
        16 * EPS * terms + off @ slopes, rel=1e-9, abs=0.0
    )
    # Next to zero the square of the error counts: x**2 / 2 at 1e-16, where the room is 1.
    square = StandardForm(np.zeros(1), 0.0, sp.csc_array([[1.0]]), np.ones(1), Cones(nonneg=1),
                          sp.csc_array([[1.0]]))  # fmt: skip
    tiny = 16 * EPS
    assert explained(square, [1e-16]) == pytest.approx(
        tiny * 1e-32 + tiny * (1e-16 + 0.5 * tiny), rel=1e-9, abs=0.0
    )
    without = replace(form, A=sp.csc_array((0, 2)), b=np.zeros(0), cones=Cones())
    off = 16 * EPS * np.array([1, 2])
    slopes = np.array([3.0, 0.0]) + np.abs(P.toarray()) @ (np.array([1, 2]) + 0.5 * off)
    assert explained(without, [1, 2]) == pytest.approx(
        16 * EPS * terms + off @ slopes, rel=1e-9, abs=0.0
    )


def test_a_value_of_zero_is_rounded_with_the_room_of_its_columns():
    """x - y over x + y <= 2 at (1, 1): rooms of 4; with a row that is missed by 2**-44 of 4."""
    form = StandardForm(np.array([1.0, -1.0]), 0.0, sp.csc_array([[1.0, 1.0]]), np.array([2.0]),
                        Cones(nonneg=1), None, np.ones(2), np.ones(2))  # fmt: skip
    assert explained(form, [1, 1]) == pytest.approx(16 * EPS * (2 + 4 + 4), rel=1e-9, abs=0.0)
    missed = replace(form, b=np.array([2.0 - 2.0**-44]))
    off = 4 * 2.0**-46 * 4  # four times the measure, of each room
    assert explained(missed, [1, 1]) == pytest.approx(16 * EPS * 2 + 2 * off, rel=1e-6, abs=0.0)
    far = replace(form, b=np.array([1.0]))  # no more than 1e-12 of rooms of 3
    assert explained(far, [1, 1]) == pytest.approx(16 * EPS * 2 + 6e-12, rel=1e-6, abs=0.0)


def test_rows_are_met_up_to_rounding_unless_they_are_curved_computed_held_or_found():
    form = least()
    four = 4 * EPS
    assert row_tolerance(form, 1e-6) == four
    assert row_tolerance(form, 1e-6, "computed") == 1e-12
    assert row_tolerance(form, 1e-6, "held") == 1e-9
    assert row_tolerance(form, 1e-6, "found") == 1e-7
    assert row_tolerance(form, 1e-5) == pytest.approx(1e-6, rel=1e-12)
    assert row_tolerance(replace(form, integer=np.array([0])), 1e-6) == 1e-7
    assert row_tolerance(replace(form, P=sp.csc_array(np.eye(2))), 1e-6, "computed") == 1e-7
    long = replace(form, A=sp.csc_array(np.ones((1, 100))), c=np.ones(100))
    assert row_tolerance(long, 1e-6) == pytest.approx(four * 2.5, rel=1e-12, abs=0.0)
    two = replace(form, A=sp.csc_array(np.ones((2, 100))), b=np.ones(2),
                  cones=Cones(nonneg=2))  # fmt: skip
    assert row_tolerance(two, 1e-6) == pytest.approx(four * 2.5, rel=1e-12, abs=0.0)
    none = replace(form, A=sp.csc_array((0, 2)), b=np.zeros(0), cones=Cones())
    assert row_tolerance(none, 1e-6) == four


@pytest.mark.parametrize(
    ("value", "other", "rounding", "effect", "share"),
    [(4, 5, 0, 0, 0.25), (-4, 5, 0, 0, 2.25), (4, 5, 1, 0, 0), (4, 5, 0.9, 0, 0.25),
     (4, 4, 0, 2, 0.5), (4, 5, 0, 0.5, 0.25), (0, 1, 0, 0, INF), (0, 0, 0, 0, 0),
     (4, np.nan, 1, 0, np.nan)],
)  # fmt: skip
def test_a_gap_is_a_share_of_the_value_itself(value, other, rounding, effect, share):
    found = share_of_value(float(value), float(other), rounding, effect)
    assert found == pytest.approx(share, nan_ok=True)


# Several linear programs at once.


def batch_of(box, c=((1.0, 3.0),), b=-4.0, A=((-1.0, -2.0),), offset=0.0):
    c = np.array(c, float)
    lower, upper = np.full(c.shape, -box if box > 10 else 0.0), np.full(c.shape, float(box))
    return LinearBatch(sp.csc_array(np.array(A)), np.full(len(A), b), c, np.full(len(c), offset),
                       lower, upper)  # fmt: skip


def batched(batch, x, z, claims, *, equations=(False,), **more):
    return measure_batch(batch, np.array(equations), np.array(x, float), np.array(z, float), claims,
                         **{"tolerance": 1e-6, **more})  # fmt: skip


def test_linear_programs_in_a_batch_are_proved_one_by_one():
    """Least x + 3y over x + 2y >= 4, and least 2x + y: 4 at (4, 0), and 2 at (0, 2)."""
    batch = batch_of(10, c=((1, 3), (2, 1)))
    first, second = batched(batch, [[4, 0], [0, 2]], [[1], [0.5]], [4.0, 2.0])
    for found, value, worth in ((first, 4.0, 4.0), (second, 2.0, 2.0)):
        assert found.certificate.measures == dict.fromkeys(found.certificate.measures, 0.0)
        assert found.bound == pytest.approx(value, rel=1e-14, abs=0.0)
        assert found.bound <= value
        assert found.rounding == pytest.approx(16 * EPS * 2 * worth, rel=1e-12, abs=0.0)
        assert (found.certificate.tolerance, found.certificate.gap_tolerance) == (1e-6, 1e-6)
        assert found.certificate.row_tolerance == 4 * EPS
    moved = batched(batch_of(10, offset=-3.0), [[4, 0]], [[1]], [1.0])[0]
    assert moved.rounding == pytest.approx(16 * EPS * 11, rel=1e-12, abs=0.0)
    assert batched(batch, [[4, 0], [0, 2]], [[1], [0.5]], [4.0, 2.001])[1] is None
    wide = batched(batch, [[4, 0], [0, 2]], [[1], [0.5]], [4.0, 2.0], tolerance=1e-5)[0]
    assert (wide.certificate.tolerance, wide.certificate.gap_tolerance) == (1e-5, 1e-5)


@pytest.mark.parametrize(
    ("x", "z", "claim"),
    [([5, 0], [1], 5), ([4, 0], [0.5], 4), ([3, 0], [1], 3), ([4, 0], [-1], 4), ([12, -4], [1], 0),
     ([0, 2], [1], 6), ([np.nan, 0], [1], 4), ([4 - 1e-9, 0], [1], 4 - 1e-9)],
)  # fmt: skip
def test_what_is_no_optimum_is_not_proved_in_a_batch(x, z, claim):
    assert batched(batch_of(10), [x], [z], [float(claim)]) == [None]


def test_an_equation_in_a_batch_is_missed_on_either_side():
    for side in (1e-9, -1e-9):
        found = batched(batch_of(10), [[4 + side, 0]], [[1]], [4 + side], equations=(True,))
        assert found == [None]
    priced = batch_of(10, c=((-1, -3),))  # the most of x + 3y on the row is 6, at (0, 2)
    (found,) = batched(priced, [[0, 2]], [[-1.5]], [-6.0], equations=(True,))
    assert found.certificate.proved
    assert batched(priced, [[0, 2]], [[-1.5]], [-6.0])[0] is None


def test_rows_of_a_batch_that_were_computed_may_be_missed_a_little_more():
    asked = []

    def written():
        asked.append(True)
        return len(asked) > 1

    x = [[4 - 2e-12, 0]]
    found = batched(batch_of(10), x, [[1]], [4 - 2e-12], written=written)[0]
    assert found.certificate.row_tolerance == 1e-12
    assert found.certificate.rows == pytest.approx(2e-12 / 8, rel=1e-3, abs=0.0)
    # What the multiplier charges for that: more than rounding explains is told, less is not.
    assert found.certificate.slackness == pytest.approx(2e-12 / 8, rel=1e-3, abs=0.0)
    little = batched(batch_of(10), [[4 - 2e-13, 0]], [[1]], [4 - 2e-13], written=lambda: False)[0]
    assert little.certificate.slackness == pytest.approx(2e-13 / 8, rel=0.01, abs=0.0)
    least = batched(batch_of(10), [[4 - 2e-14, 0]], [[1]], [4 - 2e-14], written=lambda: False)[0]
    assert least.certificate.slackness == 0.0
    assert batched(batch_of(10), x, [[1]], [4 - 2e-12], written=written) == [None]
    assert batched(batch_of(10), [[4, 0]], [[1]], [4.0], written=written)[0] is not None
    assert len(asked) == 2  # only where a row is missed


def test_a_point_at_its_upper_ends_is_inside_and_only_who_is_outside_is_left_out():
    """Least -x + 3y over x + 2y >= 4 is -10 at (10, 0), with the multiplier 0."""
    batch = batch_of(10, c=((-1, 3), (1, 3)))
    first, second = batched(batch, [[10, 0], [4, 0]], [[0], [1]], [-10.0, 4.0])
    assert first.certificate.proved
    assert second.certificate.proved
    first, second = batched(batch, [[10, 0], [4, -1]], [[0], [1]], [-10.0, 1.0])
    assert first.certificate.proved
    assert second is None
    first, second = batched(batch, [[10, 0], [4, np.nan]], [[0], [1]], [-10.0, 1.0])
    assert first.certificate.proved
    assert second is None


def test_a_column_without_an_end_is_left_out_of_a_batch():
    batch = batch_of(10)
    assert batched(batch, [[4, 0]], [[1]], [4.0])[0].certificate.proved
    assert batched(replace(batch, upper=batch.upper + INF), [[4, 0]], [[1]], [4.0]) == [None]


def test_what_is_left_of_a_reduced_cost_by_rounding_is_not_charged_in_a_batch():
    """1 - (1 + 2**-51) of terms of 2 is nothing, however far the end: least x + y over a row."""
    batch = batch_of(1e8, c=((1, 1),), b=-2.0, A=((-1.0, -1.0),))
    (found,) = batched(batch, [[1, 1]], [[1 + 2.0**-51]], [2.0])
    assert found.certificate.slackness == 0.0
    assert 0.0 < found.certificate.gap < 1e-6
    just = batch_of(1e8, c=((1 + 2.0**-50,) * 2,), b=-2.0, A=((-1.0, -1.0),))  # 2**-50 of 2
    (found,) = batched(just, [[1, 1]], [[1 - 2.0**-50]], [2.0])
    assert found.certificate.slackness == 0.0


def test_rows_of_a_batch_are_met_up_to_the_rounding_of_their_lengths():
    """Twenty rows of 36 columns: a quarter of the root of 36 is 3/2."""
    batch = batch_of(10, c=(np.ones(36),), A=-np.ones((20, 36)))
    x = np.append(4.0, np.zeros(35))
    (found,) = batched(batch, [x], [np.append(1.0, np.zeros(19))], [4.0], equations=[False] * 20)
    assert found.certificate.row_tolerance == pytest.approx(6 * EPS, rel=1e-12, abs=0.0)


def test_a_wide_box_leaves_a_gap_in_a_batch():
    """Two terms of 1 and two of 2, each sum wrong by five long roundings, over a box of 1e10."""
    (found,) = batched(batch_of(1e10, c=((1, 2),)), [[4, 0]], [[1]], [4.0])
    assert 4.0 - found.bound == pytest.approx(6 * 5 * LONG_ROUNDOFF * 1e10, rel=0.01, abs=0.0)
    assert found.certificate.gap == pytest.approx((4.0 - found.bound) / 4.0, rel=1e-6, abs=0.0)
    assert batched(batch_of(1e16, c=((1, 2),)), [[4, 0]], [[1]], [4.0]) == [None]


def test_the_bound_with_rounding_is_enough_for_a_linear_program():
    """It is below 4 by a rounding or two; the one in twice the precision is 4."""
    x, z = np.array([4.0, 0.0]), np.ones(1)
    found = measure(least(), x, z, claimed=4.0)
    assert 4.0 - 1e-13 < found.bound < 4.0
    wide = replace(least(), lower=np.full(2, -1e12), upper=np.full(2, 1e12), c=np.array([1.0, 2.0]))
    assert measure(wide, x, z, claimed=4.0).bound == 4.0  # where rounding takes too much of it
