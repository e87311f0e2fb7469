"""LPBoost has the largest soft margin."""

import numpy as np
import pytest

from lexiprog_boost import LPBoostClassifier
from tests.lexiprog_boost.classifiers.boosted_stumps import fit, votes
from tests.lexiprog_boost.written_out import soft_margins as written_out


@pytest.mark.parametrize("nu", [0.1, 0.5])
def test_lpboost_has_the_largest_soft_margin(nu):
    model = fit(LPBoostClassifier(nu=nu))
    upper = 1 / (nu * len(votes()))
    best = written_out.primal(votes(), upper)[0]
    rho = votes() @ model.estimator_weights_
    value = model.margin_ - upper * np.maximum(model.margin_ - rho, 0).sum()
    assert value == pytest.approx(best, abs=1e-7)


def test_nu_of_one_makes_the_average_margin_largest():
    model = fit(LPBoostClassifier(nu=1.0))
    average = (votes() @ model.estimator_weights_).mean()
    assert average == pytest.approx(votes().mean(axis=0).max(), abs=1e-7)
