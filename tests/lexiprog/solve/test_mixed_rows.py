"""A level with rows of its own keeps the optimal faces of those that it holds."""

import warnings

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx

SOLVERS = ["CLARABEL", "ECOS", "SCS", "OSQP", "SCIPY", None]


def chain(*levels):
    return lx.Program(*(lx.Stage(level.name, level) for level in levels))


def jumping(apart, more, again=False):
    """The first level leaves (1, 0) alone; one that gives up 1e-11 of it finds a better second."""
    x, y = (cp.Variable(nonneg=True, name=name) for name in "xy")

    def rows():
        return [x + y <= 1, y <= max(1e7 * apart, 0.01), x <= 1]

    one = rows()
    first = lx.Subproblem("first", cp.Maximize(x + (1 - apart) * y), one)
    own = [*(rows() if again else one), *more(x, y), first.held()]
    return chain(first, lx.Subproblem("second", cp.Maximize(y), own))


MORE = {
    "a bound": lambda _, y: [y <= 5],
    "an equation": lambda x, y: [x + 2 * y == 1],
    "a norm": lambda x, y: [cp.norm1(cp.hstack([x, y])) <= 3, cp.abs(x - y) <= 2],
    "a variable": lambda x, y: [cp.Variable(2, name="z") >= cp.hstack([x, y])],
}


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("apart", [1e-7, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15])
def test_what_differs_in_any_digit_that_is_written_is_told_apart_over_other_rows(solver, apart):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = jumping(apart, MORE["a bound"]).solve(solver)["second"]
    assert found.status == "optimal"
    assert found.value == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("again", [True, False], ids=["written again", "the same objects"])
@pytest.mark.parametrize("more", MORE)
def test_whatever_rows_are_added(more, again):
    found = jumping(1e-10, MORE[more], again).solve()["second"]
    assert (found.status, found.locks[0].kind) == ("optimal", "face")
    assert found.value == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("again", [True, False])
@pytest.mark.parametrize("seed", [0, 2, 3, 4, 5, 6])
def test_multipliers_prove_each_level_as_it_is_declared(seed, again):
    """Costs c over A x >= b, 0 <= x <= 4, with more rows level by level: weak duality by numpy."""
    rng = np.random.default_rng(seed)
    size, upper = 5, 4.0
    x = cp.Variable(size, bounds=[0, upper], name="x")
    inside = rng.uniform(1, 3, size)
    blocks = [rng.integers(-2, 4, (3, size)).astype(float) for _ in range(3)]
    demands = [A @ inside - (9 if k else rng.integers(0, 2, 3)) for k, A in enumerate(blocks)]
    costs = [blocks[0][0] + blocks[0][1], rng.integers(-3, 4, size), rng.integers(-3, 4, size)]
    kept = [A @ x >= b for A, b in zip(blocks, demands, strict=True)]
    levels = []
    for k, cost in enumerate(costs):
        own = [A @ x >= b for A, b in zip(blocks, demands, strict=True)] if again else kept
        locks = [level.held() for level in levels]
        levels.append(lx.Subproblem(str(k), cp.Minimize(cost @ x), [*own[: k + 1], *locks]))
    result = chain(*levels).solve()
    optima = np.array([solution.value for solution in result.values()])
    for k, solution in enumerate(result.values()):
        ys, locks = solution.duals[: k + 1], np.array(solution.duals[k + 1 :])
        assert all((y >= 0).all() for y in ys)
        assert (locks >= 0).all()
        rest = costs[k] + sum(p * cost for p, cost in zip(locks, costs[:k], strict=True))
        rest = rest - sum(A.T @ y for A, y in zip(blocks, ys, strict=False))
        bound = sum(b @ y for b, y in zip(demands, ys, strict=False)) - locks @ optima[:k]
        assert bound + np.minimum(upper * rest, 0).sum() == pytest.approx(solution.value, abs=1e-7)
        assert {lock.kind for lock in solution.locks} <= {"face"}


def test_rows_that_refer_to_the_held_optimum_are_kept():
    x = cp.Variable(2, nonneg=True, name="x")
    first = lx.Subproblem("first", cp.Maximize(cp.sum(x)), [x[0] + 2 * x[1] <= 4, x[0] <= 3])
    more = [x[1] >= first.optimum / 7]
    second = lx.Subproblem("second", cp.Minimize(x[0]), [*first.constraints, *more, first.held()])
    found = chain(first, second).solve()["second"]
    assert found.value == pytest.approx(3.0)
    assert found.locks[0].kind == "face"
    third = lx.Subproblem(
        "third", cp.Minimize(x[0]), [*first.constraints, x[1] >= first.optimum, first.held()]
    )
    with pytest.raises(lx.StageError):
        chain(first, third).solve()


