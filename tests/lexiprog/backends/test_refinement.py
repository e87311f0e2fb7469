"""Vertices and multipliers beyond the digits of floats, against fractions."""

from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp

import lexiprog as lx
from lexiprog.backends.highs import HighsModel
from lexiprog.backends.refinement import is_off, refined
from lexiprog.canon.standard_form import Bounds
from lexiprog.deadline import Deadline

FREE = np.full(2, np.inf)
# Two lines that meet at (1, 1) and differ in the eighth digit.
STEEP = np.array([[1.0, 1.0], [1.0, 1.0 + 2.0**-26]])
SIDES = STEEP @ np.ones(2)


def limits():
    return Bounds(np.zeros(2), np.full(2, 10.0), -FREE, SIDES)


def solved(cost, bounds, matrix=STEEP):
    session = HighsModel(sp.csc_array(matrix), {})
    vertex = session.run(cost, bounds)
    return refined(session, sp.csc_array(matrix), cost, bounds, vertex, Deadline()), vertex


def total(pair, place):
    return Fraction(float(pair.high[place])) + Fraction(float(pair.low[place]))


def test_multipliers_of_nearly_parallel_rows_have_twice_the_digits():
    cost = np.array([-1.0, -1.0 - 2.0**-27])  # half of either row
    found, _ = solved(cost, limits())
    for k in range(2):
        assert abs(total(found.y, k) + Fraction(1, 2)) < Fraction(1, 10**24)
        assert abs(total(found.x, k) - 1) < Fraction(1, 10**20)
    assert found.miss < 1e-24
    assert found.error < 1e-15


def test_a_basis_that_is_optimal_only_to_highs_tolerance_is_left():
    """The last digits of the cost decide, by a reduced cost of 1e-11."""
    cost = np.array([-1.0, -1.0 - 1e-11])
    bounds = Bounds(np.zeros(2), np.full(2, 10.0), -FREE, np.array([4.0, 40.0]))
    session = HighsModel(sp.csc_array(STEEP), {})
    # Started where HiGHS is content: all of it in the first column.
    begun = session.run(np.array([-2.0, -1.0]), bounds)
    vertex = session.run(cost, bounds, begun.basis)
    assert vertex.x == pytest.approx([4.0, 0.0])
    found = refined(session, sp.csc_array(STEEP), cost, bounds, vertex, Deadline())
    assert found.x.nearest == pytest.approx([0.0, 4.0])
    assert float(cost @ found.x.nearest) < float(cost @ vertex.x)


def test_what_has_no_optimum_is_not_refined():
    bounds = limits()
    session = HighsModel(sp.csc_array(STEEP), {})
    vertex = session.run(np.array([-1.0, -1.0]), bounds)
    empty = Bounds(bounds.lower + 5.0, bounds.upper, bounds.row_lower, bounds.row_upper)
    assert refined(session, sp.csc_array(STEEP), np.ones(2), empty, vertex, Deadline()) is None


def test_a_miss_of_more_than_rounding_is_seen_on_either_side():
    A, bounds = sp.csc_array(STEEP), limits()
    assert not is_off(A, bounds, np.ones(2))
    assert not is_off(A, bounds, np.ones(2) * (1.0 + 1e-15))
    assert is_off(A, bounds, np.ones(2) * (1.0 + 1e-9))
    assert is_off(A, bounds, np.array([1.0, -1e-9]))


@pytest.mark.parametrize("seed", range(12))
def test_single_problems_with_nearly_parallel_rows_are_right(seed, monkeypatch):
    """VertexFinder where two such rows meet, known by construction; python-flint is not asked."""
    monkeypatch.setattr("lexiprog.backends.solver.has_exact", lambda: False)
    random = np.random.default_rng(seed)
    size = 5
    digits = 10.0 ** random.integers(3, 8)
    base = random.integers(1, 6, (size, size)).astype(float) + 5.0 * np.eye(size)
    rows = np.vstack([digits * base, digits * base + random.integers(-1, 2, (size, size))])
    corner = random.integers(1, 9, size).astype(float)
    weights = random.integers(1, 5, 2 * size).astype(float)
    x = cp.Variable(size, bounds=[0, 20], name="x")
    objective = cp.Maximize((weights @ rows) @ x)  # all rows hold at the corner, with multipliers
    only = lx.Subproblem("only", objective, [rows @ x <= rows @ corner])
    found = lx.Program(lx.Stage("only", only)).solve()["only"]
    assert found.status == "optimal"
    assert found.value == pytest.approx(weights @ rows @ corner, rel=1e-12)
    assert found[x] == pytest.approx(corner, rel=1e-6)


@pytest.mark.parametrize("gap", [0.0, 1e-9])
def test_rows_that_contradict_each_other_in_a_written_digit_are_said_to_do_so(gap):
    """Supply and demand of a transport that were rounded to nine digits."""
    x = cp.Variable((2, 2), nonneg=True, name="x")
    cost = cp.sum(cp.multiply(np.array([[1.0, 2.0], [3.0, 1.0]]), x))
    rows = [cp.sum(x, axis=1) == [0.25, 0.5], cp.sum(x, axis=0) == [0.5, 0.25 + gap]]
    only = lx.Subproblem("only", cp.Minimize(cost), rows)
    program = lx.Program(lx.Stage("only", only))
    if gap:
        with pytest.raises(lx.StageError, match="infeasible"):
            program.solve()
        return
    found = program.solve()["only"]
    assert found.status == "optimal"
    assert found.value == pytest.approx(1.25, abs=1e-8)
