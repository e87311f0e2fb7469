"""Newton's method ends at the known optimum of a curved problem, or says nothing."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lexiprog.canon.cones import matrix, triangle
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify import newton
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


def test_cones_of_two_rows():
    """The least t beside abs(x) <= t and x >= 1."""
    A = sp.csc_array(np.array([[0.0, -1.0], [-1.0, 0.0], [0.0, -1.0]]))
    b, cones = np.array([-1.0, 0.0, 0.0]), Cones(nonneg=1, soc=(2,))
    form = StandardForm(np.array([1.0, 0.0]), 0.0, A, b, cones)
    x, z = sharpened(form, np.array([1.0 + 1e-9, 1.0 + 2e-9]), np.array([1.0, 1.0, -1.0]))
    np.testing.assert_allclose(x, 1.0, rtol=1e-15)
    np.testing.assert_allclose(z, [1.0, 1.0, -1.0], rtol=1e-15)


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


# Derivatives, beside differences of the functions themselves.


def differences(function, at, step=1e-6):
    """The slopes of a function by central differences, a column for each argument."""
    sides = [
        (function(at + step * unit) - function(at - step * unit)) / (2.0 * step)
        for unit in np.eye(at.size)
    ]
    return np.stack(sides, axis=-1)


SURFACES = {
    # kind, powers, slack, and the function that is zero on the boundary
    "soc": (None, [2.0, 0.6, -0.8, 0.5], lambda s: np.sqrt(sum(s[1:] ** 2)) - s[0]),
    "exp": (None, [0.7, 1.3, 2.0], lambda s: s[1] * np.exp(s[0] / s[1]) - s[2]),
    "exp, falling": (None, [-0.7, 0.4, 2.0], lambda s: s[1] * np.exp(s[0] / s[1]) - s[2]),
    "power": ([0.3, 0.7], [2.0, 3.0, 1.5], lambda s: abs(s[2]) - s[0] ** 0.3 * s[1] ** 0.7),
    "power, below": ([0.5, 0.2, 0.3], [2.0, 3.0, 0.5, -1.5],
                     lambda s: abs(s[3]) - s[0] ** 0.5 * s[1] ** 0.2 * s[2] ** 0.3),
}  # fmt: skip


@pytest.mark.parametrize("case", SURFACES)
def test_slopes_and_curvatures_of_surfaces_are_those_of_differences(case):
    powers, s, function = SURFACES[case]
    s, powers = np.array(s), None if powers is None else np.array(powers)
    surface = newton._Surface(case.split(",")[0], np.arange(s.size), powers)
    value, slope, bent = surface.at(s)
    assert value == pytest.approx(function(s), rel=1e-14, abs=1e-14)
    np.testing.assert_allclose(slope, differences(function, s), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(bent, differences(lambda t: surface.at(t)[1], s), atol=1e-8)


def several(layout="upper", seed=0):
    """Rows of every cone, with a point at which all surfaces have a gradient."""
    rng = np.random.default_rng(seed)
    square = 4 if layout == "full" else 3
    cones = Cones(zero=1, nonneg=2, soc=(3, 2), psd=(2, 1), exp=2, power=((0.4, 0.6),),
                  psd_layout=layout)  # fmt: skip
    slack = np.concatenate([
        [0, 0, 1], [2, 1, 1], [3, 2], triangle(np.array([[2.0, 0.5], [0.5, 1.0]]), layout), [3],
        [0.5, 1, 2], [0.2, 2, 3], [1, 2, -0.5],
    ])  # fmt: skip
    A, x = rng.normal(size=(slack.size, 5)), rng.normal(size=5)
    root = rng.normal(size=(5, 5))
    form = StandardForm(rng.normal(size=5), 0.0, sp.csc_array(A), A @ x + slack, cones,
                        sp.csc_array(root @ root.T))  # fmt: skip
    assert square == cones.psd_rows(2)
    return form, x, rng.normal(size=slack.size)


@pytest.mark.parametrize("layout", ["upper", "full"])
def test_the_equations_are_the_conditions_of_optimality_and_their_slopes_differences(layout):
    form, x, z = several(layout)
    A, P, parts = form.A.toarray(), form.P.toarray(), list(newton._cones(form))
    kinds = [kind for kind, _, _ in parts]
    assert kinds == ["soc", "soc", "psd", "psd", "exp", "exp", "power"]
    sizes = [3, 2, form.cones.psd_rows(2), 1, 3, 3, 3]
    ends = 3 + np.cumsum(sizes)
    assert [part.tolist() for _, part, _ in parts] == [
        list(range(end - size, end)) for end, size in zip(ends, sizes, strict=True)
    ]
    surfaces = [newton._Surface(kind, part, powers if kind == "power" else None)
                for kind, part, powers in parts if kind != "psd"]  # fmt: skip
    squares = [(part, order) for kind, part, order in parts if kind == "psd"]
    rows, free = np.array([0, 2]), np.array([0, 1, 3, 4])
    weights = np.array([0.5, 2.0, 1.5, 0.7, 1.1])
    tight = newton._Tight(rows, surfaces, squares, free, x, weights)
    plain = np.concatenate([rows, *(part for part, _ in squares)])
    count = plain.size

    def equations(v):
        point = x.copy()
        point[free] = v[:4]
        return newton._equations(form, A, P, tight, plain, point, v[4 : 4 + count], v[4 + count :])

    at = np.concatenate([x[free], z[plain], weights])
    found = equations(at)
    multipliers, values = np.zeros(form.b.size), []
    multipliers[plain] = z[plain]
    for surface, weight in zip(surfaces, weights, strict=True):
        value, slope, _ = surface.at((form.b - A @ x)[surface.rows])
        multipliers[surface.rows] = -weight * slope
        values.append(value)
    np.testing.assert_allclose(found.z, multipliers)
    products = []
    for part, order in squares:
        S, Z = (matrix(v[part], order, layout) for v in (form.b - A @ x, multipliers))
        products.append(triangle((S @ Z + Z @ S) / 2, layout))
    left = (form.c + P @ x + A.T @ multipliers)[free]
    missed = np.concatenate([left, (form.b - A @ x)[rows], *products, values])
    np.testing.assert_allclose(found.misses, missed, atol=1e-14)
    slopes = differences(lambda v: equations(v).misses, at)
    np.testing.assert_allclose(found.slopes, slopes, atol=1e-7)


def test_without_any_tight_rows_there_are_the_costs_alone():
    form, x, _ = several()
    tight = newton._Tight(np.zeros(0, int), [], [], np.arange(5), x, np.zeros(0))
    A, P, none = form.A.toarray(), form.P.toarray(), np.zeros(0, int)
    found = newton._equations(form, A, P, tight, none, x, np.zeros(0), np.zeros(0))
    np.testing.assert_allclose(found.misses, form.c + P @ x)
    np.testing.assert_allclose(found.slopes, P)


# Units, and what is tight.


def nearest_power(number):
    return 2.0 ** round(np.log2(number))


@pytest.mark.parametrize("seed", range(6))
def test_units_are_the_sizes_of_rows_columns_and_worth(seed):
    rng = np.random.default_rng(seed)
    form, x, z = several(seed=seed)
    A = np.abs(form.A.toarray()) * (rng.random((form.b.size, 5)) < 0.5)
    A[:, 4], A[1] = 0.0, 0.0
    b = np.where(np.arange(form.b.size) < 2, 0.0, form.b)
    x[[2, 4]] = 0.0
    units = newton.own_units(replace(form, A=sp.csc_array(A), b=b), x, z)
    sizes = [abs(b[i]) + sum(A[i] * abs(x)) for i in range(b.size)]
    for _, part, _ in newton._cones(form):
        sizes = [max(sizes[k] for k in part) if i in part else s for i, s in enumerate(sizes)]
    sizes = [size or 1.0 for size in sizes]
    assert units.rows.tolist() == [nearest_power(1.0 / size) for size in sizes]
    for j in range(5):
        room = min((sizes[i] / A[i, j] for i in range(b.size) if A[i, j]), default=1.0)
        assert units.columns[j] == nearest_power(abs(x[j]) or room)
    worth = sum(abs(form.c * x)) + sum(abs(b * z))
    assert units.cost == nearest_power(1.0 / worth)
    assert newton.own_units(form, 0 * x, 0 * z).cost == 1.0
    small = newton.own_units(replace(form, c=form.c * 2.0**-9), x, z * 2.0**-9).cost
    assert small == 2.0**9 * newton.own_units(form, x, z).cost
    none = replace(form, A=sp.csc_array((0, 5)), b=np.zeros(0), cones=Cones())
    assert newton.own_units(none, 0 * x, np.zeros(0)).columns.tolist() == [1.0] * 5


def test_units_end_at_the_five_hundredth_power():
    found = newton._power_of_two(np.array([1e-300, 1e300, 3.0, 0.7, 1.0]))
    assert found.tolist() == [2.0**-500, 2.0**500, 4.0, 0.5, 1.0]


PLACES = [
    ("soc", [2, 1, 0], [0.5, 0.5, 0], None, "inside"),  # 1 beside 1/2
    ("soc", [2, 1, 0], [1, -1, 0], None, "surface"),  # 1 beside 1
    ("soc", [2, 1, 0], [3, -3, 0], None, "surface"),
    ("soc", [0.1, 0.1, 0], [2, 0, 0], None, "tip"),  # 2 beside 1/10
    ("soc", [1, -2, 0], [2, 0, 1], None, "surface"),  # 1 beside 2
    ("soc", [1, -1, 0], [2, 0, 1], None, "surface"),  # 1 beside 1
    ("soc", [0, 0, 0], [1e-4, 0, 0], None, "tip"),
    ("soc", [0, 0, 0], [1e-6, 0, 0], None, "nowhere"),
    ("soc", [0, 0, 0], [1, 1, 0], None, "nowhere"),  # no gradient at nothing
    ("soc", [0, 0, 0], [0, 0, 0], None, "nowhere"),
    ("soc", [2, 2, 0], [0, 1, 0], None, "nowhere"),
    ("soc", [2, 2, 0], [-1, 1, 0], None, "nowhere"),
    ("exp", [0, 1, 3], [-1, -1, 1], None, "inside"),  # 2 beside 1
    ("exp", [0, 1, 2], [-1, -1, 1], None, "surface"),  # 1 beside 1
    ("exp", [1, 2, 3], [-1, -1, 1], None, "surface"),
    ("exp", [1, 2, 5], [-1, -1, 1], None, "inside"),  # 5 - 3.3 beside 1
    ("exp", [1, 2, 3.9], [-1, -1, 1], None, "surface"),
    ("exp", [0, 1, 1], [-1, -1, 0], None, "nowhere"),
    ("exp", [0, 1, 1], [-1, -1, -1], None, "nowhere"),
    ("exp", [-1, 0, 1], [0, 0, 1], None, "nowhere"),
    ("exp", [-1, -1, 1], [0, 0, 1], None, "nowhere"),
    ("power", [4, 1, 0.5], [1, 1, -1], [0.5, 0.5], "inside"),  # 2 - 1/2 beside 1
    ("power", [4, 1, 1], [1, 1, -1], [0.5, 0.5], "surface"),  # 2 - 1 beside 1
    ("power", [4, 1, -1.5], [0, 0, 0], [0.5, 0.5], "inside"),
    ("power", [4, 1, -2], [1, 1, 1], [0.5, 0.5], "surface"),
    ("power", [4, 1, -2], [1, 1, 0], [0.5, 0.5], "nowhere"),
    ("power", [4, 1, 0], [3, 3, 1], [0.5, 0.5], "nowhere"),
    ("power", [4, 0, 1], [3, 3, 1], [0.5, 0.5], "nowhere"),
    ("power", [-4, -1, 1], [3, 3, 1], [0.5, 0.5], "nowhere"),
]


@pytest.mark.parametrize(("kind", "s", "u", "powers", "place"), PLACES)
def test_where_in_its_cone_a_slack_belongs(kind, s, u, powers, place):
    powers = None if powers is None else np.array(powers)
    assert newton._place(kind, np.array(s, float), np.array(u, float), powers) == place


def test_what_has_a_multiplier_larger_than_its_slack_is_tight():
    """The slack of each row is the column of its number; the last two columns stand alone."""
    cones = Cones(zero=1, nonneg=3, soc=(2, 3, 3), exp=1, power=((0.5, 0.5),), psd=(1,))
    s = [0.1, 0.5, 0.5, 0.5, 9, 1, 1, 0.6, -0.8, 0.1, 0, 0, 7, 1, 2, 2 * np.exp(0.5), 4, 1, -2]
    z = [0.0, 0.6, 0.5, 0.4, 1, 0, 0.5, 0, 0, 3, 0, 0, 2, 0, 0, 0.7, 0, 0, -0.3]
    s, z = np.array(s), np.array(z, float)
    # costs that the multipliers leave: 1/4 and -1/4 beside distances of 1/5 and of 3/10
    for c, P, ends, others in (
        ([0.25, -0.25], None, [0.8, 2.0], [20]),
        ([-0.25, 0.35], None, [1.0, 1.7], [19]),
        ([0.1, -0.35], 0.15, [0.8, 2.3], []),  # with P x: 1/4 and 1/10
    ):
        eye = np.eye(s.size, s.size + 2)
        cost = np.append(z, c)
        square = None if P is None else sp.csc_array(np.diag([0.0] * s.size + [P, 0.0]))
        lower = np.append(np.full(s.size, -np.inf), [0.8, 1.7])
        upper = np.append(np.full(s.size, np.inf), [1.3, 2.3])
        x = np.append(s, [1.0, 2.0])
        form = StandardForm(cost, 0.0, sp.csc_array(-eye), np.zeros(s.size), cones, square,
                            lower, upper)  # fmt: skip
        tight = newton._tight(form, x, z)
        assert tight is not None
        assert tight.rows.tolist() == [0, 1, 9, 10, 11]
        assert [surface.rows.tolist() for surface in tight.surfaces] == [
            [6, 7, 8], [13, 14, 15], [16, 17, 18]
        ]  # fmt: skip
        assert [surface.kind for surface in tight.surfaces] == ["soc", "exp", "power"]
        assert tight.weights.tolist() == [0.5, 0.7, 0.3]
        assert [(part.tolist(), order) for part, order in tight.squares] == [([12], 1)]
        assert (tight.x[-2:].tolist(), tight.free.tolist()) == (ends, [*range(19), *others])
    assert newton._tight(replace(form, b=-2.0 * np.eye(19)[14]), x, z) is None
    # Costs of just as much as the distance put no column to its end.
    far = np.append(np.zeros(19), [0.25, 0.25])
    equal = replace(form, c=np.append(z, [0.25, -0.25]), P=None, lower=x - 9 + 35 * far,
                    upper=x + 9 - 35 * far)  # fmt: skip
    tight = newton._tight(equal, x, z)
    assert (tight.x[-2:].tolist(), tight.free[-2:].tolist()) == ([1.0, 2.0], [19, 20])


# The whole of it.


def largest_eigenvalue(rng):
    """The least t with t I - M semidefinite: the largest eigenvalue, and its vector's square."""
    order = int(rng.integers(2, 4))
    M = rng.normal(size=(order, order))
    M = M + M.T
    values, vectors = np.linalg.eigh(M)
    A = sp.csc_array(-triangle(np.eye(order), "upper")[:, None])
    form = StandardForm(np.ones(1), 0.0, A, -triangle(M, "upper"), Cones(psd=(order,)))
    top = vectors[:, -1]
    return form, values[-1:], triangle(np.outer(top, top), "upper")


