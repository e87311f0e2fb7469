"""Every vote has the same predictions and stages, and they agree with each other."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError

from lexiprog_boost import LexiBoostClassifier, LexiEnsembleClassifier
from lexiprog_boost.margins import probabilities, votes
from tests.lexiprog_boost.classifiers.kinds import VOTES, X, Y, by_name, make
from tests.lexiprog_boost.classifiers.lexi_models import MODELS, PAPER
from tests.lexiprog_boost.classifiers.lexi_models import X as X2
from tests.lexiprog_boost.classifiers.lexi_models import Y as Y2


@by_name(VOTES)
def test_the_last_stage_is_the_whole_ensemble(kind):
    model = make(kind).fit(X, Y)
    assert list(model.staged_predict(X))[-1].tolist() == model.predict(X).tolist()
    *_, scores = model.staged_decision_function(X)
    assert scores == pytest.approx(model.decision_function(X))
    stages = list(model.staged_predict_proba(X))
    assert len(stages) == len(model.estimators_)
    assert stages[-1] == pytest.approx(model.predict_proba(X))


@by_name(VOTES)
def test_a_stage_is_the_vote_of_the_first_members_with_their_final_weights(kind):
    model = make(kind, **({"calibrate": False} if kind is LexiEnsembleClassifier else {}))
    model.fit(X, Y)
    heard = np.zeros((len(Y), 3))
    for t, stage in enumerate(model.staged_predict_proba(X)):
        member, weight = model.estimators_[t], model.estimator_weights_[t]
        if kind is LexiEnsembleClassifier:
            heard += weight * probabilities(member, X, model.classes_)
        else:
            heard += weight * np.eye(3)[votes(member, X, model.classes_)]
        if heard.any():
            np.testing.assert_allclose(stage, heard / heard.sum(axis=1, keepdims=True), atol=1e-8)


@by_name(VOTES)
def test_fitted_names_are_the_same_everywhere(kind):
    model = make(kind).fit(X, Y)
    assert model.classes_.tolist() == ["low", "middle", "top"]
    assert model.estimator_weights_.shape == (len(model.estimators_),)
    assert model.estimator_weights_.sum() == pytest.approx(1)
    assert model.n_members_ == (model.estimator_weights_ > 1e-6).sum()
    assert model.stopped_.endswith(".")


@pytest.mark.parametrize("name", MODELS)
def test_with_two_classes_probabilities_decisions_and_predictions_say_the_same(name):
    model = clone(MODELS[name]).fit(X2, Y2)
    shares, decisions = model.predict_proba(X2), model.decision_function(X2)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_allclose(decisions, shares[:, 1] - shares[:, 0], atol=1e-8)
    np.testing.assert_array_equal(model.predict(X2) == "rare", decisions > 0)


def test_a_tie_goes_to_the_first_class():
    members = [(str(c), DummyClassifier(strategy="constant", constant=c)) for c in ("many", "rare")]
    model = LexiEnsembleClassifier(members, **PAPER).fit(X2, Y2)
    np.testing.assert_allclose(model.estimator_weights_, [0.5, 0.5])
    assert set(model.predict(X2)) == {"many"}


def test_an_unfitted_vote_says_so():
    for ask in (LexiBoostClassifier().predict, LexiBoostClassifier().report):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            ask(*([X] if ask.__name__ == "predict" else []))
