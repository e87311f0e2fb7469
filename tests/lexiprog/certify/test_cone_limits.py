"""The limits of each row of a cone contain all of its points, and some point reaches them."""

import numpy as np
import pytest

from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify.ranges import activity_limits

FAR = np.inf


def limits(cones, b, least, most=None):
    form = StandardForm(np.zeros(0), 0.0, None, np.asarray(b, dtype=float), cones)
    most = np.full(len(b), FAR) if most is None else np.asarray(most, dtype=float)
    return activity_limits(form, np.asarray(least, dtype=float), most)


def slacks(cones, b, least, most=None):
    """Ranges of b - Ax."""
    low, high = limits(cones, b, least, most)
    return np.asarray(b) - high, np.asarray(b) - low


def test_equations_and_half_lines_say_what_they_say_by_themselves():
    low, high = limits(Cones(zero=1, nonneg=2), [3.0, 4.0, 5.0], [-9.0, -9.0, -9.0])
    assert low.tolist() == [3.0, -FAR, -FAR]
    assert high.tolist() == [3.0, 4.0, 5.0]


def test_the_head_of_a_second_order_cone_bounds_its_tail():
    """Two cones: |(s1, s2)| <= s0 <= 2 and |s4| <= s3 <= 5, around b."""
    b = np.array([1.0, 2.0, 3.0, -1.0, 7.0])
    least = b - np.array([2.0, 99.0, 99.0, 5.0, 99.0])
    low, high = slacks(Cones(soc=(3, 2)), b, least)
    assert low == pytest.approx([0, -2, -2, 0, -5])
    assert high == pytest.approx([2, 2, 2, 5, 5])


def test_without_a_head_nothing_is_bounded_but_the_head_from_below():
    low, high = slacks(Cones(soc=(3,)), np.zeros(3), np.full(3, -FAR))
    assert low.tolist() == [0.0, -FAR, -FAR]
    assert high.tolist() == [FAR, FAR, FAR]


def test_a_head_that_may_not_be_above_zero_leaves_the_tip():
    low, high = slacks(Cones(soc=(2,)), np.zeros(2), np.array([3.0, -FAR]))
    assert low == pytest.approx([0.0, 0.0], abs=1e-9)
    assert high == pytest.approx([0.0, 0.0], abs=1e-9)


def test_a_diagonal_bounds_a_semidefinite_matrix():
    """[[a, c], [c, d]] with a <= 4 and d <= 9 has |c| <= 6."""
    for layout, factor in (("upper", np.sqrt(2.0)), ("lower", np.sqrt(2.0))):
        cones = Cones(psd=(2,), psd_layout=layout)
        low, high = slacks(cones, np.zeros(3), [-4.0, -FAR, -9.0])
        assert low == pytest.approx([0.0, -6 * factor, 0.0])
        assert high == pytest.approx([4.0, 6 * factor, 9.0])


def test_of_opposite_entries_that_are_written_apart_only_the_diagonal_is_bounded():
    cones = Cones(psd=(2,), psd_layout="full")
    low, high = slacks(cones, np.zeros(4), [-4.0, -FAR, -FAR, -9.0])
    assert low.tolist() == pytest.approx([0.0, -FAR, -FAR, 0.0])
    assert high.tolist() == pytest.approx([4.0, FAR, FAR, 9.0])


def test_the_top_of_an_exponential_cone_bounds_the_others():
    """y exp(x / y) <= z <= 5 with x >= -2: x is at most 5 / e, y at most 7."""
    cones, b = Cones(exp=1), np.array([1.0, 1.0, 1.0])
    low, high = slacks(cones, b, b - [FAR, FAR, 5.0], b - [-2.0, 0.0, 0.0])
    assert low == pytest.approx([-FAR, 0.0, 0.0])
    assert high == pytest.approx([5 / np.e, 7.0, 5.0])
    y = np.linspace(1e-3, 7.0, 2000)
    x = np.minimum(y * np.log(5.0 / y), high[0] + 1.0)
    assert x.max() == pytest.approx(high[0], abs=1e-4)
    assert y[x >= -2.0].max() <= high[1]


@pytest.mark.parametrize("share", [0.5, 0.2])
def test_two_sides_of_a_power_cone_bound_the_third(share):
    """|s2| <= s0^a s1^(1 - a) with s0 <= 4 and s1 <= 9."""
    low, high = slacks(Cones(power=((share, 1 - share),)), np.zeros(3), [-4.0, -9.0, -FAR])
    tip = 4.0**share * 9.0 ** (1 - share)
    assert low == pytest.approx([0.0, 0.0, -tip])
    assert high == pytest.approx([4.0, 9.0, tip])


def test_rounding_makes_limits_wider_and_never_narrower():
    b = np.array([1e6, 0.1, 0.1])
    low, high = limits(Cones(soc=(3,)), b, [1e6 - 0.3, -FAR, -FAR])
    for row in (1, 2):
        assert low[row] <= b[row] - 0.3
        assert high[row] >= b[row] + 0.3
        assert low[row] == pytest.approx(-0.2, abs=1e-4)
        assert high[row] == pytest.approx(0.4, abs=1e-4)
