"""Quasiconvex levels: both ends proved, compared with Charnes-Cooper and CVXPY's own bisection."""

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog

import lexiprog as lx


def solved(objective, constraints=(), **options):
    level = lx.Subproblem("level", objective, constraints, qcp=True)
    return lx.Program(lx.Stage("only", level)).solve(**options).final


def encloses(solution, optimum):
    """Whether the proved interval holds the optimum, and is narrow."""
    low, high = sorted((solution.value, solution.bound))
    room = 1e-9 * (1 + abs(optimum))
    return low - room <= optimum <= high + room and high - low <= 1e-6 * (1 + abs(optimum))


def ratio(seed):
    """A random linear ratio over a polytope, and its optimum by Charnes and Cooper's LP."""
    draw = np.random.default_rng(seed)
    n, m = draw.integers(2, 8, 2)
    A, b = draw.integers(0, 6, (m, n)).astype(float), draw.integers(5, 30, m).astype(float)
    unit = 10.0 ** draw.integers(-3, 4)
    c, c0 = unit * draw.integers(-5, 6, n), unit * draw.integers(-5, 6)
    d, d0 = draw.integers(0, 5, n).astype(float), float(draw.integers(1, 5))
    x = cp.Variable(n, nonneg=True, name="x")
    sense, sign = (cp.Maximize, -1) if seed % 2 else (cp.Minimize, 1)
    program = sense((c @ x + c0) / (d @ x + d0)), [A @ x <= b, x <= 20]
    rows = np.vstack([np.c_[A, -b], np.c_[np.eye(n), np.full(n, -20.0)]])
    lp = linprog(sign * np.append(c, c0), rows, np.zeros(m + n), np.append(d, d0)[None], [1.0])
    return program, sign * lp.fun


@pytest.mark.parametrize("block", range(4))
def test_ratios_are_those_of_charnes_and_cooper(block):
    for seed in range(50 * block, 50 * block + 15):
        program, optimum = ratio(seed)
        solution = solved(*program)
        assert solution.status == "optimal"
        assert encloses(solution, optimum), seed


@pytest.mark.nightly
def test_two_hundred_ratios_are_those_of_charnes_and_cooper():
    for seed in range(200):
        program, optimum = ratio(seed)
        assert encloses(solved(*program), optimum), seed


def test_a_ratio_is_held_by_its_level_set():
    x = cp.Variable(3, nonneg=True, name="x")
    rows = [cp.sum(x) <= 4, x[0] >= 1]
    levels = {
        "ratio": cp.Minimize((2 * x[0] + x[1] + 1) / (x[0] + 3 * x[1] + x[2] + 2)),
        "little": cp.Minimize(cp.sum(x)),
    }
    # By hand: (3 + y) / (3 + 3 y) falls with y = 3 to a half; within a tenth, y = 27 / 13.
    exact = lx.preemptive(levels, rows, qcp=True).solve()
    assert encloses(exact["ratio"], 0.5)
    assert exact.final.value == pytest.approx(4.0, abs=1e-6)
    loose = lx.preemptive(levels, rows, rtol={"ratio": 0.1}, qcp=True).solve()
    assert loose.final.value == pytest.approx(1 + 27 / 13)
    (lock,) = loose.final.locks
    assert lock.drift == pytest.approx(0.05)


def test_a_ratio_after_a_linear_level_and_a_reference_to_a_ratio():
    x = cp.Variable(2, nonneg=True, name="x")
    rows = [cp.sum(x) >= 2, x <= 3]
    low = lx.Subproblem("low", cp.Minimize(cp.sum(x)), rows)
    share = lx.Subproblem("share", cp.Maximize(x[0] / (x[1] + 1)), [*rows, low.held()], qcp=True)
    last = lx.Subproblem("last", cp.Minimize(x[0]), [*rows, x[0] + x[1] >= share.optimum])
    result = lx.Program(lx.Stage("a", low), lx.Stage("b", share), lx.Stage("c", last)).solve()
    assert encloses(result["share"], 2.0)
    assert result["share"].locks[0].name == "low"
    assert result["last"].value == pytest.approx(0.0)


