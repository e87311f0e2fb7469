"""What is refused at declaration, each with a sentence that names the culprit."""

import gc

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp

import lexiprog as lx


@pytest.fixture
def x():
    return cp.Variable(2, bounds=[0, 10], name="x")


def low(name, x, constraints=()):
    return lx.Subproblem(name, cp.Minimize(cp.sum(x)), [x >= 1, *constraints])


def refusal(declare, *words, also=ValueError):
    """The error of a declaration, which must be of our kind, of a builtin kind, and a sentence."""
    with pytest.raises(lx.DeclarationError) as caught:
        declare()
    assert isinstance(caught.value, lx.LexiprogError)
    assert isinstance(caught.value, also)
    for word in words:
        assert word in str(caught.value), f"{word!r} is not in: {caught.value}"


def test_a_non_dcp_objective_is_refused_with_the_expression_that_breaks_the_rule(x):
    odd = cp.Minimize(cp.sum(x) + cp.sqrt(cp.sum_squares(x)))
    refusal(lambda: lx.Subproblem("odd", odd), "odd", "DCP", "sum_squares", "objective")


def test_an_objective_of_the_wrong_curvature_is_refused(x):
    refusal(lambda: lx.Subproblem("odd", cp.Maximize(cp.norm(x))), "odd", "DCP", "objective")


def test_a_non_dcp_constraint_is_refused_with_its_position_and_text(x):
    constraints = [x <= 5, cp.norm(x) >= 1]
    refusal(lambda: lx.Subproblem("odd", cp.Minimize(x[0]), constraints), "odd", "DCP", "1", "norm")


def test_a_product_of_variables_is_refused_outside_geometric_programs():
    w, h = cp.Variable(pos=True, name="w"), cp.Variable(pos=True, name="h")
    with pytest.raises(lx.DeclarationError, match="DCP"):
        lx.Subproblem("area", cp.Minimize(w * h), [w * h**2 >= 8, h <= 2])
    area = lx.Subproblem("area", cp.Minimize(w * h), [w * h**2 >= 8, h <= 2], gp=True)
    assert lx.Program(lx.Stage("only", area)).solve().final.value == pytest.approx(4, rel=1e-5)


def test_a_problem_that_is_not_log_log_convex_is_refused_as_a_geometric_program():
    w = cp.Variable(pos=True, name="w")
    refusal(lambda: lx.Subproblem("odd", cp.Minimize(w - 1), gp=True), "odd", "DGP")


@pytest.mark.parametrize("objective", ["cost", 3, None, cp.Variable(name="bare")])
def test_what_is_no_cvxpy_objective_is_refused(objective):
    refusal(lambda: lx.Subproblem("odd", objective), "odd", "Minimize")


def test_what_is_no_cvxpy_constraint_is_refused(x):
    refusal(lambda: lx.Subproblem("odd", cp.Minimize(x[0]), ["x >= 1"]), "odd")
    refusal(lambda: lx.Subproblem("odd", cp.Minimize(x[0]), [x]), "odd")


def test_a_reference_to_the_same_stage_is_refused_with_both_names(x):
    first = low("first", x)
    second = low("second", x, [x[0] <= first.optimum])
    refusal(lambda: lx.Program(lx.Stage("both", first, second)), "first", "second", "both")


def test_a_reference_to_a_later_stage_is_refused_with_both_names(x):
    late = low("late", x)
    early = low("early", x, [x[0] <= late.at(x[1])])
    stages = lx.Stage("one", early), lx.Stage("two", late)
    refusal(lambda: lx.Program(*stages), "early", "late", "two")


def test_a_reference_to_a_problem_outside_the_program_is_refused(x):
    outside = low("outside", x)
    inside = low("inside", x, [x[0] <= outside.optimum])
    refusal(lambda: lx.Program(lx.Stage("one", inside)), "inside", "outside")


def test_a_namesake_of_the_problem_referred_to_is_not_taken_for_it(x):
    meant, namesake = low("ideal", x), low("ideal", x, [x >= 2])
    inside = low("inside", x, [x[0] <= meant.optimum])
    refusal(lambda: lx.Program(lx.Stage("a", namesake), lx.Stage("b", inside)), "inside", "ideal")


def test_a_reference_to_a_problem_that_no_longer_exists_is_refused(x):
    inside = low("inside", x, [x[0] <= low("forgotten", x).optimum])
    gc.collect()
    refusal(lambda: lx.Program(lx.Stage("one", inside)), "inside", "forgotten")


def test_a_lock_on_the_same_a_later_or_an_outside_stage_is_refused_too(x):
    first, outside = low("first", x), low("outside", x)
    second = low("second", x, [first.held()])
    third = low("third", x, [outside.held(atol=1)])
    refusal(lambda: lx.Program(lx.Stage("both", first, second)), "first", "second")
    refusal(lambda: lx.Program(lx.Stage("a", second), lx.Stage("b", first)), "first", "second")
    refusal(lambda: lx.Program(lx.Stage("a", third)), "outside", "third")


