"""Weights reach who can use them."""

import numpy as np
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lexiprog_boost.members.fitting import weighted_fit

X, Y = load_iris(return_X_y=True)


def test_weights_reach_the_last_step_of_a_pipeline_and_skip_who_takes_none():
    weights = np.where(Y == 2, 1.0, 1e-6)
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    assert set(weighted_fit(pipeline, X, Y, weights).predict(X)) == {2}
    assert weighted_fit(KNeighborsClassifier(1), X, Y, weights).score(X, Y) == 1.0
    assert weighted_fit(DummyClassifier(), X, Y, weights).predict(X[:1]).tolist() == [2]
