"""Fronts through the public name: published ones, brute force, theory, and what is refused."""

import json
from itertools import permutations, product
from pathlib import Path

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import lexiprog as lx
from tests.lexiprog.parametric.test_linear_fronts import linear_instance

PUBLISHED = json.loads((Path(__file__).parents[3] / "benchmarks/published_fronts.json").read_text())


def knapsack(values, weights, capacity, **options):
    take = cp.Variable(len(weights), boolean=True, name="take")
    one, other = (np.array(gains) @ take for gains in values)
    objectives = {"one": cp.Maximize(one), "other": cp.Maximize(other)}
    return lx.frontier(objectives, [np.array(weights) @ take <= capacity], **options)


def non_dominated(pairs):
    """Of pairs to maximise."""
    pairs = {tuple(map(float, pair)) for pair in pairs}
    return sorted(
        p for p in pairs if not any(q != p and min(q[0] - p[0], q[1] - p[1]) >= 0 for q in pairs)
    )


def random_knapsack(seed, size):
    rng = np.random.default_rng(seed)
    weights, *values = rng.integers(1, 30, (3, size))
    capacity = int(weights.sum() * rng.uniform(0.3, 0.7))
    every = np.array(list(product([0, 1], repeat=size)))
    every = every[every @ weights <= capacity]
    return (values, weights, capacity), non_dominated(every @ np.array(values).T)


@pytest.mark.parametrize(
    ("first", "count"),
    [(0, 10), *(pytest.param(k, 10, marks=pytest.mark.nightly) for k in range(10, 100, 10))],
)
def test_random_knapsacks_have_every_non_dominated_point(first, count):
    for seed in range(first, first + count):
        instance, wanted = random_knapsack(seed, 10)
        front = knapsack(*instance)
        assert front.points.tolist() == [list(p) for p in wanted], seed
        assert front.complete
        assert all(s.certificate.passed and s.status == "optimal" for s in front.solutions)
        for point, solution in zip(front.points, front.solutions, strict=True):
            take = solution["take"]
            assert point.tolist() == [float(np.array(g) @ take) for g in instance[0]]


@pytest.mark.parametrize(
    "name",
    [
        *("knapsack17", "2KP50-92"),
        *(
            pytest.param(name, marks=pytest.mark.nightly)
            for name in ("2KP50-11", "2KP50-50", "2KP100-50")
        ),
    ],
)
def test_published_fronts_are_found_point_by_point(name):
    known = PUBLISHED[name]
    front = knapsack(known["values"], known["weights"], known["capacity"])
    assert front.points.tolist() == known["points"]
    assert front.complete


def test_an_assignment_front_agrees_with_trying_every_permutation():
    rng = np.random.default_rng(4)
    costs = rng.integers(0, 20, (2, 5, 5))
    x = cp.Variable((5, 5), boolean=True, name="x")
    objectives = {
        k: cp.Minimize(cp.sum(cp.multiply(c, x))) for k, c in zip("ab", costs, strict=True)
    }
    front = lx.frontier(objectives, [cp.sum(x, axis=0) == 1, cp.sum(x, axis=1) == 1])
    every = [[c[range(5), p].sum() for c in costs] for p in permutations(range(5))]
    wanted = sorted((-a, -b) for a, b in non_dominated(-np.array(every)))
    assert front.points.tolist() == [list(p) for p in wanted]
    for k, cost in enumerate(costs):
        rows, columns = linear_sum_assignment(cost)
        assert front.points[:, k].min() == cost[rows, columns].sum()


def test_a_convex_front_is_known_to_its_error():
    """The least squared distances to two points: sqrt(a) + sqrt(b) = 5 on the line between."""
    x = cp.Variable(2, name="x")
    near, far = cp.sum_squares(x), cp.sum_squares(x - [3, 4])
    objectives = {"a": cp.Minimize(near), "b": cp.Minimize(far)}
    front = lx.frontier(objectives, error=0.01)
    a, b = front.points.T
    assert front.complete
    assert front.error <= 0.25 + 1e-6
    assert np.sqrt(np.maximum(a, 0)) + np.sqrt(np.maximum(b, 0)) == pytest.approx(5, abs=1e-3)
    places = np.linspace(0, 25, 200)
    off = np.interp(places, a, b) - (5 - np.sqrt(places)) ** 2
    assert off.min() >= -1e-4
    assert off.max() <= front.error + 1e-4
    assert all(s.certificate.passed for s in front.solutions)
    finer = lx.frontier(objectives, error=0.003, resume=front)
    assert finer.error < front.error
    assert len(finer) > len(front)


