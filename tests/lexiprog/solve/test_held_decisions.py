"""When an answer that holds optima is taken, doubted with a word, or not taken at all."""

import warnings
from types import SimpleNamespace

import cvxpy as cp
import pytest

import lexiprog as lx
from lexiprog.errors import Attempt
from lexiprog.solve import held
from lexiprog.status import Fault, Status


@pytest.fixture
def decided(monkeypatch):
    """What becomes of a solution of size 10 that holds an optimum of size 5."""
    x = cp.Variable(name="x")
    problem = lx.Subproblem("p", cp.Minimize(x), [x >= 9])
    solution = lx.Program(lx.Stage("only", problem)).solve().final
    owner = SimpleNamespace(size=5.0, status=Status.OPTIMAL)
    monkeypatch.setattr(held, "with_references", lambda task, answer, found, solved: found)

    def decide(
        *, drift=0.0, tolerance=0.0, guard=0.0, effect=0.0, loose=(), doubtful=(), strict=False,
        exact=None, doubts=(), status=Status.OPTIMAL,
    ):  # fmt: skip
        record = SimpleNamespace(name="a", drift=drift, tolerance=tolerance, guard=guard)
        monkeypatch.setattr(held, "_record", lambda *_: record)
        monkeypatch.setattr(held, "_uncertainties", lambda *_: {"a": effect, "b": effect / 4})
        monkeypatch.setattr(held, "loose_locks", lambda *_: list(loose))
        owner.status = status
        task = SimpleNamespace(
            subproblem=SimpleNamespace(locks=[(0, None)]),
            given=SimpleNamespace(undisturbed=lambda _: [(0.0, 0.0)]),
            solver=SimpleNamespace(name="S", accept=1e-6), strategy=SimpleNamespace(strict=strict),
        )  # fmt: skip
        answer = SimpleNamespace(exact=exact, doubts=dict.fromkeys(doubts, 0.0))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found = held.with_inheritance(task, answer, solution, {"a": owner}, doubtful)
        return found, " ".join(str(one.message) for one in said)

    return decide


def test_what_keeps_all_it_holds_is_taken_without_a_word(decided):
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
def test_who_gives_up_more_than_is_tolerated_is_not_taken(decided, terms, missed):
    found, _ = decided(**terms)
    assert isinstance(found, Attempt) is missed
    if missed:
        assert (found.solver, found.fault) == ("S", Fault.LOCK_MISSED)
        assert "the held optimum 'a' is missed by" in found.reason


@pytest.mark.parametrize(("effect", "unsure"), [(7e-6, False), (9e-6, True)])
@pytest.mark.parametrize("strict", [False, True])
def test_effects_of_what_is_not_known_count_together_as_a_share_of_the_size(
    decided, effect, unsure, strict
):
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


def test_an_effect_without_limit_is_doubted_without_a_number(decided):
    found, said = decided(effect=float("inf"))
    assert (found.status, said) == (Status.INACCURATE, "")


@pytest.mark.parametrize("strict", [False, True])
def test_a_lock_that_is_kept_loosely_is_told_or_not_taken(decided, strict):
    found, said = decided(loose=["a", "b"], strict=strict)
    if strict:
        assert found.fault is Fault.LOCK_MISSED
        assert "it may keep 'a', 'b' not exactly enough" in found.reason
    else:
        assert found.status is Status.INACCURATE
        assert "keeps 'a', 'b' less exactly than it was found; another solver than S" in said
    # In fractions nothing is loose.
    found, said = decided(loose=["a"], strict=strict, exact=object())
    assert (found.status, said) == (Status.OPTIMAL, "")


def test_doubtful_faces_and_guards_are_told(decided):
    found, said = decided(doubtful=["a"])
    assert found.status is Status.INACCURATE
    assert "holds 'a' exactly, but which points are optimal" in said
    found, said = decided(guard=2e-6)
    assert found.status is Status.INACCURATE
    assert "with the lock on 'a' loosened by 2.0e-06" in said


def test_who_holds_a_doubtful_optimum_is_doubtful_unless_it_was_found_anew_in_fractions(decided):
    doubtful = {"status": Status.INACCURATE}
    assert decided(**doubtful)[0].status is Status.INACCURATE
    assert decided(**doubtful, doubts=["a"])[0].status is Status.INACCURATE
    assert decided(**doubtful, exact=object())[0].status is Status.INACCURATE
    assert decided(**doubtful, exact=object(), doubts=["a"])[0].status is Status.OPTIMAL


def test_a_lock_whose_owner_is_gone_is_an_error():
    lock = SimpleNamespace(owner=lambda: None, owner_name="a")
    with pytest.raises(lx.LexiprogError, match="the owner of the lock on 'a' is gone"):
        held._record(None, None, 0, lock, 0.0, 0.0, None, {"a": None})
