"""The one-class program and its groups, against scipy on all columns."""

import numpy as np
import pytest

from lexiprog_boost import one_class_program
from tests.lexiprog_boost.one_class.written_out import balance, group_optimum


@pytest.mark.parametrize("seed", range(3))
def test_one_group_has_the_optimum_of_the_program_written_out(seed):
    rng = np.random.default_rng(seed)
    H, nu = rng.random((40, 6)), rng.uniform(0.05, 1)
    found = one_class_program(H, nu=nu).solve().final
    assert found.value == pytest.approx(group_optimum(H, nu), abs=1e-9)
    assert found["alpha"].sum() == pytest.approx(1)
    assert (found["alpha"] >= 0).all()


@pytest.mark.parametrize("seed", range(3))
def test_groups_have_their_own_optima_and_the_least_worst_deviation(seed):
    rng = np.random.default_rng(seed)
    H, nu, groups = rng.random((45, 5)), 0.3, rng.permutation(np.arange(45) % 3)
    result = one_class_program(H, groups, nu=nu).solve()
    optima = [group_optimum(H[groups == g], nu) for g in range(3)]
    assert [result[f"group:{g}"].value for g in range(3)] == pytest.approx(optima, abs=1e-9)
    assert result.final.value == pytest.approx(balance(H, groups, optima, nu), abs=1e-9)
    assert result.final.value > 1e-3


def test_with_the_whole_share_the_mean_counts_and_with_a_small_one_the_lowest_point():
    H = np.array([[1.0, 0.4], [1.0, 0.4], [0.1, 0.4]])
    assert one_class_program(H, nu=1).solve().final.value == pytest.approx(0.7)
    assert one_class_program(H, nu=0.1).solve().final.value == pytest.approx(0.4)


@pytest.mark.parametrize("nu", [0, -0.1, 1.1, "few", np.nan])
def test_a_share_that_is_none_is_refused(nu):
    with pytest.raises(ValueError, match="the share of a group that may fall short"):
        one_class_program(np.eye(3), nu=nu)


def test_groups_of_another_length_are_refused():
    with pytest.raises(ValueError, match="one group for each of 3 rows"):
        one_class_program(np.eye(3), [0, 1])
