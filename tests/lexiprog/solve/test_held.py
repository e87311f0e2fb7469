"""Whether held optima are kept, how well they are known, and what is said of their holders."""

import warnings
from dataclasses import replace
from types import SimpleNamespace

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.compile.answer import Answer, HeldOptima
from lexiprog.compile.task import Strategy, prepare
from lexiprog.errors import Attempt
from lexiprog.results.evidence import LockRecord
from lexiprog.solve.held import (
    LockChecks,
    effect_of_last_digits,
    effects_of_locks,
    lock_record,
    loose_locks,
    value_along_chain,
    value_on_faces,
    with_locks,
)
from lexiprog.solve.prices import price_of_lock
from lexiprog.solve.strategies import Backends
from lexiprog.status import Fault, Status


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


def effect(*, fair=False, multiplier=2.0, guard=0.0, known=(), **held):
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
    answer = Answer(Status.OPTIMAL, dual=dual, held=HeldOptima(effects=dict(known)))
    return effects_of_locks(task, answer, {"a": owner})


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
    assert effect(known={"a": 0.5}.items(), guard=1e-6) == {"a": 0.5}


@pytest.mark.parametrize(("dual", "price"), [(None, None), (-2.5, 2.5), ([1.0, 2.0], 3.0)])
def test_a_curve_without_multiplier_has_no_price_and_else_its_size_is_one(dual, price):
    lock = SimpleNamespace(owner=lambda: SimpleNamespace(integer=False), owner_name="a")
    problem = SimpleNamespace(kind="QP", dpp=True, gp=False)
    task = SimpleNamespace(
        subproblem=problem, constants={}, integer=False, references={"a.held": 1.0}
    )
    found = price_of_lock(task, 0, lock, "value", SimpleNamespace(duals=(dual,), value=7.0), {})
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


def decided(
    *, drift=0.0, tolerance=0.0, guard=0.0, effect=0.0, loose=(), ambiguous=(), strict=False,
    solved_again=(), status=Status.OPTIMAL,
):  # fmt: skip
    """What becomes of a solution of size 10 that holds an optimum of size 5, and what is said."""
    x = cp.Variable(name="x")
    problem = lx.Subproblem("p", cp.Minimize(x), [x >= 9])
    solution = lx.Program(lx.Stage("only", problem)).solve().final
    task = SimpleNamespace(
        solver=SimpleNamespace(name="S", accept=1e-6), strategy=SimpleNamespace(strict=strict)
    )
    checks = LockChecks(
        records=(LockRecord("a", "value", 0.0, tolerance, guard, drift),),
        effects={"a": effect, "b": effect / 4},
        owners={"a": SimpleNamespace(size=5.0, status=status)},
        solved_again=frozenset(solved_again),
        ambiguous=ambiguous,
        find_loose=lambda: list(loose),
    )
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = with_locks(task, solution, checks)
    return found, " ".join(str(one.message) for one in said)


def test_what_keeps_all_it_holds_is_taken_without_a_word():
    found, said = decided(effect=1e-7)
    assert (found.status, said) == (Status.OPTIMAL, "")
    assert found.effects == {"a.held": 1e-7, "b.held": pytest.approx(0.25e-7)}
    assert [lock.name for lock in found.locks] == ["a"]


@pytest.mark.parametrize(
    ("terms", "missed"),
    [
        ({"drift": 4e-6}, False),  # a millionth of 5
        ({"drift": 6e-6}, True),
        ({"drift": 0.1 + 4e-6, "tolerance": 0.1}, False),
        ({"drift": 0.1 + 6e-6, "tolerance": 0.1}, True),
        ({"drift": 0.1 + 4e-6, "guard": 0.1}, False),
        ({"drift": float("nan")}, True),
    ],
)
def test_who_gives_up_more_than_is_tolerated_is_not_taken(terms, missed):
    found, _ = decided(**terms)
    assert isinstance(found, Attempt) is missed
    if missed:
        assert (found.solver, found.fault) == ("S", Fault.LOCK_MISSED)
        assert "the held optimum 'a' is missed by" in found.reason


@pytest.mark.parametrize(("effect", "unsure"), [(7e-6, False), (9e-6, True)])
@pytest.mark.parametrize("strict", [False, True])
def test_effects_of_what_is_not_known_count_together_as_a_share_of_the_size(effect, unsure, strict):
    """Five quarters of the first effect, over ten."""
    found, said = decided(effect=effect, strict=strict)
    if strict:
        assert isinstance(found, Attempt) is unsure
        assert said == ""
        if unsure:
            assert "held optima may change it by 1.1e-06 of its size" in found.reason
    else:
        assert (found.status is Status.INACCURATE) is unsure
        assert ("of 'a' above all, may change its value by 1.1e-06" in said) is unsure


