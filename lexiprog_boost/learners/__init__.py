"""Base learners that ensembles need and scikit-learn lacks: they heed sample weights."""

from lexiprog_boost.learners.balanced_forest import BalancedForestClassifier
from lexiprog_boost.learners.c45_tree import C45TreeClassifier
from lexiprog_boost.learners.features import LandmarkFeatures, QuantileCodes
from lexiprog_boost.learners.table_columns import TableColumns
from lexiprog_boost.learners.weighted_neighbors import NeighborTable, WeightedKNeighborsClassifier
from lexiprog_boost.members.outputs import constant_members
from lexiprog_boost.members.resampled import ResampledClassifier

__all__ = [
    "BalancedForestClassifier",
    "C45TreeClassifier",
    "LandmarkFeatures",
    "NeighborTable",
    "QuantileCodes",
    "ResampledClassifier",
    "TableColumns",
    "WeightedKNeighborsClassifier",
    "constant_members",
]