def mean(rng):
    """The largest x**a y**(1 - a) within a budget: shares as the powers are."""
    power, prices, budget = rng.uniform(0.2, 0.8), rng.uniform(0.5, 2.0, 2), rng.uniform(1.0, 3.0)
    A = np.vstack([np.append(prices, 0.0), -np.eye(3)])
    b, cones = np.append(budget, np.zeros(3)), Cones(nonneg=1, power=((power, 1.0 - power),))
    form = StandardForm(np.array([0.0, 0.0, -1.0]), 0.0, sp.csc_array(A), b, cones)
    shares = np.array([power, 1.0 - power])
    x = budget * shares / prices
    value = np.prod(x**shares)
    return form, np.append(x, value), np.concatenate([[value / budget], value * shares / x, [-1.0]])


def tip(rng):
    """The least distance to a point that may be reached: nothing, at the tip of the cone."""
    size = int(rng.integers(2, 4))
    center = rng.normal(size=size)
    A = -np.eye(size + 1)
    c = np.append(1.0, 0.3 * rng.uniform(-1.0, 1.0, size) / np.sqrt(size))
    form = StandardForm(c, 0.0, sp.csc_array(A), np.append(0.0, -center), Cones(soc=(size + 1,)))
    return form, np.append(0.0, center), c


