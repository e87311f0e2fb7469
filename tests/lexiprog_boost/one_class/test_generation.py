"""A few columns have the optima of all of them, and the gap says so."""

import numpy as np
import pytest

from lexiprog_boost import one_class_program
from lexiprog_boost.one_class.generation import generate
from lexiprog_boost.one_class.hypotheses import place_bumps
from tests.lexiprog_boost.one_class.written_out import balance, group_optimum


@pytest.fixture(scope="module")
def pool():
    rng = np.random.default_rng(4)
    X = np.r_[rng.normal(0, 1, (50, 2)), rng.normal(4, 0.5, (12, 2)), rng.normal(-3, 2, (20, 2))]
    codes = np.repeat([0, 1, 2], [50, 12, 20])
    return place_bumps(X, 200, 1.0, np.random.RandomState(0)).values(X), codes


@pytest.mark.parametrize("nu", [0.05, 0.2, 0.8])
def test_optima_are_those_of_all_hypotheses(pool, nu):
    values, codes = pool
    found = generate(values, codes, nu)
    optima = [group_optimum(values[codes == g], nu) for g in range(3)]
    assert found.optima == pytest.approx(optima, abs=1e-5)
    assert found.gap <= 1e-6
    assert len(found.columns) < 0.7 * values.shape[1]
    result = one_class_program(values[:, found.columns], codes, nu=nu).solve()
    assert result.final.value == pytest.approx(balance(values, codes, optima, nu), abs=1e-5)


def test_one_group_alone_is_not_balanced(pool):
    values, _ = pool
    found = generate(values, np.zeros(len(values), dtype=int), 0.1)
    assert found.optima == pytest.approx([group_optimum(values, 0.1)], abs=1e-5)


def test_rounds_that_do_not_suffice_leave_a_gap_that_bounds_the_loss(pool):
    values, codes = pool
    mine = values[codes == 0]
    found = generate(mine, np.zeros(len(mine), dtype=int), 0.1, most=2)
    best = group_optimum(mine, 0.1)
    assert found.rounds == 2
    assert found.gap > 1e-4
    assert found.optima[0] <= best <= found.optima[0] + found.gap + 1e-9
