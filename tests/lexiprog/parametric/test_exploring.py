"""Sliders for tolerances: the numbers behind them, and what a browser makes of the page."""

import html
import json
import re

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.parametric import explorer as together
from tests.browser import needs_browser, page_after


def program(**tolerances):
    x = cp.Variable(3, bounds=[0, 4], name="x")
    levels = {
        "profit": cp.Maximize(x @ [3, 2, 1]),
        "clean </script>": cp.Minimize(x @ [2, 1, 0.2]),
        "even": cp.Minimize(cp.max(x) - cp.min(x)),
    }
    return lx.preemptive(levels, [cp.sum(x) <= 6, x[0] + 2 * x[1] <= 7], **tolerances)


@pytest.fixture(scope="module")
def explorer():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(together, "PATIENCE", 300.0)  # a busy machine is no reason to omit pairs
        return lx.explore(program(atol={"profit": 1}))


def inside(page):
    return html.unescape(re.search(r'srcdoc="(.*?)"', page, re.DOTALL).group(1))


def test_points_on_the_curve_are_what_solving_there_gives(explorer):
    level = explorer.summary.levels[0]
    assert level.declared == 1.0
    for k in (0, len(level.tolerances) // 2, len(level.tolerances) - 1):
        solved = program(atol={"profit": level.tolerances[k]}).solve()
        for name, _, values in level.optima:
            assert values[k] == pytest.approx(solved[name].value, abs=1e-6)


def test_between_points_the_straight_line_is_an_optimum_and_its_variables_can_be_had(explorer):
    level = explorer.summary.levels[0]
    middle = 0.5 * (level.tolerances[0] + level.tolerances[1])
    solved = program(atol={"profit": middle}).solve()
    for name, _, values in level.optima:
        assert 0.5 * (values[0] + values[1]) == pytest.approx(solved[name].value, abs=1e-6)
    x = np.array([0.5 * (values[0] + values[1]) for _, values in level.variables])
    assert x.size == 3
    assert x @ [3, 2, 1] >= solved["profit"].value - middle - 1e-6


def test_integers_move_in_steps():
    take = cp.Variable(4, boolean=True, name="take")
    levels = {"worth": cp.Maximize(take @ [5, 4, 3, 2]), "light": cp.Minimize(take @ [4, 3, 2, 1])}
    level = lx.explore(lx.preemptive(levels, [take @ [3, 3, 2, 2] <= 7])).summary.levels[0]
    assert level.steps
    assert level.optima[0][2] == tuple(sorted(level.optima[0][2], reverse=True))


def test_a_program_that_holds_nothing_has_nothing_to_explore():
    x = cp.Variable(name="x")
    with pytest.raises(lx.DeclarationError, match="nothing to explore"):
        lx.explore(lx.Program(lx.Stage("only", lx.Subproblem("low", cp.Minimize(x), [x >= 1]))))


def test_the_page_needs_no_network_and_names_cannot_break_it(explorer):
    page = explorer._repr_html_()
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    body = inside(page)
    assert body.count("</script>") == 1
    data = re.search(r"const DATA = (.*?);\n", body).group(1)
    assert json.loads(data)["levels"][0]["name"] == "profit"
    assert "profit" in str(explorer)


def test_two_tolerances_at_once_are_what_solving_with_both_gives(explorer):
    (pair,) = explorer.summary.pairs
    assert pair.names == ("profit", "clean </script>")
    firsts, seconds = pair.tolerances
    assert 1.0 in firsts
    wanted, rng = [], np.random.default_rng(0)
    for i, j in rng.integers(0, [len(firsts), len(seconds)], (6, 2)):
        tolerances = dict(zip(pair.names, (firsts[i], seconds[j]), strict=True))
        solved = program(atol=tolerances).solve()
        assert explorer.at(tolerances)["even"].value == pytest.approx(
            solved["even"].value, abs=1e-7
        )
        wanted.append((i * len(seconds) + j, solved["even"].value))
    ((name, sense, values),) = pair.optima
    assert (name, sense) == ("even", "minimise")
    for k, value in wanted:
        assert values[k] == pytest.approx(value, abs=1e-7)


def test_pairs_that_would_take_long_are_left_out_and_can_be_asked_for(monkeypatch):
    monkeypatch.setattr(together, "PATIENCE", 0.0)
    explorer = lx.explore(program())
    assert explorer.summary.pairs == ()
    assert explorer.at({"profit": 1, "clean </script>": 2}).final.certificate.proved


def test_what_is_not_held_has_no_tolerance_to_move(explorer):
    with pytest.raises(lx.DeclarationError, match="nobody holds 'even'"):
        explorer.at({"even": 1.0})
    with pytest.raises(lx.DeclarationError, match="at least 0"):
        explorer.at({"profit": -1.0})


@needs_browser
def test_in_a_browser_the_slider_moves_everything(explorer, tmp_path):
    path = tmp_path / "page.html"
    explorer.save(path)  # the page itself, without a frame whose height is only estimated
    page = path.read_text(encoding="utf-8")
    assert page == inside(explorer._repr_html_()).replace('"framed": true', '"framed": false')
    move = """<script>const s = document.querySelector("input");
    s.value = 1000; s.dispatchEvent(new Event("input"));
    const both = document.querySelectorAll("input[aria-label$='both at once']");
    both.forEach((b) => { b.value = b.max; b.dispatchEvent(new Event("input")); });
    </script></body>"""
    path.write_text(page.replace("</body>", move), encoding="utf-8")
    shown = page_after(path.as_uri(), tmp_path)
    level = explorer.summary.levels[0]
    assert f"<output>{level.tolerances[-1]:g}</output>" in shown
    for name, sense, values in level.optima:
        told = f"{html.escape(name, quote=False)} ({sense}): {values[-1] + 0.0:.5g}"
        assert told in shown.replace("-0<", "0<")
    assert "x[2]" in shown
    (pair,) = explorer.summary.pairs
    last = f"{pair.optima[0][2][-1] + 0.0:.5g}"
    assert f'even (minimise)</td><td class="value">{last}</td>' in shown
    assert "every other tolerance as declared" in shown


@needs_browser
def test_in_a_browser_the_frame_is_as_high_as_what_is_in_it(explorer, tmp_path):
    path = tmp_path / "notebook.html"
    path.write_text(f"<html><body>{explorer._repr_html_()}</body></html>", encoding="utf-8")
    estimated = int(re.search(r"height:(\d+)px", explorer._repr_html_())[1])
    for _ in range(3):  # on a busy machine Chromium may not have come to the frame yet
        shown = page_after(path.as_uri(), tmp_path, "--window-size=1400,900")
        fitted = int(re.search(r"height: ?(\d+)px", shown)[1])
        if fitted != estimated:
            break
    assert 200 < fitted < 0.8 * estimated


def test_front_ends_that_strip_frames_and_styles_show_the_curves_instead(explorer):
    """What a sanitiser leaves of the display: no frame, no style, but images and lists."""
    page = explorer._repr_html_()
    left = re.sub(r"<(iframe|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    assert "<iframe" not in left
    curves = [level for level in explorer.summary.levels if len(level.tolerances) > 1]
    assert left.count("data:image/svg+xml") == len(curves) > 0
    assert "tolerance on profit" in left
    assert "trusted" in left
    assert ".lx-unless-framed { display: none; }" in page


def test_where_a_curve_is_samples_only_solved_tolerances_are_shown():
    x = cp.Variable(2, nonneg=True, name="x")

    def build(slack):
        levels = {"much": cp.Maximize(x @ [3, 2]), "near": cp.Minimize(cp.sum_squares(x - [1, 3]))}
        return lx.preemptive(levels, [x @ [2, 1] <= 7, x <= 3], atol={"much": slack})

    declared = 1.2345
    explorer = lx.explore(build(declared))
    level = explorer.summary.levels[0]
    assert level.sampled
    assert "in between nothing is shown" in level.note
    ((_, _, values),) = level.optima
    for t in (declared, level.tolerances[1]):
        solved = build(t).solve()["near"].value
        assert values[level.tolerances.index(t)] == pytest.approx(solved, abs=1e-5)
    assert "<path" not in inside(explorer._repr_html_()).split("<script>")[0]


def test_samples_of_several_later_optima_are_all_solved_where_they_are_shown(monkeypatch):
    monkeypatch.setattr(together, "PATIENCE", 0.0)  # no pairs, and few points of each curve
    monkeypatch.setattr(together, "POINTS", 12)
    y = cp.Variable(2, name="y")
    far, last = cp.Minimize(cp.abs(y[0] - 3)), cp.Minimize(cp.exp(-y[1]))
    levels = {"near": cp.Minimize(cp.sum_squares(y)), "far": far, "last": last}
    program = lx.preemptive(levels, [y <= 3], atol={"far": 0.4})
    level = lx.explore(program).summary.levels[0]
    values = {name: v for name, _, v in level.optima}
    wanted = 3 - np.minimum(np.sqrt(level.tolerances), 3)
    assert values["far"] == pytest.approx(wanted, abs=1e-5)
