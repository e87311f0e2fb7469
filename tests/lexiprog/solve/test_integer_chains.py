"""Integer hierarchies give what enumeration gives, each level from the point of the last."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.backends.highs_mip import MipModel
from tests.lexiprog.solve.integer_chains import small_chain


def check(seed):
    program, answers = small_chain(seed)
    if answers is None:
        with pytest.raises(lx.StageError) as caught:
            program.solve()
        assert caught.value.status == "infeasible"
        return
    result = program.solve()
    assert [s.value for s in result.values()] == pytest.approx(answers, abs=1e-6)
    for solution in result.values():
        assert solution.status == "optimal"
        assert solution.bound == pytest.approx(solution.value, abs=1e-5)


@pytest.mark.parametrize("seed", range(24))
def test_small_chains_have_the_values_that_enumeration_finds(seed):
    check(seed)


@pytest.mark.nightly
@pytest.mark.parametrize("block", range(8))
def test_two_hundred_small_chains_have_the_values_that_enumeration_finds(block):
    for seed in range(100 + 25 * block, 125 + 25 * block):
        check(seed)


def noted_starts(monkeypatch):
    starts, search = [], MipModel.search

    def searching(self, cost, bounds, offset, start, deadline):
        starts.append(None if start is None else float(cost @ start) + offset)
        return search(self, cost, bounds, offset, start, deadline)

    monkeypatch.setattr(MipModel, "search", searching)
    return starts


def stairs():
    x = cp.Variable(3, integer=True, bounds=[0, 4], name="x")
    return lx.preemptive(
        {"a": cp.Maximize(x[0] + x[1]), "b": cp.Maximize(x[1] - 1), "c": cp.Minimize(x[2])},
        [cp.sum(x) >= 5, x[0] + x[1] <= 6],
    )


def test_every_later_level_has_a_start(monkeypatch):
    starts = noted_starts(monkeypatch)
    result = stairs().solve()
    assert [s.value for s in result.values()] == [6.0, 3.0, 0.0]
    assert starts[0] is None
    assert None not in starts[1:]


def test_a_resumed_chain_starts_from_what_was_resumed(monkeypatch):
    program = stairs()
    whole = program.solve()
    head = lx.Program(*program.stages[:2]).solve()
    starts = noted_starts(monkeypatch)
    result = program.solve(resume=head)
    assert result["c"].value == whole["c"].value
    assert len(starts) == 1
    assert starts[0] is not None


def test_a_level_over_other_constraints_starts_from_an_earlier_point_too(monkeypatch):
    x = cp.Variable(3, integer=True, bounds=[0, 4], name="x")
    y = cp.Variable(bounds=[0, 10], name="y")
    first = lx.Subproblem("first", cp.Maximize(x[0] + x[1]), [cp.sum(x) <= 6])
    second = lx.Subproblem(
        "second", cp.Minimize(y), [y >= x[2] + 0.5, cp.sum(x) <= 6, first.held()]
    )
    starts = noted_starts(monkeypatch)
    result = lx.Program(lx.Stage("1", first), lx.Stage("2", second)).solve()
    assert [s.value for s in result.values()] == pytest.approx([6.0, 0.5])
    assert starts[1] is not None


def test_a_symmetric_variable_is_no_reason_to_fail():
    x = cp.Variable((2, 2), symmetric=True, name="x")
    z = cp.Variable(2, integer=True, bounds=[0, 3], name="z")
    rules = [x >= 0, cp.sum(x) <= 5 + z[0], z[0] + z[1] <= 4]
    result = lx.preemptive({"z": cp.Maximize(z[0]), "x": cp.Maximize(cp.trace(x))}, rules).solve()
    assert [s.value for s in result.values()] == pytest.approx([3.0, 8.0])


def test_trade_offs_between_integers_follow_enumeration():
    x = cp.Variable(2, integer=True, bounds=[0, 6], name="x")
    program = lx.preemptive(
        {"a": cp.Maximize(3 * x[0] + x[1]), "b": cp.Maximize(x[1])}, [2 * x[0] + x[1] <= 9]
    )
    grid = [(p, q) for p in range(7) for q in range(7) if 2 * p + q <= 9]
    best = max(3 * p + q for p, q in grid)
    steps = [0.0, 1.0, 2.5, 4.0]
    truth = [max(q for p, q in grid if 3 * p + q >= best - step) for step in steps]
    np.testing.assert_allclose(lx.tradeoff(program, "a", steps).values["b"], truth, atol=1e-6)


@pytest.mark.parametrize("same_rows", [True, False])
def test_points_on_the_face_of_an_earlier_level_are_not_lost(same_rows):
    """(2, 5/3, 0, -1) and (3, 2, 0, -1/3) are both first; HiGHS's presolve loses the latter."""
    a, c = (cp.Variable(name=name, integer=True) for name in "ac")
    b, d = (cp.Variable(name=name) for name in "bd")
    box = [a >= -1, a <= 3, b >= 0, b <= 2, c >= 0, c <= 1, d >= -1, d <= 1]
    rows = [*box, -3 * a + 3 * b + 2 * c + 3 * d == -4]
    first = lx.Subproblem("first", cp.Minimize(-a - 3 * b + 3 * c + 3 * d), rows)
    others = [] if same_rows else [2 * b + 3 * c <= 9]
    second = lx.Subproblem("second", cp.Maximize(2 * b + 3 * c), [*rows, *others, first.held()])
    found = lx.Program(lx.Stage("1", first), lx.Stage("2", second)).solve()
    assert [s.value for s in found.values()] == pytest.approx([-10.0, 4.0], abs=1e-7)
    assert [s.status for s in found.values()] == ["optimal"] * 2


