"""Whole trade-off curves through the public name: against other solvers, brute force and theory."""

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog

import lexiprog as lx
from tests.lexiprog.small_programs import plant


def chain(seed, levels=3, size=6, rows=4, units=None):
    """A random preemptive program and a function that solves it at a tolerance by linprog."""
    rng = np.random.default_rng(seed)
    costs = rng.integers(-3, 6, (levels, size)) * (np.ones((levels, 1)) if units is None else units)
    A, demand = rng.integers(0, 4, (rows, size)), rng.integers(1, 12, rows)
    A[:, 0] += 1
    sign = rng.choice([-1.0, 1.0], levels)
    x = cp.Variable(size, bounds=[0, 9], name="x")
    objectives = {
        f"level {k}": cp.Minimize(c @ x) if s > 0 else cp.Maximize(-c @ x)
        for k, (c, s) in enumerate(zip(costs, sign, strict=True))
    }

    def solve(tolerance):
        rows, sides, found = -A.astype(float), -demand.astype(float), {}
        for k, cost in enumerate(costs):
            unit = np.max(np.abs(cost)) or 1.0
            best = linprog(cost / unit, rows, sides, bounds=(0, 9)).fun * unit
            found[f"level {k}"] = best * sign[k]
            allowed = tolerance if k == 0 else 1e-9 * (unit + abs(best))
            rows, sides = np.vstack([rows, cost / unit]), np.append(sides, (best + allowed) / unit)
        return found

    return lx.preemptive(objectives, [A @ x >= demand]), solve


@pytest.mark.parametrize("seed", range(6))
def test_chains_of_linear_levels_are_exact_everywhere(seed):
    program, solve = chain(seed)
    curve = lx.tradeoff(program, "level 0")
    assert set(curve.errors.values()) == {0.0}
    reach = 1.2 * curve.tolerances[-1] + 1.0
    places = np.random.default_rng(seed).uniform(1e-3, reach, 12)
    for t in [*places, *curve.tolerances[1:5]]:
        wanted = solve(t)
        for name, value in curve.at(t).items():
            assert value == pytest.approx(wanted[name], abs=1e-5), (name, t)


@pytest.mark.parametrize(
    ("seed", "count"),
    [(3, 100), *(pytest.param(k, 1000, marks=pytest.mark.nightly) for k in (3, 11))],
)
def test_a_thousand_tolerances_lie_on_the_curve(seed, count):
    program, solve = chain(seed, levels=2, size=9, rows=6)
    curve = lx.tradeoff(program, "level 0")
    places = np.linspace(1e-6, 1.2 * curve.tolerances[-1] + 1.0, count)
    wanted = [solve(t)["level 1"] for t in places]
    assert curve.tracks["level 1"].at(places) == pytest.approx(wanted, abs=1e-6)


def test_levels_in_very_different_units_are_as_exact():
    units = np.array([[1e-3], [1e4], [1.0]])
    program, solve = chain(5, units=units)
    curve = lx.tradeoff(program, "level 0")
    for t in [1e-4, *np.array(curve.tolerances[1:]) * 0.7]:
        wanted = solve(t)
        for name, value in curve.at(t).items():
            assert value == pytest.approx(wanted[name], rel=1e-5, abs=1e-5), (name, t)


@pytest.mark.parametrize("seed", range(4))
def test_results_at_the_breakpoints_and_prices_agree_with_the_curve(seed):
    program, _ = chain(seed, levels=2)
    curve = lx.tradeoff(program, "level 0")
    for k, result in enumerate(curve.results):
        found = result["level 1"]
        assert found.certificate.passed
        assert found.value == pytest.approx(curve.values["level 1"][k], abs=1e-6)
        slope = curve.slopes["level 1"][k]
        assert found.price("level 0") == pytest.approx(abs(slope), abs=1e-6)
        assert curve.given_up[k] <= curve.tolerances[k] + 1e-6
    table = lx.tradeoff(program, "level 0", curve.tolerances)
    assert table.values["level 1"] == pytest.approx(curve.values["level 1"], abs=1e-6)


