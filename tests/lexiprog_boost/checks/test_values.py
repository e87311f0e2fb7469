"""Options are checked one by one; each refusal names what was given."""

import numpy as np
import pytest

from lexiprog_boost.checks.values import (
    check_class_costs,
    check_optima,
    check_rounds,
    check_weight_cap,
    reachable_cap,
)

CLASSES = np.array(["many", "rare"])


def test_costs_and_optima_are_taken_by_label_or_in_order():
    for costs in ({"rare": 5, "many": 1}, [1, 5], np.array([1.0, 5.0])):
        assert check_class_costs(costs, CLASSES).tolist() == [1.0, 5.0]
        assert check_optima(costs, CLASSES).tolist() == [1.0, 5.0]
    assert check_class_costs(None, CLASSES).tolist() == [1.0, 1.0]


def test_a_cap_of_one_over_the_number_of_members_passes_but_for_nothing_smaller():
    assert check_weight_cap(1 / 3, 3) == 1 / 3
    assert check_weight_cap(1 / 3 - 1e-15, 3) == 1 / 3
    assert check_weight_cap(1, 3) is None
    with pytest.raises(ValueError, match="at least 1/3"):
        check_weight_cap(0.33, 3)


def test_few_members_keep_the_least_cap_they_can():
    assert reachable_cap(0.3, 2) == 0.5
    assert reachable_cap(0.3, 4) == 0.3
    assert reachable_cap(None, 1) is None
    for wrong in (-1, "much"):  # left to be refused with a sentence
        with pytest.raises(ValueError, match="weight_cap is"):
            check_weight_cap(reachable_cap(wrong, 2), 2)


@pytest.mark.parametrize("rounds", [0, -3])
def test_a_pool_needs_a_round(rounds):
    with pytest.raises(ValueError, match=f"n_estimators is {rounds}"):
        check_rounds(rounds)


def test_optima_that_are_missing_or_endless_are_named():
    with pytest.raises(ValueError, match="no value for class 'rare'"):
        check_optima({"many": 0}, CLASSES)
    for wrong in ([0.0], [0.0, np.inf]):
        with pytest.raises(ValueError, match="one finite number for each of"):
            check_optima(wrong, CLASSES)
