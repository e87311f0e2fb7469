"""Curved utilities and other solvers, level by level, against worked answers and HiGHS."""

from types import SimpleNamespace

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.fairness.any_solver import LevelsByValue, Settled


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
    assert LevelsByValue.alone  # its inner problems are compiled on the way


def settled_by(weights, value, *, settled=(), levels=(), errors=(), unknown=0.0):
    """What one more level settles, of utilities that are the entries of x."""
    count = len(weights)
    x = cp.Variable(count, name="x")
    problem = lx.Subproblem("fair", lx.Leximin([x[k] for k in range(count)]), [x <= 9])
    solution = SimpleNamespace(
        dual=lambda rows: np.asarray(weights), uncertainty=unknown, value=value, size=1.0 + value,
        at=lambda stack: np.full(count, value) + np.arange(count)[::-1], __getitem__=None,
    )  # fmt: skip
    done = np.isin(np.arange(count), settled)
    before = ["before"] if done.any() else []
    state = Settled(done, np.zeros(count), np.zeros(count), optima=before)
    state.levels[done], state.errors[done] = levels, errors
    task = SimpleNamespace(subproblem=SimpleNamespace(variables=[], inputs=[]), constants={})
    state.add(task, problem.fair, SimpleNamespace(rows=None, kept={}), solution)
    return state


@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e3])
def test_whoever_has_a_multiplier_that_is_no_rounding_is_settled(scale):
    state = settled_by(scale * np.array([0.6, 0.3997, 3e-4, 1e-8]), 5.0)
    assert state.settled.tolist() == [True, True, True, False]
    assert state.levels.tolist() == [5.0, 5.0, 5.0, 0.0]


def test_without_any_multiplier_the_lowest_is_settled():
    assert settled_by(np.zeros(3), 5.0).settled.tolist() == [False, False, True]


def test_values_that_are_the_same_but_for_rounding_are_one_level():
    same = settled_by([0.0, 1.0], 5.0 + 1e-9, settled=[0], levels=[5.0], errors=[0.0])
    assert same.levels.tolist() == [5.0, 5.0]
    apart = settled_by([0.0, 1.0], 5.0 + 1e-7, settled=[0], levels=[5.0], errors=[0.0])
    assert apart.levels.tolist() == [5.0, 5.0 + 1e-7]
    unsure = settled_by([0.0, 1.0], 5.0 + 1e-7, settled=[0], levels=[5.0], errors=[2e-7])
    assert unsure.levels.tolist() == [5.0, 5.0]


def test_the_error_of_a_level_is_its_own_and_that_of_those_it_rests_on():
    state = settled_by([3.0, 1.0], 7.0, settled=[0], levels=[5.0], errors=[1e-6], unknown=1e-7)
    assert state.errors.tolist() == pytest.approx([1e-6, 1e-7 + 2 * 3.0 * 1e-6])


def test_a_level_that_is_not_known_well_is_doubted_by_name(monkeypatch):
    add = Settled.add

    def unsure(state, *arguments):
        add(state, *arguments)
        state.errors[1] = 1e-3

    monkeypatch.setattr(Settled, "add", unsure)
    x = cp.Variable(2, bounds=[0, 3], name="x")
    program = lx.leximin({"ann": cp.sqrt(x[0]), "bob": x[1]}, [cp.sum(x) <= 2])
    with pytest.warns(lx.LexiprogWarning, match=r"the level of 'bob' is known to 1\.0e-03 only"):
        assert program.solve().final.status == "optimal_inaccurate"


def test_curves_that_no_point_allows_are_infeasible_and_named():
    x = cp.Variable(2, nonneg=True, name="x")
    utilities = {"a": cp.sqrt(x[0]), "b": cp.sqrt(x[1])}
    with pytest.raises(lx.StageError, match="infeasible") as caught:
        lx.leximin(utilities, [cp.sum(x) <= 1, x[0] >= 2]).solve()
    assert caught.value.status == "infeasible"
