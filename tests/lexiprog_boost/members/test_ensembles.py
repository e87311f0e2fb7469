"""Members speak their ensemble's labels, whatever the ensemble trained them on."""

import numpy as np
import pandas as pd
import pytest
from imblearn.ensemble import (
    BalancedBaggingClassifier,
    BalancedRandomForestClassifier,
    EasyEnsembleClassifier,
    RUSBoostClassifier,
)
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost.margins import (
    class_codes,
    ensemble_members,
    margin_matrix,
    probabilities,
    votes,
)

X, CODES = load_iris(return_X_y=True)
# Labels that overlap with the positions 0, 1, 2 in the wrong order: a mix-up shows.
LABELS = np.array([2, 5, 0])[CODES]

ENSEMBLES = [
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=3, random_state=0),
    BaggingClassifier(n_estimators=3, max_features=0.5, random_state=0),
    BaggingClassifier(KNeighborsClassifier(), n_estimators=3, random_state=0),
    RandomForestClassifier(3, random_state=0),
    ExtraTreesClassifier(3, random_state=0),
    VotingClassifier([("nb", GaussianNB()), ("tree", DecisionTreeClassifier(random_state=0))]),
    BalancedRandomForestClassifier(3, random_state=0),
    BalancedBaggingClassifier(n_estimators=3, random_state=0),
    EasyEnsembleClassifier(2, random_state=0),
    RUSBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=3, random_state=0),
]


@pytest.mark.parametrize("ensemble", ENSEMBLES, ids=lambda e: type(e).__name__)
def test_members_are_mostly_right_about_strange_labels(ensemble):
    members = ensemble_members(clone(ensemble).fit(X, LABELS))
    assert margin_matrix(members, X, LABELS).mean() > 0.5
    classes = np.unique(LABELS)
    for member in members:
        likeliest = probabilities(member, X, classes).argmax(axis=1)
        assert (likeliest == votes(member, X, classes)).mean() > 0.99


def test_the_uniform_vote_of_the_members_is_the_forests():
    forest = RandomForestClassifier(15, random_state=0).fit(X, LABELS)
    mean = np.mean([m.predict_proba(X) for m in ensemble_members(forest)], axis=0)
    np.testing.assert_allclose(mean, forest.predict_proba(X), atol=1e-12)


def test_members_accept_the_data_frame_their_ensemble_was_fitted_on():
    frame = pd.DataFrame(X, columns=list("abcd"))
    for ensemble in (ENSEMBLES[1], ENSEMBLES[5]):
        members = ensemble_members(clone(ensemble).fit(frame, LABELS))
        assert margin_matrix(members, frame, LABELS).mean() > 0.5


def test_a_clone_is_refitted_without_touching_the_member():
    bagging = clone(ENSEMBLES[1]).fit(X, LABELS)
    member = ensemble_members(bagging)[0]
    before = member.predict(X)
    twin = clone(member).fit(X[CODES > 0], LABELS[CODES > 0])
    assert set(twin.classes_) == {0, 5}
    assert set(twin.predict(X)) == {0, 5}
    np.testing.assert_array_equal(member.predict(X), before)


def test_a_member_that_missed_the_first_class_is_not_mistaken_for_one_that_speaks_labels():
    # Its positions {1, 2} are labels of the ensemble too.
    labels = np.r_[1, np.tile([2, 3], 10)]
    points = labels[:, None] + 0.0
    misses = (
        BaggingClassifier(KNeighborsClassifier(1), 1, random_state=seed).fit(points, labels)
        for seed in range(50)
    )
    bagging = next(b for b in misses if 0 not in b.estimators_[0].classes_)
    [member] = ensemble_members(bagging)
    assert member.classes_.tolist() == [2, 3]
    np.testing.assert_array_equal(member.predict(points[1:]), labels[1:])


class Homemade(BaseEstimator):
    """An ensemble of no known kind, which trains its members on labels of its own choice."""

    def fit(self, X, y, member_labels):
        self.classes_ = np.unique(y)
        self.estimators_ = [GaussianNB().fit(X, member_labels)]
        return self


def test_an_unknown_ensemble_is_judged_by_the_labels_of_its_members():
    positions = class_codes(LABELS, np.unique(LABELS))
    for trained_on in (LABELS, positions):
        [member] = ensemble_members(Homemade().fit(X, LABELS, trained_on))
        assert margin_matrix([member], X, LABELS).mean() > 0.8
    with pytest.raises(ValueError, match=r"neither its classes .* nor their positions"):
        ensemble_members(Homemade().fit(X, LABELS, LABELS + 100))


@pytest.mark.parametrize(
    ("ensemble", "error", "message"),
    [
        (RandomForestClassifier(), NotFittedError, "not fitted"),
        (GaussianNB().fit(X, LABELS), TypeError, "GaussianNB has no estimators_"),
        (GradientBoostingClassifier(n_estimators=2).fit(X, LABELS), TypeError, "no classifiers"),
    ],
)
def test_what_has_no_members_is_refused(ensemble, error, message):
    with pytest.raises(error, match=message):
        ensemble_members(ensemble)
