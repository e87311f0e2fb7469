"""Facts of votes whose members and weights were made up."""

from types import SimpleNamespace

import numpy as np
import pytest

from lexiprog_boost.experiments.cell import facts_of
from lexiprog_boost.members.outputs import constant_members

Y = np.array([0, 0, 0, 1])
X = np.zeros((4, 1))


def vote(weights, **more):
    members = constant_members([0, 1])
    return SimpleNamespace(estimators_=members, estimator_weights_=np.array(weights), **more)


def test_members_that_count_and_agreement_with_the_heaviest_are_counted():
    predicted = np.array([1, 1, 1, 0])
    assert facts_of(vote([0.4, 0.6]), Y, X, predicted) == {
        "members": 2, "weighted": 2, "like_heaviest": 0.75,
    }  # fmt: skip
    assert facts_of(vote([1.0, 1e-12]), Y, X, predicted)["weighted"] == 1
    assert facts_of(vote([1.0, 1e-12]), Y, X, predicted)["like_heaviest"] == 0.25


def test_the_lexicographic_ones_tell_whether_a_pool_is_perfect_and_the_worst_regret():
    model = vote([0.5, 0.5], class_optima_=[0.2, 0.0], deviation_=0.3)
    found = facts_of(model, Y, X, Y)
    assert (found["perfect"], found["deviation"]) == (True, 0.3)
    assert not facts_of(vote([1, 0], class_optima_=[0.2, 0.1], deviation_=0), Y, X, Y)["perfect"]


def dual(point_weights):
    return vote([0.5, 0.5], point_weights_=np.array(point_weights), loops_stopped_=("a", "b"))


def test_the_dual_tells_what_the_second_round_weighs_and_why_it_stopped():
    found = facts_of(dual([[0.25] * 4, [0.1, 0.1, 0.0, 0.6]]), Y, X, Y)
    assert found["one_class"] == pytest.approx(0.75)
    assert found["stopped"] == "b"
    assert facts_of(dual([[0.25] * 4]), Y, X, Y)["one_class"] is None


def test_other_classifiers_have_none():
    assert facts_of(SimpleNamespace(), Y, X, Y) == {}
    trees = SimpleNamespace(estimators_=[[1, 2]], estimator_weights_=[1.0])
    assert facts_of(trees, Y, X, Y) == {}
