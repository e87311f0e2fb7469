"""Least cores and nucleoli of games that are given as pydvl gives them, without pydvl."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import linprog

from lexiprog import DeclarationError
from lexiprog.contrib.pydvl import least_core, nucleolus


def game(worth, players):
    members = np.array(list(product([0, 1], repeat=players)), dtype=float)
    values = np.array([worth(row) for row in members], dtype=float)
    return SimpleNamespace(A_lb=members, utility_values=values)


def estate(row, claims=(100, 200, 300), left=300):
    return max(0.0, left - np.dot(1 - row, claims))


def test_the_nucleolus_is_the_talmuds_division():
    found = nucleolus(game(estate, 3))
    assert found.values == pytest.approx([50, 100, 150])


@pytest.mark.parametrize("seed", range(3))
def test_the_subsidy_is_the_least_and_the_nucleolus_is_in_the_least_core(seed):
    rng = np.random.default_rng(seed)
    table = {row: rng.uniform() * sum(row) for row in product([0, 1], repeat=5)}
    problem = game(lambda row: table[tuple(int(k) for k in row)], 5)
    inner = problem.A_lb[1:-1]
    bare = linprog(
        [0] * 5 + [1],
        A_ub=np.c_[-inner, -np.ones(len(inner))], b_ub=-problem.utility_values[1:-1],
        A_eq=[[1] * 5 + [0]], b_eq=problem.utility_values[-1:], bounds=(None, None),
    )  # fmt: skip
    for found in (least_core(problem), nucleolus(problem)):
        assert found.subsidy == pytest.approx(bare.fun)
        assert found.values.sum() == pytest.approx(problem.utility_values[-1])
        lacking = problem.utility_values[1:-1] - inner @ found.values
        assert lacking.max() == pytest.approx(bare.fun, abs=1e-7)


def test_coalitions_may_come_twice_and_the_whole_one_be_given_apart():
    problem = game(estate, 3)
    rows = [1, 2, 3, 4, 5, 6, 6, 1]
    part = SimpleNamespace(A_lb=problem.A_lb[rows], utility_values=problem.utility_values[rows])
    assert nucleolus(part, total=300).values == pytest.approx([50, 100, 150])
    with pytest.raises(DeclarationError, match="total"):
        nucleolus(part)


def test_numbers_that_are_none_are_refused():
    problem = game(estate, 3)
    with pytest.raises(DeclarationError, match="8 coalitions"):
        least_core(SimpleNamespace(A_lb=problem.A_lb, utility_values=[1.0, 2.0]))
    with pytest.raises(DeclarationError, match="finite"):
        least_core(SimpleNamespace(A_lb=problem.A_lb, utility_values=[np.nan] * 8))
