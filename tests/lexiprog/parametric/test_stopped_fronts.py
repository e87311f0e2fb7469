"""Fronts of every kind that Ctrl-C, time or a number of points has stopped: kept, and gone on."""

import os
import signal
import threading
import time
from contextlib import contextmanager

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.parametric import pareto, regions, upper_image


def linear(**options):
    rng = np.random.default_rng(4)
    x = cp.Variable(12, bounds=[0, 9], name="x")
    A, costs = rng.uniform(0, 3, (8, 12)), rng.uniform(1, 9, (2, 12))
    objectives = {"a": cp.Minimize(costs[0] @ x), "b": cp.Maximize(-costs[1] @ x)}
    return lx.frontier(objectives, [A @ x >= rng.uniform(5, 9, 8)], **options)


def endless(**options):
    """Both senses of a front without end, so that it is followed from its only end."""
    x, y = cp.Variable(nonneg=True, name="x"), cp.Variable(nonneg=True, name="y")
    lines = [y <= slope * x + height for slope, height in ((9, 1), (5, 2), (3, 4), (2, 7), (1, 12))]
    return lx.frontier({"high": cp.Maximize(y), "low": cp.Minimize(x)}, lines, **options)


def whole(**options):
    rng = np.random.default_rng(2)
    weights, *gains = rng.integers(1, 30, (3, 11))
    take = cp.Variable(11, boolean=True, name="take")
    objectives = {k: cp.Maximize(g @ take) for k, g in zip("ab", gains, strict=True)}
    return lx.frontier(objectives, [weights @ take <= weights.sum() // 2], **options)


def convex(**options):
    x = cp.Variable(2, name="x")
    near, far = cp.sum_squares(x), cp.sum_squares(x - [3, 4])
    return lx.frontier({"a": cp.Minimize(near), "b": cp.Minimize(far)}, error=0.01, **options)


def three(**options):
    rng = np.random.default_rng(3)
    weights, *gains = rng.integers(1, 60, (4, 12))
    take = cp.Variable(12, boolean=True, name="take")
    objectives = {k: cp.Maximize(g @ take) for k, g in zip("abc", gains, strict=True)}
    return lx.frontier(objectives, [weights @ take <= weights.sum() // 2], **options)


def facets(**options):
    rng = np.random.default_rng(4)
    x = cp.Variable(8, bounds=[0, 9], name="x")
    A, costs = rng.integers(0, 4, (6, 8)), rng.integers(1, 9, (3, 8))
    objectives = {k: cp.Minimize(c @ x) for k, c in zip("abc", costs, strict=True)}
    return lx.frontier(objectives, [A @ x >= rng.integers(5, 9, 6)], **options)


def ball(**options):
    y = cp.Variable(3, name="y")
    objectives = {k: cp.Minimize(y[j]) for j, k in enumerate("abc")}
    return lx.frontier(objectives, [cp.norm(y) <= 1], error=0.1, **options)


KINDS = [linear, endless, whole, convex, three, facets, ball]


@pytest.fixture
def ctrl_c(monkeypatch):
    """Ctrl-C after so many points."""

    def after(points):
        left = [points]

        @contextmanager
        def bar(*_args, **_options):
            def tick(_):
                left[0] -= 1
                if left[0] == 0:
                    raise KeyboardInterrupt

            yield tick

        monkeypatch.setattr(pareto, "bar", bar)

    yield after
    monkeypatch.undo()


@pytest.mark.parametrize("points", [1, 2, 4])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_ctrl_c_keeps_the_front_and_resume_finds_the_rest(kind, points, ctrl_c):
    truth = kind()
    ctrl_c(points)
    with pytest.raises(lx.Interrupted, match="go on with frontier") as caught:
        kind()
    part = caught.value.partial
    assert isinstance(part, lx.Frontier)
    assert 1 <= len(part) <= len(truth)
    assert not part.complete
    assert "interrupted" in str(part)
    assert all(s.certificate.passed for s in part.solutions)
    ctrl_c(10**6)
    after = kind(resume=part)
    assert after.points == pytest.approx(truth.points, abs=1e-6)
    assert after.complete == truth.complete


def without_end(**options):
    a, b, c = (cp.Variable(nonneg=True, name=name) for name in "abc")
    objectives = {"gain": cp.Maximize(a), "cost": cp.Minimize(2 * a + b), "rest": cp.Minimize(c)}
    return lx.frontier(objectives, [b + c >= 1], **options)


@pytest.mark.parametrize("calls", [1, 4])
@pytest.mark.parametrize(
    ("kind", "owner", "name"),
    [(three, regions.Regions, "add"), (facets, upper_image.DoubleDescription, "cut"),
     (without_end, upper_image.DoubleDescription, "cut"),
     (without_end, upper_image.HighsModel, "optimum")],
)  # fmt: skip
def test_ctrl_c_in_the_middle_of_a_step_loses_nothing(monkeypatch, kind, owner, name, calls):
    truth, work, left = kind(), getattr(owner, name), [calls]

    def stopped(*args, **options):
        found = work(*args, **options)
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr(owner, name, stopped)
    with pytest.raises(lx.Interrupted) as caught:
        kind()
    after = kind(resume=caught.value.partial)
    assert after.points == pytest.approx(truth.points, abs=1e-6)
    assert len(after.facets) == len(truth.facets)
    assert after.complete


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_no_time_at_all_finds_nothing_says_so_and_can_be_gone_on_from(kind):
    none = kind(time_limit=1e-9)
    assert len(none) == 0
    assert not none.complete
    assert "1e-09 seconds were not enough" in str(none)
    assert kind(resume=none).points == pytest.approx(kind().points, abs=1e-6)


@pytest.mark.parametrize("kind", KINDS[:6], ids=lambda kind: kind.__name__)
def test_step_by_step_is_the_same_front_as_at_once(kind):
    truth, part = kind(), None
    for limit in range(2, len(truth)):
        part = kind(limit=limit, resume=part)
        assert len(part) == limit
        assert not part.complete
    part = kind(resume=part)
    assert part.complete
    assert part.points == pytest.approx(truth.points, abs=1e-6)
    if truth.weights is not None:
        assert part.weights == pytest.approx(truth.weights, abs=1e-9)


@pytest.mark.parametrize("kind", [linear, endless, whole], ids=lambda kind: kind.__name__)
def test_what_is_missing_lies_where_it_is_said_to(kind):
    truth, part = kind(), kind(limit=3)
    ((left, right),) = part.missing
    low, high = np.sort([left[0], right[0]])
    absent = [p for p in truth.points.tolist() if p not in part.points.round(12).tolist()]
    absent = [p for p in absent if np.min(np.abs(part.points - p).sum(axis=1)) > 1e-9]
    assert len(absent) == len(truth) - 3
    assert all(low - 1e-9 <= p[0] <= high + 1e-9 for p in absent)


@pytest.mark.parametrize("kind", [linear, convex, ball], ids=lambda kind: kind.__name__)
def test_a_front_of_other_numbers_is_not_gone_on_from(kind):
    part = kind(limit=4)
    x = cp.Variable(2, nonneg=True, name="x")
    objectives = {
        name: (cp.Maximize if up else cp.Minimize)((-1.0 if up else 1.0) * (x[0] + k * x[1]))
        for k, (name, up) in enumerate(zip(part.names, part.maximised, strict=True))
    }
    with pytest.raises(lx.DeclarationError, match="other numbers"):
        lx.frontier(objectives, [cp.sum(x) >= 1], resume=part)


def test_another_value_of_a_parameter_makes_another_front():
    x, demand = cp.Variable(2, nonneg=True, name="x"), cp.Parameter(value=1.0, name="demand")
    objectives = {"a": cp.Minimize(2 * x[0] + x[1]), "b": cp.Minimize(x[0] + 3 * x[1])}
    front = lx.frontier(objectives, [cp.sum(x) >= demand])
    assert lx.frontier(objectives, [cp.sum(x) >= demand], resume=front).complete
    demand.value = 2.0
    with pytest.raises(lx.DeclarationError, match="a parameter has changed"):
        lx.frontier(objectives, [cp.sum(x) >= demand], resume=front)


def hard(**options):
    """Front points of two knapsacks that take a search some time each."""
    rng = np.random.default_rng(0)
    weights, gains = rng.integers(1000, 2000, (5, 60)), rng.integers(1000, 2000, (2, 60))
    take = cp.Variable(60, boolean=True, name="take")
    objectives = {k: cp.Maximize(g @ take) for k, g in zip("ab", gains, strict=True)}
    return lx.frontier(objectives, [weights @ take <= weights.sum(axis=1) // 2], **options)


def test_ctrl_c_reaches_a_search_that_is_under_way():
    sent = []

    def send():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(1.0, send)
    timer.start()
    try:
        with pytest.raises(lx.Interrupted) as caught:
            hard()
    finally:
        timer.cancel()
    assert time.perf_counter() - sent[0] < 3.0  # much less in peace
    part = caught.value.partial
    assert part.missing
    assert "interrupted" in str(part)


def test_a_time_limit_is_kept():
    begun = time.perf_counter()
    part = hard(time_limit=1.0)
    assert time.perf_counter() - begun < 4.0  # other tests run at the same time
    assert "1 seconds were not enough" in str(part)
