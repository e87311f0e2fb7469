"""The printed dual of Q on class means is that of all points."""

import numpy as np
import pytest

from lexiprog_boost import dual_balance_program
from lexiprog_boost.margins import class_mean_margins
from lexiprog_boost.programs import check_inputs
from lexiprog_boost.reductions import (
    class_optima,
    class_weight_program,
    collapse,
    spread_class_weights,
)
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