def test_every_breakpoint_bends():
    program, _ = chain(2, levels=2, size=9, rows=6)
    curve = lx.tradeoff(program, "level 0")
    slopes = np.array(curve.slopes["level 1"])
    assert len(slopes) > 2
    assert np.all(np.abs(np.diff(slopes)) > 1e-9)


def test_an_endless_gain_is_named():
    x, y = cp.Variable(nonneg=True, name="x"), cp.Variable(nonneg=True, name="y")
    program = lx.preemptive({"low": cp.Minimize(x), "high": cp.Maximize(y)}, [y <= 2 * x + 1])
    curve = lx.tradeoff(program, "low")
    assert curve.tolerances == (0.0,)
    assert curve.slopes["high"] == pytest.approx((2.0,))
    assert curve.at(50.0) == pytest.approx({"high": 101.0})
    assert "for ever" in curve.notes[0]


def test_slack_that_buys_nothing_is_a_flat_curve():
    x = cp.Variable(2, nonneg=True, name="x")
    program = lx.preemptive({"a": cp.Minimize(cp.sum(x)), "b": cp.Minimize(x[0])}, [cp.sum(x) >= 1])
    curve = lx.tradeoff(program, "a")
    assert curve.tolerances == (0.0,)
    assert curve.at(7.0) == pytest.approx({"b": 0.0})
    assert curve.notes == ("b: exact, linear between breakpoints; constant from 0 on",)


def test_locks_may_be_held_anywhere_and_with_tolerances_of_their_own():
    """No chain: two optima in one stage, other constraints in the next, a relative tolerance."""
    x, demand, cheap, clean = plant()
    fumes = clean.objective.expr
    even = lx.Subproblem("even", cp.Minimize(fumes), [*demand, x[0] <= 7, cheap.held()])
    last = lx.Subproblem(
        "last", cp.Maximize(x[1]), [*demand, even.held(rtol=0.1), fumes <= 4 * clean.optimum]
    )
    program = lx.Program(
        lx.Stage("ideal", cheap, clean), lx.Stage("then", even), lx.Stage("last", last)
    )
    curve = lx.tradeoff(program, "cheap")
    steps = [0.0, 0.5, 1.7, 3.0, 9.0, 20.0]
    table = lx.tradeoff(program, "cheap", steps)
    for name, values in table.values.items():
        assert [curve.at(t)[name] for t in steps] == pytest.approx(values, abs=1e-6), name
    assert curve.errors == {"even": 0.0, "last": 0.0}


def test_what_does_not_depend_on_the_level_is_constant():
    x = cp.Variable(2, bounds=[0, 3], name="x")
    a = lx.Subproblem("a", cp.Minimize(x[0]), [cp.sum(x) >= 2])
    b = lx.Subproblem("b", cp.Maximize(x[1]), [x[1] <= 2.5])
    c = lx.Subproblem("c", cp.Minimize(x[1]), [cp.sum(x) >= 2, a.held()])
    curve = lx.tradeoff(lx.Program(lx.Stage("1", a), lx.Stage("2", b), lx.Stage("3", c)), "a")
    assert curve.at(1.5) == pytest.approx({"b": 2.5, "c": 0.5})


def test_a_later_problem_that_needs_slack_begins_where_it_is_feasible():
    x = cp.Variable(2, bounds=[0, 9], name="x")
    a = lx.Subproblem("a", cp.Minimize(cp.sum(x)), [x[0] >= 1])
    b = lx.Subproblem("b", cp.Minimize(x[1]), [x[1] >= 2, x[0] >= 1, a.held()])
    curve = lx.tradeoff(lx.Program(lx.Stage("1", a), lx.Stage("2", b)), "a")
    assert curve.tolerances == pytest.approx((2.0,))
    assert np.isnan(curve.at(1.0)["b"])
    assert curve.at(5.0) == pytest.approx({"b": 2.0})


