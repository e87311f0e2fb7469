"""The time of a whole call, divided among its stages, and what a listener hears."""

import math
import time
import warnings
from types import SimpleNamespace

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.backends.strategies import Strategy
from lexiprog.canon.scaling import Scaling
from lexiprog.solve.options import SolveOptions, StageDeadlines, warn_of_limit
from lexiprog.status import Status


def problem(name, integer=False):
    x = cp.Variable(name=name, integer=integer, bounds=[0, 9])
    return lx.Subproblem(name, cp.Maximize(x), [2 * x <= 7])


def stages(*kinds):
    """One stage a letter: i for whole numbers, x for others."""
    return [lx.Stage(str(k), problem(f"{kind}{k}", kind == "i")) for k, kind in enumerate(kinds)]


def shares(kinds, *, limit=100.0, workers=1):
    """Seconds that each stage may take if none needs any."""
    plan = stages(*kinds)
    deadlines, out = StageDeadlines(plan, SolveOptions(time_limit=limit), workers), []
    for stage in plan:
        deadlines.begin(list(stage.subproblems))
        out.append(deadlines.of(stage.subproblems[0], lx.Solver("HIGHS")).left())
    return out


def test_integer_levels_have_shares_that_fall_and_the_last_all_that_is_left():
    assert shares("i") == pytest.approx([100.0], abs=0.5)
    assert shares("ii") == pytest.approx([200 / 3, 100.0], abs=0.5)
    assert shares("iii") == pytest.approx([50.0, 200 / 3, 100.0], abs=0.5)
    # What comes after the last of them keeps a tenth.
    assert shares("ix") == pytest.approx([90.0, 100.0], abs=0.5)
    assert shares("x") == pytest.approx([100.0], abs=0.5)
    assert shares("xi") == pytest.approx([100.0, 100.0], abs=0.5)
    assert shares("ii", limit=None) == [math.inf, math.inf]


def test_problems_that_wait_for_a_worker_share_the_time():
    several = lx.Stage("all", *(problem(f"n{k}", integer=True) for k in range(4)))
    for workers, each in ((1, 25.0), (2, 50.0), (4, 100.0), (8, 100.0)):
        deadlines = StageDeadlines([several], SolveOptions(time_limit=100.0), workers)
        deadlines.begin(list(several.subproblems))
        left = deadlines.of(several.subproblems[0], lx.Solver("HIGHS")).left()
        assert left == pytest.approx(each, abs=0.5)


def test_the_limit_of_a_solver_counts_for_all_its_tries_and_for_nobody_else():
    (stage,) = stages("i")
    deadlines = StageDeadlines([stage], SolveOptions(time_limit=100.0), 1)
    deadlines.begin(list(stage.subproblems))
    one = stage.subproblems[0]
    quick = lx.Solver("HIGHS", time_limit=5.0)
    assert deadlines.of(one, quick).left() == pytest.approx(5.0, abs=0.5)
    assert deadlines.of(one, quick) is deadlines.of(
        one, lx.Solver("HIGHS", time_limit=5.0, gap=0.1)
    )
    assert deadlines.of(one, lx.Solver("HIGHS")) is not deadlines.of(one, quick)
    assert deadlines.of(one, lx.Solver("SCIPY")) is not deadlines.of(one, lx.Solver("HIGHS"))


def test_tries_for_which_there_is_no_time_are_left_out():
    (stage,) = stages("i")
    deadlines = StageDeadlines([stage], SolveOptions(), 1)
    deadlines.begin(list(stage.subproblems))
    one, none = Strategy(lx.Solver("HIGHS")), Strategy(lx.Solver("SCIPY", time_limit=0.0))
    assert deadlines.in_time(stage.subproblems[0], [none, none, one], 1) == [none, one]
    assert deadlines.call.left() == math.inf


def told(integer=True, content=False, latest=((None, None),), found=None, compiled=None):
    """What a listener hears of a search whose best value and bound are these, one by one."""
    heard = []

    def listener(progress):
        heard.append(progress)
        return content

    (stage,) = stages("i" if integer else "x")
    deadlines = StageDeadlines([stage], SolveOptions(on_progress=listener), 1)
    deadlines.begin(list(stage.subproblems))
    deadline = deadlines.of(stage.subproblems[0], lx.Solver("HIGHS"))
    task = SimpleNamespace(
        integer=integer, deadline=deadline, compiled=compiled, subproblem=stage.subproblems[0],
        solver=lx.Solver("HIGHS"),
    )  # fmt: skip
    for pair in latest:
        deadline.latest = pair
        deadlines.tell(stage, task, solution=found)
    return heard, deadline


