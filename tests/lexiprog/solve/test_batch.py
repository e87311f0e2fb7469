"""Levels that are certified together end where the stages end, as far as they are proved."""

import dataclasses
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest
import z3

import lexiprog as lx
from lexiprog.compile.binding import Given
from lexiprog.solve.batch import LevelBatch, LevelBatches, LinearLevel
from lexiprog.solve.driver import execute, interrupted, result_of
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


def batched(program, solver="HIGHS", **options):
    """The solutions that are certified together; None if the stages are not one batch."""
    batch = LevelBatch.of(program.stages, lx.Solver(solver, **options))
    return None if batch is None else batch.solve(Given.to(program.subproblems.values()))[1]


def by_stages(program):
    return program.solve(time_limit=1e6)  # a limit is heeded stage by stage


@pytest.mark.parametrize("seed", range(12))
def test_every_field_of_every_solution_is_that_of_the_stages(seed):
    program, limit, _ = chain(seed)
    for factor in (1.0, 1.05):
        limit.value = limit.value * factor
        short = program.solve()
        (x,) = program["0"].variables
        point = x.value
        long = by_stages(program)
        assert np.array_equal(x.value, point)
        assert list(short) == list(long)
        for name, solution in short.items():
            for part in dataclasses.fields(solution):
                if part.name not in ("timings", "evidence"):
                    one, two = (getattr(s, part.name) for s in (solution, long[name]))
                    if part.name == "certificate":  # sums in another order
                        assert one.slackness == pytest.approx(two.slackness, rel=1e-9, abs=1e-18)
                        one = dataclasses.replace(one, slackness=two.slackness)
                    np.testing.assert_equal(
                        dict(one) if hasattr(one, "keys") else one,
                        dict(two) if hasattr(two, "keys") else two,
                    )
            np.testing.assert_equal(solution.evidence.record(), long[name].evidence.record())
        assert short.final.price("0") == long.final.price("0")
    assert batched(program)


@pytest.mark.parametrize("seed", range(8))
def test_the_optima_are_those_that_z3_finds_in_fractions(seed):
    program, limit, (A, costs, inside) = chain(seed)
    result = batched(program)
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


def test_other_wishes_are_left_to_the_stages():
    program, _, _ = chain(1)
    first = program.solve()
    for wish in ({"time_limit": 60}, {"warm": True}, {"resume": first}, {"solver": "CLARABEL"},
                 {"solver": lx.Solver("HIGHS", presolve="off")}):  # fmt: skip
        assert program.solve(**wish).final.value == pytest.approx(first.final.value, abs=1e-6)
    batches, names = LevelBatches(), dict.fromkeys(program.subproblems)
    assert batches.of(program.stages, names) is not None
    for solver, is_one in ((lx.Solver("HIGHS", accept=1e-7), True), (lx.Solver("CLARABEL"), False),
                           (lx.Solver("HIGHS", presolve="off"), False)):  # fmt: skip
        found = batches.of(program.stages, dict.fromkeys(names, (solver,)))
        assert (found is not None) is is_one
    assert batches.of(program.stages, names | {"0": (lx.Solver("CLARABEL"),)}) is None


def test_levels_that_refer_to_more_than_held_optima_are_left_to_the_stages():
    x = cp.Variable(2, bounds=[0, 4], name="x")
    low = lx.Subproblem("low", cp.Minimize(x[0]), [cp.sum(x) == 5])
    high = lx.Subproblem(
        "high", cp.Maximize(x[1]), [cp.sum(x) == 5, low.held(), x[1] <= 4 * low.optimum]
    )
    program = lx.Program(lx.Stage("one", low), lx.Stage("two", high))
    assert program.solve()["high"].value == pytest.approx(4.0)
    loose = lx.preemptive(
        {"a": cp.Minimize(x[0]), "b": cp.Minimize(x[1])}, [cp.sum(x) == 5], atol=1
    )
    assert loose.solve()["b"].value == pytest.approx(3.0)
    assert batched(program) is batched(loose) is None


def test_a_level_without_optimum_is_told_as_ever():
    program, limit, _ = chain(2)
    limit.value = limit.value - 1e3
    with pytest.raises(lx.StageError, match="infeasible"):
        program.solve()


