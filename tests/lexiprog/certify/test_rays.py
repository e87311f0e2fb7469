"""Rays along which an objective improves leave no room for bounds."""

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
