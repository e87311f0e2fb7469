"""What slack on one level buys: against solving each tolerance from scratch."""

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog

import lexiprog as lx


def near(wanted, size=1e-6):
    return pytest.approx(wanted, abs=size, rel=size)


STEPS = [0.0, 0.1, 0.5, 2.0, 1.0, 30.0, 0.0]


def linear(atol=0.0):
    rng = np.random.default_rng(5)
    x = cp.Variable(6, bounds=[0, 9], name="x")
    levels = {
        name: cp.Minimize(cost @ x)
        for name, cost in zip("abcd", rng.integers(-2, 5, (4, 6)), strict=True)
    }
    return lx.preemptive(levels, [rng.integers(0, 4, (5, 6)) @ x >= 12], atol=atol)


def quadratic(atol=0.0):
    x = cp.Variable(3, bounds=[0, 9], name="x")
    levels = {
        "a": cp.Minimize(3 * x[0] + x[1] + x[2]),
        "b": cp.Minimize(cp.sum_squares(x - np.array([5.0, 4.0, 1.0]))),
    }
    return lx.preemptive(levels, [cp.sum(x) >= 2], atol=atol)


def curved(atol=0.0):
    x = cp.Variable(2, bounds=[0, 9], name="x")
    levels = {"a": cp.Minimize(cp.sum_squares(x - 2)), "b": cp.Maximize(x[0] + 2 * x[1])}
    return lx.preemptive(levels, atol=atol)


def integer(atol=0.0):
    rng = np.random.default_rng(8)
    weight, value, other = rng.integers(1, 12, (3, 12))
    take = cp.Variable(12, boolean=True, name="take")
    levels = {"a": cp.Maximize(value @ take), "b": cp.Maximize(other @ take)}
    return lx.preemptive(levels, [weight @ take <= 30], atol=atol)


MAKERS = {make.__name__: make for make in (linear, quadratic, curved, integer)}


@pytest.mark.parametrize("kind", MAKERS)
def test_each_row_is_what_solving_that_tolerance_from_scratch_gives(kind):
    table = lx.tradeoff(MAKERS[kind](), "a", STEPS)
    assert table.tolerances == tuple(STEPS)
    for k, step in enumerate(STEPS):
        scratch = MAKERS[kind](atol={"a": step}).solve()
        for name, values in table.values.items():
            assert values[k] == near(scratch[name].value, 1e-5), (name, step)


def test_linear_rows_agree_with_linprog():
    rng = np.random.default_rng(5)
    costs, rows = rng.integers(-2, 5, (4, 6)), rng.integers(0, 4, (5, 6))
    table = lx.tradeoff(linear(), "a", STEPS)
    best = linprog(costs[0], -rows, np.full(5, -12.0), bounds=(0, 9)).fun
    for k, step in enumerate(STEPS):
        matrix, sides = np.vstack([-rows, costs[0]]), np.append(np.full(5, -12.0), best + step)
        assert table.values["b"][k] == near(linprog(costs[1], matrix, sides, bounds=(0, 9)).fun)


@pytest.mark.parametrize("kind", MAKERS)
def test_more_slack_helps_the_next_level_and_never_hurts_it(kind):
    steps = sorted(STEPS)
    program = MAKERS[kind]()
    values = np.array(lx.tradeoff(program, "a", steps).values["b"])
    gains = np.diff(values if program["b"].maximise else -values)
    assert (gains >= -1e-6).all()
    assert gains.max() > 0.1


@pytest.mark.parametrize("kind", MAKERS)
def test_what_was_given_up_is_what_the_last_point_lacks_and_lies_within_the_tolerance(kind):
    program = MAKERS[kind]()
    table = lx.tradeoff(program, "a", STEPS)
    held = program["a"]
    for given_up, step, result in zip(table.given_up, STEPS, table.results, strict=True):
        lacks = float(result.final.at(held.objective.expr)) - result["a"].value
        assert given_up == near(-lacks if held.maximise else lacks)
        assert -1e-9 <= given_up <= step + 1e-6
    assert max(table.given_up) > 0.1


