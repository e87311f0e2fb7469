"""Out-of-bag margins come from points a member did not see, and from nowhere else."""

import numpy as np
import pytest
from imblearn.ensemble import (
    BalancedBaggingClassifier,
    BalancedRandomForestClassifier,
    EasyEnsembleClassifier,
)
from sklearn.base import clone
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost.learners import ResampledClassifier
from lexiprog_boost.margins import (
    class_mean_margins,
    ensemble_members,
    margin_matrix,
    out_of_bag_margins,
)

# Labels by chance: a deep tree is right on what it saw, and on nothing else but by luck.
RNG = np.random.default_rng(7)
X, Y = RNG.normal(size=(150, 3)), np.array(["a", "b"])[(RNG.uniform(size=150) < 0.3).astype(int)]

ENSEMBLES = [
    BaggingClassifier(n_estimators=10, random_state=0),
    BaggingClassifier(n_estimators=10, max_samples=0.5, bootstrap=False, random_state=0),
    BaggingClassifier(KNeighborsClassifier(1), n_estimators=10, random_state=0),
    RandomForestClassifier(10, random_state=0),
    ExtraTreesClassifier(10, bootstrap=True, random_state=0),
    BalancedRandomForestClassifier(10, random_state=0),
    BalancedBaggingClassifier(n_estimators=10, random_state=0),
    EasyEnsembleClassifier(
        10, DecisionTreeClassifier(), sampling_strategy="all", replacement=True, random_state=0
    ),
]


@pytest.mark.parametrize("ensemble", ENSEMBLES, ids=lambda e: type(e).__name__)
def test_seen_points_are_right_and_measured_points_are_not(ensemble):
    fitted = clone(ensemble).fit(X, Y)
    found = out_of_bag_margins(fitted, X, Y)
    on_training_data = margin_matrix(ensemble_members(fitted), X, Y)
    assert (on_training_data[~found.measured] == 1).all()
    assert on_training_data[found.measured].mean() < 0.4
    np.testing.assert_array_equal(found.margins[found.measured], on_training_data[found.measured])


@pytest.mark.parametrize("weighted", [False, True])
def test_what_stands_in_leaves_the_measured_class_means_alone(weighted):
    forest = RandomForestClassifier(8, random_state=0).fit(X, Y)
    weights = RNG.uniform(0.5, 2, size=len(Y)) if weighted else np.ones(len(Y))
    found = out_of_bag_margins(forest, X, Y, rule="proba", sample_weight=weights)
    means = class_mean_margins([(found.margins, Y, weights)])
    for c, label in enumerate(means.classes):
        for t in range(8):
            rows = found.measured[:, t] & (label == Y)
            expected = np.average(found.margins[rows, t], weights=weights[rows])
            assert means.means[c, t] == pytest.approx(expected)


def test_a_member_without_a_measurement_gets_the_mean_of_the_others():
    y = np.repeat(["a", "b"], [148, 2])
    pool = [KNeighborsClassifier(1).fit(X, y) for _ in range(3)]
    for member, seen in zip(pool, ([148], [148, 149], [149]), strict=True):
        member.sample_indices_ = np.array(seen)
    found = out_of_bag_margins(pool, X, y)
    assert found.measured[148:].tolist() == [[False, False, True], [True, False, False]]
    np.testing.assert_array_equal(found.margins, np.ones((150, 3)))


def test_members_that_were_resampled_know_their_sample():
    learner = ResampledClassifier(KNeighborsClassifier(1))
    pool = [clone(learner).set_params(random_state=t).fit(X, Y) for t in range(6)]
    found = out_of_bag_margins(pool, X, Y)
    assert 0.3 < found.measured.mean() < 0.45  # 1/e of the points are left out
    assert found.margins[found.measured].mean() < 0.4


@pytest.mark.parametrize(
    ("ensemble", "error", "message"),
    [
        (ExtraTreesClassifier(3), ValueError, "bootstrap=True"),
        # It never leaves a point of the rarer class out.
        (EasyEnsembleClassifier(3), ValueError, "unseen point of class 'b'"),
        (AdaBoostClassifier(n_estimators=3), TypeError, "AdaBoostClassifier does not say"),
    ],
)
def test_an_ensemble_without_a_bag_is_refused(ensemble, error, message):
    with pytest.raises(error, match=message):
        out_of_bag_margins(clone(ensemble).fit(X, Y), X, Y)


def test_members_that_do_not_know_their_sample_are_refused():
    with pytest.raises(TypeError, match=r"DecisionTreeClassifier .*sample_indices_"):
        out_of_bag_margins([DecisionTreeClassifier().fit(X, Y)], X, Y)


def test_a_class_that_was_always_seen_is_named():
    y = np.repeat(["a", "b"], [149, 1])
    member = DecisionTreeClassifier().fit(X, y)
    member.sample_indices_ = np.array([149])
    with pytest.raises(ValueError, match="unseen point of class 'b'"):
        out_of_bag_margins([member], X, y)


def test_other_data_than_the_ensemble_was_fitted_on_are_noticed():
    forest = RandomForestClassifier(3, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="give the data that the ensemble was fitted on"):
        out_of_bag_margins(forest, X[:50], Y[:50])
