"""One-sided derivatives at kinks, against differences of optima that are solved anew."""

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog

import lexiprog as lx
from tests.lexiprog.sensitivity.test_refusals import kink, tie

SIDES = {"right": 1.0, "left": -1.0}
STEP = 1e-5


def test_limits_that_coincide_count_on_one_side_each():
    program, low = kink()
    result = program.solve()
    assert result.gradient(low, of="least", side="right") == pytest.approx(1.0)
    assert result.gradient(low, of="least", side="left") == pytest.approx(0.0, abs=1e-9)


def test_of_equally_cheap_ways_the_dearer_one_is_left():
    program, cost = tie()
    result = program.solve()
    assert result.gradient(cost, of="least", side="right") == pytest.approx(0.0, abs=1e-9)
    assert result.gradient(cost, of="least", side="left") == pytest.approx(1.0)


def degenerate(seed, *, least=0):
    """Small whole numbers, rows that coincide at the optimum, and costs that tie."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(least, 3, (5, 4)).astype(float)
    point = rng.integers(0, 3, 4).astype(float)
    demand = rows @ point
    cost = rows.T @ rng.integers(0, 2, 5) + rng.integers(0, 2, 4) * (point == 0)
    return rows, demand, cost.astype(float)


def optimum(rows, demand, cost):
    found = linprog(cost, -rows, -demand, bounds=(0, 4), method="highs")
    return found.fun if found.status == 0 else None


@pytest.mark.parametrize(
    "seed", [*range(10), *(pytest.param(k, marks=pytest.mark.nightly) for k in range(10, 60))]
)
def test_random_degenerate_programs_agree_with_differences(seed):
    data = dict(zip(("rows", "demand", "cost"), degenerate(seed), strict=True))
    x = cp.Variable(4, bounds=[0, 4], name="x")
    given = {name: cp.Parameter(value.shape, name=name, value=value)
             for name, value in data.items()}  # fmt: skip
    least = cp.Minimize(given["cost"] @ x)
    result = lx.preemptive({"least": least}, [given["rows"] @ x >= given["demand"]]).solve()
    base = optimum(**data)
    for name in ("demand", "cost", "rows"):
        for side, sign in SIDES.items():
            wanted = np.zeros(data[name].shape)
            feasible = True
            for place in np.ndindex(wanted.shape):
                moved = {k: v.copy() for k, v in data.items()}
                moved[name][place] += sign * STEP
                value = optimum(**moved)
                feasible &= value is not None
                wanted[place] = np.nan if value is None else (value - base) / (sign * STEP)
            try:
                found = result.gradient(given[name], of="least", side=side)
            except lx.LexiprogError as error:
                # Without an inside a change of coefficients may leave nothing, or make a jump.
                refused = "nothing is feasible" in str(error) or "without bound" in str(error)
                assert refused
                assert not feasible or name == "rows"
                continue
            assert feasible
            assert found == pytest.approx(wanted, abs=1e-3)


def test_most_of_these_programs_have_kinks_and_answers():
    """So that the comparison above is no empty one."""
    kinks = answers = 0
    for seed in range(10):
        rows, demand, cost = degenerate(seed)
        x, side = cp.Variable(4, bounds=[0, 4], name="x"), cp.Parameter(5, value=demand)
        result = lx.preemptive({"least": cp.Minimize(cost @ x)}, [rows @ x >= side]).solve()
        try:
            result.gradient(side, of="least")
        except lx.LexiprogError:
            kinks += 1
        try:
            answers += bool(result.gradient(side, of="least", side="right").size)
        except lx.LexiprogError:
            continue
    assert kinks > 4
    assert answers > 6


@pytest.mark.parametrize("seed", range(8))
def test_kinks_are_followed_through_levels_that_are_held(seed):
    rng = np.random.default_rng(seed)
    rows, demand, cost = degenerate(seed, least=1)
    other = rng.integers(0, 4, 4).astype(float)
    x = cp.Variable(4, bounds=[0, 9], name="x")
    side = cp.Parameter(5, name="side", value=demand)
    levels = {"a": cp.Minimize(cost @ x), "b": cp.Maximize(other @ x)}
    tolerance = {"atol": {"a": 0.5}} if seed % 2 else {}
    program = lx.preemptive(levels, [rows @ x >= side], **tolerance)
    result = program.solve()

    def second(values):
        least = linprog(cost, -rows, -values, bounds=(0, 9)).fun + (0.5 if seed % 2 else 0.0)
        both, limits = np.vstack([-rows, cost]), np.append(-values, least + 1e-9)
        return -linprog(-other, both, limits, bounds=(0, 9)).fun

    base = second(demand)
    for which, sign in SIDES.items():
        found = result.gradient(side, of="b", side=which)
        for k in range(5):
            moved = demand.copy()
            moved[k] += sign * 1e-4
            assert found[k] == pytest.approx(sign * (second(moved) - base) / 1e-4, abs=5e-3)


def test_quadratic_programs_with_kinks():
    """The point of a box nearest to a target, two of whose limits coincide."""
    x, low = cp.Variable(2, name="x"), cp.Parameter(name="low", value=1.0)
    program = lx.preemptive({"near": cp.Minimize(cp.sum_squares(x))}, [x[0] >= low, x[0] >= 1])
    result = program.solve()
    with pytest.raises(lx.LexiprogError, match="kink"):
        result.gradient(low, of="near")
    assert result.gradient(low, of="near", side="right") == pytest.approx(2.0, abs=1e-5)
    assert result.gradient(low, of="near", side="left") == pytest.approx(0.0, abs=1e-5)


def test_where_nothing_is_feasible_on_a_side_it_says_so():
    x, low = cp.Variable(name="x"), cp.Parameter(name="low", value=1.0)
    result = lx.preemptive({"least": cp.Minimize(x)}, [x >= low, x <= 1]).solve()
    assert result.gradient(low, of="least", side="left") == pytest.approx(1.0)
    with pytest.raises(lx.LexiprogError, match=r"right derivative .* nothing is feasible"):
        result.gradient(low, of="least", side="right")


def test_smooth_optima_have_the_same_derivative_on_both_sides():
    x, radius = cp.Variable(3, name="x"), cp.Parameter(nonneg=True, name="radius", value=2.0)
    program = lx.preemptive({"far": cp.Maximize(cp.sum(x))}, [cp.norm(x) <= radius])
    result = program.solve()
    for side in (None, "left", "right"):
        found = result.gradient(radius, of="far", side=side)
        assert found == pytest.approx(np.sqrt(3), abs=1e-5)


def disc(value=2.0):
    """A half-space that touches a ball, so that a larger one is of no use."""
    x, radius = cp.Variable(3, name="x"), cp.Parameter(nonneg=True, name="radius", value=value)
    limits = [cp.norm(x) <= radius, cp.sum(x) <= 2 * np.sqrt(3)]
    return x, radius, lx.Subproblem("far", cp.Maximize(cp.sum(x)), limits)


def test_kinks_of_cones_have_a_derivative_on_each_side():
    _, radius, far = disc()
    result = lx.Program(lx.Stage("only", far)).solve()
    with pytest.raises(lx.LexiprogError, match="has no derivative"):
        result.gradient(radius, of="far")
    assert result.gradient(radius, of="far", side="left") == pytest.approx(np.sqrt(3), abs=1e-5)
    assert result.gradient(radius, of="far", side="right") == pytest.approx(0.0, abs=1e-5)
    with pytest.raises(lx.DeclarationError, match="side is"):
        result.gradient(radius, of="far", side="up")


def test_kinks_of_cones_are_followed_to_those_that_read_the_optimum():
    _, radius, far = disc()
    y = cp.Variable(name="y")
    near = lx.Subproblem("near", cp.Minimize(cp.square(y)), [y >= 3 * far.optimum])
    result = lx.Program(lx.Stage("one", far), lx.Stage("two", near)).solve()
    slope = 2 * 3 * (3 * 2 * np.sqrt(3)) * np.sqrt(3)
    assert result.gradient(radius, of="near", side="left") == pytest.approx(slope, rel=1e-4)
    assert result.gradient(radius, of="near", side="right") == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_eigenvalues_that_meet_part_as_their_space_tells(seed):
    """The largest eigenvalue moves as that of the change within the space of all that are equal."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    A = turn @ np.diag([2.0, 2.0, 2.0, -1.0]) @ turn.T
    B = rng.standard_normal((4, 4))
    B, t = (B + B.T) / 2, cp.Parameter(name="t", value=0.0)
    height = cp.Variable(name="height")
    rule = [height * np.eye(4) >> (A + A.T) / 2 + t * B]
    result = lx.preemptive({"top": cp.Minimize(height)}, rule).solve()
    parts = np.linalg.eigvalsh(turn[:, :3].T @ B @ turn[:, :3])
    assert result.gradient(t, of="top", side="right") == pytest.approx(parts[-1], abs=1e-4)
    assert result.gradient(t, of="top", side="left") == pytest.approx(parts[0], abs=1e-4)


@pytest.mark.parametrize(
    ("side", "words"),
    [("right", "do not settle"), ("left", "feasible"), (None, "no finite slope")],
)
def test_where_a_cone_has_no_slope_on_a_side_it_says_so_and_what_to_do(side, words):
    x, radius = cp.Variable(name="x"), cp.Parameter(name="radius", value=1.0)
    rule = [cp.norm(cp.hstack([x, 1.0])) <= radius]
    result = lx.preemptive({"far": cp.Maximize(x)}, rule).solve()
    with pytest.raises(lx.LexiprogError, match=words):
        result.gradient(radius, of="far", side=side)
