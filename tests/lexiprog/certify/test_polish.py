"""Candidates near an answer: each step worked by hand, or beside the same in plain loops."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from lexiprog.canon.cones import triangle
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify import polish
from lexiprog.certify.polish import (
    absorb,
    candidates,
    on_active_set,
    on_cones,
    on_rows,
    rooms,
    snapped,
    with_definitions,
)
from lexiprog.certify.terms import TermSizes

INF, NAN = np.inf, np.nan


def form_of(A, b, cones, c=None, **more):
    A = np.array(A, float)
    c = np.zeros(A.shape[1]) if c is None else np.array(c, float)
    more = {
        name: np.array(value, float) if name in ("lower", "upper") else value
        for name, value in more.items()
    }
    offset = more.pop("offset", 0.0)
    return StandardForm(c, offset, sp.csc_array(A), np.array(b, float), cones, **more)


# Multipliers of rows with a single entry.


def absorbed_by_hand(form, x, z):
    """Each column's tightest single rows pay for what all others leave of its reduced cost."""
    A, cones, z = form.A.toarray(), form.cones, z.copy()
    lower, upper = form.ranges()
    alone = [i for i in range(cones.linear) if np.count_nonzero(A[i]) == 1]
    if not alone:
        return z
    z[alone] = 0.0
    reduced = form.c + A.T @ z + (0.0 if form.P is None else form.P @ x)
    for j in range(form.c.size):
        mine = [i for i in alone if A[i, j]]
        equal = [i for i in mine if i < cones.zero]
        if equal:
            z[equal[0]] = -reduced[j] / A[equal[0], j]
            continue
        for sign, bound in ((1, upper[j]), (-1, -lower[j])):
            some = [i for i in mine if A[i, j] * sign > 0 and sign * form.b[i] / A[i, j] < bound]
            if some and -sign * reduced[j] > 0.0:
                best = min(some, key=lambda i: (sign * form.b[i] / A[i, j], i))
                z[best] = -sign * reduced[j] / abs(A[best, j])
    return z


@pytest.mark.parametrize("seed", range(40))
def test_rows_of_one_entry_pay_what_the_others_leave(seed):
    rng = np.random.default_rng(seed)
    A = np.zeros((12, 4))
    for row in A:
        row[rng.choice(4, rng.choice([1, 1, 1, 2]), replace=False)] = rng.choice([-2, -1, 1, 3])
    A[10:] = rng.integers(-1, 2, (2, 4))
    root = rng.integers(-1, 2, (4, 4))
    form = form_of(
        A, rng.integers(-3, 4, 12), Cones(zero=int(rng.integers(0, 3)), nonneg=8, soc=(2,) * 0),
        rng.integers(-5, 6, 4), lower=rng.choice([-INF, -1.0, 0.0], 4),
        upper=rng.choice([INF, 1.0, 2.0], 4),
        P=sp.csc_array((root @ root.T).astype(float)) if seed % 2 else None,
    )  # fmt: skip
    rest = 12 - form.cones.linear
    form = replace(form, cones=replace(form.cones, soc=(rest,)))
    form.A.data[rng.integers(0, form.A.data.size)] = 0.0
    x, z = rng.integers(-2, 3, 4).astype(float), rng.integers(-4, 5, 12).astype(float)
    before = z.copy()
    np.testing.assert_allclose(absorb(form, x, z), absorbed_by_hand(form, x, z), atol=1e-15)
    np.testing.assert_array_equal(z, before)


def test_without_rows_of_one_entry_multipliers_stay():
    form, z = form_of([[1, 1]], [1], Cones(nonneg=1)), np.array([2.0])
    assert absorb(form, np.zeros(2), z) is z


def test_of_two_rows_that_say_the_same_the_first_pays():
    form = form_of([[1], [1], [2]], [1, 1, 2], Cones(nonneg=3), [-6])
    assert absorb(form, np.ones(1), np.ones(3)).tolist() == [6.0, 0.0, 0.0]
    # Rows that say no more than the column's own bound pay nothing.
    held = replace(form, upper=np.ones(1))
    assert absorb(held, np.ones(1), np.ones(3)).tolist() == [0.0, 0.0, 0.0]
    below = form_of([[-1], [-1], [-2]], [-1, -1, -2], Cones(nonneg=3), [6])
    assert absorb(below, np.ones(1), np.ones(3)).tolist() == [6.0, 0.0, 0.0]
    held = replace(below, lower=np.ones(1))
    assert absorb(held, np.ones(1), np.ones(3)).tolist() == [0.0, 0.0, 0.0]


# The room that rows leave to a column.


def rooms_by_hand(terms, x, groups, whole):
    """The same in loops: up to four rounds, each with the rows that have a size by then."""
    form = terms.form
    A, b, n = np.abs(form.A.toarray()), form.b, x.size
    m = b.size
    own = [sum(abs(v) for v in pair if np.isfinite(v))
           for pair in zip(terms.lower, terms.upper, strict=True)]  # fmt: skip
    anchored = [bool(v) for v in b]
    heights = [abs(b[i]) + sum(A[i] * np.abs(x)) for i in range(m)]
    for _ in range(4):
        for group in groups:
            if any(anchored[i] for i in group):
                anchored = [a or i in group for i, a in enumerate(anchored)]
            if whole:
                top = max(heights[i] for i in group)
                heights = [top if i in group else h for i, h in enumerate(heights)]
        room = [
            min((heights[i] / A[i, j] for i in range(m)
                 if A[i, j] and anchored[i] and heights[i]), default=INF)
            for j in range(n)
        ]  # fmt: skip
        reach = [max(abs(x[j]), own[j], room[j] if room[j] < INF else 0.0) for j in range(n)]
        heights = [abs(b[i]) + sum(A[i] * reach) for i in range(m)]
        wider = [
            anchored[i] or any(A[i, j] and (room[j] < INF or own[j]) for j in range(n))
            for i in range(m)
        ]
        if wider == anchored:
            break
        anchored = wider
    return [r if r < INF else (o if o else INF) for r, o in zip(room, own, strict=True)]


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_rooms_are_what_rows_leave(seed, whole):
    rng = np.random.default_rng(seed)
    cones = Cones(zero=1, nonneg=2, soc=(2, 3), psd=(2,), exp=2, power=((0.5, 0.5),))
    A = rng.integers(-3, 4, (20, 8)) * (rng.random((20, 8)) < 0.25)
    b = rng.integers(-3, 4, 20) * (rng.random(20) < 0.2)
    form = form_of(A, b, cones, lower=rng.choice([-INF, -0.5, 0.0], 8, p=[0.7, 0.1, 0.2]),
                   upper=rng.choice([INF, 3.0], 8, p=[0.8, 0.2]))  # fmt: skip
    form.A.data[:2] = 0.0
    x = rng.integers(-2, 3, 8) * (rng.random(8) < 0.5)
    terms = TermSizes(form, x, np.zeros(20))
    groups = [[3, 4], [5, 6, 7], [8, 9, 10], [11, 12, 13], [14, 15, 16], [17, 18, 19]]
    found = rooms(terms, x.astype(float), **({"whole_cones": True} if whole else {}))
    stated = polish.stated_ranges(form, outwards=False)
    terms.lower, terms.upper = stated
    np.testing.assert_allclose(found, rooms_by_hand(terms, x, groups, whole), rtol=1e-12)


