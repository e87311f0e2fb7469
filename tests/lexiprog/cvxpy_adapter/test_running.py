"""What a solver is asked to do beside what the user asks for."""

import clarabel
import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.backends import clarabel as ours


@pytest.fixture
def threads(monkeypatch):
    """How many threads CLARABEL is told to factor with, call by call; 0 is its own choice."""
    told, solver = [], clarabel.DefaultSolver

    def spied(*arguments):
        told.append(arguments[-1].max_threads)
        return solver(*arguments)

    monkeypatch.setattr(clarabel, "DefaultSolver", spied)
    return told


def distance(solver, size=3):
    """From a point outside the unit ball: its norm less one."""
    x = cp.Variable(size, name="x")
    near = cp.Minimize(cp.norm(x - 2.0))
    only = lx.Subproblem("near", near, [cp.norm(x) <= 1])
    return lx.Program(lx.Stage("only", only)).solve(solver)["near"].value


def test_moderate_problems_are_factored_by_one_thread(threads):
    assert distance("CLARABEL") == pytest.approx(2.0 * np.sqrt(3.0) - 1.0, abs=1e-8)
    assert threads[0] == 1


def test_the_users_own_number_of_threads_is_kept(threads):
    two = lx.Solver("CLARABEL", max_threads=2)
    assert distance(two) == pytest.approx(2.0 * np.sqrt(3.0) - 1.0, abs=1e-8)
    assert threads[0] == 2


@pytest.mark.parametrize("limit", ["MODERATE", "FILLED"])
def test_beyond_moderate_sizes_clarabel_chooses_itself(threads, monkeypatch, limit):
    monkeypatch.setattr(ours, limit, 1)
    distance("CLARABEL")
    assert threads[0] == 0


def test_semidefinite_problems_are_factored_as_clarabel_likes(threads):
    X = cp.Variable((2, 2), symmetric=True)
    least = cp.Minimize(cp.trace(X))
    only = lx.Subproblem("least", least, [X >> np.array([[2.0, 1.0], [1.0, 2.0]])])
    found = lx.Program(lx.Stage("only", only)).solve("CLARABEL")["least"]
    assert found.value == pytest.approx(4.0, abs=1e-7)
    assert threads[0] == 0
