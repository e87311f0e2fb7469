"""Newton's method ends at the known optimum of a curved problem, or says nothing."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify.measures import measure
from lexiprog.certify.newton import sharpened

seeds = st.integers(0, 2**32 - 1)


def ball(rng):
    """A linear objective over a ball, with a second variable that has nothing to do with it."""
    size = int(rng.integers(2, 6))
    cost, center = rng.normal(size=size), rng.normal(size=size)
    A = sp.csc_array(np.vstack([np.zeros(size), -np.eye(size)]))
    b = np.append(1.0, -center)
    form = StandardForm(cost, 0.0, A, b, Cones(soc=(size + 1,)))
    length = np.linalg.norm(cost)
    return form, center - cost / length, np.append(length, cost)


def shares(rng):
    """The largest sum of weighted logarithms within a budget: in proportion to the weights."""
    size = int(rng.integers(2, 5))
    weights, prices = rng.uniform(0.5, 2.0, size), rng.uniform(0.5, 2.0, size)
    budget, eye, none = rng.uniform(1.0, 3.0), np.eye(size), np.zeros((size, size))
    # Columns x and t; (t, 1, x) in the exponential cone is t <= log x.
    rows, sides = [np.append(prices, np.zeros(size))], [budget]
    for k in range(size):
        rows += [-np.append(none[k], eye[k]), np.zeros(2 * size), -np.append(eye[k], none[k])]
        sides += [0.0, 1.0, 0.0]
    form = StandardForm(
        np.append(np.zeros(size), -weights), 0.0, sp.csc_array(np.array(rows)), np.array(sides),
        Cones(nonneg=1, exp=size),
    )  # fmt: skip
    x = budget * weights / weights.sum() / prices
    z = [weights.sum() / budget]
    for weight, share in zip(weights, x, strict=True):
        z += [-weight, weight * (np.log(share) - 1.0), weight / share]
    return form, np.append(x, np.log(x)), np.array(z)


def squares(rng):
    """The nearest point to a target on a plane, with one column at a bound of its own."""
    size = int(rng.integers(3, 6))
    target, normal = rng.normal(size=size), rng.normal(size=size)
    normal[0], target[0] = 0.0, -1.0
    side = float(rng.normal())
    form = StandardForm(
        -target, 0.0, sp.csc_array(normal[None]), np.array([side]), Cones(zero=1),
        P=sp.csc_array(np.eye(size)), lower=np.append(0.0, np.full(size - 1, -np.inf)),
        upper=np.full(size, np.inf),
    )  # fmt: skip
    miss = (normal @ target - side) / (normal @ normal)
    best = target - miss * normal
    best[0] = 0.0
    return form, best, np.array([miss])


@pytest.mark.parametrize("family", [ball, shares, squares])
@given(seeds)
def test_all_digits_come_back(family, seed):
    rng = np.random.default_rng(seed)
    form, x, z = family(rng)
    near = x + 1e-5 * rng.normal(size=x.size), z + 1e-5 * rng.normal(size=z.size)
    found = sharpened(form, *near)
    assert found is not None
    np.testing.assert_allclose(found[0], x, atol=1e-11)
    np.testing.assert_allclose(found[1], z, atol=1e-11)
    certificate = measure(form, *found, claimed=form.objective(found[0])).certificate
    assert certificate.worst <= 1e-11


def test_what_it_cannot_do_it_leaves():
    large = StandardForm(np.zeros(999), 0.0, sp.csc_array((3, 999)), np.ones(3), Cones(soc=(3,)))
    assert sharpened(large, np.zeros(999), np.zeros(3)) is None
    # On the flat part of an exponential cone there is no gradient.
    flat = StandardForm(np.ones(1), 0.0, sp.csc_array((3, 1)), np.array([-1.0, 0, 1]), Cones(exp=1))
    assert sharpened(flat, np.zeros(1), np.zeros(3)) is None
