"""What is tried and in which order, for each kind of problem, lock and solver."""

import cvxpy as cp
import pytest

import lexiprog as lx
from lexiprog.backends.strategies import Strategies, Strategy, more_exactly, strategies_to_try
from lexiprog.model.lock import NO_SLACK, Slack
from lexiprog.tolerances import LOCK_GUARD, SHARPEST_HIGHS

HIGHS, CLARABEL, EXACT, SCS = (lx.Solver(name) for name in ("HIGHS", "CLARABEL", "EXACT", "SCS"))


class Own:
    """A solver of one's own, which nothing is known of."""

    def solve(self, problem):
        problem.solve(solver="HIGHS")


def told(strategies):
    """Each way in a word or two: solver, mode, and what is special."""
    marks = {"refined": "refined", "strict": "strict"}
    return [
        " ".join(
            [s.solver.name, s.mode]
            + [word for field, word in marks.items() if getattr(s, field)]
            + ["plain"] * (s.solver.options.get("presolve") == "off")
        )
        for s in strategies
    ]


def tried(problem, *ladder, face=False, **more):
    return told(strategies_to_try(problem, ladder, face=face, **more))


@pytest.fixture
def x():
    return cp.Variable(2, name="x", bounds=[0, 3])


def held(owner, goal, rows=(), **terms):
    return lx.Subproblem("second", goal, [*rows, owner.held(**terms)])


def test_who_holds_nothing_is_asked_of_each_solver_and_linear_ones_are_refined_after_highs(x):
    linear = lx.Subproblem("a", cp.Minimize(x[0]), [cp.sum(x) >= 1])
    curved = lx.Subproblem("a", cp.Minimize(cp.sum_squares(x)), [cp.sum(x) >= 1])
    assert tried(linear, HIGHS) == ["HIGHS value", "HIGHS value refined"]
    assert tried(linear, CLARABEL, SCS) == ["CLARABEL value", "SCS value"]
    assert tried(curved, CLARABEL, SCS) == ["CLARABEL value", "SCS value"]
    assert tried(curved, HIGHS, SCS) == ["HIGHS value", "SCS value"]
    assert tried(linear, EXACT) == ["EXACT value"]
    # Beside HIGHS others give a second opinion on twice the digits; before fractions it is strict.
    assert tried(linear, HIGHS, CLARABEL) == [
        "HIGHS value", "HIGHS value refined", "CLARABEL value refined",
    ]  # fmt: skip
    assert tried(linear, HIGHS, CLARABEL, EXACT) == [
        "HIGHS value", "HIGHS value refined strict", "CLARABEL value refined strict",
        "EXACT value", "HIGHS value refined",
    ]  # fmt: skip
    own = lx.Solver(Own())
    assert tried(linear, HIGHS, own)[2] == f"{own.name} value"


def test_a_held_linear_optimum_is_a_bound_then_an_equation_then_guarded(x):
    first = lx.Subproblem("first", cp.Maximize(x[0]), rows := [cp.sum(x) <= 4])
    second = held(first, cp.Maximize(x[1]), rows)
    assert tried(second, HIGHS) == [
        "HIGHS value", "HIGHS value plain", "HIGHS value refined", "HIGHS equal", "HIGHS guarded",
    ]  # fmt: skip
    assert tried(second, CLARABEL) == ["CLARABEL value", "CLARABEL equal", "CLARABEL guarded"]
    assert tried(second, HIGHS, face=True)[0] == "HIGHS face"
    assert tried(second, HIGHS, face=True)[1:] == tried(second, HIGHS)
    assert tried(second, EXACT) == ["EXACT value"]
    own = lx.Solver(Own())
    assert tried(second, own, CLARABEL)[:2] == [f"{own.name} value", "CLARABEL value"]
    # Who chose about presolve is not asked again without it, and has no other digits either.
    chosen = lx.Solver("HIGHS", presolve="on")
    assert tried(second, chosen) == ["HIGHS value", "HIGHS equal", "HIGHS guarded"]
    integer = cp.Variable(2, name="x", integer=True, bounds=[0, 3])
    whole = lx.Subproblem("first", cp.Maximize(integer[0]), [cp.sum(integer) <= 4])
    assert "refined" not in " ".join(tried(held(whole, cp.Maximize(integer[1])), HIGHS))


def test_a_tolerance_is_no_equation_whether_declared_or_given_later(x):
    first = lx.Subproblem("first", cp.Maximize(x[0]), rows := [cp.sum(x) <= 4])
    loose = held(first, cp.Maximize(x[1]), rows, atol=0.1)
    assert tried(loose, CLARABEL) == ["CLARABEL value", "CLARABEL guarded"]
    exact = held(first, cp.Maximize(x[1]), rows)
    later = strategies_to_try(exact, (CLARABEL,), face=False, loosened=frozenset({"first"}))
    assert told(later) == ["CLARABEL value", "CLARABEL guarded"]


