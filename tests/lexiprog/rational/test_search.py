"""What HiGHS says is a hint: lies, silence and stale bases change no answer."""

import random

import numpy as np
import pytest

from lexiprog.rational.basis import BASIC, ZERO, Basis
from lexiprog.rational.program import ExactLP
from lexiprog.rational.prover import Prover
from lexiprog.rational.search import FloatModel, scaled
from tests.lexiprog.rational.programs import assert_proved, random_lp

LIES = [
    ("kOptimal", "rows"), ("kOptimal", "any"), ("kInfeasible", "none"), ("kUnbounded", "none"),
    ("kUnboundedOrInfeasible", "none"), ("kUnknown", "none"), ("kTimeLimit", "any"),
    ("kUnbounded", "rows if nothing costs"),
]  # fmt: skip


def lie(monkeypatch, status, basis):
    """From now on HiGHS says the same of every program."""

    def guess(self, cost, lower, upper, start=None, **_):
        size, rng = len(lower), np.random.default_rng(len(lower))
        if basis == "none" or (basis == "rows if nothing costs" and any(cost)):
            return status, None
        places = rng.choice([BASIC, ZERO], size) if basis == "any" else np.full(size, ZERO)
        if basis != "any":
            places[len(cost) :] = BASIC
        said = status if basis in ("rows", "any") else "kOptimal"
        return said, Basis(places.astype(np.int8)).settled(lower, upper)

    monkeypatch.setattr(FloatModel, "guess", guess)


@pytest.mark.parametrize(("status", "basis"), LIES)
@pytest.mark.parametrize("silent", [False, True], ids=["corrected", "no corrections"])
def test_lies_change_no_answer(status, basis, silent, monkeypatch):
    programs = [random_lp(random.Random(seed)) for seed in range(300, 325)]
    truth = [Prover(lp).minimise() for lp in programs]
    lie(monkeypatch, status, basis)
    if silent:
        monkeypatch.setattr(FloatModel, "correct", lambda *_, **__: None)
    for lp, right in zip(programs, truth, strict=True):
        outcome = Prover(lp).minimise()
        assert_proved(lp, outcome)
        assert (outcome.status, outcome.value) == (right.status, right.value)


def close_call():
    """Row 2 cuts a hair off the corner that row 1 leaves: far below HiGHS's tolerances."""
    hair = 10**14
    A = [[hair, hair], [hair + 1, hair], [1, 0]]
    return ExactLP.of([-1, -1], A, [hair, hair, 1], lower=[0, 0])


def test_what_is_wrong_by_less_than_a_tolerance_is_magnified_and_corrected(monkeypatch):
    lp = close_call()
    wrong = Basis(np.array([BASIC, ZERO, 1, BASIC, BASIC], dtype=np.int8))
    monkeypatch.setattr(
        FloatModel,
        "guess",
        lambda _self, _cost, lower, upper, _start=None, **_: (
            "kOptimal",
            wrong.settled(lower, upper),
        ),
    )
    outcome = Prover(lp).minimise()
    assert_proved(lp, outcome)
    assert outcome.effort.corrections
    assert not outcome.effort.pivots
    assert outcome.x == [0, 1]


def test_a_start_that_does_not_suit_is_no_harm():
    lp = ExactLP.of([-1, -1], [[1, 2], [3, 1]], [4, 6], lower=[0, 0])
    prover = Prover(lp)
    right = prover.minimise()
    for places in ([BASIC] * 4, [ZERO] * 4, [BASIC, ZERO, BASIC, ZERO]):
        outcome = prover.minimise(start=Basis(np.array(places, dtype=np.int8)))
        assert outcome.value == right.value


@pytest.mark.parametrize("number", [3, -(10**400), 7 * 10**30])
def test_whole_numbers_of_any_size_become_floats(number):
    shift = -number.bit_length()
    assert scaled(number, 1, shift) == pytest.approx(number / 2 ** number.bit_length())
    assert scaled(10**400, 1, 0) == np.inf
    assert scaled(0, 5, 3) == 0.0
