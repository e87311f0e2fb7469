"""Curved optima held by what they depend on: no square root of the accuracy is lost."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.model.reformulate import arguments, can_restate, restated


def near(wanted, size=1e-6):
    return pytest.approx(wanted, abs=size, rel=size)


def by_hand(first, second, constraints, slack=1e-9):
    """The loop everyone writes: bound the value with a little slack and go on."""
    optimum = cp.Problem(first, constraints).solve(solver="CLARABEL")
    expression = first.args[0]
    lock = (
        expression >= optimum - slack
        if isinstance(first, cp.Maximize)
        else expression <= optimum + slack
    )
    return cp.Problem(second, [*constraints, lock]).solve(solver="CLARABEL")


def flat_square(x):
    return cp.Minimize(cp.square(x[0] + x[1] - 2))


SINGULAR = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
TALL = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]])

# Name: first objective of x in [0, 3]^3, second objective, its exact optimum.
CASES = {
    "square": (flat_square, lambda x: cp.Maximize(x[0] + x[2]), 5.0),
    "sum of squares": (
        lambda x: cp.Minimize(cp.sum_squares(TALL @ x - np.array([3.0, 6.0]))),
        lambda x: cp.Maximize(x[0]),
        3.0,
    ),
    "singular quadratic form": (
        lambda x: cp.Minimize(cp.quad_form(x, SINGULAR) - 4 * (x[0] + x[1])),
        lambda x: cp.Maximize(x[0] - x[2]),
        2.0,
    ),
    "square and linear": (
        lambda x: cp.Minimize(cp.square(x[0] - 1) + x[1] + x[2]),
        lambda x: cp.Maximize(x[0] + x[1]),
        1.0,
    ),
    "entropy": (
        lambda x: cp.Maximize(cp.entr(x[0] + x[1])),
        lambda x: cp.Maximize(x[0]),
        np.exp(-1.0),
    ),
    "logarithm": (
        lambda x: cp.Maximize(cp.log(x[0] + x[1]) - x[0] - x[1]),
        lambda x: cp.Maximize(2 * x[0] + x[1]),
        2.0,
    ),
    "exponential": (
        lambda x: cp.Minimize(cp.exp(x[0] - x[1]) - x[0] + x[1]),
        lambda x: cp.Maximize(x[0] + x[1]),
        6.0,
    ),
    "weighted squares": (
        lambda x: cp.Minimize(np.array([1.0, 2.0]) @ cp.square(x[:2] - 1)),
        lambda x: cp.Maximize(cp.sum(x)),
        5.0,
    ),
    "negated logistic": (
        lambda x: cp.Maximize(-cp.logistic(x[0] - x[1]) + 0.5 * (x[0] - x[1])),
        lambda x: cp.Maximize(x[0] + x[1] + x[2]),
        9.0,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_curved_optimum_is_held_by_its_argument(case):
    make, then, wanted = CASES[case]
    x = cp.Variable(3, bounds=[0, 3], name="x")
    result = lx.preemptive({"curved": make(x), "then": then(x)}).solve()
    (lock,) = result.final.locks
    assert (lock.kind, lock.guard, lock.tolerance) == ("argument", 0.0, 0.0)
    assert lock.drift <= 1e-8
    assert result.final.price("curved") is None
    assert result.final.value == near(wanted)


def test_a_lock_by_value_would_be_off_by_the_square_root_of_its_slack():
    x = cp.Variable(3, bounds=[0, 3], name="x")
    then = cp.Maximize(x[0] + x[1])
    loop = by_hand(flat_square(x), then, [])
    assert loop - 2 > 2e-5
    result = lx.preemptive({"curved": flat_square(x), "then": then}).solve()
    assert abs(result.final.value - 2) < 1e-6 < loop - 2


def test_the_point_of_the_unit_disk_nearest_to_a_point_is_held():
    """(2, 0) is nearest to (1, 0); what is left is the height z alone."""
    x, z = cp.Variable(2, name="x"), cp.Variable(name="z", bounds=[-1, 1])
    levels = {
        "near": cp.Minimize(cp.sum_squares(x - np.array([2.0, 0.0]))),
        "up": cp.Maximize(x[1] + z),
    }
    result = lx.preemptive(levels, [cp.norm(x) <= 1]).solve()
    assert result.final.locks[0].kind == "argument"
    assert result.final.value == near(1)


def test_a_power_that_is_flat_at_its_optimum_is_not_called_optimal():
    """Of (x + y - 1)^4 = 1e-13 nobody can tell x + y to four digits."""
    x = cp.Variable(2, bounds=[0, 3], name="x")
    levels = {"flat": cp.Minimize(cp.power(cp.sum(x) - 1, 4)), "then": cp.Maximize(x[0])}
    with pytest.warns(lx.LexiprogWarning):
        result = lx.preemptive(levels).solve()
    assert result.final.locks[0].kind == "value"
    assert result.final.status == "optimal_inaccurate"


def test_curved_linear_and_curved_again():
    x = cp.Variable(3, bounds=[0, 5], name="x")
    levels = {
        "first": cp.Minimize(cp.square(cp.sum(x) - 6)),
        "second": cp.Maximize(x[0]),
        "third": cp.Minimize(cp.sum_squares(x)),
    }
    result = lx.preemptive(levels).solve()
    first, second = result.final.locks
    assert first.kind in ("argument", "face")  # whichever: nothing of a curved optimum is lost
    assert (first.drift, second.drift) == near((0.0, 0.0), 1e-8)
    assert result.final[x] == near([5, 0.5, 0.5])


def test_a_tolerance_makes_it_a_lock_by_value_that_acts():
    """(x - 2)^2 <= 0.25 lets x grow to 2.5."""
    x = cp.Variable(bounds=[0, 5], name="x")
    levels = {"near": cp.Minimize(cp.square(x - 2)), "up": cp.Maximize(x)}
    result = lx.preemptive(levels, atol=0.25).solve()
    assert result.final.locks[0].kind == "value"
    assert result.final.value == near(2.5)


def test_an_affine_optimum_is_restated_as_an_equation_and_a_loosened_one_is_not():
    x = cp.Variable(2, bounds=[0, 3], name="x")
    first = lx.Subproblem("first", cp.Maximize(x[0] + x[1]), [x[0] + x[1] <= 4])
    second = lx.Subproblem("second", cp.Maximize(x[0]), [first.held(), x[1] >= 0.5])
    other = restated(second, "equal", frozenset())
    assert [type(c) for c in other.constraints] == [
        cp.constraints.Equality,
        cp.constraints.Inequality,
    ]
    for loosened, changed in ((frozenset(), True), (frozenset({"first"}), False)):
        assert can_restate(second, "equal", loosened) is changed
        assert (restated(second, "equal", loosened) is not second) is changed


def test_a_partly_flat_objective_is_never_held_by_too_much():
    """Of w @ (x - 1)^2 with a weight of zero, that coordinate stays free: (1, 3, 3)."""
    x = cp.Variable(3, bounds=[0, 3], name="x")
    first = cp.Minimize(np.array([1.0, 0.0, 0.0]) @ cp.square(x - 1))
    levels = {"first": first, "then": cp.Maximize(x[1] + x[2])}
    assert lx.preemptive(levels).solve().final.value == near(6)


def test_parameters_inside_a_curved_objective_may_change():
    x = cp.Variable(2, bounds=[0, 5], name="x")
    target = cp.Parameter(name="target")
    levels = {"near": cp.Minimize(cp.square(cp.sum(x) - target)), "first": cp.Maximize(x[0])}
    program = lx.preemptive(levels)
    for value in (3.0, 4.0):
        target.value = value
        result = program.solve()
        assert result.final.locks[0].kind == "argument"
        assert result.final.value == near(value)


@pytest.mark.parametrize("slack", [{}, {"atol": 0.1}, {"rtol": 0.1}])
def test_a_lock_with_a_tolerance_is_not_stated_in_another_way(slack):
    x = cp.Variable(2, name="x", bounds=[0, 3])
    first = lx.Subproblem("first", cp.Maximize(cp.sum(x)), [cp.sum(x) <= 4])
    second = lx.Subproblem("second", cp.Minimize(x[0]), [cp.sum(x) <= 4, first.held(**slack)])
    assert (restated(second, "equal", frozenset()) is second) is bool(slack)
    assert restated(second, "equal", frozenset({"first"})) is second


def test_only_constants_that_stay_so_are_taken_for_numbers():
    x, y, p = cp.Variable(2), cp.Variable(), cp.Parameter(nonneg=True, value=1.0)
    assert arguments(3 * cp.sum_squares(x)) is not None
    assert arguments(p * cp.sum_squares(x)) is None  # at p = 0 everything is optimal
    assert arguments(cp.quad_over_lin(x, 2.0)) is not None
    assert arguments(cp.quad_over_lin(x, y)) is None


@pytest.mark.parametrize(("then", "wanted"), [(cp.Maximize, 3.0), (cp.Minimize, -1.0)])
def test_whole_points_on_both_sides_of_a_curve_are_equally_good(then, wanted):
    """(x - 1/2)^2 + (y - 3/2)^2 is 1/2 at four whole points, whose sums are 1, 2, 2 and 3."""
    x = cp.Variable(2, integer=True, name="x")
    limits = [x >= -3, x <= 3]
    near = lx.Subproblem("near", cp.Minimize(cp.sum_squares(x - np.array([0.5, 1.5]))), limits)
    objective = then(cp.sum(x)) if then is cp.Maximize else then(x[0] - x[1] + 1)
    last = lx.Subproblem("last", objective, [*limits, near.held()])
    result = lx.Program(lx.Stage("near", near), lx.Stage("last", last)).solve()
    assert result["near"].value == pytest.approx(0.5)
    assert result["last"].value == pytest.approx(wanted)
    assert not can_restate(last, "argument", frozenset())
