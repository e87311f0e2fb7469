"""Where one point is left nothing is solved again, and what is said of it is still proved."""

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog

import lexiprog as lx
from lexiprog.backends.highs import HighsModel
from lexiprog.solve.face import is_point
from tests.lexiprog.solve.weak_duality import check_every_level


def levels(seed, unique=True):
    """Costs of which the first has one best point; or, if not, a face."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(4, 9)), int(rng.integers(3, 12))
    A, inside = rng.normal(size=(m, n)), rng.uniform(1, 4, n)
    costs = rng.normal(size=(4, n))
    if not unique:
        costs[0] = A[0]  # all points of a row are best
    return A, A @ inside - 0.1, costs


def solved(A, limit, costs):
    x = cp.Variable(costs.shape[1], bounds=[0, 5], name="x")
    goals = {str(k): cp.Minimize(cost @ x) for k, cost in enumerate(costs)}
    return lx.preemptive(goals, [A @ x >= limit]).solve()


@pytest.fixture
def runs(monkeypatch):
    """Every run of HiGHS."""
    counted, run = [], HighsModel.run

    def spy(self, *arguments, **options):
        counted.append(1)
        return run(self, *arguments, **options)

    monkeypatch.setattr(HighsModel, "run", spy)
    return counted


@pytest.mark.parametrize("seed", range(10))
def test_after_a_unique_optimum_nothing_is_solved_again(seed, runs):
    A, limit, costs = levels(seed)
    result = solved(A, limit, costs)
    assert len(runs) == 1
    point = linprog(costs[0], A_ub=-A, b_ub=-limit, bounds=(0, 5)).x
    for solution, cost in zip(result.values(), costs, strict=True):
        assert solution.value == pytest.approx(cost @ point, abs=1e-9)
        assert solution.certificate.proved


def test_where_a_face_is_left_the_next_level_is_solved_unless_its_point_is_best_already(runs):
    counts = set()
    for seed in range(10):
        A, limit, costs = levels(seed, unique=False)
        runs.clear()
        result = solved(A, limit, costs[:2])
        counts.add(len(runs))
        rows, bounds = np.vstack([-A, costs[0]]), np.append(-limit, result["0"].value + 1e-9)
        assert result["1"].value == pytest.approx(
            linprog(costs[1], A_ub=rows, b_ub=bounds, bounds=(0, 5)).fun, abs=1e-7
        )
        check_every_level(A, limit, costs[:2], 5, result)
    assert counts == {1, 2}


@pytest.mark.parametrize("seed", range(10))
def test_the_multipliers_at_the_point_prove_every_level(seed):
    A, limit, costs = levels(seed)
    check_every_level(A, limit, costs, 5, solved(A, limit, costs))


def test_more_rows_than_columns_are_no_trouble(runs):
    A = np.vstack([np.eye(2), [[1.0, 1.0]], [[1.0, 2.0]], [[2.0, 1.0]]])
    result = solved(A, np.array([1.0, 1.0, 2.5, 3.0, 3.0]), np.array([[2.0, 1.0], [0.0, 1.0]]))
    assert len(runs) == 1
    assert result.final["x"] == pytest.approx([1.0, 1.5])
    assert result.final.value == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("columns", "rows", "basic", "point"),
    [
        ([True, False], [False], [0], True),
        ([False, True], [False], [0], False),
        ([True, True], [False], [0], False),
        ([False, False], [True], [-1], True),
        ([False, False], [False, True], [-2, 0], True),
        ([False, False], [False, True], [-1, 0], False),
        ([True, False], [True, False], [0, -1], True),
        ([False, False], [False], [1], True),  # nothing is free at all
    ],
)
def test_what_is_left_is_a_point_if_all_that_is_free_is_basic(columns, rows, basic, point):
    assert is_point(np.array(columns), np.array(rows), np.array(basic)) is point
