"""Old bases on new numbers: accepted exactly where a solve would change nothing."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog

from lexiprog.backends.highs import HighsModel
from lexiprog.backends.remote_lp import RemoteHighs, vertex_of
from lexiprog.backends.warm_basis import KeptBasis, KeptVertex
from lexiprog.canon.standard_form import Bounds
from lexiprog.deadline import Deadline


def program(rng):
    A = rng.integers(-3, 5, (6, 5)).astype(float)
    inside = rng.uniform(0, 2, 5)
    limits = Bounds(
        np.zeros(5), np.full(5, 4.0), A @ inside - 1.0, A @ inside + rng.uniform(0, 2, 6)
    )
    return A, rng.integers(-5, 6, 5).astype(float), limits


def truth(A, cost, limits):
    rows = np.vstack([A, -A]), np.concatenate([limits.row_upper, -limits.row_lower])
    return linprog(cost, *rows, bounds=np.column_stack([limits.lower, limits.upper]))


@pytest.mark.parametrize("seed", range(12))
def test_a_kept_basis_gives_the_optimum_or_nothing(seed):
    rng = np.random.default_rng(seed)
    A, cost, limits = program(rng)
    kept = KeptBasis(sp.csc_array(A), HighsModel(sp.csc_array(A), {}).run(cost, limits).basis)
    fitted = 0
    for size in (0.0, 0.01, 0.1, 1.0):
        other = Bounds(
            limits.lower, limits.upper, limits.row_lower - size * rng.uniform(0, 1, 6),
            limits.row_upper + size * rng.uniform(0, 1, 6),
        )  # fmt: skip
        moved = cost + size * rng.uniform(-1, 1, 5)
        found = kept.corner(moved, other)
        wanted = truth(A, moved, other)
        if found is not None:
            fitted += 1
            assert moved @ found.x == pytest.approx(wanted.fun, abs=1e-7)
            assert np.all(A @ found.x <= other.row_upper + 1e-7)
            reduced = moved - A.T @ found.row_dual
            bound = np.where(found.row_dual > 0, other.row_lower, other.row_upper)
            bounds = np.where(reduced > 0, other.lower, other.upper)
            assert found.row_dual @ bound + reduced @ bounds == pytest.approx(wanted.fun, abs=1e-7)
    assert fitted >= 1


def test_ties_are_told_from_single_optima():
    A = sp.csc_array(np.ones((1, 2)))
    limits = Bounds(np.zeros(2), np.ones(2) * 3.0, np.array([2.0]), np.array([np.inf]))
    for cost, only in ((np.array([1.0, 1.0]), False), (np.array([1.0, 2.0]), True)):
        found = HighsModel(A, {}).run(cost, limits)
        kept = KeptBasis(A, found.basis)
        assert kept.is_only(KeptVertex(found.x, found.row_dual), cost, limits) is only


def test_a_degenerate_corner_may_have_other_multipliers():
    A = sp.csc_array(np.ones((1, 2)))
    limits = Bounds(np.zeros(2), np.array([2.0, 9.0]), np.array([2.0]), np.array([np.inf]))
    cost = np.array([1.0, 2.0])  # the first column meets its own limit just where the row is met
    found = HighsModel(A, {}).run(cost, limits)
    kept = KeptBasis(A, found.basis)
    assert not kept.is_only(KeptVertex(found.x, found.row_dual), cost, limits)


def test_runs_elsewhere_are_those_of_a_session_and_start_from_a_basis():
    class Here:
        sent = 0

        def call(self, function, *arguments, deadline):
            assert deadline.executor is self
            self.sent += 1
            return function(*arguments)

    A, cost, limits = program(np.random.default_rng(1))
    here = Here()
    session, deadline = RemoteHighs(sp.csc_array(A), {}), Deadline(executor=here)
    first = session.run(cost, limits, deadline=deadline)
    again = session.run(cost, limits, first.basis, refine=True, deadline=deadline)
    assert here.sent == 2
    assert cost @ first.x == pytest.approx(truth(A, cost, limits).fun)
    assert again.iterations == 0
    assert again.correction is not None
    assert session.run(cost, limits).x == pytest.approx(first.x)
    assert here.sent == 2
    arrays = (limits.lower, limits.upper, limits.row_lower, limits.row_upper)
    there, _ = vertex_of(sp.csc_array(A), {}, cost, arrays, None, False, False)
    assert there["x"] == pytest.approx(first.x)
