"""Long whole numbers written in digits have the optima that all points in integers show."""

from itertools import product
from random import Random

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lexiprog.backends.digits import DigitRows, base_of, divided, solve_by_digits
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify.whole_numbers import WholeNumbers
from lexiprog.deadline import Deadline


def knapsack(costs, rows, *, zero=0, most=1):
    """Rows are (weights, limit)."""
    size = len(costs)
    A = np.array([weights for weights, _ in rows], float)
    return StandardForm(
        np.array(costs, float), 0.0, sp.csc_array(A), np.array([b for _, b in rows], float),
        Cones(zero=zero, nonneg=len(rows) - zero), lower=np.zeros(size),
        upper=np.full(size, float(most)), integer=np.arange(size),
    )  # fmt: skip


def searched(form, **options):
    return solve_by_digits(form, WholeNumbers.of(form), {}, **options)


def test_the_lesser_value_is_taken_where_the_better_does_not_fit_by_one():
    """3 for the first; both, worth 5, weigh one too much."""
    found = searched(knapsack([-3, -2], [([9999999999, 5000000001], 14999999999)]))
    assert (found.said, found.x.tolist(), found.bound) == ("kOptimal", [1.0, 0.0], -3.0)


def test_an_objective_of_twelve_digits_is_right_to_the_last():
    found = searched(knapsack([-(10**11) - 3, -(10**11) - 6, -(10**11) - 5], [([1, 1, 1], 2)]))
    assert found.x.tolist() == [0.0, 1.0, 1.0]
    assert found.bound == -(2 * 10**11 + 11)


def test_an_odd_sum_of_even_weights_is_infeasible():
    assert searched(knapsack([1, 1], [([6e9, 4e9], 10000000001)], zero=1)).said == "kInfeasible"


def test_no_time_at_all_leaves_the_start_and_a_bound_or_nothing():
    form = knapsack([-(10**11) - 3, -(10**11) - 6], [([1, 1], 1)])
    stopped = searched(form, deadline=Deadline(seconds=0.0))
    assert stopped.x is None
    assert stopped.status.is_limit
    begun = searched(form, start=np.array([1.0, 0.0]), deadline=Deadline(seconds=0.0))
    assert begun.x.tolist() == [1.0, 0.0]
    assert begun.status.is_limit


@given(st.dictionaries(st.integers(0, 5), st.integers(-(10**14), 10**14), min_size=1))
def test_the_parts_of_a_number_add_up_to_it(terms):
    base = base_of(terms)
    high, low = divided(terms, base)
    assert all(base * high.get(j, 0) + low.get(j, 0) == c for j, c in terms.items())
    assert all(abs(c) <= base // 2 for c in low.values())


@given(st.integers(0, 2**31), st.booleans())
def test_the_carries_of_a_point_satisfy_the_rows_exactly_if_it_does(seed, equation):
    random = Random(seed)
    counts = {j: random.randint(-(10**12), 10**12) for j in range(4)}
    point = [random.randint(0, 5) for _ in range(4)]
    limit = sum(c * v for c, v in zip(counts.values(), point, strict=True))
    limit += 0 if equation else random.choice([0, 0, 1, -1, random.randint(-(10**9), 10**9)])
    fits = sum(c * v for c, v in zip(counts.values(), point, strict=True)) <= limit
    rows = DigitRows([0.0] * 4, [5.0] * 4)
    rows.add(dict(counts), limit, equation=equation)
    x = rows.completed(np.array(point, float))
    sums = [sum(c * int(x[j]) for j, c in terms.items()) for terms, *_ in rows.rows]
    sides = [side for _, side, _ in rows.rows]
    within = [s == b if equation else s <= b for s, b in zip(sums, sides, strict=True)]
    assert all(within) is fits
    assert (x >= rows.lower).all()
    assert (x <= rows.upper).all()


@pytest.mark.parametrize("seed", range(12))
def test_the_best_point_is_that_of_all_points(seed):
    random = Random(seed)
    size, most = random.choice([(8, 1), (4, 4)])
    weights = [random.randint(10**9, 10**12) for _ in range(size)]
    costs = [random.randint(-(10**11), 10**11) for _ in range(size)]
    room = sum(w * random.randint(0, most) for w in weights) - random.randint(0, 1)
    values = [
        sum(c * v for c, v in zip(costs, p, strict=True))
        for p in product(range(most + 1), repeat=size)
        if sum(w * v for w, v in zip(weights, p, strict=True)) <= room
    ]
    found = searched(knapsack(costs, [(weights, room)], most=most))
    assert found.bound == min(values)
    assert sum(c * int(v) for c, v in zip(costs, found.x, strict=True)) == min(values)


def test_who_watches_a_search_in_digits_sees_values_of_the_objective_itself():
    costs = [-(10**11) - 3, -(10**11) - 6, -(10**11) - 5]
    deadline = Deadline()
    found = searched(knapsack(costs, [([1, 1, 1], 2)]), deadline=deadline)
    assert deadline.latest == (found.bound, found.bound)
    content = Deadline()
    content.enough = True
    found = searched(knapsack(costs, [([1, 1, 1], 2)]), deadline=content)
    assert found.status.is_limit
    assert found.bound <= -(2 * 10**11 + 11) <= float(np.dot(costs, found.x))
