"""What is not known of each entry of a multiplier, and of a lock that stands beside its optimum."""

import warnings
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.compile.task import Strategy, prepare
from lexiprog.solve.verification import DUAL, _last_digits, loose_locks


@pytest.mark.parametrize("shape", [(8,), (2, 2), (3, 2)])
def test_of_many_multipliers_the_one_that_is_not_unique_is_known_by_its_place(shape):
    """One entry of x has another row that may carry its cost instead."""
    x, y = cp.Variable(shape, name="x"), cp.Variable(name="y")
    twice = (shape[0] - 1, 0) if len(shape) == 2 else (3,)
    rows = [x >= 1, 2 * x[twice] >= 2]
    first = lx.Subproblem("first", cp.Minimize(cp.sum(x)), rows)
    for place in np.ndindex(*shape):
        doubtful = place == twice
        second = lx.Subproblem("second", cp.Minimize(y), [y >= first.dual(rows[0])[place]])
        program = lx.Program(lx.Stage("1", first), lx.Stage("2", second))
        with pytest.warns(lx.LexiprogWarning) if doubtful else nullcontext():
            found = program.solve()["second"]
        assert (found.status == "optimal_inaccurate") is doubtful, place


def test_more_multipliers_than_are_looked_at_one_by_one_are_doubted_together():
    x, y = cp.Variable(12, name="x"), cp.Variable(name="y")
    rows = [x >= 1, 2 * x[3] >= 2]
    first = lx.Subproblem("first", cp.Minimize(cp.sum(x)), rows)
    second = lx.Subproblem("second", cp.Minimize(y), [y >= cp.sum(first.dual(rows[0]))])
    with pytest.warns(lx.LexiprogWarning, match="not unique"):
        lx.Program(lx.Stage("1", first), lx.Stage("2", second)).solve()
    alone = lx.Subproblem("first", cp.Minimize(cp.sum(x)), rows[:1])
    second = lx.Subproblem("second", cp.Minimize(y), [y >= cp.sum(alone.dual(rows[0]))])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = lx.Program(lx.Stage("1", alone), lx.Stage("2", second)).solve()["second"]
    assert (found.status, found.value) == ("optimal", pytest.approx(12.0))


@pytest.mark.parametrize(("drift", "loose"), [(5e-9, False), (2e-8, True)])
def test_beside_an_optimum_of_which_we_find_none_a_drift_of_1e_9_is_too_much(
    monkeypatch, drift, loose
):
    monkeypatch.setattr("lexiprog.solve.verification._value_on_faces", lambda *_: None)
    task = SimpleNamespace(subproblem=SimpleNamespace(kind="LP", constraints=[]))
    lock = SimpleNamespace(name="a", tolerance=0.0, kind="value", drift=drift)
    wide = SimpleNamespace(name="b", tolerance=1.0, kind="value", drift=1.0)
    face = SimpleNamespace(name="c", tolerance=0.0, kind="face", drift=1.0)
    owner = SimpleNamespace(size=10.0, uncertainty=0.0)
    found = loose_locks(task, [lock, wide, face], None, dict.fromkeys("abc", owner))
    assert found == (["a"] if loose else [])


@pytest.mark.parametrize("size", [1e-4, 1.0, 1e4])
def test_whether_a_multiplier_is_unique_does_not_hang_on_its_unit(size):
    x, y = cp.Variable(name="x"), cp.Variable(name="y")
    rows = [x >= 1, 2 * x >= 2]
    first = lx.Subproblem("first", cp.Minimize(size * x), rows)
    second = lx.Subproblem("second", cp.Minimize(y), [y >= first.dual(rows[0]) / size])
    with pytest.warns(lx.LexiprogWarning, match="not unique"):
        found = lx.Program(lx.Stage("1", first), lx.Stage("2", second)).solve()["second"]
    assert found.effects["first.dual(0)"] == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize(
    "owner", [None, SimpleNamespace(gp=True, fair=None), SimpleNamespace(gp=False, fair=object())]
)
def test_multipliers_of_what_is_gone_geometric_or_fair_have_no_polyhedron(owner):
    among = DUAL[0]
    assert among(None, SimpleNamespace(owner=lambda: owner), None, {}) is None


@pytest.mark.parametrize("apart", [1e-8, 1e-13])
def test_who_stands_beside_a_face_is_found_to_the_thirteenth_digit(apart):
    """The first leaves nothing of y: a second that has 1 of it gave up next to nothing."""
    x, y = (cp.Variable(name=name, bounds=[0, 1]) for name in "xy")
    rows = [x + y <= 1]
    first = lx.Subproblem("first", cp.Maximize(x + (1 - apart) * y), rows)
    second = lx.Subproblem("second", cp.Maximize(y), [*rows, y <= 5, first.held()])
    solved = {"first": lx.Program(lx.Stage("1", first)).solve()["first"]}
    task = prepare(second, Strategy(lx.Solver("SCIPY")), solved)
    lock = SimpleNamespace(name="first", tolerance=0.0, kind="value", drift=apart)
    for value, loose in ((1.0, ["first"]), (0.0, [])):
        found = SimpleNamespace(value=value, size=1.0 + value)
        assert loose_locks(task, [lock], found, solved) == loose


def test_beside_a_tolerance_each_held_optimum_is_found_anew_before_it_is_held():
    """The first is known to a billionth only, for which the last would get a tenth of y."""
    x, y, z = (cp.Variable(name=name, bounds=[0, 1]) for name in "xyz")
    rows = [x + y <= 1, y <= 0.1]
    first = lx.Subproblem("first", cp.Maximize(x + (1 - 1e-8) * y), rows)
    loose = lx.Subproblem("loose", cp.Minimize(z), [z >= 0.5])
    held = [first.held(), loose.held(atol=0.1)]
    last = lx.Subproblem("last", cp.Maximize(y), [*rows, z >= 0.5, *held])
    solved = dict(lx.Program(lx.Stage("1", first, loose)).solve())
    solved["first"] = replace(solved["first"], value=solved["first"].value - 1e-9)
    task = prepare(last, Strategy(lx.Solver("SCIPY")), solved)
    lock = SimpleNamespace(name="first", tolerance=0.0, kind="value", drift=1e-9)
    for value, wanted in ((0.1, ["first"]), (0.0, [])):
        found = SimpleNamespace(value=value, size=1.0 + value)
        assert loose_locks(task, [lock], found, solved) == wanted


@pytest.mark.parametrize(("value", "unit"), [(99.0, 1.0), (-99.0, 1.0), (0.0, 100.0)])
def test_what_is_owed_to_last_digits_counts_by_prices_and_as_a_share_of_the_size(value, unit):
    """Two units of the last place of 2^30 for each price of the lock, 3 in all, over 100."""
    rows = [SimpleNamespace(id=k) for k in range(3)]
    locks = [(k, SimpleNamespace(owner_name=name)) for k, name in ((0, "a"), (2, "b"))]
    problem = SimpleNamespace(constraints=rows, locks=locks)
    dual = {0: -2.0, 1: 50.0, 2: np.array([0.5, -0.5])}
    own = SimpleNamespace(unit=unit, answer=SimpleNamespace(dual=dual, value=value))
    held = dict.fromkeys("ab", SimpleNamespace(value=-(2.0**30)))
    assert _last_digits(problem, own, held) == pytest.approx(2 * 3 * 2.0 ** (30 - 52) / 100)
    own.answer.dual.clear()
    assert _last_digits(problem, own, held) == 0.0
