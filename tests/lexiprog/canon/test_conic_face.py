"""The face that multipliers expose contains exactly the optimal points."""

import numpy as np
import pytest
import scipy.sparse as sp

from lexiprog.canon.conic_face import exposed
from lexiprog.canon.standard_form import Cones, StandardForm


def form(cost, A, b, cones, **bounds):
    rows = sp.csc_array(np.array(A, float))
    return StandardForm(np.array(cost, float), 0.0, rows, np.array(b, float), cones, **bounds)


def satisfied(face, x):
    """Whether the equations of a face hold."""
    equations = face.form.cones.zero
    return np.allclose(face.form.slack(np.array(x, float))[:equations], 0.0)


def test_a_multiplier_ties_its_row_and_leaves_the_others():
    # min x + y over x + y >= 1, x >= 0, y >= 0 at (0.5, 0.5)
    square = form([1, 1], [[-1, -1], [-1, 0], [0, -1]], [-1, 0, 0], Cones(nonneg=3))
    face = exposed(square, np.array([0.5, 0.5]), np.array([1.0, 0.0, 0.0]))
    assert (face.form.cones.zero, face.form.cones.nonneg) == (1, 2)
    assert satisfied(face, [1, 0])
    assert not satisfied(face, [1, 1])


def test_an_exponential_cone_leaves_the_ray_through_the_point():
    # max log x over x <= 2, as (t, 1, x) in the cone: t = log 2 with multipliers (-1, .., 1/2)
    rows = [[-1, 0], [0, 0], [0, -1]]
    problem = form([-1, 0], [[0, 1], *rows], [2, 0, 1, 0], Cones(nonneg=1, exp=1))
    z = np.array([0.5, -1.0, np.log(2) - 1.0, 0.5])
    face = exposed(problem, np.array([np.log(2), 2.0]), z)
    assert satisfied(face, [np.log(2), 2])
    assert not satisfied(face, [np.log(2) - 0.1, 2])


def test_a_power_cone_leaves_the_ray_through_the_point():
    # max t over sqrt(x y) >= t, x + y <= 2: all one
    rows = [[-1, 0, 0], [0, -1, 0], [0, 0, -1]]
    problem = form([0, 0, -1], [[1, 1, 0], *rows], [2, 0, 0, 0],
                   Cones(nonneg=1, power=((0.5, 0.5),)))  # fmt: skip
    face = exposed(problem, np.ones(3), np.array([0.5, 0.5, 0.5, -1.0]))
    assert satisfied(face, [1, 1, 1])
    assert not satisfied(face, [1.5, 0.5, 0.8])


def test_a_semidefinite_cone_leaves_the_matrices_on_the_kernel():
    # min X00 over X psd with X11 = 1: X00 = X01 = 0
    half = np.sqrt(2)
    rows = [[0, 0, 1], [-1, 0, 0], [0, -half, 0], [0, 0, -1]]
    problem = form([1, 0, 0], rows, [1, 0, 0, 0], Cones(zero=1, psd=(2,)))
    face = exposed(problem, np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0, 0.0]))
    assert face.form.cones.psd == (1,)
    assert satisfied(face, [0, 0, 1])
    assert not satisfied(face, [0, 0.1, 1])


@pytest.mark.parametrize("z", [[1e-6, 1e-6, 0], [0.0, 0.0, 0.0]])
def test_what_rounding_could_have_made_is_no_face(z):
    disk = form([-1, 0], [[0, 0], [-1, 0], [0, -1]], [1, 0, 0], Cones(soc=(3,)))
    assert exposed(disk, np.array([1.0, 0.0]), np.array(z)) is None


def test_columns_with_a_reduced_cost_stay_at_their_bound():
    box = form([1, 0], np.zeros((0, 2)), [], Cones(), lower=np.zeros(2), upper=np.ones(2))
    face = exposed(box, np.array([0.0, 0.5]), np.zeros(0))
    assert face.form.upper.tolist() == [0, 1]
