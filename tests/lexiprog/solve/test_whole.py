"""A lane is asked only where nothing else is wished for, and its answer becomes a result."""

from types import SimpleNamespace

import cvxpy as cp
import pytest

import lexiprog as lx
from lexiprog.compile.binding import Given
from lexiprog.solve.batched_chain import Lanes
from lexiprog.solve.driver import interrupted, result_of, through_lane
from lexiprog.solve.options import SolveOptions


@pytest.fixture
def program():
    x = cp.Variable(2, bounds=[0, 4], name="x")
    levels = {"a": cp.Maximize(x[0]), "b": cp.Maximize(x[1])}
    return lx.preemptive(levels, [cp.sum(x) <= 6])


def taken(program, lanes=None, tick=lambda _: None, **terms):
    problems = list(program.subproblems.values())
    wish = {"given": Given.to(problems), "solve_options": SolveOptions()} | terms
    ladders = dict.fromkeys(program.subproblems)
    return through_lane(program.stages, ladders, lanes or Lanes(), tick, **wish)


def test_the_whole_result_comes_through_a_lane_with_a_tick_for_each_level(program):
    ticks = []
    found = taken(program, tick=ticks.append)
    assert [found[name].value for name in "ab"] == pytest.approx([4.0, 2.0])
    assert ticks == ["a", "b"]
    assert list(found.stages) == ["a", "b"]


@pytest.mark.parametrize(
    "terms",
    [{"given": None}, {"solve_options": None}, {"solve_options": SimpleNamespace(plain=False)}],
)
def test_whoever_wishes_for_more_is_not_sent_through_a_lane(program, terms):
    assert taken(program, **terms) is None


def test_where_there_is_no_lane_or_it_gives_up_there_is_no_result(program):
    for lane in (None, SimpleNamespace(solve=lambda *_: None)):
        assert taken(program, lanes=SimpleNamespace(of=lambda *_, lane=lane: lane)) is None


def test_an_interrupt_keeps_nothing_of_a_lane_and_counts_all_levels(program):
    def stopped(*_):
        raise KeyboardInterrupt

    lanes = SimpleNamespace(of=lambda *_: SimpleNamespace(solve=stopped))
    with pytest.raises(lx.Interrupted, match="interrupted with 0 of 2 subproblems solved"):
        taken(program, lanes=lanes)


def test_a_result_names_the_stages_and_the_solvers_that_were_to_be_tried(program):
    solved = program.solve()
    ladders = {"a": (lx.Solver("SCS"),), "b": None}
    found = result_of(program.stages, {"a": solved["a"]}, ladders)
    assert dict(found.stages) == {"a": ("a",), "b": ("b",)}
    assert list(found) == ["a"]
    assert "1 of 3" in str(interrupted(found, 3))
    assert interrupted(found, 3).partial is found
