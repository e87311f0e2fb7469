"""Exact levels beside levels in floats, and again after other numbers."""

from fractions import Fraction

import cvxpy as cp
import pytest

import lexiprog as lx


def thirds():
    """The most of 3x <= p is p / 3; of y <= x that is left then, p / 3 as well; then least y."""
    x, y = cp.Variable(name="x", bounds=[0, 9]), cp.Variable(name="y", bounds=[0, 9])
    p = cp.Parameter(name="p", value=1.0)
    rows = [3 * x <= p, y <= x]
    levels = {"x": cp.Maximize(x), "y": cp.Maximize(y), "less": cp.Minimize(2 * y)}
    return lx.preemptive(levels, rows), p


@pytest.mark.parametrize("floats", [[], ["x"], ["x", "y"]])
def test_levels_that_were_found_in_floats_are_found_again_in_fractions(floats):
    program, p = thirds()
    for value, third in ((1.0, Fraction(1, 3)), (2.0, Fraction(2, 3))):
        p.value = value
        choice = {name: "HIGHS" if name in floats else "EXACT" for name in program.subproblems}
        result = program.solve(choice)
        assert result["less"].exact == 2 * third
        assert all(result[name].exact == third for name in ("x", "y") if name not in floats)
        assert all(result[name].exact is None for name in floats)


def test_one_problem_by_itself_is_exact_again_with_other_numbers():
    x, p = cp.Variable(name="x"), cp.Parameter(name="p", value=1.0)
    program = lx.Program(lx.Stage("only", lx.Subproblem("x", cp.Minimize(x), [7 * x >= p])))
    for value in (1.0, 3.0):
        p.value = value
        assert program.solve("EXACT").final.exact == Fraction(int(value), 7)


def test_a_chain_that_is_resumed_finds_what_it_holds_again_in_fractions():
    program, _ = thirds()
    whole = program.solve()
    for known in (["x"], ["x", "y"]):
        start = lx.Result(whole.stages, {name: whole[name] for name in known})
        assert program.solve("EXACT", resume=start)["less"].exact == Fraction(2, 3)


def test_a_tolerance_is_a_bound_in_fractions_too_and_no_face():
    """x may fall from 1/3 to 1/4, for which y has a twelfth more."""
    x, y = cp.Variable(name="x", bounds=[0, 1]), cp.Variable(name="y", bounds=[0, 1])
    rows = [3 * x <= 1, x + y <= 1]
    first = lx.Subproblem("first", cp.Maximize(12 * x), rows)
    second = lx.Subproblem("second", cp.Maximize(12 * y), [*rows, first.held(atol=1)])
    found = lx.Program(lx.Stage("1", first), lx.Stage("2", second)).solve("EXACT")["second"]
    (lock,) = found.locks
    assert found.exact == 9
    assert (lock.kind, lock.tolerance, lock.guard) == ("value", 1.0, 0.0)
    assert [lock.limit, lock.drift] == pytest.approx([3.0, 1.0])
