"""A2 and its dual: the same optimum, known limits, independent answers."""

import numpy as np
import pytest

from lexiprog_boost.programs import dual_lpboost_program, lpadaboost_program, lpboost_program
from tests.lexiprog_boost.written_out import soft_margins as written_out
from tests.lexiprog_boost.written_out.soft_margins import random_problem

SEEDS = range(4)


@pytest.mark.parametrize("nu", [0.1, 0.37, 1.0])
@pytest.mark.parametrize("seed", SEEDS)
def test_a2_and_its_dual_have_the_optimum_of_linprog(seed, nu):
    margins, _, weights = random_problem(seed)
    cap = 1 / (nu * weights.sum())
    primal = lpboost_program(margins, cap=cap, sample_weight=weights).solve().final
    dual = dual_lpboost_program(margins, cap=cap, sample_weight=weights).solve().final
    assert -primal.value == pytest.approx(dual.value, abs=1e-9)
    assert dual.value == pytest.approx(written_out.dual(margins, cap * weights)[0], abs=1e-9)
    assert -primal.value == pytest.approx(written_out.primal(margins, cap * weights)[0], abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_multipliers_of_the_dual_are_optimal_weights(seed):
    margins, y, _ = random_problem(seed)
    cap = 1 / (0.3 * len(y))
    dual = dual_lpboost_program(margins, cap=cap).solve().final
    alpha = dual.dual(0)
    assert (alpha >= -1e-9).all()
    assert alpha.sum() == pytest.approx(1)
    rho = np.sort(margins @ alpha)
    # For given alpha the best r is one of the margins.
    best = max(r - cap * np.maximum(r - rho, 0).sum() for r in rho)
    assert best == pytest.approx(dual.value, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_smallest_cap_makes_the_average_margin_largest(seed):
    margins, _, _ = random_problem(seed)
    found = dual_lpboost_program(margins, cap=1 / len(margins)).solve().final
    assert found.value == pytest.approx(margins.mean(axis=0).max(), abs=1e-9)
    soft = lpboost_program(margins, cap=1 / len(margins)).solve().final
    assert -soft.value == pytest.approx(margins.mean(axis=0).max(), abs=1e-9)


@pytest.mark.parametrize("cap", [1.0, 5.0, 1e3])
def test_caps_of_one_and_more_leave_lpadaboost(cap):
    margins, _, _ = random_problem(1)
    hard = lpadaboost_program(margins).solve().final.value
    assert -lpboost_program(margins, cap=cap).solve().final.value == pytest.approx(hard, abs=1e-9)
    assert dual_lpboost_program(margins, cap=cap).solve().final.value == pytest.approx(hard)
