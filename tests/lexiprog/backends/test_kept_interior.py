"""A kept CLARABEL gives what a new one gives, and is kept for the same problem only."""

import os
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import clarabel
import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp

import lexiprog as lx
from lexiprog.backends import clarabel as kept_interior
from lexiprog.backends.clarabel import MOST, KeptInterior, KeptSolver


@pytest.fixture
def made(monkeypatch):
    """The right-hand sides that solvers are set up with."""
    sides, new = [], clarabel.DefaultSolver

    def spy(P, c, A, b, *rest):
        sides.append(np.array(b))
        return new(P, c, A, b, *rest)

    monkeypatch.setattr(kept_interior.clarabel, "DefaultSolver", spy)
    return sides


def ball(parts=("a",), size=6):
    """The points nearest to a target in a box, by squares or by lengths."""
    rng = np.random.default_rng(size)
    x, target = cp.Variable(size, name="x"), cp.Parameter(size, name="target")
    weight = cp.Parameter(nonneg=True, name="weight", value=1.0)
    target.value = rng.normal(size=size)
    far = cp.sum_squares(x - target) if parts == ("a",) else cp.norm(x - target)
    rows = [x <= 1.0, x >= -1.0, rng.normal(size=(3, size)) @ x <= 2.0]
    problem = lx.Subproblem("p", cp.Minimize(far + weight * cp.sum(x)), rows)
    return lx.Program(lx.Stage("only", problem)), target, weight


@pytest.mark.parametrize("parts", [("a",), ("b",)])
def test_what_was_solved_before_makes_no_difference_to_any_digit(parts, made):
    program, target, _ = ball(parts)
    start = target.value.copy()
    for factor in (1.7, -0.3, 1.0):
        target.value = start * factor
        again = program.solve("CLARABEL")["p"]
    assert len(made) == 1
    fresh = ball(parts)[0].solve("CLARABEL")["p"]
    assert len(made) == 2
    assert np.array_equal(again["x"], fresh["x"])
    assert again.iterations == fresh.iterations
    for one, two in zip(again.duals, fresh.duals, strict=True):
        assert np.array_equal(one, two)


def test_the_nearest_point_of_a_box_is_the_target_cut_to_it(made):
    x, target = cp.Variable(4, name="x"), cp.Parameter(4, name="target", value=np.zeros(4))
    box = lx.Subproblem("p", cp.Minimize(cp.sum_squares(x - target)), [x <= 1.0, x >= -1.0])
    program = lx.Program(lx.Stage("only", box))
    for value in ([0.5, 2.0, -3.0, 0.0], [5.0, -0.25, 0.0, -7.0], [0.2, 0.3, 0.4, 0.5]):
        target.value = np.array(value)
        assert program.solve()["p"]["x"] == pytest.approx(np.clip(value, -1.0, 1.0), abs=1e-7)
    assert len(made) == 1


def test_other_costs_are_set_up_anew(made):
    program, _, weight = ball()
    for value in (1.0, 2.0, 2.0, 1.0):
        weight.value = value
        found = program.solve("CLARABEL")["p"]
    assert len(made) == 3
    assert found.value == pytest.approx(ball()[0].solve("HIGHS")["p"].value, abs=1e-6)


def test_what_clarabel_takes_apart_is_told_its_right_hand_side_at_once(made):
    # Entries far from the diagonal may be anything, so CLARABEL splits the matrix into blocks.
    size, limit = 5, cp.Parameter(name="limit")
    entries, height = cp.Variable(size - 1, name="x"), cp.Variable(name="height")
    band = sum(entries[i] * np.eye(size)[:, [i]] @ np.eye(size)[[i + 1]] for i in range(size - 1))
    rows = [height * np.eye(size) - band - band.T >> 0, entries >= limit]
    program = lx.Program(lx.Stage("only", lx.Subproblem("p", cp.Minimize(height), rows)))
    for value in (1.0, 3.0):
        limit.value = value
        found = program.solve("CLARABEL")["p"]
        # The largest eigenvalue of a path of five with equal weights.
        assert found.value == pytest.approx(2.0 * value * np.cos(np.pi / 6), abs=1e-5)
    assert [side.any() for side in made] == [False, True] * 2