def test_room_is_handed_on_by_four_rows_at_most():
    A = np.eye(7) + np.eye(7, k=-1)
    A[6, 0] = 1.0
    form = form_of(A, [6, 0, 0, 0, 0, 0, 0], Cones(zero=7))
    form.A.data[form.A.indices == 6] *= [0.0, 1.0, 1.0]  # a number that happens to be none
    terms = TermSizes(form, np.zeros(7), np.zeros(7))
    # The first row is a bound of 6, whose column may go as far in the second, and so on.
    found = rooms(terms, np.zeros(7))
    assert found.tolist() == rooms_by_hand(replace_ends(terms, 0, 6.0), np.zeros(7), [], False)
    assert np.isfinite(found).tolist() == [True] * 4 + [False] * 3
    # Nor is it handed on by a number that is none: y - z = 0 beside x = 6.
    form = form_of([[1, 0, 0], [1, 1, -1]], [6, 0], Cones(zero=2))
    form.A.data[1] = 0.0
    at = np.array([0.0, 1.0, 1.0])
    assert rooms(TermSizes(form, at, np.zeros(2)), at).tolist() == [6.0, INF, INF]


def test_without_rows_the_ends_of_a_column_are_its_room():
    form = form_of(np.zeros((0, 3)), [], Cones(), lower=[-0.25, -INF, -1], upper=[INF, INF, 0.5])
    terms = TermSizes(form, np.zeros(3), np.zeros(0))
    assert rooms(terms, np.zeros(3)).tolist() == [0.25, INF, 1.5]


def replace_ends(terms, column, end):
    terms.lower, terms.upper = terms.lower.copy(), terms.upper.copy()
    terms.lower[column] = terms.upper[column] = end
    return terms


# Columns near a bound or zero.


def test_columns_near_a_bound_or_zero_are_put_there():
    # near its lower end, near its upper one, near zero inside, near zero outside, without room
    lower = [1, -2, -3, 0.5, -INF, 0, -INF, -INF]
    upper = [INF, 4, 3, 9, INF, 1, 1, INF]
    x = np.array([1.001, 3.999, 1e-3, 0.501, 2e-3, 0.5, 0.9995, -1e-9])
    form = form_of(np.zeros((0, 8)), [], Cones(), np.ones(8), lower=lower, upper=upper)
    terms = TermSizes(form, x, np.zeros(0))
    room = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, INF])
    at, z = snapped(terms, x, np.zeros(0), room, 2e-3)
    assert at.tolist() == [1.0, 4.0, 0.0, 0.5, 0.0, 0.5, 1.0, 0.0]
    assert z.size == 0
    at, _ = snapped(terms, x, np.zeros(0), room * 0.1, 2e-3)
    assert at.tolist()[:7] == x.tolist()[:7]
    exact, _ = snapped(terms, np.array([1.25, 0, 0, 0.5, 0, 0, 0, 0]), z, room, 0.25)
    assert exact[0] == 1.0  # just that far is near


def quiet_by_hand(terms, x, at, close, z, room, share):
    """Multipliers that times the sizes of their rows come to no more than a share of all worth."""
    form, A = terms.form, np.abs(terms.form.A.toarray())
    reach = [
        max(abs(a), r if near and np.isfinite(r) else 0.0)
        for a, near, r in zip(at, close, room, strict=True)
    ]
    worth = sum(abs(form.c) * reach) + sum(abs(form.b * z))
    if form.P is not None:
        worth += np.array(reach) @ np.abs(form.P.toarray()) @ np.array(reach)
    far = [max(abs(v), r) if np.isfinite(r) else abs(v) for v, r in zip(x, room, strict=True)]
    heights = [abs(form.b[i]) + sum(A[i] * far) for i in range(z.size)]
    return [0.0 if abs(v) * h <= share * worth else v for v, h in zip(z, heights, strict=True)]


@pytest.mark.parametrize(("cost", "constant", "most"), [(8, 0, 2.0**-7), (8, 512, 2.0**-6)])
def test_multipliers_are_nothing_up_to_a_share_of_all_worth(cost, constant, most):
    """Of 8 * 1/4, and of 512 / 256, times 2**-10; the row's terms are 1/4."""
    form = form_of([[1, 0], [0, 1]], [0, constant], Cones(zero=2), [cost, 0])
    x, room = np.array([0.25, 0.25]), np.array([0.25, INF])
    terms = TermSizes(form, x, np.zeros(2))
    for size, kept in ((most, False), (1.01 * most, True)):
        z = np.array([size, 2.0**-8])
        assert snapped(terms, x, z, room, 2.0**-10)[1][0] == (size if kept else 0.0)
    # Of a column of which nothing is known the point itself says how far it may go.
    other = form_of([[0, 1], [1, 0]], [0, 8], Cones(zero=2), [0, 0])
    terms = TermSizes(other, x, np.zeros(2))
    for size, kept in ((2.0**-8, False), (2.0**-7, True)):
        z = np.array([size, 0.125])
        assert snapped(terms, x, z, room, 2.0**-10)[1][0] == (size if kept else 0.0)


@pytest.mark.parametrize("seed", range(20))
def test_multipliers_that_are_worth_nothing_are_nothing(seed):
    rng = np.random.default_rng(seed)
    root = rng.integers(-1, 2, (4, 4))
    form = form_of(
        rng.integers(-3, 4, (7, 4)), rng.integers(-3, 4, 7), Cones(zero=1, nonneg=3, soc=(3,)),
        rng.integers(-3, 4, 4), lower=np.zeros(4),
        P=sp.csc_array((root @ root.T).astype(float)) if seed % 2 else None,
    )  # fmt: skip
    x = rng.choice([0.0, 1e-4, 1.0, 2.0], 4)
    z = 10.0 ** rng.integers(-5, 0, 7) * rng.choice([-1, 1, 2], 7)
    room = rng.choice([0.5, 1.0, 3.0, INF], 4)
    terms = TermSizes(form, x, z)
    at, quiet = snapped(terms, x, z, room, 1e-3)
    close = [v <= 1e-3 * r for v, r in zip(x, room, strict=True)]  # nothing is known of all rooms
    assert at.tolist() == [0.0 if near else v for v, near in zip(x, close, strict=True)]
    framed = terms.frame.enter(z)
    wanted = quiet_by_hand(terms, x, at, close, framed, room, 1e-3)
    np.testing.assert_allclose(terms.frame.enter(quiet), wanted, atol=1e-16)