@pytest.mark.parametrize("seed", range(3))
def test_a_level_that_is_not_plainly_proved_leaves_those_before_it(seed):
    rng = np.random.default_rng(seed)
    A, inside = rng.normal(size=(30, 60)), rng.uniform(0, 5, 60)
    costs = rng.normal(size=(12, 60)) * (rng.random((12, 60)) < 0.2)
    x = cp.Variable(60, bounds=[0, 10], name="x")
    levels = {str(k): cp.Minimize(c @ x) for k, c in enumerate(costs)}
    program = lx.preemptive(levels, [A @ x >= A @ inside - 0.5])
    first, result = batched(program), program.solve()
    assert 0 < len(first) < 12
    assert [result[name].value for name in first] == [s.value for s in first.values()]
    assert all(solution.status == "optimal" for solution in result.values())
    long = by_stages(program)
    values = [s.value for s in long.values()]
    assert [s.value for s in result.values()] == pytest.approx(values, rel=1e-12)


def test_an_interrupt_says_how_to_go_on(monkeypatch):
    program, *_ = chain(5)

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(LevelBatch, "solve", stop)
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


def test_the_same_matrix_is_given_to_highs_once():
    program, limit, _ = chain(1)
    batch, models = LevelBatch.of(program.stages, lx.Solver("HIGHS")), []
    for factor in (1.0, 1.01):
        limit.value = limit.value * factor
        chain_, _ = batch.solve(Given.to(program.subproblems.values()))
        models.append(chain_.finder.model)
    assert models[0] is models[1] is not None


def test_levels_without_any_row_are_a_batch_too():
    x = cp.Variable(2, bounds=[0, 4], name="x")
    levels = {"a": cp.Maximize(x[0]), "b": cp.Maximize(x[1]), "c": cp.Minimize(x[0])}
    program = lx.preemptive(levels)
    result = program.solve()
    assert len(batched(program)) == 3
    assert [found.value for found in result.values()] == pytest.approx([4.0, 4.0, 4.0])
    assert [lock.kind for lock in result["c"].locks] == ["face", "face"]


@pytest.mark.parametrize(("most", "count"), [(1000, 4), (5, 0)])
def test_longer_levels_that_ctrl_c_should_reach_are_no_batch(most, count, monkeypatch):
    monkeypatch.setattr("lexiprog.solve.batch.BRIEF", most)
    program, _, _ = chain(1)
    assert len(batched(program)) == count
    assert program.solve().final.status == "optimal"


def two_levels(scale=1.0):
    x = cp.Variable(2, bounds=[0, 4], name="x")
    levels = {"a": cp.Maximize(scale * (x[0] + 2 * x[1])), "b": cp.Minimize(scale * x[0])}
    return lx.preemptive(levels, [cp.sum(x) <= 6])


@pytest.mark.parametrize("scale", [2.0**-12, 2.0**12])
def test_what_counts_as_one_grows_with_the_objective(scale):
    plain, other = batched(two_levels()), batched(two_levels(scale))
    for name in ("a", "b"):
        assert other[name].value == pytest.approx(scale * plain[name].value)
        assert other[name].unit == pytest.approx(scale * plain[name].unit)


def test_a_claim_that_the_problem_as_written_does_not_confirm_is_no_optimum(monkeypatch):
    asked, solution = [], LinearLevel.solution
    monkeypatch.setattr(
        LinearLevel, "solution", lambda *terms: asked.append(terms) or solution(*terms)
    )
    assert len(batched(two_levels())) == len(asked) == 2
    for level, best, *rest in asked:
        assert solution(level, best, *rest).certificate.proved
        wrong = dataclasses.replace(best, claimed=best.claimed + 1e-3)
        assert solution(level, wrong, *rest) is None
        near = dataclasses.replace(best, claimed=best.claimed + 1e-9)
        found = solution(level, near, *rest)
        assert found.certificate.claim == pytest.approx(1e-9 / abs(found.value), rel=1e-3)


def test_there_is_a_tick_for_each_level_and_a_result_with_stages_and_solvers():
    ticks, program = [], two_levels()
    ladders = dict.fromkeys(program.subproblems)
    terms = {"workers": None, "solved": {}, "batches": LevelBatches()}
    found = execute(program.stages, ladders, tick=ticks.append, **terms)
    assert ticks == list(found) == list(found.stages) == ["a", "b"]
    part = result_of(program.stages, {"a": found["a"]}, {"a": (lx.Solver("SCS"),), "b": None})
    assert dict(part.stages) == {"a": ("a",), "b": ("b",)}
    assert list(part) == ["a"]
    assert "1 of 3" in str(interrupted(part, 3))
    assert interrupted(part, 3).partial is part