def test_a_listener_hears_what_is_new_of_integers_only():
    heard, _ = told(latest=[(None, None), (None, 5.0), (None, 5.0), (3.0, 5.0)])
    assert [(one.incumbent, one.bound) for one in heard] == [(None, 5.0), (3.0, 5.0)]
    assert not any(one.finished for one in heard)
    assert heard[0].solver == "HIGHS"
    assert told(integer=False, latest=[(3.0, 5.0)])[0] == []


def test_values_are_told_as_they_were_written():
    """Of a maximum that is searched as a minimum in other units."""
    scaling = Scaling(np.ones(1), np.ones(1), 0.01)
    values = [(None, scaling.scaled_value(-9.0)), tuple(map(scaling.scaled_value, (-3.0, -5.0)))]
    heard, _ = told(latest=values, compiled=SimpleNamespace(scaling=scaling))
    assert [one.incumbent for one in heard] == [None, pytest.approx(3.0)]
    assert [one.bound for one in heard] == pytest.approx([9.0, 5.0])


def test_what_is_found_is_told_in_any_case_as_finished():
    heard, _ = told(found=SimpleNamespace(value=3.0, bound=3.5))
    assert [(one.incumbent, one.bound, one.finished) for one in heard] == [(3.0, 3.5, True)]


def test_who_is_content_with_a_point_has_enough_and_without_one_it_goes_on():
    assert told(content=True, latest=[(3.0, 5.0)])[1].enough
    assert not told(content=True, latest=[(None, 5.0)])[1].enough
    assert not told(content=False, latest=[(3.0, 5.0)])[1].enough
    done = SimpleNamespace(value=3.0, bound=3.0)
    assert not told(content=True, latest=[(3.0, 5.0)], found=done)[1].enough


@pytest.mark.parametrize(
    ("status", "over", "gap_tolerance", "enough", "warned"),
    [
        (Status.WITHIN_GAP, True, 1e-6, False, True),
        (Status.WITHIN_GAP, False, 0.5, False, True),
        (Status.WITHIN_GAP, False, 0.2, False, False),  # a gap that was asked for
        (Status.WITHIN_GAP, True, 1e-6, True, False),  # the listener was content
        (Status.OPTIMAL, True, 1e-6, False, False),
    ],
)
def test_a_value_that_a_limit_left_is_warned_of(status, over, gap_tolerance, enough, warned):
    task = SimpleNamespace(
        solver=lx.Solver("HIGHS", gap=0.2), deadline=SimpleNamespace(over=over, enough=enough)
    )
    found = SimpleNamespace(
        name="n", status=status, certificate=SimpleNamespace(gap_tolerance=gap_tolerance),
        summary=SimpleNamespace(text=lambda: "3 in [3, 4]"),
    )  # fmt: skip
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_limit(task, found)
    assert [("stopped by a limit at 3 in [3, 4]" in str(one.message)) for one in caught] == (
        [True] if warned else []
    )


def test_plain_wishes_are_those_that_linear_problems_need_not_heed():
    assert SolveOptions().plain
    assert SolveOptions(on_progress=print).plain
    others = [{"time_limit": 9.0}, {"verbose": True}, {"starts": {"a": None}}, {"executor": 1}]
    assert not any(SolveOptions(**other).plain for other in others)


def test_time_that_was_used_is_gone():
    plan = stages("i", "i")
    deadlines = StageDeadlines(plan, SolveOptions(time_limit=1.0), 1)
    time.sleep(0.2)
    deadlines.begin(list(plan[0].subproblems))
    left = deadlines.of(plan[0].subproblems[0], lx.Solver("HIGHS")).left()
    assert left <= 0.8 * 2 / 3
    assert np.isfinite(deadlines.call.left())


@pytest.mark.parametrize("verbose", [False, True])
def test_what_else_is_wished_is_on_every_watch(verbose):
    (stage,) = stages("i")
    remote = object()
    deadlines = StageDeadlines([stage], SolveOptions(verbose=verbose, executor=remote), 1)
    deadlines.begin(list(stage.subproblems))
    deadline = deadlines.of(stage.subproblems[0], lx.Solver("HIGHS"))
    assert (deadline.verbose, deadline.executor) == (verbose, remote)
