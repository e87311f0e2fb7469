"""Gradients of hierarchies against differences of optima that are solved anew."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


def differences(program, parameter, of, step=1e-4):
    """Central differences, a full solve for every entry and side."""
    base = np.array(parameter.value, dtype=float)
    out = np.zeros(base.size)
    for k in range(base.size):
        found = []
        for side in (step, -step):
            moved = np.ravel(base, order="F").copy()
            moved[k] += side
            parameter.value = np.reshape(moved, base.shape, order="F")
            found.append(program.solve()[of].value)
        out[k] = (found[0] - found[1]) / (2 * step)
    parameter.value = base
    return np.reshape(out, base.shape, order="F")


def linear(rng):
    """Two ideals and a compromise: references to optima, data in rows, costs and limits."""
    x, worst = cp.Variable(5, bounds=[0, 4], name="x"), cp.Variable(name="worst")
    rows, demand = cp.Parameter((3, 5), name="rows"), cp.Parameter(3, name="demand")
    cost = cp.Parameter(5, name="cost")
    rows.value, demand.value = rng.uniform(0.5, 2, (3, 5)), rng.uniform(3, 5, 3)
    cost.value = rng.uniform(1, 3, 5)
    other = rng.uniform(1, 3, 5)
    needed = [rows @ x >= demand]
    cheap = lx.Subproblem("cheap", cp.Minimize(cost @ x), needed)
    clean = lx.Subproblem("clean", cp.Minimize(other @ x), needed)
    both = [cost @ x <= cheap.optimum + worst, other @ x <= clean.optimum + worst]
    fair = lx.Subproblem("fair", cp.Minimize(worst), needed + both)
    return lx.Program(lx.Stage("ideal", cheap, clean), lx.Stage("fair", fair)), "fair"


def held(rng, **tolerance):
    """A chain of linear levels."""
    x = cp.Variable(5, bounds=[0, 4], name="x")
    demand, cost = cp.Parameter(2, name="demand"), cp.Parameter(5, name="cost")
    demand.value, cost.value = rng.uniform(3, 5, 2), np.round(rng.uniform(1, 3, 5))
    levels = {
        "a": cp.Minimize(np.array([1.0, 1.0, 1.0, 2.0, 2.0]) @ x),
        "b": cp.Maximize(rng.uniform(1, 3, 5) @ x),
        "c": cp.Minimize(cost @ x),
    }
    rows = np.array([[1.0, 1.0, 1.0, 1.0, 2.0], [1.0, 1.0, 1.0, 3.0, 1.0]])
    return lx.preemptive(levels, [rows @ x >= demand], **tolerance), "c"


def held_exactly(rng):
    return held(rng)


def held_loosely(rng):
    return held(rng, rtol={"a": 0.1}, atol={"b": 0.2})


def points(rng):
    """A later problem stays near an earlier point, which stays near a target."""
    x, y = cp.Variable(4, nonneg=True, name="x"), cp.Variable(4, name="y")
    aim, total = cp.Parameter(4, name="aim"), cp.Parameter(name="total")
    aim.value, total.value = rng.uniform(0, 2, 4), 3.0
    near = lx.Subproblem("near", cp.Minimize(cp.sum_squares(x - aim)), [cp.sum(x) == total])
    weights = rng.uniform(1, 2, (2, 4))
    then = lx.Subproblem(
        "then", cp.Minimize(cp.sum_squares(y - near.at(cp.square(x)))), [weights @ y <= 1]
    )
    return lx.Program(lx.Stage("one", near), lx.Stage("two", then)), "then"


def prices(rng):
    """A later problem pays an earlier one's multipliers."""
    x, y = cp.Variable(4, nonneg=True, name="x"), cp.Variable(2, name="y")
    aim, least = cp.Parameter(4, name="aim"), cp.Parameter(2, name="least")
    aim.value, least.value = rng.uniform(0, 1, 4), rng.uniform(5, 6, 2)
    rows = rng.uniform(0.5, 1.5, (2, 4))
    enough = rows @ x >= least
    make = lx.Subproblem("make", cp.Minimize(cp.sum_squares(x - aim)), [enough])
    pay = lx.Subproblem("pay", cp.Minimize(make.dual(enough) @ y + cp.sum_squares(y)), [y >= -0.1])
    return lx.Program(lx.Stage("one", make), lx.Stage("two", pay)), "pay"