def test_a_published_portfolio_front_has_its_ends():
    # MultiObjectiveAlgorithms.jl, test_EpsilonConstraint.jl, test_quadratic: mean and variance.
    mean = np.array([0.05470748600000001, 0.18257110599999998])
    Q = np.array([[0.00076204, 0.00051972], [0.00051972, 0.00546173]])
    w = cp.Variable(2, nonneg=True, name="w")
    objectives = {"risk": cp.Minimize(cp.quad_form(w, Q)), "return": cp.Maximize(mean @ w)}
    front = lx.frontier(objectives, [cp.sum(w) == 1], error=0.01)
    # One number decides: risk is a parabola in the share of the second asset.
    share = (front.points[:, 1] - mean[0]) / (mean[1] - mean[0])
    both = np.stack([1 - share, share])
    assert front.points[:, 0] == pytest.approx(np.sum(both * (Q @ both), axis=0), abs=1e-7)
    least = (Q[0, 0] - Q[0, 1]) / (Q[0, 0] - 2 * Q[0, 1] + Q[1, 1])
    assert share[[0, -1]] == pytest.approx([least, 1.0], abs=1e-3)


def test_limits_on_points_and_time_keep_what_is_there():
    instance, wanted = random_knapsack(5, 10)
    assert len(wanted) > 3
    part = knapsack(*instance, limit=3)
    assert len(part) == 3
    assert not part.complete
    assert part.missing
    assert "points may be missing between" in str(part)
    whole = knapsack(*instance, resume=part)
    assert whole.points.tolist() == [list(p) for p in wanted]
    assert whole.complete
    none = knapsack(*instance, time_limit=1e-9)
    assert len(none) == 0
    assert "seconds were not enough" in str(none)
    assert knapsack(*instance, resume=none).points.tolist() == [list(p) for p in wanted]
    A, demand, costs = linear_instance(1)
    x = cp.Variable(6, bounds=[0, 9], name="x")
    few = lx.frontier({k: cp.Minimize(c @ x) for k, c in zip("ab", costs, strict=True)},
                      [A @ x >= demand], limit=2)  # fmt: skip
    assert len(few) == 2
    assert not few.complete


def test_resume_refuses_fronts_of_other_problems():
    instance, _ = random_knapsack(5, 10)
    part = knapsack(*instance, limit=3)
    values, weights, capacity = instance
    with pytest.raises(lx.DeclarationError, match="other numbers"):
        knapsack(values, weights, capacity - 1, resume=part)
    x = cp.Variable(name="x")
    with pytest.raises(lx.DeclarationError, match="one and other"):
        lx.frontier({"a": cp.Minimize(x), "b": cp.Maximize(x)}, [x >= 0, x <= 1], resume=part)
    with pytest.raises(lx.DeclarationError, match="takes a Frontier"):
        lx.frontier({"a": cp.Minimize(x), "b": cp.Maximize(x)}, [x >= 0, x <= 1], resume=3)


def brute_front(values):
    """Of rows to maximise, sorted."""
    values = np.unique(values, axis=0)
    beaten = [np.any(np.all(values >= v, axis=1) & np.any(values > v, axis=1)) for v in values]
    return values[~np.array(beaten)].astype(float).tolist()


