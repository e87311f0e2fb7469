"""Whom wider faces serve, and what they say where a held optimum is not what it should be."""

from dataclasses import replace

import cvxpy as cp
import pytest

import lexiprog as lx
from lexiprog.compile.task import Strategy, prepare
from lexiprog.solve.mixed_rows import MixedRowChain, is_proved, owners_first
from lexiprog.status import Fault, Status


@pytest.fixture
def x():
    return cp.Variable(2, name="x", bounds=[0, 3])


@pytest.fixture
def levels(x):
    """The most of x[0], then of x[1] with a row more: (3, 1), or half of that."""
    first = lx.Subproblem("first", cp.Maximize(x[0]), rows := [cp.sum(x) <= 4])
    second = lx.Subproblem("second", cp.Maximize(x[1]), [*rows, 2 * x[1] <= 1, first.held()])
    return first, second


def run(second, solved):
    wider = MixedRowChain()
    strategy = Strategy(lx.Solver("HIGHS"), "face", refined=True)
    return wider.run(prepare(second, strategy, solved, compiler=wider.compile))


def test_a_level_is_solved_on_the_faces_of_what_it_holds_with_their_proofs(levels):
    first, second = levels
    solved = dict(lx.Program(lx.Stage("1", first)).solve())
    answer = run(second, solved)
    assert answer.value == pytest.approx(0.5)
    assert answer.primal[second.variable("x").id] == pytest.approx([3.0, 0.5])
    assert list(answer.held.proofs) == ["first"]
    assert answer.seconds > 0.0
    assert is_proved(answer)
    assert not is_proved(replace(answer, x=None))
    assert not is_proved(replace(answer, form=None))
    assert not is_proved(replace(answer, x=answer.x + 1.0, measured=None))


@pytest.mark.parametrize(("off", "same"), [(1e-7, True), (-1e-7, True), (1e-3, False)])
def test_an_optimum_that_is_not_the_one_to_be_held_is_said_to_be_another(levels, off, same):
    first, second = levels
    solved = dict(lx.Program(lx.Stage("1", first)).solve())
    solved["first"] = replace(solved["first"], value=solved["first"].value + off)
    answer = run(second, solved)
    assert (answer.status is Status.FAILED) is not same
    assert answer.reason.startswith("'first' has another optimum there") is not same


def test_a_face_that_is_not_clear_is_said_to_be_unclear(levels, monkeypatch):
    first, second = levels
    solved = dict(lx.Program(lx.Stage("1", first)).solve())
    monkeypatch.setattr("lexiprog.solve.face.HeldFace.uncertain", True)
    answer = run(second, solved)
    assert (answer.status, answer.fault) == (Status.FAILED, Fault.UNCLEAR)
    assert answer.reason.endswith("not clear: 'first'")


def test_only_exact_locks_on_linear_levels_are_served_and_what_these_hold_must_be_held(x, levels):
    first, second = levels
    serves = MixedRowChain().serves
    assert serves(second)
    assert not serves(first)  # it holds nothing
    assert not MixedRowChain({"first"}).serves(second)
    assert MixedRowChain({"second"}).serves(second)
    rows = [cp.sum(x) <= 4]
    for terms in ({"atol": 0.1}, {"rtol": 0.1}):
        assert not serves(lx.Subproblem("s", cp.Maximize(x[1]), [*rows, first.held(**terms)]))
    square = cp.Minimize(cp.sum_squares(x))
    assert not serves(lx.Subproblem("s", square, [first.held()]))
    curved = lx.Subproblem("curved", square, rows)
    assert not serves(lx.Subproblem("s", cp.Maximize(x[1]), [curved.held()]))
    assert not serves(lx.Subproblem("s", cp.Minimize(x[1]), [second.held()]))
    assert serves(lx.Subproblem("s", cp.Minimize(x[1]), [second.held(), first.held()]))
    fair = lx.leximin([x[0], x[1]], rows)["leximin"]
    assert not serves(lx.Subproblem("s", cp.Minimize(x[1]), [fair.held()]))


def test_owners_come_before_their_holders_and_each_once(x, levels):
    first, second = levels
    last = lx.Subproblem("last", cp.Minimize(x[1]), [second.held(), first.held()])
    assert list(owners_first(last)) == [first, second, last]
    assert list(owners_first(first)) == [first]


def test_a_held_optimum_over_rows_that_its_holder_lets_go_has_no_face_here(x):
    first = lx.Subproblem("first", cp.Maximize(x[0]), [2 * x[0] <= 4, cp.sum(x) <= 4])
    second = lx.Subproblem("second", cp.Maximize(x[1]), [cp.sum(x) <= 4, first.held()])
    solved = dict(lx.Program(lx.Stage("1", first)).solve())
    answer = run(second, solved)
    assert (answer.status, answer.x) == (Status.FAILED, None)
    assert "over rows that are not its" in answer.reason
