"""Staircases of integer levels, against every point there is."""

from itertools import product

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


@pytest.mark.parametrize("unit", [1.0, 0.1])
@pytest.mark.parametrize("seed", range(3))
def test_three_integer_levels_have_every_step(seed, unit):
    rng = np.random.default_rng(seed)
    weights, gains = rng.integers(1, 12, 7), rng.integers(-2, 9, (3, 7))
    room = int(weights.sum() // 2)
    every = np.array(list(product([0, 1], repeat=7)))
    values = (every @ gains.T)[every @ weights <= room]
    take = cp.Variable(7, boolean=True, name="take")
    objectives = {
        name: cp.Maximize(unit * (g @ take)) for name, g in zip("abc", gains, strict=True)
    }
    curve = lx.tradeoff(lx.preemptive(objectives, [weights @ take <= room]), "a")
    assert curve.errors == {"b": 0.0, "c": 0.0}
    most = values[:, 0].max()
    for t in range(12):
        left = values[values[:, 0] >= most - t]
        best = left[:, 1].max()
        last = left[left[:, 1] == best][:, 2].max()
        for within in (1e-9, 0.5):  # constant up to the next step
            found = curve.at(unit * (t + within))
            assert found == pytest.approx({"b": unit * best, "c": unit * last})


def test_a_mixed_problem_has_steps_where_its_level_has():
    """The level counts whole boxes; what is gained is continuous."""
    boxes, filled = cp.Variable(integer=True, name="boxes"), cp.Variable(nonneg=True, name="filled")
    program = lx.preemptive(
        {"few": cp.Minimize(boxes), "full": cp.Maximize(filled)},
        [boxes >= 1, boxes <= 4, filled <= 2.5 * boxes, filled <= 8.25],
    )
    curve = lx.tradeoff(program, "few")
    assert curve.tolerances == pytest.approx((0, 1, 2, 3))
    assert curve.values["full"] == pytest.approx((2.5, 5.0, 7.5, 8.25))
    assert curve.at(1.9) == pytest.approx({"full": 5.0})
    assert "constant from 3 on" in curve.notes[0]