y = cp.Variable(5, name="y")
z = cp.Variable(2, pos=True, name="z")
OTHERS = {
    "length": (cp.Minimize(cp.length(y)), [y[0] + y[1] >= 2, y[1] + y[2] >= 3, cp.abs(y) <= 2], 3),
    "ceil": (cp.Minimize(cp.ceil(cp.sum(y))), [y >= 0.3], 2),
    "floor": (cp.Maximize(cp.floor(cp.sum(y))), [y <= 0.7], 3),
    "dist_ratio": (cp.Minimize(cp.dist_ratio(y[:2], np.zeros(2), np.full(2, 4.0))),
                   [y[0] >= 1, y[1] >= 0.5], np.sqrt(1 / 17)),
    "product": (cp.Maximize(cp.multiply(z[0], z[1])), [z[0] + 2 * z[1] <= 4], 2),
    "curved ratio": (cp.Minimize((cp.square(z[0]) + 1) / z[1]), [z[0] + z[1] <= 3, z[1] <= 2],
                     0.5),
    "only a constraint": (cp.Minimize(z[0]), [z[0] / z[1] >= 2, z[1] >= 1], 2),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_other_quasiconvex_functions_have_their_known_optima(name):
    objective, constraints, optimum = OTHERS[name]
    solution = solved(objective, constraints)
    assert solution.value == pytest.approx(optimum, abs=2e-6)
    assert abs(solution.bound - solution.value) <= 1e-6 * (1 + abs(optimum))


def test_cvxpys_own_bisection_ends_within_its_tolerance_of_ours():
    for seed in range(3):
        (objective, constraints), _ = ratio(seed)
        theirs = cp.Problem(objective, constraints).solve(qcp=True, solver="HIGHS", eps=1e-7)
        ours = solved(objective, constraints)
        assert ours.value == pytest.approx(theirs, rel=1e-5, abs=1e-5)


def test_levels_and_limits_of_zero_are_as_good_as_others():
    x = cp.Variable(2, nonneg=True, name="x")
    share = (x[0] - 1) / (x[1] + 1)
    assert encloses(solved(cp.Minimize(share), [x[0] >= 1]), 0.0)
    assert encloses(solved(cp.Maximize(x[0] / (x[1] + 1)), [cp.sum(x) <= 3]), 3.0)
    result = solved(cp.Maximize(x[0] + x[1]), [share <= 0, x[1] <= 2])
    assert result.value == pytest.approx(3.0)


def test_an_infeasible_level_and_an_unbounded_one_are_told_apart():
    x = cp.Variable(2, nonneg=True, name="x")
    with pytest.raises(lx.StageError) as caught:
        solved(cp.Minimize(x[0] / (x[1] + 1)), [cp.sum(x) <= -1])
    assert caught.value.status.is_infeasible
    with pytest.raises(lx.StageError) as caught:
        solved(cp.Maximize(x[0] / (x[1] + 1)))
    assert caught.value.status.is_unbounded


def test_what_is_not_quasiconvex_is_refused_with_the_way_out():
    x = cp.Variable(2, name="x")
    with pytest.raises(lx.DeclarationError, match="denominators a sign"):
        lx.Subproblem("bad", cp.Minimize(x[0] / x[1]), qcp=True)
    u = cp.Variable(2, pos=True, name="u")
    with pytest.raises(lx.DeclarationError, match="say so with qcp=True"):
        lx.Subproblem("bad", cp.Minimize((x[0] - 1) / (u[1] + 1)))
    with pytest.raises(lx.DeclarationError, match="three ways to read it"):
        lx.Subproblem("bad", cp.Minimize(x[0]), qcp=True, gp=True)
    rows = [cp.sum(u) <= 3]
    level = lx.Subproblem("level", cp.Maximize(u[0] / (u[1] + 1)), rows, qcp=True)
    with pytest.raises(lx.DeclarationError, match="not convex has no multipliers"):
        level.dual(rows[0])


def test_parameters_and_saved_results_work_as_everywhere(tmp_path):
    x, most = cp.Variable(2, nonneg=True, name="x"), cp.Parameter(name="most", value=3.0)
    level = lx.Subproblem("level", cp.Maximize(x[0] / (x[1] + 1)), [cp.sum(x) <= most], qcp=True)
    program = lx.Program(lx.Stage("only", level))
    result = program.solve()
    assert encloses(result.final, 3.0)
    with pytest.raises(lx.LexiprogError, match="not convex"):
        result.gradient(most, of="level")
    result.save(tmp_path / "result.json")
    again = lx.Result.load(tmp_path / "result.json", program)
    assert again.final.value == result.final.value
    most.value = 5.0
    assert encloses(program.solve().final, 5.0)
    assert "either end" in str(result.final)
