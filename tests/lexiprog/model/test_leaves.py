"""Values are read once at the start of a solve, and assignments by others are respected."""

import threading
import time

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp

import lexiprog as lx
from lexiprog.model.expressions import (
    evaluate,
    holding,
    integer_entries,
    undisturbed,
    without_noise,
)


def chain(t, solver=None):
    """Three stages that each read ``t`` themselves: t, then 2t, then 3t."""
    stages, before = [], None
    for k in range(3):
        x = cp.Variable(name=f"x{k}")
        need = t if before is None else before.optimum + t
        before = lx.Subproblem(f"p{k}", cp.Minimize(x), [x >= need])
        stages.append(lx.Stage(f"s{k}", before, solver=solver))
    return lx.Program(*stages)


class Meddler:
    """A solver that assigns to a parameter while it is asked."""

    name = "MEDDLER"

    def __init__(self, parameter):
        self.parameter = parameter

    def solve(self, problem):
        problem.solve(solver="CLARABEL")
        self.parameter.value = self.parameter.value + 100


def values(result):
    return [solution.value for solution in result.values()]


def test_a_parameter_assigned_by_a_solver_changes_nothing_in_this_solve():
    t = cp.Parameter(name="t", value=1.0)
    result = chain(t, Meddler(t)).solve()
    assert values(result) == pytest.approx([1, 2, 3], rel=1e-5)
    assert [float(s.parameters["t"]) for s in result.values()] == [1.0, 1.0, 1.0]
    assert t.value == 101.0  # each saw the value of the start; the last assignment stays


def test_a_parameter_changed_in_place_changes_nothing_in_this_solve():
    t = cp.Parameter(2, name="t", value=np.array([1.0, 2.0]))
    mine = t.value

    class InPlace:
        def solve(self, problem):
            problem.solve(solver="CLARABEL")
            mine[:] = 50.0

    x, y = cp.Variable(2, name="x"), cp.Variable(2, name="y")
    one = lx.Subproblem("one", cp.Minimize(cp.sum(x)), [x >= t])
    two = lx.Subproblem("two", cp.Minimize(cp.sum(y)), [y >= t])
    program = lx.Program(lx.Stage("a", one, solver=InPlace()), lx.Stage("b", two))
    assert program.solve()["two"].value == pytest.approx(3)
    assert t.value is mine
    assert program.solve()["two"].value == pytest.approx(100)


@pytest.mark.parametrize("pause", [0.0, 1e-4, 1e-3])
def test_a_parameter_assigned_by_another_thread_changes_nothing_in_a_running_solve(pause):
    t = cp.Parameter(name="t", value=1.0)
    program = chain(t)
    stop = threading.Event()

    def assign():
        rng = np.random.default_rng(1)
        while not stop.is_set():
            t.value = float(rng.integers(1, 1000))
            time.sleep(pause)

    thread = threading.Thread(target=assign)
    thread.start()
    try:
        for _ in range(10):
            result = program.solve()
            start = float(result["p0"].parameters["t"])
            assert values(result) == pytest.approx([start, 2 * start, 3 * start])
    finally:
        stop.set()
        thread.join()


def test_a_failure_is_explained_with_the_values_of_the_start():
    t = cp.Parameter(name="t", value=5.0)
    x, y = cp.Variable(name="x"), cp.Variable(name="y", nonneg=True)
    low = lx.Subproblem("low", cp.Minimize(x), [x >= 1])
    high = lx.Subproblem("high", cp.Minimize(y), [y + t <= low.optimum])

    class Failing:
        def solve(self, problem):
            t.value = 1000.0
            raise cp.SolverError("no")

    program = lx.Program(lx.Stage("a", low), lx.Stage("b", high))
    with pytest.raises(lx.StageError, match=r"relaxed by 4,") as caught:
        program.solve({"b": [Failing(), "HIGHS", "CLARABEL"]})
    assert caught.value.status.is_infeasible


@pytest.mark.filterwarnings("ignore:.*sparse CVXPY expression:RuntimeWarning")
def test_parameters_of_every_shape_and_structure_are_held_and_given_back():
    diagonal = cp.Parameter((2, 2), diag=True, name="d", value=sp.diags_array([1.0, 2.0]))
    few = cp.Parameter((2, 2), sparsity=([0, 1], [1, 0]), name="f")
    few.value_sparse = sp.coo_array(([3.0, 4.0], ([0, 1], [1, 0])), shape=(2, 2))
    X = cp.Variable((2, 2), name="X")
    problem = lx.Subproblem("p", cp.Minimize(cp.sum(X)), [diagonal + few <= X])
    result = lx.Program(lx.Stage("s", problem)).solve()
    np.testing.assert_allclose(result["p"][X], [[1, 3], [4, 2]], atol=1e-9)
    assert diagonal.value.toarray().tolist() == [[1, 0], [0, 2]]
    assert few.value_sparse.toarray().tolist() == [[0, 3], [4, 0]]


def test_a_value_held_for_a_moment_is_given_back_unless_somebody_assigned():
    p, q = cp.Parameter(value=1.0), cp.Parameter(value=1.0)
    with holding([(p, np.array(2.0)), (q, np.array(2.0)), (p, np.array(3.0))]) as held:
        assert (p.value, q.value) == (3.0, 2.0)
        assert not held.changed
        q.value = 9.0
        assert held.changed == [q.name()]
    assert (p.value, q.value) == (1.0, 9.0)


def test_what_was_disturbed_is_done_again_and_in_the_end_refused():
    p = cp.Parameter(name="p", value=1.0)
    tries = []

    def assigned_meanwhile(times):
        def make():
            tries.append(float(p.value))
            if len(tries) <= times:
                p.value = -1.0
                if len(tries) % 2:
                    raise ZeroDivisionError
            return p.value

        return make

    assert undisturbed([(p, np.array(2.0))], assigned_meanwhile(3)) == 2.0
    assert tries == [2.0] * 4
    tries.clear()
    with pytest.raises(lx.LexiprogError, match="'p' is assigned to again and again"):
        undisturbed([(p, np.array(2.0))], assigned_meanwhile(10_000))
    with pytest.raises(ZeroDivisionError):
        undisturbed([(p, np.array(2.0))], lambda: 1 / 0)


def test_an_expression_is_evaluated_at_the_values_that_are_given():
    p, x = cp.Parameter(value=1.0), cp.Variable(2)
    assert evaluate(p * cp.sum(x), [(p, np.array(3.0)), (x, np.array([1.0, 2.0]))]) == 9.0
    assert evaluate(p * cp.sum(x), []) is None
    assert p.value == 1.0


def test_an_atom_that_sets_its_variables_to_evaluate_itself_leaves_the_callers_values():
    x, s = cp.Variable(name="x"), cp.Variable(nonneg=True, name="s")
    x.value, s.value = 7.0, 8.0
    assert evaluate(cp.perspective(cp.square(x), s), [(x, 3.0), (s, 2.0)]) == pytest.approx(4.5)
    assert (x.value, s.value) == (7.0, 8.0)


def test_only_what_must_be_whole_loses_its_noise():
    x = cp.Variable((2, 2), integer=[(0, 1), (1, 1)])
    noisy = np.array([[1e-9, 2 + 1e-9], [3.0, 4.1]])
    assert without_noise(x, noisy, 1e-6).tolist() == [[1e-9, 2.0], [3.0, 4.1]]
    n = cp.Variable(boolean=True)
    assert integer_entries(n).tolist() is True
    assert without_noise(n, np.array(1 - 1e-9), 1e-6) == 1.0
    assert without_noise(cp.Variable((2, 2)), noisy, 1e-6) is noisy
