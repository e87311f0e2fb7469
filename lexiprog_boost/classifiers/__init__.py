"""Ensembles as scikit-learn estimators, a file for each kind."""

from lexiprog_boost.classifiers.adaboost_m2 import AdaBoostM2Classifier
from lexiprog_boost.classifiers.adaboost_nc import AdaBoostNCClassifier
from lexiprog_boost.classifiers.adamec import AdaMECClassifier
from lexiprog_boost.classifiers.dual_lexiboost import DualLexiBoostClassifier
from lexiprog_boost.classifiers.dual_lp_boosting import (
    DualLPAdaBoostClassifier,
    DualLPBoostClassifier,
    DualLPUBoostClassifier,
)
from lexiprog_boost.classifiers.lexi_ensemble import LexiEnsembleClassifier
from lexiprog_boost.classifiers.lexi_threshold import LexiThresholdClassifier
from lexiprog_boost.classifiers.lexiboost import LexiBoostClassifier
from lexiprog_boost.classifiers.lp_boosting import (
    LPAdaBoostClassifier,
    LPBoostClassifier,
    LPUBoostClassifier,
)

__all__ = [
    "AdaBoostM2Classifier",
    "AdaBoostNCClassifier",
    "AdaMECClassifier",
    "DualLPAdaBoostClassifier",
    "DualLPBoostClassifier",
    "DualLPUBoostClassifier",
    "DualLexiBoostClassifier",
    "LPAdaBoostClassifier",
    "LPBoostClassifier",
    "LPUBoostClassifier",
    "LexiBoostClassifier",
    "LexiEnsembleClassifier",
    "LexiThresholdClassifier",
]
