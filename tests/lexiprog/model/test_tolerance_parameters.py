"""Tolerances that are parameters: read when the program is solved, and checked then."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


def program(**tolerance):
    """The least of x0 is 1, then the least of x1, which falls by two for each unit given up."""
    x = cp.Variable(2, bounds=[0, 10], name="x")
    low = lx.Subproblem("low", cp.Minimize(x[0]), [x[0] >= 1])
    then = lx.Subproblem("then", cp.Minimize(x[1]), [x[1] >= 8 - 2 * x[0], low.held(**tolerance)])
    return lx.Program(lx.Stage("a", low), lx.Stage("b", then))


@pytest.mark.parametrize("kind", ["atol", "rtol"])
def test_the_value_at_the_time_of_the_solve_counts(kind):
    give = cp.Parameter(name="give")
    declared = program(**{kind: give})
    for value, expected in [(0.0, 6.0), (0.5, 5.0), (2, 2.0), (0.0, 6.0)]:
        give.value = value
        result = declared.solve()
        assert result["then"].value == pytest.approx(expected, abs=1e-6)
        assert result["then"].locks[0].tolerance == pytest.approx(value)


def test_the_larger_of_two_parameters_counts():
    atol, rtol = cp.Parameter(value=0.25, name="a"), cp.Parameter(value=0.5, name="r")
    assert program(atol=atol, rtol=rtol).solve().final.value == pytest.approx(5.0, abs=1e-6)


def test_preemptive_takes_parameters_for_all_or_by_name():
    x = cp.Variable(2, nonneg=True, name="x")
    give = cp.Parameter(value=1.0, name="give")
    levels = {"sum": cp.Maximize(cp.sum(x)), "first": cp.Minimize(x[0])}
    limits = [cp.sum(x) <= 8, x[1] <= 5]
    for atol in (give, {"sum": give}):
        declared = lx.preemptive(levels, limits, atol=atol)
        assert declared.solve().final.value == pytest.approx(2.0, abs=1e-6)
    give.value = 0.5
    assert declared.solve().final.value == pytest.approx(2.5, abs=1e-6)


@pytest.mark.parametrize("value", [-1.0, np.inf, None])
def test_a_value_that_is_no_tolerance_is_refused_before_anything_is_solved(value):
    give = cp.Parameter(name="give")
    declared = program(atol=give)
    give.value = value
    with pytest.raises(lx.LexiprogError, match="give"):
        declared.solve()


@pytest.mark.parametrize("odd", [cp.Parameter(2), cp.Parameter(complex=True), cp.Variable(), "1"])
def test_what_is_no_real_scalar_is_refused_at_declaration(odd):
    with pytest.raises(lx.DeclarationError, match="atol must be a finite number"):
        program(atol=odd)


def test_an_expression_of_parameters_is_refused_with_the_way_out():
    with pytest.raises(lx.DeclarationError, match=r"scalar cp\.Parameter"):
        program(atol=2 * cp.Parameter())


def test_the_parameter_s_name_is_shown_where_the_tolerance_would_be():
    give = cp.Parameter(name="give", value=1)
    assert "holds low within give" in program(atol=give).describe()
    assert "holds low within give of it" in program(rtol=give).describe()


def test_a_result_is_resumed_only_with_the_same_tolerance(tmp_path):
    give = cp.Parameter(name="give", value=0.5)
    declared = program(atol=give)
    declared.solve().save(tmp_path / "saved.json")
    assert lx.Result.load(tmp_path / "saved.json", declared).final.value == pytest.approx(5.0)
    give.value = 2.0
    with pytest.raises(lx.LexiprogError):
        lx.Result.load(tmp_path / "saved.json", declared)


def test_a_sweep_over_the_tolerance_overrides_the_parameter():
    give = cp.Parameter(name="give", value=5.0)
    found = lx.tradeoff(program(atol=give), "low", [0, 1])
    assert found.values["then"] == pytest.approx((6, 4), abs=1e-6)
