"""Curved utilities and other solvers, level by level, against worked answers and HiGHS."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


def near(wanted, size=1e-6):
    return pytest.approx(wanted, abs=size, rel=size)


def test_curves_of_all_kinds_have_levels():
    """-(x - 1)^2 is settled at 0, log y at log 2, and sqrt z has what is left."""
    x = cp.Variable(3, nonneg=True, name="x")
    utilities = {"square": -cp.square(x[0] - 1), "log": cp.log(x[1]), "root": cp.sqrt(x[2])}
    found = lx.leximin(utilities, [cp.sum(x) <= 5, x[1] <= 2]).solve().final
    assert [names for _, names in found.levels] == [("square",), ("log",), ("root",)]
    assert [value for value, _ in found.levels] == near([0, np.log(2), np.sqrt(2)])
    assert found[x] == near([1, 2, 2], 1e-5)


def test_a_flat_top_leaves_no_room():
    """A bound on the square would leave x the root of its error, which the others would use."""
    x, y = cp.Variable(name="x"), cp.Variable(bounds=[0, 9], name="y")
    utilities = {"flat": -cp.square(x - 1), "x": x, "y": y + 3 + x}
    found = lx.leximin(utilities, [x <= 5]).solve().final
    assert [value for value, _ in found.levels] == near([0, 1, 13], 1e-6)


def test_norms_share_a_budget_by_their_worst():
    """Two centres two apart, one point: the distances are equal, then the third is free."""
    x, free = cp.Variable(2, name="x"), cp.Variable(bounds=[0, 7], name="free")
    far = {
        "here": cp.norm(x), "there": cp.norm(x - np.array([2, 0])), "free": free,
    }  # fmt: skip
    found = lx.leximax(far).solve().final
    assert found.levels[0] == (near(1), ("here", "there"))
    assert found.levels[1] == (near(0), ("free",))


@pytest.mark.parametrize("seed", range(6))
def test_values_are_those_of_vertices(seed):
    rng = np.random.default_rng(seed)
    x = cp.Variable(5, bounds=[0, 4], name="x")
    rows = rng.integers(0, 4, (6, 5))
    limits = [rng.integers(0, 3, (3, 5)) @ x <= rng.integers(4, 9, 3)]
    utilities = [row @ x + k % 2 for k, row in enumerate(rows)]
    vertex = lx.leximin(utilities, limits).solve("HIGHS").final
    inner = lx.leximin(utilities, limits).solve("CLARABEL").final
    wanted = [float(vertex.at(u)) for u in utilities]
    assert [float(inner.at(u)) for u in utilities] == near(wanted)
    assert inner.status == "optimal"


def test_constants_are_settled_where_they_are():
    x = cp.Variable(bounds=[0, 1], name="x")
    found = lx.leximin({"three": 3, "two": 2}, [x <= 0.5]).solve().final
    assert found.levels == ((near(2), ("two",)), (near(3), ("three",)))


def test_curved_utilities_can_be_held():
    x = cp.Variable(3, nonneg=True, name="x")
    levels = {"fair": lx.Leximin([cp.sqrt(x[0]), 2 * cp.sqrt(x[1])]), "rest": cp.Minimize(x[2])}
    result = lx.preemptive(levels, [cp.sum(x) <= 5, x[2] >= 0]).solve()
    assert result["fair"].levels == ((near(2), (0, 1)),)
    assert result.final[x] == near([4, 1, 0], 1e-4)
