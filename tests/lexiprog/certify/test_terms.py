"""What measures are made of, beside the same in plain loops over dense numbers."""

from dataclasses import replace
from decimal import Decimal, getcontext
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from lexiprog.canon.cones import matrix, triangle
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify import terms as module
from lexiprog.certify.terms import (
    Frame,
    TermSizes,
    into_dual,
    least,
    misses,
    ratio,
    root_of_squares,
    touched_rows,
)
from lexiprog.tolerances import EPS

INF, NAN = np.inf, np.nan
getcontext().prec = 50


def cone(cones, rows, layout="upper"):
    """A form of nothing but the rows of a cone, their slack the point itself."""
    eye = -sp.csc_array(np.eye(rows))
    return StandardForm(np.zeros(rows), 0.0, eye, np.zeros(rows), replace(cones, psd_layout=layout))


def mixed(seed, **more):
    """A form with two linear rows of each kind and second-order cones of several sizes."""
    rng = np.random.default_rng(seed)
    cones = Cones(zero=2, nonneg=2, soc=(1, 4, 2, 3))
    A = rng.integers(-4, 5, (14, 5)) * (rng.random((14, 5)) < 0.7)
    c, b = rng.integers(-5, 6, 5).astype(float), rng.integers(-5, 6, 14).astype(float)
    root = rng.integers(-2, 3, (5, 5))
    return StandardForm(**{
        "c": c, "offset": -3.0, "A": sp.csc_array(A.astype(float)), "b": b, "cones": cones,
        "P": sp.csc_array((root @ root.T).astype(float)),
        "lower": np.array([-INF, -2.0, 0.0, -INF, -1.0]),
        "upper": np.array([INF, 1.0, INF, 0.0, -1.0]), **more,
    })  # fmt: skip


CONES = {4: 1, 5: 4, 9: 2, 11: 3}  # where the cones of `mixed` begin, and their sizes


def test_a_ratio_of_nothing_is_nothing_and_over_nothing_is_infinite():
    part = np.array([0.0, 1.0, 2.0, NAN, 3.0, NAN, 1.0, 0.0])
    whole = np.array([0.0, 0.0, 4.0, 1.0, 0.5, NAN, NAN, 2.0])
    assert ratio(part, whole).tolist() == [0.0, INF, 0.5, INF, 6.0, INF, INF, 0.0]


def test_norms_of_pieces_neither_overflow_nor_vanish():
    parts = np.array([3e200, 4e200, 0.0, 0.0, 3e-200, 4e-200, 7.0])
    assert root_of_squares(parts, np.array([0, 2, 4, 6])) == pytest.approx([5e200, 0, 5e-200, 7])
    assert root_of_squares(np.zeros(0), np.zeros(0, int)).tolist() == []


# The frame: cones as products of two rows.


def largest(s, z, head, size):
    """The entry of a cone that is the largest share of the slack's and the multipliers' largest."""

    def share(vector, k):
        top = max(abs(v) for v in vector[head + 1 : head + size])
        return abs(vector[k]) / top if top else 0.0

    return max(range(head + 1, head + size), key=lambda k: (share(s, k) + share(z, k), -k))


@pytest.mark.parametrize("seed", range(12))
def test_a_frame_adds_each_cones_first_and_largest_rows(seed):
    form, rng = mixed(seed), np.random.default_rng(seed)
    x, z = rng.integers(-3, 4, 5).astype(float), rng.integers(-300, 301, 14) * 2.0**-9
    z[9:11] *= seed % 2
    frame = Frame(form, x, z)
    tops = [head for head, size in CONES.items() if size > 1]
    mates = [largest(form.slack(x), z, head, CONES[head]) for head in tops]
    assert (frame.tops.tolist(), frame.mates.tolist()) == (tops, mates)
    assert np.arange(4, 14)[frame.paired].tolist() == sorted([4, *tops, *mates])
    A, b = form.A.toarray(), form.b.copy()
    for top, mate in zip(tops, mates, strict=True):
        A[[top, mate]] = A[top] + A[mate], A[top] - A[mate]
        b[[top, mate]] = b[top] + b[mate], b[top] - b[mate]
    np.testing.assert_array_equal(frame.form.A.toarray(), A)
    np.testing.assert_array_equal(frame.form.b, b)
    assert frame.form.A.nnz == np.count_nonzero(A)
    rest = [
        np.sqrt(sum(z[k] ** 2 for k in range(top + 1, top + CONES[top]) if k != mate))
        for top, mate in zip(tops, mates, strict=True)
    ]
    assert frame.rest(z) == pytest.approx(rest, rel=1e-14)
    entered = frame.enter(z)
    np.testing.assert_allclose(A.T @ entered, form.A.T @ z, rtol=0, atol=1e-12)
    np.testing.assert_allclose(frame.leave(entered), z, rtol=0, atol=1e-15)


def test_of_equal_entries_the_first_is_the_mate_and_small_numbers_count_by_their_shares():
    form = cone(Cones(soc=(3,)), 3)
    assert Frame(form, np.array([5.0, 2.0, 2.0]), np.zeros(3)).mates.tolist() == [1]
    assert Frame(form, np.zeros(3), np.zeros(3)).mates.tolist() == [1]
    # 1/2 + 1 beside 1 + 0: shares of 2e-3 and of 5, not of the first entries 1 and 100.
    x, z = np.array([1.0, 1e-3, 2e-3]), np.array([100.0, 5.0, 0.0])
    assert Frame(form, x, z).mates.tolist() == [1]
    # 3/4 + 1/2 beside 1 + 0
    assert Frame(form, np.array([9.0, 3e-3, 4e-3]), np.array([9.0, 2, 0])).mates.tolist() == [1]
    assert Frame(form, np.array([0.0, 3.0, 4.0]), np.array([9.0, 0.0, 2])).mates.tolist() == [2]


