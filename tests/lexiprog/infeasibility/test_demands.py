"""What a subproblem asks, demand by demand: parts of it say what the whole says, and no more."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.infeasibility.demands import Demand, asked_by, elastic, whole


def asked(*variables, constraints=(), gp=False):
    goal = sum(cp.sum(v) for v in variables)
    return asked_by(lx.Subproblem("p", cp.Minimize(goal), list(constraints), gp=gp))


def least(constraints, variable):
    """The least of each entry under some constraints, one by one."""
    out = np.empty(variable.shape)
    for place in np.ndindex(*variable.shape):
        problem = cp.Problem(cp.Minimize(variable[place]), list(constraints))
        out[place] = problem.solve(solver="HIGHS")
    return out


def test_bounds_of_all_kinds_are_demands_of_a_variable_without_them():
    given = {
        "nonneg": ["v >= 0"], "nonpos": ["v <= 0"], "pos": ["v >= 0"], "neg": ["v <= 0"],
        "boolean": ["v >= 0", "v <= 1"],
    }  # fmt: skip
    for attribute, texts in given.items():
        found = asked(cp.Variable(2, name="v", **{attribute: True}))
        assert [bound.text for bound in found.bounds] == texts, attribute
        assert not any(found.variables[0].attributes[name] for name in given)
        assert whole(found.variables[0]) is (attribute == "boolean")
    found = asked(cp.Variable(2, name="v", bounds=[-1, np.array([2.0, np.inf])]))
    assert [(bound.text, bound.entries) for bound in found.bounds] == [
        ("v >= -1", None),
        ("v <= 2", (0,)),
    ]
    assert asked(cp.Variable(2, name="v", bounds=[-np.inf, np.inf])).bounds == ()
    several = asked(cp.Variable(2, name="v", bounds=[np.array([1.0, 2.0]), 9]))
    assert several.bounds[0].text == "v >= its bounds"
    plain = cp.Variable(2, name="v")
    assert asked(plain).variables[0] is plain


def test_bounds_bind_what_they_bound():
    lower = np.array([[1.0, -np.inf, 3.0], [4.0, 5.0, 6.0]])
    found = asked(cp.Variable((2, 3), name="v", bounds=[lower, None]))
    (variable,), (bound,) = found.variables, found.bounds
    wanted = np.where(np.isfinite(lower), lower, -50.0)
    assert least([bound.stated(), variable >= -50], variable) == pytest.approx(wanted)


def test_a_boolean_entry_is_bounded_where_it_is_one():
    found = asked(cp.Variable((2, 2), name="v", boolean=[(0,), (1,)]))
    (variable,) = found.variables
    assert [bound.entries for bound in found.bounds] == [(1,), (1,)]
    limits = [bound.stated() for bound in found.bounds]
    assert least([*limits, variable >= -5], variable) == pytest.approx(
        np.array([[-5, 0], [-5, -5]])
    )


@pytest.mark.parametrize("equal", [False, True])
def test_a_part_of_a_demand_asks_for_its_entries_row_by_row(equal):
    x = cp.Variable((2, 2), name="x")
    side = np.array([[1.0, 2.0], [3.0, 4.0]])
    demand = Demand(x == side if equal else x >= side, "x", 0)
    assert demand.entrywise
    assert demand.all_entries == (0, 1, 2, 3)
    part = demand.only([1, 2])
    assert part.all_entries == (1, 2)
    assert least([part.stated(), x >= -9], x) == pytest.approx(np.array([[-9, 2], [3, -9]]))
    assert demand.stated() is demand.constraint


def test_what_has_one_entry_or_is_a_cone_has_no_parts():
    x = cp.Variable(3, name="x")
    for constraint in (cp.sum(x) >= 1, cp.SOC(x[0], x[1:])):
        demand = Demand(constraint, "c", 0, entries=(0,))
        assert not demand.entrywise
        assert demand.stated() is constraint
    z = cp.Variable(2, complex=True, name="z")
    assert not Demand(z == 1, "z").entrywise


def miss(demand):
    """The least slack with which a demand can be met."""
    slack = cp.Variable(nonneg=True)
    stated = elastic(demand, slack)
    return cp.Problem(cp.Minimize(slack), stated).solve(solver="CLARABEL") if stated else None


def test_the_least_slack_of_a_demand_is_what_it_misses():
    x = cp.Variable(2, name="x")
    for constraint, wanted in [
        (0 * x[0] + 3 <= 1, 2.0),
        (0 * x + np.array([3.0, 4.0]) == 1, 3.0),
        (0 * x[0] + 3 == 5, 2.0),
        (0 * x[0] * np.eye(2) + np.diag([1.0, -4.0]) >> 0, 4.0),
        (cp.SOC(0 * x[0] + 1, 0 * x + np.array([3.0, 4.0])), 4.0),
    ]:
        assert miss(Demand(constraint, "c")) == pytest.approx(wanted, abs=1e-6)
    # exp(1 - s) <= 2 + s at y = 1 + s, the least s by bisection.
    cone = cp.ExpCone(0 * x[0] + 1, 0 * x[0] + 1, 0 * x[0] + 2)
    found = miss(Demand(cone, "c"))
    assert (1 + found) * np.exp((1 - found) / (1 + found)) == pytest.approx(2 + found, abs=1e-5)


def test_kinds_without_a_natural_slack_have_none():
    z, x = cp.Variable(2, complex=True, name="z"), cp.Variable((2, 2), name="x")
    assert elastic(Demand(z == 1, "z"), cp.Variable()) == []
    assert elastic(Demand(cp.SOC(x[:, 0], x, axis=1), "rows"), cp.Variable()) == []


def test_without_their_integers_demands_ask_for_the_rest():
    n = cp.Variable(2, name="n", integer=True)
    m = cp.Variable(name="m", boolean=True)
    found = asked(n, m, constraints=[2 * cp.sum(n) + m >= 3])
    assert len(found.integers) == 2
    broken = found.without_integers(found.integers[:1])
    assert [whole(v) for v in broken.variables] == [False, True]
    assert [broken.names[v.id] for v in broken.variables] == ["n", "m"]
    used = {v.id for v in broken.constraints[0].constraint.variables()}
    assert used == {v.id for v in broken.variables}
    all_broken = found.without_integers(found.integers)
    assert all_broken.integers == ()
    least_sum = cp.Problem(
        cp.Minimize(cp.sum(all_broken.variables[0])),
        [d.stated() for d in (*all_broken.constraints, *all_broken.bounds)],
    ).solve(solver="HIGHS")
    assert least_sum == pytest.approx(1.0)


def test_where_rules_need_a_sign_or_logarithms_are_meant_bounds_stay():
    x, y = cp.Variable(name="x", nonneg=True), cp.Variable(name="y", pos=True)
    curved = asked(x, constraints=[cp.square(x + 1) <= 4, cp.square(cp.square(x)) <= 8])
    assert curved.variables[0] is not x  # all of it is convex without the sign
    signed = asked(x, constraints=[cp.power(x + 0, 3) <= 8, cp.square(cp.sum(x) + 1) <= 4])
    assert len(signed.constraints) == 2
    root = asked(y, constraints=[y >= 2], gp=True)
    assert root.variables[0] is y
    assert (root.bounds, root.constraints[0].position) == ((), 0)
