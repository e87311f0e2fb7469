"""What slack on a held optimum would buy: the right derivative, exactly, by independent means."""

import pickle
from dataclasses import replace
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, assume, given, settings

import lexiprog as lx
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.solve.prices import derivative_along
from tests.lexiprog.formulations import exact
from tests.lexiprog.formulations.random_chains import chains


def right_derivative(form, row):
    """The fall of the optimum per unit added to one right-hand side."""
    return derivative_along(form, np.where(np.arange(form.b.size) == row, 1.0, 0.0))


def near(wanted, size=1e-6):
    return pytest.approx(wanted, abs=size, rel=size)


def corner():
    """Maximise x0, then x1, where x0 + x1 <= 6 and both are at most 4: each unit buys one."""
    x = cp.Variable(2, bounds=[0, 4], name="x")
    levels = {"a": cp.Maximize(x[0]), "b": cp.Maximize(x[1]), "c": cp.Minimize(cp.sum(x))}
    return lx.preemptive(levels, [cp.sum(x) <= 6])


@pytest.mark.parametrize("solver", ["HIGHS", "CLARABEL", "ECOS"])
def test_the_price_worked_by_hand(solver):
    result = corner().solve(solver)
    assert result["b"].price("a") == near(1)
    assert result["c"].price("a") == near(1)
    assert result["c"].price("b") == near(1)


# Multipliers that are not unique: columns at most, rows at most, both objectives, right derivative.
DEGENERATE = {
    # The row through the optimum three times over: any split of its multiplier is one.
    "one row thrice": ([9, 9], [[1, 1], [1, 1], [2, 2]], [6, 6, 12], [1, 0], [0, 1], 1),
    # Slack on x opens nothing: the origin is all there is.
    "no way out": ([9, 9], [[1, 1]], [0], [1, 0], [0, 1], 0),
    # At (4, 2) both rows are met; y = min(2 + d, 2 + 2d).
    "flatter of two": ([4, 9], [[1, 1], [2, 1]], [6, 10], [1, 0], [0, 1], 1),
    # The first optimum is a whole edge; from its end (3, 3) to (3 - d/2, 3 + d/2).
    "end of an edge": ([9, 9], [[1, 1], [3, 1]], [6, 12], [3, 1], [0, 1], Fraction(1, 2)),
    # Three rows meet at (2, 2); the one that does not look tight leads to (2 - 2d/3, 2 + d/3).
    "three rows": ([9, 9], [[1, 1], [2, 1], [1, 2]], [4, 6, 6], [2, 1], [0, 1], Fraction(1, 3)),
    "same objective": ([9, 9], [[1, 2]], [6], [1, 1], [2, 2], 0),
    "opposite objective": ([9, 9], [[1, 2]], [6], [1, 1], [-3, -3], 3),
}


def degenerate(case):
    upper, rows, sides, first, second, wanted = DEGENERATE[case]
    chain = exact.Chain(
        lower=(0, 0), upper=tuple(upper), whole=(False, False), column_powers=(0, 0),
        rows=tuple((tuple(row), "<=", side) for row, side in zip(rows, sides, strict=True)),
        objectives=(("max", tuple(first)), ("max", tuple(second))), row_powers=(0,) * len(rows),
    )  # fmt: skip
    return chain, wanted


@pytest.mark.parametrize("solver", ["HIGHS", "CLARABEL"])
@pytest.mark.parametrize("case", DEGENERATE)
def test_the_price_is_the_right_derivative_where_multipliers_are_not_unique(case, solver):
    chain, wanted = degenerate(case)
    assert exact.price(chain, "1", "2") == Fraction(wanted)
    assert exact.as_program(chain).solve(solver).final.price("1") == near(float(wanted))


@pytest.mark.slow
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(chains(integers=False, lengths=(2, 4)))
def test_prices_in_random_degenerate_chains_are_exact_right_derivatives(chain):
    assume(exact.lexicographic_optimum(chain) is not None)
    result = exact.as_program(chain).solve()
    for name in list(result)[:-1]:
        wanted = exact.price(chain, name, result.final.name)
        assume(wanted is not None)
        assert result.final.price(name) == near(float(wanted), 1e-5), name


def by_difference(make, step=1e-4):
    """Central difference of the last optimum in the tolerance of the first level."""
    values = [make(0.5 + shift).solve("CLARABEL").final.value for shift in (-step, step)]
    return abs(values[1] - values[0]) / (2 * step)


def quadratic(tolerance):
    x = cp.Variable(2, bounds=[0, 9], name="x")
    levels = {"cost": cp.Minimize(3 * x[0] + x[1]), "near": cp.Minimize(cp.sum_squares(x - 5))}
    return lx.preemptive(levels, [x[0] + x[1] >= 2], atol={"cost": tolerance})


def curved_first(tolerance):
    x = cp.Variable(2, bounds=[0, 9], name="x")
    levels = {"near": cp.Minimize(cp.sum_squares(x - 1)), "far": cp.Maximize(x[0] + 2 * x[1])}
    return lx.preemptive(levels, atol={"near": tolerance})