def test_a_form_without_cones_of_two_rows_is_its_own_frame():
    form, z = cone(Cones(nonneg=1, soc=(1,)), 2), np.array([3.0, -2.0])
    frame = Frame(form, z, z)
    assert frame.form is form
    assert frame.enter(z) is z
    assert frame.leave(z) is z
    assert z[frame.tops].size == z[frame.mates].size == 0
    assert TermSizes(form, z, z).measure(z, z).cones == pytest.approx(1.0, rel=0.01)
    none = cone(Cones(nonneg=2), 2)
    frame = Frame(none, z, z)
    assert z[frame.heads].size == z[frame.tops].size == z[frame.mates].size == 0
    np.testing.assert_array_equal(into_dual(TermSizes(form, z, z), z, np.ones(2)), [3.0, 0.0])


@pytest.mark.parametrize(
    ("first", "last", "rest", "top", "mate"),
    [
        (1.0, -1.0, 1e-8, 0.25e-16, 1.0),  # all that cancelled is what the surface asks for
        (1.0, 1.0, 1e-8, 1.0, 0.25e-16),
        (1.0, -1.0 + 2.0**-47, 1e-8, 0.25e-16, 1.0 - 2.0**-48),  # 16 roundings of 2 are 7.1e-15
        (1.0, 1.0 - 2.0**-47, 1e-8, 1.0 - 2.0**-48, 0.25e-16),
        (1.0 - 2.0**-47, 2.0**-47 - 1.0, 0.0, 0.0, 1.0 - 2.0**-47),
        (1.0 + 2.0**-47, 1.0 - 2.0**-47, 0.0, 1.0, 0.0),  # just 16 roundings of 2
        (1.0, -1.0 + 2.0**-44, 1e-8, 2.0**-45, 1.0 - 2.0**-45),  # 2.8e-14 is no rounding
        (1.0, 1.0 - 2.0**-44, 1e-8, 1.0 - 2.0**-45, 2.0**-45),
        (2.0, 0.0, 2.0 + 3 * 2.0**-49, 1.0, 1.0),  # neither is the smaller half
        (4.0, -4.0, 1e-8, 0.0625e-16, 4.0),
        (1.0, -1.0 + 2.0**-47, np.sqrt(2e-14), 5e-15, 1.0 - 2.0**-48),  # it was 3.6e-15
        (0.0, 0.0, 0.0, 0.0, 0.0),
        (4.0, 0.0, 8.0, 2.0, 2.0),
    ],
)
def test_the_half_that_cancelled_is_put_on_the_surface(first, last, rest, top, mate):
    form = cone(Cones(soc=(3,)), 3)
    frame = Frame(form, np.array([9.0, 9.0, 1.0]), np.zeros(3))
    z = np.array([first, last, rest])
    entered = frame.enter(z)
    assert entered[:2] == pytest.approx([top, mate], rel=4e-15, abs=0.0)
    assert (entered[2], z.tolist()) == (rest, [first, last, rest])


# Sizes of terms.


def raised(terms, z):
    """Sizes of multipliers, those beside a pair at least twice its geometric mean."""
    out = np.abs(z)
    for top, mate in zip(terms.frame.tops, terms.frame.mates, strict=True):
        for k in range(top + 1, top + CONES[top]):
            if k != mate:
                out[k] = max(out[k], 2.0 * np.sqrt(abs(z[top] * z[mate])))
    return out


@pytest.mark.parametrize("seed", range(8))
def test_sizes_are_sums_of_sizes(seed):
    rng = np.random.default_rng(seed)
    form = mixed(seed, P=None) if seed == 1 else mixed(seed)
    form.A.data[:3] = 0.0
    x, z = rng.integers(-3, 4, 5).astype(float), rng.integers(-3, 4, 14).astype(float)
    terms = TermSizes(form, x, z)
    A = np.abs(terms.form.A.toarray())
    P = np.zeros((5, 5)) if form.P is None else np.abs(form.P.toarray())
    before = None if form.P is None else form.P.toarray()
    np.testing.assert_allclose(terms.row_sizes(x), A @ np.abs(x) + np.abs(terms.form.b))
    np.testing.assert_allclose(terms.natural(z), raised(terms, z))
    np.testing.assert_allclose(terms.curvature_sizes(x) + np.zeros(5), P @ np.abs(x))
    sizes = np.abs(form.c) + P @ np.abs(x) + A.T @ raised(terms, z)
    np.testing.assert_allclose(terms.column_sizes(x, z), sizes)
    if before is not None:
        np.testing.assert_array_equal(form.P.toarray(), before)
    assert (terms.lower is form.lower, terms.given is form) == (True, True)


