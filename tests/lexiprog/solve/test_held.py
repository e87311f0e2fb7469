"""What is held, and not exactly known, is said of whoever holds it."""

from dataclasses import replace
from types import SimpleNamespace

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.solve.held import _price, _uncertainties
from lexiprog.solve.strategies import Backends
from lexiprog.status import Status


def box():
    x = cp.Variable(2, bounds=[0, 4], name="x")
    levels = {"a": cp.Maximize(x[0]), "b": cp.Maximize(x[1])}
    return lx.preemptive(levels, [x[0] + 2 * x[1] <= 8])


@pytest.mark.parametrize(("solver", "status"), [("HIGHS", "optimal_inaccurate"),
                                                ("EXACT", "optimal")])  # fmt: skip
def test_what_holds_a_doubtful_optimum_is_doubtful_unless_it_was_found_anew(solver, status):
    program = box()
    whole = program.solve()
    doubtful = {"a": replace(whole["a"], status=Status.INACCURATE)}
    found = program.solve(solver, resume=lx.Result(whole.stages, doubtful))["b"]
    assert (found.value, found.status) == (pytest.approx(2.0), status)


def test_a_face_that_hangs_on_unknown_digits_is_warned_of(monkeypatch):
    program = box()
    whole = program.solve()
    first = lx.Result(whole.stages, {"a": whole["a"]})
    monkeypatch.setattr("lexiprog.solve.strategies.has_exact", lambda: False)
    monkeypatch.setattr(Backends, "ambiguous", lambda *_: ["a"])
    with pytest.warns(lx.LexiprogWarning, match=r"'b' holds 'a' exactly, but which points"):
        found = program.solve(resume=first)["b"]
    assert found.status == "optimal_inaccurate"


def test_a_lock_on_a_curve_that_stops_nobody_has_no_price():
    """The disk's right end leaves z alone."""
    x, z = cp.Variable(2, name="x"), cp.Variable(name="z", bounds=[0, 3])
    levels = {"right": cp.Maximize(x[0]), "far": cp.Maximize(z + 0 * x[1])}
    far = lx.preemptive(levels, [cp.norm(x) <= 1]).solve()["far"]
    assert far.value == pytest.approx(3.0)
    assert far.price("right") == pytest.approx(0.0, abs=1e-6)


def effect(*, fair=False, multiplier=2.0, guard=0.0, doubts=(), **held):
    """What is not known of a held optimum may do so much; it has a size of 10 and a gap of 1e-3."""
    facts = {"value": 9.0, "unit": 1.0, "size": 10.0, "uncertainty": 1e-5} | held
    owner = SimpleNamespace(certificate=SimpleNamespace(gap=1e-3), **facts)
    row = SimpleNamespace(id=7)
    problem = SimpleNamespace(
        locks=[(0, SimpleNamespace(owner_name="a", fair=fair))], constraints=[row]
    )
    task = SimpleNamespace(
        subproblem=problem, slack=SimpleNamespace(guard_for=lambda value, unit: guard)
    )
    dual = {} if multiplier is None else {7: multiplier}
    answer = SimpleNamespace(dual=dual, doubts=dict(doubts))
    return _uncertainties(task, answer, {"a": owner})


def test_what_is_not_known_of_a_held_optimum_counts_by_its_multiplier():
    assert effect() == {"a": pytest.approx(2e-5)}
    assert effect(multiplier=-2.0) == {"a": pytest.approx(2e-5)}
    assert effect(guard=1e-4) == {"a": pytest.approx(2 * 1.1e-4)}
    # An optimum of which nothing is known may be off by its whole size.
    assert effect(uncertainty=np.inf) == {"a": pytest.approx(20.0)}


def test_of_fair_levels_the_worst_known_counts_and_all_multipliers():
    assert effect(fair=True) == {"a": pytest.approx(2.0 * 1e-3 * 10.0)}
    assert effect(fair=True, uncertainty=1.0) == {"a": pytest.approx(2.0)}
    assert effect(fair=True, multiplier=np.array([1.0, -2.0])) == {"a": pytest.approx(3e-2)}


def test_without_multiplier_a_loosened_lock_is_worth_nobody_knows_what():
    assert effect(multiplier=None) == {}
    assert effect(multiplier=None, guard=1e-6) == {"a": np.inf}
    assert effect(doubts={"a": 0.5}.items(), guard=1e-6) == {"a": 0.5}


@pytest.mark.parametrize(("dual", "price"), [(None, None), (-2.5, 2.5), ([1.0, 2.0], 3.0)])
def test_a_curve_without_multiplier_has_no_price_and_else_its_size_is_one(dual, price):
    lock = SimpleNamespace(owner=lambda: SimpleNamespace(integer=False), owner_name="a")
    problem = SimpleNamespace(kind="QP", dpp=True, gp=False)
    task = SimpleNamespace(
        subproblem=problem, constants={}, integer=False, references={"a.held": 1.0}
    )
    found = _price(task, 0, lock, "value", SimpleNamespace(duals=(dual,), value=7.0), {})
    assert found.value == price


def test_what_is_held_and_what_is_referred_to_both_have_their_effects():
    """The first is off by 1e-5, which the second counts three times."""

    class Rough:
        name = "rough"

        def solve(self, problem):
            problem.solve(solver="HIGHS")
            for variable in problem.variables():
                variable.save_value(variable.value + 1e-5)

    x, y = cp.Variable(name="x", bounds=[-9, 9]), cp.Variable(name="y", bounds=[-9, 9])
    a = lx.Subproblem("a", cp.Minimize(x), [x >= 1])
    b = lx.Subproblem("b", cp.Maximize(x - y), [y >= 3 * a.optimum, a.held()])
    program = lx.Program(lx.Stage("1", a), lx.Stage("2", b))
    rough = {"a": lx.Solver(Rough(), accept=1e-3)}
    with pytest.warns(lx.LexiprogWarning):
        found = program.solve(rough)["b"]
    assert found.effects.keys() == {"a.held", "a.optimum"}
    assert found.effects["a.optimum"] == pytest.approx(3e-5, rel=1e-2)