def test_slack_on_a_later_level_leaves_the_earlier_ones_alone():
    table = lx.tradeoff(linear(), "b", [0.0, 1.0])
    assert list(table.values) == ["c", "d"]
    exact = linear().solve()
    for result in table.results:
        assert result["a"].value == near(exact["a"].value)
        assert result["b"].value == near(exact["b"].value)
        first = {lock.name: lock for lock in result["d"].locks}["a"]
        assert first.drift <= 1e-6


def test_tolerances_take_the_place_of_those_declared():
    declared = lx.tradeoff(linear(atol={"a": 0.7}), "a", [0.0, 2.0]).values["b"]
    assert declared == near([linear(atol={"a": step}).solve()["b"].value for step in (0.0, 2.0)])


def test_a_solver_can_be_chosen_for_all_or_by_name():
    wanted = lx.tradeoff(linear(), "a", STEPS[:3]).values
    for solver in ("CLARABEL", {"a": "CLARABEL", "c": "CLARABEL"}):
        table = lx.tradeoff(linear(), "a", STEPS[:3], solver=solver)
        for name, values in wanted.items():
            assert table.values[name] == near(values, 1e-5)
        assert table.results[0]["a"].solver == "CLARABEL"
    assert table.results[0]["b"].solver == "HIGHS"


def xpress08():
    """GAMS test library, xpress08: slack of 0.5 and 1.5 on x buys 1 and 1.5 of y."""
    x, y = cp.Variable(nonneg=True, name="x"), cp.Variable(nonneg=True, name="y")
    levels = {"x": cp.Maximize(x), "y": cp.Maximize(y)}
    return lx.preemptive(levels, [2 * x + y <= 3, 0.5 * x + y <= 1.5])


def test_the_table_reads_well():
    table = lx.tradeoff(xpress08(), "x", [0, 0.5, 1.5])
    lines = [line.split() for line in str(table).splitlines()]
    assert lines == [["tolerance", "on", "x", "y"], ["0", "0"], ["0.5", "1"], ["1.5", "1.5"]]


def test_the_frame_has_a_row_for_each_tolerance():
    frame = lx.tradeoff(xpress08(), "x", [0, 0.5, 1.5]).to_frame()
    assert list(frame.columns) == ["given up", "y"]
    assert frame.index.name == "tolerance"
    assert frame["y"].tolist() == near([0, 1, 1.5])
    assert frame["given up"].tolist() == near([0, 0.5, 1.5])


def test_no_tolerances_make_an_empty_table():
    table = lx.tradeoff(xpress08(), "x", [])
    assert table.values == {"y": ()}


def test_an_unknown_level_is_refused_with_the_known_ones():
    with pytest.raises(KeyError, match=r"'z'.*'x', 'y'"):
        lx.tradeoff(xpress08(), "z", [0])


def test_a_level_that_nobody_holds_is_refused():
    with pytest.raises(lx.DeclarationError, match="no later subproblem holds 'y'"):
        lx.tradeoff(xpress08(), "y", [0])


@pytest.mark.parametrize("step", [-1.0, float("nan"), float("inf")])
def test_a_tolerance_that_is_none_is_refused(step):
    with pytest.raises(lx.DeclarationError, match=f"tolerance.*{step}"):
        lx.tradeoff(xpress08(), "x", [0.0, step])


def test_a_tolerance_that_is_no_number_is_refused():
    with pytest.raises((lx.DeclarationError, ValueError, TypeError), match="much"):
        lx.tradeoff(xpress08(), "x", [0.0, "much"])


def test_the_program_itself_is_unchanged():
    program = xpress08()
    lx.tradeoff(program, "x", [1.5])
    assert program.solve().final.value == near(0)
