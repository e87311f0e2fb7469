"""Scenario by scenario: against solving each one by itself, and against SciPy."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog

import lexiprog as lx
from lexiprog.scenarios import parameters as scenarios


def linear(rng):
    """A chain of levels held by their faces, costs and limits varying."""
    x = cp.Variable(6, bounds=[0, 9], name="x")
    demand, cost = cp.Parameter(4, name="demand"), cp.Parameter(6, name="cost")
    levels = {
        "a": cp.Minimize(cost @ x),
        "b": cp.Minimize(rng.integers(-2, 5, 6) @ x),
        "c": cp.Maximize(x[0] - x[1]),
    }
    program = lx.preemptive(levels, [rng.integers(0, 4, (4, 6)) @ x >= demand])
    return program, {
        demand: list(10 + rng.uniform(-2, 2, (9, 4))),
        cost: list(np.round(2 + rng.uniform(-1, 1, (9, 6)), 1)),
    }


def with_points(rng):
    """Later problems use an earlier point, which need not be the only one, and a multiplier."""
    x, y = cp.Variable(3, bounds=[0, 5], name="x"), cp.Variable(3, name="y")
    demand = cp.Parameter(name="demand")
    enough = cp.sum(x) >= demand
    first = lx.Subproblem("first", cp.Minimize(x[0] + x[1] + 2 * x[2]), [enough])
    near = lx.Subproblem("near", cp.Minimize(cp.norm1(y - first.at(x))), [y[0] >= y[1] + 1])
    prices = lx.Subproblem("prices", cp.Minimize(cp.sum(y)), [y >= first.dual(enough)])
    program = lx.Program(lx.Stage("one", first), lx.Stage("two", near, prices))
    return program, {demand: list(np.round(rng.uniform(1, 14, 9), 1))}


def matrices(rng):
    """The matrix of a linear problem varies."""
    x = cp.Variable(4, bounds=[0, 9], name="x")
    rows = cp.Parameter((3, 4), name="rows")
    program = lx.preemptive(
        {"a": cp.Minimize(cp.sum(x)), "b": cp.Maximize(x[0])}, [rows @ x >= 6], atol={"a": 0.5}
    )
    return program, {rows: list(rng.uniform(0.5, 2, (7, 3, 4)))}


def quadratic(rng):
    x = cp.Variable(3, bounds=[0, 9], name="x")
    aim, least = cp.Parameter(3, name="aim"), cp.Parameter(name="least")
    levels = {
        "a": cp.Minimize(3 * x[0] + x[1] + x[2]),
        "b": cp.Minimize(cp.sum_squares(x - aim)),
    }
    program = lx.preemptive(levels, [cp.sum(x) >= least], atol={"a": 1.0})
    return program, {aim: list(rng.uniform(0, 5, (6, 3))), least: rng.uniform(2, 6, 6)}


def conic(rng):
    x = cp.Variable(3, name="x")
    radius = cp.Parameter(nonneg=True, name="radius")
    ball = lx.Subproblem("ball", cp.Maximize(x[0] + 2 * x[1]), [cp.norm(x) <= radius])
    near = lx.Subproblem("near", cp.Minimize(cp.norm(x - ball.at(x))), [x[0] >= 3])
    return lx.Program(lx.Stage("one", ball), lx.Stage("two", near)), {radius: rng.uniform(1, 3, 5)}


def integer(rng):
    weight, value, other = rng.integers(1, 12, (3, 12))
    take = cp.Variable(12, boolean=True, name="take")
    room = cp.Parameter(name="room")
    levels = {"a": cp.Maximize(value @ take), "b": cp.Maximize(other @ take)}
    return lx.preemptive(levels, [weight @ take <= room]), {room: rng.integers(15, 60, 6)}


MAKERS = {m.__name__: m for m in (linear, with_points, matrices, quadratic, conic, integer)}


def one_by_one(program, lists):
    """The plain loop: set the parameters, solve, put them back."""
    out = []
    for k in range(len(next(iter(lists.values())))):
        for parameter, values in lists.items():
            parameter.value = np.asarray(values[k], dtype=float)
        try:
            out.append({name: found.value for name, found in program.solve().items()})
        except lx.StageError:
            out.append(None)
    for parameter in lists:
        parameter.value = None
    return out


@pytest.mark.filterwarnings("ignore:.*which is not unique")
@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_optima_are_those_of_solving_one_by_one(kind, seed):
    program, lists = MAKERS[kind](np.random.default_rng(seed))
    wanted = one_by_one(program, lists)
    table = lx.sweep(program, lists)
    assert len(table) == len(wanted)
    for row, optima in zip(table, wanted, strict=True):
        if optima is None:
            assert isinstance(row, lx.StageError)
        else:
            assert all(found.certificate.passed for found in row.values())
            found = {name: solution.value for name, solution in row.items()}
            assert found == pytest.approx(optima, abs=2e-6, rel=2e-6)
    assert all(parameter.value is None for parameter in lists)


def test_what_varies_is_given_back_and_variables_keep_their_values():
    x, least = cp.Variable(name="x"), cp.Parameter(name="least", value=7.0)
    x.value = 41.0
    program = lx.Program(lx.Stage("only", lx.Subproblem("low", cp.Minimize(x), [x >= least])))
    values = [1.0, 2.0]
    lx.sweep(program, {least: values})
    assert least.value == 7.0
    assert x.value == 41.0
    assert values == [1.0, 2.0]


def test_failures_are_rows_and_what_was_solved_before_them_is_kept():
    x, least = cp.Variable(name="x"), cp.Parameter(name="least")
    program = lx.preemptive({"low": cp.Minimize(x)}, [x >= least, x <= 3])
    table = lx.sweep(program, {least: [1, 5, np.nan, 2]})
    assert list(table.failures) == [1, 2]
    assert table[1].status == "infeasible"
    assert "NaN" in str(table[2])
    assert table.values["low"].tolist() == pytest.approx([1, np.nan, np.nan, 2], nan_ok=True)
    frame = table.to_frame()
    assert frame["failure"].tolist()[:2] == ["", "infeasible"]
    assert frame["least"].tolist()[:2] == [1.0, 5.0]
    assert "4 scenarios, 2 without a result" in str(table)
    assert "infeasible" in table._repr_html_()


@pytest.mark.parametrize("kind", ["linear", "integer", "quadratic"])
def test_threads_and_executors_give_the_same(kind):
    program, lists = MAKERS[kind](np.random.default_rng(4))
    alone = lx.sweep(program, lists)
    shared = lx.sweep(program, lists, workers=3)
    with ThreadPoolExecutor(2) as pool:
        sent = lx.sweep(program, lists, executor=pool)
    for name, values in alone.values.items():
        assert shared.values[name] == pytest.approx(values, abs=1e-6, nan_ok=True)
        assert sent.values[name] == pytest.approx(values, abs=1e-6, nan_ok=True)


def test_numbers_can_be_sent_to_other_processes():
    program, lists = linear(np.random.default_rng(5))
    alone = lx.sweep(program, lists)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        sent = lx.sweep(program, lists, executor=pool)
    for name, values in alone.values.items():
        assert sent.values[name] == pytest.approx(values, abs=1e-7, nan_ok=True)


def test_a_problem_that_nothing_reaches_is_solved_once():
    x, y = cp.Variable(name="x"), cp.Variable(name="y")
    least = cp.Parameter(name="least")
    fixed = lx.Subproblem("fixed", cp.Minimize(x), [x >= 1])
    moved = lx.Subproblem("moved", cp.Minimize(y), [y >= least + fixed.optimum])
    table = lx.sweep(
        lx.Program(lx.Stage("one", fixed), lx.Stage("two", moved)), {least: [1, 2, 2, 3]}
    )
    assert len({id(row["fixed"]) for row in table}) == 1
    assert len({id(row["moved"]) for row in table}) == 3
    assert table.values["moved"].tolist() == [2, 3, 3, 4]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_a_first_level_that_stays_is_solved_once_and_later_ones_keep_to_its_face(seed, workers):
    """As in flux variability: the direction of the second level varies, a third one follows."""
    rng = np.random.default_rng(seed)
    x = cp.Variable(8, bounds=[0, 5], name="x")
    strategy = cp.Parameter(8, name="way")
    A, b = rng.integers(0, 4, (5, 8)).astype(float), rng.integers(8, 15, 5).astype(float)
    first, last = np.r_[1.0, 1.0, 1.0, np.zeros(5)], rng.uniform(1, 2, 8)
    levels = {"first": cp.Maximize(first @ x), "way": cp.Minimize(strategy @ x),
              "last": cp.Minimize(last @ x)}  # fmt: skip
    strategies = [*np.eye(8), *-np.eye(8)]
    table = lx.sweep(lx.preemptive(levels, [A @ x <= b]), {strategy: strategies}, workers=workers)
    assert len({id(row["first"]) for row in table}) <= workers
    for row, direction in zip(table, strategies, strict=True):
        held_rows, held = A, b
        for name, cost in (("first", -first), ("way", direction), ("last", last)):
            found = linprog(cost, held_rows, held, bounds=(0, 5))
            sign = -1.0 if name == "first" else 1.0
            assert row[name].value == pytest.approx(sign * found.fun, abs=1e-6)
            held_rows, held = np.vstack([held_rows, cost]), np.append(held, found.fun + 1e-9)
        assert row["last"].certificate.proved


def test_long_tables_show_their_ends():
    x, least = cp.Variable(name="x"), cp.Parameter(name="least")
    program = lx.preemptive({"low": cp.Minimize(x)}, [x >= least])
    text = str(lx.sweep(program, {least: range(100)}))
    assert len(text.splitlines()) < 30
    assert "..." in text
    assert "99" in text


def test_an_interrupt_keeps_what_was_found(monkeypatch):
    x, least = cp.Variable(name="x"), cp.Parameter(name="least")
    program = lx.preemptive({"low": cp.Minimize(x)}, [x >= least])
    calls, real = [], scenarios.solve_scenario

    def solve_scenario(*arguments, **options):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*arguments, **options)

    monkeypatch.setattr(scenarios, "solve_scenario", solve_scenario)
    with pytest.raises(lx.Interrupted, match="after 2 of 5 scenarios") as caught:
        lx.sweep(program, {least: range(5)})
    assert caught.value.partial.values["low"][:2].tolist() == [0.0, 1.0]
