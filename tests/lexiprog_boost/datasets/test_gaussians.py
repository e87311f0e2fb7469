"""The 54 artificial sets are those the paper describes."""

import numpy as np
import pytest

from lexiprog_boost.datasets import GAUSSIAN_SETS, GaussianSpec, make_gaussians


def test_27_sets_with_and_27_without_outliers():
    assert len({spec.name for spec in GAUSSIAN_SETS}) == 54
    assert sum(spec.outliers for spec in GAUSSIAN_SETS) == 27
    assert {spec.center for spec in GAUSSIAN_SETS} == {3.0, 1.7, 1.5}


@pytest.mark.parametrize("spec", GAUSSIAN_SETS, ids=lambda spec: spec.name)
def test_sizes_are_the_papers(spec):
    data = make_gaussians(spec)
    assert data.X.shape == (spec.n_points, 5)
    # A whole number of minority points can't hit every ratio exactly.
    rare = data.counts[1]
    ratios = [(spec.n_points - k) / k for k in (rare - 1, rare, rare + 1)]
    assert ratios[2] < spec.imbalance_ratio < ratios[0] or spec.imbalance_ratio == ratios[1]


def test_centres_and_spreads_are_the_papers():
    data = make_gaussians(GaussianSpec(40_000, 1, 1.7))
    for label, center in ((1, 0.0), (0, 1.7)):
        points = data.X[data.y == label]
        np.testing.assert_allclose(points.mean(axis=0), center, atol=0.04)
        np.testing.assert_allclose(np.cov(points.T), np.eye(5), atol=0.05)


def test_a_tenth_of_each_class_comes_from_the_other():
    data = make_gaussians(GaussianSpec(4000, 3, 8.0, outliers=True))
    near_origin = data.X.mean(axis=1) < 4  # the classes are 8 apart: no doubt who is who
    assert near_origin[data.y == 1].mean() == pytest.approx(0.9)
    assert near_origin[data.y == 0].mean() == pytest.approx(0.1)


def test_a_seed_repeats_the_set_and_another_does_not():
    spec = GAUSSIAN_SETS[5]
    np.testing.assert_array_equal(make_gaussians(spec).X, make_gaussians(spec, seed=0).X)
    assert not np.array_equal(make_gaussians(spec).X, make_gaussians(spec, seed=1).X)
    assert not np.isin(make_gaussians(GAUSSIAN_SETS[0]).X, make_gaussians(GAUSSIAN_SETS[1]).X).any()


def test_a_set_without_a_minority_is_refused():
    with pytest.raises(ValueError, match="leave none for a minority of 1 in 25"):
        make_gaussians(GaussianSpec(10, 25, 3.0))
