"""Solver comparison: one table, failures in it."""

import time

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.scenarios.solvers import SolverComparison, SolverRow


@pytest.fixture(scope="module")
def program():
    x = cp.Variable(2, nonneg=True, name="x")
    cost = lx.Subproblem("cost", cp.Minimize(x[0] + 2 * x[1]), [cp.sum(x) >= 4])
    even = lx.Subproblem("even", cp.Minimize(cp.sum_squares(x)), [cp.sum(x) >= cost.optimum])
    return lx.Program(lx.Stage("money", cost), lx.Stage("balance", even))


class Liar:
    """Claim that zero is optimal."""

    name = "Liar"

    def solve(self, problem):
        for variable in problem.variables():
            variable.value = np.zeros(variable.shape)


@pytest.fixture(scope="module")
def table(program):
    mixed = {"money": "HIGHS", "balance": lx.Solver("CLARABEL", tol_gap_abs=1e-10)}
    return lx.compare_solvers(program, ["CLARABEL", "ECOS", mixed, "NOSUCH", Liar(), None])


def test_every_choice_has_a_row_for_every_subproblem(program, table):
    assert len(table.rows) == 6 * 2
    assert [row.subproblem for row in table.rows] == ["cost"] * 6 + ["even"] * 6
    assert [row.choice for row in table.rows[:3]] == [
        "CLARABEL", "ECOS", "money: HIGHS, balance: CLARABEL(tol_gap_abs=1e-10)"]  # fmt: skip


def test_optima_agree_and_carry_the_certificate_of_their_own_solve(program, table):
    certificates = {"ECOS": program.solve("ECOS"), "CLARABEL": program.solve("CLARABEL")}
    solved = [row for row in table.rows if row.value is not None]
    assert len(solved) == 4 * 2
    for row in solved:
        assert row.value == pytest.approx({"cost": 4, "even": 8}[row.subproblem], abs=1e-5)
        if row.choice in certificates:
            own = certificates[row.choice][row.subproblem]
            assert row.certificate == own.certificate.worst
            assert own.certificate.proved
            assert row.value == own.value


def made_up():
    def row(choice, value, certificate):
        return SolverRow(
            choice, "s", "p", choice, "optimal", value=value, certificate=certificate, seconds=0.002
        )

    failed = SolverRow("d", "s", "p", "", "failed", reason="too hard")
    again = SolverRow("d", "s", "q", "", "failed", reason="too hard")
    rows = [row("a", 4.5, 1e-7), row("b", 4.0, 1e-9), row("c", 3.0, 1e-8), failed]
    return SolverComparison.of([rows, [again]])


def test_disagreement_is_the_distance_to_the_value_with_the_best_certificate():
    found = [row.disagreement for row in made_up().rows]
    assert found == [pytest.approx(0.1), 0, pytest.approx(0.2), None, None]


def test_the_table_says_a_subproblem_and_a_reason_once():
    assert [line.split() for line in str(made_up()).splitlines()[1:]] == [
        ["p", "a", "4.5", "1e-7", "1e-1", "2", "ms", "optimal"],
        ["b", "4", "1e-9", "0", "2", "ms", "optimal"],
        ["c", "3", "1e-8", "2e-1", "2", "ms", "optimal"],
        ["d", "-", "-", "-", "-", "failed:", "too", "hard"],
        ["q", "d", "-", "-", "-", "-", "failed"],
    ]


class Slow:
    """Take a moment, then answer rightly."""

    name = "Slow"

    def solve(self, problem):
        time.sleep(0.5)
        problem.solve(solver="CLARABEL")


def test_time_in_the_solver_is_told_apart_from_that_before_it(program):
    for row in lx.compare_solvers(program, [Slow()]).rows:
        assert row.seconds >= 0.5
        assert 0 <= row.compile_seconds < 0.5


def test_failures_are_rows_with_their_reason(table):
    failed = {(row.choice, row.subproblem): row for row in table.failures}
    assert set(failed) == {(c, p) for c in ("NOSUCH", "Liar") for p in ("cost", "even")}
    assert "not installed" in failed["NOSUCH", "cost"].reason
    assert "not certified: rows" in failed["Liar", "cost"].reason
    assert failed["Liar", "even"].status == "not reached"


def test_it_is_shown_as_text_html_and_a_frame(table):
    assert "not installed" in str(table)
    assert table._repr_html_().count('class="lx-bad ') == 2 + 1  # no such solver, and the liar
    frame = table.to_frame()
    assert frame.loc[("even", "ECOS"), "value"] == pytest.approx(8, abs=1e-5)
    assert len(frame) == 12


def test_variables_keep_the_values_they_had(program):
    program.solve()
    before = program["even"].variable("x").value.copy()
    lx.compare_solvers(program, ["ECOS", "NOSUCH"])
    assert (program["even"].variable("x").value == before).all()


def test_equal_choices_are_numbered_and_none_is_an_empty_table(program):
    twice = lx.compare_solvers(program, ["HIGHS", "HIGHS"])
    assert [row.choice for row in twice.rows[:2]] == ["HIGHS", "HIGHS #2"]
    ladder = lx.compare_solvers(program, [["ECOS", "HIGHS"], {}])
    assert [row.choice for row in ladder.rows[:2]] == ["ECOS, else HIGHS", "default"]
    assert lx.compare_solvers(program, []).rows == ()
    assert len(lx.compare_solvers(program, []).to_frame()) == 0


def test_progress_is_silent_unless_asked_for(program, capsys):
    lx.compare_solvers(program, ["HIGHS"])
    assert capsys.readouterr() == ("", "")
    lx.compare_solvers(program, ["HIGHS", "ECOS"], progress=True)
    assert "2/2" in capsys.readouterr().err


def test_a_missing_parameter_is_the_callers_fault():
    x, p = cp.Variable(name="x"), cp.Parameter(name="p")
    program = lx.Program(lx.Stage("only", lx.Subproblem("low", cp.Minimize(x), [x >= p])))
    with pytest.raises(lx.LexiprogError, match="has no value"):
        lx.compare_solvers(program, ["HIGHS"])


def test_a_stage_that_fails_in_part_keeps_what_was_solved():
    x, k = cp.Variable(name="x"), cp.Variable(integer=True, name="k")
    real = lx.Subproblem("real", cp.Minimize(x), [x >= 1])
    whole = lx.Subproblem("whole", cp.Minimize(k), [k >= 0.5])
    other = lx.Subproblem("other", cp.Minimize(k), [k >= 1.5])
    program = lx.Program(lx.Stage("both", real, whole, other))
    rows = {row.subproblem: row for row in lx.compare_solvers(program, ["ECOS"]).rows}
    assert rows["real"].value == pytest.approx(1)
    assert "cannot solve" in rows["whole"].reason
    assert rows["other"].reason == "see whole"


def test_choices_may_have_labels():
    x = cp.Variable(name="x")
    program = lx.Program(lx.Stage("only", lx.Subproblem("low", cp.Minimize(x), [x >= 1])))
    choices = {
        "simplex": "HIGHS",
        "interior": ["CLARABEL"],
        "ours": None,
        "by name": {"low": "SCS"},
    }
    table = lx.compare_solvers(program, choices)
    assert [row.choice for row in table.rows] == list(choices)
    assert [row.solver for row in table.rows] == ["HIGHS", "CLARABEL", "HIGHS", "SCS"]