def test_an_optimum_on_a_curve_is_held_by_its_face_where_clarabel_is_asked(x):
    disk = [cp.norm(x) <= 1]
    first = lx.Subproblem("first", cp.Maximize(x[0]), disk)
    second = held(first, cp.Maximize(x[1]), disk)
    assert tried(second, CLARABEL)[:2] == ["CLARABEL face", "CLARABEL value"]
    assert tried(second, SCS)[0] == "SCS value"
    loosened = frozenset({"first"})
    assert tried(second, CLARABEL, loosened=loosened)[0] == "CLARABEL value"
    assert tried(held(first, cp.Maximize(x[1]), disk, rtol=0.1), CLARABEL)[0] == "CLARABEL value"
    # What it reads has an effect that multipliers tell; a face has none.
    earlier = lx.Subproblem("z", cp.Minimize(x[0]), [x[0] >= 0.1])
    reading = held(first, cp.Maximize(x[1]), [*disk, x[1] <= earlier.optimum])
    assert tried(reading, CLARABEL)[0] == "CLARABEL value"
    n = cp.Variable(name="n", integer=True)
    whole = held(first, cp.Maximize(x[1] + n), [*disk, n <= 1])
    assert "CLARABEL face" not in tried(whole, CLARABEL)


def test_squares_are_held_by_what_is_squared_before_their_value(x):
    first = lx.Subproblem("first", cp.Minimize(cp.sum_squares(x - 1)), rows := [cp.sum(x) >= 3])
    second = held(first, cp.Maximize(x[1]), rows)
    strategies = strategies_to_try(second, (CLARABEL,), face=False, loosened=frozenset({"other"}))
    assert told(strategies)[:2] == ["CLARABEL argument", "CLARABEL value"]
    assert strategies[0].loosened == {"other"}
    (position,) = dict(second.locks)
    assert [strategy.kind_of_lock(second, position) for strategy in strategies[:2]] == [
        "argument",
        "value",
    ]
    assert Strategy(CLARABEL, "face").kind_of_lock(second, position) == "face"


def test_fair_problems_are_asked_of_each_solver_and_guarded_if_they_hold_something(x):
    fair = lx.leximin([x[0], x[1]], [cp.sum(x) <= 4])["leximin"]
    assert tried(fair, HIGHS, CLARABEL) == ["HIGHS value", "CLARABEL value"]
    first = lx.Subproblem("first", cp.Minimize(cp.sum(x)), [cp.sum(x) >= 2])
    holding = lx.Subproblem("fair", lx.Leximin([x[0], x[1]]), [cp.sum(x) <= 4, first.held()])
    assert tried(holding, HIGHS, CLARABEL) == [
        "HIGHS value", "CLARABEL value", "HIGHS guarded", "CLARABEL guarded",
    ]  # fmt: skip
    lottery = lx.leximin([0, 0], pricing=lambda prices: ([[1.0, 1.0]], prices.sum()))["leximin"]
    assert tried(lottery, HIGHS, CLARABEL) == ["HIGHS value"]


@pytest.mark.parametrize(
    ("options", "sharp"),
    [({}, True), ({"time_limit": 9.0}, True), ({"primal_feasibility_tolerance": 1e-6}, False),
     ({"highs_options": {}}, False)],
)  # fmt: skip
def test_levels_are_held_with_the_least_tolerance_of_highs_unless_one_is_chosen(x, options, sharp):
    program = lx.leximin([x[0], x[1]], [cp.sum(x) <= 4])
    after = lx.Subproblem("after", cp.Minimize(x[0]), [program["leximin"].held()])
    (first, *_) = strategies_to_try(after, (lx.Solver("HIGHS", **options),), face=False)
    assert set(SHARPEST_HIGHS.values()) == {1e-10}  # HiGHS takes no less
    assert (first.solver.options.items() >= SHARPEST_HIGHS.items()) is sharp
    (other, *_) = strategies_to_try(after, (CLARABEL,), face=False)
    assert not other.solver.options.keys() & SHARPEST_HIGHS.keys()
    (position,) = dict(after.locks)
    assert Strategy(HIGHS, "face").kind_of_lock(after, position) == "value"


def test_a_guard_is_added_to_what_is_allowed_already(x):
    given = Slack({"first": 0.25})
    assert Strategy(HIGHS).slack(given) is given
    guarded = Strategy(HIGHS, "guarded").slack(given)
    assert (guarded.guard, dict(guarded.tolerances)) == (LOCK_GUARD, {"first": 0.25})
    assert NO_SLACK.guard == 0.0


def test_more_exact_ways_follow_the_first_and_all_with_a_successor_are_strict():
    strategies = Strategies([Strategy(HIGHS, "face"), Strategy(HIGHS), Strategy(CLARABEL)])
    more = [Strategy(HIGHS, "face", refined=True), Strategy(EXACT)]
    assert told(more_exactly(strategies, more)) == [
        "HIGHS face strict", "HIGHS face refined strict", "EXACT value", "HIGHS value",
        "CLARABEL value",
    ]  # fmt: skip
    assert told(more_exactly(strategies, [])) == ["HIGHS face", "HIGHS value", "CLARABEL value"]
