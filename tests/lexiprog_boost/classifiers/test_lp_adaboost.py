"""LPAdaBoost has the largest smallest margin."""

import pytest

from lexiprog_boost import LPAdaBoostClassifier
from tests.lexiprog_boost.classifiers.boosted_stumps import fit, votes
from tests.lexiprog_boost.written_out import soft_margins as written_out


def test_lpadaboost_has_the_largest_smallest_margin():
    model = fit(LPAdaBoostClassifier())
    best = written_out.primal(votes(), None)[0]
    assert model.margin_ == pytest.approx(best, abs=1e-9)
    assert (votes() @ model.estimator_weights_).min() == pytest.approx(best, abs=1e-7)
