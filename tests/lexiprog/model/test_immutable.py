"""Declarations cannot be changed, and what the caller gave is never touched."""

import cvxpy as cp
import pytest

import lexiprog as lx


@pytest.fixture
def parts():
    x = cp.Variable(name="x")
    constraints = [x >= 1]
    problem = lx.Subproblem("p", cp.Minimize(x), constraints)
    stage = lx.Stage("s", problem)
    return x, constraints, problem, stage, lx.Program(stage)


@pytest.mark.parametrize(
    ("which", "field"),
    [
        (2, "name"),
        (2, "objective"),
        (2, "constraints"),
        (3, "name"),
        (3, "subproblems"),
        (4, "stages"),
        (2, "new"),
        (3, "new"),
        (4, "new"),
    ],
)
def test_setting_an_attribute_of_a_declaration_raises(parts, which, field):
    with pytest.raises(AttributeError):
        setattr(parts[which], field, None)


def test_the_constraints_and_stages_are_tuples(parts):
    _, _, problem, stage, program = parts
    assert isinstance(problem.constraints, tuple)
    assert isinstance(stage.subproblems, tuple)
    assert isinstance(program.stages, tuple)


def test_a_list_of_constraints_changed_later_has_no_effect(parts):
    x, constraints, problem, _, program = parts
    constraints.append(x >= 5)
    constraints[0] = x >= 9
    assert len(problem.constraints) == 1
    assert program.solve().final.value == pytest.approx(1)


def test_a_generator_of_constraints_is_read_once_and_kept():
    x = cp.Variable(2, name="x")
    problem = lx.Subproblem("p", cp.Minimize(cp.sum(x)), (x[i] >= i + 1 for i in range(2)))
    program = lx.Program(lx.Stage("s", problem))
    assert [program.solve().final.value for _ in range(2)] == pytest.approx([3, 3])


def test_the_caller_s_problem_its_duals_and_parameters_are_as_before():
    x = cp.Variable(name="x")
    t = cp.Parameter(name="t", value=2.0)
    floor = x >= t
    mine = cp.Problem(cp.Minimize(x), [floor])
    program = lx.Program(lx.Stage("s", lx.Subproblem("p", mine)))
    assert program.solve().final.value == pytest.approx(2)
    assert mine.status is None
    assert mine.solution is None
    assert mine.constraints == [floor]
    assert t.value == 2.0
    assert mine.solve(solver="CLARABEL") == pytest.approx(2)


def test_a_solve_in_between_by_the_caller_disturbs_nothing():
    x = cp.Variable(name="x")
    floor = x >= 2
    mine = cp.Problem(cp.Minimize(x), [floor])
    first = lx.Subproblem("first", mine)
    second = lx.Subproblem("second", cp.Minimize(x), [x >= first.optimum + first.dual(floor)])
    program = lx.Program(lx.Stage("a", first), lx.Stage("b", second))
    before = program.solve()
    mine.solve(solver="CLARABEL")
    x.value = -7.0
    assert [s.value for s in program.solve().values()] == pytest.approx([2, 3])
    assert [s.value for s in before.values()] == pytest.approx([2, 3])


def test_one_subproblem_may_serve_several_programs_without_mixing_them():
    x = cp.Variable(name="x")
    t = cp.Parameter(name="t", value=1.0)
    shared = lx.Subproblem("shared", cp.Minimize(x), [x >= t])
    double = lx.Subproblem("double", cp.Minimize(x), [x >= 2 * shared.optimum])
    triple = lx.Subproblem("triple", cp.Minimize(x), [x >= 3 * shared.optimum])
    two = lx.Program(lx.Stage("a", shared), lx.Stage("b", double))
    three = lx.Program(lx.Stage("a", shared), lx.Stage("b", triple))
    results = [two.solve(), three.solve()]
    t.value = 10.0
    results += [two.solve(), three.solve()]
    assert [result.final.value for result in results] == pytest.approx([2, 3, 20, 30])
