"""Objectives in order: worked answers, what a lock promises, and what is refused."""

import itertools

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog

import lexiprog as lx


def near(wanted, size=1e-6):
    return pytest.approx(wanted, abs=size, rel=size)


def square():
    """The square 0 <= x <= 4 cut by x1 + x2 <= 6: corners (4, 2) and (2, 4)."""
    x = cp.Variable(2, bounds=[0, 4], name="x")
    return x, [cp.sum(x) <= 6]


def test_order_decides():
    x, limits = square()
    first, second = cp.Maximize(x[0]), cp.Maximize(x[1])
    one = lx.preemptive({"a": first, "b": second}, limits).solve()
    other = lx.preemptive({"b": second, "a": first}, limits).solve()
    assert one.final[x] == near([4, 2])
    assert other.final[x] == near([2, 4])


def test_minimise_and_maximise_mix():
    x, limits = square()
    objectives = {
        "much": cp.Maximize(cp.sum(x)), "even": cp.Minimize(cp.abs(x[0] - x[1])),
        "first": cp.Maximize(x[0]),
    }  # fmt: skip
    result = lx.preemptive(objectives, limits).solve()
    assert [solution.value for solution in result.values()] == near([6, 0, 3])


def test_an_objective_without_say_leaves_the_choice_to_the_next():
    x, limits = square()
    objectives = {"none": cp.Minimize(0 * x[0]), "some": cp.Maximize(x[0] + 2 * x[1])}
    assert lx.preemptive(objectives, limits).solve().final[x] == near([2, 4])


@pytest.mark.parametrize("solver", ["HIGHS", "CLARABEL"])
@pytest.mark.parametrize("seed", range(4))
def test_later_stage_never_worsens_a_held_optimum_beyond_its_tolerance(seed, solver):
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, 5, (6, 5)).astype(float)
    x = cp.Variable(5, bounds=[0, 10], name="x")
    costs = rng.integers(-3, 4, (4, 5)).astype(float)
    atol, rtol = {"0": 0.5, "2": 0.25}, {"1": 0.05, "2": 0.001}
    program = lx.preemptive(
        {str(k): cp.Minimize(c @ x) for k, c in enumerate(costs)}, [matrix @ x <= 20],
        atol=atol, rtol=rtol,
    )  # fmt: skip
    result = program.solve(solver)
    for earlier, later in itertools.combinations(result, 2):
        best = result[earlier].value
        allowed = max(atol.get(earlier, 0.0), rtol.get(earlier, 0.0) * abs(best))
        found = costs[int(earlier)] @ result[later][x]
        assert found <= best + allowed + 1e-6 * (1 + abs(best))


@pytest.mark.parametrize("seed", range(4))
def test_chains_with_tolerances_agree_with_linprog_and_lock_rows(seed):
    rng = np.random.default_rng(100 + seed)
    matrix, costs = rng.integers(0, 5, (5, 6)), rng.integers(-3, 4, (3, 6))
    x = cp.Variable(6, bounds=[0, 10], name="x")
    program = lx.preemptive(
        {str(k): cp.Minimize(c @ x) for k, c in enumerate(costs)}, [matrix @ x <= 15],
        atol=0.3, rtol=0.02,
    )  # fmt: skip
    result = program.solve()
    rows, rhs = matrix.astype(float), np.full(5, 15.0)
    for name, cost in zip(result, costs, strict=True):
        best = linprog(cost, rows, rhs, bounds=(0, 10)).fun
        assert result[name].value == near(best)
        rows = np.vstack([rows, cost])
        rhs = np.append(rhs, best + max(0.3, 0.02 * abs(best)))


def test_the_larger_of_both_tolerances_counts():
    x = cp.Variable(bounds=[0, 100], name="x")
    objectives = {"high": cp.Maximize(x), "low": cp.Minimize(x)}
    assert lx.preemptive(objectives, atol=3, rtol=0.02).solve().final.value == near(97)
    assert lx.preemptive(objectives, atol=1, rtol=0.02).solve().final.value == near(98)


def test_a_tolerance_by_name_loosens_that_level_alone():
    x = cp.Variable(3, bounds=[0, 1], name="x")
    levels = {"a": cp.Maximize(x[0]), "b": cp.Maximize(x[1]), "c": cp.Minimize(cp.sum(x))}
    result = lx.preemptive(levels, atol={"b": 0.25}).solve()
    assert result.final[x] == near([1, 0.75, 0])


