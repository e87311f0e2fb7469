"""scikit-learn's own checks on AdaBoost.M2, AdaBoost.NC and AdaMEC."""

import pytest
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost import AdaBoostM2Classifier, AdaBoostNCClassifier, AdaMECClassifier
from tests.lexiprog_boost.sklearn_checks import DENSE, assert_passes_all_but, both

COPIES = "Copies of the points of smaller classes are drawn, not weighted."
SAMPLES = "The samples to train and to calibrate on are drawn from the rows."
ESTIMATORS = {
    "M2": (AdaBoostM2Classifier(), {}),
    "M2 with confidences": (AdaBoostM2Classifier(output="confidence"), {}),
    "NC": (AdaBoostNCClassifier(), {DENSE: COPIES}),
    "NC without copies": (AdaBoostNCClassifier(oversample=False), {}),
    "AdaMEC": (AdaMECClassifier(DecisionTreeClassifier(max_depth=5), 4), both(SAMPLES)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimator_passes_every_check_but_the_named_ones(name):
    assert_passes_all_but(*ESTIMATORS[name])
