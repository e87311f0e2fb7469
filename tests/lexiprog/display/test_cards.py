"""Cards of problems: what is shown, what is folded away, what is counted."""

from dataclasses import replace

import numpy as np
import pytest

from lexiprog.display.card import Row, mark, problem_card, rows_of, summary_card
from lexiprog.display.diagram import find_lanes, gutter
from lexiprog.display.frame import style
from lexiprog.display.views import solution_html
from lexiprog.summary import (
    ProblemSummary,
    ProgramSummary,
    SolutionSummary,
    SolvedSummary,
    StageSummary,
)

GOOD = SolvedSummary(1.0, "optimal", "HIGHS", 0.1, certified=True, certificate="certified")
BAD = SolvedSummary(7.0, "optimal", "HIGHS", 0.2, certified=False, certificate="not certified")


def problem(constraints=0, name="p"):
    texts = tuple(f"x <= {k}" for k in range(constraints))
    return ProblemSummary(name, sense="minimise", objective="x", constraints=texts)


@pytest.mark.parametrize(
    ("constraints", "folded"), [(0, 0), (1, 0), (3, 0), (4, 0), (5, 2), (9, 6)]
)
def test_three_constraints_are_shown_and_the_others_folded_unless_it_is_one(constraints, folded):
    text = problem_card(problem(constraints), {}, None, 0)
    assert text.count("x &lt;= ") == constraints
    shown, _, hidden = text.partition("<details")
    assert shown.count("x &lt;= ") == constraints - folded
    assert ("subject to" in shown) == (constraints > 0)
    if folded:
        assert f"<summary>{folded} further constraints</summary>" in hidden


@pytest.mark.parametrize("solved", [{}, {"p": GOOD}])
def test_a_result_repeats_the_objective_and_no_constraints(solved):
    text = problem_card(problem(3), {}, solved, 0)
    assert ">minimise<" in text
    assert "subject to" not in text


def test_a_solvers_word_has_another_tick_than_a_proof():
    word = replace(GOOD, certificate="optimal for data within 0 of yours", basis="incumbent")
    assert mark(GOOD) != mark(word)
    assert "✓" in mark(GOOD)
    assert "solver's word" in mark(word)
    row = Row("2 more", problems=(problem(name="a"), problem(name="b")))
    assert mark(word) in summary_card(row, {"a": GOOD, "b": word}, 0).partition("<details")[0]


def test_a_summary_counts_what_failed_and_what_is_missing():
    row = Row("3 more", problems=tuple(problem(name=name) for name in "abc"))
    text = summary_card(row, {"a": GOOD, "b": BAD}, 0)
    for words in ("optima from 1 to 7", "1 not certified", "1 not solved", "300 ms"):
        assert words in text
    whole = summary_card(row, dict.fromkeys("abc", GOOD), 0)
    assert "not certified" not in whole
    assert "not solved" not in whole
    assert "optima" not in summary_card(row, {}, 0)
    assert "3 not solved" in summary_card(row, {}, 0)


@pytest.mark.parametrize(("count", "note"), [(1, ""), (2, "2 problems, independent of each other")])
def test_only_a_stage_of_several_says_that_they_are_independent(count, note):
    stage = StageSummary("s", tuple(problem(name=str(k)) for k in range(count)))
    assert rows_of(ProgramSummary((stage,)))[0].note == note


def test_an_arrow_leaves_its_row_passes_others_and_ends_with_a_head():
    lanes = find_lanes([[], [], [0]])
    first, passed, last = (gutter(lanes, row) for row in range(3))
    assert (first.count("<line"), first.count("<circle"), first.count("<path")) == (2, 1, 0)
    assert (passed.count("<line"), passed.count("<circle"), passed.count("<path")) == (1, 0, 0)
    assert (last.count("<line"), last.count("<circle"), last.count("<path")) == (2, 0, 1)
    # It leaves downwards, passes from edge to edge, and ends where the head begins.
    assert 'y1="17" x2="13" y2="100%"' in first
    assert 'y1="-1" x2="13" y2="100%"' in passed
    assert 'y1="-1" x2="13" y2="17"' in last


def test_a_number_is_a_number_of_whatever_type():
    def shown(value):
        return solution_html(SolutionSummary("p", GOOD, {"v": np.array(value)}))

    assert ">3</td>" in shown(3)
    assert ">0.333333</td>" in shown(1 / 3)
    assert ">1</td>" in shown(value=True)
    assert "1.+2.j" in shown(1 + 2j)


def test_entries_that_are_only_small_are_not_zero():
    values = np.r_[np.zeros(20), np.full(10, 1e-6)]
    text = solution_html(SolutionSummary("p", GOOD, {"v": values}))
    assert "30 numbers, 20 of them zero" in text


def test_the_style_comes_without_comments():
    assert "/*" not in style()
    assert ".lx-card" in style()
