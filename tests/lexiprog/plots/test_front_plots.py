"""Pictures of fronts and whole curves have the structure a reader needs."""

import json
import re
from base64 import b64decode
from xml.etree import ElementTree

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
    rng = np.random.default_rng(5)
    weights, one, other = rng.integers(1, 40, (3, 12))
    take = cp.Variable(12, boolean=True, name="take")
    objectives = {"one": cp.Maximize(one @ take), "other": cp.Maximize(other @ take)}
    front = lx.frontier(objectives, [weights @ take <= 120], limit=3)
    ax = plots.frontier(front)
    stairs, points = lines(ax)
    assert stairs.get_drawstyle() == "steps-pre"
    assert len(points.get_xdata()) == 3
    gap, *_ = ax.patches
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


def demands(*values):
    x, demand = cp.Variable(2, nonneg=True, name="x"), cp.Parameter(name="demand")
    cheap = lx.Subproblem("cheap", cp.Minimize(3 * x[0] + x[1]), [cp.sum(x) >= demand, x <= 3])
    few = lx.Subproblem("few", cp.Minimize(cp.max(x)), [cp.sum(x) >= demand, x <= 3])
    program = lx.Program(lx.Stage("cost", cheap), lx.Stage("size", few))
    return lx.sweep(program, {demand: list(values)})


def test_a_sweep_is_drawn_over_its_parameter_with_failures_at_the_foot():
    ax = plots.sweep(demands(4, 2, 6, 7))
    cheap, few, failed = ax.get_lines()
    assert cheap.get_xydata()[:3].tolist() == pytest.approx(np.array([[2, 2], [4, 6], [6, 12]]))
    assert few.get_label() == "few"
    assert failed.get_xdata().tolist() == [7.0]
    assert "4 scenarios, 1 without a result" in ax.texts[0].get_text()
    only = plots.sweep(demands(4, 2), "few")
    assert only.get_ylabel() == "optimum of few"
    with pytest.raises(KeyError, match="there are 'cheap'"):
        plots.sweep(demands(4), "nobody")


def test_scenarios_of_vectors_are_sorted_by_what_they_cost():
    x, side = cp.Variable(2, nonneg=True, name="x"), cp.Parameter(2, name="side")
    program = lx.preemptive({"cost": cp.Minimize(cp.sum(x))}, [x >= side])
    ax = plots.sweep(lx.sweep(program, {side: [[3, 1], [1, 1], [2, 1]]}))
    assert ax.get_lines()[0].get_ydata().tolist() == pytest.approx([2, 3, 4])
    assert ax.get_xlabel() == "scenarios, sorted"


def drawn(html):
    """The drawing behind the image of a page."""
    found = re.search(r"data:image/svg\+xml;base64,([^\"]*)", html)
    return "" if found is None else b64decode(found.group(1)).decode()


def circles(html):
    return drawn(html).count("<circle")


def test_tables_of_curves_fronts_and_sweeps_have_a_picture_above_them(linear):
    front = lx.frontier(*linear)
    html = front._repr_html_()
    assert ElementTree.fromstring(drawn(html)).tag.endswith("svg")
    assert circles(html) == len(front)
    assert "cost $" in drawn(html)
    assert 'alt="fumes against cost $"' in html
    table = demands(4, 2, 6, 7)._repr_html_()
    assert circles(table) == 6  # two subproblems, three scenarios with a result
    curve = lx.tradeoff(lx.preemptive(*linear), "cost $")
    assert circles(curve._repr_html_()) == len(curve.tolerances)
    assert not drawn(demands(4)._repr_html_())  # a single point says nothing


def test_long_series_are_thinned_and_keep_their_ends():
    from lexiprog.summary import MOST, series_of

    series = series_of("a", range(5000), np.arange(5000.0) ** 2)
    assert len(series.across) <= MOST
    assert (series.across[0], series.across[-1]) == (0.0, 4999.0)
    assert series_of("a", [1, 2], [np.nan, 3.0]).across == (2.0,)


def test_in_given_axes_no_words_cover_others(linear):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(9, 6), layout="constrained")
    program = lx.preemptive(*linear)
    factor = cp.Parameter(name="factor", nonneg=True)
    x = cp.Variable(nonneg=True, name="x")
    one = lx.Program(lx.Stage("one", lx.Subproblem("x", cp.Minimize(x), [x >= factor, x <= 2])))
    plots.frontier(lx.frontier(*linear), ax=axes[0, 0])
    plots.hierarchy(program.solve(), ax=axes[0, 1])
    plots.sweep(lx.sweep(one, {factor: [1, 2, 3]}), ax=axes[1, 0])
    plots.tradeoff(lx.tradeoff(program, "cost $"), ax=axes[1, 1])
    figure.draw_without_rendering()
    for ax in axes.flat:
        words = [*ax.get_xticklabels(), *ax.get_yticklabels(), *ax.texts, ax.xaxis.label]
        words += [ax.yaxis.label, ax.title, ax._left_title]
        boxes = {word.get_text(): word.get_window_extent() for word in words if word.get_text()}
        assert len(boxes) > 5
        for text, box in boxes.items():
            others = [other for name, other in boxes.items() if name != text]
            assert not [o for o in others if o.shrunk(0.9, 0.9).overlaps(box.shrunk(0.9, 0.9))], (
                text
            )


def test_three_objectives_stand_in_space_and_more_over_parallel_axes(tmp_path):
    x = cp.Variable(4, nonneg=True, name="x")
    rows = [cp.sum(x) <= 2, x[0] + x[1] <= 1, x <= 1]
    aims = {name: cp.Maximize(x[k]) for k, name in enumerate("abcd")}
    three = lx.frontier({k: aims[k] for k in "abc"}, rows)
    ax = plots.frontier(three)
    assert ax.name == "3d"
    assert ax.get_zlabel() == "c (maximised)"
    solid = [facet for facet in three.facets if len(facet.points) > 2]
    assert len(ax.collections) == 1 + len(solid)
    four = lx.frontier(aims, rows)
    ax = plots.frontier(four)
    assert len(ax.get_lines()) == len(four) + 4
    assert [t.get_text().split("\n")[0] for t in ax.get_xticklabels()] == list("abcd")
    for front in (three, four):
        front.save(tmp_path / "front.html")
        page = (tmp_path / "front.html").read_text()
        assert "http" not in page
        data = json.loads(re.search(r"const DATA = (.*?);\n", page).group(1))
        assert data["points"] == front.points.tolist()
        assert data["facets"] == [list(facet.points) for facet in front.facets]


def test_tolerances_that_were_solved_one_by_one_are_dots(linear):
    sweep = lx.tradeoff(lx.preemptive(*linear), "cost $", [0, 1, 2])
    points, *_ = plots.tradeoff(sweep).get_lines()
    assert (points.get_marker(), points.get_linestyle()) == ("o", "None")
