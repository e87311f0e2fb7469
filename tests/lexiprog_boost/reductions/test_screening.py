"""A few hinges have the optimum of all."""

import pytest

from lexiprog_boost.programs import check_inputs
from lexiprog_boost.programs.lexiboost import declare_balance
from lexiprog_boost.reductions import solve_screened
from tests.lexiprog_boost.written_out import lexi_programs as independent


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