@pytest.mark.parametrize("solver", [None, "CLARABEL"])
def test_curved_objectives_are_held(solver):
    """The point of a line nearest to the origin leaves one coordinate free."""
    x = cp.Variable(3, name="x")
    limits = [x[0] + x[1] == 2, x[2] >= -1, x[2] <= 5]
    levels = {"near": cp.Minimize(x[0] ** 2 + x[1] ** 2), "up": cp.Maximize(x[0] + x[2])}
    result = lx.preemptive(levels, limits).solve(solver)
    assert result["near"].value == near(2)
    assert result.final[x] == near([1, 1, 5], 1e-5)


def test_integers_are_held():
    """Worked by counting: most value within the weight, then fewest pieces, then least weight."""
    value, weight = np.array([4, 3, 3, 1, 7]), np.array([3, 2, 2, 1, 5])
    take = cp.Variable(5, boolean=True, name="take")
    levels = {
        "value": cp.Maximize(value @ take), "pieces": cp.Minimize(cp.sum(take)),
        "weight": cp.Minimize(weight @ take),
    }  # fmt: skip
    result = lx.preemptive(levels, [weight @ take <= 7]).solve()
    choices = [np.array(c) for c in itertools.product([0, 1], repeat=5)]
    best = min((-value @ c, c.sum(), weight @ c) for c in choices if weight @ c <= 7)
    assert [solution.value for solution in result.values()] == [-best[0], best[1], best[2]]


def test_a_fairness_level_stands_inside_a_hierarchy():
    """Most in all first; then fair shares; then as much as possible for the third."""
    x = cp.Variable(3, bounds=[0, 5], name="x")
    levels = {
        "total": cp.Maximize(cp.sum(x)),
        "fair": lx.Leximin([x[0], 2 * x[1]]),
        "third": cp.Maximize(x[2]),
    }
    program = lx.preemptive(levels, [x[0] + x[1] + x[2] <= 7, x[0] + x[1] <= 3])
    assert list(program.subproblems) == ["total", "fair", "third"]
    result = program.solve()
    # x0 + x1 is between 2 and 3; the smaller of x0 and 2 x1 is most at (2, 1).
    assert result.final[x] == near([2, 1, 4])
    assert result["fair"].levels == ((near(2), (0, 1)),)
    assert [lock.drift for lock in result.final.locks] == near([0, 0], 1e-9)


def test_a_tolerance_on_a_fairness_level_holds_for_each_utility():
    x = cp.Variable(2, bounds=[0, 4], name="x")
    levels = {"fair": lx.Leximin([x[0], x[1]]), "first": cp.Minimize(x[0])}
    result = lx.preemptive(levels, [cp.sum(x) <= 6], atol={"fair": 0.5}).solve()
    assert [lock.tolerance for lock in result.final.locks] == [0.5]
    assert result.final[x][0] == near(2.5)
    assert result.final[x][1] >= 2.5 - 1e-6


def test_a_program_can_be_inspected_and_extended():
    x, limits = square()
    program = lx.preemptive({"much": cp.Maximize(cp.sum(x))}, limits)
    assert [stage.name for stage in program.stages] == ["much"]
    assert "much" in program.describe()
    last = lx.Subproblem("left", cp.Minimize(x[0]), [*limits, program["much"].held(atol=1)])
    longer = program.extend(lx.Stage("then", last))
    assert longer.solve().final[x] == near([1, 4])
    assert len(program.stages) == 1


def test_user_parameters_can_change_between_solves():
    x = cp.Variable(2, bounds=[0, 10], name="x")
    limit = cp.Parameter(name="limit", value=6.0)
    levels = {"much": cp.Maximize(cp.sum(x)), "first": cp.Maximize(x[0])}
    program = lx.preemptive(levels, [x[0] + 2 * x[1] <= limit])
    assert program.solve().final[x] == near([6, 0])
    limit.value = 14.0
    assert program.solve().final[x] == near([10, 2])


