"""Margins: by how much each member of an ensemble is right on each point."""

from lexiprog_boost.margins.class_means import ClassMeanMargins, class_mean_margins
from lexiprog_boost.margins.matrix import (
    PairMargins,
    margin_blocks,
    margin_matrix,
    offset_margins,
    pair_margins,
)
from lexiprog_boost.margins.unseen import UnseenMargins, cross_fitted_margins, out_of_bag_margins
from lexiprog_boost.margins.unseen_outputs import cross_fitted_outputs, out_of_bag_outputs
from lexiprog_boost.members.ensembles import Member, ensemble_members
from lexiprog_boost.members.outputs import class_codes, probabilities, votes

__all__ = [
    "ClassMeanMargins",
    "Member",
    "PairMargins",
    "UnseenMargins",
    "class_codes",
    "class_mean_margins",
    "cross_fitted_margins",
    "cross_fitted_outputs",
    "ensemble_members",
    "margin_blocks",
    "margin_matrix",
    "offset_margins",
    "out_of_bag_margins",
    "out_of_bag_outputs",
    "pair_margins",
    "probabilities",
    "votes",
]
