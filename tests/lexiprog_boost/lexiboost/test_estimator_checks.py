"""scikit-learn's own checks on every estimator of LexiBoost."""

import pytest
from sklearn.ensemble import AdaBoostClassifier

from lexiprog_boost import (
    DualLexiBoostClassifier,
    LexiBoostClassifier,
    LexiEnsembleClassifier,
)
from tests.sklearn_checks import parametrize_with_checks

# The check's points are so few that many splits of the tree are equally good. Inside a class the
# dual starts from w_i / sum w, whose sums over copies differ from the weighted point's in the
# last bit, and that bit decides between those splits.
TIES = dict.fromkeys(
    [
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    ],
    "equally good splits are decided by the last bit of sums of weights",
)
MODELS = [
    LexiBoostClassifier(n_estimators=3, random_state=0),
    LexiEnsembleClassifier(AdaBoostClassifier(n_estimators=3, random_state=0)),
    DualLexiBoostClassifier(n_estimators=2, random_state=0),
]


# The checks' blobs are separable: the models rightly warn that there is nothing to balance.
@pytest.mark.filterwarnings("ignore::lexiprog.LexiprogWarning")
# scikit-learn's AdaBoost takes the logarithm of the probability zero.
@pytest.mark.filterwarnings("ignore:divide by zero encountered in log:RuntimeWarning")
@parametrize_with_checks(
    MODELS,
    expected_failed_checks=lambda model: TIES if isinstance(model, DualLexiBoostClassifier) else {},
)
def test_estimator_passes_the_check(estimator, check):
    check(estimator)