@pytest.mark.parametrize(
    ("arguments", "culprit"),
    [
        ({"objectives": {}}, "mapping from names"),
        ({"objectives": [1, 2]}, r"not \[1, 2\]"),
        ({"atol": {"frist": 1}}, "'frist'.*'first', 'second'"),
        ({"rtol": {"frist": 1}}, "'frist'.*'first', 'second'"),
        ({"atol": -1}, "atol of 'first'.*-1"),
        ({"rtol": {"second": -0.5}}, "rtol of 'second'.*-0.5"),
        ({"atol": "much"}, "atol of 'first'.*'much'"),
        ({"rtol": {"first": float("nan")}}, "rtol of 'first'.*nan"),
        ({"atol": float("inf")}, "atol of 'first'.*inf"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(arguments, culprit):
    x, limits = square()
    arguments = {
        "objectives": {"first": cp.Maximize(x[0]), "second": cp.Maximize(x[1])}
    } | arguments
    with pytest.raises(lx.DeclarationError, match=culprit):
        lx.preemptive(arguments.pop("objectives"), limits, **arguments)


def test_a_level_that_is_no_objective_is_refused_by_name():
    x, limits = square()
    with pytest.raises(lx.DeclarationError, match=r"'bare'.*cp\.Minimize"):
        lx.preemptive({"bare": x[0]}, limits)
    with pytest.raises(lx.DeclarationError, match="'wrong' is not DCP"):
        lx.preemptive({"wrong": cp.Maximize(x[0] ** 2)}, limits)


def test_an_unbounded_level_is_named_and_what_came_before_is_kept():
    x = cp.Variable(2, name="x")
    levels = {"fine": cp.Minimize(x[0]), "endless": cp.Maximize(x[1])}
    with pytest.raises(lx.StageError, match="endless") as caught:
        lx.preemptive(levels, [x[0] >= 1]).solve()
    assert caught.value.status == "unbounded"
    assert caught.value.partial["fine"].value == near(1)


def test_a_tuple_of_names_and_a_blend_are_one_level_of_equals():
    x, limits = square()
    far = {"first": cp.Maximize(x[0]), "second": cp.Maximize(x[1])}
    by_tuple = lx.preemptive({"low": cp.Minimize(x[0]), ("a", "b"): list(far.values())}, limits)
    blend = lx.Blend(far, {"second": 2.0})
    by_blend = lx.preemptive({"low": cp.Minimize(x[0]), "both": blend}, limits)
    sums = lx.preemptive(
        {"low": cp.Minimize(x[0]), "both": cp.Maximize(x[0] + 2 * x[1])}, limits
    ).solve()
    assert list(by_tuple.subproblems) == ["low", "a + b"]
    pairs = [(1, far["first"]), (2, far["second"])]
    weighted = lx.preemptive({"low": cp.Minimize(x[0]), ("a", "b"): pairs}, limits)
    assert weighted.solve()["a + b"].value == near(sums["both"].value)
    assert by_blend.solve()["both"].value == near(sums["both"].value)
    plain = lx.preemptive({"low": cp.Minimize(x[0]), "both": cp.Maximize(x[0] + x[1])}, limits)
    assert by_tuple.solve()["a + b"].value == near(plain.solve()["both"].value)


def test_a_level_of_equals_has_tolerances_of_its_own():
    x, limits = square()
    levels = {("a", "b"): [cp.Maximize(x[0]), cp.Maximize(x[1])], "last": cp.Minimize(x[0])}
    exact, loose = (
        lx.preemptive(levels, limits, atol={("a", "b"): room}).solve() for room in (0.0, 0.5)
    )
    assert float(loose["last"].value) < float(exact["last"].value) + 1e-9
    total = float(loose["last"].at(x[0] + x[1]))
    assert total >= exact["a + b"].value - 0.5 - 1e-7


def test_objectives_of_both_senses_blend_in_the_sense_of_the_first():
    x, _ = square()
    mixed = lx.Blend({"cost": cp.Minimize(x[0]), "gain": cp.Maximize(x[1])}, {"gain": 3})
    assert isinstance(mixed.objective, cp.Minimize)
    x.value = np.array([1.0, 0.5])
    assert float(mixed.objective.expr.value) == near(1.0 - 1.5)


@pytest.mark.parametrize(
    ("make", "culprit"),
    [
        (lambda x: lx.Blend({}), "mapping"),
        (lambda x: lx.Blend({"a": cp.Minimize(x)}, {"b": 1}), "'b', which is no objective"),
        (lambda x: lx.Blend({"a": cp.Minimize(x)}, {"a": 0}), "must be positive"),
        (lambda x: lx.Blend({"a": x}), "'a' in a Blend must be"),
        (lambda x: lx.preemptive({("a", "b"): [cp.Minimize(x)]}), "list of 2 objectives"),
    ],
)
def test_a_blend_that_makes_no_sense_is_refused_by_name(make, culprit):
    with pytest.raises(lx.DeclarationError, match=culprit):
        make(cp.Variable(name="x"))