@pytest.mark.parametrize("family", [largest_eigenvalue, mean, tip])
@pytest.mark.parametrize("seed", range(5))
def test_all_digits_come_back_from_other_cones(family, seed):
    rng = np.random.default_rng(seed)
    form, x, z = family(rng)
    near = x + 1e-6 * rng.normal(size=x.size), z + 1e-6 * rng.normal(size=z.size)
    found = sharpened(form, *near)
    assert found is not None
    np.testing.assert_allclose(found[0], x, atol=1e-14)
    np.testing.assert_allclose(found[1], z, atol=1e-13)


def test_zeros_are_zeros_and_bounds_are_kept():
    """The nearest point of a disk's edge in a direction of which a column has no part."""
    form, x, _ = ball(np.random.default_rng(5))
    cost = np.zeros(x.size)
    cost[0] = -2.0
    center = np.zeros(x.size)
    center[1:] = 0.0
    form = replace(form, c=cost, b=np.append(1.0, -center), lower=np.full(x.size, -0.5),
                   upper=np.full(x.size, 2.0))  # fmt: skip
    best = np.append(1.0, np.zeros(x.size - 1))
    near = best + 1e-7, np.concatenate([[2.0, -2.0], np.zeros(x.size - 1)]) + 1e-7
    found = sharpened(form, *near)
    assert found[0].tolist() == best.tolist()


