"""The order of values with integers, against all points."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.fairness.audit import audit_order
from lexiprog.fairness.integers import order_levels
from lexiprog.fairness.records import Utilities, values_of
from tests.lexiprog.fairness.exact import Exact


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
    from lexiprog.fairness.levels import raise_levels

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


def shared_loads(approvals, candidates, seats, taken):
    """Who is chosen is a load of one, shared by those who approve; ``taken`` are ruled out."""
    pairs = [(voter, c) for voter, approved in enumerate(approvals) for c in approved]
    columns = candidates + len(pairs)
    A = np.zeros((1 + candidates + len(taken), columns))
    A[0, :candidates] = 1
    A[range(1, candidates + 1), range(candidates)] = -1
    U = np.zeros((len(approvals), columns))
    for k, (voter, c) in enumerate(pairs, candidates):
        A[1 + c, k], U[voter, k] = 1, -1
    for row, members in enumerate(taken, 1 + candidates):
        A[row, list(members)] = 1
    b = np.r_[seats, np.zeros(candidates), np.full(len(taken), seats - 1.0)]
    form = StandardForm(
        np.zeros(columns), 0.0, A, b, Cones(zero=1 + candidates, nonneg=len(taken)),
        lower=np.zeros(columns), upper=np.ones(columns), integer=np.arange(candidates),
    )  # fmt: skip
    return form, Utilities(U)


@pytest.mark.parametrize(
    ("approvals", "taken"),
    [
        ("012 012 012 012 012 01 34 34 3", ["013", "023", "123"]),
        ("01 01 02 13 234 4", ["014", "024"]),
        ("4 024 13 03 14 24 0", ["034", "134", "012"]),
    ],
)
def test_whoever_is_chosen_may_serve_an_earlier_position_better(approvals, taken):
    """A step raises one position; the same members, with loads shared anew, may lower it again."""
    approvals = [list(map(int, voter)) for voter in approvals.split()]
    taken = [tuple(map(int, members)) for members in taken]
    form, utilities = shared_loads(approvals, 5, 3, taken)
    orders = []
    for members in set(itertools.combinations(range(5), 3)) - set(taken):
        lower, upper = form.lower.copy(), form.upper.copy()
        lower[:5] = upper[:5] = np.isin(range(5), members)
        rows = (form.A, form.b, form.cones.zero, lower, upper)
        exact = Exact(*rows, utilities.rows.toarray(), utilities.offsets)
        orders.append([float(value) for value, who in exact.levels() for _ in who])
    found = order_levels(form, utilities)
    assert np.sort(utilities.at(found.x)) == pytest.approx(max(orders), abs=1e-7)
    assert audit_order(form, utilities, found).passed


def test_a_worse_point_and_a_half_one_are_noticed():
    form, utilities = random_case(2)
    found = order_levels(form, utilities)
    assert not audit_order(form, utilities, replace(found, x=found.x + 0.5)).passed
    assert not audit_order(form, utilities, replace(found, bounds=found.bounds + 1e-3)).passed
    assert not audit_order(form, utilities, replace(found, bounds=found.bounds[:-1])).passed