def test_a_form_without_entries_has_the_sizes_of_its_costs():
    form = StandardForm(np.array([-3.0, 2.0]), 0.0, sp.csc_array((1, 2)), np.ones(1),
                        Cones(nonneg=1))  # fmt: skip
    terms = TermSizes(form, np.ones(2), np.ones(1))
    assert terms.column_sizes(np.ones(2), np.ones(1)).tolist() == [3.0, 2.0]
    assert terms.row_sizes(np.ones(2)).tolist() == [1.0]
    form = replace(form, c=np.arange(4.0), A=sp.csc_array([[2.0, 0.0, -3.0, 0.0]]))
    terms = TermSizes(form, np.ones(4), np.ones(1))
    assert terms.column_sizes(np.ones(4), -np.ones(1)).tolist() == [2.0, 1.0, 5.0, 3.0]


@pytest.mark.parametrize("layout", ["upper", "lower", "full"])
def test_entries_of_a_matrix_are_as_large_as_its_diagonal_lets_them_be(layout):
    square = np.array([[4.0, 1.0, -9.0], [1.0, 1.0, 0.5], [-9.0, 0.5, 16.0]])
    most = np.array([[4.0, 2.0, 9.0], [2.0, 1.0, 4.0], [9.0, 4.0, 16.0]])
    z = triangle(square, layout)
    form = cone(Cones(psd=(3,)), z.size, layout)
    natural = TermSizes(form, z, z).natural(z)
    np.testing.assert_allclose(natural, triangle(most, layout))


# The measures of a point and multipliers.


def by_hand(form, x, z, terms):
    """Rows, columns, slackness, value, size and effect; ``z`` as it is in the frame."""
    A, b, n, m = terms.form.A.toarray(), terms.form.b, 5, 14
    P = form.P.toarray()
    slack = [b[i] - A[i] @ x for i in range(m)]
    sizes = [abs(b[i]) + sum(abs(A[i] * x)) for i in range(m)]
    out = [abs(slack[i]) if i < 2 else max(-slack[i], 0.0) for i in range(4)]
    rows = [o / t if o else 0.0 for o, t in zip(out, sizes[:4], strict=True)]
    natural, columns, charges = raised(terms, z), [0.0], 0.0
    for j in range(n):
        for past, end in (
            (form.lower[j] - x[j], form.lower[j]),
            (x[j] - form.upper[j], form.upper[j]),
        ):
            if past > 0.0:
                rows.append(past / (abs(x[j]) + abs(end)))
        reduced = form.c[j] + P[j] @ x + A[:, j] @ z
        around = abs(form.c[j]) + sum(abs(P[j] * x)) + sum(abs(A[:, j]) * natural)
        end = form.lower[j] if reduced > 0.0 else form.upper[j]
        if abs(reduced) <= 4 * EPS * around:
            continue
        if np.isfinite(end):
            charges += abs(reduced * (x[j] - end))
        else:
            columns.append(abs(reduced) / around)
    charges += sum(abs(z[i] * slack[i]) for i in range(4))
    for head, size in CONES.items():
        charges += abs(sum(z[i] * slack[i] for i in range(head, head + size)))
    value = 0.5 * x @ P @ x + form.c @ x + form.offset
    size = sum(abs(form.c * x)) + sum(abs(b * z)) + abs(form.offset)
    size += sum(abs(x[i] * P[i, j] * x[j]) for i in range(n) for j in range(n))
    effect = sum(abs(z[i]) * out[i] for i in range(4))
    return max(rows), max(columns), charges / size, value, size, effect


@pytest.mark.parametrize("seed", range(25))
def test_measures_are_those_of_plain_loops(seed):
    form, rng = mixed(seed), np.random.default_rng(seed)
    x = rng.integers(-3, 4, 5) * (1.0 if seed % 3 else 0.5)
    z = rng.integers(-3, 4, 14).astype(float)
    terms = TermSizes(form, x, z)
    near = terms.measure(x, z)
    found = near.rows, near.columns, near.slackness, near.value, near.size, near.effect
    assert found == pytest.approx(by_hand(form, x, near.z, terms), rel=1e-12, abs=1e-14)
    assert near.worst == max(near.rows, near.columns, near.slackness, near.cones)


def test_a_column_whose_reduced_cost_is_rounding_is_not_charged_for_its_distance():
    """What is left of 1 - z is nothing beside these terms, however far the end."""
    A, b = sp.csc_array([[-1.0, -1.0]]), np.array([-2.0])
    form = StandardForm(np.ones(2), 0.0, A, b, Cones(zero=1), None, np.array([-1e9, 0.0]),
                        np.full(2, 2e9))  # fmt: skip
    for off, charged in ((2.0**-51, 0.0), (-(2.0**-51), 0.0), (2.0**-48, 2.0**-48)):
        z = 1.0 + off
        near = TermSizes(form, np.ones(2), np.ones(1)).measure(np.ones(2), np.array([z]))
        width = 2.0 * (2e9 - 1.0)  # to the upper ends, since the costs fall below nothing
        assert near.slackness == pytest.approx(charged * width / 4.0, rel=1e-6)
        free = replace(form, lower=None, upper=None)
        exact = replace(form, c=np.full(2, 1.0 + 2.0**-50))  # 8 roundings of 2
        near = TermSizes(exact, np.ones(2), np.ones(1)).measure(np.ones(2), np.array([1 - 2**-50]))
        assert near.slackness == 0.0
        near = TermSizes(free, np.ones(2), np.ones(1)).measure(np.ones(2), np.array([z]))
        assert near.columns == pytest.approx(abs(z - 1.0) / (1.0 + z), rel=1e-9)


