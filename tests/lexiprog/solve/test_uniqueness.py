"""A stage that reads a point or a multiplier which is not the only optimal one is told so."""

import warnings

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import lexiprog as lx


def reading(read, owner, *, stage="second"):
    """The owner, and a stage that does nothing but read."""
    y = cp.Variable(read.shape, name="y")
    reader = lx.Subproblem("reader", cp.Minimize(cp.sum(y)), [y >= read])
    return lx.Program(lx.Stage("first", owner), lx.Stage(stage, reader))


def said(program, solver=None, **options):
    """What solve says of what is not unique."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        program.solve(solver, **options)
    return [str(w.message) for w in caught if "which is not unique" in str(w.message)]


def two_pieces():
    """At least 4 of two things that cost the same."""
    u = cp.Variable(2, nonneg=True, name="u")
    return u, lx.Subproblem("cheap", cp.Minimize(cp.sum(u)), [cp.sum(u) >= 4])


@pytest.mark.parametrize("solver", [None, "CLARABEL", "SCS"])
def test_the_warning_names_the_stage_that_reads_the_range_and_the_stage_to_add(solver):
    u, cheap = two_pieces()
    (message,) = said(reading(cheap.at(u[0]), cheap), solver)
    assert "stage 'second' reads cheap.at(u[0]), which is not unique" in message
    assert "from 0 to 4" in message
    assert "add a stage after 'first'" in message
    assert "cheap.held()" in message


def test_what_is_the_same_at_every_optimum_is_read_in_silence():
    u, cheap = two_pieces()
    assert said(reading(cheap.at(u[0] + u[1]), cheap)) == []
    assert said(reading(cheap.optimum, cheap)) == []


def test_entries_that_are_not_used_may_be_what_they_like():
    x = cp.Variable(3, nonneg=True, name="x")
    owner = lx.Subproblem("owner", cp.Minimize(cp.sum(x)), [x[0] + x[1] >= 4, x[2] >= 1])
    y, point = cp.Variable(name="y"), owner.at(x)

    def reader(read):
        problem = lx.Subproblem("reader", cp.Minimize(y), [y >= read])
        return lx.Program(lx.Stage("first", owner), lx.Stage("second", problem))

    assert said(reader(point[2])) == []
    assert len(said(reader(point[1]))) == 1


def test_the_stage_that_the_warning_names_makes_it_unique():
    u, cheap = two_pieces()
    fewest = lx.Subproblem("fewest", cp.Minimize(u[0]), [*cheap.constraints, cheap.held()])
    y = cp.Variable(name="y")
    reader = lx.Subproblem("reader", cp.Minimize(y), [y >= fewest.at(u[0])])
    program = lx.Program(lx.Stage("1", cheap), lx.Stage("2", fewest), lx.Stage("3", reader))
    assert said(program) == []
    assert program.solve()["reader"].value == pytest.approx(0.0, abs=1e-9)


def test_what_depends_on_the_point_by_a_curve_is_looked_at_by_its_values():
    u, cheap = two_pieces()
    assert len(said(reading(cheap.at(cp.norm(u)), cheap))) == 1
    assert said(reading(cheap.at(cp.square(cp.sum(u))), cheap)) == []


def test_least_squares_that_determine_a_sum_alone_are_told_of_single_entries():
    x = cp.Variable(2, bounds=[0, 5], name="x")
    fit = lx.Subproblem("fit", cp.Minimize(cp.square(x[0] + x[1] - 3) + 1), [x[0] <= 4])
    assert said(reading(fit.at(x[0] + x[1]), fit)) == []
    (message,) = said(reading(fit.at(x), fit))
    assert "reads fit.at(x), which is not unique" in message


def test_a_multiplier_of_a_row_that_is_there_twice_is_not_unique():
    """Minimise x over x >= 1 and 2 x >= 2: any y1 + 2 y2 = 1 proves the optimum."""
    x = cp.Variable(name="x")
    rows = [x >= 1, 2 * x >= 2]
    twice = lx.Subproblem("twice", cp.Minimize(x), rows)
    (message,) = said(reading(twice.dual(rows[0]), twice))
    assert "multipliers from 0 to 1" in message
    assert "write the dual of 'twice' as a stage of its own" in message
    once = lx.Subproblem("once", cp.Minimize(x), rows[:1])
    assert said(reading(once.dual(rows[0]), once)) == []


def test_warm_solves_read_the_point_that_a_first_solve_reads():
    u, cheap = two_pieces()
    program = reading(cheap.at(u[0]), cheap)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cold = program.solve().final.value
        assert [program.solve(warm=True).final.value for _ in range(3)] == [cold] * 3


@st.composite
def programs(draw):
    """Whole numbers, so that what is degenerate is exactly so."""
    size, count = draw(st.integers(2, 4)), draw(st.integers(1, 3))
    numbers = st.integers(-2, 3)
    row = st.lists(numbers, min_size=size, max_size=size)
    rows = np.array(draw(st.lists(row, min_size=count, max_size=count)), float)
    sides = np.array(draw(st.lists(st.integers(0, 6), min_size=count, max_size=count)), float)
    return rows, sides, np.array(draw(row), float), np.array(draw(row), float)


def extent(cost, rows, sides, read, most):
    """Least and largest value of what is read over the optima, by another solver."""
    bounds = [(0, most)] * cost.size
    best = linprog(cost, rows, sides, bounds=bounds).fun
    stacked, limits = np.vstack([rows, cost]), np.append(sides, best + 1e-9)
    return [sign * linprog(sign * read, stacked, limits, bounds=bounds).fun for sign in (1.0, -1.0)]


@settings(deadline=None, max_examples=60)
@given(programs(), st.sampled_from([None, "CLARABEL"]))
def test_it_warns_where_and_only_where_optima_differ_in_what_is_read(drawn, solver):
    rows, sides, cost, read = drawn
    x = cp.Variable(cost.size, bounds=[0, 4], name="x")
    owner = lx.Subproblem("owner", cp.Minimize(cost @ x), [rows @ x <= sides])
    low, high = extent(cost, rows, sides, read, 4)
    messages = said(reading(owner.at(read @ x), owner), solver)
    assert bool(messages) == (high - low > 1e-6)
    if messages:
        assert f"from {round(low, 6) + 0.0:.6g} to {round(high, 6) + 0.0:.6g}" in messages[0]


@settings(deadline=None, max_examples=40)
@given(programs())
def test_it_warns_where_and_only_where_multipliers_differ(drawn):
    rows, sides, cost, _ = drawn
    x = cp.Variable(cost.size, bounds=[0, 4], name="x")
    limits = rows @ x <= sides
    owner = lx.Subproblem("owner", cp.Minimize(cost @ x), [limits])
    # The dual: rows' y + bounds' w = -cost + v, with v for x >= 0, all of them at least 0.
    m, n = rows.shape
    table = np.hstack([rows.T, np.eye(n), -np.eye(n)])
    price = np.concatenate([sides, np.full(n, 4.0), np.zeros(n)])
    best = linprog(price, A_eq=table, b_eq=-cost).fun
    ends = [
        linprog(sign * np.eye(m + 2 * n)[k], [price], [best + 1e-9], table, -cost)
        for k in range(m)
        for sign in (1.0, -1.0)
    ]
    spread = [
        np.inf if up.status == 3 else -up.fun - down.fun
        for down, up in zip(ends[::2], ends[1::2], strict=True)
    ]
    messages = said(reading(owner.dual(limits), owner))
    assert bool(messages) == (max(spread) > 1e-6)


@settings(deadline=None, max_examples=40)
@given(programs())
def test_least_squares_warn_where_and_only_where_optima_differ(drawn):
    rows, sides, goal, read = drawn
    x = cp.Variable(goal.size, bounds=[0, 4], name="x")
    target = sides - 7.0  # which no point reaches, so that the optimum is curved
    owner = lx.Subproblem("owner", cp.Minimize(cp.sum_squares(rows @ x - target)), [x[0] <= 3])
    messages = said(reading(owner.at(read @ x), owner))
    best = np.ravel(lx.Program(lx.Stage("s", owner)).solve().final[x])
    bounds = [(0, 3), *[(0, 4)] * (goal.size - 1)]
    fitted = rows @ best
    ends = [
        linprog(
            sign * read,
            np.vstack([rows, -rows]),
            np.concatenate([fitted, -fitted]) + 1e-7,
            bounds=bounds,
        ).fun
        for sign in (1.0, -1.0)
    ]
    assert bool(messages) == (-ends[1] - ends[0] > 1e-4)
