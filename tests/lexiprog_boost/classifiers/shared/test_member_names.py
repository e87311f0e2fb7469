"""Members are reached by their names; the list that was given stays as it is."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

from lexiprog_boost import LexiEnsembleClassifier
from tests.lexiprog_boost.classifiers.kinds import X, Y


def listed():
    forest = RandomForestClassifier(5, random_state=0)
    return [("rf", forest), ("bayes", GaussianNB())]


def test_parameters_of_members_are_nested():
    model = LexiEnsembleClassifier(listed())
    assert model.get_params()["rf__n_estimators"] == 5
    assert "rf__n_estimators" not in model.get_params(deep=False)
    copy = clone(model).set_params(rf__max_depth=2)
    assert copy.fit(X, Y).named_estimators_.rf.max_depth == 2
    assert model.get_params()["rf__max_depth"] is None


def test_another_member_takes_the_place_and_the_given_list_stays():
    given = listed()
    model = LexiEnsembleClassifier(given).set_params(rf=LogisticRegression(), bayes__priors=None)
    assert isinstance(model.get_params()["rf"], LogisticRegression)
    assert isinstance(given[0][1], RandomForestClassifier)
    with pytest.raises(ValueError, match="Invalid parameter 'svm'"):
        model.set_params(svm=GaussianNB())


def test_a_grid_search_tunes_a_member():
    grid = {"rf__max_depth": [1, 3]}
    found = GridSearchCV(LexiEnsembleClassifier(listed(), random_state=0), grid, cv=2).fit(X, Y)
    best = found.best_estimator_.named_estimators_.rf
    assert best.max_depth == found.best_params_["rf__max_depth"]


def test_members_without_names_are_called_by_their_class():
    model = LexiEnsembleClassifier([GaussianNB(), LogisticRegression()], random_state=0).fit(X, Y)
    assert list(model.named_estimators_) == ["gaussiannb", "logisticregression"]
    assert "gaussiannb" in model.report()


def test_an_ensemble_has_no_names():
    forest = RandomForestClassifier(5, random_state=0)
    model = LexiEnsembleClassifier(forest, random_state=0).fit(X, Y)
    assert not hasattr(model, "named_estimators_")
    assert model.get_params()["ensemble__n_estimators"] == 5


def test_importances_are_the_mean_of_the_members_that_have_them():
    first, second = (RandomForestClassifier(20, max_depth=d, random_state=0) for d in (1, 4))
    model = LexiEnsembleClassifier([first, GaussianNB(), second], random_state=0).fit(X, Y)
    weights = model.estimator_weights_[[0, 2]]
    own = [model.estimators_[k].estimator.feature_importances_ for k in (0, 2)]
    expected = weights @ np.array(own) / weights.sum() if weights.sum() else np.mean(own, axis=0)
    np.testing.assert_allclose(model.feature_importances_, expected / expected.sum())
    plain = LexiEnsembleClassifier([GaussianNB()], random_state=0).fit(X, Y)
    assert not hasattr(plain, "feature_importances_")
