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
    DualLexiBoostClassifier,
    DualLPAdaBoostClassifier,
    DualLPBoostClassifier,
    DualLPUBoostClassifier,
    LexiBoostClassifier,
    LexiEnsembleClassifier,
    LPAdaBoostClassifier,
    LPBoostClassifier,
    LPUBoostClassifier,
)
from lexiprog_boost.learners import C45TreeClassifier, WeightedKNeighborsClassifier
from lexiprog_boost.margins import margin_matrix
from lexiprog_boost.one_class import OneClassLexiBoost, one_class_program
from lexiprog_boost.programs import (
    dual_balance_program,
    dual_class_program,
    dual_lpadaboost_program,
    dual_lpboost_program,
    dual_lpuboost_program,
    lexiboost_program,
    lpadaboost_program,
    lpboost_program,
    lpuboost_program,
)
from lexiprog_boost.weights import lexicographic_weights

__all__ = [
    "AdaBoostM2Classifier",
    "AdaBoostNCClassifier",
    "AdaMECClassifier",
    "C45TreeClassifier",
    "DualLPAdaBoostClassifier",
    "DualLPBoostClassifier",
    "DualLPUBoostClassifier",
    "DualLexiBoostClassifier",
    "LPAdaBoostClassifier",
    "LPBoostClassifier",
    "LPUBoostClassifier",
    "LexiBoostClassifier",
    "LexiEnsembleClassifier",
    "OneClassLexiBoost",
    "WeightedKNeighborsClassifier",
    "datasets",
    "dual_balance_program",
    "dual_class_program",
    "dual_lpadaboost_program",
    "dual_lpboost_program",
    "dual_lpuboost_program",
    "lexiboost_program",
    "lexicographic_weights",
    "lpadaboost_program",
    "lpboost_program",
    "lpuboost_program",
    "margin_matrix",
    "metrics",
    "one_class_program",
]
__version__ = version("lexiprog")
