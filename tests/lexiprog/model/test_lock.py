"""How far a held optimum may degrade, by the user's wish and by need."""

import cvxpy as cp
import numpy as np
import pytest

from lexiprog.model.lock import NO_SLACK, Lock, Slack, single


def lock(atol=0.0, rtol=0.0, maximise=False, fair=False):
    return Lock("a", lambda: None, maximise, atol, rtol, fair)


@pytest.mark.parametrize("optimum", [4.0, -4.0, np.array([4.0, -8.0, 0.0])])
def test_the_larger_of_two_tolerances_counts_for_each_level(optimum):
    one = lock(atol=0.5, rtol=0.25)
    wanted = np.array([1.0, 2.0, 0.5]) if np.ndim(optimum) else 1.0
    assert one.tolerance(optimum) == pytest.approx(wanted)
    assert lock().tolerance(optimum) == pytest.approx(0.0 * np.abs(optimum))
    assert lock(atol=9.0, rtol=0.25).tolerance(optimum) == pytest.approx(9.0 + 0 * np.abs(optimum))


def test_a_minimum_may_rise_and_a_maximum_fall():
    assert lock(atol=0.5).limit(4.0, 0.5) == 4.5
    assert lock(atol=0.5, maximise=True).limit(4.0, 0.5) == 3.5


def test_parameters_count_with_the_value_that_they_have():
    atol, rtol = cp.Parameter(nonneg=True, value=0.5), cp.Parameter(nonneg=True, value=0.0)
    one = lock(atol, rtol)
    assert one.parameters == {"atol": atol, "rtol": rtol}
    assert lock(0.5, rtol).parameters == {"rtol": rtol}
    assert one.tolerances == (0.5, 0.0)
    rtol.value = 0.25
    assert one.tolerance(8.0) == 2.0


def test_slack_takes_the_place_of_what_was_declared_and_a_guard_comes_on_top():
    one = lock(rtol=0.25)
    assert NO_SLACK.limit(one, 8.0, 1.0) == 10.0
    assert Slack({"a": 0.5}).limit(one, 8.0, 1.0) == 8.5
    assert Slack({"b": 0.5}).limit(one, 8.0, 1.0) == 10.0
    assert Slack({"a": 0.0}, guard=0.125).limit(one, -8.0, 2.0) == -8.0 + 0.125 * 10.0
    both = Slack(guard=0.125)
    assert both.guard_for(np.array([8.0, -2.0]), 2.0) == pytest.approx([1.25, 0.5])
    assert both.tolerance(one, 8.0) == 2.0


def test_locks_on_single_optima_are_told_from_fair_ones():
    one, many = lock(), lock(fair=True)
    assert single([(0, one), (3, many), (5, one)]) == [(0, one), (5, one)]
