"""Shares of the members' weight, by hand."""

import numpy as np
import pytest

from lexiprog_boost.classifiers.shared.weighted_vote import (
    class_scores,
    decisions,
    staged_class_scores,
    tied,
    winners,
)
from lexiprog_boost.members.outputs import constant_members

CLASSES = np.array(["a", "b", "c"])
MEMBERS = constant_members(CLASSES)
POINT = np.zeros((1, 1))


@pytest.mark.parametrize("rule", ["vote", "proba"])
def test_stages_by_hand_and_a_beginning_without_weight_speaks_for_all(rule):
    weights = np.array([0.0, 0.25, 0.75])
    stages = [s[0].tolist() for s in staged_class_scores(MEMBERS, weights, POINT, CLASSES, rule)]
    assert stages == [[1 / 3, 1 / 3, 1 / 3], [0, 1, 0], [0, 0.25, 0.75]]
    assert class_scores(MEMBERS, weights, POINT, CLASSES, rule)[0].tolist() == [0, 0.25, 0.75]


def test_a_member_without_weight_is_not_asked():
    members = [None, MEMBERS[1], None]
    scores = class_scores(members, np.array([0.0, 1.0, 0.0]), POINT, CLASSES, "vote")
    assert scores.tolist() == [[0, 1, 0]]


def test_rounding_decides_no_tie():
    near = np.array([[0.3, 0.1 + 0.2, 0.4 - 1e-12], [0.5 - 1e-12, 0.5, 0.0]])
    assert winners(near).tolist() == [2, 0]
    assert tied(near)[1, 0] == tied(near)[1, 1]
    assert winners(np.array([[0.5 - 1e-6, 0.5 + 1e-6]])).tolist() == [1]
    assert decisions(near[1:, :2]).tolist() == [0.0]
    assert decisions(np.array([[0.25, 0.75]])).tolist() == [0.5]
    assert decisions(near).shape == (2, 3)
