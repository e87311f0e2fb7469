"""What is said of a contradiction: what takes part, whether all of it is needed, and a way out."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.infeasibility import diagnosis as contradiction
from lexiprog.infeasibility.diagnosis import explain
from lexiprog.model.lock import NO_SLACK


@pytest.fixture
def xy():
    return cp.Variable(name="x", bounds=[0, 9]), cp.Variable(name="y", bounds=[0, 9])


def solved(*problems):
    return lx.Program(lx.Stage("1", *problems)).solve()


def problem(*rows, goal=None):
    return lx.Subproblem("p", goal or cp.Minimize(cp.sum(rows[0].variables()[0])), list(rows))


def test_one_constraint_that_can_never_hold_is_said_to_be_alone(xy):
    parts, said = explain(problem(cp.abs(xy[0]) <= -1), {}, NO_SLACK)
    assert said.startswith("This cannot hold, whatever else is left out: (1)")
    assert len(parts) == 1
    assert "earlier" not in said


def test_several_are_counted_and_none_can_be_left_out(xy):
    x, y = xy
    parts, said = explain(problem(x >= 3, y >= 0, x + y <= 2), {}, NO_SLACK)
    assert [part.position for part in parts] == [1, 3, None]
    assert said.startswith("These 3 constraints and bounds cannot hold together, and none of them")
    free = cp.Variable(name="f")
    parts, said = explain(problem(free >= 3, free <= 2), {}, NO_SLACK)
    assert said.startswith("These 2 constraints cannot hold together, and none")


def test_more_than_is_needed_is_said_to_be_so(xy, monkeypatch):
    found = contradiction.find_conflict

    def hasty(*terms):
        whole = found(*terms)
        return type(whole)(whole.constraints, whole.bounds, whole.whole, minimal=False)

    monkeypatch.setattr(contradiction, "find_conflict", hasty)
    _, said = explain(problem(xy[0] >= 3, xy[0] <= 2), {}, NO_SLACK)
    assert "cannot hold together, though perhaps not all of them are needed" in said


def test_an_earlier_optimum_that_takes_no_part_is_said_to_take_none(xy):
    x, y = xy
    low = lx.Subproblem("low", cp.Minimize(y), [y >= 1])
    rows = [x >= 3, x <= 2]
    _, said = explain(problem(*rows, y <= low.optimum), solved(low), NO_SLACK)
    assert said.endswith(
        "No earlier optimum takes part: relaxing those it depends on would not help."
    )
    _, said = explain(problem(*rows), {}, NO_SLACK)
    assert said.endswith("x <= 2.")


def test_each_earlier_optimum_that_would_help_alone_is_named_the_smallest_first(xy):
    """x <= a and 2y <= b of 3 and 4, against x + y >= 7: two of the one, or four of the other."""
    x, y = xy
    a = lx.Subproblem("a", cp.Minimize(x), [x >= 3])
    b = lx.Subproblem("b", cp.Minimize(2 * y), [y >= 2])
    last = problem(2 * y <= b.optimum, x <= a.optimum, x + y >= 7)
    parts, said = explain(last, solved(a, b), NO_SLACK)
    relaxed = {part.optima[0]: part.relaxation for part in parts if part.optima}
    assert relaxed == {"a.optimum": pytest.approx(2.0), "b.optimum": pytest.approx(4.0)}
    one = "The earlier optimum a.optimum would have to be relaxed by 2, no less, in constraint 2."
    other = "The earlier optimum b.optimum would have to be relaxed by 4, no less, in constraint 1."
    assert said.endswith(f"{one} {other}")


def test_optima_that_help_only_together_are_named_with_their_sum():
    """Each of u and v is two short of what is asked of it."""
    u, v = cp.Variable(name="u"), cp.Variable(name="v")
    a = lx.Subproblem("a", cp.Maximize(u), [u <= 1])
    b = lx.Subproblem("b", cp.Maximize(v), [v <= 1])
    last = problem(cp.hstack([u, v]) <= cp.hstack([a.optimum, b.optimum]), u >= 3)
    _, said = explain(last, solved(a, b), NO_SLACK)
    assert "a.optimum" in said
    w = cp.Variable(name="w", pos=True)
    c = lx.Subproblem("c", cp.Minimize(w), [w >= 2], gp=True)
    no_slack = lx.Subproblem("p", cp.Minimize(w), [w >= 3, w <= c.optimum], gp=True)
    parts, said = explain(no_slack, solved(c), NO_SLACK)
    assert [part.relaxation for part in parts] == [None, None]
    assert said.endswith("It depends on c.optimum, but relaxing that alone would not help.")


def test_where_no_solver_confirms_it_only_what_it_depends_on_is_named(xy, monkeypatch):
    x, y = xy
    monkeypatch.setattr(contradiction, "find_conflict", lambda *_: None)
    low = lx.Subproblem("low", cp.Minimize(y), [y >= 1])
    parts, said = explain(problem(x >= 3, x <= low.optimum), solved(low), NO_SLACK)
    assert parts == ()
    assert said.startswith("It depends on low.optimum. What contradicts what could not be found")
    _, said = explain(problem(x >= 3, x <= 2), {}, NO_SLACK)
    assert said.startswith("What contradicts what could not be found")


def test_of_arrays_the_entries_that_take_part_are_named_and_none_if_all_do():
    x = cp.Variable((2, 2), name="x")
    least = np.array([[0.0, 5.0], [0.0, 0.0]])
    parts, _ = explain(problem(x >= least, x <= 4), {}, NO_SLACK)
    assert [part.entries for part in parts] == [((0, 1),), ((0, 1),)]
    one = cp.Variable(name="one")
    parts, _ = explain(problem(one >= 5, one <= 4), {}, NO_SLACK)
    assert [part.entries for part in parts] == [(), ()]
    n = cp.Variable(name="n", integer=True)
    parts, said = explain(problem(2 * n == 1), {}, NO_SLACK)
    assert [part.text for part in parts][-1] == "n is whole"
    assert "and bounds" in said
