"""scikit-learn's own checks on the ensemble of a list, calibrated or not."""

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from lexiprog_boost import LexiEnsembleClassifier
from lexiprog_boost.learners import BalancedForestClassifier
from tests.lexiprog_boost.sklearn_checks import DENSE, FOLDS, assert_passes_all_but

PROBABLE = "The most probable class need not be predicted: thresholds balance the classes."
LIST = [
    ("linear", LogisticRegression(class_weight="balanced")),
    ("bayes", GaussianNB()),
    ("forest", BalancedForestClassifier(15)),
]
ESTIMATORS = {
    "calibrated": (
        LexiEnsembleClassifier(LIST, random_state=0),
        {"check_classifiers_train": PROBABLE, DENSE: FOLDS},
    ),
    "not calibrated": (
        LexiEnsembleClassifier(LIST, calibrate=False, random_state=0),
        {DENSE: FOLDS},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimator_passes_every_check_but_the_named_ones(name):
    assert_passes_all_but(*ESTIMATORS[name])
