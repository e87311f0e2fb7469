"""The least worst regret: by hand, against linprog and against a fine grid."""

import itertools

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog

import lexiprog as lx


def near(wanted, size=1e-6):
    return pytest.approx(wanted, abs=size, rel=size)


def test_two_opposed_wishes_meet_in_the_middle():
    x = cp.Variable(bounds=[0, 10], name="x")
    result = lx.minimax_regret({"low": cp.Minimize(x), "high": cp.Maximize(x)}).solve()
    assert [result["low"].value, result["high"].value] == near([0, 10])
    assert result["regret"].value == near(5)
    assert result.final[x] == near(5)


def test_scales_shift_the_middle():
    """Regrets x and 3 (10 - x) are equal at 7.5."""
    x = cp.Variable(bounds=[0, 10], name="x")
    objectives = {"low": cp.Minimize(x), "high": cp.Maximize(x)}
    result = lx.minimax_regret(objectives, scales={"high": 3.0}).solve()
    assert result.final[x] == near(7.5)
    assert result.final.value == near(7.5)


@pytest.mark.parametrize("solver", ["HIGHS", "CLARABEL"])
@pytest.mark.parametrize("seed", range(4))
def test_the_worst_regret_agrees_with_linprog(seed, solver):
    rng = np.random.default_rng(seed)
    costs, rows = rng.integers(-4, 5, (4, 5)), rng.integers(0, 4, (3, 5))
    scales = rng.integers(1, 5, 4)
    x = cp.Variable(5, bounds=[0, 8], name="x")
    objectives = {
        str(k): cp.Minimize(c @ x) if k % 2 else cp.Maximize(-c @ x) for k, c in enumerate(costs)
    }
    program = lx.minimax_regret(
        objectives, [rows @ x >= 6], scales={str(k): float(s) for k, s in enumerate(scales)}
    )
    result = program.solve(solver)
    ideals = [linprog(c, -rows, np.full(3, -6.0), bounds=(0, 8)).fun for c in costs]
    matrix = np.vstack([
        np.hstack([-rows, np.zeros((3, 1))]),
        np.hstack([costs * scales[:, None], -np.ones((4, 1))]),
    ])  # fmt: skip
    rhs = np.concatenate([np.full(3, -6.0), scales * ideals])
    worst = linprog([0] * 5 + [1], matrix, rhs, bounds=[(0, 8)] * 5 + [(None, None)]).fun
    assert result.final.value == near(worst)
    regrets = scales * (costs @ result.final[x] - ideals)
    assert regrets.max() == near(worst)


@pytest.mark.parametrize("seed", range(4))
def test_refined_regrets_agree_with_all_integer_points(seed):
    rng = np.random.default_rng(seed)
    costs = rng.integers(-4, 5, (3, 2))
    x = cp.Variable(2, integer=True, name="x", bounds=[0, 6])
    objectives = {str(k): cp.Minimize(c @ x) for k, c in enumerate(costs)}
    result = lx.minimax_regret(objectives, [cp.sum(x) <= 9], refine=True).solve()
    points = np.array([(i, j) for i in range(7) for j in range(7) if i + j <= 9])
    regrets = points @ costs.T - (points @ costs.T).min(axis=0)
    best = min(tuple(sorted(row, reverse=True)) for row in regrets.tolist())
    found = costs @ result.final[x] - [result[str(k)].value for k in range(3)]
    assert sorted(found, reverse=True) == near(list(best))