def second_order(tolerance):
    x = cp.Variable(3, name="x")
    levels = {
        "short": cp.Minimize(cp.norm(x - np.array([1.0, 2.0, 3.0]))),
        "high": cp.Maximize(x[0] + x[1] + 2 * x[2]),
    }
    return lx.preemptive(levels, [cp.norm(x) <= 2], atol={"short": tolerance})


@pytest.mark.parametrize("make", [quadratic, curved_first, second_order])
def test_prices_of_curved_problems_agree_with_finite_differences(make):
    solution = make(0.5).solve("CLARABEL").final
    (lock,) = solution.locks
    assert lock.kind == "value"
    assert solution.price(lock.name) == near(by_difference(make), 1e-4)


def test_arguments_and_integers_have_no_price():
    x = cp.Variable(2, bounds=[0, 4], name="x")
    levels = {"curved": cp.Minimize(cp.square(cp.sum(x) - 3)), "then": cp.Maximize(x[0])}
    assert lx.preemptive(levels).solve().final.price("curved") is None
    n = cp.Variable(2, integer=True, bounds=[0, 4], name="n")
    levels = {"first": cp.Maximize(n[0]), "then": cp.Maximize(n[1])}
    assert lx.preemptive(levels, [cp.sum(n) <= 6]).solve().final.price("first") is None


def test_a_name_that_is_not_held_is_an_error_that_says_which_are():
    result = corner().solve()
    with pytest.raises(KeyError, match="'c' does not hold 'd'; it holds 'a', 'b'"):
        result["c"].price("d")
    with pytest.raises(KeyError, match="'a' does not hold 'b'; it holds none"):
        result["a"].price("b")


def test_prices_survive_pickling_and_saving(tmp_path):
    program = corner()
    result = program.solve()
    wanted = [result["c"].price(name) for name in ("a", "b")]
    again = pickle.loads(pickle.dumps(program.solve()))
    assert [again["c"].price(name) for name in ("a", "b")] == wanted
    program.solve().save(tmp_path / "result.json")
    for loaded in (
        lx.Result.load(tmp_path / "result.json"),
        lx.Result.load(tmp_path / "result.json", program),
    ):
        assert [loaded["c"].price(name) for name in ("a", "b")] == wanted
        assert [lock.kind for lock in loaded["c"].locks] == ["face", "face"]


def test_a_price_asked_for_later_is_that_of_its_own_solve():
    """The numbers of the moment count, not those the parameters have when it is asked."""
    x = cp.Variable(2, bounds=[0, 4], name="x")
    steep = cp.Parameter(nonneg=True, name="steep", value=2.0)
    levels = {"a": cp.Maximize(x[0]), "b": cp.Maximize(x[1])}
    program = lx.preemptive(levels, [steep * x[0] + x[1] <= 9])
    first = program.solve()
    steep.value = 1.5
    second = program.solve()
    assert [first.final.price("a"), second.final.price("a")] == near([2, 1.5])


def test_the_price_is_per_unit_of_slack_whatever_tolerance_there_is():
    x = cp.Variable(2, bounds=[0, 4], name="x")
    levels = {"a": cp.Maximize(x[0]), "b": cp.Maximize(x[1])}
    for tolerance, wanted in [(0.0, 3), (0.2, 3), (1.0, 0)]:
        program = lx.preemptive(levels, [3 * x[0] + x[1] <= 15], atol=tolerance)
        assert program.solve().final.price("a") == near(wanted)


def test_what_is_near_its_bound_is_not_taken_to_have_reached_it():
    # u + w / 1e6 == 3e-8, w <= d: u falls from 3e-8, slowly enough for all d up to 0.03.
    A = sp.csc_array(np.array([[1.0, 1e-6], [0.0, 1.0]]))
    form = StandardForm(
        np.array([0.0, -1.0]), 0.0, A, np.array([3e-8, 0.0]), Cones(zero=1, nonneg=1),
        lower=np.zeros(2), upper=np.full(2, np.inf),
    )  # fmt: skip
    assert right_derivative(form, 1) == pytest.approx(1.0)


def test_a_kink_just_behind_is_not_taken_for_one_here():
    """The largest x below b and 1 + 1e-6 rises with b at b = 1, though not for long."""
    A, b = sp.csc_array(np.ones((2, 1))), np.array([1.0, 1.0 + 1e-6])
    form = StandardForm(np.array([-1.0]), 0.0, A, b, Cones(nonneg=2))
    assert right_derivative(form, 0) == pytest.approx(1.0)
    assert right_derivative(form, 1) == pytest.approx(0.0)


def behind_an_equation(flip, scale):
    """The largest x up to b where x + s == 2 and s is 1 or more: nothing rises with b at 1."""
    columns = [1, 0] if flip else [0, 1]
    rows = np.array([[scale, scale], [1.0, 0.0]])[:, columns]
    c, lower = np.array([-1.0, 0.0])[columns], np.array([-np.inf, 1.0])[columns]
    return StandardForm(c, 0.0, sp.csc_array(rows), np.array([2.0 * scale, 1.0]),
                        Cones(zero=1, nonneg=1), lower=lower, upper=np.full(2, np.inf))  # fmt: skip


