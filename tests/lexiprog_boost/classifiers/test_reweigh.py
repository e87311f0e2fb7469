"""New weights for fitted members: nothing is trained again, and new data decide."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import recall_score
from sklearn.naive_bayes import GaussianNB

from lexiprog_boost import LexiEnsembleClassifier, lexicographic_weights
from lexiprog_boost.margins import Member, pair_margins, probabilities

X, Y = make_classification(900, weights=[0.8], n_informative=4, flip_y=0.05, random_state=3)
MEMBERS = [("bayes", GaussianNB()), ("linear", LogisticRegression())]


def fitted():
    return LexiEnsembleClassifier(MEMBERS, random_state=0).fit(X[:300], Y[:300])


def test_members_stay_and_weights_are_those_of_the_program_on_the_new_points():
    model = fitted()
    before = list(model.ensemble_.estimators_)
    assert model.reweigh(X[300:], Y[300:]) is model
    assert all(one is other for one, other in zip(model.ensemble_.estimators_, before, strict=True))
    classes = np.array([0, 1])
    outputs = [probabilities(Member(one), X[300:], classes) for one in before]
    constants = np.broadcast_to(np.eye(2), (600, 2, 2))
    stacked = np.concatenate([np.stack(outputs, axis=1), constants], axis=1)
    pairs = pair_margins(stacked, Y[300:])
    expected = lexicographic_weights(pairs.margins, Y[300:][pairs.points], margin_target=0.3)
    np.testing.assert_allclose(model.estimator_weights_, expected.alpha, atol=1e-7)


def test_thresholds_follow_a_class_that_moved():
    model = fitted()
    moved = X[300:] + 1.5
    worst = [min(recall_score(Y[300:], model.predict(moved), average=None))]
    model.reweigh(moved[::2], Y[300::2])
    worst.append(min(recall_score(Y[301::2], model.predict(moved[1::2]), average=None)))
    assert worst[1] > worst[0]


def test_new_points_are_checked():
    model = fitted()
    with pytest.raises(ValueError, match="features"):
        model.reweigh(X[:, :3], Y)
    with pytest.raises(ValueError, match="the one class"):
        model.reweigh(X[Y == 0], Y[Y == 0])