# Columns that an equation defines.


def test_a_column_that_an_equation_defines_is_what_it_says():
    """2x - 4w = 6 at x = 5 is w = 1, whose slope 3 + 8 the multiplier 11/4 takes away."""
    P = sp.csc_array(np.diag([0.0, 8.0]))
    given = {"A": [[2, -4], [1, 0]], "b": [6, 9], "cones": Cones(zero=1, nonneg=1), "c": [0, 3],
             "P": P}  # fmt: skip
    x, z = np.array([5.0, 0.9]), np.array([7.0, 2.0])
    found = with_definitions(form_of(**given), x, z)
    assert (found[0].tolist(), found[1].tolist()) == ([5, 1], [2.75, 2])
    assert (x.tolist(), z.tolist()) == ([5, 0.9], [7, 2])  # what was given stays
    first = next(candidates(form_of(**given), x, z))
    assert (first[0].tolist(), first[1].tolist()) == ([5, 1], [2.75, 2])
    for more in (
        {"P": None},
        {"lower": [-INF, -9]},
        {"upper": [INF, 9]},
        {"cones": Cones(nonneg=2)},
        {"A": [[2, -4], [1, 1]]},  # it stands in another row, too
        {"A": [[2, -4], [0, 0]]},  # so does nothing else in this one: which of both is defined?
    ):
        assert with_definitions(form_of(**{**given, **more}), x, z) is None
    stored = form_of(**given)
    stored.A.data[stored.A.data == -4.0] = 0.0
    assert with_definitions(stored, x, z) is None


# The optimum of an active set.


def vertex(seed, curved=False, size=6):
    """A problem with a vertex (or a face's optimum) of few numbers: rows tight, columns at ends."""
    rng = np.random.default_rng(seed)
    zero, tight, slack, at_low, at_high = 1, 1 if curved else 2, 2, 1, 2
    A = rng.integers(-4, 5, (zero + tight + slack, size)).astype(float)
    A[:3, 3:] += 5.0 * np.eye(3)[:, : size - 3]
    x = rng.integers(1, 9, size).astype(float)
    z = np.concatenate([rng.choice([-2.0, 3.0], zero), rng.integers(1, 4, tight), np.zeros(slack)])
    s = np.concatenate([np.zeros(zero + tight), rng.integers(1, 5, slack)])
    lower, upper = np.full(size, -INF), np.full(size, INF)
    push = np.zeros(size)
    lower[0], push[0] = x[0], 2.0
    upper[1], push[1] = x[1], -1.0
    lower[2], upper[2], push[2] = x[2] - 7.0, x[2], -3.0
    upper[3], lower[4] = 50.0, -50.0
    root = rng.integers(-2, 3, (size, size)) + 3.0 * np.eye(size)
    P = sp.csc_array(root @ root.T) if curved else None
    assert (at_low, at_high) == (1, 2)
    c = push - A.T @ z - (P @ x if curved else 0.0)
    form = StandardForm(c, 0.0, sp.csc_array(A), A @ x + s, Cones(zero=zero, nonneg=tight + slack),
                        P, lower, upper)  # fmt: skip
    return form, x, z


