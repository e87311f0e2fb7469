"""What a solver is asked to do beside what the user asks for."""

import clarabel
import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.backends import clarabel as ours


@pytest.fixture
def methods(monkeypatch):
    """The ways to factor that CLARABEL is told, call by call."""
    told, solver = [], clarabel.DefaultSolver

    def spied(*arguments):
        told.append(arguments[-1].direct_solve_method)
        return solver(*arguments)

    monkeypatch.setattr(clarabel, "DefaultSolver", spied)
    return told


def distance(solver, size=3):
    """From a point outside the unit ball: its norm less one."""
    x = cp.Variable(size, name="x")
    near = cp.Minimize(cp.norm(x - 2.0))
    only = lx.Subproblem("near", near, [cp.norm(x) <= 1])
    return lx.Program(lx.Stage("only", only)).solve(solver)["near"].value


def test_factors_of_moderate_problems_are_plain_ones(methods):
    assert distance("CLARABEL") == pytest.approx(2.0 * np.sqrt(3.0) - 1.0, abs=1e-8)
    assert methods[0] == "qdldl"


def test_the_users_own_way_to_factor_is_kept(methods):
    faer = lx.Solver("CLARABEL", direct_solve_method="faer")
    assert distance(faer) == pytest.approx(2.0 * np.sqrt(3.0) - 1.0, abs=1e-8)
    assert methods[0] == "faer"


@pytest.mark.parametrize("limit", ["MODERATE", "FILLED"])
def test_beyond_moderate_sizes_clarabel_chooses_itself(methods, monkeypatch, limit):
    monkeypatch.setattr(ours, limit, 1)
    distance("CLARABEL")
    assert methods[0] == "auto"


def test_semidefinite_problems_are_factored_as_clarabel_likes(methods):
    X = cp.Variable((2, 2), symmetric=True)
    least = cp.Minimize(cp.trace(X))
    only = lx.Subproblem("least", least, [X >> np.array([[2.0, 1.0], [1.0, 2.0]])])
    found = lx.Program(lx.Stage("only", only)).solve("CLARABEL")["least"]
    assert found.value == pytest.approx(4.0, abs=1e-7)
    assert methods[0] == "auto"
