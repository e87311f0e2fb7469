"""Prices of geometric programs are derivatives, not elasticities."""

import cvxpy as cp
import pytest

import lexiprog as lx


def test_the_price_of_a_geometric_level_is_the_slope_of_its_tradeoff():
    width, height = cp.Variable(pos=True, name="width"), cp.Variable(pos=True, name="height")
    program = lx.preemptive(
        {"area": cp.Minimize(width * height), "width": cp.Maximize(width)},
        [width * height**2 >= 8, height <= 4, width <= 50],
        atol={"area": 1.0},
        gp=True,
    )
    result = program.solve()
    # Least area at height 4, width 1/2: 2. With area 3: width = area^2 / 8 by w h^2 = 8.
    assert result["area"].value == pytest.approx(2.0, rel=1e-6)
    assert result["width"].value == pytest.approx(9 / 8, rel=1e-6)
    assert result["width"].price("area") == pytest.approx(2 * 3 / 8, rel=1e-5)
