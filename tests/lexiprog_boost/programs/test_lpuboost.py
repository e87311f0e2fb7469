"""A3 and its dual: the same optimum, known limits, independent answers."""

import numpy as np
import pytest

from lexiprog_boost.programs import (
    dual_lpuboost_program,
    lpadaboost_program,
    lpboost_program,
    lpuboost_program,
)
from tests.lexiprog_boost.written_out import soft_margins as written_out
from tests.lexiprog_boost.written_out.soft_margins import random_problem

SEEDS = range(4)


@pytest.mark.parametrize("beta", [2.0, 8.0])
@pytest.mark.parametrize("lower_bound", [0.0, 0.02, 0.1])
@pytest.mark.parametrize("seed", SEEDS)
def test_a3_and_its_dual_have_the_optimum_of_linprog(seed, lower_bound, beta):
    margins, y, _ = random_problem(seed)
    settings = {"cap": 1 / (0.4 * len(y)), "beta": beta, "lower_bound": lower_bound}
    upper = settings["cap"] * np.where(y == "rare", beta, 1.0)
    lower = lower_bound * upper
    primal = lpuboost_program(margins, y, **settings).solve().final
    dual = dual_lpuboost_program(margins, y, **settings).solve().final
    assert -primal.value == pytest.approx(dual.value, abs=1e-9)
    assert dual.value == pytest.approx(written_out.dual(margins, upper, lower)[0], abs=1e-9)
    assert -primal.value == pytest.approx(written_out.primal(margins, upper, lower)[0], abs=1e-9)
    assert (dual["D"] >= lower - 1e-9).all()
    assert (dual["D"] <= upper + 1e-9).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_beta_of_one_leaves_lpboost(seed):
    margins, y, weights = random_problem(seed)
    cap = 1 / (0.2 * weights.sum())
    uneven = lpuboost_program(margins, y, cap=cap, beta=1, sample_weight=weights).solve().final
    even = lpboost_program(margins, cap=cap, sample_weight=weights).solve().final
    assert uneven.value == pytest.approx(even.value, abs=1e-12)


def test_beta_is_the_cost_of_the_rarest_class_or_of_the_target():
    margins, y, _ = random_problem(0)
    by_beta = lpuboost_program(margins, y, cap=0.1, beta=4).solve().final.value
    by_costs = lpuboost_program(margins, y, cap=0.1, class_costs={"rare": 4, "many": 1})
    assert by_costs.solve().final.value == pytest.approx(by_beta, abs=1e-12)
    other = lpuboost_program(margins, y, cap=0.1, beta=4, target="many").solve().final.value
    turned = lpuboost_program(margins, y, cap=0.1, class_costs={"rare": 1, "many": 4})
    assert turned.solve().final.value == pytest.approx(other, abs=1e-12)


def test_a_weight_is_a_number_of_copies():
    margins, y, weights = random_problem(3)
    rows = np.repeat(np.arange(len(y)), weights)
    settings = {"cap": 1 / (0.3 * weights.sum()), "beta": 3, "lower_bound": 0.05}
    copied = lpuboost_program(margins[rows], y[rows], **settings).solve().final
    weighted = lpuboost_program(margins, y, sample_weight=weights, **settings).solve().final
    assert weighted.value == pytest.approx(copied.value, abs=1e-9)
    hard = lpadaboost_program(margins[rows]).solve().final
    assert lpadaboost_program(margins, sample_weight=weights).solve().final.value == pytest.approx(
        hard.value, abs=1e-9
    )


BAD = {
    "n D >= 1": {"cap": 0.04},
    "at least 0.0434783": {"cap": 0.04},
    "a number above 0": {"cap": -1},
    "between 0 and 0.2": {"cap": 5 / 23, "lower_bound": 0.3},
    "between 0 and 1": {"cap": 1 / 23, "lower_bound": 1.5},
    "beta is 0": {"cap": 1, "beta": 0},
    "'few' is no class": {"cap": 1, "target": "few"},
}


@pytest.mark.parametrize("message", BAD)
def test_infeasible_settings_are_refused_with_the_feasible_range(message):
    margins, y, _ = random_problem(0)
    with pytest.raises(ValueError, match=message):
        lpuboost_program(margins, y, **{"beta": 1, **BAD[message]})
    with pytest.raises(ValueError, match=message):
        dual_lpuboost_program(margins, y, **{"beta": 1, **BAD[message]})


def test_labels_must_match_the_margins():
    with pytest.raises(ValueError, match="2 rows of margins but 3 labels"):
        lpuboost_program([[1], [1]], ["a", "b", "b"], cap=1)
