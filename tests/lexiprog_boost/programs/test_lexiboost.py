"""P_j and Q have the optima that scipy finds, with every option and every solver."""

import numpy as np
import pytest

from lexiprog_boost import lexiboost_program
from tests.lexiprog_boost.written_out import lexi_programs as independent
from tests.lexiprog_boost.written_out.lexi_programs import OPTIONS, ours


@pytest.mark.parametrize("kind", ["votes", "values"])
@pytest.mark.parametrize("name", OPTIONS)
def test_primal_optima_are_those_of_linprog(name, kind):
    M, y = independent.margins(1, kind=kind)
    costs = np.array([1.0, 2.0, 0.5])
    result = lexiboost_program(M, y, class_costs=costs, **ours(OPTIONS[name])).solve()
    optima = np.array([independent.class_optimum(M, y, j, **OPTIONS[name]) for j in range(3)])
    np.testing.assert_allclose([result[f"class:{j}"].value for j in range(3)], optima, atol=1e-9)
    chi = independent.balance(M, y, optima, costs=costs, **OPTIONS[name])
    assert result["balance"].value == pytest.approx(chi, abs=1e-9)


@pytest.mark.parametrize("solver", ["HIGHS", "CLARABEL", "ECOS", "SCIPY"])
def test_every_solver_finds_the_same_optimum(solver):
    M, y = independent.margins(5, kind="values")
    reference = lexiboost_program(M, y, margin_target=0.5).solve()
    result = lexiboost_program(M, y, margin_target=0.5).solve(solver)
    for name, solution in reference.items():
        assert result[name].value == pytest.approx(solution.value, abs=1e-6)


def test_unit_costs_of_another_scale_change_nothing_but_chi():
    M, y = independent.margins(4)
    one = lexiboost_program(M, y).solve()["balance"].value
    ten = lexiboost_program(M, y, class_costs=[10, 10, 10]).solve()["balance"].value
    assert ten == pytest.approx(10 * one, abs=1e-8)