@pytest.mark.parametrize("size", [124, 125])
def test_more_equations_than_fit_are_left(size):
    """A column and a row for each, and one row more for the cone's head: 249 and 251."""
    A = sp.csc_array(np.vstack([np.zeros(size), -np.eye(size)]))
    cost = np.append(-1.0, np.zeros(size - 1))
    form = StandardForm(cost, 0.0, A, np.append(1.0, np.zeros(size)), Cones(soc=(size + 1,)))
    z = np.append(1.0, cost)
    assert (sharpened(form, -cost, z) is None) == (size == 125)
    row = np.zeros((1, size))
    wider = replace(form, A=sp.csc_array(np.vstack([row, A.toarray()])), b=np.append(1.0, form.b),
                    cones=Cones(nonneg=1, soc=(size + 1,)))  # fmt: skip
    assert (sharpened(wider, -cost, np.append(0.0, z)) is None) == (size == 125)  # 250 just fit


def test_what_is_no_number_is_left():
    for family in (ball, squares, largest_eigenvalue):
        form, x, z = family(np.random.default_rng(1))
        assert sharpened(form, x + np.nan, z) is None
        assert sharpened(form, x + np.inf, z) is None
        assert sharpened(form, x, z + np.nan) is None
        assert sharpened(form, x, z + np.inf) is None
