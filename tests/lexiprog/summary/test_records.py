"""Records of declarations say themselves in a few lines."""

import pytest

from lexiprog.summary import (
    Hold,
    ProblemSummary,
    ProgramSummary,
    Read,
    StageSummary,
    TableCell,
    TableSummary,
    counted,
    draw,
)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "exactly"),
        ({"atol": 0.5}, "within 0.5"),
        ({"rtol": 0.01}, "within 1 %"),
        ({"atol": 2, "rtol": 0.1}, "within 2 or 10 %"),
    ],
)
def test_a_hold_says_how_much_may_be_given_up(given, words):
    assert str(Hold("cost", **given)) == f"cost {words}"


def test_a_program_is_told_stage_by_stage_with_what_is_read_and_held():
    first = ProblemSummary("cost", "LP", "minimize", "c @ x", ("x >= 1",), (("x", (2, 3)),))
    second = ProblemSummary(
        "time", "QP", "maximize", "t", (), (("t", ()),), (Read("cost", "at(x)"),), (Hold("cost"),)
    )
    program = ProgramSummary((StageSummary("a", (first,)), StageSummary("b", (second,))))
    assert str(program).splitlines() == [
        "a",
        "  cost: minimize c @ x  [LP, 6 variables, 1 constraint]",
        "b",
        "  time: maximize t  [QP, 1 variable, 1 constraint]",
        "    reads cost.at(x)",
        "    holds cost exactly",
    ]


def test_nouns_agree_with_their_numbers():
    assert [counted(n, "stage") for n in (0, 1, 2)] == ["0 stages", "1 stage", "2 stages"]


def test_nobody_draws_what_is_not_registered_and_somebody_draws_tables():
    assert draw(object()) is None
    assert "<table" in draw(TableSummary("t", ("a",), ((TableCell("1"),),)))
