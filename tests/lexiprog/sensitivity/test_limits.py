"""Held optima whose tolerances are parameters: slopes through them and by them."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


def most_then_cheapest(**tolerance):
    """Ship as much as b allows, then as cheaply as the tolerance allows: 3 (b - room)."""
    x = cp.Variable(2, bounds=[0, 10], name="x")
    b = cp.Parameter(value=4.0, name="b")
    rows = [cp.sum(x) <= b]
    most = lx.Subproblem("most", cp.Maximize(cp.sum(x)), rows)
    cheap = lx.Subproblem(
        "cheap", cp.Minimize(3 * x[0] + 5 * x[1]), [*rows, most.held(**tolerance)]
    )
    result = lx.Program(lx.Stage("most", most), lx.Stage("cheap", cheap)).solve()
    return result, b


def room(value: float, name: str) -> cp.Parameter:
    return cp.Parameter(nonneg=True, value=value, name=name)


def test_a_relative_tolerance_has_slopes_by_itself_and_by_what_it_is_relative_to():
    share = room(0.1, "share")
    result, b = most_then_cheapest(rtol=share)
    share.value = 0.7  # what counts is what was solved
    assert result["cheap"].value == pytest.approx(3 * 4 * 0.9)
    assert result.gradient(b, of="cheap") == pytest.approx(3 * 0.9)
    assert result.gradient(share, of="cheap") == pytest.approx(-3 * 4)
    assert result.gradient(share, of="most") == 0.0


def test_of_two_tolerances_the_larger_one_counts():
    amount, share = room(0.5, "amount"), room(0.1, "share")
    result, b = most_then_cheapest(atol=amount, rtol=share)
    assert result.gradient(b, of="cheap") == pytest.approx(3)
    assert result.gradient(amount, of="cheap") == pytest.approx(-3)
    assert result.gradient(share, of="cheap") == 0.0


def test_where_both_allow_the_same_only_sides_have_slopes():
    amount, share = room(0.5, "amount"), room(0.125, "share")
    result, _ = most_then_cheapest(atol=amount, rtol=share)
    with pytest.raises(lx.LexiprogError, match=r"'most' is held within atol and rtol.*side"):
        result.gradient(amount, of="cheap")
    assert result.gradient(amount, of="cheap", side="right") == pytest.approx(-3)
    assert result.gradient(amount, of="cheap", side="left") == 0.0
    assert result.gradient(share, of="cheap", side="right") == pytest.approx(-12)


def test_a_minimum_is_held_from_above():
    x, room_ = cp.Variable(name="x"), room(0.25, "room")
    first = lx.Subproblem("first", cp.Minimize(x), [x >= 2])
    second = lx.Subproblem("second", cp.Maximize(7 * x), [first.held(rtol=room_)])
    result = lx.Program(lx.Stage("first", first), lx.Stage("second", second)).solve()
    assert result.gradient(room_, of="second") == pytest.approx(14)


def curved(tolerance: float):
    """The point next to (1, 1), then the largest sum within a tolerance of its square distance."""
    x, t = cp.Variable(2, name="x"), room(tolerance, "t")
    near = lx.Subproblem("near", cp.Minimize(cp.sum_squares(x - 1)), [])
    far = lx.Subproblem("far", cp.Maximize(cp.sum(x)), [near.held(atol=t)])
    return lx.Program(lx.Stage("near", near), lx.Stage("far", far)), t


def test_a_tolerance_on_a_curve_has_a_slope_unless_it_is_zero():
    program, t = curved(0.5)
    result = program.solve()
    assert result["far"].value == pytest.approx(2 + (2 * 0.5) ** 0.5)
    assert result.gradient(t, of="far") == pytest.approx(1.0, rel=1e-3)  # of sqrt(2 t)
    t.value = 0.0
    with pytest.raises(
        lx.LexiprogError, match=r"'t' is a tolerance of 0 on 'near', which is no linear"
    ):
        program.solve().gradient(t, of="far")


def test_a_parameter_of_zero_holds_a_curve_as_no_tolerance_does():
    program, t = curved(0.5)
    program.solve()
    for value, sum_of_both in [(0.0, 2.0), (2.0, 4.0), (0.0, 2.0)]:
        t.value = value
        found = program.solve()["far"]
        assert found.status == "optimal"
        assert found.value == pytest.approx(sum_of_both, abs=1e-6)
        assert found.locks[0].kind == ("value" if value else "argument")


@pytest.mark.parametrize("seed", range(6))
def test_a_tolerance_of_zero_is_as_exact_by_a_parameter_as_by_a_number(seed):
    random = np.random.default_rng(seed)
    A, b = np.round(random.normal(size=(4, 3)), 1), np.round(random.uniform(1, 8, 4), 1)
    target, cost = np.round(3 * random.normal(size=(2, 3)), 1)
    x, t = cp.Variable(3, bounds=[0, 10], name="x"), room(0.0, "t")
    near = lx.Subproblem("near", cp.Minimize(cp.sum_squares(x - target)), [A @ x <= b])
    then = lx.Subproblem("then", cp.Minimize(cost @ x), [A @ x <= b, near.held(atol=t)])
    result = lx.Program(lx.Stage("near", near), lx.Stage("then", then)).solve()
    plain = cp.Problem(near.objective, near.constraints)
    plain.solve(solver="CLARABEL", tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    assert result["then"].status == "optimal"
    assert result["then"].value == pytest.approx(cost @ x.value, abs=1e-5)
