"""Sample weights reach the estimators through scikit-learn's metadata routing."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost import LexiBoostClassifier, LexiThresholdClassifier, LPBoostClassifier


@pytest.mark.parametrize("model", [LexiBoostClassifier, LPBoostClassifier])
def test_a_search_passes_sample_weights_on_when_they_are_requested(model):
    X, y = make_classification(120, weights=[0.8], flip_y=0.1, random_state=0)
    weights = np.random.default_rng(0).uniform(0.1, 5.0, len(y))
    stump = DecisionTreeClassifier(max_depth=1)
    plain = model(stump, n_estimators=5, random_state=0)
    with config_context(enable_metadata_routing=True):
        asked = model(stump, n_estimators=5, random_state=0)
        asked.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        search = GridSearchCV(asked, {"n_estimators": [5]}, cv=2).fit(X, y, sample_weight=weights)
    routed = search.best_estimator_.decision_function(X)
    assert np.allclose(routed, plain.fit(X, y, sample_weight=weights).decision_function(X))
    assert not np.allclose(routed, plain.fit(X, y).decision_function(X))


def test_thresholds_pass_on_what_their_estimator_requests():
    X, y = make_classification(300, weights=[0.8], flip_y=0.1, random_state=0)
    weights = np.random.default_rng(0).uniform(0.1, 5.0, len(y))
    plain = LexiThresholdClassifier(GaussianNB(), random_state=0)
    with config_context(enable_metadata_routing=True):
        asked = LexiThresholdClassifier(
            GaussianNB().set_fit_request(sample_weight=True), random_state=0
        ).set_score_request(sample_weight=False)
        search = GridSearchCV(asked, {"joint": [False]}, cv=2).fit(X, y, sample_weight=weights)
    routed = search.best_estimator_.decision_function(X)
    assert np.allclose(routed, plain.fit(X, y, sample_weight=weights).decision_function(X))
    assert not np.allclose(routed, plain.fit(X, y).decision_function(X))
