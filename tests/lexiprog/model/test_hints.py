"""What is refused as not convex says what it may be instead."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


def refusal(objective, *constraints, gp=False):
    with pytest.raises(lx.DeclarationError) as caught:
        lx.Subproblem("p", objective, constraints, gp=gp)
    return str(caught.value)


def test_a_geometric_program_is_recognised_and_gp_named():
    a, b = cp.Variable(pos=True, name="a"), cp.Variable(pos=True, name="b")
    assert "It is a geometric program, though: say so with gp=True" in refusal(cp.Minimize(a * b))
    lx.Subproblem("p", cp.Minimize(a * b), gp=True)  # which is true


def test_a_product_of_free_variables_hints_at_positive_ones():
    c, d = cp.Variable(name="c"), cp.Variable(name="d")
    for message in (
        refusal(cp.Minimize(c * d)),
        refusal(cp.Minimize(c), c >= 0, cp.multiply(c, d) <= 1),
        refusal(cp.Minimize(c / d), d >= 1),
    ):
        assert "gp=True with positive variables" in message
    assert "in constraint 2" in refusal(cp.Minimize(c), c >= 0, c * d <= 1)


def test_a_quasiconvex_problem_is_told_how_to_say_so():
    c, d = cp.Variable(name="c"), cp.Variable(pos=True, name="d")
    assert "say so with qcp=True" in refusal(cp.Minimize(cp.ceil(c)), c >= 0)
    assert "say so with qcp=True" in refusal(cp.Maximize(cp.sqrt(c) / cp.exp(c)))
    assert "gp=True" in refusal(cp.Minimize(c), c * d >= 1)


def test_other_refusals_have_no_hint_that_would_mislead():
    c = cp.Variable(name="c")
    message = refusal(cp.Minimize(cp.sqrt(cp.square(c) + 1) - cp.square(c)))
    assert "gp=True" not in message
    assert "quasiconvex" not in message
    assert "gp=True" not in refusal(cp.Minimize(c - 1), gp=True)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda x: x >= 0, r"come in a list, such as \[x >= 0\], not as 0 <= x"),
        (lambda x: None, "come in a list"),
        (lambda x: [x >= 0, [x <= 1]], "constraint 2 is a list: add them one by one"),
    ],
)
def test_constraints_that_are_no_list_of_constraints_are_told_apart(make, said):
    x = cp.Variable(2, name="x")
    with pytest.raises(lx.DeclarationError, match=f"subproblem 'p'.*{said}"):
        lx.Subproblem("p", cp.Minimize(cp.sum(x)), make(x))


def test_what_numpy_says_of_data_is_a_constraint_as_it_is_for_python():
    x = cp.Variable(name="x")
    held = lx.Subproblem("p", cp.Minimize(x), [x >= 3, np.sum([1, 2]) <= 3])
    assert lx.Program(lx.Stage("s", held)).solve()["p"].value == pytest.approx(3)
    broken = lx.Subproblem("p", cp.Minimize(x), [x >= 3, np.sum([1, 2]) <= 2])
    with pytest.raises(lx.StageError, match="infeasible"):
        lx.Program(lx.Stage("s", broken)).solve()


def test_a_parameter_is_given_itself_not_its_name():
    x, p = cp.Variable(name="x"), cp.Parameter(value=1.0, name="p")
    program = lx.Program(lx.Stage("s", lx.Subproblem("q", cp.Minimize(x), [x >= p])))
    with pytest.raises(lx.DeclarationError, match=r"it has 'p'\. Give the cp.Parameter itself"):
        lx.sweep(program, {"p": [1.0, 2.0]})
    with pytest.raises(lx.DeclarationError, match=r"it has 'p'\. Give the cp.Parameter itself"):
        program.solve().gradient("p", of="q")


def test_nobody_is_asked_whether_what_was_said_was_meant():
    x = cp.Variable(name="x")
    program = lx.Program(lx.Stage("s", lx.Subproblem("q", cp.Minimize(x), [x >= 1])))
    with pytest.raises(lx.LexiprogError, match=r"XPRESS.* is not installed") as error:
        program.solve("XPRESS")
    assert "mean 'XPRESS'" not in str(error.value)