@pytest.mark.parametrize("seed", range(3))
def test_refined_regrets_are_not_beaten_on_a_fine_grid(seed):
    """Two quarrels about a coordinate each: the milder one is settled by the later levels."""
    (a, b), (c, d) = np.random.default_rng(50 + seed).integers(1, 5, (2, 2))
    costs = np.array([[3 * a, 0], [-3 * b, 0], [0, c], [0, -d]])
    x = cp.Variable(2, bounds=[0, 4], name="x")
    objectives = {str(k): cp.Minimize(cost @ x) for k, cost in enumerate(costs)}
    result = lx.minimax_regret(objectives, [cp.sum(x) <= 6], refine=True).solve()
    ideals = [result[str(k)].value for k in range(4)]
    found = np.sort(costs @ result.final[x] - ideals)[::-1]
    # The two compromises, and points all around.
    sides = [np.append(np.linspace(0, 4, 41), 4 * top / (top + low)) for low, top in
             ((3 * a, 3 * b), (c, d))]  # fmt: skip
    points = np.array([point for point in itertools.product(*sides) if sum(point) <= 6])
    for other in np.sort(points @ costs.T - ideals, axis=1)[:, ::-1]:
        differing = np.flatnonzero(np.abs(other - found) > 1e-6)
        assert not differing.size or other[differing[0]] > found[differing[0]]


def test_refinement_leaves_no_regret_larger_than_it_must_be():
    """The third wish costs nobody anything: only refinement grants it."""
    x = cp.Variable(2, bounds=[0, 10], name="x")
    objectives = {"low": cp.Minimize(x[0]), "high": cp.Maximize(x[0]), "up": cp.Maximize(x[1])}
    refined = lx.minimax_regret(objectives, refine=True)
    assert list(refined.subproblems)[3:] == ["regret"]
    result = refined.solve()
    assert result.final[x] == near([5, 10])
    assert result.final.value == near(5)
    assert result.final.levels == ((near(5), ("low", "high")), (near(0), ("up",)))


def test_curved_objectives_have_regrets_too():
    """Nearest to (0, 0) and to (2, 0): by symmetry (1, 0), and a regret of 1 for both."""
    x = cp.Variable(2, name="x")
    objectives = {
        "here": cp.Minimize(cp.sum_squares(x)),
        "there": cp.Minimize(cp.sum_squares(x - np.array([2, 0]))),
    }
    result = lx.minimax_regret(objectives).solve()
    assert result.final.value == near(1, 1e-5)
    assert result.final[x] == near([1, 0], 1e-4)


def test_a_regret_program_can_be_inspected_and_extended():
    x = cp.Variable(2, bounds=[0, 10], name="x")
    program = lx.minimax_regret({"low": cp.Minimize(x[0]), "high": cp.Maximize(x[0])})
    assert [stage.name for stage in program.stages] == ["ideal", "regret"]
    assert "low.optimum" in program.describe()
    last = lx.Subproblem("up", cp.Maximize(x[1] - x[0]), [program["regret"].held(atol=1)])
    assert program.extend(lx.Stage("up", last)).solve().final[x] == near([4, 10])


@pytest.mark.parametrize(
    ("arguments", "culprit"),
    [
        ({"objectives": {}}, "mapping from names"),
        ({"objectives": [1]}, r"not \[1\]"),
        ({"scales": {"hgih": 1.0}}, "'hgih'.*'low', 'high'"),
        ({"scales": {"high": 0.0}}, "'high' must be positive, not 0"),
        ({"scales": {"high": -2.0}}, "'high' must be positive, not -2"),
        ({"scales": {"high": float("nan")}}, "'high' must be positive, not nan"),
        ({"scales": {"high": "twice"}}, "'high' must be positive, not 'twice'"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(arguments, culprit):
    x = cp.Variable(bounds=[0, 10], name="x")
    arguments = {"objectives": {"low": cp.Minimize(x), "high": cp.Maximize(x)}} | arguments
    with pytest.raises(lx.DeclarationError, match=culprit):
        lx.minimax_regret(arguments.pop("objectives"), **arguments)


def test_an_objective_that_is_none_is_refused_by_name():
    x = cp.Variable(bounds=[0, 10], name="x")
    with pytest.raises(lx.DeclarationError, match="'bare'"):
        lx.minimax_regret({"bare": x})