def balls(rng):
    """Second-order cones: the farthest point of a ball, then the way from it to a halfspace."""
    x, y = cp.Variable(3, name="x"), cp.Variable(3, name="y")
    radius, centre = cp.Parameter(nonneg=True, name="radius"), cp.Parameter(3, name="centre")
    radius.value, centre.value = 1.5, rng.uniform(-1, 1, 3)
    strategy = rng.uniform(0.5, 1, 3)
    far = lx.Subproblem("far", cp.Maximize(strategy @ x), [cp.norm(x - centre) <= radius])
    back = lx.Subproblem("back", cp.Minimize(cp.norm(y - far.at(x))), [strategy @ y <= -1])
    last = lx.Subproblem(
        "last", cp.Maximize(y[0]), [cp.norm(y - centre) <= back.optimum + far.optimum]
    )
    return lx.Program(lx.Stage("1", far), lx.Stage("2", back), lx.Stage("3", last)), "last"


def curve_held(rng):
    """A curved level that is held exactly, then one on what is left."""
    x, aim = cp.Variable(4, bounds=[0, 5], name="x"), cp.Parameter(2, name="aim")
    aim.value = rng.uniform(1, 3, 2)
    levels = {
        "near": cp.Minimize(cp.sum_squares(x[:2] - aim)),
        "cost": cp.Minimize(rng.uniform(1, 2, 4) @ x),
    }
    return lx.preemptive(levels, [cp.sum(x) >= 8, x[0] + x[1] <= 3]), "cost"


def logarithms(rng):
    x, amount = cp.Variable(3, name="x"), cp.Parameter(name="amount", value=4.0)
    worth = rng.uniform(1, 2, 3)
    share = lx.Subproblem("share", cp.Maximize(worth @ cp.log(x)), [cp.sum(x) <= amount])
    return lx.Program(lx.Stage("only", share)), "share"


MAKERS = {
    make.__name__: make
    for make in (
        linear, held_exactly, held_loosely, points, prices, balls, curve_held, logarithms,
    )
}  # fmt: skip


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_gradients_are_differences_of_optima(kind, seed):
    program, of = MAKERS[kind](np.random.default_rng(seed))
    result = program.solve()
    parameters = {p.id: p for s in program.subproblems.values() for p in s.parameters}
    for parameter in parameters.values():
        found = result.gradient(parameter, of=of)
        assert found.shape == parameter.shape
        wanted = differences(program, parameter, of)
        assert found == pytest.approx(wanted, abs=2e-4, rel=2e-4), parameter.name()


@pytest.mark.parametrize("name", ["cost", "dual(1)"])
def test_what_a_reference_is_does_not_hang_on_names(name):
    x, y = cp.Variable(3, bounds=[0, 5], name="x"), cp.Variable(name="y")
    aim = cp.Parameter(2, name="aim", value=np.array([1.2, 2.3]))
    near = lx.Subproblem("near", cp.Minimize(cp.sum_squares(x[:2] - aim)))
    cost = cp.Minimize(x[0] + 2 * x[1] + cp.square(x[2] - 1))
    held = lx.Subproblem(name, cost, [near.held()])
    last = lx.Subproblem("last", cp.Minimize(cp.square(y - held.at(x[2] + x[0]))), [y >= 3])
    program = lx.Program(lx.Stage("1", near), lx.Stage("2", held), lx.Stage("3", last))
    # y = 3 and x = (1.2, 2.3, 1): the optimum is (3 - 1 - aim[0])^2.
    slopes = program.solve().gradient(aim, of="last")
    assert slopes == pytest.approx([-1.6, 0.0], abs=1e-6)
