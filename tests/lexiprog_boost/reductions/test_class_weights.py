"""The printed dual of Q on class means is that of all points."""

import numpy as np
import pytest

from lexiprog_boost import dual_balance_program
from lexiprog_boost.margins import class_mean_margins
from lexiprog_boost.programs import check_inputs, game_program
from lexiprog_boost.reductions import (
    class_optima,
    class_weight_program,
    collapse,
    spread_class_weights,
)
from lexiprog_boost.reductions.class_mean_form import means_of
from tests.lexiprog_boost.written_out import lexi_programs as independent


def collapsed(M, y, **options):
    return collapse(class_mean_margins([(M, y)]), **options)


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


def test_means_of_classes_are_one_row_each_and_weigh_one():
    M = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.5]])
    inputs = check_inputs(
        M, ["a", "a", "b"], sample_weight=[3, 1, 7], class_costs=[2, 5], margin_target=0.8
    )
    means = means_of(inputs)
    np.testing.assert_allclose(means.margins, [[0.75, 0.25], [-1.0, 0.5]])
    assert (means.codes.tolist(), means.weights.tolist()) == ([0, 1], [1.0, 1.0])
    assert (means.costs.tolist(), means.target) == ([2.0, 5.0], 0.8)


def test_class_weights_are_spread_by_costs_and_weights_and_never_negative():
    inputs = check_inputs(
        [[1], [1], [1]], ["a", "a", "b"], sample_weight=[3, 1, 7], class_costs=[2, 1]
    )
    found = spread_class_weights(inputs, np.array([0.5, 0.5]))
    np.testing.assert_allclose(found, [0.5, 1 / 6, 1 / 3])
    np.testing.assert_allclose(
        spread_class_weights(inputs, np.array([1.0, -1e-9])), [0.75, 0.25, 0]
    )
    # Where all weight is on what costs nothing, the costs alone decide.
    free = check_inputs([[1], [1], [1]], ["a", "a", "b"], class_costs=[3, 0])
    np.testing.assert_allclose(spread_class_weights(free, np.array([0.0, 1.0])), [0.5, 0.5, 0.0])


def test_a_cap_has_its_price_in_the_dual_on_class_means():
    """With weights of at most 0.6 the dual has the optimum of the game: weak duality is strong."""
    M, y = independent.margins(9)
    small = collapsed(M, y, weight_cap=0.3)
    optima = class_optima(small)
    dual = class_weight_program(small, optima).solve().final
    primal = game_program(small, optima).solve().final
    assert dual.value == pytest.approx(primal.value, abs=1e-9)
    assert dual["d"].sum() == pytest.approx(1.0)
