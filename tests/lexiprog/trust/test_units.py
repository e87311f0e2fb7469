"""Units don't matter: whatever multiplies objective, rows and variables divides the answers.

Every class of problems has one whose optimum, point and multipliers are known by hand.
"""

import os
from dataclasses import dataclass

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import lexiprog as lx


@dataclass(frozen=True)
class Known:
    """An objective and a constraint in x, and what is known of them."""

    objective: object  # of x
    constraint: object  # of x and the factor of the row
    value: float
    point: tuple
    dual: object
    sense: object = cp.Minimize
    others: object = staticmethod(lambda x: [])
    gp: bool = False
    integer: tuple = ()
    solver: str | None = None


# Every example is a compilation and a solve, and the extremes are among the explicit ones.
many = settings(max_examples=200 if os.environ.get("LEXIPROG_PROFILE") == "nightly" else 8)

MATRIX = np.array([[2.0, 1.0], [1.0, 2.0]])
CLASSES = {
    "LP": Known(
        lambda x: 2 * x[0] + 3 * x[1],
        lambda x, r: r * (x[0] + x[1]) >= 4 * r,
        9.0, (3.0, 1.0), 3.0, others=lambda x: [x[0] <= 3, x >= 0],
    ),
    "QP": Known(
        lambda x: cp.square(x[0] - 1) + cp.square(x[1] - 2),
        lambda x, r: r * (x[0] + x[1]) >= 4 * r,
        0.5, (1.5, 2.5), 1.0,
    ),
    "SOCP": Known(
        lambda x: x[0] + x[1],
        lambda x, r: r * cp.norm(x) <= r,
        -np.sqrt(2), (-np.sqrt(0.5), -np.sqrt(0.5)), np.sqrt(2),
    ),
    "SDP": Known(
        lambda x: x[0] + x[1],
        lambda x, r: r * (x[0] * np.eye(2) - MATRIX) >> 0,
        3.5, (3.0, 0.5), np.full((2, 2), 0.5), others=lambda x: [x[1] >= 0.5],
    ),
    "exponential": Known(
        lambda x: x[1],
        lambda x, r: r * cp.exp(x[0]) <= r * x[1],
        np.e, (1.0, np.e), 1.0, others=lambda x: [x[0] >= 1],
    ),
    "power": Known(
        lambda x: x[0] + x[1],
        lambda x, r: r * cp.power(x[0], 1 / 3) >= 2 * r,
        9.0, (8.0, 1.0), 12.0, others=lambda x: [x[1] >= 1],
    ),
    "MILP": Known(
        lambda x: 5 * x[0] + 4 * x[1],
        lambda x, r: r * (6 * x[0] + 4 * x[1]) <= 26 * r,
        23.0, (3.0, 2.0), None, cp.Maximize, others=lambda x: [x[0] <= 3.5, x[1] <= 2, x >= 0],
        integer=(1,),
    ),
    "GP": Known(
        lambda x: x[0] + x[1],
        lambda x, r: r * x[0] * x[1] >= 4 * r,
        4.0, (2.0, 2.0), None, gp=True,
    ),
    "MIQP": Known(
        lambda x: cp.square(x[0] - 1.3) + cp.square(x[1] - 0.7),
        lambda x, r: r * (x[0] + x[1]) >= 2 * r,
        0.09, (1.3, 1.0), None, integer=(1,),
    ),
    "MISOCP": Known(
        lambda x: cp.norm(x - np.array([1.0, 0.6])),
        lambda x, r: r * x[0] >= r,
        0.4, (1.0, 1.0), None, integer=(1,),
    ),
}  # fmt: skip


