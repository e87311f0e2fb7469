"""Every way an honest solver can fail to answer, and every bad number one can hand in."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from tests.lexiprog.mischief import Mischief

LINEAR = ["HIGHS", "CLARABEL", "ECOS", "SCS"]


def after_a_good_stage(objective, constraints=()):
    """A program whose second stage is the problem under test."""
    y = cp.Variable(name="y")
    good = lx.Subproblem("good", cp.Minimize(y), [y >= 1])
    bad = lx.Subproblem("bad", objective, constraints)
    return lx.Program(lx.Stage("first", good), lx.Stage("second", bad))


def failure(program, solver=None):
    with pytest.raises(lx.StageError) as caught:
        program.solve(solver)
    error = caught.value
    assert (error.stage, error.subproblem) == ("second", "bad")
    finished = [name for name, found in error.partial.items() if found.status != "unfinished"]
    assert finished == ["good"]
    assert error.partial["good"].value == pytest.approx(1)
    for word in ("second", "bad", error.solver, error.status):
        assert word in str(error)
    return error


@pytest.mark.parametrize("solver", [None, *LINEAR])
def test_an_infeasible_problem_is_a_stage_error_that_says_so(solver):
    x = cp.Variable(2, name="x")
    error = failure(
        after_a_good_stage(cp.Minimize(cp.sum(x)), [x >= 1, cp.sum(x) <= 0]),
        None if solver is None else {"second": solver},
    )
    assert error.status.startswith("infeasible")


@pytest.mark.parametrize("solver", [None, *LINEAR])
def test_an_unbounded_problem_is_a_stage_error_that_says_so(solver):
    x = cp.Variable(2, name="x")
    error = failure(
        after_a_good_stage(cp.Minimize(x[0] + 2 * x[1]), [x[0] >= 0]),
        None if solver is None else {"second": solver},
    )
    assert "unbounded" in error.status


def test_a_problem_that_is_neither_feasible_nor_bounded_is_a_stage_error():
    x = cp.Variable(2, nonneg=True, name="x")
    rows = [x[0] - x[1] >= 1, x[1] - x[0] >= 1]
    error = failure(after_a_good_stage(cp.Maximize(cp.sum(x)), rows), {"second": "HIGHS"})
    assert "infeasible" in error.status or "unbounded" in error.status


def large_lp():
    rng = np.random.default_rng(0)
    x = cp.Variable(60, bounds=[0, 1], name="x")
    matrix = rng.random((40, 60))
    return cp.Maximize(rng.random(60) @ x), [matrix @ x <= 5]


def test_a_time_limit_without_an_incumbent_is_a_stage_error_with_the_limit_as_status():
    error = failure(after_a_good_stage(*large_lp()), {"second": lx.Solver("HIGHS", time_limit=0.0)})
    assert "limit" in error.status or "inaccurate" in error.status


@pytest.mark.parametrize(
    ("name", "options"),
    [("CLARABEL", {"max_iter": 2}), ("ECOS", {"max_iters": 2}), ("SCS", {"max_iters": 5})],
)
def test_an_iteration_limit_is_a_stage_error_whatever_the_solver_calls_it(name, options):
    failure(after_a_good_stage(*large_lp()), {"second": lx.Solver(name, **options)})


def hard_knapsack():
    """A market split: one node is far from enough to prove anything."""
    rng = np.random.default_rng(3)
    weights = rng.integers(100, 1000, (3, 30))
    take = cp.Variable(30, boolean=True, name="take")
    return cp.Maximize(rng.integers(100, 1000, 30) @ take), [weights @ take <= 4000]


def test_an_incumbent_at_a_limit_is_refused_unless_its_gap_was_accepted():
    program = after_a_good_stage(*hard_knapsack())
    stopped = {"mip_max_nodes": 1, "mip_rel_gap": 0.0}
    error = failure(program, {"second": lx.Solver("HIGHS", **stopped)})
    assert "gap" in str(error)
    incumbent = error.partial["bad"]
    assert incumbent.status == "unfinished"
    assert incumbent.value < incumbent.bound
    lenient = lx.Solver("HIGHS", gap=0.5, **stopped)
    accepted = program.solve({"second": lenient}).final
    assert 1e-6 < accepted.certificate.gap <= 0.5
    exact = program.solve().final
    assert accepted.value <= exact.value
    assert exact.value - accepted.value <= accepted.certificate.gap * abs(accepted.value)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_a_constant_that_is_no_number_is_refused_at_declaration(number):
    x = cp.Variable(2, nonneg=True, name="x")
    spoilt = np.array([1.0, number])
    for objective, constraints in [
        (cp.Minimize(spoilt @ x), []),
        (cp.Minimize(cp.sum(x)), [np.vstack([spoilt, [1, 1]]) @ x >= 1]),
        (cp.Minimize(cp.sum(x)), [x[0] >= 1, spoilt @ x <= 2]),
    ]:
        with pytest.raises(lx.DeclarationError, match="spoilt"):
            lx.Subproblem("spoilt", objective, constraints)


def test_a_nan_right_hand_side_is_refused_at_declaration():
    x = cp.Variable(name="x")
    with pytest.raises(lx.DeclarationError, match="spoilt"):
        lx.Subproblem("spoilt", cp.Minimize(x), [x >= np.nan])


def assert_refused_unsolved(tariff):
    counted = Mischief(None, at=100)
    x = cp.Variable(2, nonneg=True, name="x")
    program = after_a_good_stage(cp.Minimize(tariff @ x), [cp.sum(x) >= 1])
    with pytest.raises(lx.LexiprogError, match="tariff"):
        program.solve(counted)
    assert counted.calls == 0
    return program


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_a_parameter_that_is_no_number_is_named_before_anything_is_solved(number):
    tariff = cp.Parameter(2, name="tariff")
    # CVXPY's setter refuses some of these, its save_value none: a caller may have used either.
    tariff.save_value(np.array([1.0, number]))
    assert_refused_unsolved(tariff)


def test_an_unset_parameter_is_named_before_anything_is_solved():
    tariff = cp.Parameter(2, name="tariff")
    program = assert_refused_unsolved(tariff)
    tariff.value = [2, 3]
    assert program.solve().final.value == pytest.approx(2)


def test_an_unknown_solver_is_refused_before_anything_is_solved_and_the_installed_are_listed():
    counted = Mischief(None, at=100)
    x = cp.Variable(name="x")
    program = after_a_good_stage(cp.Minimize(x), [x >= 0])
    with pytest.raises(lx.LexiprogError) as caught:
        program.solve({"first": counted, "second": "SIMPLEX9000"})
    for word in ("SIMPLEX9000", "HIGHS", "CLARABEL", "ECOS"):
        assert word in str(caught.value)
    assert counted.calls == 0


def test_an_unknown_key_in_the_solver_mapping_is_refused_and_the_known_ones_are_listed():
    x = cp.Variable(name="x")
    program = after_a_good_stage(cp.Minimize(x), [x >= 0])
    with pytest.raises(lx.LexiprogError) as caught:
        program.solve({"secnd": "HIGHS"})
    for word in ("secnd", "first", "second", "good", "bad"):
        assert repr(word) in str(caught.value)


@pytest.mark.parametrize("name", LINEAR)
def test_an_option_the_solver_does_not_know_is_an_error_that_names_it(name):
    x = cp.Variable(name="x")
    program = after_a_good_stage(cp.Minimize(x), [x >= 0])
    with pytest.raises(lx.LexiprogError, match="no_such_option"):
        program.solve({"second": lx.Solver(name, no_such_option=1)})


def test_values_left_from_an_earlier_solve_are_never_taken_for_an_answer():
    # The variable and the constraint keep the optimum of an earlier, feasible solve.
    x = cp.Variable(name="x")
    least = cp.Parameter(name="least", value=1.0)
    floor = x >= least
    program = after_a_good_stage(cp.Minimize(x), [floor, x <= 5])
    assert program.solve("CLARABEL").final.value == pytest.approx(1)
    least.value = 6.0
    error = failure(program, {"second": "CLARABEL"})
    assert "bad" not in error.partial
    assert x.value is None
    for deed in (lambda problem: None, lambda problem: problem.variables()):
        least.value = 1.0
        x.value = 1.0  # even the right value is not an answer if the solver gave none
        failure(program, {"second": Mischief(deed, at=1)})
