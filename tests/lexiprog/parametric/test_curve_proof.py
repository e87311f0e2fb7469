"""A proof of a curve fails if any number in it is changed."""

import numpy as np
import pytest

from lexiprog.parametric.curve import prove_curve
from lexiprog.parametric.path import parametric_curve
from tests.lexiprog.parametric.forms import form_of, random_form


def parts_of(curve):
    names = ("knots", "points", "slopes", "multipliers", "ray", "walls")
    return {name: getattr(curve, name) for name in names}


@pytest.fixture(scope="module")
def example():
    form = form_of([-1, -1], [[1, 0], [0, 1], [1, 2]], [2, 1, 0])
    direction = np.array([0.0, 0.0, 1.0])
    return form, direction, parametric_curve(form, direction)


def test_an_untouched_curve_is_proved(example):
    form, direction, curve = example
    assert prove_curve(form, direction, **parts_of(curve)).passed


@pytest.mark.parametrize("name", ["knots", "points", "slopes", "multipliers"])
def test_every_changed_number_is_noticed(example, name):
    form, direction, curve = example
    true = getattr(curve, name)
    for position in np.ndindex(true.shape):
        for change in (1e-3, -1e-3):
            false = true.copy()
            false[position] += change
            proof = prove_curve(form, direction, **(parts_of(curve) | {name: false}))
            assert not proof.passed, (name, position, change)


def test_a_left_out_or_invented_knot_is_noticed(example):
    form, direction, curve = example
    keep = [0, 2]
    parts = parts_of(curve) | {
        "knots": curve.knots[keep], "points": curve.points[keep],
        "slopes": curve.slopes[keep], "multipliers": curve.multipliers[keep],
    }  # fmt: skip
    assert not prove_curve(form, direction, **parts).passed
    twice = [0, 0, 1, 2]
    middle = (curve.points[0] + curve.points[1]) / 2
    parts = parts_of(curve) | {
        "knots": np.array([0.0, 1.0, 2.0, 4.0]), "points": np.insert(curve.points, 1, middle, 0),
        "slopes": np.array([-1.1, -0.9, -0.5, 0.0]), "multipliers": curve.multipliers[twice],
    }  # fmt: skip
    assert not prove_curve(form, direction, **parts).passed


def test_a_false_ray_and_a_false_wall_are_noticed(example):
    form, direction, curve = example
    assert not prove_curve(form, direction, **(parts_of(curve) | {"ray": np.ones(2)})).passed
    walled = parametric_curve(form_of([1], [[-1]], [0], upper=3.0), np.array([-1.0]))
    parts = parts_of(walled)
    assert prove_curve(form_of([1], [[-1]], [0], upper=3.0), np.array([-1.0]), **parts).passed
    wider = form_of([1], [[-1]], [0], upper=4.0)  # here more is feasible than is claimed
    assert not prove_curve(wider, np.array([-1.0]), **parts).passed
    none = parts | {"walls": (None, np.zeros(1))}
    assert not prove_curve(form_of([1], [[-1]], [0], upper=3.0), np.array([-1.0]), **none).passed


def test_not_a_number_is_no_proof(example):
    form, direction, curve = example
    points = curve.points.copy()
    points[1, 0] = np.nan
    assert not prove_curve(form, direction, **(parts_of(curve) | {"points": points})).passed


@pytest.mark.parametrize("seed", range(5))
def test_curves_of_one_program_prove_nothing_about_another(seed):
    rng = np.random.default_rng(seed)
    form, direction = random_form(rng)
    curve = parametric_curve(form, direction)
    other, _ = random_form(np.random.default_rng(seed))
    other.c[:] *= -1.0
    assert not prove_curve(other, direction, **parts_of(curve)).passed


def test_flat_pieces_with_multipliers_of_mere_rounding_are_proved(example):
    form, direction, curve = example
    noisy = curve.multipliers.copy()
    noisy[-1] = [-1e-17, 1e-17, 0.0]
    zero = np.where(np.arange(3) == 2, 0.0, curve.multipliers[-1])
    assert zero == pytest.approx(curve.multipliers[-1])
    noisy[-1] += curve.multipliers[-1]
    assert prove_curve(form, direction, **(parts_of(curve) | {"multipliers": noisy})).passed