def in_units(known, cost, row, units):
    """The program with everything multiplied, its variables and the constraint in question."""
    units = [1.0 if k in known.integer else unit for k, unit in enumerate(units)]
    kinds = [{"integer": k in known.integer, "pos": known.gp} for k in range(2)]
    variables = [cp.Variable(name=f"x{k}", **kind) for k, kind in enumerate(kinds)]
    x = [v * (1 / unit) for v, unit in zip(variables, units, strict=True)]
    x = x if known.gp else cp.hstack(x)
    constraint = known.constraint(x, row)
    objective = known.sense(cost * known.objective(x))
    subproblem = lx.Subproblem("p", objective, [constraint, *known.others(x)], gp=known.gp)
    return lx.Program(lx.Stage("only", subproblem)), variables, constraint, units


@pytest.mark.parametrize("name", CLASSES)
@many
@given(
    cost=st.integers(-12, 12), row=st.integers(-9, 9),
    units=st.tuples(st.integers(-9, 9), st.integers(-9, 9)),
    which=st.sampled_from(["cost", "row", "units"]),
)  # fmt: skip
@example(cost=-12, row=0, units=(0, 0), which="cost")
@example(cost=12, row=0, units=(0, 0), which="cost")
@example(cost=0, row=-9, units=(0, 0), which="row")
@example(cost=0, row=9, units=(0, 0), which="row")
@example(cost=0, row=0, units=(-9, 9), which="units")
@example(cost=0, row=0, units=(9, 9), which="units")
def test_no_answer_depends_on_units(name, cost, row, units, which):
    known = CLASSES[name]
    cost = 10.0 ** (cost if which == "cost" else 0)
    row = 10.0 ** (row if which == "row" else 0)
    program, variables, constraint, units = in_units(
        known, cost, row, [10.0 ** (unit if which == "units" else 0) for unit in units]
    )
    found = program.solve()["p"]
    assert found.status == "optimal"
    assert found.value / cost == pytest.approx(known.value, rel=2e-6)
    assert found.bound / cost == pytest.approx(known.value, rel=2e-6)
    point = [float(found[v]) / unit for v, unit in zip(variables, units, strict=True)]
    assert point == pytest.approx(known.point, rel=1e-3, abs=1e-3)
    if known.dual is not None:
        assert found.dual(constraint) * row / cost == pytest.approx(known.dual, rel=1e-3, abs=1e-3)


@many
@given(cost=st.integers(-12, 12), unit=st.integers(-9, 9), row=st.integers(-9, 9))
@example(cost=-12, unit=0, row=0)
@example(cost=12, unit=0, row=0)
@example(cost=0, unit=-9, row=0)
@example(cost=0, unit=9, row=9)
def test_no_price_depends_on_units(cost, unit, row):
    """The cheapest of 2a + 3b with a + b >= 4, then the least a: a unit of cost buys one of a."""
    cost, unit, row = 10.0**cost, 10.0**unit, 10.0**row
    y = cp.Variable(2, nonneg=True, name="y")
    x = y / unit
    levels = {"cost": cp.Minimize(cost * (2 * x[0] + 3 * x[1])), "a": cp.Minimize(y[0])}
    found = lx.preemptive(levels, [row * (x[0] + x[1]) >= 4 * row, x <= 9]).solve()["a"]
    assert found.status == "optimal"
    assert found.value / unit == pytest.approx(4.0, rel=1e-6)
    assert found.price("cost") * cost / unit == pytest.approx(1.0, rel=1e-5)


@pytest.mark.parametrize("thousands", [-1, 0, 1, 2])
def test_the_least_risk_is_not_blurred_by_the_unit_of_the_budget(thousands):
    """In pairs of equal risk, of which the second stage buys the better one."""
    budget = 1e3**thousands
    deviations, returns = np.array([0.3, 0.1]), np.array([[0.11, 0.2], [0.07, 0.02]])
    x = cp.Variable((2, 2), nonneg=True, name="x")
    risk = cp.sum_squares(cp.multiply(deviations, cp.sum(x, axis=1)))
    levels = {"risk": cp.Minimize(risk), "return": cp.Maximize(cp.sum(cp.multiply(returns, x)))}
    found = lx.preemptive(levels, [cp.sum(x) == budget]).solve()
    assert [s.status for s in found.values()] == ["optimal"] * 2
    assert found["risk"].value == pytest.approx(0.009 * budget**2, rel=1e-6)
    assert found["return"].value == pytest.approx(0.083 * budget, rel=1e-6)


