"""What is the same at every optimum of a curve is held; answers worked out by hand."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.model.reformulate import arguments, held_parts

PAIRS = np.kron(np.eye(2), np.ones((1, 2)))
COSTS = np.array([1.0, 3.0, 5.0, 2.0])


def then_cheapest(first, constraints, x):
    """The least COSTS'x among the optima of the first: of each pair the cheaper one is used."""
    levels = {"first": first, "then": cp.Minimize(COSTS @ x)}
    return lx.preemptive(levels, constraints).solve()["then"]


@pytest.mark.parametrize(
    ("make", "shares"),
    [
        (lambda y: cp.Maximize(cp.geo_mean(y)), (3, 3)),
        (lambda y: cp.Maximize(cp.geo_mean(y, [1, 2])), (2, 4)),
        (lambda y: cp.Maximize(2 * cp.geo_mean(y, [1, 2]) - 7), (2, 4)),
        (lambda y: cp.Minimize(cp.pnorm(y, 3)), (3, 3)),
        (lambda y: cp.Minimize(cp.norm(y - np.array([1.0, 3.0]))), (2, 4)),
        (lambda y: cp.Minimize(cp.log_sum_exp(y) / 2), (3, 3)),
    ],
)
def test_the_argument_of_a_curve_is_the_same_at_every_optimum(make, shares):
    x = cp.Variable(4, nonneg=True, name="x")
    objective = make(PAIRS @ x)
    assert arguments(objective.expr) is None
    assert len(held_parts(objective.expr)) == 1
    found = then_cheapest(objective, [cp.sum(x) == 6], x)
    assert found.status == "optimal"
    assert found.value == pytest.approx(shares[0] * 1 + shares[1] * 2, rel=1e-5)


def test_a_geometric_mean_of_zero_leaves_all_that_it_depends_on():
    """With y0 = 0 the mean is 0 wherever y1 is: the cheapest is nothing at all."""
    x = cp.Variable(4, nonneg=True, name="x")
    found = then_cheapest(
        cp.Maximize(cp.geo_mean(PAIRS @ x)), [x[:2] == 0, cp.sum(x) <= 6, x[2] <= 4], x
    )
    assert found.value == pytest.approx(0.0, abs=1e-4)
    assert {lock.kind for lock in found.locks} != {"argument"}


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("equation", [True, False])
def test_a_geometric_mean_beside_nothing_is_nothing(size, equation):
    """No finite multipliers prove it: a zero leaves the cones no room, one after the other."""
    x = cp.Variable(size, nonneg=True, name="x")
    limits = [x[0] == 0 if equation else x[0] <= 0, cp.sum(x) <= 6]
    only = lx.Subproblem("only", cp.Maximize(cp.geo_mean(x)), limits)
    found = lx.Program(lx.Stage("only", only)).solve()["only"]
    assert (found.status, found.value) == ("optimal", pytest.approx(0.0, abs=1e-12))


def test_another_term_is_held_where_it_depends_on_the_same():
    """Singular values 3 and 1 of B, each less 1/2, as the nuclear norm has them."""
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    B, X = turn @ np.diag([3.0, 1.0]), cp.Variable((2, 2), name="X")
    best = turn @ np.diag([2.5, 0.5])
    first = cp.normNuc(X) + cp.sum_squares(X - B)
    levels = {"first": cp.Minimize(first), "then": cp.Maximize(X[0, 0] - X[1, 1])}
    found = lx.preemptive(levels).solve()
    assert found["first"].value == pytest.approx(3.5)
    assert found["then"].status == "optimal"
    assert found["then"].value == pytest.approx(best[0, 0] - best[1, 1], abs=1e-5)


def test_a_term_that_depends_on_more_is_not_held_by_the_rest():
    x, y = cp.Variable(2), cp.Variable(2)
    assert held_parts(cp.sum_squares(x) + cp.norm1(x) + cp.max(x)) is not None
    assert held_parts(cp.sum_squares(x) + cp.norm1(y)) is None
    assert held_parts(cp.square(cp.sum(x)) + cp.norm1(x)) is None
    assert held_parts(cp.square(cp.sum(x)) + cp.square(x[0]) + cp.norm1(x)) is not None
    assert held_parts(cp.sum_squares(x) + cp.Parameter(nonneg=True) * cp.norm1(x)) is None


def test_equations_of_a_face_that_contradict_each_other_in_lost_digits_are_no_reason_to_give_up():
    """Robust locations of five numbers by a sum of two: the median's zone by bisection."""
    rng = np.random.default_rng(1)
    for _ in range(6):
        data = 3 * rng.normal(size=5)
        low, high = data.min(), data.max()
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (low, middle) if np.clip(middle - data, -1, 1).sum() > 0 else (middle, high)
        x = cp.Variable(2, bounds=[-20, 20], name="x")
        first = cp.Minimize(cp.sum(cp.huber(cp.sum(x) - data)))
        found = lx.preemptive({"first": first, "then": cp.Minimize(x[0] + 3 * x[1])}).solve()
        ends = (max(-20, high - 20), min(20, high + 20))
        best = min(end + 3 * (high - end) for end in ends)
        assert found["then"].status == "optimal"
        assert found["then"].value == pytest.approx(best, abs=1e-4)
