"""What all ensembles do alike: labels, weights, sparse points, pickles, clear errors."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn import config_context
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier

import lexiprog_boost
from lexiprog_boost import (
    AdaBoostM2Classifier,
    AdaBoostNCClassifier,
    AdaMECClassifier,
    DualLPUBoostClassifier,
    LPUBoostClassifier,
    WeightedKNeighborsClassifier,
)
from lexiprog_boost.classifiers.shared.ensemble import Ensemble
from tests.lexiprog_boost.classifiers.kinds import ALL, PROGRAMS, X, Y, by_name, make


@by_name(ALL)
def test_every_name_is_public_and_sparse_points_and_pickles_give_the_same_answers(kind):
    model = make(kind).fit(X, Y)
    assert kind.__name__ in lexiprog_boost.__all__
    shares = model.predict_proba(X)
    assert shares.sum(axis=1) == pytest.approx(1)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), shares)
    sparse = clone(model).fit(csr_matrix(X), Y)
    assert sparse.predict_proba(csr_matrix(X)) == pytest.approx(shares, abs=1e-6)


@by_name(PROGRAMS)
def test_the_program_that_was_solved_can_be_read(kind):
    model = make(kind).fit(X, Y)
    name, variable = ("edge", "D") if "Dual" in kind.__name__ else ("margin", "alpha")
    assert model.program_[name].variable(variable).size == model.result_[name][variable].size
    assert not hasattr(pickle.loads(pickle.dumps(model)), "program_")
    assert f"margin r: {model.margin_:.4f}" in model.report()


@by_name([kind for kind in ALL if kind is not AdaMECClassifier])
def test_points_of_weight_zero_play_no_part(kind):
    # Copies and folds are drawn from all rows, whatever they weigh.
    settings = {"oversample": False} if kind is AdaBoostNCClassifier else {}
    settings |= {"margins_from": "train"} if "Ensemble" in kind.__name__ else {}
    weights = np.where(np.arange(len(Y)) % 5 == 0, 0.0, 1.0)
    weighted = make(kind, **settings).fit(X, Y, sample_weight=weights)
    shorter = make(kind, **settings).fit(X[weights > 0], Y[weights > 0])
    assert weighted.predict_proba(X) == pytest.approx(shorter.predict_proba(X), abs=1e-5)
    whole = make(kind, **settings).fit(X, Y)
    assert not np.allclose(whole.predict_proba(X), shorter.predict_proba(X), atol=1e-5)


@by_name(ALL)
@pytest.mark.parametrize(
    ("y", "weights", "message"),
    [
        (np.full(len(Y), "low"), None, r"y has the one class \['low'\]; it takes two"),
        (Y, (Y != "top").astype(float), "class 'top' has no point of weight > 0; give it one"),
        (Y, -np.ones(len(Y)), "negative entry at position 0"),
        (Y, np.zeros(len(Y)), "zero for every point"),
        (Y[:-1], None, "inconsistent numbers of samples"),
    ],
    ids=["one class", "empty class", "negative", "zero", "lengths"],
)
def test_bad_training_data_is_refused_in_the_same_sentence_by_all(kind, y, weights, message):
    with pytest.raises(ValueError, match=message):
        make(kind).fit(X, y, sample_weight=weights)


@by_name(ALL)
def test_the_report_says_who_counts_and_why_training_ended_and_stands_below_the_diagram(kind):
    model = make(kind)
    with config_context(display="diagram"):
        assert "lxb" not in model._repr_html_()
        report = model.fit(X, Y).report()
        assert report.startswith(f"{kind.__name__}: {model.n_members_} of")
        assert f"pool: {model.stopped_}" in report
        assert "<table>" in report.html
        assert model._repr_html_().endswith(report.html)


@pytest.mark.parametrize(
    "learner", [WeightedKNeighborsClassifier(3), KNeighborsClassifier(3)], ids=str
)
@by_name([AdaBoostM2Classifier, LPUBoostClassifier, DualLPUBoostClassifier])
def test_neighbours_serve_as_learners_with_and_without_weights(kind, learner):
    model = kind(learner, 3, random_state=0).fit(X, Y)
    drawn = [hasattr(member, "sample_indices_") for member in model.estimators_]
    assert drawn == [isinstance(learner, KNeighborsClassifier)] * len(drawn)
    assert model.score(X, Y) > 0.6


def test_verbose_shows_a_bar_and_silence_shows_none(capsys):
    make(AdaBoostM2Classifier, verbose=1).fit(X, Y)
    assert "AdaBoostM2Classifier" in capsys.readouterr().err
    make(AdaBoostM2Classifier).fit(X, Y)
    assert capsys.readouterr().err == ""


def test_an_ensemble_that_does_not_say_how_it_is_trained_is_named():
    with pytest.raises(NotImplementedError, match="Ensemble does not say how it is trained"):
        Ensemble().fit(X, Y)
