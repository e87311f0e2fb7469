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


def test_five_classes_refuse_the_signed_rule():
    rng = np.random.default_rng(0)
    points, labels = rng.normal(size=(50, 2)), np.arange(50) % 5
    with pytest.raises(ValueError, match="'signed' says nothing"):
        DualLexiBoostClassifier(STUMP, 2, margin="signed").fit(points, labels)
