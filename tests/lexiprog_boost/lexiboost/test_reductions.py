"""Every reduction has the optimum of the full program, and its weights are optimal there."""

import numpy as np
import pytest

from lexiprog_boost import dual_balance_program, lexiboost_program
from lexiprog_boost.margins import class_mean_margins
from lexiprog_boost.programs import check_inputs, game_program
from lexiprog_boost.programs.lexiboost import declare_balance
from lexiprog_boost.reductions import (
    capped_maximum,
    class_optima,
    class_optimum_by_dual,
    class_weight_program,
    collapse,
    compress_rows,
    solve_screened,
    spread_class_weights,
)
from tests.lexiprog_boost.lexiboost import random_margins as independent


def collapsed(M, y, **options):
    return collapse(class_mean_margins([(M, y)]), **options)


@pytest.mark.parametrize("cap", [None, 0.4])
@pytest.mark.parametrize("seed", range(4))
def test_f1_f8_the_game_on_class_means_is_the_full_program(seed, cap):
    M, y = independent.margins(seed)
    costs = [1.0, 2.0, 3.0]
    full = lexiboost_program(M, y, class_costs=costs, weight_cap=cap).solve()
    small = collapsed(M, y, class_costs=costs, weight_cap=cap)
    optima = class_optima(small)
    np.testing.assert_allclose([full[f"class:{j}"].value for j in range(3)], optima, atol=1e-9)
    balance = game_program(small, optima).solve().final
    assert balance.value == pytest.approx(full["balance"].value, abs=1e-9)
    losses = check_inputs(M, y).losses(balance["alpha"])
    assert max(costs * (losses - optima)) == pytest.approx(full["balance"].value, abs=1e-9)


def test_f2_a_vertex_has_at_most_one_member_a_class():
    for seed in range(10):
        M, y = independent.margins(seed, members=12)
        small = collapsed(M, y)
        alpha = game_program(small, class_optima(small)).solve("HIGHS").final["alpha"]
        assert (alpha > 1e-9).sum() <= 3


def test_f3_the_printed_dual_of_q_is_uniform_inside_classes_and_has_the_optimum_of_q():
    M, y = independent.margins(6)
    small = collapsed(M, y)
    optima = class_optima(small)
    printed = dual_balance_program(M, y, optima).solve().final
    for j in range(3):
        assert np.ptp(printed["D"][y == j]) < 1e-9
    reduced = class_weight_program(small, optima).solve().final
    assert reduced.value == pytest.approx(printed.value, abs=1e-9)
    assert reduced.value == pytest.approx(independent.balance(M, y, optima), abs=1e-9)
    assert spread_class_weights(check_inputs(M, y), reduced["d"]).sum() == pytest.approx(1)


@pytest.mark.parametrize("costs", [[1.0, 2.0, 5.0], [0.3, 0.1, 0.2]])
def test_f3_with_costs_is_the_printed_dual_whatever_their_scale(costs):
    M, y = independent.margins(7)
    small = collapsed(M, y, class_costs=costs)
    optima = class_optima(small)
    printed = dual_balance_program(M, y, optima, class_costs=costs).solve().final
    reduced = class_weight_program(small, optima).solve().final
    assert reduced.value == pytest.approx(printed.value, abs=1e-9)


@pytest.mark.parametrize("kind", ["votes", "values"])
def test_f6_merged_rows_have_the_same_optima(kind):
    M, y = independent.margins(8, members=3, kind=kind)
    M = M if kind == "votes" else np.round(M, 1)
    weights = np.arange(60) % 3
    merged = compress_rows(check_inputs(M, y, sample_weight=weights, margin_target=0.5))
    assert len(merged.inputs.codes) < 60
    full = lexiboost_program(M, y, sample_weight=weights, margin_target=0.5).solve()
    optima = [full[f"class:{j}"].value for j in range(3)]
    small = declare_balance(merged.inputs, optima).solve().final
    assert small.value == pytest.approx(full["balance"].value, abs=1e-9)
    back = merged.to_points(merged.inputs.weights)
    np.testing.assert_allclose(back, check_inputs(M, y, sample_weight=weights).weights)
    assert (merged.groups[weights == 0] == -1).all()


@pytest.mark.parametrize("seed", range(3))
def test_f7_the_dual_form_gives_the_class_optimum_and_weights_that_attain_it(seed):
    M, y = independent.margins(seed, kind="values")
    inputs = check_inputs(M, y, margin_target=0.5, weight_cap=0.5)
    for j in range(3):
        optimum, alpha = class_optimum_by_dual(inputs, j)
        expected = independent.class_optimum(M, y, j, theta=0.5, cap=0.5)
        assert optimum == pytest.approx(expected, abs=1e-9)
        assert inputs.losses(alpha)[j] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_f14_hinges_for_the_points_in_doubt_suffice(seed):
    M, y = independent.margins(seed, points=1500, members=5, kind="values")
    inputs = check_inputs(M, y, margin_target=0.5)
    optima = [independent.class_optimum(M, y, j, theta=0.5) for j in range(3)]

    def solve(hinges, linear):
        solution = declare_balance(hinges, optima, linear).solve().final
        return solution.value, solution["alpha"]

    screened = solve_screened(inputs, solve)
    assert screened.found == pytest.approx(independent.balance(M, y, optima, theta=0.5), abs=1e-9)
    assert len(screened.hinges.codes) < 1500
    assert max(inputs.losses(screened.alpha) - optima) == pytest.approx(screened.found, abs=1e-9)


def test_capped_maximum_is_that_of_linprog():
    rng = np.random.default_rng(0)
    for cap in (0.21, 0.5, 0.9):
        values = rng.normal(size=(1, 5))
        best = independent.solve(
            -values[0], None, None, [np.ones(5)], [1.0], [(0, cap)] * 5
        ).fun  # fmt: skip
        assert capped_maximum(values, cap)[0] == pytest.approx(-best, abs=1e-12)


def test_class_means_beyond_the_target_are_refused():
    with pytest.raises(ValueError, match="class means don't suffice"):
        collapsed(np.array([[1.0], [1.0]]), np.array([0, 1]), margin_target=0.5)
