"""Boosting without cost tuning: LexiBoost and its relatives as scikit-learn estimators.

Every public name is imported when it is first used: `_MODULES` says from where.
"""

from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

# Asked once, here: a missing module deep inside an estimator would not name the extra.
if find_spec("sklearn") is None:
    raise ImportError("lexiprog_boost needs scikit-learn: pip install 'lexiprog[boost]'")

if TYPE_CHECKING:
    from lexiprog_boost import datasets, metrics
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
    from lexiprog_boost.learners.c45_tree import C45TreeClassifier
    from lexiprog_boost.learners.weighted_neighbors import WeightedKNeighborsClassifier
    from lexiprog_boost.margins.matrix import margin_matrix
    from lexiprog_boost.one_class.detector import OneClassLexiBoost
    from lexiprog_boost.one_class.program import one_class_program
    from lexiprog_boost.programs.dual_lexiboost import dual_balance_program, dual_class_program
    from lexiprog_boost.programs.lexiboost import lexiboost_program
    from lexiprog_boost.programs.lp_boosting import (
        dual_lpadaboost_program,
        dual_lpboost_program,
        dual_lpuboost_program,
        lpadaboost_program,
        lpboost_program,
        lpuboost_program,
    )
    from lexiprog_boost.weights.find import lexicographic_weights

__version__ = version("lexiprog")

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
    "LexiThresholdClassifier",
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

_MODULES = {
    "datasets": "datasets",
    "metrics": "metrics",
    "AdaBoostM2Classifier": "classifiers.adaboost_m2",
    "AdaBoostNCClassifier": "classifiers.adaboost_nc",
    "AdaMECClassifier": "classifiers.adamec",
    "DualLexiBoostClassifier": "classifiers.dual_lexiboost",
    "DualLPAdaBoostClassifier": "classifiers.dual_lp_boosting",
    "DualLPBoostClassifier": "classifiers.dual_lp_boosting",
    "DualLPUBoostClassifier": "classifiers.dual_lp_boosting",
    "LexiEnsembleClassifier": "classifiers.lexi_ensemble",
    "LexiThresholdClassifier": "classifiers.lexi_threshold",
    "LexiBoostClassifier": "classifiers.lexiboost",
    "LPAdaBoostClassifier": "classifiers.lp_boosting",
    "LPBoostClassifier": "classifiers.lp_boosting",
    "LPUBoostClassifier": "classifiers.lp_boosting",
    "C45TreeClassifier": "learners.c45_tree",
    "WeightedKNeighborsClassifier": "learners.weighted_neighbors",
    "margin_matrix": "margins.matrix",
    "OneClassLexiBoost": "one_class.detector",
    "one_class_program": "one_class.program",
    "dual_balance_program": "programs.dual_lexiboost",
    "dual_class_program": "programs.dual_lexiboost",
    "lexiboost_program": "programs.lexiboost",
    "dual_lpadaboost_program": "programs.lp_boosting",
    "lpadaboost_program": "programs.lp_boosting",
    "dual_lpboost_program": "programs.lp_boosting",
    "lpboost_program": "programs.lp_boosting",
    "dual_lpuboost_program": "programs.lp_boosting",
    "lpuboost_program": "programs.lp_boosting",
    "lexicographic_weights": "weights.find",
}


if not TYPE_CHECKING:  # to a type checker only the names above exist

    def __getattr__(name: str) -> Any:
        """A public name, imported from its module and kept."""
        if name not in _MODULES:
            raise AttributeError(f"module 'lexiprog_boost' has no attribute {name!r}")
        module = import_module(f"lexiprog_boost.{_MODULES[name]}")
        value = module if name == _MODULES[name] else getattr(module, name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