def test_an_effect_without_limit_is_doubted_without_a_number():
    found, said = decided(effect=float("inf"))
    assert (found.status, said) == (Status.INACCURATE, "")


@pytest.mark.parametrize("strict", [False, True])
def test_a_lock_that_is_kept_loosely_is_told_or_not_taken(strict):
    found, said = decided(loose=["a", "b"], strict=strict)
    if strict:
        assert found.fault is Fault.LOCK_MISSED
        assert "it may keep 'a', 'b' not exactly enough" in found.reason
    else:
        assert found.status is Status.INACCURATE
        assert "keeps 'a', 'b' less exactly than it was found; another solver than S" in said


def test_doubtful_faces_and_guards_are_told():
    found, said = decided(ambiguous=["a"])
    assert found.status is Status.INACCURATE
    assert "holds 'a' exactly, but which points are optimal" in said
    found, said = decided(guard=2e-6)
    assert found.status is Status.INACCURATE
    assert "with the lock on 'a' loosened by 2.0e-06" in said


def test_who_holds_a_doubtful_optimum_is_doubtful_unless_it_was_found_anew_in_fractions():
    assert decided(status=Status.INACCURATE)[0].status is Status.INACCURATE
    found, said = decided(status=Status.INACCURATE, solved_again=["a"])
    assert (found.status, said) == (Status.OPTIMAL, "")


def test_a_lock_whose_owner_is_gone_is_an_error():
    lock = SimpleNamespace(owner=lambda: None, owner_name="a")
    with pytest.raises(lx.LexiprogError, match="the owner of the lock on 'a' is gone"):
        lock_record(None, None, 0, lock, 0.0, 0.0, None, {"a": None})


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
    assert value_on_faces(task, solved) == pytest.approx(1.0, abs=1e-12)
    along = value_along_chain(task, solved)
    assert along is None if tolerance else along == pytest.approx(1.0)


def test_what_holds_something_curved_has_none():
    task, solved = levels(curved=True)
    assert value_on_faces(task, solved) is None


def test_an_owner_that_nobody_solves_leaves_no_number(monkeypatch):
    task, solved = levels(tolerance=0.5)
    monkeypatch.setattr("lexiprog.solve.held.verification_solve", lambda *_, **__: None)
    assert np.isnan(value_on_faces(task, solved))


@pytest.mark.parametrize(("effect", "value"), [(2e-6, np.nan), (0.5e-6, 1.0)])
def test_digits_that_hang_on_the_last_ones_of_a_held_optimum_leave_no_number(
    monkeypatch, effect, value
):
    task, solved = levels(tolerance=0.5)
    monkeypatch.setattr("lexiprog.solve.held.effect_of_last_digits", lambda *_: effect)
    assert value_on_faces(task, solved) == pytest.approx(value, nan_ok=True)


@pytest.mark.parametrize(
    ("fault", "proved", "value"),
    [(None, True, 1.0), (None, False, None), (Fault.UNCLEAR, True, np.nan)],
)
def test_along_a_chain_only_what_is_proved_and_clear_counts(fault, proved, value, monkeypatch):
    task, solved = levels()
    answer = SimpleNamespace(fault=fault, value=1.0)
    monkeypatch.setattr("lexiprog.solve.held.MixedRowChain.run", lambda *_: answer)
    monkeypatch.setattr("lexiprog.solve.held.is_proved", lambda _: proved)
    found = value_along_chain(task, solved)
    assert found == value or (value is not None and np.isnan(value) and np.isnan(found))


@pytest.mark.parametrize(("drift", "loose"), [(5e-9, False), (2e-8, True)])
def test_beside_an_optimum_of_which_we_find_none_a_drift_of_1e_9_is_too_much(
    monkeypatch, drift, loose
):
    monkeypatch.setattr("lexiprog.solve.held.value_on_faces", lambda *_: None)
    task = SimpleNamespace(subproblem=SimpleNamespace(kind="LP", constraints=[]))
    lock = SimpleNamespace(name="a", tolerance=0.0, kind="value", drift=drift)
    wide = SimpleNamespace(name="b", tolerance=1.0, kind="value", drift=1.0)
    face = SimpleNamespace(name="c", tolerance=0.0, kind="face", drift=1.0)
    owner = SimpleNamespace(size=10.0, uncertainty=0.0)
    found = loose_locks(task, [lock, wide, face], None, dict.fromkeys("abc", owner))
    assert found == (["a"] if loose else [])


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
    assert effect_of_last_digits(problem, own, held) == pytest.approx(
        2 * 3 * 2.0 ** (30 - 52) / 100
    )
    own.answer.dual.clear()
    assert effect_of_last_digits(problem, own, held) == 0.0
