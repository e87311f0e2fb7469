"""Imbalanced points, six stumps boosted on them, and the stumps' votes."""

from functools import cache

from sklearn.datasets import make_classification

from lexiprog_boost import AdaBoostM2Classifier, margin_matrix
from tests.lexiprog_boost.classifiers.lexi_models import STUMP

IMBALANCED = make_classification(
    200, 6, n_informative=4, weights=[0.85], flip_y=0.05, class_sep=0.8, random_state=3
)


def fit(model, data=IMBALANCED):
    return model.set_params(estimator=STUMP, n_estimators=6, random_state=0).fit(*data)


@cache
def votes():
    return margin_matrix(fit(AdaBoostM2Classifier()).estimators_, *IMBALANCED)
