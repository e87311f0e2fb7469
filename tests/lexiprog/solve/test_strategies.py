"""What is tried, in which order and by whom, for each kind of problem, lock and solver."""

import cvxpy as cp
import pytest

import lexiprog as lx
from lexiprog.backends.solver import default_fallbacks
from lexiprog.compile.task import Strategy
from lexiprog.fairness.any_solver import LevelsByValue
from lexiprog.fairness.backend import FairHighs, FairLotteries
from lexiprog.model.lock import NO_SLACK, Slack
from lexiprog.solve.conic_face import ConicFace
from lexiprog.solve.direct import Custom, Direct
from lexiprog.solve.exact import Exact
from lexiprog.solve.lp_chain import FaceChain
from lexiprog.solve.mixed_rows import MixedRowChain
from lexiprog.solve.strategies import (
    LARGEST,
    TABLE,
    Backends,
    Case,
    strategies_for,
)
from lexiprog.solve.warm_start import WarmHighs
from lexiprog.tolerances import ALL_DIGITS, LOCK_GUARD, SHARPEST_HIGHS

HIGHS, CLARABEL, EXACT, SCS = (lx.Solver(name) for name in ("HIGHS", "CLARABEL", "EXACT", "SCS"))


class Own:
    """A solver of one's own, which nothing is known of."""

    def solve(self, problem):
        problem.solve(solver="HIGHS")


def told(strategies):
    """Each strategy in a word or two: solver, mode, and what is special."""
    return [
        " ".join(
            [s.solver.name, s.mode]
            + [word for word in ("refined", "strict") if getattr(s, word)]
            + ["plain"] * (s.solver.options.get("presolve") == "off")
        )
        for s in strategies
    ]


def strategies(problem, *solvers, **facts):
    return [strategy for _, strategy in strategies_for(Case(problem, solvers, **facts))]


def tried(problem, *solvers, **facts):
    return told(strategies(problem, *solvers, **facts))


@pytest.fixture
def x():
    return cp.Variable(2, name="x", bounds=[0, 3])


def held(owner, goal, rows=(), **terms):
    return lx.Subproblem("second", goal, [*rows, owner.held(**terms)])


def test_who_holds_nothing_is_asked_of_each_solver_and_linear_ones_are_refined(x):
    linear = lx.Subproblem("a", cp.Minimize(x[0]), [cp.sum(x) >= 1])
    curved = lx.Subproblem("a", cp.Minimize(cp.sum_squares(x)), [cp.sum(x) >= 1])
    assert tried(linear, HIGHS) == ["HIGHS value", "HIGHS value refined"]
    assert tried(linear, CLARABEL, SCS) == [
        "CLARABEL value", "CLARABEL value refined", "SCS value", "SCS value refined",
    ]  # fmt: skip
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
    assert tried(second, HIGHS, chain=True)[:2] == ["HIGHS face strict", "HIGHS face refined"]
    assert tried(second, HIGHS, chain=True)[2:] == tried(second, HIGHS)
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
    later = tried(exact, CLARABEL, loosened=frozenset({"first"}))
    assert later == ["CLARABEL value", "CLARABEL guarded"]


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
    assert tried(whole, CLARABEL)[:2] == ["CLARABEL face", "CLARABEL value"]


