"""Curves that Ctrl-C or a number of points has stopped: what is there is kept, and true."""

from itertools import count

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.deadline import Deadline
from lexiprog.parametric import tradeoffs


def linear():
    rng = np.random.default_rng(4)
    x = cp.Variable(12, bounds=[0, 9], name="x")
    A, costs = rng.uniform(0, 3, (8, 12)), rng.uniform(1, 9, (3, 12))
    levels = {name: cp.Minimize(c @ x) for name, c in zip("abc", costs, strict=True)}
    return lx.preemptive(levels, [A @ x >= rng.uniform(5, 9, 8)])


def whole(seed=2):
    rng = np.random.default_rng(seed)
    weights, *gains = rng.integers(1, 30, (3, 11))
    take = cp.Variable(11, boolean=True, name="take")
    levels = {name: cp.Maximize(g @ take) for name, g in zip("ab", gains, strict=True)}
    return lx.preemptive(levels, [weights @ take <= weights.sum() // 2])


def convex():
    x = cp.Variable(2, name="x")
    near, far = cp.sum_squares(x), cp.sum_squares(x - [3, 4])
    return lx.preemptive({"a": cp.Minimize(near), "b": cp.Minimize(far)})


KINDS = [linear, whole, convex]


@pytest.fixture
def ctrl_c(monkeypatch):
    """Ctrl-C at the so manyth step of the search; ``pressed`` says whether it came to that."""

    def after(steps):
        class Pressed(Deadline):
            def check(self):
                nonlocal steps
                steps -= 1
                if steps == 0:
                    after.pressed = True
                    raise KeyboardInterrupt

        after.pressed = False
        monkeypatch.setattr(tradeoffs, "Deadline", Pressed)

    return after


@pytest.mark.parametrize("steps", [1, 2, 4, 7])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_ctrl_c_keeps_what_was_followed_and_it_is_the_whole_curves(kind, steps, ctrl_c):
    truth = lx.tradeoff(kind(), "a")
    ctrl_c(3 * steps if kind is whole else steps)  # a slice looks at each column
    with pytest.raises(lx.Interrupted, match=r"error\.partial is the Tradeoff so far") as caught:
        lx.tradeoff(kind(), "a")
    part = caught.value.partial
    assert isinstance(part, lx.Tradeoff)
    assert part._repr_html_()
    if not part.functions:
        assert steps < 7
        return
    for t in np.linspace(0, 1.2 * max(truth.tolerances), 60):
        for name, value in part.at(t).items():
            error = part.errors[name] + truth.errors[name]
            assert np.isnan(value) or value == pytest.approx(truth.at(t)[name], abs=1e-7 + error)
    assert "interrupted" in str(part)
    assert part.results[0].final.certificate.passed


def test_curves_that_were_finished_before_are_whole(ctrl_c):
    """Wherever Ctrl-C comes it is heard, and the second level is there if the third is begun."""
    truth, parts = lx.tradeoff(linear(), "a"), []
    for steps in count(1):
        ctrl_c(steps)
        try:
            lx.tradeoff(linear(), "a")
        except lx.Interrupted as error:
            if len(error.partial.functions) == 2:
                parts.append((str(error), error.partial.functions))
            continue
        assert not ctrl_c.pressed  # it needs no more steps than these
        break
    assert parts
    for text, part in parts:
        assert "2 of 2 curves, the last as far as it was followed" in text
        assert part["b"].breakpoints == pytest.approx(truth.functions["b"].breakpoints)
        assert np.isinf(part["b"].stop)
        assert part["c"].note


def test_ctrl_c_keeps_the_rows_of_a_table(monkeypatch):
    solve, done = tradeoffs.ScenarioCache.at, []

    def two(scenarios, tolerances):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(tolerances)
        return solve(scenarios, tolerances)

    monkeypatch.setattr(tradeoffs.ScenarioCache, "at", two)
    with pytest.raises(lx.Interrupted, match="interrupted with 2 of 4 tolerances") as caught:
        lx.tradeoff(linear(), "a", [0, 1, 2, 3])
    part = caught.value.partial
    assert part.tolerances == (0.0, 1.0)
    assert len(part.results) == len(part.values["c"]) == 2


@pytest.mark.parametrize(
    ("tolerances", "done"), [([0, 1, 2], "0 of 3 tolerances"), (None, r"0 of 2 curves[^,]*$")]
)
def test_ctrl_c_at_the_first_optimum_leaves_no_rows(tolerances, done):
    class Presses:
        def solve(self, _):
            raise KeyboardInterrupt

    with pytest.raises(lx.Interrupted, match=f"interrupted with {done}") as caught:
        lx.tradeoff(linear(), "a", tolerances, solver={"a": Presses()})
    assert isinstance(caught.value.partial, lx.Tradeoff)
    assert caught.value.partial.tolerances == ()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("limit", [2, 3, 4])
def test_between_the_points_that_were_asked_for_nothing_is_claimed(seed, limit):
    truth, part = (lx.tradeoff(whole(seed), "a", **o) for o in ({}, {"limit": limit}))
    for t in np.unique([*truth.tolerances, *np.linspace(0, 1.2 * max(truth.tolerances), 40)]):
        value = part.at(t)["b"]
        assert np.isnan(value) or value == truth.at(t)["b"]
