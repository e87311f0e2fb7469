"""Every ensemble of the package, in groups, and points of three classes to fit them on."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

import lexiprog_boost as lb

TREE = DecisionTreeClassifier(max_depth=2)
PROGRAMS = [
    lb.LPAdaBoostClassifier,
    lb.LPBoostClassifier,
    lb.LPUBoostClassifier,
    lb.DualLPAdaBoostClassifier,
    lb.DualLPBoostClassifier,
    lb.DualLPUBoostClassifier,
]
LEXI = [lb.LexiBoostClassifier, lb.DualLexiBoostClassifier, lb.LexiEnsembleClassifier]
VOTES = [*PROGRAMS, *LEXI, lb.AdaBoostM2Classifier, lb.AdaBoostNCClassifier]
ALL = [*VOTES, lb.AdaMECClassifier]

X, CODES = make_classification(
    120, 5, n_informative=3, n_redundant=0, n_classes=3, n_clusters_per_class=1,
    weights=[0.6, 0.3], class_sep=1.5, random_state=0,
)  # fmt: skip
Y = np.array(["low", "middle", "top"])[CODES]


def by_name(kinds):
    return pytest.mark.parametrize("kind", kinds, ids=lambda kind: kind.__name__)


def make(kind, **settings):
    """Three small trees, which are few enough to be quick and weak enough to leave losses."""
    if kind is lb.LexiEnsembleClassifier:
        members = [(f"tree {depth}", DecisionTreeClassifier(max_depth=depth)) for depth in (1, 2)]
        return kind(members, random_state=0, **settings)
    if kind is lb.DualLexiBoostClassifier:
        settings = {"error_limit": "chance", **settings}
    return kind(TREE, 3, random_state=0, **settings)
