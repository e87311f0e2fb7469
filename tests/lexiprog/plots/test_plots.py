"""Pictures have the structure a reader needs; how they look was judged by eye."""

import dataclasses
import subprocess
import sys

import cvxpy as cp
import matplotlib.pyplot as plt
import numpy as np
import pytest

import lexiprog as lx
from lexiprog import plots
from tests.pictures import error_without_matplotlib


@pytest.fixture(scope="module")
def program():
    x, y = cp.Variable(nonneg=True, name="x"), cp.Variable(nonneg=True, name="y")
    limits = [3 * x + y <= 18, x + y <= 8, x + 2 * y <= 14]
    return lx.preemptive({"output $": cp.Maximize(x + y), "waste": cp.Minimize(x)}, limits)


@pytest.fixture(scope="module")
def result(program):
    return program.solve()


def texts(ax):
    return [text.get_text() for text in ax.texts]


def labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_hierarchy_names_stages_problems_optima_and_solvers(result):
    ax = plots.hierarchy(result)
    assert labels(ax) == [r"output \$", "waste"]
    assert texts(ax) == [
        r"1. output \$", "optimum 8, HIGHS", "2. waste", "optimum 2, HIGHS"]  # fmt: skip
    assert ax.get_title(loc="left").startswith("2 problems in 2 stages")
    top, bottom = sorted(ax.get_ylim())
    assert top <= min(ax.get_yticks()) < max(ax.get_yticks()) <= bottom


def test_hierarchy_bars_are_as_long_as_the_solves_took(result):
    widths = [patch.get_width() for patch in plots.hierarchy(result).patches if patch.get_y() > 0.5]
    bars = [width for width in widths if width != 1.0]  # stage bands span the axes
    assert sum(bars) == pytest.approx(1e3 * sum(found.seconds for found in result.values()))


def test_hierarchy_shows_failed_missing_and_many(result):
    name = "output $"
    bad = dataclasses.replace(result[name], certificate=lx.Certificate(gap=1e-3))
    shown = texts(plots.hierarchy(lx.Result(result.stages, {name: bad})))
    assert "optimum 8, HIGHS, not certified" in shown
    assert "not solved" in shown
    plots.hierarchy(lx.Result(result.stages, {}))
    names = tuple(str(k) for k in range(50))
    many = lx.Result({"many": names}, {k: dataclasses.replace(bad, name=k) for k in names})
    assert len(labels(plots.hierarchy(many))) == 12


def test_tradeoff_draws_the_curve_its_price_and_the_flat_end(program):
    sweep = lx.tradeoff(program, "output $", np.linspace(0, 2, 9))
    ax = plots.tradeoff(sweep)
    curve, price = ax.get_lines()
    assert curve.get_ydata() == pytest.approx(np.maximum(2 - 2 * np.linspace(0, 2, 9), 0))
    assert "price 2" in price.get_label()
    assert texts(ax) == ["more slack\nbuys nothing"]
    assert ax.get_ylabel() == "optimum of waste (minimised)"


def test_tradeoff_of_one_point_or_of_no_gain_is_a_plain_curve(program):
    assert len(plots.tradeoff(lx.tradeoff(program, "output $", [0.5])).get_lines()) == 1
    assert len(plots.tradeoff(lx.tradeoff(program, "output $", [2, 3])).get_lines()) == 1
    with pytest.raises(KeyError, match="no later subproblem 'rubbish'"):
        plots.tradeoff(lx.tradeoff(program, "output $", [0]), "rubbish")


def test_prices_are_bars_with_their_numbers(result):
    ax = plots.prices(result)
    assert [patch.get_width() for patch in ax.patches] == pytest.approx([2])
    assert texts(ax) == ["2"]


def test_prices_say_why_there_is_none():
    x = cp.Variable(2, name="x")
    near = {"near": cp.Minimize(cp.sum_squares(x - 3)), "small": cp.Minimize(cp.sum(x))}
    assert "argument" in texts(plots.prices(lx.preemptive(near).solve()))[0]
    k = cp.Variable(integer=True, name="k")
    whole = {"up": cp.Maximize(k), "down": cp.Minimize(k)}
    assert "integers" in texts(plots.prices(lx.preemptive(whole, [k <= 3.5, k >= 0]).solve()))[0]
    alone = lx.Program(lx.Stage("only", lx.Subproblem("low", cp.Minimize(k), [k >= 0]))).solve()
    with pytest.raises(ValueError, match="no problem of this result holds"):
        plots.prices(alone)


def test_axes_that_are_given_are_drawn_into_and_returned(program, result):
    _, axes = plt.subplots(1, 3)
    sweep = lx.tradeoff(program, "output $", [0, 1])
    assert plots.hierarchy(result, ax=axes[0]) is axes[0]
    assert plots.tradeoff(sweep, ax=axes[1]) is axes[1]
    assert plots.prices(result, ax=axes[2]) is axes[2]
    assert len(plt.get_fignums()) == 1


def test_neither_the_engine_nor_its_plots_import_matplotlib():
    code = "import sys, lexiprog.plots; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_without_matplotlib_the_extra_is_named():
    code = "import lexiprog.plots\nlexiprog.plots.hierarchy(lexiprog.Result({}, {}))"
    assert error_without_matplotlib(code) == (
        "ImportError: lexiprog.plots needs matplotlib: pip install 'lexiprog[plot]'."
    )


def test_a_program_that_is_not_solved_is_drawn_in_words():
    x = cp.Variable(2, nonneg=True, name="x")
    low = lx.Subproblem("low", cp.Minimize(cp.sum(x)), [x >= 1])
    then = lx.Subproblem("then", cp.Maximize(x[0]), [x <= 9, low.held(), x[1] <= low.optimum])
    ax = lx.plots.hierarchy(lx.Program(lx.Stage("one", low), lx.Stage("two", then)))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["low", "then"]
    texts = [text.get_text() for text in ax.texts]
    assert "minimise, LP, 2 variables, 1 constraint" in texts
    assert any("3 constraints; reads low.optimum; holds low exactly" in text for text in texts)
    assert ax.get_title(loc="left") == "2 problems in 2 stages, not solved"


def test_plots_need_no_import_of_their_own_and_say_so_without_matplotlib(monkeypatch):
    assert lx.plots is plots
    x = cp.Variable(name="x")
    program = lx.Program(lx.Stage("one", lx.Subproblem("low", cp.Minimize(x), [x >= 1])))
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"lexiprog\[plot\]"):
        lx.plots.hierarchy(program)


def test_a_name_that_the_package_does_not_have_is_asked_for():
    with pytest.raises(AttributeError, match="Did you mean 'preemptive'"):
        lx.preemptiv  # noqa: B018
