"""Dual-LexiBoost: its loops, what ends them, and what it refuses."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.dummy import DummyClassifier

import lexiprog as lx
from lexiprog_boost import DualLexiBoostClassifier, WeightedKNeighborsClassifier
from tests.lexiprog_boost.classifiers.lexi_models import MODELS, STUMP, X, Y


def test_f11_the_second_member_of_the_printed_dual_is_a_constant():
    model = clone(MODELS["dual"]).fit(X, Y)
    second = model.point_weights_[1]
    assert len(np.unique(Y[second > 0])) == 1
    assert len(set(model.estimators_[1].predict(X))) == 1
    assert len(model.loops_stopped_) == 2


def test_f11_the_first_member_is_kept_with_a_warning():
    wine = load_wine(return_X_y=True)
    model = DualLexiBoostClassifier(STUMP, 4, random_state=0)
    with pytest.warns(lx.LexiprogWarning, match="it is kept, alone"):
        model.set_params(estimator=DummyClassifier(strategy="uniform", random_state=0)).fit(*wine)
    assert model.loop_sizes_ == (1, 1)
    wide = DualLexiBoostClassifier(STUMP, 4, error_limit="chance", random_state=0).fit(*wine)
    assert wide.loop_sizes_[1] >= 2


def test_neighbours_are_searched_once_for_both_loops():
    model = DualLexiBoostClassifier(
        WeightedKNeighborsClassifier(5), 3, random_state=0, error_limit="chance"
    ).fit(X, Y)
    tables = {id(m.table_) for m in model.estimators_ if hasattr(m, "table_")}
    assert len(tables) == 1


def test_a_cap_goes_with_class_offsets_though_the_first_member_cannot_keep_it():
    options = {"weight_cap": 0.4, "class_offsets": True, "margin_target": 0.5, "dual": "exact"}
    model = DualLexiBoostClassifier(STUMP, 4, **options, random_state=0).fit(X, Y)
    assert len(model.estimators_) == model.loop_sizes_[1] + 2
    assert model.estimator_weights_.max() <= 0.4 + 1e-9
    free = DualLexiBoostClassifier(STUMP, 4, **(options | {"weight_cap": None}), random_state=0)
    assert free.fit(X, Y).estimator_weights_.max() > 0.4 + 1e-3


def test_loops_have_sentences_of_their_own_and_the_second_is_the_model_s():
    model = clone(MODELS["dual"]).fit(X, Y)
    assert model.stopped_ == model.loops_stopped_[1]
    assert model.loop_sizes_[1] == len(model.estimators_) == len(model.point_weights_)
    np.testing.assert_allclose(model.point_weights_.sum(axis=1), 1)
    start = model.point_weights_[0]
    for label in ("many", "rare"):
        assert start[label == Y] == pytest.approx(1 / (2 * (label == Y).sum()))


def test_five_classes_refuse_the_signed_rule():
    rng = np.random.default_rng(0)
    points, labels = rng.normal(size=(50, 2)), np.arange(50) % 5
    with pytest.raises(ValueError, match="'signed' says nothing"):
        DualLexiBoostClassifier(STUMP, 2, margin="signed").fit(points, labels)


def test_an_unknown_answer_to_repeats_is_refused():
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2
    with pytest.raises(ValueError, match="unknown repeats 'go'; it is 'stop' or 'retry'"):
        DualLexiBoostClassifier(repeats="go").fit(X, y)
