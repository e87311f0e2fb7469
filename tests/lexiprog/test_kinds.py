"""The class of a problem, in the words of the field."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.model.expressions import is_integer_kind

PROBLEMS = {
    "LP": lambda x: (cp.Minimize(cp.norm1(x)), [x >= 1]),
    "QP": lambda x: (cp.Minimize(cp.sum_squares(x)), [x >= 1]),
    "SOCP": lambda x: (cp.Minimize(cp.norm(x)), [x >= 1]),
    "SDP": lambda x: (cp.Minimize(cp.sum(x)), [cp.diag(x) >> np.eye(3)]),
    "exponential cone": lambda x: (cp.Minimize(cp.sum(cp.exp(x))), [cp.norm(x) <= 1]),
    "power cone": lambda x: (cp.Minimize(x[0]), [cp.PowCone3D(x[0], x[1], x[2], 0.3), x[2] >= 1]),
    "SDP with exponential cone": lambda x: (cp.Maximize(cp.log_det(cp.diag(x))), [x <= 1]),
    "exponential cone and power cone": lambda x: (
        cp.Minimize(cp.exp(x[0])), [cp.PowCone3D(x[0], x[1], x[2], 0.3)],
    ),
}  # fmt: skip
WITH_INTEGERS = {
    "LP": "MILP",
    "QP": "MIQP",
    "SOCP": "MISOCP",
    "SDP": "MISDP",
    "exponential cone": "mixed-integer exponential cone",
    "power cone": "mixed-integer power cone",
}


@pytest.mark.parametrize("kind", PROBLEMS)
def test_problems_are_called_by_the_cones_they_need(kind):
    problem = lx.Subproblem("p", *PROBLEMS[kind](cp.Variable(3, name="x")))
    assert problem.kind == kind
    assert not is_integer_kind(kind)
    assert f"[{kind}, 3 variables" in lx.Program(lx.Stage("s", problem)).describe()


@pytest.mark.parametrize("kind", WITH_INTEGERS)
def test_integers_have_their_own_word(kind):
    problem = lx.Subproblem("p", *PROBLEMS[kind](cp.Variable(3, name="x", integer=True)))
    assert problem.kind == WITH_INTEGERS[kind]
    assert is_integer_kind(problem.kind)


def test_a_semidefinite_variable_makes_a_semidefinite_program():
    X = cp.Variable((2, 2), PSD=True, name="X")
    assert lx.Subproblem("p", cp.Minimize(cp.trace(X)), [X[0, 1] >= 1]).kind == "SDP"


def test_geometric_programs_are_called_so():
    w = cp.Variable(pos=True, name="w")
    assert lx.Subproblem("p", cp.Minimize(w), [w >= 1], gp=True).kind == "GP"


@pytest.mark.parametrize(
    ("solver", "kind"), [("HIGHS", "SOCP"), ("OSQP", "SDP"), ("HIGHS", "exponential cone")]
)
def test_a_solver_that_does_not_take_a_class_says_which(solver, kind):
    problem = lx.Subproblem("p", *PROBLEMS[kind](cp.Variable(3, name="x")))
    with pytest.raises(lx.StageError, match=f"does not take problems of its class, {kind}"):
        lx.Program(lx.Stage("s", problem)).solve(solver)
