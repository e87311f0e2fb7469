"""The dual form of P_j finds its optimum and weights that attain it."""

import pytest

from lexiprog_boost.programs import check_inputs
from lexiprog_boost.reductions import class_optimum_by_dual
from tests.lexiprog_boost.written_out import lexi_programs as independent


@pytest.mark.parametrize("seed", range(3))
def test_f7_the_dual_form_gives_the_class_optimum_and_weights_that_attain_it(seed):
    M, y = independent.margins(seed, kind="values")
    inputs = check_inputs(M, y, margin_target=0.5, weight_cap=0.5)
    for j in range(3):
        optimum, alpha = class_optimum_by_dual(inputs, j)
        expected = independent.class_optimum(M, y, j, theta=0.5, cap=0.5)
        assert optimum == pytest.approx(expected, abs=1e-9)
        assert inputs.losses(alpha)[j] == pytest.approx(expected, abs=1e-8)