@pytest.mark.parametrize("count", [3, 4, 5])
def test_three_and_more_objectives_have_every_non_dominated_point(count):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        weights, *gains = rng.integers(1, 20, (count + 1, 8))
        take = cp.Variable(8, boolean=True, name="take")
        names = "abcde"[:count]
        objectives = {k: cp.Maximize(g @ take) for k, g in zip(names, gains, strict=True)}
        front = lx.frontier(objectives, [weights @ take <= weights.sum() // 2])
        every = np.array(list(product([0, 1], repeat=8)))
        values = every[every @ weights <= weights.sum() // 2] @ np.array(gains).T
        assert front.points.tolist() == brute_front(values)
        assert front.complete
        assert front.open == 0
        assert all(s.certificate.passed and s.status == "optimal" for s in front.solutions)


@pytest.mark.filterwarnings("ignore:subproblem 'front' could only be solved with the lock")
@pytest.mark.parametrize("before", [False, True])
def test_curved_integer_fronts_are_samples_and_nothing_between_them_is_claimed(before):
    z = cp.Variable(3, integer=True, bounds=[0, 3], name="z")
    near, gain = cp.sum_squares(z - 1), z[2] + 2 * z[0]
    level = lx.Subproblem("level", cp.Maximize(z[0] + z[1]), [cp.sum(z) <= 4])
    extra = {"program": lx.Program(lx.Stage("level", level))} if before else {}
    room = [cp.sum(z) <= 4, *([level.held(atol=2)] if before else [])]
    front = lx.frontier({"near": cp.Minimize(near), "gain": cp.Maximize(gain)}, room, **extra)
    every = np.array(list(product(range(4), repeat=3)))
    every = every[(every.sum(axis=1) <= 4) & (every[:, 0] + every[:, 1] >= 2 * before)]
    values = np.stack([-((every - 1) ** 2).sum(axis=1), every[:, 2] + 2 * every[:, 0]], axis=1)
    assert (front.points * [-1, 1]).round(6).tolist() == brute_front(values)[::-1]
    assert front.discrete
    assert not front.complete
    assert np.isnan(front.open)


def test_what_is_open_bounds_what_a_limit_leaves_out():
    for seed in (0, 2, 5):
        rng = np.random.default_rng(seed)
        weights, *gains = rng.integers(1, 40, (3, 12))
        take = cp.Variable(12, boolean=True, name="take")
        objectives = {k: cp.Maximize(g @ take) for k, g in zip("ab", gains, strict=True)}
        room, share = [weights @ take <= weights.sum() // 2], 1.0
        whole = lx.frontier(objectives, room)
        worst = {k: v - 1 for k, v in zip("ab", whole.points.min(axis=0).tolist(), strict=True)}
        size = np.prod(np.ptp(whole.points, axis=0) + 1)
        assert len(whole) > 2
        for limit in range(2, len(whole)):
            part = lx.frontier(objectives, room, limit=limit)
            missing = whole.hypervolume(worst) - part.hypervolume(worst)
            assert missing / size <= part.open <= share
            share = part.open


def test_bounds_and_references_are_checked_and_curved_fronts_are_not_complete_within_bounds():
    y = cp.Variable(2, name="y")
    objectives = {"a": cp.Minimize(y[0]), "b": cp.Minimize(y[1])}
    front = lx.frontier(objectives, [cp.norm(y) <= 1], error=0.1)
    part = front.filter(a=[-0.9, -0.1])
    assert front.complete
    assert not part.complete
    assert "as constraints" in str(part)
    for bound in ("x", (1, 2, 3), np.nan, [None, "x"]):
        with pytest.raises(lx.DeclarationError, match="bound on 'a'"):
            front.filter(a=bound)
    for reference in ({"a": np.nan}, {"a": "x"}, [1, 2]):
        for ask in (front.nearest, front.hypervolume):
            with pytest.raises(lx.DeclarationError, match="finite numbers"):
                ask(reference)
    with pytest.raises(lx.DeclarationError, match="one objective at least"):
        front.nearest({})


def test_another_solver_solves_each_point_again():
    A, demand, costs = linear_instance(1)
    x = cp.Variable(6, bounds=[0, 9], name="x")
    objectives = {k: cp.Minimize(c @ x) for k, c in zip("ab", costs, strict=True)}
    front = lx.frontier(objectives, [A @ x >= demand], solver="CLARABEL")
    assert {s.solver for s in front.solutions} == {"CLARABEL"}
    default = lx.frontier(objectives, [A @ x >= demand])
    assert front.points == pytest.approx(default.points, abs=1e-5)


def test_what_has_no_front_is_refused_in_sentences():
    x = cp.Variable(2, name="x")
    low, high = cp.Minimize(x[0]), cp.Maximize(x[1])
    with pytest.raises(lx.DeclarationError, match="at least two objectives"):
        lx.frontier({"a": low})
    with pytest.raises(lx.DeclarationError, match="mapping"):
        lx.frontier([low, high])
    with pytest.raises(lx.DeclarationError, match="'b' must be"):
        lx.frontier({"a": low, "b": x[0]})
    with pytest.raises(lx.DeclarationError, match="limit"):
        lx.frontier({"a": low, "b": high}, limit=1)
    with pytest.raises(lx.DeclarationError, match="time_limit"):
        lx.frontier({"a": low, "b": high}, time_limit=0)
    with pytest.raises(lx.StageError, match="unbounded"):
        lx.frontier({"a": low, "b": high})
    with pytest.raises(lx.StageError, match="infeasible"):
        lx.frontier({"a": low, "b": high}, [x >= 1, x <= 0])
    whole = cp.Variable(2, integer=True, name="whole")
    with pytest.raises(lx.StageError, match="unbounded"):
        lx.frontier({"a": cp.Minimize(whole[0]), "b": cp.Maximize(whole[1])}, [whole[0] >= 0])
    with pytest.raises(lx.StageError, match="infeasible"):
        lx.frontier({"a": cp.Minimize(whole[0]), "b": cp.Maximize(whole[1])},
                    [whole >= 1, whole <= 0])  # fmt: skip


def test_nothing_of_the_callers_is_changed():
    room = cp.Parameter(value=6.0, name="room")
    take = cp.Variable(3, boolean=True, name="take")
    take.value = np.array([1.0, 0.0, 0.0])
    constraints = [np.array([3, 4, 2]) @ take <= room]
    objectives = {"v": cp.Maximize([5, 2, 2] @ take), "b": cp.Maximize([1, 4, 3] @ take)}
    front = lx.frontier(objectives, constraints)
    assert take.value.tolist() == [1.0, 0.0, 0.0]
    assert (room.value, len(constraints), list(objectives)) == (6.0, 1, ["v", "b"])
    assert front.solutions[0].parameters["room"] == 6.0


def test_text_html_and_frame():
    instance, wanted = random_knapsack(1, 10)
    front = knapsack(*instance)
    frame = front.to_frame()
    assert frame["one"].tolist() == [p[0] for p in wanted]
    assert f"every non-dominated point ({len(wanted)})" in str(front)
    assert "Front of one and other" in front._repr_html_()
    assert len(front) == len(wanted)


def test_progress_names_the_points(capsys):
    instance, wanted = random_knapsack(1, 10)
    knapsack(*instance, progress=True)
    assert f"{wanted[-1][0]:g}" in capsys.readouterr().err.replace("-", "")
