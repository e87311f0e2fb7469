"""The game on class means has the optimum of the full program."""

import numpy as np
import pytest

from lexiprog_boost import lexiboost_program
from lexiprog_boost.margins import class_mean_margins
from lexiprog_boost.programs import check_inputs, game_program
from lexiprog_boost.reductions import capped_maximum, class_optima, collapse
from tests.lexiprog_boost.written_out import lexi_programs as independent


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


@pytest.mark.parametrize("target", [0.25, 0.8, 1.0])
def test_losses_are_counted_from_the_target_whatever_it_is(target):
    """Where no margin is above a quarter, each class loses theta minus its best mean margin."""
    M = np.array([[0.2, -0.5], [0.1, -0.1], [-1.0, 0.25]])
    found = collapsed(M, np.array([0, 0, 1]), margin_target=target, weight_cap=0.9)
    assert (found.target, found.cap) == (target, 0.9)
    means = [0.9 * 0.15 + 0.1 * -0.3, 0.9 * 0.25 + 0.1 * -1.0]
    assert class_optima(found) == pytest.approx(target - np.array(means))
    assert found.codes.tolist() == [0, 1]
    assert found.weights.tolist() == [1.0, 1.0]


def test_the_largest_values_are_filled_up_to_the_cap_row_by_row():
    values = [[3, 1, 2], [-1, -2, -4]]
    assert capped_maximum(values).tolist() == [3, -1]
    assert capped_maximum(values, 1.0) == pytest.approx([3, -1])
    assert capped_maximum(values, 0.5) == pytest.approx([2.5, -1.5])
    assert capped_maximum(values, 1 / 3) == pytest.approx([2, -7 / 3])
    assert capped_maximum([5, 7], 0.6) == pytest.approx([0.6 * 7 + 0.4 * 5])
