"""Solutions, trade-offs and comparisons as tables, in HTML and as text."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.display.table import table_html
from lexiprog.display.views import solution_html
from lexiprog.model.expressions import readable
from lexiprog.summary import (
    SolutionSummary,
    SolvedSummary,
    TableCell,
    TableSummary,
    duration,
    number,
    text_table,
    tiny,
)

FOUND = SolvedSummary(1.0, "optimal", "HIGHS", 0.1, certified=True, certificate="certified")


def test_large_variables_are_summarised():
    text = solution_html(SolutionSummary("p", FOUND, {"z": np.r_[np.zeros(990), np.ones(10)]}))
    assert "1000 numbers, 990 of them zero; least 0, mean 0.01, largest 1" in text
    assert "2 × 3" in solution_html(SolutionSummary("p", FOUND, {"z": np.zeros((2, 3))}))


def test_many_variables_are_summarised():
    text = solution_html(SolutionSummary("p", FOUND, {f"v{k}": np.array(1.0) for k in range(200)}))
    assert text.count("<tr>") == 31
    assert "and 170 more variables" in text


def test_solutions_without_variables_and_with_complex_ones_are_shown():
    assert "optimal, HIGHS, 100 ms" in solution_html(SolutionSummary("p", FOUND, {}))
    assert "1.+2.j" in solution_html(SolutionSummary("p", FOUND, {"c": np.array([1 + 2j])}))
    assert "20 numbers" in solution_html(SolutionSummary("p", FOUND, {"c": np.full(20, 1j)}))


def test_cells_and_heads_are_escaped_and_toned():
    table = TableSummary(
        "<i>", ("<a>",), ((TableCell("<b>", "bad"),),), notes=(TableCell("&", "quiet"),)
    )
    text = table_html(table)
    for raw in ("<i>", "<a>", "<b>"):
        assert raw not in text
    assert '<td class="lx-bad ">&lt;b&gt;</td>' in text
    assert '<div class="lx-quiet">&amp;</div>' in text


def test_text_tables_align_numbers_on_the_right():
    rows = ((TableCell("a"), TableCell("1")), (TableCell("bcd"), TableCell("23")))
    table = TableSummary(
        "", ("n", "value"), rows, numeric=frozenset(["value"]), notes=(TableCell("!"),)
    )
    assert text_table(table) == "n    value\na        1\nbcd     23\n!"


def test_tradeoff_is_a_table_of_its_own_numbers():
    x, y = cp.Variable(nonneg=True, name="x"), cp.Variable(nonneg=True, name="y")
    limits = [2 * x + y <= 3, 0.5 * x + y <= 1.5]
    program = lx.preemptive({"<x>": cp.Maximize(x), "y": cp.Maximize(y)}, limits)
    text = lx.tradeoff(program, "<x>", [0, 0.5])._repr_html_()
    assert "tolerance on &lt;x&gt;" in text
    assert text.count("<tr>") == 3


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(2e-6, "2 µs"), (0.0123, "12.3 ms"), (3.14159, "3.14 s"), (600, "10 min")],
)
def test_durations_choose_their_unit(seconds, text):
    assert duration(seconds) == text


def test_numbers_are_short():
    assert [number(-0.0), number(1 / 3), tiny(0), tiny(3e-9), tiny(float("nan"))] == [
        "0", "0.333333", "0", "3e-9", "not a number"]  # fmt: skip


def test_expressions_read_as_they_were_written():
    x, y = cp.Variable(3, name="x"), cp.Variable(name="y")
    cases = {
        "sum(x) <= 10": cp.sum(x) <= 10,
        "(y - 3)^2": cp.square(y - 3),
        "x[1]^2": cp.square(x[1]),
        "x[0] - 2 * y <= 1.5": x[0] - 2 * y <= 1.5,
        "x[0] - (x[1] + x[2])": x[0] - (x[1] + x[2]),
        "sum(x) + 11 * y": 1 * cp.sum(x) + 11 * y,
        "sum_smallest(hstack(x[0], y), 1)": cp.sum_smallest(cp.hstack([x[0], y]), 1),
        "sum_squares(x) + sum_squares(y)": cp.sum_squares(x) + cp.sum_squares(y),
    }
    assert {readable(expression) for expression in cases.values()} == set(cases)
    assert len(readable(cp.hstack([y] * 500))) == 120


def test_constraints_are_shown_as_they_were_written_with_their_labels():
    x = cp.Variable(2, name="x")
    limits = [x >= 1, x[0] + x[1] <= 9, (x[1] >= 2).set_label("floor"), cp.SOC(x[0], x)]
    program = lx.Program(lx.Stage("one", lx.Subproblem("p", cp.Minimize(x[0]), limits)))
    shown = program.summary.stages[0].problems[0].constraints
    assert shown == ("x >= 1", "x[0] + x[1] <= 9", "floor: x[1] >= 2", "SOC(x[0], x)")
