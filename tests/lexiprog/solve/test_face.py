"""Linear optima held by their optimal face: where that is promised, only there, and rightly."""

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog

import lexiprog as lx


def near(wanted, size=1e-6):
    return pytest.approx(wanted, abs=size, rel=size)


def kinds(result):
    return {name: [lock.kind for lock in solution.locks] for name, solution in result.items()}


def box():
    x = cp.Variable(3, bounds=[0, 4], name="x")
    limits = [cp.sum(x) <= 9, x[0] + 2 * x[1] <= 8]
    levels = {"a": cp.Maximize(x[0]), "b": cp.Maximize(x[1]), "c": cp.Minimize(x[2])}
    return x, limits, levels


@pytest.mark.parametrize(
    "solver", [None, "HIGHS", lx.Solver("HIGHS", presolve="off"), ["HIGHS", "CLARABEL"]]
)
def test_a_linear_chain_without_tolerance_on_highs_is_held_by_faces(solver):
    _, limits, levels = box()
    result = lx.preemptive(levels, limits).solve(solver)
    assert kinds(result) == {"a": [], "b": ["face"], "c": ["face"] * 2}
    assert [solution.value for solution in result.values()] == near([4, 2, 0])
    for lock in result.final.locks:
        assert (lock.tolerance, lock.guard, lock.distortion) == (0.0, 0.0, 0.0)
        assert lock.drift <= 1e-12


def test_long_chains_stay_on_the_face():
    rng = np.random.default_rng(7)
    x = cp.Variable(12, bounds=[0, 5], name="x")
    costs = rng.integers(-1, 2, (9, 12))
    levels = {str(k): cp.Minimize(c @ x) for k, c in enumerate(costs)}
    result = lx.preemptive(levels, [rng.integers(0, 3, (6, 12)) @ x <= 14]).solve()
    assert all(set(found) <= {"face"} for found in kinds(result).values())


def test_piecewise_linear_objectives_are_linear_programs_too():
    x = cp.Variable(2, bounds=[-5, 5], name="x")
    levels = {
        "distance": cp.Minimize(cp.abs(x[0] - 1) + cp.abs(x[0] - 3)),
        "worst": cp.Minimize(cp.max(x)),
        "second": cp.Maximize(x[1]),
    }
    result = lx.preemptive(levels).solve()
    assert kinds(result)["second"] == ["face", "face"]
    assert result.final[x] == near([1, 1])


@pytest.mark.parametrize("solver", ["CLARABEL", "ECOS"])
def test_other_solvers_hold_values(solver):
    _, limits, levels = box()
    result = lx.preemptive(levels, limits).solve(solver)
    assert kinds(result) == {"a": [], "b": ["value"], "c": ["value"] * 2}
    assert [solution.value for solution in result.values()] == near([4, 2, 0])


def test_a_solver_of_its_own_for_one_stage_makes_that_stage_hold_values():
    _, limits, levels = box()
    result = lx.preemptive(levels, limits).solve({"b": "CLARABEL"})
    assert kinds(result)["b"] == ["value"]
    assert [solution.value for solution in result.values()] == near([4, 2, 0])


def test_a_tolerance_is_no_face():
    _, limits, levels = box()
    everywhere = lx.preemptive(levels, limits, atol=0.5).solve()
    assert kinds(everywhere) == {"a": [], "b": ["value"], "c": ["value"] * 2}
    later = lx.preemptive(levels, limits, rtol={"b": 0.1}).solve()
    assert kinds(later) == {"a": [], "b": ["face"], "c": ["value"] * 2}


@pytest.mark.parametrize(("kept", "kind"), [(2, "face"), (1, "value")])
def test_constraints_may_be_more_but_not_others(kept, kind):
    x, limits, _ = box()
    first = lx.Subproblem("first", cp.Maximize(x[0]), limits)
    own = [*limits[:kept], x[1] <= 1]
    second = lx.Subproblem("second", cp.Maximize(x[1]), [*own, first.held()])
    result = lx.Program(lx.Stage("1", first), lx.Stage("2", second)).solve()
    assert kinds(result)["second"] == [kind]
    assert result.final.value == near(1)


def test_integers_and_curves_are_no_face():
    x = cp.Variable(2, integer=True, name="x", bounds=[0, 5])
    levels = {"a": cp.Maximize(x[0]), "b": cp.Maximize(x[1])}
    assert kinds(lx.preemptive(levels, [cp.sum(x) <= 7]).solve())["b"] == ["value"]
    y = cp.Variable(2, bounds=[0, 5], name="y")
    levels = {"a": cp.Maximize(y[0]), "b": cp.Minimize(cp.sum_squares(y))}
    assert kinds(lx.preemptive(levels, [cp.sum(y) <= 7]).solve())["b"] == ["value"]