@pytest.mark.parametrize("beyond", [True, False])
@pytest.mark.parametrize("flip", [True, False])
@pytest.mark.parametrize("scale", [0.25, 1.0, -3.0])
def test_equations_are_kept_in_every_direction(flip, scale, beyond, monkeypatch):
    """Also where only the directions tell, since nothing is known of what lies beyond."""
    if not beyond:
        monkeypatch.setattr("lexiprog.solve.prices.multiplier_beyond", lambda *_: None)
    form = behind_an_equation(flip, scale)
    assert right_derivative(form, 1) == pytest.approx(0.0, abs=1e-9)
    lower = np.where(form.c == 0.0, 0.5, form.lower)
    assert right_derivative(replace(form, lower=lower), 1) == pytest.approx(1.0)


def most(limit=6.0, upper=(4.0, 9.0), lower=(0.0, 0.0), zero=0):
    """The most of x + 2y where x + y <= limit."""
    return StandardForm(
        np.array([-1.0, -2.0]), 0.0, sp.csc_array(np.ones((1, 2))), np.array([limit]),
        Cones(zero=zero, nonneg=1 - zero), lower=np.array(lower), upper=np.array(upper),
    )  # fmt: skip


@pytest.fixture(params=["beyond", "directions"])
def strategy(request, monkeypatch):
    """What is found a little further on, or, where nothing is, by the directions alone."""
    if request.param == "directions":
        monkeypatch.setattr("lexiprog.solve.prices.multiplier_beyond", lambda *_: None)


@pytest.mark.usefixtures("strategy")
@pytest.mark.parametrize(
    ("form", "rate"),
    [
        (most(), 2.0),  # (0, 6): y rises
        (most(upper=(4.0, 6.0)), 1.0),  # y has reached 6: x rises
        (most(upper=(4.0, 5.0)), 1.0),  # (1, 5) as well
        (most(upper=(1.0, 5.0)), 0.0),  # (1, 5), both at their ends
        (most(limit=20.0), 0.0),  # nobody comes near the row
        (most(limit=-3.0, lower=(-9.0, -9.0)), 2.0),
        (most(limit=-3.0, upper=(9.0, -1.0), lower=(-9.0, -9.0)), 1.0),
        (most(zero=1), 2.0),
        (most(zero=1, upper=(4.0, 5.0)), 1.0),
    ],
)
def test_the_optimum_rises_by_the_best_column_that_is_free_to_move(form, rate):
    assert right_derivative(form, 0) == pytest.approx(rate, abs=1e-9)


@pytest.mark.usefixtures("strategy")
def test_a_column_may_fall_only_from_above_its_lower_bound():
    """The least x where x >= b: less of b takes x along unless zero stops it."""
    for limit, lower, rate in ((3.0, 0.0, 1.0), (3.0, 3.0, 0.0), (0.0, -np.inf, 1.0)):
        form = StandardForm(
            np.ones(1), 0.0, sp.csc_array([[-1.0]]), np.array([-limit]), Cones(nonneg=1),
            lower=np.array([lower]), upper=np.array([np.inf]),
        )  # fmt: skip
        assert right_derivative(form, 0) == pytest.approx(rate, abs=1e-9)


@pytest.mark.usefixtures("strategy")
def test_a_direction_adds_to_several_rows_at_once():
    """The most of x + y, each below its own row: 1 for each, in its share."""
    form = StandardForm(-np.ones(2), 0.0, sp.csc_array(np.eye(2)), np.ones(2), Cones(nonneg=2))
    for share in ([1.0, 0.0], [0.5, 1.0], [1.0, 1.0]):
        assert derivative_along(form, np.array(share)) == pytest.approx(sum(share))
    # The same row twice: one of them alone opens nothing.
    twice = StandardForm(
        -np.ones(1), 0.0, sp.csc_array(np.ones((2, 1))), np.ones(2), Cones(nonneg=2)
    )
    assert derivative_along(twice, np.array([1.0, 0.0])) == pytest.approx(0.0, abs=1e-9)
    assert derivative_along(twice, np.array([1.0, 0.5])) == pytest.approx(0.5)


def test_what_has_no_optimum_has_no_price():
    empty = StandardForm(
        np.ones(1), 0.0, sp.csc_array([[1.0], [-1.0]]), np.array([0.0, -1.0]), Cones(nonneg=2)
    )
    assert right_derivative(empty, 0) is None
    # A tolerance of 1e-7 is still an optimum, of 1e-6 no more.
    for gap, known in ((2e-8, True), (1e-6, False)):
        narrow = StandardForm(
            np.ones(1), 0.0, sp.csc_array([[1.0], [-1.0]]), np.array([0.0, -gap]), Cones(nonneg=2)
        )
        assert (right_derivative(narrow, 0) is not None) is known
