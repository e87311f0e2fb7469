"""Exact levels that read exact ones get fractions, not the floats next to them."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx

pytest.importorskip("flint")

THIRD = Fraction(1, 3)


def two_stages(first: lx.Subproblem, second: lx.Subproblem, solver: str = "EXACT") -> lx.Result:
    return lx.Program(lx.Stage("first", first), lx.Stage("second", second)).solve(solver)


def a_third() -> tuple[cp.Variable, lx.Subproblem]:
    """The largest x with 3 x <= 1."""
    x = cp.Variable(name="x")
    return x, lx.Subproblem("first", cp.Maximize(x), [3 * x <= 1])


def test_an_optimum_in_other_rows_is_the_fraction():
    x, first = a_third()
    y = cp.Variable(name="y")
    rows = [3 * x <= 1, x >= first.optimum, y >= 7 * x - 1]
    result = two_stages(first, lx.Subproblem("second", cp.Minimize(y), rows))
    assert result["second"].exact == 7 * THIRD - 1
    assert result["second"].status == "optimal"


@pytest.mark.parametrize("norm", [False, True])
def test_an_optimum_is_held_exactly_beside_other_rows(norm):
    x, first = a_third()
    y = cp.Variable(name="y")
    more = cp.abs(y) if norm else y  # an absolute value goes through CVXPY's reductions
    rows = [3 * x <= 1, first.held(), y >= 7 * x - 1]
    result = two_stages(first, lx.Subproblem("second", cp.Minimize(more), rows))
    assert result["second"].exact == 7 * THIRD - 1
    assert result["second"].exact_variables["x"].item() == THIRD


@pytest.mark.parametrize(
    ("atol", "rtol", "least"),
    [(0.1, 0.0, THIRD - Fraction(1, 10)), (0.0, 0.3, Fraction(7, 30)), (0.1, 0.6, THIRD * 2 / 5)],
)
def test_tolerances_are_the_decimals_that_were_written(atol, rtol, least):
    x, first = a_third()
    room = cp.Parameter(nonneg=True, value=atol, name="room")
    rows = [3 * x <= 1, first.held(atol=room, rtol=rtol)]
    result = two_stages(first, lx.Subproblem("second", cp.Minimize(x), rows))
    assert result["second"].exact == least


def test_points_of_affine_expressions_and_multipliers_are_fractions_too():
    x = cp.Variable((2, 2), name="x")
    scale = cp.Parameter(value=0.1, name="scale")
    limit = x @ np.array([3.0, 7.0]) <= np.array([1.0, 2.0])
    first = lx.Subproblem("first", cp.Maximize(cp.sum(x)), [limit, x >= 0])
    # x = [[1/3, 0], [2/3, 0]], multipliers 1/3 each
    y = cp.Variable((2, 2), name="y")
    rows = [
        y == first.at(scale * x.T + np.array([[1.0, 2.0], [3.0, 4.0]])),
        cp.sum(y) <= first.at(cp.sum(x)) / 10 + 10,
    ]
    price = first.dual(limit)
    objective = cp.Minimize(price[0] * y[0, 0] + price @ y[1] + first.optimum)
    result = two_stages(first, lx.Subproblem("second", objective, rows))
    found = result["second"]
    assert found.exact_variables["y"].tolist() == [
        [1 + THIRD / 10, 2 + 2 * THIRD / 10],
        [3, 4],
    ]
    assert found.exact == THIRD * (1 + THIRD / 10) + THIRD * 7 + 1


def test_references_that_read_references_go_through():
    x, first = a_third()
    y, z = cp.Variable(name="y"), cp.Variable(name="z")
    second = lx.Subproblem("second", cp.Minimize(y), [y >= 2 * first.optimum])
    third = lx.Subproblem("third", cp.Minimize(z), [7 * z >= second.at(y + first.at(x))])
    stages = [lx.Stage(p.name, p) for p in (first, second, third)]
    assert lx.Program(*stages).solve("EXACT")["third"].exact == Fraction(1, 7)


def test_what_floats_found_is_read_as_it_is():
    _, first = a_third()
    y = cp.Variable(name="y")
    second = lx.Subproblem("second", cp.Minimize(y), [y >= first.optimum])
    program = lx.Program(lx.Stage("first", first), lx.Stage("second", second))
    result = program.solve({"first": "HIGHS", "second": "EXACT"})
    assert result["second"].exact == Fraction(result["first"].value)


@pytest.mark.parametrize("seed", range(4))
def test_an_optimum_that_floats_rounded_is_held_exactly_all_the_same(seed):
    random = np.random.default_rng(seed)
    rows, right = random.integers(1, 10, (3, 2)), random.integers(1, 10, 3)
    x, y = cp.Variable(2, nonneg=True, name="x"), cp.Variable(name="y")
    first = lx.Subproblem("first", cp.Maximize(cp.sum(x)), [rows @ x <= right])
    top = max(corner_values(rows.tolist(), right.tolist(), [1, 1]))
    limits = [rows @ x <= right, first.held(), y >= x[0] + x[1]]
    second = lx.Subproblem("second", cp.Minimize(y), limits)
    program = lx.Program(lx.Stage("first", first), lx.Stage("second", second))
    result = program.solve({"first": "HIGHS", "second": "EXACT"})
    assert result["first"].exact is None
    assert result["second"].status == "optimal"
    assert result["second"].exact == top


def corner_values(rows: list[list[int]], right: list[int], costs: list[int]) -> list[Fraction]:
    """The costs at all corners of a polygon, x and y at least 0, by Cramer's rule."""
    lines = [*zip(rows, right, strict=True), ([-1, 0], 0), ([0, -1], 0)]
    values = []
    for ((a, b), e), ((c, d), f) in combinations(lines, 2):
        if a * d == b * c:
            continue
        x, y = Fraction(e * d - b * f, a * d - b * c), Fraction(a * f - e * c, a * d - b * c)
        if all(p * x + q * y <= s for (p, q), s in lines):
            values.append(costs[0] * x + costs[1] * y)
    return values


@pytest.mark.parametrize("seed", range(20))
def test_an_exact_level_over_other_rows_never_misses_its_points(seed):
    random = np.random.default_rng(seed)
    rows, right = random.integers(1, 10, (3, 2)), random.integers(1, 10, 3)
    most, least = random.integers(1, 10, 2), random.integers(-9, 10, 2)
    x, y = cp.Variable(2, nonneg=True, name="x"), cp.Variable(name="y")
    first = lx.Subproblem("first", cp.Maximize(most @ x), [rows @ x <= right])
    second = lx.Subproblem(
        "second", cp.Minimize(y), [rows @ x <= right, first.held(), y >= least @ x]
    )
    result = two_stages(first, second)
    corners = zip(
        corner_values(rows.tolist(), right.tolist(), most.tolist()),
        corner_values(rows.tolist(), right.tolist(), least.tolist()),
        strict=True,
    )
    top, then = min((-one, other) for one, other in corners)
    assert result["first"].exact == -top
    assert result["second"].exact == then
