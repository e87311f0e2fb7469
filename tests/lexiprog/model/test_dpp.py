"""Programs outside DPP are solved all the same, right, and with a warning that says the cost."""

import warnings

import cvxpy as cp
import pytest

import lexiprog as lx


def declare(later_limit):
    """First the least x above t, then the least y above some function of it and of t."""
    t = cp.Parameter(nonneg=True, name="t")
    x, y = cp.Variable(nonneg=True, name="x"), cp.Variable(nonneg=True, name="y")
    first = lx.Subproblem("first", cp.Minimize(x), [x >= t])
    second = lx.Subproblem("second", cp.Minimize(y), [y >= later_limit(first.optimum, t)])
    return lx.Program(lx.Stage("a", first), lx.Stage("b", second)), t


def test_a_product_of_references_is_warned_about_by_name_and_solved_right_each_time():
    with pytest.warns(lx.LexiprogWarning) as caught:
        program, t = declare(lambda optimum, t: optimum * t)
    assert len(caught) == 1
    message = str(caught[0].message)
    for word in ("second", "first.optimum", "t", "DPP"):
        assert word in message
    for number in (2.0, 5.0, 0.5):
        t.value = number
        assert program.solve().final.value == pytest.approx(number**2, rel=1e-6)


def test_a_quadratic_form_with_an_earlier_matrix_is_warned_about_and_solved_right():
    # The matrix is diag(d, 1), so that min z'Az - 2 z1 over z0 >= 1 is d - 1 at (1, 1).
    d = cp.Parameter(name="d")
    near = cp.Variable((2, 2), PSD=True, name="near")
    z = cp.Variable(2, name="z")
    fixed = [near[0, 0] == d, near[1, 1] == 1, near[0, 1] == 0]
    matrix = lx.Subproblem("matrix", cp.Minimize(cp.trace(near)), fixed)
    with pytest.warns(lx.LexiprogWarning, match=r"quad.*matrix\.at|matrix\.at.*quad|QuadForm"):
        form = cp.quad_form(z, matrix.at(near)) - 2 * z[1]
        shape = lx.Subproblem("shape", cp.Minimize(form), [z[0] >= 1])
    program = lx.Program(lx.Stage("a", matrix), lx.Stage("b", shape))
    for number in (2.0, 7.0):
        d.value = number
        assert program.solve().final.value == pytest.approx(number - 1, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize(
    "limit",
    [
        lambda optimum, t: optimum + t,
        lambda optimum, t: 3 * optimum - 2,
        lambda optimum, t: cp.maximum(optimum, 1),
    ],
)
def test_what_is_within_dpp_gives_no_warning(limit):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        program, t = declare(limit)
        t.value = 4.0
        program.solve()
