"""Scenarios inside a program: ensembles with answers by formula, and rtc-tools' own example."""

from concurrent.futures import ThreadPoolExecutor

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


def newsvendor(demands, price=3.0, cost=1.0):
    """Order now, sell later: a stage with each day alone."""
    order = cp.Variable(nonneg=True, name="order")

    def day(name, demand):
        sold = cp.Variable(nonneg=True, name=f"sold on {name}")
        return cp.Maximize(price * sold - cost * order), [sold <= order, sold <= demand]

    return order, lx.over(demands, day, name="days")


DEMANDS = {"mon": 4.0, "tue": 10.0, "wed": 6.0, "thu": 9.0}


def plan(days, objective):
    joint = lx.Subproblem("plan", objective, days.constraints)
    return lx.Program(days, lx.Stage("all days", joint))


def test_expected_worst_and_tail_are_those_of_a_grid():
    _, days = newsvendor(DEMANDS)
    grid = np.linspace(0, 12, 1201)
    profits = np.array([3 * np.minimum(grid, d) - grid for d in DEMANDS.values()])
    weights = {"mon": 1, "tue": 1, "wed": 1, "thu": 5}
    shares = np.array([1, 1, 1, 5]) / 8
    ideal = 2 * np.array(list(DEMANDS.values()))[:, None]
    tail = np.sort(profits, axis=0)[:2].mean(axis=0)  # the worst half of four days
    for objective, expected in [
        (days.expected(), profits.mean(axis=0).max()),
        (days.expected(weights), (shares @ profits).max()),
        (days.worst(), profits.min(axis=0).max()),
        (days.worst(regret=True), (ideal - profits).max(axis=0).min()),
        (days.cvar(0.5), tail.max()),
        (days.cvar(1.0), profits.mean(axis=0).max()),
        (days.expected(regret=True), (ideal - profits).mean(axis=0).min()),
    ]:
        result = plan(days, objective).solve()
        assert result["plan"].value == pytest.approx(expected, abs=1e-9)
        assert [result[name].value for name in DEMANDS] == pytest.approx(list(2 * np.array(
            list(DEMANDS.values()))))  # fmt: skip


def test_leximin_over_scenarios_settles_the_worst_first():
    _, days = newsvendor(DEMANDS)
    levels = plan(days, days.leximin()).solve()["plan"].levels
    assert levels[0].value == pytest.approx(8.0)  # 4 are ordered and sold on every day
    assert sum(len(level.names) for level in levels) == 4


def test_minimax_regret_is_that_of_the_formulation():
    x = cp.Variable(2, bounds=[0, 10], name="x")
    demand = [x[0] + 2 * x[1] >= 8, 2 * x[0] + x[1] >= 8]
    goals = {"cost": cp.Minimize(3 * x[0] + x[1]), "fumes": cp.Minimize(x[0] + 4 * x[1])}
    both = lx.over(goals, lambda name, goal: (goal, demand))
    result = plan(both, both.worst(regret=True)).solve()
    assert result.final.value == pytest.approx(lx.minimax_regret(goals, demand).solve().final.value)
    assert len(both.constraints) == 2


def test_scenarios_run_on_workers_and_executors():
    _, days = newsvendor({f"day {k}": float(k) for k in range(1, 9)})
    program = plan(days, days.worst(regret=True))
    one = program.solve(workers=1).final.value
    with ThreadPoolExecutor(2) as pool:
        assert program.solve(executor=pool).final.value == pytest.approx(one)


def test_names_alone_problems_and_subproblems_are_taken():
    x = cp.Variable(name="x")
    stage = lx.over(["1", "2"], lambda name: cp.Problem(cp.Minimize(x), [x >= int(name)]))
    assert [p.name for p in stage.subproblems] == ["1", "2"]
    own = lx.over([3], lambda k: lx.Subproblem(f"case {k}", cp.Minimize(x), [x >= k]))
    assert lx.Program(own).solve()["case 3"].value == pytest.approx(3.0)


