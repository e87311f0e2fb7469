"""scikit-learn's own checks on the learners."""

import pytest

from lexiprog_boost.learners import (
    BalancedForestClassifier,
    C45TreeClassifier,
    LandmarkFeatures,
    QuantileCodes,
    ResampledClassifier,
    WeightedKNeighborsClassifier,
)
from tests.lexiprog_boost.sklearn_checks import DENSE, DRAW, assert_passes_all_but, both

PLACES = (
    "Two copies of a point take two of the k places, a point of weight two takes one, and a "
    "point of weight zero still takes its place: that is the rule of the weighted vote."
)
COUNTS = (
    "The smallest leaf and the pessimistic error count points: boosting's weights sum to one, "
    "so the tree scales them to the number of rows, which copies change."
)
ESTIMATORS = {
    "neighbours": (WeightedKNeighborsClassifier(), both(PLACES)),
    "C4.5": (C45TreeClassifier(), both(COUNTS)),
    "resampled": (ResampledClassifier(), both(DRAW)),
    "forest": (BalancedForestClassifier(5, random_state=0), {DENSE: DRAW}),
    "landmarks": (LandmarkFeatures(5, random_state=0), {}),
    "quantile codes": (QuantileCodes(), {}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimator_passes_every_check_but_the_named_ones(name):
    assert_passes_all_but(*ESTIMATORS[name])