def test_what_is_no_number_is_infinitely_far():
    form = mixed(1)
    x, z = np.zeros(5), np.zeros(14)
    near = TermSizes(form, x, z).measure(np.array([NAN, 0, 0, 0, 0]), z)
    assert (near.rows, near.cones) == (INF, INF)
    boxed = StandardForm(np.ones(1), 0.0, sp.csc_array((0, 1)), np.zeros(0), Cones(),
                         lower=np.zeros(1), upper=np.ones(1))  # fmt: skip
    assert (
        TermSizes(boxed, np.ones(1), np.zeros(0)).measure(np.array([NAN]), np.zeros(0)).rows == INF
    )
    sized = TermSizes(form, x, z).measure(x, np.full(14, NAN))
    assert (sized.columns, sized.slackness) == (INF, INF)


@pytest.mark.parametrize(
    ("cones", "z", "x", "charges"),
    [
        (Cones(exp=2), [-1, -1, 1, -2, 0, 3], [3, 1, 2, 2, 7, 2], 2 + 2),
        (Cones(power=((0.5, 0.5), (0.5, 0.5))), [1, 4, 2, 1, 1, 2], [1, 0, -2, 0, 2, 1], 3 + 4),
        (Cones(psd=(2, 1)), [2, 0, 5, 3], [1, 9, -1, 2], 3 + 6),
        (Cones(nonneg=2, psd=(1, 1)), [1, 1, 2, 1], [1, -1, 3, -3], 2 + 6 + 3),
    ],
)  # fmt: skip
def test_each_cone_is_charged_for_alone(cones, z, x, charges):
    """The slack of each row is the point itself."""
    x, z = np.array(x, float), np.array(z, float)
    form = cone(cones, z.size)
    form = replace(form, c=np.ones(z.size))
    near = TermSizes(form, x, z).measure(x, z)
    np.testing.assert_allclose(near.z, z)
    # Reduced costs are balanced by nothing, but no column has an end: only cones charge.
    assert near.slackness == pytest.approx(charges / np.abs(x).sum(), rel=1e-12)


# Points: by how much of their terms slacks are outside their cones.


@pytest.mark.parametrize(("rows", "asked"), [(5, 3), (400, 4), (5000, 14)])
def test_the_least_share_is_found_to_a_hundredth_of_itself_in_few_looks(rows, asked):
    ends, looks = np.array([0.0, 1e-12, 1e-3, 3.9, 4.1]), []

    def inside(d):
        looks.append(d)
        return d >= ends

    found = least(inside, 5, rows)
    assert found == pytest.approx([0.0, 1e-12, 1e-3, 3.9, INF], rel=0.01)
    assert len(looks) == asked
    tiny = least(lambda d: d > 0.0, 2, rows)
    assert tiny == pytest.approx(np.exp([-40.0, -40.0]), rel=0.01)
    assert least(lambda d: d >= 0.0, 2, rows).tolist() == [0.0, 0.0]
    assert (found >= ends).all()


def test_the_least_share_is_the_same_however_many_halves_are_taken_at_once():
    ends = np.exp(np.random.default_rng(0).uniform(-42.0, 2.0, 300))
    few, many = (least(lambda d: d >= ends, ends.size, rows) for rows in (1, 10_000))
    np.testing.assert_allclose(few, many, rtol=1e-12)


def smallest(inside):
    """The same for one cone, by halving; 0 if it is inside at once."""
    if inside(0.0):
        return 0.0
    low, high = 0.0, 4.0
    if not inside(high):
        return INF
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if inside(middle) else (middle, high)
    return high


def outside(form, s, t):
    """The measure of a slack beside its terms: those of ``|x| + |b|`` with x + b = s."""
    # Rows -x with b = (t + s) / 2 and x = (s - t) / 2, where t >= |s|.
    b, x = 0.5 * (t + s), 0.5 * (s - t)
    return TermSizes(replace(form, b=b), x, np.zeros(s.size)).measure(x, np.zeros(s.size)).cones


@pytest.mark.parametrize("seed", range(12))
def test_pairs_are_met_by_the_least_share_of_their_terms(seed):
    rng = np.random.default_rng(seed)
    form = cone(Cones(nonneg=1, soc=(1, 3, 2)), 7)
    frame = Frame(form, np.array([0, 0, 9, 1, 0, 9, 0.0]), np.zeros(7))
    assert frame.mates.tolist() == [3, 6]
    s, t = rng.integers(-3, 4, 6).astype(float), rng.integers(1, 4, 6) * 0.5
    s[1:3] = np.abs(s[1:3]) if seed % 3 else 0.0
    s[3] *= seed % 2 + 1

    def inside(d):
        return (s[1] + d * t[1]) * (s[2] + d * t[2]) >= max(abs(s[3]) - d * t[3], 0.0) ** 2

    wanted = [
        smallest(lambda d: s[0] + d * t[0] >= 0.0),
        smallest(lambda d: min(s[1] + d * t[1], s[2] + d * t[2]) >= 0.0 and inside(d)),
        smallest(lambda d: min(s[4] + d * t[4], s[5] + d * t[5]) >= 0.0),
    ]
    assert module._outside_pairs(frame, s, t) == pytest.approx(wanted, rel=0.01, abs=0.0)


