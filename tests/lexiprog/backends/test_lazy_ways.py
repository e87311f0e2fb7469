"""Strategies are thought of when they are needed, and are then what they always were."""

import cvxpy as cp
import pytest

import lexiprog as lx
from lexiprog.backends.solver import default_ladder, installed, resolve
from lexiprog.backends.strategies import Strategies, Strategy, strategies_to_try


def counted(strategies, told):
    for strategy in strategies:
        told.append(strategy)
        yield strategy


def test_only_as_many_ways_are_thought_of_as_are_asked_for():
    told, ladder = [], [Strategy(lx.Solver(name)) for name in ("HIGHS", "CLARABEL", "SCS")]
    strategies = Strategies(counted(ladder, told))
    assert strategies
    assert strategies[0] == ladder[0]
    assert len(told) == 1
    assert strategies[1] == ladder[1]
    assert len(told) == 2
    assert list(strategies) == ladder
    assert (len(strategies), strategies[-1], strategies[1:]) == (3, ladder[2], ladder[1:])


def test_there_may_be_none_and_none_beyond_the_last():
    assert not Strategies([])
    with pytest.raises(IndexError):
        Strategies([])[0]


def test_no_way_is_tried_twice():
    strategy = Strategy(lx.Solver("HIGHS"))
    assert list(
        Strategies([strategy, Strategy(lx.Solver("CLARABEL")), Strategy(lx.Solver("HIGHS"))])
    ) == [
        strategy,
        Strategy(lx.Solver("CLARABEL")),
    ]


def test_a_lock_is_tried_in_every_way_in_order():
    x = cp.Variable(2, bounds=[0, 1], name="x")
    low = lx.Subproblem("low", cp.Minimize(cp.sum(x)), [x[0] >= 0.5])
    then = lx.Subproblem("then", cp.Minimize(x[1]), [x[0] >= 0.5, low.held()])
    strategies = strategies_to_try(then, default_ladder("LP")[:1], face=True)
    assert [
        (strategy.mode, "presolve" in strategy.solver.options, strategy.refined)
        for strategy in strategies
    ] == [
        ("face", False, False),
        ("value", False, False),
        ("value", True, False),
        ("value", False, True),
        ("equal", False, False),
        ("guarded", False, False),
    ]


def test_solvers_are_looked_for_once_and_again_only_if_one_is_missing(monkeypatch):
    looked = []
    found = ["HIGHS", "CLARABEL"]
    monkeypatch.setattr(cp, "installed_solvers", lambda: looked.append(1) or list(found))
    installed.cache_clear()
    try:
        names = {"stage": (["p"], None)}
        for _ in range(3):
            resolve("HIGHS", names)
            default_ladder("conic")
        assert len(looked) == 1
        with pytest.raises(lx.LexiprogError, match=r"'SCS'.*is not installed"):
            resolve("SCS", names)
        found.append("SCS")  # as by pip in another shell
        assert resolve("SCS", names)["p"][0].name == "SCS"
    finally:
        installed.cache_clear()


def tried(problem, *names):
    ladder = tuple(lx.Solver(name) for name in names)
    strategies = strategies_to_try(problem, ladder, face=False)
    return [(strategy.solver.name, strategy.refined, strategy.strict) for strategy in strategies]


def test_a_linear_problem_is_refined_after_its_first_try_and_fractions_have_the_last_word():
    x = cp.Variable(2, bounds=[0, 1], name="x")
    low = lx.Subproblem("low", cp.Minimize(cp.sum(x)), [x[0] >= 0.5])
    assert tried(low, "HIGHS") == [("HIGHS", False, False), ("HIGHS", True, False)]
    assert tried(low, "HIGHS", "CLARABEL") == [
        ("HIGHS", False, False),
        ("HIGHS", True, False),
        ("CLARABEL", True, False),
    ]
    # While fractions are to come, what hangs on unknown digits is not taken.
    assert tried(low, "HIGHS", "CLARABEL", "EXACT") == [
        ("HIGHS", False, False),
        ("HIGHS", True, True),
        ("CLARABEL", True, True),
        ("EXACT", False, False),
        ("HIGHS", True, False),
    ]


def test_without_highs_and_on_curves_nothing_is_refined():
    x = cp.Variable(2, bounds=[0, 1], name="x")
    low = lx.Subproblem("low", cp.Minimize(cp.sum(x)), [x[0] >= 0.5])
    assert tried(low, "CLARABEL", "EXACT") == [("CLARABEL", False, False), ("EXACT", False, False)]
    curved = lx.Subproblem("curved", cp.Minimize(cp.sum_squares(x)), [x[0] >= 0.5])
    assert tried(curved, "HIGHS", "CLARABEL") == [
        ("HIGHS", False, False),
        ("CLARABEL", False, False),
    ]
