"""A task holds copies of all numbers, and a compiled form where the solver has one."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.backends.solver import Solver
from lexiprog.compile.binding import BadParameter
from lexiprog.compile.task import Strategy, compile_for, prepare

HIGHS = Strategy(Solver("HIGHS"))


def problem(need):
    """Minimize x0 + 2 x1 with x0 >= need, x1 >= 1: by hand, need + 2."""
    x = cp.Variable(2, name="x")
    return lx.Subproblem("p", cp.Minimize(x[0] + 2 * x[1]), [x[0] >= need, x[1] >= 1])


def test_a_task_keeps_its_numbers_when_parameters_change():
    need = cp.Parameter(name="need", value=3.0)
    task = prepare(problem(need), HIGHS, {})
    need.value = 50.0
    assert float(task.parameters["need"]) == 3.0
    assert float(task.constants[need.id]) == 3.0
    assert sorted(np.abs(task.form.b).tolist()) == [1.0, 3.0]
    assert task.compile_seconds > 0


def test_a_reference_is_bound_to_the_earlier_solution():
    first = problem(3.0)
    found = lx.Program(lx.Stage("s", first)).solve("HIGHS")["p"]
    y = cp.Variable(name="y")
    second = lx.Subproblem("q", cp.Minimize(y), [y >= first.optimum])
    task = prepare(second, HIGHS, {"p": found})
    assert [float(value) for value in task.references.values()] == [5.0]
    assert np.abs(task.form.b).tolist() == [5.0]


@pytest.mark.parametrize(
    ("value", "said"), [(None, "has no value"), (np.nan, "contains NaN"), (np.inf, "infinity")]
)
def test_a_parameter_without_a_finite_value_is_named(value, said):
    need = cp.Parameter(name="need")
    need.save_value(value)
    with pytest.raises(BadParameter, match=f"'need' of subproblem 'p'.*{said}"):
        prepare(problem(need), HIGHS, {})


def test_options_given_to_a_solver_are_not_those_of_the_task():
    task = prepare(problem(1.0), Strategy(Solver("CLARABEL", nested={"a": 1})), {})
    theirs = task.fresh_options()
    theirs["nested"]["a"] = 2
    theirs["more"] = True
    assert task.options["nested"] == {"a": 1}
    assert "more" not in task.options


def test_a_problem_is_prepared_once_for_each_solver():
    subproblem = problem(1.0)
    first, again = (compile_for(subproblem, Solver("HIGHS"), {}) for _ in range(2))
    other = compile_for(subproblem, Solver("CLARABEL"), {})
    assert first.chain is again.chain
    assert other.chain is not first.chain


def test_who_takes_problems_has_no_compiled_form():
    task = prepare(problem(1.0), HIGHS, {}, compiler=lambda *_: None)
    assert task.compile_seconds == 0.0
    with pytest.raises(TypeError, match="HIGHS takes problems"):
        _ = task.form