@pytest.mark.parametrize("seed", range(12))
def test_second_order_cones_are_met_by_the_least_share_of_their_terms(seed):
    rng = np.random.default_rng(seed)
    form, found = cone(Cones(nonneg=1, soc=(1, 4, 2, 3)), 11), []
    s = np.round(rng.normal(size=11), 2) * 10.0 ** -rng.integers(0, 3, 11)
    s[[1, 2, 6, 8]] = np.abs(s[[1, 2, 6, 8]]) * rng.choice([-1, 1, 3], 4)
    t = np.abs(s) * rng.uniform(1.0, 4.0, 11)
    b, x = 0.5 * (t + s), 0.5 * (s - t)
    terms = TermSizes(replace(form, b=b), x, np.zeros(11))
    s, t = terms.form.slack(x), terms.row_sizes(x)
    pairs = dict(zip(terms.frame.tops.tolist(), terms.frame.mates.tolist(), strict=True))
    for head, size in {1: 1, 2: 4, 6: 2, 8: 3}.items():
        mate = pairs.get(head, head)

        def inside(d, head=head, mate=mate, size=size):
            others = [k for k in range(head + 1, head + size) if k != mate]
            rest = sum(max(abs(s[k]) - d * t[k], 0.0) ** 2 for k in others)
            p, q = s[head] + d * t[head], s[mate] + d * t[mate]
            return p >= 0.0 and q >= 0.0 and p * q >= rest

        found.append(smallest(inside))
    assert terms.measure(x, np.zeros(11)).cones == pytest.approx(max(found), rel=0.01)


@pytest.mark.parametrize("layout", ["upper", "full"])
@pytest.mark.parametrize(
    ("square", "sizes", "share"),
    [
        ([[1, 0], [0, -1e-3]], [[4, 0], [0, 1]], 1e-3),
        ([[1, 0], [0, -1e-3]], [[1, 0], [0, 4]], 2.5e-4),
        ([[0, 2e-3], [2e-3, 0]], [[1, 1], [1, 1]], 1e-3),  # 0 + d >= 2e-3 - d
        ([[0, 2e-3], [2e-3, 0]], [[4, 2], [2, 1]], 5e-4),  # 2 d on the mean of the diagonal
        ([[0, 2e-3], [2e-3, 0]], [[1, 2e-3], [2e-3, 1]], 2e-3 / 1.002),
        ([[1, 0.5], [0.5, 1]], [[1, 1], [1, 1]], 0.0),
        ([[0, 0], [0, 0]], [[0, 0], [0, 0]], 0.0),
        ([[0, 0.5], [0.5, 1]], [[0, 1], [1, 1]], INF),
        ([[0, 0], [0, 1]], [[0, 0], [0, 1]], 0.0),
        ([[NAN, 0], [0, 1]], [[1, 0], [0, 1]], INF),
    ],
)
def test_a_matrix_is_met_by_the_least_share_of_its_terms(square, sizes, share, layout):
    s, t = (triangle(np.array(part, float), layout) for part in (square, sizes))
    form = cone(Cones(psd=(2,)), s.size, layout)
    assert outside(form, s, t) == pytest.approx(share, rel=1e-9)


def in_exponential(x, y, z):
    """Whether y exp(x / y) <= z, or its closure."""
    return y * np.exp(min(x / y, 700.0)) <= z if y > 0.0 else y == 0.0 and x <= 0.0 <= z


@pytest.mark.parametrize("seed", range(16))
def test_an_exponential_cone_is_met_by_the_least_share_of_its_terms(seed):
    rng = np.random.default_rng(seed)
    s = rng.normal(size=3) * 10.0 ** -rng.integers(0, 3, 3)
    s[1] = 0.0 if seed % 5 == 0 else abs(s[1]) * rng.choice([1, 1, -1])
    t = np.abs(s) * rng.uniform(1.0, 4.0, 3) + 0.01 * (seed % 2)

    def inside(d):
        low, high = max(s[1] - d * t[1], 0.0), s[1] + d * t[1]
        heights = np.unique(np.append(np.linspace(low, high, 400), s[0] - d * t[0]))
        inner = heights[(heights >= low) & (heights <= high)]
        return any(in_exponential(s[0] - d * t[0], y, s[2] + d * t[2]) for y in inner)

    share = smallest(inside)
    assert outside(cone(Cones(exp=1), 3), s, t) == pytest.approx(share, rel=0.012)


@pytest.mark.parametrize(
    ("s", "share"),
    [((0.0, 0.0, 0.0), 0.0), ((-1.0, 0.0, 0.0), 0.0), ((1.0, 0.0, 5.0), 0.5),
     ((-1.0, -1.0, 3.0), 1.0), ((0.0, 1.0, 1.0), 0.0), ((0.0, 1.0, -1.0), 1.0)],
)  # fmt: skip
def test_the_flat_side_of_an_exponential_cone(s, share):
    """Terms of (2, 0, 7), (1, 1, 3), (0, 1, 1): where y is nothing, x may not be above nothing."""
    t = {1.0: (2.0, 0.0, 7.0), 0.0: (0.0, 1.0, 1.0)}.get(s[0], (1.0, 1.0, 3.0))
    found = outside(cone(Cones(exp=1), 3), np.array(s), np.array(t))
    assert found == pytest.approx(share, rel=0.01, abs=0.0)


