"""Rows without room, put as the face that they leave: the same optimum, and room again."""

import numpy as np
import pytest

from lexiprog.parametric.path import on_faces, parametric_curve
from tests.lexiprog.parametric.forms import form_of, optimum


def test_a_row_at_its_least_value_becomes_equations_and_fixed_columns():
    # x + y >= 2 - t and x + y <= 2 - t: the second row leaves no room.
    form = form_of([1, 0], [[-1, -1], [1, 1]], [-2, 2], upper=5.0)
    direction = np.array([1.0, -1.0])
    face, moved = on_faces(form, direction, [1], 0.0, 1.0)
    assert face.cones.zero == 1
    assert face.b.size == 1
    assert moved == pytest.approx([1.0])
    curve = parametric_curve(face, moved, stop=1.0)
    assert curve.values == pytest.approx([0.0, 0.0])


def test_a_row_with_room_stays_as_it_is():
    form = form_of([1, 0], [[-1, -1], [1, 1]], [-2, 3], upper=5.0)
    face, moved = on_faces(form, np.array([1.0, 0.0]), [1], 0.0, 1.0)
    assert face.cones.zero == 0
    assert (face.b.size, moved.size) == (2, 2)


def test_a_row_that_nothing_moves_is_put_as_a_face_as_well():
    form = form_of([0, 1], [[-1, 0], [1, 0], [0, -1]], [-2, 2, -1], upper=5.0)
    face, moved = on_faces(form, np.array([0.0, 0.0, -1.0]), [1], 0.0, 3.0)
    assert face.cones.zero == 1
    curve = parametric_curve(face, moved, stop=3.0)
    assert curve.values == pytest.approx([1.0, 4.0])


@pytest.mark.parametrize("seed", range(8))
def test_random_chains_keep_their_optimum(seed):
    """Hold the least of one cost exactly: the next optimum agrees with a solve that has room."""
    rng = np.random.default_rng(seed)
    A, first = -rng.integers(0, 5, (3, 5)).astype(float), rng.integers(1, 6, 5).astype(float)
    second, b = rng.integers(-3, 4, 5).astype(float), -rng.integers(5, 20, 3).astype(float)
    form = form_of(first, A, b, upper=9.0)
    direction = np.array([1.0, 0.0, 0.0])
    curve = parametric_curve(form, direction)
    stop = min(curve.stop, curve.knots[0] + 1.0, *curve.breakpoints)
    held = form_of(second, np.vstack([A, first]), np.append(b, curve.values[0]), upper=9.0)
    moves = np.append(direction, curve.slopes[0])
    face, moved = on_faces(held, moves, [3], 0.0, stop)
    for t in np.linspace(0.0, stop, 7):
        loose = held.b + t * moves + np.array([0, 0, 0, 1e-8])
        found = optimum(face, face.b + t * moved)
        assert found == pytest.approx(optimum(held, loose), abs=1e-5)