def test_squares_are_held_by_what_is_squared_before_their_value(x):
    first = lx.Subproblem("first", cp.Minimize(cp.sum_squares(x - 1)), rows := [cp.sum(x) >= 3])
    second = held(first, cp.Maximize(x[1]), rows)
    listed = strategies(second, CLARABEL, loosened=frozenset({"other"}))
    assert told(listed)[:2] == ["CLARABEL argument", "CLARABEL value"]
    assert listed[0].loosened == {"other"}
    (position,) = dict(second.locks)
    assert [strategy.kind_of_lock(second, position) for strategy in listed[:2]] == [
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
    first, *_ = strategies(after, lx.Solver("HIGHS", **options))
    assert set(SHARPEST_HIGHS.values()) == {1e-10}  # HiGHS takes no less
    assert (first.solver.options.items() >= SHARPEST_HIGHS.items()) is sharp
    other, *_ = strategies(after, CLARABEL)
    assert not other.solver.options.keys() & SHARPEST_HIGHS.keys()
    (position,) = dict(after.locks)
    assert Strategy(HIGHS, "face").kind_of_lock(after, position) == "value"


def test_a_guard_is_added_to_what_is_allowed_already(x):
    given = Slack({"first": 0.25})
    assert Strategy(HIGHS).slack(given) is given
    guarded = Strategy(HIGHS, "guarded").slack(given)
    assert (guarded.guard, dict(guarded.tolerances)) == (LOCK_GUARD, {"first": 0.25})
    assert NO_SLACK.guard == 0.0


def test_more_exact_strategies_follow_a_face_and_all_with_a_successor_are_strict(x):
    first = lx.Subproblem("first", cp.Maximize(x[0]), rows := [cp.sum(x) <= 4])
    second = held(first, cp.Maximize(x[1]), rows)
    faces = ["HIGHS face strict", "HIGHS face refined strict", "EXACT value"]
    assert tried(second, HIGHS, chain=True, fractions=True)[:4] == [*faces, "HIGHS value"]
    # Once floats are ambiguous, fractions come first, and nothing follows that could be more exact.
    ambiguous = tried(second, HIGHS, EXACT, chain=True, fractions=True, ambiguous=True)
    assert ambiguous[:3] == ["EXACT value", "HIGHS face", "HIGHS value"]
    assert ambiguous.count("EXACT value") == 1
    # Over rows of their own, the same in turn: faces, the declared bound, and fractions at the end.
    assert tried(second, HIGHS, mixed=True, fractions=True)[:6] == [
        "HIGHS face strict", "HIGHS face refined", "HIGHS value strict",
        "HIGHS value refined strict", "EXACT value", "HIGHS value plain",
    ]  # fmt: skip
    assert tried(second, SCS, mixed=True)[:4] == [
        "SCS value strict", "SCS face refined strict", "SCS value refined", "SCS equal",
    ]  # fmt: skip
    assert tried(first, HIGHS, apart=True)[:2] == ["HIGHS value refined strict", "HIGHS value"]
    assert tried(second, EXACT, rounded=True) == ["EXACT value", "EXACT guarded"]


def test_strategies_are_made_when_they_are_asked_for(x, monkeypatch):
    first = lx.Subproblem("first", cp.Maximize(x[0]), rows := [cp.sum(x) <= 4])
    second = held(first, cp.Maximize(x[1]), rows)
    asked = []
    monkeypatch.setattr(
        "lexiprog.solve.strategies.can_restate", lambda *given: asked.append(given[1]) or False
    )
    coming = strategies_for(Case(second, (HIGHS,), chain=True))
    assert next(coming)[1].mode == "face"
    assert asked == []
    assert next(coming)[1].refined
    assert next(coming)[1].mode == "value"
    assert asked == ["argument"]


def test_no_strategy_is_tried_twice_and_without_a_solver_there_is_none(x):
    linear = lx.Subproblem("a", cp.Minimize(x[0]), [cp.sum(x) >= 1])
    assert tried(linear, HIGHS, CLARABEL, HIGHS) == tried(linear, HIGHS, CLARABEL)
    assert tried(linear) == []


def box(integer=False, curved=False):
    x = cp.Variable(2, name="x", integer=integer, bounds=[0, 3])
    second = cp.Minimize(cp.sum_squares(x)) if curved else cp.Maximize(x[1])
    return lx.preemptive({"a": cp.Maximize(x[0]), "b": second}, [cp.sum(x) <= 4])


def backends(program, solver=None, **terms):
    problems = [p for stage in program.stages for p in stage.subproblems]
    given = None if solver is None else (lx.Solver(solver),)
    solvers = {p.name: given or default_fallbacks(p.kind) for p in problems}
    return Backends.of(program.stages, solvers, **terms)


def chosen(program, name="b", solver=None, backend="solver", **terms):
    found = backends(program, solver, **terms)
    return found.backend(program[name], Strategy(found.solvers[name][0], backend=backend))


def test_each_kind_of_problem_has_its_backend():
    assert isinstance(chosen(box(), "a", backend="face chain"), FaceChain)
    assert isinstance(chosen(box(), backend="mixed rows"), MixedRowChain)
    assert isinstance(chosen(box(curved=True), backend="conic face"), ConicFace)
    assert isinstance(chosen(box()), Direct)
    assert isinstance(chosen(box(), solver="EXACT"), Exact)
    assert isinstance(chosen(box(), solver=Own()), Custom)
    assert isinstance(chosen(box(), warm=WarmHighs()), WarmHighs)
    assert isinstance(chosen(box(integer=True)), Direct)
    assert isinstance(chosen(lx.leximin([cp.Variable(bounds=[0, 1])]), "leximin"), FairHighs)
    # Several may be under way at once, but for a solver of one's own.
    assert not chosen(box(), "a", backend="face chain").alone
    assert chosen(box(), solver=Own()).alone


def test_points_that_somebody_refers_to_are_sharp_and_others_are_not():
    x = cp.Variable(2, name="x", bounds=[0, 3])
    a = lx.Subproblem("a", cp.Minimize(cp.sum_squares(x)), [cp.sum(x) >= 1])
    b = lx.Subproblem("b", cp.Minimize(x[0]), [x[1] >= a.at(x[1])])
    c = lx.Subproblem("c", cp.Minimize(x[1]), [x[0] >= 1])
    program = lx.Program(lx.Stage("1", a, c), lx.Stage("2", b))
    assert [chosen(program, name).sharp for name in "abc"] == [True, True, False]


def test_a_lottery_is_run_as_one():
    program = lx.leximin([0, 0], pricing=lambda prices: ([[1.0, 1.0]], prices.sum()))
    assert isinstance(chosen(program, "leximin"), FairLotteries)


def test_fair_problems_need_somebody_who_solves_them():
    program = lx.leximin([cp.sqrt(cp.Variable(bounds=[0, 1], name="x"))])
    with pytest.raises(TypeError, match="nobody here"):
        chosen(program, "leximin")
    assert isinstance(chosen(program, "leximin", execute=lambda: None), LevelsByValue)


def test_a_chain_has_one_exact_backend_and_others_one_each():
    program = box()
    found = backends(program, "EXACT")
    first, second = (
        found.backend(program[name], Strategy(found.solvers[name][0])) for name in "ab"
    )
    assert first is second
    alone = lx.Program(*box(curved=True).stages[:1])
    found = backends(alone, "EXACT")
    assert found.backend(alone["a"], Strategy(found.solvers["a"][0])).chain is None


def test_an_optimum_without_a_face_is_ambiguous_unless_known_to_all_digits():
    program = box()
    solved = program.solve()
    found = backends(program)
    assert found.ambiguous(program["a"], solved) == []
    for share, doubtful in ((0.0, []), (0.5 * ALL_DIGITS, []), (2 * ALL_DIGITS, ["a"])):
        unsure = Unsure(share)
        assert found.ambiguous(program["b"], {"a": unsure}) == doubtful
    found.chains["b"].faces["a"] = Told(uncertain=False)
    assert found.ambiguous(program["b"], {"a": Unsure(1.0)}) == []
    found.chains["b"].faces["a"] = Told(uncertain=True)
    assert found.ambiguous(program["b"], {"a": Unsure(0.0)}) == ["a"]
    curved = box(curved=True)
    assert backends(curved).ambiguous(curved["b"], {"a": Unsure(1.0)}) == []


class Unsure:
    """An optimum of size ten that is known to a share of it."""

    size = 10.0

    def __init__(self, share):
        self.uncertainty = share * self.size


class Told:
    """A face that is clear, or not."""

    def __init__(self, *, uncertain):
        self.uncertain = uncertain


def test_after_an_ambiguous_optimum_fractions_come_first_where_problems_are_small():
    pytest.importorskip("flint")
    program = box()
    assert leading(program, 1.0) == "EXACT"
    assert leading(program, 0.0) == "HIGHS"
    for rows, first in ((LARGEST - 1, "EXACT"), (LARGEST + 1, "HIGHS")):
        x = cp.Variable(rows, name="x", bounds=[0, 3])
        large = lx.preemptive({"a": cp.Maximize(x[0]), "b": cp.Maximize(x[1])}, [x <= 2])
        assert leading(large, 1.0) == first


def leading(program, share):
    """The solver of the first strategy, where this share of the optimum held is not known."""
    return next(backends(program).strategies(program["b"], {"a": Unsure(share)})).solver.name


def test_where_the_faces_of_a_chain_are_known_they_come_first():
    program = box()
    found = backends(program)
    assert not found.case(program["b"], {"a": Unsure(0.0)}).chain
    found.chains["b"].faces["a"] = Told(uncertain=False)
    assert found.case(program["b"], {"a": Unsure(0.0)}).chain


def test_a_lock_with_slack_beyond_its_declaration_stays_a_bound():
    program = box()
    solvers = dict.fromkeys("ab", (lx.Solver("HIGHS"),))
    for slack, equal in ((NO_SLACK, True), (Slack({"a": 0.0}), True), (Slack({"a": 0.5}), False)):
        case = Backends.of(program.stages, solvers, slack).case(program["b"], program.solve())
        assert any(strategy.mode == "equal" for _, strategy in strategies_for(case)) is equal


def test_the_table_shows_what_will_be_tried_for_every_subproblem():
    program = box(curved=True)
    text = program.describe(strategies=True)
    assert text.startswith(program.describe())
    assert "\n  a\n    1. HIGHS: " in text
    assert "\n  b\n    1. CLARABEL: as declared\n" in text
    assert program.describe(strategies=True, solver="SCS").endswith(
        "  a\n    1. SCS: as declared\n"
        "    2. SCS: refined to twice the digits by HiGHS\n"
        "  b\n    1. SCS: as declared\n"
        "    2. SCS: linear locks as equations\n"
        "    3. SCS: locks loosened by a millionth, which is recorded and warned about"
    )


def test_what_is_shown_is_what_is_tried_where_floats_suffice(x):
    rows = [cp.sum(x) <= 4]
    first = lx.Subproblem("first", cp.Maximize(x[0]), rows)
    second = held(first, cp.Maximize(x[1]), rows)
    other = lx.Subproblem("other", cp.Maximize(x[1]), [cp.sum(x) <= 3, first.held(atol=0.1)])
    program = lx.Program(lx.Stage("1", first), lx.Stage("2", second, other))
    found = backends(program)
    found.chains["second"].faces["first"] = Told(uncertain=False)
    solved = program.solve()
    for subproblem in program.subproblems.values():
        shown = [strategy for _, strategy in strategies_for(found.case(subproblem))]
        assert shown == list(found.strategies(subproblem, solved))


def test_a_parameter_without_a_value_does_not_hinder_the_description(x):
    slack = cp.Parameter(nonneg=True, name="slack")
    first = lx.Subproblem("first", cp.Maximize(x[0]), rows := [cp.sum(x) <= 4])
    program = lx.Program(
        lx.Stage("1", first), lx.Stage("2", held(first, cp.Maximize(x[1]), rows, atol=slack))
    )
    assert "  second\n    1. HIGHS" in program.describe(strategies=True)


def test_every_row_of_the_table_has_a_name_of_its_own_and_says_what_it_does():
    assert len({row.name for row in TABLE}) == len(TABLE)
    assert all(row.does and not row.does.endswith(".") for row in TABLE)
