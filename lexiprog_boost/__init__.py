"""Boosting without cost tuning: LexiBoost and its relatives as scikit-learn estimators."""

from importlib.metadata import version
from importlib.util import find_spec

# Asked once, here: a missing module deep inside an estimator would not name the extra.
if find_spec("sklearn") is None:
    raise ImportError("lexiprog_boost needs scikit-learn: pip install 'lexiprog[boost]'")

from lexiprog_boost import datasets, metrics
from lexiprog_boost.classifiers import (
    AdaBoostM2Classifier,
    AdaBoostNCClassifier,
    AdaMECClassifier,
    DualLPAdaBoostClassifier,
    DualLPBoostClassifier,
    DualLPUBoostClassifier,
    LPAdaBoostClassifier,
    LPBoostClassifier,
    LPUBoostClassifier,
)
from lexiprog_boost.learners import C45TreeClassifier, WeightedKNeighborsClassifier
from lexiprog_boost.margins import margin_matrix

__all__ = [
    "AdaBoostM2Classifier",
    "AdaBoostNCClassifier",
    "AdaMECClassifier",
    "C45TreeClassifier",
    "DualLPAdaBoostClassifier",
    "DualLPBoostClassifier",
    "DualLPUBoostClassifier",
    "LPAdaBoostClassifier",
    "LPBoostClassifier",
    "LPUBoostClassifier",
    "WeightedKNeighborsClassifier",
    "datasets",
    "margin_matrix",
    "metrics",
]
__version__ = version("lexiprog")
