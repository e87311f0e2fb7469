"""Curves of linear programs: known ones, and random ones against a solve at every place."""

import os

import numpy as np
import pytest

from lexiprog.parametric.curve import CurveEnd, CurveError
from lexiprog.parametric.path import parametric_curve
from tests.lexiprog.parametric.forms import form_of, optimum, random_form

PLACES = 1000 if os.environ.get("LEXIPROG_PROFILE") == "nightly" else 25


def test_a_curve_worked_out_by_hand():
    # The least -x - y for x <= 2, y <= 1 and x + 2y <= t: first x alone, then y, then nothing.
    form = form_of([-1, -1], [[1, 0], [0, 1], [1, 2]], [2, 1, 0])
    curve = parametric_curve(form, np.array([0.0, 0.0, 1.0]))
    assert curve.knots == pytest.approx([0, 2, 4])
    assert curve.values == pytest.approx([0, -2, -3])
    assert curve.slopes == pytest.approx([-1, -0.5, 0])
    assert curve.end is CurveEnd.FLAT
    assert curve.breakpoints == pytest.approx([2, 4])
    assert curve([1.0, 3.0, 50.0]) == pytest.approx([-1, -2.5, -3])
    assert np.isnan(curve(-1.0))  # nobody has looked there
    assert curve.point(3.0) == pytest.approx([2, 0.5])
    assert curve.proof.passed


def test_an_objective_that_falls_for_ever_has_a_straight_end():
    curve = parametric_curve(form_of([-2], [[1]], [0]), np.array([1.0]))
    assert (curve.end, curve.knots.tolist(), curve.slopes.tolist()) == (
        CurveEnd.STRAIGHT, [0.0], [-2.0])  # fmt: skip
    assert curve(1e6) == pytest.approx(-2e6)
    assert curve.point(7.0) == pytest.approx([7])


def test_what_becomes_infeasible_ends_there_with_a_proof():
    # x >= t and x <= 3: nothing is left beyond t = 3.
    form = form_of([1], [[-1]], [0], upper=3.0)
    curve = parametric_curve(form, np.array([-1.0]), start=-1.0)
    assert curve.end is CurveEnd.INFEASIBLE
    assert curve.knots == pytest.approx([-1, 0, 3])
    assert curve.slopes == pytest.approx([0, 1])
    assert curve.walls[1] is not None
    assert curve(3.5) == np.inf
    assert curve.slope(3.0) == np.inf
    with pytest.raises(ValueError, match="outside"):
        curve.point(4.0)


def test_a_start_where_nothing_is_feasible_is_moved_to_where_something_is():
    # No x is at least 1 and at most t before t = 1.
    curve = parametric_curve(form_of([1], [[1]], [0], lower=1.0), np.array([1.0]))
    assert curve.start == pytest.approx(1.0)
    assert curve.walls[0] is not None
    assert curve(0.5) == np.inf


def test_a_limit_on_pieces_leaves_a_note_and_no_guess():
    form = form_of([-1, -1], [[1, 0], [0, 1], [1, 2]], [2, 1, 0])
    curve = parametric_curve(form, np.array([0.0, 0.0, 1.0]), limit=1)
    assert curve.end is CurveEnd.UNFINISHED
    assert "limit=" in curve.note
    assert np.isnan(curve(3.0))


def test_a_curve_stops_where_it_is_asked_to():
    form = form_of([-1, -1], [[1, 0], [0, 1], [1, 2]], [2, 1, 0])
    curve = parametric_curve(form, np.array([0.0, 0.0, 1.0]), stop=3.0)
    assert (curve.end, curve.stop) == (CurveEnd.STOPPED, 3.0)
    assert curve.values[-1] == pytest.approx(-2.5)
    assert np.isnan(curve(3.5))


@pytest.mark.parametrize("scale", [0.0, 3.0], ids=["whole numbers", "many units"])
@pytest.mark.parametrize("seed", range(12))
def test_random_curves_are_what_solving_at_every_place_gives(seed, scale):
    rng = np.random.default_rng(seed)
    form, direction = random_form(rng, scale=scale)
    curve = parametric_curve(form, direction)
    reach = curve.knots[-1] * 1.5 + 1.0
    places = np.concatenate([rng.uniform(0.0, reach, PLACES), curve.knots])
    for t in places:
        wanted = optimum(form, form.b + t * direction)
        if np.isinf(wanted):  # at a wall the two may differ by rounding
            assert np.isinf(curve(t)) or t == pytest.approx(curve.stop, abs=1e-6)
        elif np.isfinite(curve(t)):
            assert curve(t) == pytest.approx(wanted, rel=1e-6, abs=1e-6)
        else:
            assert t == pytest.approx(curve.stop, abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_slopes_are_difference_quotients_and_no_knot_is_too_many(seed):
    form, direction = random_form(np.random.default_rng(100 + seed))
    curve = parametric_curve(form, direction)
    assert np.all(np.diff(curve.slopes) > 0)  # convex, and every knot bends
    ends = np.append(curve.knots, curve.knots[-1] + 1.0)[: curve.slopes.size + 1]
    for start, stop, slope in zip(ends[:-1], ends[1:], curve.slopes, strict=True):
        inside = [start + share * (stop - start) for share in (0.25, 0.75)]
        low, high = (optimum(form, form.b + t * direction) for t in inside)
        assert (high - low) / (inside[1] - inside[0]) == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_degenerate_vertices_do_not_hold_a_walk_up():
    # Many rows through one vertex, all of which move at once.
    A = [[1, 0], [0, 1], [1, 1], [2, 1], [1, 2], [3, 3]]
    form = form_of([-1, -2], A, np.zeros(6))
    curve = parametric_curve(form, np.array([1.0, 1, 2, 3, 3, 6]))
    assert curve.knots.tolist() == [0.0]
    assert curve.slopes == pytest.approx([-3])


def test_what_cannot_have_a_curve_is_refused_in_a_sentence():
    form = form_of([-1, -1], [[1, 1]], [1])
    with pytest.raises(ValueError, match="nothing moves"):
        parametric_curve(form, np.zeros(1))
    with pytest.raises(ValueError, match="integers"):
        parametric_curve(form_of([1], [[1]], [1], integer=[0]), np.ones(1))
    with pytest.raises(ValueError, match="finite"):
        parametric_curve(form, np.ones(1), start=-np.inf)
    with pytest.raises(ValueError, match="finite entry"):
        parametric_curve(form, np.ones(2))
    with pytest.raises(CurveError, match="nothing is feasible"):
        parametric_curve(form_of([1], [[1], [0]], [1, -1]), np.array([1.0, 0.0]))
    with pytest.raises(CurveError, match="unbounded"):
        parametric_curve(form_of([-1, 0], [[0, 1]], [1]), np.ones(1))
