"""A list of members is an ensemble: fitted with seeds of its own, never changed."""

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost.classifiers.shared.listed_members import NamedMembers, trained_ensemble
from tests.lexiprog_boost.classifiers.kinds import X, Y

TREES = [(name, DecisionTreeClassifier(max_features=1)) for name in ("first", "second")]


def rng():
    return np.random.RandomState(0)


def test_members_have_seeds_of_their_own_which_a_state_repeats():
    first, again = (trained_ensemble(TREES, X, Y, rng=rng()) for _ in range(2))
    seeds = [[member.random_state for member in one.estimators_] for one in (first, again)]
    assert seeds[0] == seeds[1]
    assert len(set(seeds[0])) == 2
    assert all(tree.random_state is None and not hasattr(tree, "tree_") for _, tree in TREES)


def test_an_ensemble_with_a_seed_keeps_it_and_draws_nothing():
    state = rng()
    forest = trained_ensemble(RandomForestClassifier(2, random_state=7), X, Y, rng=state)
    assert forest.random_state == 7
    assert state.randint(100) == rng().randint(100)
    assert trained_ensemble(BaggingClassifier(n_estimators=2), X, Y, rng=state).random_state > 0


def test_prefit_members_are_taken_as_they_are_and_have_to_be_fitted():
    fitted = [("bayes", GaussianNB().fit(X, Y))]
    ensemble = trained_ensemble(fitted, X, Y, prefit=True, rng=rng())
    assert ensemble.estimators_[0] is fitted[0][1]
    forest = RandomForestClassifier(2).fit(X, Y)
    assert trained_ensemble(forest, X, Y, prefit=True, rng=rng()) is forest
    for unfitted in (TREES, RandomForestClassifier(2)):
        with pytest.raises(NotFittedError):
            trained_ensemble(unfitted, X, Y, prefit=True, rng=rng())


@pytest.mark.parametrize(
    ("members", "error", "message"),
    [
        ([], ValueError, "the list of members is empty"),
        ([("a", GaussianNB()), ("a", GaussianNB())], ValueError, "the same name, 'a'"),
        ([("a", LinearRegression())], TypeError, "'a' is a regressor, .*a classifier is needed"),
        ([("a", GaussianNB)], TypeError, "'a' is the class GaussianNB; give an instance"),
        ([("a__b", GaussianNB())], ValueError, "contains '__'"),
        ([("a", GaussianNB(), 1)], TypeError, r"holds classifiers or \(name, classifier\)"),
        ([3], TypeError, "'int' is 3: a classifier is needed"),
    ],
)
def test_a_list_that_is_none_is_refused(members, error, message):
    with pytest.raises(error, match=message):
        NamedMembers(members).fit(X, Y)
