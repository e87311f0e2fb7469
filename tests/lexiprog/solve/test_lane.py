"""The short way through linear levels ends where the stages end, and is taken where it may be."""

import dataclasses
import os
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest
import z3

import lexiprog as lx
from lexiprog.solve import batched_chain as lane
from lexiprog.solve.batched_chain import FastLane
from tests.lexiprog.certify.exact_bounds import rational


def chain(seed, levels=4):
    """Levels of both senses over rows of both kinds, with a parameter on the right."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(4, 14)), int(rng.integers(3, 9))
    A = rng.integers(-2, 4, (m, n)).astype(float) if seed % 2 else rng.normal(size=(m, n))
    inside = rng.uniform(0, 5, n)
    costs = rng.integers(-1, 2, (levels, n)) * (rng.normal(size=n) if seed % 3 else 1.0)
    x = cp.Variable(n, bounds=[0, 5], name="x")
    limit = cp.Parameter(m, name="limit", value=A @ inside + 0.5)
    rows = [A @ x <= limit, cp.sum(x) == float(inside.sum())]
    goals = {
        str(k): cp.Maximize(c @ x + 1.0) if k % 2 else cp.Minimize(c @ x)
        for k, c in enumerate(costs)
    }
    return lx.preemptive(goals, rows), limit, (A, costs, inside)


def through_lanes(monkeypatch):
    """Counts the solves that a lane answered."""
    taken, solve = [], FastLane.solve

    def spy(self, *arguments):
        found = solve(self, *arguments)
        taken.append(found is not None)
        return found

    monkeypatch.setattr(FastLane, "solve", spy)
    return taken


def by_stages(program, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(FastLane, "solve", lambda *_: None)
        return program.solve()


@pytest.mark.parametrize("seed", range(12))
def test_every_field_of_every_solution_is_that_of_the_stages(seed, monkeypatch):
    taken = through_lanes(monkeypatch)
    program, limit, _ = chain(seed)
    for factor in (1.0, 1.05):
        limit.value = limit.value * factor
        short = program.solve()
        (x,) = program["0"].variables
        point = x.value
        long = by_stages(program, monkeypatch)
        assert np.array_equal(x.value, point)
        assert list(short) == list(long)
        for name, solution in short.items():
            for part in dataclasses.fields(solution):
                if part.name not in ("timings", "evidence"):
                    one, two = (getattr(s, part.name) for s in (solution, long[name]))
                    np.testing.assert_equal(
                        dict(one) if hasattr(one, "keys") else one,
                        dict(two) if hasattr(two, "keys") else two,
                    )
            np.testing.assert_equal(solution.evidence.record(), long[name].evidence.record())
        assert short.final.price("0") == long.final.price("0")
    assert taken[0]


@pytest.mark.parametrize("seed", range(8))
def test_the_optima_are_those_that_z3_finds_in_fractions(seed, monkeypatch):
    taken = through_lanes(monkeypatch)
    program, limit, (A, costs, inside) = chain(seed)
    result = program.solve()
    x = [z3.Real(f"x{j}") for j in range(inside.size)]

    def along(coefficients):
        return z3.Sum([rational(float(a)) * v for a, v in zip(coefficients, x, strict=True)])

    optimize = z3.Optimize()  # objectives in the order in which they are named
    optimize.add([v >= 0 for v in x] + [v <= 5 for v in x])
    optimize.add([along(a) <= rational(b) for a, b in zip(A, limit.value.tolist(), strict=True)])
    optimize.add(z3.Sum(x) == rational(float(inside.sum())))
    true = [
        optimize.maximize(along(c)) if k % 2 else optimize.minimize(along(c))
        for k, c in enumerate(costs)
    ]
    assert optimize.check() == z3.sat
    for k, solution in enumerate(result.values()):
        exact = true[k].value()
        assert solution.value - k % 2 == pytest.approx(float(Fraction(str(exact))), abs=1e-9)
    assert taken == [True]


def test_what_was_solved_before_makes_no_difference():
    program, limit, _ = chain(3)
    start = limit.value
    for factor in (1.3, 0.99, 1.1):
        limit.value = start * factor
        program.solve()
    limit.value = start
    again, (fresh, *_) = program.solve(), chain(3)
    for name, solution in fresh.solve().items():
        assert np.array_equal(again[name]["x"], solution["x"])
        assert again[name].iterations == solution.iterations


def test_other_wishes_are_left_to_the_stages(monkeypatch):
    taken = through_lanes(monkeypatch)
    program, _, _ = chain(1)
    first = program.solve()
    assert taken.pop()
    for wish in ({"time_limit": 60}, {"warm": True}, {"resume": first}, {"solver": "CLARABEL"},
                 {"solver": lx.Solver("HIGHS", presolve="off")}):  # fmt: skip
        assert program.solve(**wish).final.value == pytest.approx(first.final.value, abs=1e-6)
    assert not taken
    program.solve(lx.Solver("HIGHS", accept=1e-7))
    assert taken.pop()


def test_levels_that_refer_to_more_than_held_optima_are_left_to_the_stages(monkeypatch):
    taken = through_lanes(monkeypatch)
    x = cp.Variable(2, bounds=[0, 4], name="x")
    low = lx.Subproblem("low", cp.Minimize(x[0]), [cp.sum(x) == 5])
    high = lx.Subproblem(
        "high", cp.Maximize(x[1]), [cp.sum(x) == 5, low.held(), x[1] <= 4 * low.optimum]
    )
    result = lx.Program(lx.Stage("one", low), lx.Stage("two", high)).solve()
    assert result["high"].value == pytest.approx(4.0)
    loose = lx.preemptive(
        {"a": cp.Minimize(x[0]), "b": cp.Minimize(x[1])}, [cp.sum(x) == 5], atol=1
    )
    assert loose.solve()["b"].value == pytest.approx(3.0)
    assert not taken


def test_a_level_without_optimum_is_told_as_ever():
    program, limit, _ = chain(2)
    limit.value = limit.value - 1e3
    with pytest.raises(lx.StageError, match="infeasible"):
        program.solve()


def test_an_interrupt_says_how_to_go_on(monkeypatch):
    program, *_ = chain(5)

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(FastLane, "solve", stop)
    with pytest.raises(lx.Interrupted, match="0 of 4") as caught:
        program.solve()
    monkeypatch.undo()
    assert len(program.solve(resume=caught.value.partial)) == 4


def test_two_chains_beside_each_other_are_two():
    x = cp.Variable(2, name="x", bounds=[0, 9])
    wide, narrow = [cp.sum(x) <= 6], [x[0] + 2 * x[1] <= 4]
    a = lx.Subproblem("a", cp.Maximize(x[0]), wide)
    b = lx.Subproblem("b", cp.Minimize(x[1]), [*wide, a.held()])
    c = lx.Subproblem("c", cp.Maximize(x[1]), narrow)
    d = lx.Subproblem("d", cp.Maximize(x[0]), [*narrow, c.held()])
    found = lx.Program(*(lx.Stage(p.name, p) for p in (a, b, c, d))).solve()
    assert [s.value for s in found.values()] == pytest.approx([6, 0, 2, 0])


def test_the_same_matrix_is_given_to_highs_once(monkeypatch):
    made, plain = [], lane.HighsModel

    class Noted(plain):
        def __init__(self, A, options):
            made.append(options)
            super().__init__(A, options)

    monkeypatch.setattr(lane, "HighsModel", Noted)
    program, limit, _ = chain(1)
    first = program.solve()
    before = len(made)
    assert before >= 1
    limit.value = limit.value * 1.01
    program.solve()
    assert len(made) == before
    # One with other options, or over another matrix, is not taken.
    fast = program._lanes.of(program.stages, dict.fromkeys(first))
    ((options, session),) = fast._spare.values()
    A = session._given
    for matrix, wanted in ((A, options), (A, {**options, "presolve": "off"}), (2 * A, options)):
        fast._spare[os.getpid()] = (options, session)
        kept = fast._session(matrix, dict(wanted))[1] is session
        assert kept is (matrix is A and wanted == options)


def test_levels_without_any_row_are_a_lane_too(monkeypatch):
    taken = through_lanes(monkeypatch)
    x = cp.Variable(2, bounds=[0, 4], name="x")
    levels = {"a": cp.Maximize(x[0]), "b": cp.Maximize(x[1]), "c": cp.Minimize(x[0])}
    result = lx.preemptive(levels).solve()
    assert taken == [True]
    assert [found.value for found in result.values()] == pytest.approx([4.0, 4.0, 4.0])
    assert [lock.kind for lock in result["c"].locks] == ["face", "face"]


@pytest.mark.parametrize(("most", "short"), [(1000, True), (5, False)])
def test_only_brief_levels_go_through_a_lane_and_no_longer_ones_that_ctrl_c_should_reach(
    most, short, monkeypatch
):
    monkeypatch.setattr(lane, "BRIEF", most)
    taken = through_lanes(monkeypatch)
    program, _, _ = chain(1)
    assert program.solve().final.status == "optimal"
    assert taken == [short]
