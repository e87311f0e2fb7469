"""Who runs what."""

import cvxpy as cp
import pytest

import lexiprog as lx
from lexiprog.backends.solver import default_ladder
from lexiprog.backends.strategies import Strategy
from lexiprog.fairness.backend import FairHighs, FairLotteries
from lexiprog.model.lock import NO_SLACK, Slack
from lexiprog.solve.choice import LARGEST, BackendTable
from lexiprog.solve.conic_face import ConicFace
from lexiprog.solve.direct import Custom, Direct
from lexiprog.solve.exact import Exact
from lexiprog.solve.lp_chain import FaceChain
from lexiprog.solve.mixed_rows import MixedRowChain
from lexiprog.solve.warm_start import WarmHighs
from lexiprog.tolerances import ALL_DIGITS


def box(integer=False, curved=False):
    x = cp.Variable(2, name="x", integer=integer, bounds=[0, 3])
    second = cp.Minimize(cp.sum_squares(x)) if curved else cp.Maximize(x[1])
    return lx.preemptive({"a": cp.Maximize(x[0]), "b": second}, [cp.sum(x) <= 4])


def runners(program, solver=None, **terms):
    problems = [p for stage in program.stages for p in stage.subproblems]
    given = None if solver is None else (lx.Solver(solver),)
    ladders = {p.name: given or default_ladder(p.kind) for p in problems}
    return BackendTable.of(program.stages, ladders, NO_SLACK, terms.pop("warm", None), **terms)


def chosen(program, name="b", solver=None, mode="value", **terms):
    found = runners(program, solver, **terms)
    ladder = found.ladders[name]
    return found.backend(program[name], Strategy(ladder[0], mode))


class Own:
    """A solver of one's own."""

    def solve(self, problem):
        problem.solve(solver="HIGHS")


def test_each_kind_of_problem_has_its_runner():
    assert isinstance(chosen(box(), "a", mode="face"), FaceChain)
    assert isinstance(chosen(box(), mode="face"), MixedRowChain)  # no face of "a" is known
    assert isinstance(chosen(box(curved=True), mode="face"), ConicFace)
    assert isinstance(chosen(box()), Direct)
    assert isinstance(chosen(box(), solver="EXACT"), Exact)
    assert isinstance(chosen(box(), solver=Own()), Custom)
    assert isinstance(chosen(box(), warm=WarmHighs()), WarmHighs)
    assert isinstance(chosen(box(integer=True)), Direct)
    assert isinstance(chosen(lx.leximin([cp.Variable(bounds=[0, 1])]), "leximin"), FairHighs)
    # Several may be under way at once, but for a solver of one's own.
    assert not chosen(box(), "a", mode="face").alone
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
    assert chosen(program, "leximin", fair=lambda problem, strategy: "somebody") == "somebody"


def test_a_chain_has_one_exact_runner_and_others_one_each():
    program = box()
    found = runners(program, "EXACT")
    first, second = (
        found.backend(program[name], Strategy(found.ladders[name][0])) for name in "ab"
    )
    assert first is second
    alone = lx.Program(*box(curved=True).stages[:1])
    found = runners(alone, "EXACT")
    assert found.backend(alone["a"], Strategy(found.ladders["a"][0])).chain is None


def test_an_optimum_without_a_face_is_doubtful_unless_known_to_all_digits():
    program = box()
    solved = program.solve()
    found = runners(program)
    assert found.doubtful(program["a"], solved) == []
    for share, doubtful in ((0.0, []), (0.5 * ALL_DIGITS, []), (2 * ALL_DIGITS, ["a"])):
        unsure = Unsure(share)
        assert found.doubtful(program["b"], {"a": unsure}) == doubtful
    found.chains["b"].faces["a"] = Told(uncertain=False)
    assert found.doubtful(program["b"], {"a": Unsure(1.0)}) == []
    found.chains["b"].faces["a"] = Told(uncertain=True)
    assert found.doubtful(program["b"], {"a": Unsure(0.0)}) == ["a"]
    curved = box(curved=True)
    assert runners(curved).doubtful(curved["b"], {"a": Unsure(1.0)}) == []


class Unsure:
    """An optimum of size ten that is known to a share of it."""

    size = 10.0

    def __init__(self, share):
        self.uncertainty = share * self.size


class Told:
    """A face that is clear, or not."""

    def __init__(self, *, uncertain):
        self.uncertain = uncertain


def test_after_a_doubtful_optimum_fractions_come_first_where_problems_are_small():
    pytest.importorskip("flint")
    program = box()
    strategies = runners(program).strategies(program["b"], {"a": Unsure(1.0)})
    assert strategies[0].solver.name == "EXACT"
    assert sum(strategy.solver.name == "EXACT" for strategy in strategies) == 1
    assert runners(program).strategies(program["b"], {"a": Unsure(0.0)})[0].solver.name == "HIGHS"
    for rows, first in ((LARGEST - 1, "EXACT"), (LARGEST + 1, "HIGHS")):
        x = cp.Variable(rows, name="x", bounds=[0, 3])
        large = lx.preemptive({"a": cp.Maximize(x[0]), "b": cp.Maximize(x[1])}, [x <= 2])
        assert runners(large).strategies(large["b"], {"a": Unsure(1.0)})[0].solver.name == first


def test_on_a_face_more_exact_ways_follow_the_first():
    pytest.importorskip("flint")
    program = box()
    found = runners(program)
    found.chains["b"].faces["a"] = Told(uncertain=False)
    strategies = found.strategies(program["b"], {"a": Unsure(0.0)})
    assert [
        (strategy.solver.name, strategy.mode, strategy.refined, strategy.strict)
        for strategy in strategies[:3]
    ] == [
        ("HIGHS", "face", False, True),
        ("HIGHS", "face", True, True),
        ("EXACT", "value", False, False),
    ]


def test_a_lock_with_slack_beyond_its_declaration_stays_a_bound():
    program = box()
    ladders = dict.fromkeys("ab", (lx.Solver("HIGHS"),))
    for slack, equal in ((NO_SLACK, True), (Slack({"a": 0.0}), True), (Slack({"a": 0.5}), False)):
        strategies = BackendTable.of(program.stages, ladders, slack, None).strategies(
            program["b"], program.solve()
        )
        assert any(strategy.mode == "equal" for strategy in strategies) is equal
