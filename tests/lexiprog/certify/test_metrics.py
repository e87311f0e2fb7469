"""Local metrics of the dual cones, and steps towards their inside: worked by hand."""

import numpy as np
import pytest
import scipy.sparse as sp

from lexiprog.canon.compensated import Sums
from lexiprog.canon.cones import matrix, triangle
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify import bound
from lexiprog.certify.terms import TermSizes


def cone(cones, z):
    """A form of nothing but the rows of some cones, with terms at some multipliers."""
    rows = z.size
    form = StandardForm(np.zeros(rows), 0.0, -sp.csc_array(np.eye(rows)), np.zeros(rows), cones)
    return TermSizes(form, z, z)


@pytest.mark.parametrize(
    ("z", "mate", "square"),
    [
        # 2 z z' - (4 p q - r**2) [[0, 1/2, 0], [1/2, 0, 0], [0, 0, -1]], of 24 - 16
        ([2, 3, 4], 1, [[8, 8, 16], [8, 18, 24], [16, 24, 40]]),
        ([2, 4, 3], 2, [[8, 16, 8], [16, 40, 24], [8, 24, 18]]),
        # 4 - 1 - 1
        ([1, 1, 1, 1], 1, [[2, 1, 2, 2], [1, 2, 2, 2], [2, 2, 4, 2], [2, 2, 2, 4]]),
        # Outside there is no distance to the surface: 2 z z'
        ([1, 1, 4], 1, [[2, 2, 8], [2, 2, 8], [8, 8, 32]]),
        ([0, 1, 0], 1, [[0, 0, 0], [0, 2, 0], [0, 0, 0]]),
        ([3, 5], 1, [[18, 0], [0, 50]]),  # 30 - 60 / 2
        ([-3], 0, [[9]]),
    ],
)
def test_the_metric_of_a_second_order_cone(z, mate, square):
    root = bound._root_of_pair(np.array(z, float), mate)
    np.testing.assert_allclose(root @ root.T, square, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("layout", ["upper", "lower", "full"])
def test_the_metric_of_matrices_is_their_root_on_both_sides(layout):
    z = triangle(np.array([[4.0, 0.0], [0.0, 9.0]]), layout)
    root = bound._root_semidefinite(z, 2, layout)
    step = np.array([[1.0, 2.0], [2.0, 3.0]])
    found = matrix(root @ triangle(step, layout), 2, layout)
    np.testing.assert_allclose(found, [[4, 12], [12, 27]], rtol=1e-14)
    turned = np.array([[13.0, 5.0], [5.0, 13.0]]) / 2  # of the values 4 and 9 along (1, -1), (1, 1)
    root = bound._root_semidefinite(triangle(turned, layout), 2, layout)
    found = matrix(root @ triangle(np.ones((2, 2)), layout), 2, layout)
    np.testing.assert_allclose(found, [[9, 9], [9, 9]], rtol=1e-14)
    below = bound._root_semidefinite(triangle(np.diag([-4.0, 9.0]), layout), 2, layout)
    found = matrix(below @ triangle(step, layout), 2, layout)
    np.testing.assert_allclose(found, [[0, 0], [0, 27]], atol=1e-14)


def test_each_cone_has_its_metric_in_its_place():
    z = np.array([7, 5, 2, 3, 4, 4, 0, 9, -1, 2, 3, 6, 5, -4], float)
    cones = Cones(nonneg=1, soc=(1, 3), psd=(2,), exp=1, power=((0.5, 0.5),))
    roots = bound._roots(cone(cones, z), z)
    assert [len(root) for root in roots] == [1, 3, 3, 3, 3]
    assert roots[0].tolist() == [[5.0]]
    at = bound._root_of_pair(z[2:5], cone(cones, z).frame.mates[0] - 2)
    np.testing.assert_array_equal(roots[1], at)
    np.testing.assert_allclose(np.diag(roots[2]), [4, 6, 9])
    assert roots[3].tolist() == np.diag([1.0, 2, 3]).tolist()
    assert roots[4].tolist() == np.diag([6.0, 5, 4]).tolist()


def test_multipliers_are_moved_inwards_by_a_share_of_themselves():
    cones = Cones(zero=1, nonneg=1, soc=(1, 3), psd=(2,), exp=2, power=((0.5, 0.5),))
    z = np.array([1, 2, 3, 2, 3, 4, 4, 1, 9, -1, 2, 3, -5, -6, 7, 6, 5, -4], float)
    before = z.copy()
    terms = cone(cones, z)
    assert terms.frame.mates.tolist() == [5]
    moved = bound.inwards(terms, z, 0.25)
    wanted = [1, 2, 3, 2.5, 3, 5, 5, 1, 11.25, -1, 2.25, 3.75, -5, -4.75, 8.75, 7.5, 6.25, -4]
    assert moved == pytest.approx(wanted, rel=1e-15)
    np.testing.assert_array_equal(z, before)


def test_a_square_of_its_own_holds_a_column_near_the_point():
    """r (y - x) + p / 2 (y - x)**2 is at least -r**2 / 2p; also beside an error of the cost r."""
    P = sp.csc_array(np.array([[2.0, 0, 0, 0], [0, 4, 1, 0], [0, 1, 4, 0], [0, 0, 0, 0]]))
    form = StandardForm(np.zeros(4), 0.0, sp.csc_array((0, 4)), np.zeros(0), Cones(), P)
    reduced = Sums(np.array([3.0, 1, 1, 1]), np.zeros(4), np.array([0.5, 0, 0, 0]))
    x = np.array([5.0, 1, 1, 1])
    everything = np.ones(4, dtype=bool)
    charges, strong = bound._bend(form, x, reduced, everything)
    assert strong.tolist() == [True, False, False, False]
    # 15 +- 2.5, less 3.5**2 / 4
    assert charges.lower[0] == pytest.approx(15 - 2.5 - 3.0625, rel=1e-5)
    assert charges.lower[0] <= 15 - 2.5 - 3.0625
    assert not bound._bend(form, x, reduced, ~everything)[1].any()
    falling = Sums(np.array([-3.0, 1, 1, 1]), np.zeros(4), np.array([0.5, 0, 0, 0]))
    assert bound._bend(form, x, falling, everything)[0].lower[0] == pytest.approx(
        -15 - 2.5 - 3.0625
    )
    plain = StandardForm(np.zeros(4), 0.0, sp.csc_array((0, 4)), np.zeros(0), Cones())
    charges, strong = bound._bend(plain, x, reduced, everything)
    assert (strong.tolist(), charges.high[1:].tolist()) == ([False] * 4, [1, 1, 1])


def test_sums_are_put_together_and_what_is_no_number_bounds_nothing():
    one, other = (
        Sums(*(np.array([k, k + 1.0]) for k in range(start, start + 3))) for start in (1, 7)
    )
    mixed = bound._where(np.array([True, False]), one, other)
    assert [part.tolist() for part in (mixed.high, mixed.low, mixed.error)] == [
        [1, 8], [2, 9], [3, 10]
    ]  # fmt: skip
    assert bound._lower(Sums.of(np.array([1.0, 2.0])), Sums.of(np.array([-5.0]))) == -2.0
    with np.errstate(invalid="ignore"):
        assert bound._lower(Sums.of(np.array([np.nan]))) == -np.inf


def test_the_metric_weighs_rows_by_their_multipliers_and_equations_by_the_worth_of_all():
    """Two equations, an inequality and an exponential triple: worth of 2 + 3 + 8 + 10 + ..."""
    A = sp.csc_array(np.vstack([[4.0, 0], [0, 0], [1, 1], np.zeros((3, 2))]))
    form = StandardForm(np.array([2.0, -3.0]), 0.0, A, np.array([4.0, 0, 5, 0, 0, 0]),
                        Cones(zero=2, nonneg=1, exp=1))  # fmt: skip
    x, z = np.array([1.0, -1.0]), np.array([-2.0, -6.0, 2.0, -1.0, 2.0, 3.0])
    terms = TermSizes(form, x, z)
    assert bound._worth(form, x, z) == 2 + 3 + 8 + 10
    metric = bound._metric(terms, x, z, terms.row_sizes(x)).toarray()
    # 23 over terms of 8; an equation without terms has its multiplier's own size.
    inner = bound.inwards(terms, z, 1e-2)[3:]
    np.testing.assert_allclose(metric, np.diag([23 / 8, 6, 2, *np.abs(inner)]))
    large = bound._metric(terms, x, np.array([-60.0, 0, 2, -1, 2, 3]), terms.row_sizes(x))
    assert large.toarray()[0, 0] == 60.0 >= (5 + 240 + 10) / 8
    rowless = StandardForm(np.ones(1), 0.0, sp.csc_array((0, 1)), np.zeros(0), Cones())
    none = TermSizes(rowless, np.ones(1), np.zeros(0))
    assert bound._metric(none, np.ones(1), np.zeros(0), np.zeros(0)).shape == (0, 0)
    conic = cone(Cones(exp=1), np.array([-1.0, 2.0, 3.0]))
    alone = bound._metric(conic, np.ones(3), np.array([-1.0, 2, 3]), np.ones(3))
    np.testing.assert_allclose(alone.toarray(), np.diag([1.0, 2.01, 3.03]))


def test_the_objective_is_a_row_up_to_half_its_terms_above_the_point():
    """Least x + 2y + 5 with x of at least 0 at (1, 1): 3 + 3/2 are left, so y is at most 9/4."""
    form = StandardForm(np.array([1.0, 2.0]), 5.0, sp.csc_array((0, 2)), np.zeros(0), Cones(), None,
                        np.array([0.0, -np.inf]))  # fmt: skip
    x, stated = np.ones(2), form.ranges()
    rising = Sums.of(np.array([0.0, -1.0]))
    unknown = np.array([False, True])
    (lower, upper), ceiling = bound._implied(form, x, rising, unknown, stated)
    assert ceiling == 9.5
    assert upper[1] == pytest.approx(2.25, rel=1e-14)
    assert (lower[1], upper[0]) == (-np.inf, np.inf)
    free = StandardForm(np.zeros(2), 5.0, form.A, form.b, Cones(), None, form.lower)
    assert bound._implied(free, x, rising, unknown, stated)[1] == np.inf
    curved = StandardForm(form.c, 5.0, form.A, form.b, Cones(), sp.csc_array(np.eye(2)), form.lower)
    (_, upper), ceiling = bound._implied(curved, x, rising, unknown, stated)
    assert (upper[1], ceiling) == (np.inf, np.inf)