@pytest.mark.parametrize("seed", range(12))
def test_a_power_cone_is_met_by_the_least_share_of_its_terms(seed):
    rng = np.random.default_rng(seed)
    powers = (0.3, 0.7) if seed % 2 else (0.2, 0.3, 0.5)
    n = len(powers)
    s = rng.normal(size=n + 1) * 10.0 ** -rng.integers(0, 3, n + 1)
    s[: seed % (n + 1)] = np.abs(s[: seed % (n + 1)])
    s[0] *= seed % 4 > 0
    t = np.abs(s) * rng.uniform(1.0, 4.0, n + 1) + 0.01

    def inside(d):
        base = s[:n] + d * t[:n]
        if min(base) < 0.0:
            return False
        product = 1.0
        for factor, power in zip(base, powers, strict=True):
            product *= factor**power
        return product >= abs(s[n]) - d * t[n]

    form = cone(Cones(power=(powers,)), n + 1)
    assert outside(form, s, t) == pytest.approx(smallest(inside), rel=0.01)


def test_a_point_on_the_surface_is_inside():
    for cones, s in ((Cones(power=((0.5, 0.5),)), [4, 1, -2]), (Cones(exp=1), [0, 2, 2])):
        assert outside(cone(cones, 3), np.array(s, float), np.full(3, 5.0)) == 0.0


def test_the_worst_of_several_cones_counts():
    far, near = [1.0, 1.02], [1.0, 1.002]
    for first, last in ((far, near), (near, far)):
        s, z = np.array([*first, *last, 1.0, 1.0, 2.0]), np.zeros(7)
        form = cone(Cones(soc=(2, 2), power=((0.5, 0.5),)), 7)
        assert TermSizes(form, s, z).measure(s, z).cones == pytest.approx(1 / 3, rel=0.01)
        s[6] = 0.5
        assert TermSizes(form, s, z).measure(s, z).cones == pytest.approx(0.02 / 2.02, rel=0.01)


# Multipliers: the cheapest way into the dual cones.


def moved(form, z, sizes):
    z = np.array(z, float)
    before, terms = z.copy(), TermSizes(form, z, z)
    out = into_dual(terms, z, np.array(sizes, float))
    np.testing.assert_array_equal(z, before)
    return out


def test_half_lines_and_single_rows_get_their_sign_and_equations_keep_theirs():
    form = cone(Cones(zero=1, nonneg=2, soc=(1, 1)), 5)
    assert moved(form, [-1, -2, 3, -4, 5], np.ones(5)).tolist() == [-1, 0, 3, 0, 5]


PAIRS = {
    # p, q, rest, sizes of the three rows -> p, q, rest: 4 p q >= rest**2
    "inside": ((1, 1, 1.5), (1, 1, 1), (1, 1, 1.5)),
    "on the surface but for rounding": ((1, 1, 2), (1, 1, 1), (1, 1, 2)),
    "the first is cheap": ((1, 4, 8), (1, 9, 9), (4, 4, 8)),  # 3 for 108, and half of 8 for 36
    "the second is cheap": ((4, 1, 8), (9, 1, 9), (4, 4, 8)),
    "the rest is cheap": ((1, 1, 8), (9, 9, 1), (1, 1, 2)),  # 135 for 6
    "a little more by the first": ((1, 1, 2.2), (1, 1.1, 9), (1.21, 1, 2.2)),
    "a little more by the second": ((1, 1, 2.2), (1.1, 1, 9), (1, 1.21, 2.2)),
    "the rest at 0.2, the first at 0.21": ((1, 1, 2.2), (1, 9, 1), (1, 1, 2)),
    "the first at 0.21, the rest at 0.22": ((1, 1, 2.2), (1, 9, 1.1), (1.21, 1, 2.2)),
    "only the first can": ((0, 1, 2), (1, 1, 9), (1, 1, 2)),
    "only the second can": ((1, 0, 2), (1, 1, 9), (1, 1, 2)),
    "the rest alone can": ((0, 0, 2), (1, 1, 9), (0, 0, 0)),
    "below nothing": ((-1, -2, 2), (1, 1, 1), (0, 0, 0)),
    "one below nothing": ((-1, 2, 1), (1, 9, 9), (0.125, 2, 1)),
    "the other below nothing": ((2, -1, 1), (9, 1, 9), (2, 0.125, 1)),
    "without any sizes": ((0, 1, 2), (0, 0, 0), (1, 1, 2)),
    "nothing": ((0, 0, 0), (1, 1, 1), (0, 0, 0)),
}  # fmt: skip


@pytest.mark.parametrize("case", PAIRS)
def test_a_pair_is_moved_by_the_cheapest_of_its_three(case):
    (p, q, rest), sizes, wanted = PAIRS[case]
    form = cone(Cones(nonneg=1, soc=(1, 3, 4)), 9)
    terms = TermSizes(form, np.array([0, 1, 9, 9, 1, 9, 9, 1, 1.0]), np.zeros(9))
    assert terms.frame.mates.tolist() == [3, 6]
    split = [0.6 * rest, -0.8 * rest]  # the rest of the second cone has two rows
    z = np.array([1.0, 2.0, p, q, rest, p, q, *split])
    t = np.array([1.0, 1.0, *sizes, *sizes[:2], sizes[2] / 1.4, sizes[2] / 1.4])
    out = into_dual(terms, z, t)
    assert out[:2].tolist() == [1.0, 2.0]
    assert out[2:5] == pytest.approx(wanted, rel=1e-14, abs=1e-300)
    parts = np.array([0.6, -0.8]) * wanted[2]
    assert out[5:] == pytest.approx([*wanted[:2], *parts], rel=1e-14, abs=1e-300)
    for head, others in ((2, [4]), (5, [7, 8])):
        left = 4 * Fraction(out[head]) * Fraction(out[head + 1])
        assert left >= sum(Fraction(out[k]) ** 2 for k in others)
    if case == "inside":
        np.testing.assert_array_equal(out, z)


