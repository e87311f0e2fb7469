"""Callback parameters may compute from the user's numbers, but not hide a reference."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


@pytest.fixture
def first():
    x, p = cp.Variable(name="x"), cp.Parameter(name="p", value=1.0)
    return p, lx.Subproblem("first", cp.Minimize(x), [x >= p])


def later(parameter, *, gp=False):
    y = cp.Variable(name="y", pos=gp)
    return lx.Subproblem("later", cp.Minimize(y), [y >= parameter], gp=gp)


HIDING = {
    "plainly": lambda best: lambda: 2 * best.value,
    "where it has a value": lambda best: lambda: 0.0 if best.value is None else 2 * best.value,
    "in an expression": lambda best: lambda: (2 * best + 1).value,
    "by its sign": lambda best: lambda: 1.0 if (best.value or 0) > 0 else -1.0,
    "beyond a size": lambda best: lambda: max(best.value or 0, 100.0),
}


@pytest.mark.parametrize("how", HIDING)
@pytest.mark.parametrize("solved", [False, True])
def test_a_callback_that_reads_a_reference_is_refused(first, how, solved):
    _, owner = first
    best = owner.optimum
    if solved:  # then the reference has a value, from an earlier solve
        y = cp.Variable(name="y")
        use = lx.Subproblem("use", cp.Minimize(y), [y >= best])
        lx.Program(lx.Stage("a", owner), lx.Stage("b", use)).solve()
        assert best.value == pytest.approx(1)
    hiding = cp.CallbackParam(HIDING[how](best), name="twice")
    with pytest.raises(lx.DeclarationError, match=r"'later'.*'twice' reads a reference"):
        later(hiding)


def test_a_callback_that_reads_a_reference_made_later_is_refused_when_solving(first):
    _, owner = first
    late = []
    hiding = cp.CallbackParam(lambda: late[0].value if late else 1.0, name="late")
    program = lx.Program(lx.Stage("a", owner), lx.Stage("b", later(hiding)))
    late.append(owner.optimum)
    with pytest.raises(lx.DeclarationError, match="'late' reads a reference"):
        program.solve()


def test_looking_for_references_leaves_their_values_as_they_were(first):
    _, owner = first
    best = owner.optimum
    best.value = 7.0
    later(cp.CallbackParam(lambda: 3.0, name="harmless"))
    assert best.value == 7.0


def test_a_callback_of_the_user_s_own_numbers_is_read_once_and_recorded(first):
    p, owner = first
    calls = []

    def product():
        calls.append(p.value)
        return 3 * p.value

    tripled = cp.CallbackParam(product, name="tripled")
    program = lx.Program(lx.Stage("a", owner), lx.Stage("b", later(tripled + owner.optimum)))
    for p.value in (1.0, 10.0):
        result = program.solve()
        assert result["later"].value == pytest.approx(4 * p.value)
        assert result["later"].parameters["tripled"] == 3 * p.value
    assert tripled._callback is product


def test_a_callback_with_a_will_of_its_own_is_read_once():
    rng = np.random.default_rng(0)
    moody = cp.CallbackParam(rng.random, name="moody")
    y, z = cp.Variable(name="y"), cp.Variable(name="z")
    one = lx.Subproblem("one", cp.Minimize(y), [y >= moody])
    two = lx.Subproblem("two", cp.Minimize(z), [z >= moody])
    result = lx.Program(lx.Stage("a", one), lx.Stage("b", two)).solve()
    assert result["one"].value == result["two"].value == result["one"].parameters["moody"]


def test_kinds_of_parameters_that_cvxpy_misreads_are_refused():
    positive = cp.CallbackParam(lambda: 3.0, name="positive", pos=True)
    with pytest.raises(lx.DeclarationError, match=r"'positive' is a CallbackParam.*geometric"):
        later(positive, gp=True)
    z = cp.Variable(complex=True, name="z")
    imaginary = cp.CallbackParam(lambda: 3.0 + 1j, name="imaginary", complex=True)
    with pytest.raises(lx.DeclarationError, match=r"'imaginary' is a CallbackParam.*complex"):
        lx.Subproblem("z", cp.Minimize(cp.abs(z - 1)), [z == imaginary])