def test_shares_in_any_units_are_known_to_all_digits():
    """Proportional shares of a budget, each good in units of its own, and then what they cost."""
    weights, units, budget = np.array([1.0, 9.0, 4.0]), np.array([1e-3, 1.0, 1e2]), 1e-3
    best = budget * weights / weights.sum() / units
    other = np.array([1.0, -0.4, 0.7]) * units
    x = cp.Variable(3, name="x")
    levels = {"shares": cp.Maximize(weights @ cp.log(x)), "other": cp.Minimize(other @ x)}
    found = lx.preemptive(levels, [units @ x <= budget]).solve()
    assert [s.status for s in found.values()] == ["optimal"] * 2
    assert found["shares"].value == pytest.approx(weights @ np.log(best), rel=1e-9)
    assert found["other"].value == pytest.approx(other @ best, rel=1e-9)


def test_coefficients_that_come_to_nothing_choose_no_units():
    """Where leftovers of sums are all that a bounded column has, its cost counts as others do.

    In the column's own units they would be ones, and its cost 1e16.
    """
    x = cp.Variable(4, name="x", bounds=[np.array([-4, -5, -1, -5]), np.array([8, 3, 5, 6])])
    rows = np.array([[2.0, 2.0, 5.0, -2.8e-17], [2.0**-52, 6.0, 0.0, 8e-16]])
    levels = {
        "first": cp.Maximize(np.array([4.0, 2.0, 0.0, 3.0]) @ x),
        "then": cp.Maximize(np.array([1.0, 4.0, 3.0, 0.0]) @ x),
    }
    found = lx.preemptive(levels, [rows @ x <= np.array([24.0, 15.0])]).solve()
    assert [s.value for s in found.values()] == pytest.approx([55.0, 19.8], rel=1e-12)
    assert found.final.at(levels["first"].expr) == pytest.approx(55.0, rel=1e-12)


@pytest.mark.parametrize("short", [1e-11, -1e-9])
def test_computed_numbers_that_contradict_each_other_by_little_are_refused(short):
    factors = [0.3048, 12.0, 0.45359237]
    x = cp.Variable(4, bounds=[0, np.inf], name="x")
    chain = [x[k + 1] == factor * x[k] for k, factor in enumerate(factors)]
    limit = float(np.prod(factors)) * 137.0 * (1.0 - short)
    program = lx.preemptive({"last": cp.Maximize(x[3])}, [x[0] >= 137, *chain, x[3] <= limit])
    if short < 0.0:
        assert program.solve().final.value == pytest.approx(limit, rel=1e-13)
        return
    with pytest.raises(lx.StageError, match="no certified optimum"):
        program.solve()


@pytest.mark.parametrize("sense", [cp.Minimize, cp.Maximize])
def test_the_interval_allows_for_rows_that_are_missed_by_rounding(sense):
    """Of two rows that differ in the ninth digit the rounding is worth 1e8 times as much."""
    x = cp.Variable(4, name="x", bounds=[-50, 50])
    a, c = np.array([5.0, 1.0, 4.0, 2.0]), np.array([5.0, -1.0, 4.0, -4.0])
    near = np.array([4.999999997, 1.0, 4.0, 2.000000003])
    rows = [a @ x == 16, near @ x == 15.999999992, np.array([3, 2, 2, -1]) @ x <= 28]
    objective = (c if sense is cp.Minimize else -c) @ x
    found = lx.preemptive({"only": sense(objective)}, rows).solve().final
    exact = lx.preemptive({"only": sense(objective)}, rows).solve("EXACT").final.value
    low, high = found.certificate.interval
    assert found.value != exact
    assert low <= exact <= high
