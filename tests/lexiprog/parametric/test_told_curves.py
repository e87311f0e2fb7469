"""Curves as they are told: what is refused, where they end, text, tables and progress."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from tests.lexiprog.parametric.test_whole_curves import chain


def test_a_level_that_nobody_holds_and_bad_numbers_are_refused():
    program, _ = chain(0, levels=2)
    with pytest.raises(lx.DeclarationError, match="nothing to trade"):
        lx.tradeoff(program, "level 1")
    with pytest.raises(lx.DeclarationError, match="share"):
        lx.tradeoff(program, "level 0", error=0)
    with pytest.raises(lx.DeclarationError, match="limit"):
        lx.tradeoff(program, "level 0", limit=1)
    curve = lx.tradeoff(program, "level 0")
    with pytest.raises(lx.DeclarationError, match="at least 0"):
        curve.at(-1.0)
    with pytest.raises(lx.DeclarationError, match="whole curve"):
        lx.tradeoff(program, "level 0", [0.0, 1.0]).at(0.5)


def test_an_unbounded_later_level_is_the_error_that_solving_gives():
    x = cp.Variable(2, nonneg=True, name="x")
    program = lx.preemptive({"a": cp.Minimize(x[0]), "b": cp.Maximize(x[1])})
    with pytest.raises(lx.StageError, match="unbounded"):
        lx.tradeoff(program, "a")


def test_a_limit_on_breakpoints_says_where_the_curve_ends():
    program, _ = chain(2, levels=2, size=9, rows=6)
    whole = lx.tradeoff(program, "level 0")
    part = lx.tradeoff(program, "level 0", limit=2)
    assert len(part.tolerances) < len(whole.tolerances)
    assert "limit" in part.notes[0]
    assert np.isnan(part.at(whole.tolerances[-1])["level 1"])


def test_text_frame_and_html_show_every_breakpoint():
    program, _ = chain(1)
    curve = lx.tradeoff(program, "level 0")
    frame = curve.to_frame()
    assert list(frame.index) == list(curve.tolerances)
    assert list(frame.columns) == [
        "level 1", "level 2", "slope of level 1", "slope of level 2"]  # fmt: skip
    assert str(curve).count("\n") == len(curve.tolerances) + 2
    assert "constant from" in curve._repr_html_()


def test_progress_counts_the_later_problems(capsys):
    program, _ = chain(1)
    lx.tradeoff(program, "level 0", progress=True)
    assert "2/2" in capsys.readouterr().err