@pytest.mark.parametrize("layout", ["upper", "full"])
@pytest.mark.parametrize(
    ("z", "sizes", "wanted"),
    [
        ([[2, 1], [1, 3]], [[1, 0], [0, 1]], [[2, 1], [1, 3]]),
        ([[0, 1], [1, 0]], [[1, 0], [0, 1]], [[0.5, 0.5], [0.5, 0.5]]),
        ([[0, 1], [1, 0]], [[4, 0], [0, 1]], [[0.25, 0.5], [0.5, 1.0]]),
        ([[0, 1], [1, 0]], [[1, 0], [0, 0]], [[5e-4, 0.5], [0.5, 500.0]]),
        ([[0, 1], [1, 0]], [[4, 0], [0, 0]], [[5e-4, 0.5], [0.5, 500.0]]),
        ([[0, 1], [1, 0]], [[0, 0], [0, 0]], [[0.5, 0.5], [0.5, 0.5]]),
        ([[1, 0], [0, -3]], [[1, 5], [5, 1]], [[1, 0], [0, 0]]),
        ([[1, 0], [0, 20 * EPS]], [[1, 0], [0, 1]], [[1, 0], [0, 20 * EPS]]),
        ([[1, 0], [0, 10 * EPS]], [[1, 0], [0, 1]], [[1, 0], [0, 32 * EPS]]),
        ([[NAN, 0], [0, 1]], [[1, 0], [0, 1]], [[NAN, 0], [0, 1]]),
    ],
)
def test_a_matrix_is_moved_to_the_nearest_in_units_of_its_rows(z, sizes, wanted, layout):
    z, sizes, wanted = (triangle(np.array(part, float), layout) for part in (z, sizes, wanted))
    form = cone(Cones(psd=(2,)), z.size, layout)
    out = moved(form, z, sizes)
    assert out == pytest.approx(wanted, rel=1e-12, abs=150 * EPS, nan_ok=True)
    if wanted[-1] < 1e-9 and sizes[0] == 1 and wanted[0] == 1:
        assert out[-1] == pytest.approx(
            max(wanted[-1], 128 * EPS * (wanted[-1] == 0)), rel=0.1, abs=0.0
        )
    if np.isfinite(out).all():
        (a, b), (_, d) = (list(map(Fraction, row)) for row in matrix(out, 2, layout).tolist())
        assert a * d >= b * b


def test_a_cone_that_is_no_number_does_not_keep_others_from_theirs():
    form = cone(Cones(psd=(1, 1)), 2)
    np.testing.assert_array_equal(moved(form, [NAN, -1], np.ones(2)) <= 1e-12, [False, True])


def test_half_of_a_matrix_in_full_is_made_symmetric():
    form = cone(Cones(psd=(2,)), 4, "full")
    assert moved(form, [2, 1, 0, 3], np.ones(4)).tolist() == [2, 0.5, 0.5, 3]


def exact_need(u, v):
    """-u exp(v / u - 1) in fifty digits."""
    u, v = Decimal(u), Decimal(v)
    return -u * (v / u - 1).exp()


EXPONENTIALS = {
    # u, v, w, sizes -> what moves to where
    "inside": ((-1, -1, 1.1), (1, 1, 1), None),
    "the last is cheap": ((-1, -3, 1), (9, 9, 1), "w"),
    "the second is cheap": ((-1, -3, 1), (9, 1, 9), "v"),
    "the second is cheaper than the first": ((-1, -3, 1), (1, 1e-3, 1), "v"),
    "by an exponential that overflows": ((-1e-3, -9, 1), (1, 1e-6, 1), "v"),
    "to zero": ((-1e-3, 5e-4, 1e-9), (1e-3, 9, 1e9), "0"),
    "to zero from below": ((-1, -1e-3, 1e-9), (1e-3, 1e-3, 9), "0"),
    "w at 0.11": ((-2, 1, 0.335), (1, 1, 1), "w"),
    "w at 1.1, v at 0.57": ((-2, 1, 0.335), (1, 1, 10), "v"),
    "no w": ((-1, 1, 0), (9, 1, 1), "w"),
    "no w and that dear": ((-1, 1, 0), (1, 1, 99), "0"),
    "w below nothing": ((-1, 1, -5), (9, 1, 1), "w"),
    "to nothing at 1.1, v at 1.6": ((-1, -1, 0.2), (0.1, 1, 9), "0"),
    "v at 1.6, to nothing at 2": ((-1, -1, 0.2), (1, 1, 9), "v"),
    "flat and inside": ((0, 2, 3), (1, 1, 1), None),
    "flat and outside": ((0, -2, 3), (1, 1, 1), "0"),
    "flat by its sign": ((5, 2, 3), (1, 1, 1), "0"),
    "flat by its sign and outside": ((5, -2, -3), (1, 1, 1), "0"),
}  # fmt: skip