@pytest.mark.parametrize("tolerance", [{"atol": -1}, {"rtol": -0.1}, {"atol": np.nan}])
def test_a_tolerance_that_is_negative_or_no_number_is_refused(x, tolerance):
    refusal(lambda: low("first", x).held(**tolerance), "first", next(iter(tolerance)))


def test_the_dual_of_a_constraint_the_problem_does_not_contain_is_refused(x):
    floor, stranger = x >= 1, x <= 7
    problem = lx.Subproblem("low", cp.Minimize(cp.sum(x)), [floor])
    problem.dual(floor)
    refusal(lambda: problem.dual(stranger), "low", "7")


def test_the_value_of_a_variable_the_problem_does_not_contain_is_refused(x):
    stranger = cp.Variable(name="stranger")
    refusal(lambda: low("low", x).at(x[0] + stranger), "low", "stranger")


def test_an_unknown_variable_name_lists_the_known_ones(x):
    problem = low("low", x)
    assert problem.variable("x") is x
    with pytest.raises(KeyError, match=r"'y'.*'x'"):
        problem.variable("y")


def test_the_dual_of_a_cone_is_refused_because_it_is_a_list_of_arrays(x):
    cone = cp.SOC(x[0], x)
    refusal(lambda: low("low", x, [cone]).dual(cone), "low", "SOC")
    y, z = cp.Variable(name="y"), cp.Variable(name="z")
    exponential = cp.ExpCone(y, cp.Constant(1.0), z)
    problem = lx.Subproblem("growth", cp.Minimize(z), [exponential, y >= 1])
    refusal(lambda: problem.dual(exponential), "growth", "ExpCone")


def test_the_dual_of_an_integer_problem_is_refused(x):
    n = cp.Variable(integer=True, name="n")
    floor = n >= 1.5
    problem = lx.Subproblem("whole", cp.Minimize(n), [floor])
    refusal(lambda: problem.dual(floor), "whole", "integer")


def test_duplicate_names_of_stages_subproblems_and_variables_are_refused(x):
    a, b, again = low("a", x), low("b", x), low("a", x)
    refusal(lambda: lx.Program(lx.Stage("one", a), lx.Stage("one", b)), "'one'")
    refusal(lambda: lx.Program(lx.Stage("one", a), lx.Stage("two", again)), "'a'")
    refusal(lambda: lx.Program(lx.Stage("one", a, a)), "'a'")
    twin = cp.Variable(name="x")
    refusal(lambda: low("c", x, [twin >= x[0]]), "'c'", "'x'")


def test_the_same_variable_name_in_two_subproblems_is_no_duplicate(x):
    twin = cp.Variable(2, name="x")
    result = lx.Program(lx.Stage("one", low("a", x), low("b", twin))).solve()
    assert [solution.value for solution in result.values()] == pytest.approx([2, 2])


def test_a_subproblem_named_like_another_stage_is_refused_but_may_bear_its_own_stage_s_name(x):
    # Solver mappings go by either name, so one name for both must mean one thing.
    stages = lx.Stage("a", low("b", x)), lx.Stage("b", low("c", x))
    refusal(lambda: lx.Program(*stages), "'a'", "'b'")
    program = lx.Program(lx.Stage("a", low("a", x)), lx.Stage("b", low("c", x)))
    result = program.solve({"a": "CLARABEL"})
    assert [solution.solver for solution in result.values()] == ["CLARABEL", "HIGHS"]


def test_empty_programs_and_stages_and_strangers_in_them_are_refused(x):
    refusal(lx.Program, "stage")
    refusal(lambda: lx.Stage("one"), "one")
    refusal(lambda: lx.Stage("one", cp.Problem(cp.Minimize(x[0]))), "one", "Subproblem")
    refusal(lambda: lx.Program(low("a", x)), "stages", "'a'")
    refusal(lambda: lx.Subproblem("", cp.Minimize(x[0])), "name")
    refusal(lambda: lx.Stage(3, low("a", x)), "name")
    refusal(lambda: lx.Subproblem("still", cp.Minimize(cp.Constant(1))), "still", "variable")


def test_an_unknown_subproblem_of_a_program_lists_the_known_ones(x):
    program = lx.Program(lx.Stage("one", low("a", x), low("b", x)))
    with pytest.raises(KeyError, match=r"'c'.*'a'.*'b'"):
        program["c"]


@pytest.mark.parametrize("number", [1.0, np.nan])
def test_sparse_data_are_looked_at_without_their_zeros(number):
    """With its zeros, the matrix would take 800 gigabytes."""
    x = cp.Variable(10**6, name="x")
    rows = [sp.csr_array(([number], ([3], [5])), shape=(10**5, 10**6)) @ x <= 1.0]
    if np.isfinite(number):
        assert lx.Subproblem("sparse", cp.Minimize(x[5]), rows).kind == "LP"
    else:
        with pytest.raises(lx.DeclarationError, match="contains NaN"):
            lx.Subproblem("sparse", cp.Minimize(x[5]), rows)
