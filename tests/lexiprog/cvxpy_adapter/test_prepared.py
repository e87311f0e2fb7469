"""The adapter to CVXPY's internals notices when CVXPY works otherwise than it was written for."""

import cvxpy as cp
import pytest

import lexiprog as lx
from lexiprog.cvxpy_adapter import CvxpyMismatch, Prepared


def guessed_bounds() -> lx.Program:
    """An LP whose optimum, 1, is cut off by the bounds that CVXPY 1.9.3 guesses."""
    x = cp.Variable(2, nonneg=True, name="x")
    short = cp.maximum(2 * cp.pos(5 - x[0] - x[1]), 0)
    low = lx.Subproblem("low", cp.Minimize(cp.sum(x) + 0.1 * short))
    return lx.Program(lx.Stage("only", low))


def test_guessed_bounds_are_not_used():
    assert guessed_bounds().solve("HIGHS").final.value == pytest.approx(1.0)


def test_another_cache_key_is_an_error_and_not_a_wrong_optimum(monkeypatch):
    """A new field in CVXPY's key would let it compile with a chain that nobody looked through."""
    cache = type(cp.Problem(cp.Minimize(0))._cache)
    plain = cache.make_key
    calls = []

    def longer(self, *fields):
        calls.append(fields)
        return (*plain(self, *fields), len(calls))

    monkeypatch.setattr(cache, "make_key", longer)
    with pytest.raises(CvxpyMismatch, match="chain of reductions of its own"):
        guessed_bounds().solve("HIGHS")


def test_a_chain_is_prepared_once_and_used_for_every_parameter_value():
    x, p = cp.Variable(), cp.Parameter(value=1.0)
    prepared = Prepared(cp.Problem(cp.Minimize(x), [x >= p]))
    first = prepared.compile("HIGHS", {})
    p.value = 2.0
    second = prepared.compile("HIGHS", {})
    assert first.chain is second.chain
    assert first.form.b.tolist() == [-1.0]
    assert second.form.b.tolist() == [-2.0]