def lent(kept):
    """The first multiplier is 1, the second takes 2 of y; whoever keeps its row has 1 of x left."""
    x, y = (cp.Variable(nonneg=True, name=name) for name in "xy")
    rows = [x <= 2]
    first = lx.Subproblem("first", cp.Maximize(x), rows)
    more = [y >= 2 * first.dual(rows[0])]
    second = lx.Subproblem("second", cp.Minimize(y), [*rows, *more])
    own = [*rows, x + y <= 3, *(more if kept else []), second.held()]
    return chain(first, second, lx.Subproblem("third", cp.Maximize(x), own))


@pytest.mark.parametrize(("kept", "kind", "left"), [(True, "face", 1), (False, "value", 2)])
def test_what_the_held_ones_refer_to_is_read_where_they_were_solved_elsewhere(kept, kind, left):
    whole = lent(kept).solve()
    known = {name: whole[name] for name in ("first", "second")}
    assert [s.value for s in known.values()] == pytest.approx([2.0, 2.0])
    found = lent(kept).solve(resume=lx.Result(whole.stages, known))["third"]
    assert (found.status, found.locks[0].kind) == ("optimal", kind)
    assert found.value == pytest.approx(left)


@pytest.mark.parametrize("solver", ["HIGHS", "SCIPY"])
def test_where_a_row_is_let_go_and_no_digit_is_lost_floats_are_enough(solver, monkeypatch):
    monkeypatch.setattr("lexiprog.solve.strategies.has_exact", lambda: False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = lent(kept=False).solve(solver)["third"]
    assert (found.status, found.value) == ("optimal", pytest.approx(2.0))


def let_go(first, more):
    """A second level without some row of the first: only the value says what is held."""
    x = cp.Variable(4, bounds=[0, 10], name="x")
    rows = [np.array([0, 5, 3, 5]) @ x <= 15, np.array([1, 1, 0, 5]) @ x <= 17]
    one = lx.Subproblem("first", cp.Maximize(np.array(first) @ x), rows)
    own = [rows[0], *(np.array(row) @ x <= limit for row, limit in more), one.held()]
    return chain(one, lx.Subproblem("second", cp.Maximize(np.array([-3, 1, -1, 1]) @ x), own))


def test_where_a_row_is_let_go_fractions_hold_what_floats_cannot():
    """x0 is worth 2e-11 to the first, which so makes it 10; then 1 is left for x1 + x3 to add."""
    pytest.importorskip("flint")
    program = let_go([2e-11, 5, 3, 5], [([0, 2, 4, 3], 16), ([0, 5, 0, 1], 12)])
    found = program.solve()["second"]
    assert found.status == "optimal"
    assert found.exact == -27
    assert found.value == pytest.approx(-27.0)


@pytest.mark.filterwarnings("ignore:subproblem 'second' is sensitive to the optima it holds")
@pytest.mark.filterwarnings("ignore:subproblem 'second'. its point misses some row")  # at first
@pytest.mark.parametrize("solver", ["HIGHS", "SCIPY"])
def test_where_a_row_is_let_go_floats_say_what_they_do_not_know(solver, monkeypatch):
    monkeypatch.setattr("lexiprog.solve.strategies.has_exact", lambda: False)
    program = let_go([2e-11, 5, 3, 5], [([0, 2, 4, 3], 16), ([0, 5, 0, 1], 12)])
    named = rf"keeps 'first' less exactly.*another solver than {solver} may hold it"
    with pytest.warns(lx.LexiprogWarning, match=named):
        found = program.solve(solver)["second"]
    assert found.status == "optimal_inaccurate"


@pytest.mark.filterwarnings("ignore:subproblem 'second' could only be solved with the lock on")
def test_a_tiny_coefficient_does_not_make_the_objective_large():
    """In a unit of 1e11 a column that ends at ten would be nothing, and so would what it costs."""
    program = let_go([2e-11, 5, 3, 5], [([0, 2, 4, 3], 16), ([0, 5, 0, 1], 12)])
    with pytest.warns(lx.LexiprogWarning, match="keeps 'first' less exactly"):
        found = program.solve("CLARABEL")["second"]
    assert found.status == "optimal_inaccurate"
