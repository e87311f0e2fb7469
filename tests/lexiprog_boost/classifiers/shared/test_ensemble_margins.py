"""The members of any ensemble are measured where they are honest."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost import LexiEnsembleClassifier
from lexiprog_boost.margins import pair_margins
from lexiprog_boost.metrics import geometric_mean_score
from tests.lexiprog_boost.classifiers.lexi_models import X, Y


@pytest.mark.parametrize(
    "ensemble",
    [
        RandomForestClassifier(8),
        ExtraTreesClassifier(8),
        AdaBoostClassifier(n_estimators=8),
        BaggingClassifier(GaussianNB(), 8),
        [("bayes", GaussianNB()), ("linear", LogisticRegression(max_iter=1000))],
    ],
    ids=lambda e: type(e).__name__,
)
@pytest.mark.filterwarnings("ignore::lexiprog.LexiprogWarning")
def test_any_ensemble_can_be_weighed_fitted_or_not(ensemble):
    fresh = LexiEnsembleClassifier(ensemble, random_state=0).fit(X, Y)
    bagged = isinstance(ensemble, RandomForestClassifier | BaggingClassifier)
    unbagged = "cross" if isinstance(ensemble, list) else "train"
    assert fresh.margins_from_ == ("oob" if bagged else unbagged)
    fitted = (
        [(name, clone(one).fit(X, Y)) for name, one in ensemble]
        if isinstance(ensemble, list)
        else clone(ensemble).fit(X, Y)
    )
    again = LexiEnsembleClassifier(fitted, prefit=True).fit(X, Y)
    assert again.predict(X).shape == (300,)
    assert again.classes_.tolist() == ["many", "rare"]


def test_imbalanced_learns_ensembles_can_be_weighed():
    ensemble = pytest.importorskip("imblearn.ensemble")
    forest = ensemble.BalancedRandomForestClassifier(8, random_state=0)
    model = LexiEnsembleClassifier(forest).fit(X, Y)
    assert geometric_mean_score(Y, model.predict(X)) > 0.6


def test_pairs_make_the_program_of_the_whole_vote():
    wine, kinds = load_wine(return_X_y=True)
    members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2))]
    model = LexiEnsembleClassifier(members, random_state=0).fit(wine, kinds)
    fitted = LexiEnsembleClassifier(
        [(name, one.estimator) for name, one in zip("bt", model.estimators_[:2], strict=True)],
        prefit=True,
    ).fit(wine, kinds)
    outputs = np.stack([one.predict_proba(wine) for one in fitted.estimators_], axis=1)
    pairs = pair_margins(outputs, kinds)
    losses = np.maximum(0, 0.3 - pairs.margins @ fitted.estimator_weights_)
    means = [losses[kinds[pairs.points] == j].mean() for j in range(3)]
    np.testing.assert_allclose(fitted.class_losses_, means, atol=1e-8)


def test_a_member_without_probabilities_is_named():
    with pytest.raises(TypeError, match="LinearSVC has no predict_proba"):
        LexiEnsembleClassifier([("one", LinearSVC())], margin="pairs").fit(X, Y)
