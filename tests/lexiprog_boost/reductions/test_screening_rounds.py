"""Screening looks at the right points first: few rounds, and no weight for what has none."""

import numpy as np
import pytest

from lexiprog_boost.programs import check_inputs
from lexiprog_boost.reductions import class_optimum_by_dual, solve_screened


def uniform(points=2000, **options):
    margins = np.random.default_rng(0).uniform(-0.2, 1, (points, 4))
    return check_inputs(margins, np.arange(points) % 2, margin_target=0.4, **options)


def first_class(hinges, linear):
    return class_optimum_by_dual(hinges, 0, linear=linear)


def test_hinges_for_the_nearest_points_from_the_start_leave_little_to_correct():
    screened = solve_screened(uniform(), first_class)
    assert screened.rounds == 2
    assert screened.found == pytest.approx(class_optimum_by_dual(uniform(), 0)[0], abs=1e-9)


def test_points_without_weight_are_in_no_sample_and_change_nothing():
    weights = (np.arange(2000) % 100 < 4).astype(float)
    inputs = uniform(sample_weight=weights)
    screened = solve_screened(inputs, first_class)
    used = np.flatnonzero(weights)
    kept = check_inputs(inputs.margins[used], used % 2, margin_target=0.4)
    assert screened.found == pytest.approx(class_optimum_by_dual(kept, 0)[0], abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_sample_does_not_change_the_optimum(seed):
    screened = solve_screened(uniform(), first_class, random_state=seed)
    assert screened.found == pytest.approx(class_optimum_by_dual(uniform(), 0)[0], abs=1e-9)
