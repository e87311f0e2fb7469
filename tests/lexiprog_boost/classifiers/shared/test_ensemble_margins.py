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

from lexiprog_boost import LexiEnsembleClassifier, lexicographic_weights
from lexiprog_boost.margins import ensemble_members, out_of_bag_outputs, pair_margins
from tests.lexiprog_boost.classifiers.lexi_models import CODES, X, Y


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
    assert fresh.margins_from_ == ("oob" if bagged else "cross")
    fitted = (
        [(name, clone(one).fit(X, Y)) for name, one in ensemble]
        if isinstance(ensemble, list)
        else clone(ensemble).fit(X, Y)
    )
    again = LexiEnsembleClassifier(fitted, prefit=True).fit(X, Y)
    members = [one for _, one in fitted] if isinstance(fitted, list) else ensemble_members(fitted)
    outputs = np.stack([one.predict_proba(X) for one in members], axis=1)
    assert_weighs(again, outputs)


def assert_weighs(model, outputs):
    """The model's weights are those of the pairs of these outputs and of the class offsets."""
    offsets = np.broadcast_to(np.eye(2), (len(Y), 2, 2))
    pairs = pair_margins(np.concatenate([outputs, offsets], axis=1), CODES)
    found = lexicographic_weights(pairs.margins, Y[pairs.points], margin_target=0.3)
    np.testing.assert_allclose(model.estimator_weights_, found.alpha, atol=1e-6)
    np.testing.assert_allclose(model.class_losses_, found.class_losses, atol=1e-7)


def test_imbalanced_learns_ensembles_are_weighed_out_of_bag():
    ensemble = pytest.importorskip("imblearn.ensemble")
    forest = ensemble.BalancedRandomForestClassifier(8, random_state=0)
    model = LexiEnsembleClassifier(forest, margins_from="oob").fit(X, Y)
    outputs = out_of_bag_outputs(model.ensemble_, X, Y, np.unique(Y), np.ones(len(Y)))
    assert_weighs(model, outputs)


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