def test_limits_that_are_none_are_told_at_once(made):
    x, limit = cp.Variable(2, name="x"), cp.Parameter(2, name="limit", value=[1.0, 1e30])
    rows = [x <= limit]
    aim = cp.Minimize(cp.sum_squares(x - 3.0))
    program = lx.Program(lx.Stage("only", lx.Subproblem("p", aim, rows)))
    for _ in range(2):
        assert program.solve("CLARABEL")["p"]["x"] == pytest.approx([1.0, 3.0], abs=1e-6)
    assert all(side.any() for side in made)


def numbers(b):
    """Least x**2 - x with x <= b."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    return (sp.csc_array([[2.0]]), np.array([-1.0]), np.array([b]),
            lambda: ([clarabel.NonnegativeConeT(1)], settings))  # fmt: skip


def test_several_who_come_at_once_do_not_share_a_solver():
    kept, A = KeptInterior(), sp.csc_array([[1.0]])

    def least(b):
        P, c, side, make = numbers(b)
        return kept.solve(P, c, A, side, make, ()).x[0]

    limits = np.linspace(-2.0, 0.4, 200)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(least, limits)) == pytest.approx(limits, abs=1e-6)


def test_a_large_problem_keeps_nothing(monkeypatch, made):
    monkeypatch.setattr(kept_interior, "SMALL", 3)
    kept, A = KeptInterior(), sp.csc_array([[1.0]])
    for b in (0.1, 0.2):
        P, c, side, make = numbers(b)
        assert kept.solve(P, c, A, side, make, ()).x[0] == pytest.approx(b, abs=1e-6)
    assert [side.tolist() for side in made] == [[0.1], [0.2]]


def test_a_solver_serves_the_same_numbers_in_the_same_process():
    numbers = np.array([1.0, 2.0]), np.array([0, 1])
    spare = KeptSolver(weakref.ref(numbers[0]), os.getpid(), numbers, ("rest",), None)
    assert spare.serves(numbers, ("rest",))
    assert spare.serves(tuple(part.copy() for part in numbers), ("rest",))
    assert not spare.serves((2.0 * numbers[0], numbers[1]), ("rest",))
    assert not spare.serves((numbers[0], numbers[1][::-1]), ("rest",))
    assert not spare.serves(numbers, ("other",))
    assert not replace(spare, process=-1).serves(numbers, ("rest",))


def test_a_matrix_that_somebody_wrote_into_is_another(made):
    kept, A = KeptInterior(), sp.csc_array([[1.0]])
    P, c, side, make = numbers(0.2)
    assert kept.solve(P, c, A, side, make, ()).x[0] == pytest.approx(0.2, abs=1e-6)
    A.data[0] = 2.0
    assert kept.solve(P, c, A, side, make, ()).x[0] == pytest.approx(0.1, abs=1e-6)
    assert len(made) == 2


def test_a_solver_that_found_no_point_is_not_used_again(made):
    kept, A = KeptInterior(), sp.csc_array([[1.0], [-1.0]])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    P, c, cones = sp.csc_array([[2.0]]), np.array([-1.0]), [clarabel.NonnegativeConeT(2)]
    words = []
    for b in ([0.2, 0.0], [-1.0, -1.0], [0.2, 0.0]):  # 0 <= x <= 0.2; 1 <= x <= -1
        found = kept.solve(P, c, A, np.array(b), lambda: (cones, settings), ())
        words.append((str(found.status), found.x))
    assert [word for word, _ in words] == ["Solved", "PrimalInfeasible", "Solved"]
    assert words[0] == words[2]
    assert len(made) == 2


def test_as_many_are_kept_as_were_used_last(made):
    kept = KeptInterior()
    P, c, side, make = numbers(0.1)
    matrices = [sp.csc_array([[1.0]]) for _ in range(MOST + 1)]
    for A in matrices:
        kept.solve(P, c, A, side, make, ())
    assert len(made) == MOST + 1
    for A in matrices[1:]:
        kept.solve(P, c, A, side, make, ())
    assert len(made) == MOST + 1
    kept.solve(P, c, matrices[0], side, make, ())
    assert len(made) == MOST + 2
