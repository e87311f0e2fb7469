"""The order of values with integers, against all points."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from lexiprog.fair.audit import audit_order
from lexiprog.fair.integers import order_levels
from lexiprog.fair.records import values_of
from lexiprog.fair.utilities import Utilities
from lexiprog.forms.standard_form import Cones, StandardForm


def random_case(seed):
    rng = np.random.default_rng(seed)
    columns, people = 4, int(rng.integers(2, 5))
    A, b = rng.integers(0, 4, (2, columns)).astype(float), rng.integers(4, 10, 2).astype(float)
    U = rng.integers(-1, 4, (people, columns)).astype(float)
    if seed % 2:
        U = U + rng.random(U.shape).round(3)  # values that lie on no grid
    form = StandardForm(
        np.zeros(columns), 0.0, A, b, Cones(nonneg=2), lower=np.zeros(columns),
        upper=np.full(columns, 3.0), integer=np.arange(columns),
    )  # fmt: skip
    return form, Utilities(U, rng.integers(-2, 3, people).astype(float))


@pytest.mark.parametrize("seed", range(12))
def test_no_whole_point_is_fairer(seed):
    form, utilities = random_case(seed)
    found = order_levels(form, utilities)
    points = np.array(list(itertools.product(range(4), repeat=4)), dtype=float)
    points = points[(points @ form.A.T <= form.b).all(axis=1)]
    orders = np.sort(points @ utilities.rows.toarray().T + utilities.offsets, axis=1).round(9)
    best = max(map(tuple, orders))
    assert np.sort(utilities.at(found.x)) == pytest.approx(best, abs=1e-9)
    assert np.sort(values_of(found.levels)) == pytest.approx(best, abs=1e-7)
    assert audit_order(form, utilities, found).passed


@pytest.mark.parametrize("seed", range(4))
def test_other_columns_make_the_best_of_the_whole_ones(seed):
    """The last two columns need not be whole: for each pair of whole ones a linear leximin."""
    from lexiprog.fair.levels import raise_levels

    form, utilities = random_case(seed)
    mixed = replace(form, integer=np.arange(2))
    found = order_levels(mixed, utilities)
    orders = []
    for pair in itertools.product(range(4), repeat=2):
        lower, upper = np.r_[pair, 0, 0].astype(float), np.r_[pair, 3, 3].astype(float)
        if (form.A @ lower <= form.b).all():
            rest = replace(form, lower=lower, upper=upper, integer=None)
            orders.append(tuple(np.sort(utilities.at(raise_levels(rest, utilities).x)).round(8)))
    assert np.sort(utilities.at(found.x)) == pytest.approx(max(orders), abs=1e-6)


def test_a_worse_point_and_a_half_one_are_noticed():
    form, utilities = random_case(2)
    found = order_levels(form, utilities)
    assert not audit_order(form, utilities, replace(found, x=found.x + 0.5)).passed
    assert not audit_order(form, utilities, replace(found, bounds=found.bounds + 1e-3)).passed
    assert not audit_order(form, utilities, replace(found, bounds=found.bounds[:-1])).passed
