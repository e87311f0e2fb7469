"""scikit-learn's checks on LexiThresholdClassifier: all of them, none expected to fail."""

import pytest
from sklearn.impute import SimpleImputer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from lexiprog_boost import LexiThresholdClassifier
from tests.lexiprog_boost.sklearn_checks import assert_passes_all_but


@pytest.mark.parametrize(
    ("estimator", "options"),
    [
        (GaussianNB(), {}),
        (GaussianNB(), {"cv": 3}),
        (LinearSVC(), {"rule": "multipliers"}),
        (make_pipeline(SimpleImputer(), GaussianNB()), {"cv": 0.5}),
    ],
    ids=["holdout", "folds", "decision values", "a pipeline"],
)
def test_passes_every_check(estimator, options):
    model = LexiThresholdClassifier(estimator, random_state=0, **options)
    assert_passes_all_but(model, {})