def three_problems(goal, held):
    """The third minimises a coordinate and holds one of the two that come before it."""
    x, limits, _ = box()
    first = lx.Subproblem("first", cp.Maximize(x[0]), limits)
    second = lx.Subproblem("second", cp.Maximize(x[1]), [*limits, first.held()])
    third = lx.Subproblem("third", cp.Minimize(x[goal]), [*limits, (first, second)[held].held()])
    return lx.Program(*(lx.Stage(p.name, p) for p in (first, second, third))).solve()


def test_a_later_problem_that_lets_go_of_an_optimum_is_no_face_of_it():
    """The third holds the second, whose optimum needed the first; the first itself is free."""
    result = three_problems(goal=0, held=1)
    assert kinds(result) == {"first": [], "second": ["face"], "third": ["value"]}
    assert result.final.value == near(0)


def test_a_later_problem_may_hold_only_the_first():
    result = three_problems(goal=1, held=0)
    assert kinds(result)["third"] == ["face"]
    assert result.final.value == near(0)


def test_two_problems_of_one_stage_hold_the_same_face():
    x, limits, _ = box()
    first = lx.Subproblem("first", cp.Maximize(x[0]), limits)
    left = lx.Subproblem("left", cp.Maximize(x[1]), [*limits, first.held()])
    right = lx.Subproblem("right", cp.Minimize(x[1] - x[2]), [*limits, first.held()])
    result = lx.Program(lx.Stage("1", first), lx.Stage("2", left, right)).solve(workers=2)
    assert kinds(result) == {"first": [], "left": ["face"], "right": ["face"]}
    assert [result["left"].value, result["right"].value] == near([2, -4])


def test_a_program_solved_again_with_other_numbers_finds_the_other_face():
    x = cp.Variable(2, bounds=[0, 10], name="x")
    cost = cp.Parameter(2, name="cost")
    levels = {"cost": cp.Minimize(cost @ x), "first": cp.Maximize(x[0])}
    program = lx.preemptive(levels, [cp.sum(x) == 6])
    for value, best in [([1, 1], 6), ([2, 1], 0), ([1, 2], 6), ([1, 1], 6)]:
        cost.value = np.array(value, float)
        result = program.solve()
        assert result.final.value == near(best)
        assert kinds(result)["first"] == ["face"]


def test_a_resumed_chain_finds_the_faces_again():
    _, limits, levels = box()
    program = lx.preemptive(levels, limits)
    whole = program.solve()
    start = lx.Result(whole.stages, {"a": whole["a"]})
    result = program.solve(resume=start)
    assert [solution.value for solution in result.values()] == near([4, 2, 0])
    assert kinds(result)["b"] == ["face"]


@pytest.mark.parametrize("seed", range(4))
def test_faces_and_lock_rows_agree(seed):
    """Against linprog with the earlier objectives as equations."""
    rng = np.random.default_rng(40 + seed)
    matrix, costs = rng.integers(0, 4, (6, 8)), rng.integers(-2, 3, (5, 8))
    x = cp.Variable(8, bounds=[0, 3], name="x")
    levels = {str(k): cp.Minimize(c @ x) for k, c in enumerate(costs)}
    result = lx.preemptive(levels, [matrix @ x <= 9]).solve()
    for k, cost in enumerate(costs):
        held = {"A_eq": costs[:k], "b_eq": [result[str(j)].value for j in range(k)]} if k else {}
        best = linprog(cost, matrix, np.full(6, 9.0), bounds=(0, 3), **held)
        assert result[str(k)].value == near(best.fun)


def test_sums_of_regrets_keep_their_faces_though_their_objectives_read_the_ideals():
    x = cp.Variable(3, bounds=[0, 4], name="x")
    limits = [cp.sum(x) <= 6]
    solve_options = [x[k] + 0.5 * x[(k + 1) % 3] for k in range(3)]
    ideals = [lx.Subproblem(f"o{k}", cp.Maximize(w), limits) for k, w in enumerate(solve_options)]
    regrets = cp.hstack([p.optimum - w for p, w in zip(ideals, solve_options, strict=True)])
    stages, held = [lx.Stage("ideal", *ideals)], []
    for k in (1, 2, 3):
        goal = cp.Minimize(cp.sum(regrets) if k == 3 else cp.sum_largest(regrets, k))
        worst = lx.Subproblem(f"worst {k}", goal, [*limits, *held])
        held.append(worst.held())
        stages.append(lx.Stage(f"worst {k}", worst))
    result = lx.Program(*stages).solve()
    assert {lock.kind for solution in result.values() for lock in solution.locks} == {"face"}


def test_what_is_solved_in_fractions_is_held_by_its_face():
    pytest.importorskip("flint")
    _, limits, levels = box()
    result = lx.preemptive(levels, limits).solve("EXACT")
    assert kinds(result) == {"a": [], "b": ["face"], "c": ["face", "face"]}
