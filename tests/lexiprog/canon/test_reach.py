"""What an objective can come to: by bounds, by rows that are bounds, or without end."""

import numpy as np
import pytest
import scipy.sparse as sp

from lexiprog.canon.standard_form import Cones, StandardForm, most_of_terms


def form(rows, sides, zero=0, lower=None, upper=None, P=None):
    cones = Cones(zero=zero, nonneg=len(sides) - zero)
    A = sp.csc_array(np.array(rows, dtype=float))
    limits = (None if limit is None else np.array(limit, dtype=float) for limit in (lower, upper))
    c = np.array([3.0, -2.0])
    return StandardForm(c, 7.0, A, np.array(sides, dtype=float), cones, P, *limits)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (form([[1, 1]], [1], lower=[-4, 0], upper=[1, 5]), 3 * 4 + 2 * 5),
        (form([[2, 0], [0, -1]], [6, 4], lower=[0, -9], upper=[9, 1]), 3 * 3 + 2 * 4),
        (form([[-2, 0], [1, 0]], [6, 1], lower=[-9, 0], upper=[9, 0]), 3 * 3),
        (form([[2, 0], [0, 4]], [-6, 4], zero=2), 3 * 3 + 2 * 1),
        (form([[1, 1], [0, 1]], [1, 1], lower=[0, 0]), np.inf),
        (form([[1, 1]], [1], lower=[0, 0], upper=[1, 1], P=sp.eye_array(2)), np.inf),
    ],
)
def test_the_terms_can_come_to(given, found):
    assert most_of_terms(given) == found
