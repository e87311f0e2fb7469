"""Several problems in the first stage, a compromise between their optima in the second."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from tests.lexiprog.small_programs import plant


@pytest.fixture
def compromise():
    x, demand, cheap, clean = plant()
    cost, fumes = cheap.objective.expr, clean.objective.expr
    worst = cp.Variable(name="worst")
    fair = lx.Subproblem(
        "fair",
        cp.Minimize(worst),
        [*demand, cost <= cheap.optimum + worst, fumes <= clean.optimum + worst],
    )
    program = lx.Program(lx.Stage("ideal", cheap, clean), lx.Stage("compromise", fair))
    return program, x, cost


def test_the_compromise_is_the_one_worked_by_hand(compromise):
    # On the edge x0 = 8 - 2 x1 the two regrets are 16 - 5 x1 and 2 x1, equal at x1 = 16/7.
    program, x, cost = compromise
    result = program.solve()
    assert result["cheap"].value == pytest.approx(8)
    assert result["clean"].value == pytest.approx(8)
    assert result["fair"].value == pytest.approx(32 / 7)
    np.testing.assert_allclose(result["cheap"][x], [0, 8], atol=1e-6)
    np.testing.assert_allclose(result["clean"][x], [8, 0], atol=1e-6)
    np.testing.assert_allclose(result["fair"][x], [24 / 7, 16 / 7], atol=1e-6)
    assert result["fair"].at(cost) == pytest.approx(88 / 7)


def test_the_variables_hold_the_compromise_afterwards(compromise):
    program, x, _ = compromise
    program.solve()
    np.testing.assert_allclose(x.value, [24 / 7, 16 / 7], atol=1e-6)


def test_each_way_of_choosing_solvers_gives_the_same_compromise(compromise):
    program, _, _ = compromise
    choices = [
        {"ideal": "HIGHS", "compromise": lx.Solver("CLARABEL", tol_gap_abs=1e-9)},
        ["HIGHS", "CLARABEL"],
        "CLARABEL",
        {"clean": "ECOS"},
    ]
    for choice in choices:
        assert program.solve(choice, workers=2).final.value == pytest.approx(32 / 7, rel=1e-6)


def test_the_program_says_who_reads_what(compromise):
    program, _, _ = compromise
    text = str(program.describe())
    for name in ("ideal", "compromise", "cheap", "clean", "fair"):
        assert name in text
    assert [stage.name for stage in program.stages] == ["ideal", "compromise"]
    assert program["fair"].name == "fair"
