"""Projected points lie inside their cones in exact arithmetic, and near where they came from."""

from decimal import Decimal, getcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexiprog.canon.cones import distances, matrix, project, triangle
from lexiprog.canon.standard_form import Cones

getcontext().prec = 40
seeds = st.integers(0, 2**32 - 1)


def points(seed, size, cases=12):
    """Points of all sizes, inside, outside, at the boundary and at the origin."""
    rng = np.random.default_rng(seed)
    for case in range(cases):
        point = rng.normal(size=size) * 10.0 ** rng.integers(-9, 10)
        if case % 3 == 1:
            point = point * 10.0 ** rng.integers(-6, 7, size)
        if case % 4 == 2:
            point[rng.integers(size)] = 0.0
        yield point
    yield np.zeros(size)


def leading_minors_are_not_negative(square):
    """Whether a symmetric matrix of floats is semidefinite, by elimination in rationals."""
    rest = [[Fraction(v) for v in row] for row in square]
    while rest:
        pivot = rest[0][0]
        if pivot < 0 or (pivot == 0 and any(rest[0])):
            return False
        if pivot > 0:
            rest = [[row[k] - row[0] * rest[0][k] / pivot for k in range(len(row))] for row in rest]
        rest = [row[1:] for row in rest[1:]]
    return True


@given(seeds)
def test_second_order_points_are_inside_exactly(seed):
    cones = Cones(soc=(4, 1, 3))
    on_the_boundary = np.random.default_rng(seed).normal(size=8)
    for head, stop in ((0, 4), (4, 5), (5, 8)):
        on_the_boundary[head] = np.linalg.norm(on_the_boundary[head + 1 : stop])
    for point in (*points(seed, 8), on_the_boundary):
        near = [Fraction(v) for v in project(cones, point)]
        for head, stop in ((0, 4), (4, 5), (5, 8)):
            assert near[head] >= 0
            assert near[head] ** 2 >= sum(v**2 for v in near[head + 1 : stop])


@given(seeds)
def test_the_second_order_projection_is_the_nearest_point(seed):
    # What was taken away lies in the polar cone and is orthogonal to what is left.
    cones = Cones(soc=(5,))
    for point in points(seed, 5):
        near, size = project(cones, point), np.abs(point).max(initial=1e-300)
        away = near - point
        assert distances(cones, away).max() <= 1e-14 * size
        assert abs(near @ away) <= 1e-14 * size**2


@pytest.mark.parametrize("order", [1, 2, 5])
@given(seeds)
def test_semidefinite_points_are_inside_exactly(order, seed):
    rng = np.random.default_rng(seed)
    cones = Cones(psd=(order,), psd_layout="full")
    for point in points(seed, order * order, cases=4):
        assert leading_minors_are_not_negative(project(cones, point).reshape(order, order))
    thin = rng.normal(size=(order, 1))
    on_the_boundary = (thin @ thin.T).reshape(-1)
    near = project(cones, on_the_boundary)
    assert leading_minors_are_not_negative(near.reshape(order, order))
    assert np.abs(near - on_the_boundary).max() <= 1e-12 * np.abs(on_the_boundary).max()


@given(seeds)
def test_scaled_triangles_are_inside_exactly(seed):
    # In a scaled triangle of order two the off-diagonal entry is v / sqrt 2.
    for point in points(seed, 3):
        for layout in ("upper", "lower"):
            a, v, d = (Fraction(t) for t in project(Cones(psd=(2,), psd_layout=layout), point))
            assert a >= 0
            assert d >= 0
            assert a * d >= v**2 / 2


@pytest.mark.parametrize("layout", ["upper", "lower", "full"])
def test_a_matrix_and_its_rows_are_each_others_inverse(layout):
    square = np.arange(16.0).reshape(4, 4)
    square = square + square.T
    assert np.allclose(matrix(triangle(square, layout), 4, layout), square)


def in_exponential(x, y, z):
    x, y, z = Decimal(x), Decimal(y), Decimal(z)
    if y == 0:
        return x <= 0 and z >= 0
    return y > 0 and z > 0 and x / y <= (z / y).ln()


def in_dual_exponential(u, v, w):
    u, v, w = Decimal(u), Decimal(v), Decimal(w)
    if u == 0:
        return v >= 0 and w >= 0
    return u < 0 and w > 0 and v / u - 1 <= (-w / u).ln()


@given(seeds)
def test_exponential_points_are_inside_exactly(seed):
    for point in points(seed, 3):
        assert in_exponential(*project(Cones(exp=1), point).tolist())
        assert in_dual_exponential(*project(Cones(exp=1), point, dual=True).tolist())


def in_power(base, tip, powers, dual):
    if min(base) < 0:
        return False
    if tip == 0 or min(base) == 0:
        return tip == 0
    logs = [
        Decimal(a) * (Decimal(w) / (Decimal(a) if dual else 1)).ln()
        for a, w in zip(powers, base, strict=True)
    ]
    return sum(logs) >= abs(Decimal(tip)).ln()


@pytest.mark.parametrize("powers", [(0.5, 0.5), (0.25, 0.75), (0.125, 0.5, 0.375)])
@pytest.mark.parametrize("dual", [False, True])
@given(seeds)
def test_power_points_are_inside_exactly(powers, dual, seed):
    for point in points(seed, len(powers) + 1, cases=4):
        *base, tip = project(Cones(power=(powers,)), point, dual=dual).tolist()
        assert in_power(base, tip, powers, dual)


ALL = Cones(zero=2, nonneg=3, soc=(3,), psd=(2,), exp=1, power=((0.25, 0.75),))
# Each well inside its cone and its dual.
INSIDE = [1.0, -2.0, 1.0, 2.0, 3.0, 5.0, 3.0, 1.0, 2.0, 1.0, 3.0, -1.0, 2.0, 4.0, 1.0, 1.0, -0.5]


@pytest.mark.parametrize("dual", [False, True])
def test_points_inside_stay_where_they_are(dual):
    point = np.array(INSIDE)
    near = project(ALL, point, dual=dual)
    assert np.array_equal(near[2:], point[2:])
    assert near[:2].tolist() == ([1.0, -2.0] if dual else [0.0, 0.0])
    assert point.tolist() == INSIDE


@pytest.mark.parametrize("dual", [False, True])
@given(seeds)
def test_points_a_little_outside_move_a_little(dual, seed):
    rng = np.random.default_rng(seed)
    inside = project(ALL, 3.0 * rng.normal(size=len(INSIDE)), dual=dual)
    off = 1e-9 * rng.normal(size=inside.size)
    assert np.abs(project(ALL, inside + off, dual=dual) - inside).max() <= 1e-3


def test_what_is_no_number_stays_none():
    point = np.full(len(INSIDE), np.nan)
    assert np.isnan(project(ALL, point, dual=True)).all()
