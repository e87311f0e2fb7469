"""Our own optimum where all that is held is held at our own optima, or that there is none."""

from types import SimpleNamespace

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.compile.task import Strategy, prepare
from lexiprog.solve import verification as second_opinion
from lexiprog.solve.verification import _value_along_chain, _value_on_faces
from lexiprog.status import Fault


def levels(*, tolerance=0.0, curved=False):
    """The most of x, then of y where x + y <= 4 and both are at most 3: 3 and 1."""
    x = cp.Variable(2, name="x", bounds=[0, 3])
    rows = [cp.sum(x) <= 4]
    goal = cp.Minimize(cp.sum_squares(x - 3)) if curved else cp.Maximize(x[0])
    first = lx.Subproblem("first", goal, rows)
    other = lx.Subproblem("other", cp.Maximize(x[0]), rows)
    held = [first.held(), *([other.held(atol=tolerance)] if tolerance else [])]
    second = lx.Subproblem("second", cp.Maximize(x[1]), [*rows, *held])
    solved = dict(lx.Program(lx.Stage("1", first, other)).solve())
    return prepare(second, Strategy(lx.Solver("CLARABEL")), solved), solved


@pytest.mark.parametrize("tolerance", [0.0, 0.5])
def test_a_linear_level_has_its_optimum_on_the_faces_or_beside_a_tolerance(tolerance):
    task, solved = levels(tolerance=tolerance)
    assert _value_on_faces(task, solved) == pytest.approx(1.0, abs=1e-12)
    along = _value_along_chain(task, solved)
    assert along is None if tolerance else along == pytest.approx(1.0)


def test_what_holds_something_curved_has_none():
    task, solved = levels(curved=True)
    assert _value_on_faces(task, solved) is None


def test_an_owner_that_nobody_solves_leaves_no_number(monkeypatch):
    task, solved = levels(tolerance=0.5)
    monkeypatch.setattr(second_opinion, "own_optimum", lambda *_, **__: None)
    assert np.isnan(_value_on_faces(task, solved))


def test_digits_that_hang_on_the_last_ones_of_a_held_optimum_leave_no_number(monkeypatch):
    task, solved = levels(tolerance=0.5)
    monkeypatch.setattr(second_opinion, "_last_digits", lambda *_: 2e-6)
    assert np.isnan(_value_on_faces(task, solved))
    monkeypatch.setattr(second_opinion, "_last_digits", lambda *_: 0.5e-6)
    assert _value_on_faces(task, solved) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("fault", "proved", "value"),
    [(None, True, 1.0), (None, False, None), (Fault.UNCLEAR, True, np.nan)],
)
def test_along_a_chain_only_what_is_proved_and_clear_counts(fault, proved, value, monkeypatch):
    task, solved = levels()
    answer = SimpleNamespace(fault=fault, value=1.0)
    monkeypatch.setattr(second_opinion.MixedRowChain, "run", lambda *_: answer)
    monkeypatch.setattr(second_opinion, "is_proved", lambda _: proved)
    found = _value_along_chain(task, solved)
    assert found == value or (value is not None and np.isnan(value) and np.isnan(found))