def test_what_reads_a_solution_is_sampled_and_says_so():
    x = cp.Variable(2, bounds=[0, 9], name="x")
    a = lx.Subproblem("a", cp.Minimize(cp.sum(x)), [x[0] + 2 * x[1] >= 4])
    b = lx.Subproblem("b", cp.Maximize(x[1]), [x[0] + 2 * x[1] >= 4, x[1] <= 5, a.held()])
    c = lx.Subproblem("c", cp.Minimize(x[0]), [x[0] >= b.at(x[1])])
    program = lx.Program(lx.Stage("1", a), lx.Stage("2", b), lx.Stage("3", c))
    curve = lx.tradeoff(program, "a")
    assert np.isnan(curve.errors["c"])
    assert "known at these tolerances only" in curve.notes[1]
    assert curve.values["c"] == pytest.approx(curve.values["b"])  # x[1] is unique there
    assert len(curve.tolerances) > 2


def test_curved_problems_stay_within_their_stated_error():
    x = cp.Variable(2, bounds=[0, 9], name="x")
    program = lx.preemptive(
        {"a": cp.Minimize(cp.sum_squares(x - 2)), "b": cp.Maximize(x[0] + 2 * x[1])}
    )
    curve = lx.tradeoff(program, "a", error=0.01)
    assert 0 < curve.errors["b"] <= 0.01 * (27 - 6)
    for t in [1e-3, 0.01, 0.3, 2.0, 20.0, 49.0]:
        # 6 + sqrt(5 t) until a bound is met, at t = 61.25
        off = 6 + np.sqrt(5 * t) - curve.at(t)["b"]
        assert -1e-6 <= off <= curve.errors["b"] + 1e-6
    assert curve.at(1e4) == pytest.approx({"b": 27.0}, abs=1e-6)


def test_a_curved_problem_without_end_says_how_far_it_was_followed():
    x = cp.Variable(2, nonneg=True, name="x")
    program = lx.preemptive(
        {"a": cp.Minimize(cp.sum(x)), "b": cp.Maximize(cp.sqrt(x[0]) + x[1])}, [cp.sum(x) >= 1]
    )
    curve = lx.tradeoff(program, "a", error=0.05)
    assert "not followed beyond" in curve.notes[0]
    assert np.isnan(curve.at(1e9)["b"])


def test_parameters_count_with_the_values_they_had_at_the_start():
    budget = cp.Parameter(value=4.0, name="budget")
    x = cp.Variable(2, nonneg=True, name="x")
    program = lx.preemptive(
        {"a": cp.Maximize(x[0]), "b": cp.Maximize(x[1])}, [cp.sum(x) <= budget, x[0] <= 3]
    )
    curve = lx.tradeoff(program, "a")
    budget.value = 100.0
    assert curve.results[0]["b"].value == pytest.approx(1.0)
    assert curve.at(1.0) == pytest.approx({"b": 2.0})
    assert budget.value == 100.0


@pytest.mark.parametrize("seed", range(4))
def test_a_curve_on_fairness_is_exact_everywhere(seed):
    """Utilities may fall by the tolerance below their levels; the rest is one linear program."""
    rng = np.random.default_rng(seed)
    A, room = rng.integers(1, 5, (4, 6)).astype(float), rng.integers(10, 20, 4).astype(float)
    shares, gain = rng.integers(0, 3, (3, 6)).astype(float), rng.uniform(0, 5, 6)
    shares[:, :3] += np.eye(3)
    x = cp.Variable(6, bounds=[0, 9], name="x")
    fair = lx.Leximin({name: row @ x for name, row in zip("abc", shares, strict=True)})
    levels = {"fair": fair, "gain": cp.Maximize(gain @ x)}
    program = lx.preemptive(levels, [A @ x <= room])
    curve = lx.tradeoff(program, "fair")
    assert curve.errors["gain"] == 0.0
    assert len(curve.tolerances) > 1
    solved = program.solve()["fair"].levels
    least = np.array([next(v for v, who in solved if name in who) for name in "abc"])
    for t in rng.uniform(0, 1.2 * curve.tolerances[-1], 12):
        rows, sides = np.vstack([A, -shares]), np.append(room, t - least)
        assert curve.at(t)["gain"] == pytest.approx(
            -linprog(-gain, rows, sides, bounds=(0, 9)).fun, abs=1e-6
        )
