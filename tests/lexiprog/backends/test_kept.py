"""Linear programs that go on from the last basis have the answers of those that start anew."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog

from lexiprog.backends.kept import KeptHighs, is_only_vertex
from lexiprog.canon.standard_form import Bounds, Cones, StandardForm


def form_of(A, b, c, upper=10.0):
    """Minimise ``c @ x`` over ``A @ x <= b`` and a box."""
    n = c.size
    return StandardForm(
        c, 0.0, A, b, Cones(nonneg=b.size), lower=np.zeros(n), upper=np.full(n, upper)
    )


@pytest.mark.parametrize("whole", [False, True], ids=["generic", "many optima"])
def test_every_answer_is_that_of_a_solve_from_nothing(whole):
    rng = np.random.default_rng(5)
    dense = rng.integers(-3, 4, (8, 6)).astype(float) if whole else rng.normal(size=(8, 6))
    A, kept, seen = sp.csc_array(dense), KeptHighs(), 0
    for _ in range(40):
        c = rng.integers(-2, 3, 6).astype(float) if whole else rng.normal(size=6)
        b = rng.integers(1, 5, 8).astype(float) if whole else rng.random(8) + 0.5
        form = form_of(A, b, c)
        found, fresh = kept.solve(form, {}), KeptHighs().solve(form, {})
        assert found.x == pytest.approx(fresh.x, abs=1e-12)
        assert found.z == pytest.approx(fresh.z, abs=1e-12)
        known = linprog(c, dense, b, bounds=(0.0, 10.0))
        assert found.value == pytest.approx(known.fun, abs=1e-9)
        seen += found.iterations < fresh.iterations
    assert seen or whole  # something was gained


def test_where_many_multipliers_prove_an_optimum_those_of_a_new_model_are_given():
    """Fourteen rows of which more meet in the vertex than there are columns, in uneven units."""
    for seed in (99, 3, 7, 11):
        rng = np.random.default_rng(seed)
        units = 10.0 ** rng.uniform(-3, 3, (14, 1))
        dense, kept = rng.normal(size=(14, 8)) * units, KeptHighs()
        A = sp.csc_array(dense)
        for _ in range(12):
            form = form_of(A, dense @ (rng.random(8) * 4), rng.normal(size=8), 5.0)
            found, fresh = kept.solve(form, {}), KeptHighs().solve(form, {})
            assert found.x == pytest.approx(fresh.x, abs=1e-9)
            assert found.z == pytest.approx(fresh.z, rel=1e-7, abs=1e-9)


def test_a_matrix_that_was_written_into_is_another():
    A, kept = sp.csc_array(np.array([[1.0, 1.0]])), KeptHighs()
    form = form_of(A, np.array([4.0]), np.array([-1.0, -2.0]))
    assert kept.solve(form, {}).x.tolist() == [0.0, 4.0]
    A.data[:] = [1.0, 2.0]
    assert kept.solve(form, {}).value == pytest.approx(-4.0)
    assert kept.solve(form_of(A, np.array([-1.0]), form.c), {}) is None  # nothing is below zero
    assert kept.solve(form_of(A, np.array([6.0]), np.array([-1.0, -1.0])), {}).value == -6.0


@pytest.mark.parametrize(
    ("cost", "limit", "only"),
    [
        ([1.0, 2.0], 3.0, True),
        ([1.0, 1.0], 3.0, False),  # an edge of optima
        ([1.0, 2.0], 10.0, False),  # the row and a bound meet in the vertex: many multipliers
    ],
)
def test_a_vertex_is_the_only_one_if_all_it_touches_has_a_multiplier(cost, limit, only):
    """x + y >= limit over a box of 10; the optimum is at (limit, 0)."""
    box = np.zeros(2), np.full(2, 10.0)
    bounds = Bounds(*box, np.array([limit]), np.array([np.inf]))
    c, y = np.array(cost), np.array([cost[0]])
    x = np.array([limit, 0.0])
    assert is_only_vertex(bounds, x, x.sum(keepdims=True), c - y, y, np.abs(c) + y) == only
