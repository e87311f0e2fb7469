"""Ordered sums: fractions, solvers of the user's own, and curved integers."""

import itertools
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


def test_fractions_are_exact():
    x = cp.Variable(3, nonneg=True, name="x")
    found = lx.leximin(list(x), [cp.sum(x) <= 1]).solve("EXACT").final
    assert found.exact == Fraction(1, 3)
    assert found.certificate.basis == "exact"
    assert found.exact_variables["x"].tolist() == [Fraction(1, 3)] * 3
    assert [np.ravel(dual).tolist() for dual in found.exact_duals] == [[Fraction(1, 3)]]
    assert found.evidence is not None


class Own:
    """A solver of the user's own."""

    def solve(self, problem):
        problem.solve("HIGHS")


def test_a_solver_of_ones_own_is_checked_level_by_level():
    x = cp.Variable(3, bounds=[0, 6], name="x")
    found = lx.leximin({"a": x[0], "b": x[1]}, [cp.sum(x) <= 9, x[1] <= 1]).solve(Own()).final
    assert found.solver == "Own"
    assert found.levels == ((pytest.approx(1), ("b",)), (pytest.approx(6), ("a",)))


def test_curved_integers_agree_with_all_points():
    pytest.importorskip("ecos")
    x = cp.Variable(2, integer=True, bounds=[0, 9], name="x")
    utilities = [cp.sqrt(x[0]), 2 * cp.sqrt(x[1])]
    found = lx.leximin(utilities, [cp.sum(x) <= 7]).solve("ECOS_BB").final
    points = (p for p in itertools.product(range(10), repeat=2) if sum(p) <= 7)
    best = max(sorted([np.sqrt(a), 2 * np.sqrt(b)]) for a, b in points)
    assert sorted(float(found.at(u)) for u in utilities) == pytest.approx(best, abs=1e-6)
