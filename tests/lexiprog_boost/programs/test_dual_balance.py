"""The duals, exact or as printed, have the optima that the primal programs and scipy find."""

import numpy as np
import pytest

from lexiprog_boost import dual_balance_program, dual_class_program, lexiboost_program
from tests.lexiprog_boost.written_out import lexi_programs as independent
from tests.lexiprog_boost.written_out.lexi_programs import OPTIONS, ours


@pytest.mark.parametrize("kind", ["votes", "values"])
@pytest.mark.parametrize("name", OPTIONS)
def test_exact_duals_close_the_gap(name, kind):
    M, y = independent.margins(2, kind=kind)
    costs = np.array([1.0, 3.0, 0.5])
    primal = lexiboost_program(M, y, class_costs=costs, **ours(OPTIONS[name])).solve()
    optima = [primal[f"class:{j}"].value for j in range(3)]
    for j in range(3):
        dual = dual_class_program(M, y, j, form="exact", **ours(OPTIONS[name])).solve()
        assert dual.final.value == pytest.approx(optima[j], abs=1e-9)
    dual = dual_balance_program(
        M, y, optima, form="exact", class_costs=costs, **ours(OPTIONS[name])
    ).solve()
    assert dual.final.value == pytest.approx(primal["balance"].value, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_printed_duals_have_the_optima_of_linprog(seed):
    M, y = independent.margins(seed, members=4)
    for j in range(3):
        found = dual_class_program(M, y, j).solve().final.value
        assert found == pytest.approx(independent.paper_dual_class(M, y, j), abs=1e-9)
    optima = np.array([0.1, 0.2, 0.3])
    found = dual_balance_program(M, y, optima).solve().final.value
    assert found == pytest.approx(independent.paper_dual_balance(M, y, optima), abs=1e-9)
