"""scikit-learn's own checks on LexiBoost, its dual, and on an ensemble of AdaBoost's members."""

import pytest
from sklearn.ensemble import AdaBoostClassifier

from lexiprog_boost import DualLexiBoostClassifier, LexiBoostClassifier, LexiEnsembleClassifier
from tests.lexiprog_boost.sklearn_checks import FOLDS, assert_passes_all_but, both

# The check's points are so few that many splits of the tree are equally good. Inside a class the
# dual starts from w_i / sum w, whose sums over copies differ from the weighted point's in the
# last bit, and that bit decides between those splits.
TIES = "Equally good splits are decided by the last bit of sums of weights."
ADABOOST = AdaBoostClassifier(n_estimators=3, random_state=0)
ESTIMATORS = {
    "LexiBoost": (LexiBoostClassifier(n_estimators=3, random_state=0), {}),
    "dual": (DualLexiBoostClassifier(n_estimators=2, random_state=0), both(TIES)),
    "ensemble of AdaBoost": (LexiEnsembleClassifier(ADABOOST), both(FOLDS)),
    # Where nothing is dealt to folds, copies do what weights do.
    "members of AdaBoost on their own points": (
        LexiEnsembleClassifier(ADABOOST, margins_from="train"),
        {},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimator_passes_every_check_but_the_named_ones(name):
    assert_passes_all_but(*ESTIMATORS[name])
