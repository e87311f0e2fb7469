"""scikit-learn's own checks on the six classifiers of a soft margin."""

import pytest
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost import DualLPBoostClassifier, DualLPUBoostClassifier
from tests.lexiprog_boost.classifiers.kinds import PROGRAMS
from tests.lexiprog_boost.sklearn_checks import assert_passes_all_but

# Deep enough for the few members that keep these checks quick.
TREE = DecisionTreeClassifier(max_depth=5)
TWO_SUFFICE = (DualLPBoostClassifier, DualLPUBoostClassifier)
ESTIMATORS = {kind.__name__: (kind(TREE, 2 if kind in TWO_SUFFICE else 3), {}) for kind in PROGRAMS}


@pytest.mark.slow
@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimator_passes_every_check_but_the_named_ones(name):
    assert_passes_all_but(*ESTIMATORS[name])
