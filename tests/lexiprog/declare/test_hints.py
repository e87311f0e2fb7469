"""What is refused as not convex says what it may be instead."""

import cvxpy as cp
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


def test_a_quasiconvex_problem_is_told_that_it_is_not_supported():
    c, d = cp.Variable(name="c"), cp.Variable(pos=True, name="d")
    assert "quasiconvex, which is not supported" in refusal(cp.Minimize(cp.ceil(c)), c >= 0)
    assert "quasiconvex, which is not supported" in refusal(cp.Maximize(cp.sqrt(c) / cp.exp(c)))
    assert "gp=True" in refusal(cp.Minimize(c), c * d >= 1)


def test_other_refusals_have_no_hint_that_would_mislead():
    c = cp.Variable(name="c")
    message = refusal(cp.Minimize(cp.sqrt(cp.square(c) + 1) - cp.square(c)))
    assert "gp=True" not in message
    assert "quasiconvex" not in message
    assert "gp=True" not in refusal(cp.Minimize(c - 1), gp=True)
