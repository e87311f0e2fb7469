"""Three solvers across the stages, chosen by stage, by subproblem, by declaration or for all."""

import cvxpy as cp
import pytest

import lexiprog as lx


@pytest.fixture
def program():
    """Two one-variable LPs, then one that reads both, then one that reads that."""
    x, y, z, w = (cp.Variable(name=name, bounds=[0, 100]) for name in "xyzw")
    left = lx.Subproblem("left", cp.Minimize(2 * x), [x >= 1.5])
    right = lx.Subproblem("right", cp.Maximize(y), [3 * y <= 12])
    both = lx.Subproblem("both", cp.Minimize(z), [z >= left.optimum + right.optimum])
    last = lx.Subproblem("last", cp.Maximize(w), [w + both.at(z) <= 10])
    return lx.Program(
        lx.Stage("one", left, right), lx.Stage("two", both, solver="ECOS"), lx.Stage("three", last)
    )


ANSWERS = {"left": 3, "right": 4, "both": 7, "last": 3}


def used(result):
    return {name: solution.solver for name, solution in result.items()}


def values(result):
    return {name: solution.value for name, solution in result.items()}


def test_a_mapping_gives_each_stage_its_own_solver(program):
    result = program.solve({"one": "HIGHS", "two": "CLARABEL", "three": "ECOS"})
    assert used(result) == {"left": "HIGHS", "right": "HIGHS", "both": "CLARABEL", "last": "ECOS"}
    assert values(result) == pytest.approx(ANSWERS, rel=1e-6)


def test_a_stage_may_declare_its_solver_and_a_plain_argument_serves_the_others(program):
    result = program.solve("CLARABEL")
    assert used(result) == dict.fromkeys(["left", "right", "last"], "CLARABEL") | {"both": "ECOS"}
    assert values(result) == pytest.approx(ANSWERS, rel=1e-6)


def test_a_subproblem_entry_wins_over_its_stage_entry_and_that_over_the_declaration(program):
    result = program.solve({"one": "ECOS", "right": "CLARABEL", "two": "HIGHS"})
    assert used(result) == {"left": "ECOS", "right": "CLARABEL", "both": "HIGHS", "last": "HIGHS"}
    assert values(result) == pytest.approx(ANSWERS, rel=1e-6)


def test_without_any_choice_a_linear_program_goes_to_highs_and_a_declared_stage_to_its_own(program):
    assert used(program.solve()) == dict.fromkeys(["left", "right", "last"], "HIGHS") | {
        "both": "ECOS"
    }


def test_options_belong_to_the_stage_that_was_given_them(program):
    result = program.solve({"one": lx.Solver("CLARABEL", max_iter=100), "three": "HIGHS"})
    assert values(result) == pytest.approx(ANSWERS, rel=1e-6)
    with pytest.raises(lx.StageError) as caught:
        program.solve({"one": "HIGHS", "three": lx.Solver("CLARABEL", max_iter=1)})
    assert (caught.value.stage, caught.value.subproblem) == ("three", "last")
    assert caught.value.solver == "CLARABEL"


def test_a_ladder_goes_on_to_the_next_solver_when_one_fails(program):
    hurried = lx.Solver("CLARABEL", max_iter=1)
    result = program.solve({"one": [hurried, "HIGHS"], "two": [hurried, hurried, "ECOS"]})
    assert used(result) == {"left": "HIGHS", "right": "HIGHS", "both": "ECOS", "last": "HIGHS"}
    assert values(result) == pytest.approx(ANSWERS, rel=1e-6)
