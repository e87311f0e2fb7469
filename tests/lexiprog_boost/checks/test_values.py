"""Options are checked one by one; each refusal names what was given."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from lexiprog_boost import DualLexiBoostClassifier, LexiBoostClassifier, LPBoostClassifier
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


@pytest.mark.parametrize("rounds", [2.5, "many", None, True])
def test_rounds_are_counted_in_whole_numbers(rounds):
    with pytest.raises(TypeError, match=f"n_estimators is {rounds!r}"):
        check_rounds(rounds)


@pytest.mark.parametrize("odd", [3, "tree", DecisionTreeClassifier])
def test_what_cannot_be_trained_is_refused_by_a_sentence(odd):
    for model in (LexiBoostClassifier(odd), DualLexiBoostClassifier(odd), LPBoostClassifier(odd)):
        with pytest.raises(TypeError, match="it must be a classifier with a method fit"):
            model.fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    "odd", [DecisionTreeRegressor(), make_pipeline(StandardScaler(), LinearRegression())], ids=str
)
def test_regressors_are_refused_as_members(odd):
    for model in (LexiBoostClassifier(odd), DualLexiBoostClassifier(odd), LPBoostClassifier(odd)):
        with pytest.raises(TypeError, match="a regressor, whose numbers are no votes"):
            model.fit([[0.0], [1.0]], [0, 1])


def test_no_rounds_and_an_unknown_dual_are_named():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    with pytest.raises(ValueError, match="n_estimators is 0"):
        DualLexiBoostClassifier(n_estimators=0).fit(X, y)
    with pytest.raises(ValueError, match="unknown form 'odd' of the dual"):
        DualLexiBoostClassifier(dual="odd").fit(X, y)
