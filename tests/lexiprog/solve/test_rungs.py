"""What a lane writes down of a level is in the user's units, and holds as the user wrote it."""

from dataclasses import replace

import cvxpy as cp
import pytest

import lexiprog as lx
from lexiprog.solve.batched_chain import Rung


def recorded(monkeypatch, scale=1.0):
    """The result of two levels, and what each was written down from."""
    asked, solution = [], Rung.solution
    x = cp.Variable(2, bounds=[0, 4], name="x")
    levels = {"a": cp.Maximize(scale * (x[0] + 2 * x[1])), "b": cp.Minimize(scale * x[0])}
    program = lx.preemptive(levels, [cp.sum(x) <= 6])
    with monkeypatch.context() as patch:
        patch.setattr(Rung, "solution", lambda *given: asked.append(given) or solution(*given))
        return program.solve(), asked, solution


@pytest.mark.parametrize("scale", [2.0**-12, 2.0**12])
def test_what_counts_as_one_grows_with_the_objective(monkeypatch, scale):
    plain, first, _ = recorded(monkeypatch)
    other, second, _ = recorded(monkeypatch, scale)
    assert len(first) == len(second) == 2
    for name in ("a", "b"):
        assert other[name].value == pytest.approx(scale * plain[name].value)
        assert other[name].unit == pytest.approx(scale * plain[name].unit)


def test_a_claim_that_the_problem_as_written_does_not_confirm_is_no_optimum(monkeypatch):
    _, asked, solution = recorded(monkeypatch)
    for rung, found, *rest in asked:
        assert solution(rung, found, *rest).certificate.proved
        assert solution(rung, replace(found, claimed=found.claimed + 1e-3), *rest) is None
        near = solution(rung, replace(found, claimed=found.claimed + 1e-9), *rest)
        assert near.certificate.claim == pytest.approx(1e-9 / near.size, rel=1e-3)
