"""Cross-fitting judges every point by a twin that was trained without it."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import BaggingClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost.margins import cross_fitted_margins, ensemble_members
from lexiprog_boost.margins.unseen import deal_folds

RNG = np.random.default_rng(3)
X, Y = RNG.normal(size=(90, 2)), np.array(["a", "b"])[(RNG.uniform(size=90) < 0.4).astype(int)]


class Memory(ClassifierMixin, BaseEstimator):
    """Says the right class for points it was trained on, and the last class for others."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        self.known_ = {tuple(x): label for x, label in zip(X, y, strict=True)}
        self.weights_ = sample_weight
        return self

    def predict(self, X):
        return np.array([self.known_.get(tuple(x), self.classes_[-1]) for x in X])


def test_no_twin_remembers_the_point_it_judges():
    found = cross_fitted_margins([Memory().fit(X, Y)], X, Y, random_state=0)
    assert found.measured.all()
    np.testing.assert_array_equal(found.margins[:, 0], np.where(Y == "b", 1, -1))


def test_every_class_is_known_to_every_twin_even_of_two_points():
    y = np.repeat(["a", "b", "c"], [50, 38, 2])
    asked = []

    def refit(member, X_part, y_part, weights):
        asked.append(set(y_part))
        return Memory().fit(X_part, y_part)

    cross_fitted_margins([Memory().fit(X, y)], X, y, refit=refit, random_state=0)
    assert len(asked) == 5
    assert all(seen == {"a", "b", "c"} for seen in asked)


def test_a_point_alone_in_its_class_is_never_held_out():
    y = np.repeat(["b", "a"], [89, 1])
    found = cross_fitted_margins([Memory().fit(X, y)], X, y, random_state=0)
    assert np.flatnonzero(~found.measured[:, 0]).tolist() == [89]
    assert found.margins[89, 0] == 1  # the member itself was asked


def test_each_twin_gets_its_members_weights_of_its_own_points():
    weights = RNG.uniform(size=(2, len(Y)))
    by_point = [dict(zip(map(tuple, X), w, strict=True)) for w in weights]
    calls = []

    def refit(member, X_part, y_part, part):
        calls.append((member, X_part, part))
        return Memory().fit(X_part, y_part)

    pool = [Memory().fit(X, Y), Memory().fit(X, Y)]
    cross_fitted_margins(pool, X, Y, sample_weights=weights, refit=refit, cv=3, random_state=0)
    assert len(calls) == 6
    for member, points, part in calls:
        t = [member is m for m in pool].index(True)
        np.testing.assert_array_equal(part, [by_point[t][tuple(x)] for x in points])


def test_weights_reach_the_default_fit():
    weights = np.where(Y == "a", 0.0, 1.0)[None]
    found = cross_fitted_margins(
        [DecisionTreeClassifier(max_depth=1).fit(X, Y)], X, Y, sample_weights=weights
    )
    np.testing.assert_array_equal(found.margins[:, 0], np.where(Y == "b", 1, -1))


def test_honest_margins_of_a_neighbour_are_lower_and_the_member_is_untouched():
    member = KNeighborsClassifier(1).fit(X, Y)
    found = cross_fitted_margins([member], X, Y, random_state=0)
    assert found.margins.mean() < 0.4
    assert (member.predict(X) == Y).all()


@pytest.mark.parametrize("kind", [pd.DataFrame, sparse.csr_matrix])
def test_points_may_come_in_any_form(kind):
    pool = [DecisionTreeClassifier(random_state=0).fit(X, Y)]
    expected = cross_fitted_margins(pool, X, Y, random_state=0).margins
    pool = [DecisionTreeClassifier(random_state=0).fit(kind(X), Y)]
    np.testing.assert_array_equal(
        cross_fitted_margins(pool, kind(X), Y, random_state=0).margins, expected
    )


def test_members_of_an_ensemble_are_refitted_in_its_labels():
    bagging = BaggingClassifier(n_estimators=2, max_features=0.5, random_state=0).fit(X, Y)
    found = cross_fitted_margins(ensemble_members(bagging), X, Y, random_state=0)
    assert abs(found.margins.mean()) < 0.4


def test_folds_are_even_in_every_class():
    codes = np.repeat([0, 1, 2, 3], [40, 11, 2, 1])
    folds = deal_folds(codes, 5, random_state=0)
    for c in (0, 1, 2):
        sizes = np.bincount(folds[codes == c], minlength=5)
        assert sizes.max() - sizes.min() <= 1
    assert folds[codes == 3].tolist() == [-1]
    np.testing.assert_array_equal(folds, deal_folds(codes, 5, random_state=0))


def test_fewer_folds_than_asked_for_where_classes_are_small():
    assert set(deal_folds(np.repeat([0, 1], 3), 10, random_state=0)) == {0, 1, 2}


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"cv": 1}, "cv is 1"),
        ({"sample_weights": np.ones((2, 90))}, r"shape \(2, 90\).* 1 members"),
        ({"rule": "loud"}, "unknown margin rule"),
    ],
)
def test_bad_input_is_named(keywords, message):
    with pytest.raises(ValueError, match=message):
        cross_fitted_margins([Memory().fit(X, Y)], X, Y, **keywords)


def test_points_all_of_different_classes_cannot_be_held_out():
    y = np.arange(90)
    with pytest.raises(ValueError, match="no class has two points"):
        cross_fitted_margins([Memory().fit(X, y)], X, y)
