"""Pools by name, with what their margins ask for."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost.pools import adaboost_m2_pool, adaboost_pool
from lexiprog_boost.pools.adaboost import train_pool

X, Y = load_wine(return_X_y=True)
STUMP = DecisionTreeClassifier(max_depth=1)
WEIGHTS = np.where(Y == 0, 5.0, 1.0)
SHARED = {"n_estimators": 3, "sample_weight": WEIGHTS, "random_state": 0}


@pytest.mark.parametrize("rule", ["vote", "proba"])
def test_m2_is_trained_on_what_the_rule_speaks_of(rule):
    found = train_pool("m2", STUMP, X, Y, rule=rule, keep_distributions=True, **SHARED)
    output = "hard" if rule == "vote" else "confidence"
    expected = adaboost_m2_pool(STUMP, X, Y, output=output, **SHARED)
    assert found.margin_rule == rule
    np.testing.assert_array_equal(found.margins, expected.margins)
    assert found.distributions.shape == (3, len(Y))


def test_adaboost_is_scikit_learns():
    found = train_pool("adaboost", STUMP, X, Y, **SHARED)
    np.testing.assert_array_equal(found.weights, adaboost_pool(STUMP, X, Y, **SHARED).weights)
    assert found.margins is None


def test_a_bar_is_shown_on_demand_and_an_unknown_pool_is_named(capsys):
    train_pool("m2", STUMP, X, Y, verbose=1, title="my stumps", **SHARED)
    assert "my stumps" in capsys.readouterr().err
    with pytest.raises(ValueError, match="unknown pool 'bagging'"):
        train_pool("bagging", STUMP, X, Y, **SHARED)
