"""Rays along which an objective improves leave no room for bounds."""

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify.bound import lower_bound
from lexiprog.certify.measures import least_multipliers
from lexiprog.certify.terms import TermSizes
from tests.lexiprog.canon.known_optima import known

seeds = st.integers(0, 2**32 - 1)


def test_a_ray_that_leaves_nothing_violated_excludes_all_multipliers():
    form = StandardForm(np.array([-1.0, 0.0]), 0.0, sp.csc_array(np.array([[1.0, -1.0]])),
                        np.array([3.0]), Cones(nonneg=1), lower=np.zeros(2))  # fmt: skip
    assert least_multipliers(form, np.array([1.0, 1.0])) == np.inf
    assert least_multipliers(form, np.array([0.0, 1.0])) == 0.0
    assert least_multipliers(form, np.array([1.0, np.nan])) == 0.0


def test_multipliers_are_at_least_as_large_as_the_fall_over_what_is_violated():
    """Least -3x over x - 8y <= 3, along (1, 0) and (8, 1); or with a square, or a bound at 1."""
    form = StandardForm(np.array([-3.0, 0.0]), 0.0, sp.csc_array(np.array([[1.0, -8.0]])),
                        np.array([3.0]), Cones(nonneg=1))  # fmt: skip
    assert least_multipliers(form, np.array([1.0, 0.0])) == 3.0
    assert least_multipliers(form, np.array([8.0, 1.0])) == np.inf
    bent = replace(form, P=sp.csc_array(np.diag([0.0, 0.5])))
    assert least_multipliers(bent, np.array([8.0, 1.0])) == 24 / 0.5
    assert least_multipliers(bent, np.array([8.0, -1.0])) == 24 / 16
    held = replace(form, upper=np.array([1.0, np.inf]), lower=np.array([-np.inf, 0.0]))
    assert least_multipliers(held, np.array([8.0, 1.0])) == 24 / 8
    assert least_multipliers(held, np.array([1.0, -0.25])) == 3 / 3


@given(seeds)
def test_multipliers_that_prove_a_bound_are_as_large_as_a_ray_says(seed):
    problem = known(seed)
    form = problem.form
    rng = np.random.default_rng(seed)
    assert np.isfinite(lower_bound(TermSizes(form, problem.x, problem.z), problem.x, problem.z))
    reduced = form.c + form.A.T @ problem.z
    size = np.abs(problem.z).sum() + np.abs(reduced).sum()
    for _ in range(10):
        assert least_multipliers(form, rng.normal(size=form.c.size)) <= size * (1 + 1e-9)
