"""A change of units changes no problem: everything goes there and back without rounding."""

from dataclasses import fields

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lexiprog.canon.scaling import Scaling
from lexiprog.canon.standard_form import Cones, StandardForm
from tests.lexiprog.canon.known_optima import known

seeds = st.integers(0, 2**32 - 1)


def random_scaling(form, rng):
    twos = [2.0 ** rng.integers(-30, 31, size) for size in (form.b.size, form.c.size)]
    return Scaling(*twos, cost=2.0 ** int(rng.integers(-40, 41)))


def numbers(form):
    """Every number of a form, matrices dense."""
    out = []
    for field in fields(form):
        value = getattr(form, field.name)
        if value is not None and field.name != "cones":
            out.append(value.toarray() if sp.issparse(value) else np.array(value))
    return out


@given(seeds)
def test_scaling_and_its_inverse_give_back_every_number(seed):
    form = known(seed, quadratic=True).form
    scaling = random_scaling(form, np.random.default_rng(seed))
    inverse = Scaling(1 / scaling.rows, 1 / scaling.columns, 1 / scaling.cost)
    for before, after in zip(numbers(form), numbers(inverse.of(scaling.of(form))), strict=True):
        assert np.array_equal(before, after)


@given(seeds)
def test_points_values_and_multipliers_mean_the_same_in_both_units(seed):
    problem = known(seed, quadratic=True)
    form, rng = problem.form, np.random.default_rng(seed)
    scaling = random_scaling(form, rng)
    scaled = scaling.of(form)
    y, w = scaling.scaled_point(problem.x), scaling.scaled_multipliers(problem.z)
    assert np.array_equal(scaling.point(y), problem.x)
    assert np.array_equal(scaling.multipliers(w), problem.z)
    assert scaling.value(scaled.objective(y)) == pytest.approx(float(problem.optimum), rel=1e-12)
    assert scaling.scaled_value(2.0) == 2.0 * scaling.cost
    assert np.allclose(scaled.slack(y) / scaling.rows, form.slack(problem.x), atol=1e-12)
    slopes = [
        f.c + (0.0 if f.P is None else f.P @ x) + f.A.T @ z
        for f, x, z in ((scaled, y, w), (form, problem.x, problem.z))
    ]
    assert np.allclose(scaling.reduced_costs(slopes[0]), slopes[1], atol=1e-12)


def test_the_caller_keeps_its_arrays():
    form = known(3, quadratic=True).form
    before = [part.copy() for part in numbers(form)]
    scaled = random_scaling(form, np.random.default_rng(3)).of(form)
    scaled.A.data[:], scaled.P.data[:], scaled.b[:], scaled.c[:] = 7.0, 7.0, 7.0, 7.0
    for one, other in zip(before, numbers(form), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("layout", ["csc", "csr", "coo"])
def test_matrices_of_any_format_are_multiplied_row_by_row_and_column_by_column(layout):
    A = sp.random_array((4, 3), density=0.6, random_state=np.random.default_rng(1)).asformat(layout)
    form = StandardForm(np.ones(3), 0.0, A, np.ones(4), Cones(nonneg=4))
    scaling = random_scaling(form, np.random.default_rng(2))
    expected = scaling.rows[:, None] * A.toarray() * scaling.columns
    assert np.array_equal(scaling.of(form).A.toarray(), expected)


def test_no_change_of_units_is_the_form_itself():
    form = known(5).form
    assert Scaling.none(form).identity
    assert Scaling.none(form).of(form) is form
