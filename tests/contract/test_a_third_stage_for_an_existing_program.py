"""A third stage added to a program that exists, its earlier optima held."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


@pytest.fixture
def division():
    """Hand out up to 10 units to three people; the first is twice as dear to serve."""
    share = cp.Variable(3, bounds=[0, 10], name="share")
    limits = [cp.sum(share) <= 10]
    most = lx.Subproblem("most", cp.Maximize(cp.sum(share)), limits)
    cheap = lx.Subproblem("cheap", cp.Minimize([2, 1, 1] @ share), [*limits, most.held()])
    program = lx.Program(lx.Stage("amount", most), lx.Stage("cost", cheap))
    return program, share


def fair_stage(program, share, **tolerance):
    most, cheap = program["most"], program["cheap"]
    fair = lx.Subproblem(
        "fair",
        cp.Minimize(cp.max(share)),
        [cp.sum(share) <= 10, most.held(), cheap.held(**tolerance)],
    )
    return lx.Stage("fairness", fair)


def test_a_third_stage_chooses_among_the_optima_of_the_first_two(division):
    # All 10 units, none to the dear one, and the rest shared evenly: (0, 5, 5).
    program, share = division
    result = program.extend(fair_stage(program, share)).solve()
    assert [solution.value for solution in result.values()] == pytest.approx([10, 10, 5])
    np.testing.assert_allclose(result.final[share], [0, 5, 5], atol=1e-6)


def test_a_tolerance_on_a_held_optimum_buys_the_later_stage_exactly_what_it_allows(division):
    # A cost of 11 allows one unit to the dear person: (1, 4.5, 4.5).
    program, share = division
    for tolerance in ({"atol": 1}, {"rtol": 0.1}, {"atol": 0.5, "rtol": 0.1}):
        result = program.extend(fair_stage(program, share, **tolerance)).solve()
        assert result.final.value == pytest.approx(4.5, rel=1e-6)
        assert result.final.at([2, 1, 1] @ share) == pytest.approx(11, rel=1e-6)


def test_extending_leaves_the_existing_program_as_it_was(division):
    program, share = division
    extended = program.extend(fair_stage(program, share))
    assert [stage.name for stage in program.stages] == ["amount", "cost"]
    assert [stage.name for stage in extended.stages] == ["amount", "cost", "fairness"]
    assert list(program.solve()) == ["most", "cheap"]


def test_what_the_first_two_stages_found_need_not_be_solved_again(division):
    program, share = division
    before = program.solve("CLARABEL")
    extended = program.extend(fair_stage(program, share))
    result = extended.solve("HIGHS", resume=before)
    assert result.final.value == pytest.approx(5, rel=1e-5)
    assert [solution.solver for solution in result.values()] == ["CLARABEL", "CLARABEL", "HIGHS"]
