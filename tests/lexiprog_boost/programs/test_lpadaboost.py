"""A1 and its dual: the same optimum, found by scipy and by brute force too."""

import itertools

import numpy as np
import pytest

from lexiprog_boost.programs import dual_lpadaboost_program, lpadaboost_program
from tests.lexiprog_boost.written_out import soft_margins as written_out
from tests.lexiprog_boost.written_out.soft_margins import random_problem

SEEDS = range(4)


@pytest.mark.parametrize("seed", SEEDS)
def test_a1_and_its_dual_have_the_optimum_of_linprog(seed):
    margins, _, _ = random_problem(seed)
    primal, dual = lpadaboost_program(margins).solve(), dual_lpadaboost_program(margins).solve()
    assert primal.final.value == pytest.approx(dual.final.value, abs=1e-9)
    assert primal.final.value == pytest.approx(written_out.primal(margins, None)[0], abs=1e-9)
    assert dual.final.value == pytest.approx(written_out.dual(margins, None)[0], abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_a1_beats_every_point_of_a_fine_grid_and_is_near_the_best(seed):
    margins = random_problem(seed, n=6, n_members=3)[0]
    steps = 60
    grid = [
        (a / steps, b / steps, (steps - a - b) / steps)
        for a, b in itertools.product(range(steps + 1), repeat=2)
        if a + b <= steps
    ]
    brute = (np.array(grid) @ margins.T).min(axis=1).max()
    assert brute - 1e-9 <= lpadaboost_program(margins).solve().final.value <= brute + 2 / steps