@pytest.mark.parametrize("curved", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_the_optimum_of_an_active_set_has_all_digits(seed, curved):
    form, x, z = vertex(seed, curved)
    rng = np.random.default_rng(seed)
    near = x + 1e-6 * rng.uniform(0.5, 1.0, x.size) * rng.choice([-1, 1], x.size)
    near = np.clip(near, *form.ranges())
    off = z + 1e-6 * rng.uniform(-1, 1, z.size)
    terms = TermSizes(form, near, off)
    found = on_active_set(form, near, off, rooms(terms, near))
    assert found is not None
    np.testing.assert_allclose(found[0], x, rtol=1e-15, atol=0.0)
    np.testing.assert_allclose(found[1], z, rtol=4e-15, atol=0.0)


def small(**more):
    """Least x + 3y over x + 2y >= 4 and 0 <= x, y <= 10: 4 at (4, 0), with the multiplier 1."""
    return form_of([[-1, -2]], [-4], Cones(nonneg=1),
                   **{"c": [1, 3], "lower": [0, 0], "upper": [10, 10], **more})  # fmt: skip


def test_rows_and_bounds_are_active_by_what_they_cost_beside_how_far_they_are():
    room = np.full(2, 4.0)
    x, z = on_active_set(small(), np.array([4.0 + 1e-3, 1e-3]), np.array([1.0]), room)
    assert (x.tolist(), z.tolist()) == ([4.0, 0.0], [1.0])
    # The second column costs 1 of 5, and is 0.15 and 0.35 of its room from its end.
    x, z = on_active_set(small(), np.array([3.0, 0.6]), np.array([1.0]), room)
    assert (x.tolist(), z.tolist()) == ([4.0, 0.0], [1.0])
    # A row is tight where its multiplier is worth more than its slack: 1/100 of 4 for 4 of 12.
    far = on_active_set(small(), np.array([8.0, 0.0]), np.array([0.01]), room)
    assert far is not None
    assert far[1].tolist() == [0.0]


@pytest.mark.parametrize("side", [-1.0, 1.0])
@pytest.mark.parametrize(("room", "end"), [(4.0, 2.0), (20.0, 10.0), (INF, 2.0), (0.0, 2.0)])
def test_a_bound_is_active_where_it_is_nearer_than_the_reduced_cost_is_large(room, end, side):
    """x**2 / 2 - 2x at 1/20: its slope is 39/41 of its terms, the bound 10 at 9.95 of the room."""
    form = form_of(np.zeros((0, 1)), [], Cones(), [-2 * side], lower=[-10], upper=[10],
                   P=sp.csc_array(np.eye(1)))  # fmt: skip
    near = np.array([side * 0.05])
    x, _ = on_active_set(form, near, np.zeros(0), np.array([room]))
    assert x.tolist() == [side * end]
    # Just as near as it is large it is not active yet: 4/8 of the room beside 2 of terms of 4.
    steep = replace(form, c=np.array([-3.0 * side]), lower=np.full(1, -5.0), upper=np.full(1, 5.0))
    for width, wanted in ((8.0, 3.0), (8.25, 5.0)):
        x, _ = on_active_set(steep, np.array([side]), np.zeros(0), np.array([width]))
        assert x.tolist() == [pytest.approx(side * wanted, rel=1e-15)]
    tiny = replace(form, c=form.c / 64, lower=form.lower / 64, upper=form.upper / 64)
    x, _ = on_active_set(tiny, near / 64, np.zeros(0), np.array([room / 64]))
    assert x.tolist() == [side * end / 64]


@pytest.mark.parametrize("ends", [(2, 2), (2, INF), (-INF, 2)])
def test_a_column_at_its_bound_stays_there_where_its_reduced_cost_is_nothing(ends):
    form = form_of([[-1, -1]], [-4], Cones(zero=1), [1, 1], lower=[ends[0], -INF],
                   upper=[ends[1], INF])  # fmt: skip
    x, z = on_active_set(form, np.array([2.0, 1.9]), np.ones(1), np.ones(2))
    assert (x.tolist(), z.tolist()) == ([2.0, 2.0], [1.0])


def test_rows_are_tight_by_their_kind_their_slack_or_what_they_are_worth():
    """x + y = 2 or at most 2, with y = 1: at x = 0.9 and 1.1, without any cost."""
    box = {"lower": [-INF, 1], "upper": [INF, 1]}
    for cones, x, wanted in ((Cones(zero=1), 0.9, 1.0), (Cones(zero=1), 1.1, 1.0),
                             (Cones(nonneg=1), 1.1, 1.0), (Cones(nonneg=1), 0.9, 0.9)):  # fmt: skip
        form = form_of([[1, 1]], [2], cones, **box)
        found = on_active_set(form, np.array([x, 1.0]), np.zeros(1), np.ones(2))
        assert found[0].tolist() == [wanted, 1.0]
    # One that is met and worth nothing does not hold the least x**2 / 2 - x / 2.
    form = form_of([[1, 1]], [2], Cones(nonneg=1), [-0.5, 0], P=sp.csc_array(np.diag([1.0, 0])),
                   **box)  # fmt: skip
    x, z = on_active_set(form, np.ones(2), np.zeros(1), np.ones(2))
    assert (x.tolist(), z.tolist()) == ([0.5, 1.0], [0.0])
    # Least x over 100 x + y >= 101: worth 0.01 * 202 of 2, with a slack of 1 of 202.
    form = form_of([[-100, -1]], [-101], Cones(nonneg=1), [1, 0], **box)
    x, z = on_active_set(form, np.array([1.01, 1.0]), np.array([0.01]), np.ones(2))
    assert (x.tolist(), z.tolist()) == ([1.0, 1.0], [0.01])


def test_rows_of_one_entry_are_bounds_of_an_active_set():
    """The upper bound 3 of x as a row: least 2x + 3y over x + y >= 4 is 9 at (3, 1)."""
    form = form_of([[-1, -1], [2, 0]], [-4, 6], Cones(nonneg=2), [2, 3])
    terms = TermSizes(form, np.array([3.0, 1.0]), np.zeros(2))
    near = np.array([3.0 - 1e-7, 1.0]), np.array([3.0 + 1e-7, 0.5])
    x, z = on_active_set(form, *near, rooms(terms, near[0]))
    assert (x.tolist(), z.tolist()) == ([3.0, 1.0], [3.0, 0.5])


def test_an_edge_is_followed_downhill_to_where_it_ends():
    """Least -x - 2y over x + y <= 3 and y <= 3/2: from (0, 0) to (3/4, 3/2), then (3/2, 3/2)."""
    form = form_of([[1, 1], [0, 0]], [3, 0], Cones(nonneg=2), [-1, -2], lower=[-9, -9],
                   upper=[9, 1.5])  # fmt: skip
    tiny = replace(form, c=form.c * 2.0**-30)
    # Or, in other units, by (4, 2) to (2, 1), and then along the row to (3/2, 3/2).
    for problem, scale in ((form, [1.0, 1.0]), (form, [2.0, 1.0]), (tiny, [1.0, 1.0])):
        terms = TermSizes(problem, np.zeros(2), np.zeros(2))
        x, free, rows = polish._downhill(
            terms, np.zeros(2), np.arange(2), np.zeros(0, int), np.array(scale), form.ranges()
        )
        assert x.tolist() == pytest.approx([1.5, 1.5], abs=1e-15)
        assert (free.tolist(), rows.tolist()) == ([0], [0])
    found = on_active_set(form, np.zeros(2), np.zeros(2), np.ones(2), downhill=True)
    assert (found[0].tolist(), found[1].tolist()) == ([1.5, 1.5], [1.0, 0.0])
    stays = on_active_set(form, np.zeros(2), np.zeros(2), np.ones(2))
    assert stays is None or stays[0].tolist() != [1.5, 1.5]


@pytest.mark.parametrize(("scale", "end"), [([1, 1], [1.5, 1.5]), ([2, 1], [2.4, 0.6])])
def test_the_way_downhill_goes_by_the_squares_of_the_columns_sizes(scale, end):
    form = form_of([[1, 1]], [3], Cones(nonneg=1), [-1, -1])
    x, _, rows = polish._downhill(
        TermSizes(form, np.zeros(2), np.zeros(1)), np.zeros(2), np.arange(2), np.zeros(0, int),
        np.array(scale, float), form.ranges(),
    )  # fmt: skip
    assert x == pytest.approx(end, rel=1e-15)
    assert rows.tolist() == [0]


def test_the_way_downhill_ends_at_a_lower_bound_and_begins_beyond_a_row():
    form = form_of([[-1, -1]], [3], Cones(nonneg=1), [1, 0], lower=[-2, 0], upper=[9, 0])
    arguments = np.arange(1), np.zeros(0, int), np.ones(2), form.ranges()
    terms = TermSizes(form, np.zeros(2), np.zeros(1))
    x, free, _ = polish._downhill(terms, np.zeros(2), *arguments)
    assert (x.tolist(), free.tolist()) == ([-2, 0], [])
    beyond = replace(form, b=np.array([-1.0]))  # x of at least 1: at 0 there is no way down
    x, _, rows = polish._downhill(TermSizes(beyond, x, np.zeros(1)), np.zeros(2), *arguments)
    assert (x.tolist(), rows.tolist()) == ([0, 0], [0])


def test_rows_of_one_entry_are_those_with_one_number_and_a_side():
    A = np.array([[1, 0], [1, 0], [1, 1], [1, 1], [0, 0], [0, 1]])
    form = form_of(A, np.ones(6), Cones(zero=1, nonneg=4, soc=(1,)))
    form.A.data[np.flatnonzero(form.A.indices == 3)[:1]] = 0.0
    assert polish._single(form).tolist() == [False, True, False, True, False, False]


def test_multipliers_of_inequalities_are_none_where_they_would_be_negative():
    form = form_of([[-1, -1]], [-1], Cones(nonneg=1), [-1, 0], lower=[-INF, 0], upper=[10, 0])
    x, z = on_active_set(form, np.array([1.0, 0.0]), np.array([0.1]), np.ones(2))
    assert (x.tolist(), z.tolist()) == ([1.0, 0.0], [0.0])


def test_a_way_downhill_that_never_ends_is_not_taken():
    form = form_of([[1, -1]], [3], Cones(nonneg=1), [-1, -1])
    terms = TermSizes(form, np.zeros(2), np.zeros(1))
    x, free, rows = polish._downhill(
        terms, np.zeros(2), np.arange(2), np.zeros(0, int), np.ones(2), form.ranges()
    )
    assert (x.tolist(), free.tolist(), rows.tolist()) == ([0, 0], [0, 1], [])
    # Downwards, and with one column fixed; the row is met from a point that is a little beyond it.
    form = form_of([[-1, -1]], [3], Cones(nonneg=1), [1, 1], lower=[-INF, 0], upper=[INF, 0])
    terms = TermSizes(form, np.zeros(2), np.zeros(1))
    x, free, rows = polish._downhill(
        terms, np.zeros(2), np.arange(1), np.zeros(0, int), np.ones(2), form.ranges()
    )
    assert (x.tolist(), free.tolist(), rows.tolist()) == ([-3, 0], [0], [0])


# Cones and rows.


def test_the_height_over_a_square_is_put_on_it():
    """|(v - 1, 2y)| <= v + 1 is v >= y**2; the row whose column stands alone is moved."""
    A = [[-1, 0], [-1, 0], [0, -2]]
    form = form_of(A, [1, -1, 0], Cones(soc=(3,)), [1, 0], lower=[0, -9], upper=[10, 9])
    assert on_cones(form, np.array([9.5, 3.0])).tolist() == [9.0, 3.0]
    assert on_cones(form, np.array([8.5, 3.0])).tolist() == [9.0, 3.0]
    assert on_cones(form, np.array([9.0, 3.0])) is None  # it is there
    assert on_cones(form, np.array([9.5, 4.0])) is None  # 16 is beyond the bound
    assert on_cones(replace(form, upper=np.array([9.0, 9.0])), np.array([8.5, 3.0])) is not None
    high = replace(form, lower=np.array([9.0, -9.0]))
    assert on_cones(high, np.array([9.5, 3.0])).tolist() == [9.0, 3.0]
    assert on_cones(replace(form, lower=np.array([9.25, -9.0])), np.array([9.5, 3.0])) is None
    # A norm's height: |y| <= v with p = v + y, q = v - y is a cone of two rows, which is left.
    norm = form_of([[-1, 0], [0, -1]], [0, 0], Cones(soc=(2,)))
    assert on_cones(norm, np.array([9.5, 3.0])) is None


def test_of_several_cones_each_is_put_on_its_own_and_moves_the_next():
    """v >= y**2 and w >= v**2, the second first; a linear row and a cone of two rows before."""
    A = [[0, 1, 1], [0, -1, 0], [0, 0, 0],
         [0, 0, -1], [0, 0, -1], [0, -2, 0],
         [0, -1, 0], [0, -1, 0], [-2, 0, 0]]  # fmt: skip
    form = form_of(A, [99, 20, 1, 1, -1, 0, 1, -1, 0], Cones(nonneg=1, soc=(2, 3, 3)))
    assert on_cones(form, np.array([4.0, 16.5, 257.0])).tolist() == [4.0, 16.0, 256.0]


def test_two_columns_and_a_product_the_less_used_one_is_moved():
    """|(p - q, 2y)| <= p + q is p q >= y**2; q is in another row, too."""
    A = [[0, 1, 0], [-1, -1, 0], [-1, 1, 0], [0, 0, -2]]
    form = form_of(A, [9, 0, 0, 0], Cones(nonneg=1, soc=(3,)))
    assert on_cones(form, np.array([5.0, 2.0, 1.0])).tolist() == [0.5, 2.0, 1.0]
    other = form_of(np.array(A)[:, [1, 0, 2]], [9, 0, 0, 0], Cones(nonneg=1, soc=(3,)))
    assert on_cones(other, np.array([2.0, 5.0, 1.0])).tolist() == [2.0, 0.5, 1.0]
    assert on_cones(form, np.array([5.0, 0.0, 1.0])) is None  # over nothing
    assert on_cones(form, np.array([5.0, -2.0, 1.0])) is None
    fixed = form_of([[-2, -1, 0], [-1, -2, 0], [0, 0, -2]], [0, 0, 0], Cones(soc=(3,)))
    assert on_cones(fixed, np.array([5.0, 2.0, 0.1])) is None  # no row of a single column
    A = np.vstack([np.hstack([fixed.A.toarray(), np.zeros((3, 2))]),
                   [[0, 0, 0, -1, 0], [0, 0, 0, -1, 0], [0, 0, 0, 0, -2]]])  # fmt: skip
    both = form_of(A, [0, 0, 0, 1, -1, 0], Cones(soc=(3, 3)))  # v >= y**2 behind it
    assert on_cones(both, np.array([5, 2, 0.1, 9.5, 3])).tolist() == [5, 2, 0.1, 9, 3]


@pytest.mark.parametrize(
    ("A", "b", "x", "wanted"),
    [
        # y exp(x / y) <= z with the columns (x, z), y = 2
        ([[-1, 0], [0, 0], [0, -1]], [0, 2, 0], [3, 9], [3, 2 * np.exp(1.5)]),
        ([[-1, 0], [0, 0], [0, -3]], [0, 2, 5], [3, 9], [3, (2 * np.exp(1.5) - 5) / 3]),
        # z is no column alone: x below y log(z / y)
        ([[-2, 0], [0, 0], [-1, -1]], [1, 2, 0], [3, 9], None),
        ([[0, -1], [0, 0], [0, 0]], [0, 2, 6], [3, 9], [3, 2 * np.log(3)]),
        ([[0, -1], [0, 0], [0, 0]], [0, 2, -6], [3, 9], None),
        ([[0, -1], [0, 0], [0, 0]], [0, -2, 6], [3, 9], None),
        ([[-1, 0], [0, 0], [0, -1]], [0, -2, 0], [3, 9], None),
        ([[-1, 0], [0, 0], [0, -1]], [0, 0, 0], [3, 9], None),
        ([[-1, 0], [0, 0], [0, -1]], [0, 2e-3, 0], [3, 9], None),  # no float is as large
        ([[-1, -1], [0, 0], [-1, -1]], [0, 2, 0], [3, 9], None),
    ],
)
def test_the_height_over_an_exponential_is_put_on_it(A, b, x, wanted):
    form = form_of([[1, 1], *A], [99, *b], Cones(nonneg=1, exp=1))
    found = on_cones(form, np.array(x, float))
    if wanted is None:
        if A[0] == [-2, 0]:  # x is alone in its row: 1 + 2x = 2 log(12 / 2), and z follows
            assert found is not None
        else:
            assert found is None
    else:
        assert found == pytest.approx(wanted, rel=1e-15)


def test_each_exponential_cone_is_lifted_on_its_own():
    A = np.zeros((6, 3))
    A[0, 0] = A[3, 0] = A[2, 1] = A[5, 2] = -1.0
    form = form_of(A, [0, 1, 0, 0, 2, 0], Cones(exp=2))
    found = on_cones(form, np.array([1.0, 5.0, 6.0]))
    assert found == pytest.approx([1.0, np.e, 2 * np.exp(0.5)], rel=1e-15)


def test_a_number_that_is_none_does_not_count_as_an_entry():
    form = form_of([[-1, 0], [0, 0], [-1, -1]], [0, 1, 0], Cones(exp=1))
    form.A.data[(form.A.indices == 2) & (np.arange(3) < 2)] = 0.0
    assert on_cones(form, np.array([1.0, 5.0])) == pytest.approx([1.0, np.e], rel=1e-15)


def test_four_rounds_lift_four_heights_each_over_the_next():
    """Each column is exp(-x) of the one before, and the last ones come first."""
    A = np.zeros((18, 7))
    for k in range(6):
        A[15 - 3 * k, k], A[17 - 3 * k, k + 1] = 1.0, -1.0
    form = form_of(A, [0, 1, 0] * 6, Cones(exp=6))
    wanted = [0.5]
    for _ in range(4):
        wanted.append(np.exp(-wanted[-1]))
    start = np.array([0.5, 9, 8, 7, 6, 5, 4.0])
    found = on_cones(form, start)
    assert found[:5] == pytest.approx(wanted, rel=1e-15)
    assert found[5] != pytest.approx(np.exp(-wanted[4]), rel=1e-9)


def test_cones_of_one_row_are_passed_over_and_small_slacks_are_slacks():
    """|(p - q, 2y)| <= p + q behind a cone of one row, with q = 1/2: p = y**2 / q = 2."""
    A = [[-1, 0, 0], [-1, -1, 0], [-1, 1, 0], [0, 0, -2], [0, -1, 0]]
    form = form_of(A, [99, 0, 0, 0, 9], Cones(soc=(1, 3, 1)))
    form.A.data[0] = 0.0  # so that p is alone
    assert on_cones(form, np.array([5.0, 0.5, 1.0])).tolist() == [2.0, 0.5, 1.0]


@pytest.mark.parametrize("layout", ["upper", "full"])
def test_a_priced_diagonal_entry_is_put_on_its_schur_complement(layout):
    """[[v, 1, 2], [1, 1, 0], [2, 0, 4]]: v = 1 + 4/4 = 2; the fixed ones stay."""
    square, unit = np.array([[0.0, 1, 2], [1, 1, 0], [2, 0, 4]]), np.zeros((3, 3))
    unit[0, 0] = 1.0
    b = triangle(square, layout)
    A = np.append(-triangle(unit, layout)[:, None], np.zeros((b.size, 1)), axis=1)
    A = np.vstack([[[1.0, 1.0]], A])
    cones = Cones(nonneg=1, psd=(3,), psd_layout=layout)
    form = form_of(A, [99, *b], cones, [1, 0])
    assert on_cones(form, np.array([3.0, 7.0])) == pytest.approx([2.0, 7.0], rel=1e-15)
    free = replace(form, c=np.zeros(2))
    assert on_cones(free, np.array([3.0, 7.0])) is None
    flat = triangle(np.array([[0.0, 1, 2], [1, 0, 0], [2, 0, 0]]), layout)
    assert on_cones(replace(form, b=np.array([99, *flat])), np.array([3.0, 7.0])) is None


def test_the_second_of_two_diagonal_entries_is_put_there_where_the_first_cannot():
    """[[v, 1], [1, w]] with w unpriced, or two priced ones: v = 1 / w, and w is then there."""
    A = -np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
    form = form_of(A, [0, np.sqrt(2.0), 0], Cones(psd=(2,)), [0, 1])
    assert on_cones(form, np.array([4.0, 7.0])) == pytest.approx([4.0, 0.25], rel=1e-15)
    form = replace(form, c=np.ones(2))
    assert on_cones(form, np.array([7.0, 4.0])) == pytest.approx([0.25, 4.0], rel=1e-14)
    assert on_cones(form, np.array([4.0, 0.0])) == pytest.approx([4.0, 0.25], rel=1e-14)


# Rows that are missed.


def test_missed_rows_are_met_by_the_least_change_of_columns_that_cost_nothing():
    """x + y + w = 10, y - w <= 1: of the columns y and w, each moved in its own size."""
    form = form_of([[1, 1, 1], [0, 1, -1]], [10, 1], Cones(zero=1, nonneg=1), [1, 0, 0])
    x = np.array([2.0, 3.0, 3.0])
    terms = TermSizes(form, x, np.zeros(2))
    assert on_rows(terms, x, np.ones(3)) == pytest.approx([2, 4, 4], rel=1e-14)
    # In units of 3 and 6 the second moves four times as far: 0.4 and 1.6.
    wide = on_rows(terms, x, np.array([1.0, 3.0, 6.0]))
    assert wide == pytest.approx([2, 3.4, 4.6], rel=1e-14)
    # A slack row does not count, one that is tight does: y - w may not grow beyond 1.
    near = np.array([2.0, 4.0, 3.0])
    tight = on_rows(TermSizes(form, near, np.zeros(2)), near, np.array([1.0, 8.0, 4.0]))
    assert tight[1] - tight[2] <= 1.0 + 1e-14
    assert tight.sum() == pytest.approx(10, rel=1e-15)
    large = form_of([[1, 1, 1], [0, 1, -1]], [2e6, 1e-4], Cones(zero=1, nonneg=1), [1, 0, 0])
    near = np.array([2.0, 9e5, 9e5])  # the second row's slack is 1e-4 of 2e6
    tight = on_rows(TermSizes(large, near, np.zeros(2)), near, np.array([1.0, 8.0, 4.0]) * 1e6)
    assert abs(tight[1] - tight[2]) <= 1e-8
    met = np.array([2.0, 4.0, 4.0])
    assert on_rows(TermSizes(form, met, np.zeros(2)), met, np.ones(3)) is None
    assert on_rows(terms, x, np.ones(3), largest=0) is None
    assert on_rows(terms, x, np.ones(3), largest=1) is not None
    none = form_of([[1, 1]], [0], Cones(nonneg=1))  # of no terms at all
    assert on_rows(TermSizes(none, np.zeros(2), np.zeros(1)), np.zeros(2), np.ones(2)) is None
    priced = replace(form, c=np.ones(3))
    assert on_rows(TermSizes(priced, x, np.zeros(2)), x, np.ones(3)) is None


def test_rows_are_met_within_bounds_and_by_columns_without_squares():
    P = sp.csc_array(np.diag([0.0, 0.0, 1.0]))
    form = form_of([[1, 1, 1]], [10], Cones(zero=1), [1, 0, 0], P=P)
    x = np.array([2.0, 3.0, 3.0])
    assert on_rows(TermSizes(form, x, np.zeros(1)), x, np.ones(3)).tolist() == [2, 5, 3]
    assert form.P.toarray().tolist() == P.toarray().tolist()
    boxed = form_of([[1, 1, 1]], [10], Cones(zero=1), [1, 0, 0], lower=[0] * 3, upper=[9, 3.5, 9])
    found = on_rows(TermSizes(boxed, x, np.zeros(1)), x, np.ones(3))
    assert found[1] == 3.5
    assert found[2] == pytest.approx(3 + 1 + 0.25 + 0.125, rel=1e-12)  # the third half is left
    # Off by two roundings of its terms is met; by more it is not.
    for off, there in ((2.0**-50, True), (2.0**-47, False)):
        y = np.array([2.0, 4.0 + off * 8, 4.0])
        plain = replace(form, P=None)
        met = on_rows(TermSizes(plain, y, np.zeros(1)), y, np.ones(3)) is None
        assert met is there


def test_columns_at_nothing_have_the_size_of_their_room_or_of_the_least_one():
    form = form_of([[1, 1, 1]], [6], Cones(zero=1), [0, 0, 0])
    x = np.array([0.0, 0.0, 2.0])
    terms = TermSizes(form, x, np.zeros(1))
    found = on_rows(terms, x, np.array([1.0, INF, INF]))  # 4 to share as 1 to 1 to 4
    assert found == pytest.approx([4 / 6, 4 / 6, 2 + 16 / 6], rel=1e-14)
    found = on_rows(terms, x, np.array([0.5, INF, INF]))  # as 1/4 to 1/4 to 4
    assert found == pytest.approx([4 / 18, 4 / 18, 2 + 64 / 18], rel=1e-14)
    tenth = form_of([[0.1] * 3], [0.6], Cones(zero=1), [0, 0, 0])
    found = on_rows(TermSizes(tenth, x, np.zeros(1)), x, np.array([0.5, INF, INF]))
    assert found == pytest.approx([4 / 18, 4 / 18, 2 + 64 / 18], rel=1e-14)
    nothing = on_rows(TermSizes(form, 0 * x, np.zeros(1)), 0 * x, np.full(3, INF))
    assert nothing == pytest.approx([2, 2, 2], rel=1e-14)
    inequality = form_of([[1, 1, 1], [-1, 0, 0]], [6, 1], Cones(nonneg=2), [0, 0, 0])
    over = np.array([3.0, 3.0, 3.0])
    found = on_rows(TermSizes(inequality, over, np.zeros(2)), over, np.ones(3))
    assert found == pytest.approx([2, 2, 2], rel=1e-14)


# All candidates, in their order.


def points(form, x, z):
    return [(a.tolist(), b.tolist()) for a, b in candidates(form, np.array(x, float),
                                                            np.array(z, float))]  # fmt: skip


def test_a_linear_answer_is_cleaned_and_then_brought_to_its_vertex():
    found = points(small(), [4 - 1e-7, -1e-7], [1 + 1e-7])
    assert found[0] == ([4 - 1e-7, 0.0], [1 + 1e-7])
    assert ([4.0, 0.0], [1.0]) in found[1:3]
    assert points(small(), [NAN, 0], [1]) == []
    assert points(small(), [4, 0], [INF]) == []
    assert points(small(lower=[3, 0], upper=[2, 10]), [4, 0], [1]) == []
    assert points(small(lower=[2, 0], upper=[2, 10]), [4, 0], [1])[0] == ([2.0, 0.0], [1.0])


def test_bounds_that_rows_state_are_met_to_the_nearest_float():
    assert points(form_of([[3.0]], [1], Cones(nonneg=1), [-1]), [0.5], [1])[0] == ([1 / 3], [1 / 3])


def test_columns_are_put_to_zero_the_nearest_first():
    """Least x + 3 (u + v + w + r + s) over their sum of at least 4; the row leaves a room of 8."""
    form = form_of([[-1] * 6], [-4], Cones(nonneg=1), [1, 3, 3, 3, 3, 3], lower=[0] * 6)
    x, z = [4 - 0.05, 1e-12, 1e-9, 1e-6, 1e-3, 0.05], [0.9]
    found = points(form, x, z)
    assert found[0] == (x, z)
    vertex = ([4.0] + [0.0] * 5, [1.0])
    place = 1
    for count in (1, 2, 3, 4):
        at = [x[0], *[0.0] * count, *x[count + 1 :]]
        assert found[place] == vertex
        assert found[place + 1 : place + 4] == [(at, [0.0]), (at, z), (at, z)]
        place += 4
    assert found[place:] == [vertex]
    # Where nothing is moved, nothing is said twice; small multipliers are put to nothing.
    still = points(form, [4.0] + [0.0] * 5, z)
    assert still == [([4.0] + [0.0] * 5, z)] + [vertex, ([4.0] + [0.0] * 5, [0.0])] * 4 + [vertex]
    noise = points(form, [4.0] + [0.0] * 5, [1e-5])
    assert ([4.0] + [0.0] * 5, [1e-5]) in noise[1:]


def test_a_vertex_is_looked_for_downhill_in_the_end():
    form = form_of([[1, 1]], [3], Cones(nonneg=1), [-1, -2], lower=[-9, -9], upper=[9, 1.5])
    found = points(form, [0.0, 0.0], [0.0])
    assert found[-1] == ([1.5, 1.5], [1.0])
    curved = replace(form, P=sp.csc_array(np.eye(2)))
    assert ([1.5, 1.5], [1.0]) not in points(curved, [0.0, 0.0], [0.0])


def over_a_square(v, y, w):
    """The least 14 v with v >= y**2 + w**2 and v + y >= 12 is at (9, 3, 0)."""
    A = [[-1, -1, 0], [-1, 0, 0], [-1, 0, 0], [0, -2, 0], [0, 0, -2]]
    form = form_of(A, [-12, 1, -1, 0, 0], Cones(nonneg=1, soc=(4,)), [14, 0, 0],
                   lower=[-9] * 3, upper=[99] * 3)  # fmt: skip
    return form, [v, y, w], [12, 10, -8, -6, 0.0]


def test_a_curved_answer_is_lifted_sharpened_and_cleaned():
    form, x, z = over_a_square(9 + 1e-6, 3 + 1e-7, 1e-7)
    found = points(form, x, z)
    assert found[0] == (x, z)
    assert found[1][0] == pytest.approx([x[1] ** 2, x[1], x[2]], rel=1e-15)
    assert found[1][1] == z
    assert found[2][0] == pytest.approx([9, 3, 0], rel=1e-14, abs=1e-14)
    assert found[2][1] == pytest.approx(z, rel=1e-14, abs=1e-14)
    nothing, linear, quiet, place = [0.0] * 5, [12, 0, 0, 0, 0], z, 3
    for _ in range(2):  # a room of 20 / 2 is left to w: 1e-7 is more than 1e-8, and less than 1e-5
        assert found[place : place + 2] == [(x, nothing), (x, linear)]
        place += 2
    at = [x[0], x[1], 0.0]
    for _ in range(2):
        assert found[place : place + 2] == [(at, nothing), (at, linear)]
        assert found[place + 2][0] == pytest.approx([x[1] ** 2, x[1], 0.0], rel=1e-15)
        assert found[place + 2][1] == pytest.approx(quiet)
        assert found[place + 3][0] == found[place + 4][0] == at
        assert (found[place + 3][1], found[place + 4][1]) == (pytest.approx(quiet), z)
        place += 5
    assert found[place:] == []  # no row is missed
    beside, x, z = over_a_square(9 - 1e-6, 3 - 1e-7, 1e-7)
    assert points(beside, x, z)[-1][0] == pytest.approx([x[0], 12 - x[0], x[2]], rel=1e-15)
    assert points(beside, x, z)[-1][1] == z
    assert points(beside, x, z)[-1][0][2] == 1e-7


def test_a_sharpened_point_stays_inside_its_bounds():
    form, x, z = over_a_square(9.0, 3 - 1e-9, 0.0)
    capped = replace(form, upper=np.array([99.0, 3 - 1e-9, 99.0]))
    assert all(point[1] <= 3 - 1e-9 for point, _ in points(capped, x, z))


def test_squares_of_nothing_are_brought_onto_their_rows():
    """Half the square of w = x + y - 3, which may be nothing."""
    P = sp.csc_array(np.diag([0, 0, 1.0]))
    form = form_of([[1, 1, -1]], [3], Cones(zero=1), [0, 0, 0], P=P,
                   lower=[0, 0, -9], upper=[9, 9, 9], offset=2.0)  # fmt: skip
    found = points(form, [1.0, 2.0 + 2e-5, 1e-6], [1e-6])
    clean = [k for k, (x, _) in enumerate(found) if x[2] == 0.0 and abs(sum(x) - 3) <= 1e-15]
    assert clean
    assert found[clean[0]][1] == [0.0]
    assert found[clean[0] + 1] == ([1.0, 2.0 + 2e-5, 0.0], [0.0])
    moved = found[clean[0]][0]
    assert moved[:2] == pytest.approx([1 - 1e-5, 2 + 1e-5], rel=1e-12)  # their room is the same
    # One that is worth something is not brought anywhere.
    dear = replace(form, lower=np.array([0, 0, 0.5]))
    assert all(x[2] >= 0.5 for x, _ in points(dear, [1.0, 2.5 + 2e-5, 0.5], [0.5]))


# Sizes that are too large, and steps that are too many.


@pytest.mark.parametrize("size", [4000, 4001])
def test_four_thousand_equations_are_few_enough(size):
    form = StandardForm(np.full(size, -1.0), 0.0, sp.csc_array((0, size)), np.zeros(0), Cones(),
                        sp.csc_array(sp.eye_array(size)))  # fmt: skip
    found = on_active_set(form, np.full(size, 0.5), np.zeros(0), np.ones(size))
    assert (found is not None) == (size == 4000)
    if found is not None:
        np.testing.assert_array_equal(found[0], np.ones(size))


@pytest.mark.parametrize("size", [500, 501])
def test_five_hundred_dense_equations_are_few_enough(size):
    form = StandardForm(np.zeros(size), 0.0, sp.csc_array((0, size)), np.zeros(0), Cones())
    nothing, room = np.zeros(0), np.ones(size)
    found = on_active_set(form, np.full(size, 0.5), nothing, room, downhill=True)
    assert (found is not None) == (size == 500)


def test_fifty_steps_are_taken_downhill():
    """A column reaches its bound in each."""
    ends = np.arange(1.0, 61.0)
    form = StandardForm(-np.ones(60), 0.0, sp.csc_array((0, 60)), np.zeros(0), Cones(), None,
                        np.zeros(60), ends)  # fmt: skip
    terms = TermSizes(form, np.zeros(60), np.zeros(0))
    x, free, _ = polish._downhill(terms, np.zeros(60), np.arange(60), np.zeros(0, int),
                                  np.ones(60), form.ranges())  # fmt: skip
    assert x.tolist() == np.minimum(ends, 50.0).tolist()
    assert free.tolist() == list(range(50, 60))


def test_rows_that_are_nearly_parallel_are_told_apart():
    """x + y = 2 and x + (1 + 2**-30) y = 2 + 2**-30: (1, 1), by a matrix of 1e-9."""
    apart = 2.0**-30
    form = form_of([[1, 1], [1, 1 + apart]], [2, 2 + apart], Cones(zero=2), [3, 3 + 2 * apart])
    near = np.array([1 + 1e-3, 1 - 1e-3]), np.array([-1.1, -1.9])
    x, z = on_active_set(form, *near, np.ones(2))
    assert (x.tolist(), z.tolist()) == ([1, 1], [-1, -2])


def test_multipliers_that_are_worth_next_to_nothing_are_kept_and_those_below_are_not():
    for size, kept in ((2.0**-56, True), (2.0**-65, True), (2.0**-76, False)):
        form = form_of([[-1, -1, 0, 0], [0, 0, -1, -1]], [-2, -2], Cones(nonneg=2),
                       [1, 2, size, 2 * size], lower=[-INF, 0, -INF, 0])  # fmt: skip
        x, z = np.array([2.0, 0, 2, 0]), np.array([1.0, size])
        found = on_active_set(form, x, z, np.full(4, 2.0))
        assert found[1].tolist() == [1.0, size if kept else 0.0]


def test_steps_beyond_the_largest_float_are_not_taken():
    """1e-200 x = 1e200 has a solution that no float is."""
    form = form_of([[1e-200]], [1e200], Cones(zero=1), [0], P=sp.csc_array([[1e-200]]))
    with np.errstate(all="ignore"):
        assert on_active_set(form, np.ones(1), np.zeros(1), np.full(1, INF)) is None
