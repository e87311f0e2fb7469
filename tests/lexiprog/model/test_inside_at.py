"""What stands inside `.at(...)` counts like what stands beside it, parameters and references."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from tests.lexiprog.mischief import Mischief


def low(name, floor):
    x = cp.Variable(name="x")
    return lx.Subproblem(name, cp.Minimize(x), [x >= floor]), x


@pytest.fixture
def shifted():
    """First the least x >= 1, then the least y >= x + t, the t standing inside `.at`."""
    t = cp.Parameter(name="t")
    first, x = low("first", 1)
    second, _ = low("second", first.at(x + t))
    return lx.Program(lx.Stage("a", first), lx.Stage("b", second)), t


def test_a_parameter_inside_at_may_change_between_solves(shifted):
    program, t = shifted
    for number in (3.0, 7.0, -2.0):
        t.value = number
        assert program.solve().final.value == pytest.approx(1 + number)


def test_a_result_for_another_value_of_a_parameter_inside_at_is_refused_by_resume(shifted):
    program, t = shifted
    t.value = 3.0
    result = program.solve()
    t.value = 7.0
    with pytest.raises(lx.LexiprogError, match="second"):
        program.solve(resume=result)


@pytest.mark.parametrize("number", [None, np.nan])
def test_a_parameter_inside_at_that_is_unset_or_no_number_is_named_before_solving(shifted, number):
    program, t = shifted
    t.save_value(number)
    counted = Mischief(None, at=100)
    with pytest.raises(lx.LexiprogError, match="'t'"):
        program.solve(counted)
    assert counted.calls == 0


def test_an_earlier_reference_inside_at_is_bound_like_any_other():
    # a = 1, b = a + 1 = 2, c = b + 10 a = 12.
    a, _ = low("a", 1)
    b, x = low("b", a.optimum + 1)
    c, _ = low("c", b.at(x + 10 * a.optimum))
    result = lx.Program(lx.Stage("1", a), lx.Stage("2", b), lx.Stage("3", c)).solve()
    assert [solution.value for solution in result.values()] == pytest.approx([1, 2, 12])


def test_a_reference_inside_at_that_its_owner_does_not_use_is_bound_too():
    # a = 1 and z = 5 stand side by side; b = a + 10 z = 51.
    a, x = low("a", 1)
    z, _ = low("z", 5)
    b, _ = low("b", a.at(x + 10 * z.optimum))
    program = lx.Program(lx.Stage("1", a, z), lx.Stage("2", b))
    assert program.solve().final.value == pytest.approx(51)


def test_a_reference_inside_at_to_a_later_the_same_or_an_outside_problem_is_refused():
    a, x = low("a", 1)
    z, _ = low("z", 5)
    lx.Program(lx.Stage("elsewhere", z)).solve()  # a value left over must not pass for an answer
    b, _ = low("b", a.at(x + z.optimum))
    first, both, second = lx.Stage("1", a), lx.Stage("2", b, z), lx.Stage("2", b)
    for stages in [(first, second, lx.Stage("3", z)), (first, both), (first, second)]:
        with pytest.raises(lx.DeclarationError, match=r"'b'.*'z'"):
            lx.Program(*stages)


def test_a_name_is_no_expression():
    first, _ = low("first", 1)
    with pytest.raises(lx.DeclarationError, match=r"first\.at\('x'\): give a variable of 'first'"):
        first.at("x")
    assert first.at(2.0).shape == ()