def test_a_face_with_room_of_the_size_of_a_tolerance_is_no_face():
    """By enumeration 2 at (-3, 0, 2, 5/3, 1): with limits loosened by 2e-9 HiGHS misses it."""
    rows = np.array([[1, -2, -2, 3, -3], [1, -1, -3, -2, 3], [-1, 0, 0, 1, 1],
                     [3, -1, 2, 1, 3], [1, -2, 1, 0, 0]])  # fmt: skip
    whole = [False, False, True, False, True]
    ends = [(-3, 2), (-1, 0), (0, 2), (0, 3), (0, 1)]
    x = cp.hstack([
        cp.Variable(name=f"x{j}", integer=w, bounds=list(e))
        for j, (w, e) in enumerate(zip(whole, ends, strict=True))
    ])  # fmt: skip
    limits = [rows[0] @ x == -5, rows[1:] @ x <= np.array([3, 6, 0, -1])]
    levels = {
        "a": cp.Maximize(np.array([1, 2, -2, 3, 1]) @ x),
        "b": cp.Maximize(np.array([2, 1, 0, 3, 3]) @ x),
    }
    found = lx.preemptive(levels, limits).solve()
    assert [s.value for s in found.values()] == pytest.approx([-1.0, 2.0], abs=1e-7)


def test_a_problem_that_presolve_calls_infeasible_is_looked_at_again():
    """(-3, 6, 1) keeps every row; HiGHS says infeasible, and without presolve it does not."""
    a, b = (cp.Variable(name=n, integer=True, bounds=e) for n, e in [("a", [-3, 1]), ("b", [0, 6])])
    c = cp.Variable(name="c", bounds=[0, 3])
    rows = [a + b - 2 * c <= 1, 2 * a + 2 * b + 2 * c == 8]
    rows += [3 * a - 3 * b - c <= -26, b - 3 * c >= 3]
    only = lx.Subproblem("only", cp.Maximize(-a - 3 * b + 2 * c), rows)
    found = lx.Program(lx.Stage("only", only)).solve()["only"]
    assert found.status == "optimal"
    assert found.value == pytest.approx(-13.0, abs=1e-7)


def test_whole_levels_may_read_earlier_optima_in_their_objectives():
    n = cp.Variable(2, name="n", integer=True, bounds=[0, 5])
    rows = [2 * cp.sum(n) <= 13]
    scale = lx.Subproblem("scale", cp.Maximize(n[0]), rows)
    first = lx.Subproblem("first", cp.Maximize(scale.optimum * n[0] + n[1]), rows)
    second = lx.Subproblem("second", cp.Minimize(n[1] - scale.optimum), [*rows, first.held()])
    program = lx.Program(*(lx.Stage(p.name, p) for p in (scale, first, second)))
    for _ in range(2):
        result = program.solve()
        assert [s.value for s in result.values()] == pytest.approx([5.0, 26.0, -4.0])
    resumed = program.solve(
        resume=lx.Result(result.stages, {k: result[k] for k in ("scale", "first")})
    )
    assert resumed["second"].value == pytest.approx(-4.0)


def test_levels_over_other_rows_and_readers_of_optima_find_what_enumeration_finds():
    n = cp.Variable(2, name="n", integer=True, bounds=[0, 5])
    rows = [cp.sum(n) <= 6]
    alone = lx.Subproblem("alone", cp.Minimize(n[0]), rows)
    first = lx.Subproblem("first", cp.Maximize(n[0] + 2 * n[1]), rows)
    second = lx.Subproblem("second", cp.Maximize(n[0]), [*rows, first.held()])
    other = lx.Subproblem("other", cp.Maximize(n[1]), [*rows, n[0] >= 1, first.held()])
    third = lx.Subproblem("third", cp.Minimize(n[1]), [*rows, first.held(), second.held()])
    reader = lx.Subproblem("reader", cp.Maximize(second.optimum * n[1]), [*rows, first.held()])
    listed = alone, first, second, other, third, reader
    result = lx.Program(*(lx.Stage(p.name, p) for p in listed)).solve()
    assert [result[p.name].value for p in listed] == pytest.approx([0, 11, 1, 5, 5, 5])
