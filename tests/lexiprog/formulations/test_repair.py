"""Repair: the least violation of what contradicts itself, and a plan with a list of breaches."""

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog

import lexiprog as lx


def test_the_least_weighted_violation_is_that_of_an_elastic_lp():
    for seed in range(10):
        draw = np.random.default_rng(seed)
        A, b = draw.integers(-3, 5, (6, 3)).astype(float), draw.integers(-20, 5, 6).astype(float)
        weights = draw.integers(1, 5, 6).astype(float)
        x = cp.Variable(3, bounds=[0, 5], name="x")
        rows = [(A[k] @ x <= b[k]).set_label(f"row {k}") for k in range(6)]
        program = lx.preemptive({"sum": cp.Minimize(cp.sum(x)), "x0": cp.Maximize(x[0])}, rows)
        repaired = lx.relaxed(program, {f"row {k}": weights[k] for k in range(6)})
        result = repaired.solve()
        # The same by hand: A x - s <= b.
        costs = np.append(np.zeros(3), weights)
        elastic = linprog(costs, np.c_[A, -np.eye(6)], b, bounds=[(0, 5)] * 3 + [(0, None)] * 6)
        assert result["repair"].value == pytest.approx(elastic.fun, abs=1e-7)
        then = linprog(
            np.append(np.ones(3), np.zeros(6)),
            np.vstack([np.c_[A, -np.eye(6)], costs]), np.append(b, elastic.fun + 1e-9),
            bounds=[(0, 5)] * 3 + [(0, None)] * 6,
        )  # fmt: skip
        assert result["sum"].value == pytest.approx(then.fun, abs=1e-5)
        found = {breach.constraint: breach.amount for breach in repaired.broken(result)}
        missed = A @ result["x0"][x] - b
        for k in range(6):
            assert found.get(f"row {k}", 0.0) == pytest.approx(max(missed[k], 0.0), abs=1e-6)


def test_a_feasible_program_is_left_as_it_is():
    x = cp.Variable(2, nonneg=True, name="x")
    rows = [(cp.sum(x) >= 3).set_label("demand")]
    program = lx.preemptive({"low": cp.Minimize(cp.sum(x)), "far": cp.Maximize(x[0])}, rows)
    repaired = lx.relaxed(program)
    result = repaired.solve()
    assert result["repair"].value == pytest.approx(0.0)
    assert [result[n].value for n in ("low", "far")] == [s.value for s in program.solve().values()]
    assert repaired.broken(result) == ()


def test_references_and_locks_follow_to_the_copies():
    x = cp.Variable(2, bounds=[0, 10], name="x")
    worst = cp.Variable(name="worst")
    demand = [(x[0] + 2 * x[1] >= 40).set_label("a"), (2 * x[0] + x[1] >= 8).set_label("b")]
    cost, fumes = 3 * x[0] + x[1], x[0] + 4 * x[1]
    cheap = lx.Subproblem("cheap", cp.Minimize(cost), demand)
    clean = lx.Subproblem("clean", cp.Minimize(fumes), demand)
    regrets = [cost <= cheap.optimum + worst, fumes <= clean.optimum + worst]
    fair = lx.Subproblem("fair", cp.Minimize(worst), demand + regrets)
    last = lx.Subproblem(
        "last", cp.Minimize(x[0] - cheap.at(x)[0]), [*demand, *regrets, fair.held()]
    )
    program = lx.Program(
        lx.Stage("ideal", cheap, clean), lx.Stage("compromise", fair), lx.Stage("last", last)
    )
    with pytest.raises(lx.StageError):
        program.solve()
    result = lx.relaxed(program).solve()
    # Only x = (10, 10) misses "a" by no more than 10.
    assert result["repair"].value == pytest.approx(10.0)
    assert result["cheap"].value == pytest.approx(40.0)
    assert result["fair"].value == pytest.approx(0.0, abs=1e-7)
    assert result["last"].value == pytest.approx(0.0, abs=1e-7)


def test_equations_may_be_missed_to_both_sides_and_infinite_weights_to_none():
    x = cp.Variable(name="x")
    rows = [(x == 3).set_label("three"), (x == 8).set_label("eight")]
    program = lx.preemptive({"low": cp.Minimize(x)}, rows)
    repaired = lx.relaxed(program, {"eight": np.inf})
    result = repaired.solve()
    assert float(result.final[x]) == pytest.approx(8.0)
    assert repaired.broken(result) == (("three", pytest.approx(5.0)),)
    assert lx.relaxed(program, {"three": 2}).solve().final[x] == pytest.approx(3.0)


def test_rows_of_a_file_are_broken_by_their_names(tmp_path):
    text = "min\n cost: x + y\nst\n demand: x + y >= 8\n north: x <= 3\n south: y <= 4\nend\n"
    (tmp_path / "plan.lp").write_text(text)
    program = lx.read(tmp_path / "plan.lp")
    repaired = lx.relaxed(program, {"demand": np.inf, "north": 5})
    result = repaired.solve()
    assert repaired.broken(result) == (("south", pytest.approx(1.0)),)


def test_mistakes_are_named():
    x = cp.Variable(name="x")
    rows = [(x >= 3).set_label("three")]
    program = lx.preemptive({"low": cp.Minimize(x)}, rows)
    with pytest.raises(lx.DeclarationError, match=r"'thre', which is no constraint.*'three'"):
        lx.relaxed(program, {"thre": 1})
    with pytest.raises(lx.DeclarationError, match="must be positive"):
        lx.relaxed(program, {"three": 0})
    with pytest.raises(lx.DeclarationError, match="no constraint of the first stage may be broken"):
        lx.relaxed(program, {"three": np.inf})


def test_constraints_without_names_may_be_broken_where_none_has_one():
    x = cp.Variable(2, name="x")
    program = lx.preemptive({"low": cp.Minimize(cp.sum(x))}, [x >= 3, x[0] <= 1])
    repaired = lx.relaxed(program)
    result = repaired.solve()
    assert result["repair"].value == pytest.approx(2.0)
    assert sum(breach.amount for breach in repaired.broken(result)) == pytest.approx(2.0)