def test_mistakes_are_named():
    x = cp.Variable(name="x")
    with pytest.raises(lx.DeclarationError, match="at least one scenario"):
        lx.over({}, lambda name, data: cp.Minimize(x))
    with pytest.raises(lx.DeclarationError, match="scenario 'a': build returns"):
        lx.over(["a"], lambda name: 3)
    with pytest.raises(lx.DeclarationError, match="opposite senses"):
        lx.over([1, -1], lambda k: (cp.Minimize(x) if k > 0 else cp.Maximize(x), [x == 0]))
    stage = lx.over(["a", "b"], lambda name: (cp.Minimize(x), [x >= 0]))
    bad = [
        ({"c": 1}, "no scenario"),
        ({"a": 1}, "nothing of scenario 'b'"),
        ({"a": -1, "b": 1}, "at least 0"),
        ({"a": 0, "b": 0}, "weight 0"),
    ]
    for weights, said in bad:
        with pytest.raises(lx.DeclarationError, match=said):
            stage.expected(weights)
    with pytest.raises(lx.DeclarationError, match=r"\(0, 1\]"):
        stage.cvar(0)


# rtc-tools' example "ensemble": a reservoir, two forecasts, releases that are common for four days.
INFLOWS = {
    "forecast1": [0.60, 0.95, 1.20, 1.40, 1.56, 1.69, 1.81, 1.91, 2.00, 2.08, 2.16],
    "forecast2": [0.72, 1.15, 1.44, 1.68, 1.87, 2.03, 2.17, 2.29, 2.40, 2.50, 2.59],
}
DAY, FIRST, LOW, HIGH, COMMON = 86400.0, 4e5, 382552.000845, 420860.554886, 4


def test_the_ensemble_of_rtc_tools_has_its_optimum_by_formula_and_its_published_releases():
    shared = cp.Variable(COMMON, bounds=[0, 6], name="release of all")
    unit = 1e4
    release, missed = {}, {}

    def forecast(name, inflow):
        own = cp.Variable(11 - COMMON, bounds=[0, 6], name=f"release of {name}")
        volume = cp.Variable(11, bounds=[2e5 / unit, 6e5 / unit], name=f"volume of {name}")
        release[name] = cp.hstack([shared, own])
        flow = DAY / unit * cp.cumsum(np.array(inflow) - release[name])
        missed[name] = cp.pos(volume - HIGH / unit) + cp.pos(LOW / unit - volume)
        return cp.Minimize(cp.sum_squares(missed[name])), [volume == FIRST / unit + flow]

    members = lx.over(INFLOWS, forecast)
    level = lx.Subproblem("level", members.expected(), members.constraints)
    total = sum(0.5 * cp.sum(release[name]) for name in INFLOWS)
    little = lx.Subproblem(
        "release", cp.Minimize(total), [*members.constraints, level.held(rtol=1e-6)]
    )
    result = lx.Program(members, lx.Stage("level", level), lx.Stage("release", little)).solve()
    assert [result[name].value for name in INFLOWS] == pytest.approx([0, 0], abs=1e-6)
    # While releases are common the two volumes drift apart, and what the band cannot take is
    # split evenly.
    apart = DAY * np.cumsum(np.diff(list(INFLOWS.values()), axis=0)[0])[:COMMON]
    halves = np.maximum(apart - (HIGH - LOW), 0.0) / 2 / unit
    assert result["level"].value == pytest.approx(float(halves @ halves), rel=1e-5)
    # Both end with the reservoir full; rtc-tools' own table sums up to 17.118 and 20.598.
    sums = [float(result.final.at(cp.sum(release[name]))) for name in INFLOWS]
    full = [sum(INFLOWS[name]) + (FIRST - HIGH) / DAY for name in INFLOWS]
    assert sums == pytest.approx(full, abs=1e-3)
    assert sums == pytest.approx([17.118310, 20.598488], abs=2e-3)