@pytest.mark.parametrize("case", EXPONENTIALS)
def test_an_exponential_triple_is_moved_by_the_cheapest_of_three(case):
    (u, v, w), sizes, way = EXPONENTIALS[case]
    form = cone(Cones(exp=2), 6)
    out = moved(form, [-1, -1, 2, u, v, w], [1, 1, 1, *sizes])
    assert out[:3].tolist() == [-1, -1, 2]
    out, rounding = out[3:], Decimal(150 * EPS)
    if way is None:
        assert out.tolist() == [u, v, w]
    if way == "0":
        assert out.tolist() == [0.0, max(v, 0.0), max(w, 0.0)]
    if out[0] < 0.0:
        need = exact_need(out[0], out[1])
        assert Decimal(out[2]) >= need
    if way in ("w", "v"):
        assert (out[0], out[1] if way == "w" else out[2]) == (u, v if way == "w" else w)
        assert Decimal(out[2]) <= need * (1 + rounding)


@pytest.mark.parametrize("rate", [0.5, 30.0, -30.0])
@pytest.mark.parametrize("way", ["v", "w"])
def test_an_exponential_triple_is_moved_by_no_more_than_roundings_beyond_the_surface(rate, way):
    """v / u = rate: the repaired triple is inside, by a few roundings of what it is made of."""
    u = -3.0
    v = rate * u
    need = float(exact_need(u, v))
    z = [u, v, need * 0.99]
    out = moved(cone(Cones(exp=1), 3), z, [1e9, 1e-9, 1e9] if way == "v" else [1e9, 1e9, 1e-9])
    if way == "w":
        over = Decimal(out[2]) / exact_need(u, v) - 1
        assert 0 <= over <= Decimal((abs(rate - 1) + 17) * 3 * EPS)
        assert over >= Decimal((abs(rate - 1) + 15) * EPS)
    else:
        # The v on the surface is u (1 + log(w / -u)).
        surface = Decimal(u) * (1 + (Decimal(out[2]) / Decimal(-u)).ln())
        logs = abs(float((Decimal(out[2]) / Decimal(-u)).ln()))
        over = Decimal(out[1]) - surface
        assert Decimal(-u * (logs + 15) * 3 * EPS) <= over <= Decimal(-u * (logs + 17) * 5 * EPS)


@pytest.mark.parametrize(
    ("base", "tip", "wanted"),
    [
        ((1.0, 3.0), 1.5, 1.5),
        ((1.0, 3.0), 9.0, 4.0),  # (1 / 1/4)**1/4 (3 / 3/4)**3/4 = 4
        ((1.0, 3.0), -9.0, -4.0),
        ((0.0, 3.0), 9.0, 0.0),
        ((-1.0, 3.0), 9.0, 0.0),
    ],
)
def test_the_last_row_of_a_power_cone_gives_way(base, tip, wanted):
    form = cone(Cones(power=((0.25, 0.75),)), 3)
    out = moved(form, [*base, tip], np.ones(3))
    assert out.tolist()[:2] == [max(part, 0.0) for part in base]
    assert out[2] == pytest.approx(wanted, rel=1e-13)
    p, q, r = map(Fraction, out.tolist())
    assert (4 * p) * (Fraction(4, 3) * q) ** 3 >= r**4
    if abs(tip) > 4.0:
        assert wanted == 0.0 or 28 * EPS <= 1.0 - abs(out[2]) / 4.0 <= 40 * EPS


def test_rows_are_missed_by_whatever_little_and_only_linear_ones():
    """x = 1, x <= 1 and a cone's row of 1 - x, at 1 and beside it."""
    form = StandardForm(np.ones(1), 0.0, sp.csc_array(np.ones((3, 1))), np.ones(3),
                        Cones(zero=1, nonneg=1, soc=(1,)))  # fmt: skip
    terms = TermSizes(form, np.ones(1), np.zeros(3))
    assert not misses(terms, np.ones(1))
    for near in (1.0 + EPS, 1.0 - EPS):
        assert misses(terms, np.array([near]))
    only = replace(form, cones=Cones(nonneg=1, soc=(1, 1)))
    terms = TermSizes(only, np.ones(1), np.zeros(3))
    assert not misses(terms, np.array([1.0 - EPS]))
    assert misses(terms, np.array([1.0 + EPS]))
    conic = replace(form, cones=Cones(soc=(1, 1, 1)))
    assert not misses(TermSizes(conic, np.ones(1), np.zeros(3)), np.array([2.0]))


def test_rows_are_touched_up_to_a_share_of_their_terms():
    """Slacks of 1/2 of terms of 3/2, in an equation, two inequalities and a cone."""
    A, b = sp.csc_array(np.ones((4, 1))), np.array([1.0, 1.0, 3.0, 1.0])
    form = StandardForm(np.ones(1), 0.0, A, b, Cones(zero=1, nonneg=2, soc=(1,)))
    x = np.array([0.5])
    terms = TermSizes(form, x, np.zeros(4))
    assert touched_rows(terms, x, 0.4).tolist() == [True, True, False, False]
    assert touched_rows(terms, x, 0.3).tolist() == [True, False, False, False]
    exact = replace(form, b=np.array([1.0, 0.5, 0.0, 1.0]))  # on it, and beyond it
    assert touched_rows(TermSizes(exact, x, np.zeros(4)), x, 0.0).tolist() == [
        True, True, True, False
    ]  # fmt: skip
