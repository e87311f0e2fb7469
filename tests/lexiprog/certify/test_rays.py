"""Infeasibility is only proved where it is true; rays that improve leave no room for bounds."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify.bound import infeasibility, least_multipliers, lower_bound
from tests.lexiprog.canon.known_optima import known

seeds = st.integers(0, 2**32 - 1)


def form_of(A, b, cones, **more):
    A = sp.csc_array(np.array(A, float))
    return StandardForm(np.zeros(A.shape[1]), 0.0, A, np.array(b, float), cones, **more)


@given(seeds, st.sampled_from([(), ("soc",), ("psd",), ("exp",), ("power",)]))
def test_no_feasible_problem_is_proved_infeasible(seed, kinds):
    rng = np.random.default_rng(seed)
    problem = known(seed, kinds=kinds, free=bool(seed % 2))
    for _ in range(5):
        z = rng.normal(size=problem.z.size) * 10.0 ** rng.integers(-9, 10)
        proof = infeasibility(problem.form, z, around=problem.x, radius=10.0)
        assert not proof.everywhere > 0.0
        assert not proof.value > 0.0


@given(seeds)
def test_a_contradiction_is_proved_by_its_multipliers(seed):
    # Rows Ax <= b and, as their sum with weights z, z'Ax >= z'b + 1.
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, 8, 2)
    A, z = rng.integers(-4, 5, (m, n)), rng.integers(1, 5, m)
    b = rng.integers(-9, 10, m)
    form = form_of(np.vstack([A, -z @ A]), np.append(b, -(z @ b) - 1), Cones(nonneg=int(m) + 1))
    assert infeasibility(form, np.append(z, 1.0)).everywhere == 1.0


def test_a_ball_says_where_there_is_no_point():
    # x == y and x == (1 - 1e-9) y + 1 meet at 1e9 only.
    form = form_of([[1, -1], [1, 1e-9 - 1]], [0, 1], Cones(zero=2))
    z = np.array([1.0, -1.0])
    assert infeasibility(form, z).everywhere == -np.inf
    assert infeasibility(form, z, radius=1e6).value == pytest.approx(0.999)
    assert infeasibility(form, z).radius is None
    assert not infeasibility(form, z, radius=1e10).value > 0.0


def test_a_ray_that_leaves_nothing_violated_excludes_all_multipliers():
    form = StandardForm(np.array([-1.0, 0.0]), 0.0, sp.csc_array(np.array([[1.0, -1.0]])),
                        np.array([3.0]), Cones(nonneg=1), lower=np.zeros(2))  # fmt: skip
    assert least_multipliers(form, np.array([1.0, 1.0])) == np.inf
    assert least_multipliers(form, np.array([0.0, 1.0])) == 0.0
    assert least_multipliers(form, np.array([1.0, np.nan])) == 0.0


@given(seeds)
def test_multipliers_that_prove_a_bound_are_as_large_as_a_ray_says(seed):
    problem = known(seed)
    form = problem.form
    rng = np.random.default_rng(seed)
    assert np.isfinite(lower_bound(form, problem.x, problem.z).everywhere)
    reduced = form.c + form.A.T @ problem.z
    size = np.abs(problem.z).sum() + np.abs(reduced).sum()
    for _ in range(10):
        assert least_multipliers(form, rng.normal(size=form.c.size)) <= size * (1 + 1e-9)
