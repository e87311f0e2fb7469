"""LPUBoost lifts the class that costs more."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from lexiprog_boost import LPUBoostClassifier, margin_matrix
from tests.lexiprog_boost.classifiers.boosted_stumps import IMBALANCED, fit
from tests.lexiprog_boost.written_out import soft_margins as written_out


def test_beta_helps_the_rare_class():
    X, y = IMBALANCED
    models = [fit(LPUBoostClassifier(nu=0.4, beta=beta)) for beta in (1, 8)]
    losses = []
    for model in models:
        rho = margin_matrix(model.estimators_, X, y) @ model.estimator_weights_
        losses.append(np.maximum(model.margin_ - rho, 0)[y == 1].mean())
    assert losses[1] < losses[0]


def test_class_costs_replace_beta_and_serve_many_classes():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    costs = {"setosa": 1, "versicolor": 2, "virginica": 4}
    named = fit(LPUBoostClassifier(class_costs=costs), (X, names))
    listed = fit(LPUBoostClassifier(class_costs=[1, 2, 4]), (X, names))
    assert np.array_equal(named.estimator_weights_, listed.estimator_weights_)
    margins = margin_matrix(named.estimators_, X, names)
    upper = np.array([1, 2, 4])[y] / (0.1 * len(y))
    rho, r = margins @ named.estimator_weights_, named.margin_
    value = r - upper @ np.maximum(r - rho, 0)
    assert value == pytest.approx(written_out.primal(margins, upper)[0], abs=1e-7)
