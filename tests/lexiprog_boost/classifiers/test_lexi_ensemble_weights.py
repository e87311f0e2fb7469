"""Sample weights reach all that LexiEnsembleClassifier trains and solves."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost import LexiEnsembleClassifier
from tests.lexiprog_boost.classifiers.uneven_points import LIGHT, TRAIN, X, Y


class Recorder(GaussianNB):
    """Naive Bayes that remembers what all its clones were fitted on."""

    fits: ClassVar[list[tuple]] = []

    def fit(self, X, y, sample_weight=None):
        self.fits.append((X, sample_weight))
        return super().fit(X, y, sample_weight)


@pytest.fixture
def fits():
    Recorder.fits.clear()
    return Recorder.fits


WEIGHTS = np.where(Y[TRAIN] == 1, 2.0, 1.0) * (np.arange(TRAIN.sum()) % 10 > 0)


@pytest.mark.parametrize(
    "member", [Recorder(), make_pipeline(StandardScaler(), Recorder())], ids=str
)
def test_sample_weights_reach_all_members_and_their_twins(member, fits):
    members = [("bayes", member), ("tree", DecisionTreeClassifier(max_depth=2))]
    LexiEnsembleClassifier(members, random_state=0).fit(X[TRAIN], Y[TRAIN], sample_weight=WEIGHTS)
    points, given = X[TRAIN][WEIGHTS > 0], WEIGHTS[WEIGHTS > 0]  # the others play no part
    if not isinstance(member, Recorder):
        points = StandardScaler().fit_transform(points)
    np.testing.assert_allclose(fits[0][0], points)
    np.testing.assert_array_equal(fits[0][1], given)
    assert len(fits) == 6  # the member, and a twin a fold
    for rows, weights in fits[1:]:
        assert len(rows) == len(weights) == 288
    if isinstance(member, Recorder):
        weight_of = dict(zip(map(tuple, points), given, strict=True))
        for rows, weights in fits[1:]:
            assert [weight_of[tuple(row)] for row in rows] == weights.tolist()


def test_without_sample_weights_members_are_fitted_without(fits):
    LexiEnsembleClassifier([("bayes", Recorder())], random_state=0).fit(X[TRAIN], Y[TRAIN])
    assert [weights for _, weights in fits] == [None] * 6


def test_sample_weights_act_in_the_program_and_in_the_calibration():
    members = [(name, one.fit(X[:300], Y[:300])) for name, one in LIGHT]
    points, labels = X[300:500], Y[300:500]
    weights = np.where(np.arange(200) % 3 == 0, 4.0, 1.0) * np.where(labels == 1, 3.0, 1.0)
    model = LexiEnsembleClassifier(members, prefit=True).fit(points, labels, sample_weight=weights)
    copied = np.repeat(np.arange(200), weights.astype(int))
    copies = LexiEnsembleClassifier(members, prefit=True).fit(points[copied], labels[copied])
    np.testing.assert_allclose(model.estimator_weights_, copies.estimator_weights_, atol=1e-6)
    np.testing.assert_allclose(model.class_losses_, copies.class_losses_, atol=1e-7)
    plain = LexiEnsembleClassifier(members, prefit=True).fit(points, labels)
    assert not np.allclose(plain.estimator_weights_, model.estimator_weights_, atol=1e-3)
    # The calibration's pull is worth one point of them all, so copies are only nearly the same.
    rare = [one.predict_proba(points)[:, 1].mean() for one in (model, copies, plain)]
    assert rare[0] == pytest.approx(rare[1], rel=0.1)
    assert rare[0] > 1.5 * rare[2]
