"""Pictures of fronts and whole curves have the structure a reader needs."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog import plots


@pytest.fixture(scope="module")
def linear():
    x = cp.Variable(2, nonneg=True, name="x")
    demand = [x[0] + 2 * x[1] >= 8, 2 * x[0] + x[1] >= 8]
    cost, fumes = cp.Minimize(3 * x[0] + x[1]), cp.Minimize(x[0] + 4 * x[1])
    return {"cost $": cost, "fumes": fumes}, demand


def lines(ax):
    return [line for line in ax.get_lines() if len(line.get_xdata()) > 1]


def test_a_linear_front_is_a_line_through_its_points(linear):
    front = lx.frontier(*linear)
    ax = plots.frontier(front)
    line, points = lines(ax)
    assert line.get_xydata() == pytest.approx(front.points)
    assert points.get_marker() == "o"
    assert (ax.get_xlabel(), ax.get_ylabel()) == (r"cost \$ (minimised)", "fumes (minimised)")
    assert "every extreme point (3)" in ax.texts[0].get_text()


def test_an_integer_front_is_a_staircase_with_its_gaps_shaded():
    rng = np.random.default_rng(0)
    weights, one, other = rng.integers(1, 40, (3, 12))
    take = cp.Variable(12, boolean=True, name="take")
    objectives = {"one": cp.Maximize(one @ take), "other": cp.Maximize(other @ take)}
    front = lx.frontier(objectives, [weights @ take <= 120], limit=3)
    ax = plots.frontier(front)
    stairs, points = lines(ax)
    assert stairs.get_drawstyle() == "steps-pre"
    assert len(points.get_xdata()) == 3
    (gap,) = ax.patches
    ends = sorted(end[0] for end in front.missing[0])
    assert [gap.get_x(), gap.get_x() + gap.get_width()] == pytest.approx(ends)
    assert "not complete" in ax.texts[0].get_text()


def test_an_endless_front_has_an_arrow():
    x, y = cp.Variable(nonneg=True, name="x"), cp.Variable(nonneg=True, name="y")
    front = lx.frontier({"low": cp.Minimize(x), "high": cp.Maximize(y)}, [y <= 2 * x + 1])
    arrows = [text for text in plots.frontier(front).texts if getattr(text, "arrow_patch", None)]
    assert len(arrows) == 1
    assert arrows[0].xy[0] > 0


def test_two_of_three_objectives_are_drawn_by_name():
    x = cp.Variable(3, nonneg=True, name="x")
    objectives = {name: cp.Maximize(x[k]) for k, name in enumerate("abc")}
    front = lx.frontier(objectives, [cp.sum(x) <= 1], limit=9)
    ax = plots.frontier(front, "a", "c")
    assert ax.get_ylabel() == "c (maximised)"
    assert len(ax.get_lines()) == 1  # points alone: nothing is known between them
    with pytest.raises(lx.DeclarationError, match="no objective 'd'"):
        plots.frontier(front, "d")


def test_a_whole_curve_marks_its_breakpoints_and_goes_on(linear):
    program = lx.preemptive(*linear)
    curve = lx.tradeoff(program, "cost $")
    ax = plots.tradeoff(curve)
    line, points, first = ax.get_lines()
    assert tuple(points.get_xdata()) == curve.tolerances
    assert line.get_xdata()[-1] > curve.tolerances[-1]
    assert first.get_label() == "slope -7 at first"
    assert "more slack\nbuys nothing" in [text.get_text() for text in ax.texts]


def test_integer_curves_are_drawn_in_steps():
    boxes, filled = cp.Variable(integer=True, name="boxes"), cp.Variable(nonneg=True, name="filled")
    program = lx.preemptive(
        {"few": cp.Minimize(boxes), "full": cp.Maximize(filled)},
        [boxes >= 1, boxes <= 4, filled <= 2.5 * boxes],
    )
    line, points = plots.tradeoff(lx.tradeoff(program, "few")).get_lines()
    assert line.get_drawstyle() == "steps-post"
    assert list(points.get_xdata()) == pytest.approx([0, 1, 2, 3])
