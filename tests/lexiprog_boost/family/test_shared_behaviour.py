"""What all members of the family do alike: labels, weights, stages, pickles, clear errors."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import lexiprog_boost
from lexiprog_boost import (
    AdaBoostM2Classifier,
    AdaBoostNCClassifier,
    AdaMECClassifier,
    DualLPAdaBoostClassifier,
    DualLPBoostClassifier,
    DualLPUBoostClassifier,
    LPAdaBoostClassifier,
    LPBoostClassifier,
    LPUBoostClassifier,
    WeightedKNeighborsClassifier,
)

TREE = DecisionTreeClassifier(max_depth=2)
PROGRAMS = [
    LPAdaBoostClassifier,
    LPBoostClassifier,
    LPUBoostClassifier,
    DualLPAdaBoostClassifier,
    DualLPBoostClassifier,
    DualLPUBoostClassifier,
]
VOTES = [*PROGRAMS, AdaBoostM2Classifier, AdaBoostNCClassifier]
ALL = [*VOTES, AdaMECClassifier]


def by_name(models):
    return pytest.mark.parametrize("kind", models, ids=lambda kind: kind.__name__)


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(
        120, 5, n_informative=3, n_redundant=0, n_classes=3, n_clusters_per_class=1,
        weights=[0.6, 0.3], class_sep=1.5, random_state=0,
    )  # fmt: skip
    return X, np.array(["low", "middle", "top"])[y]


def make(kind, **settings):
    return kind(TREE, 3, random_state=0, **settings)


@by_name(ALL)
def test_every_name_is_public_and_sparse_points_and_pickles_give_the_same_answers(kind, data):
    X, y = data
    model = make(kind).fit(X, y)
    assert kind.__name__ in lexiprog_boost.__all__
    shares = model.predict_proba(X)
    assert shares.sum(axis=1) == pytest.approx(1)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), shares)
    sparse = clone(model).fit(csr_matrix(X), y)
    assert sparse.predict_proba(csr_matrix(X)) == pytest.approx(shares, abs=1e-6)


@by_name(VOTES)
def test_the_last_stage_is_the_whole_ensemble(kind, data):
    X, y = data
    model = make(kind).fit(X, y)
    assert list(model.staged_predict(X))[-1].tolist() == model.predict(X).tolist()
    *_, scores = model.staged_decision_function(X)
    assert scores == pytest.approx(model.decision_function(X))
    assert len(list(model.staged_predict_proba(X))) == len(model.estimators_)
    assert model.estimator_weights_.sum() == pytest.approx(1)
    assert 1 <= model.n_members_ <= len(model.estimators_)
    assert model.stopped_ in model.report()


@by_name(PROGRAMS)
def test_the_program_that_was_solved_can_be_read(kind, data):
    model = make(kind).fit(*data)
    name, variable = ("edge", "D") if "Dual" in kind.__name__ else ("margin", "alpha")
    assert model.program_[name].variable(variable).size == model.result_[name][variable].size
    assert not hasattr(pickle.loads(pickle.dumps(model)), "program_")
    assert f"margin r: {model.margin_:.4f}" in model.report()


@by_name(VOTES)
def test_points_of_weight_zero_play_no_part(kind, data):
    if kind is AdaBoostNCClassifier:
        kind = lambda *args, **kw: AdaBoostNCClassifier(*args, oversample=False, **kw)  # noqa: E731
    X, y = data
    weights = np.ones(len(y))
    weights[::5] = 0
    weighted = make(kind).fit(X, y, sample_weight=weights)
    shorter = make(kind).fit(X[weights > 0], y[weights > 0])
    assert weighted.predict_proba(X) == pytest.approx(shorter.predict_proba(X), abs=1e-5)


@by_name(ALL)
def test_bad_training_data_is_refused_in_a_sentence(kind, data):
    X, y = data
    with pytest.raises(ValueError, match="one class"):
        make(kind).fit(X, np.full(len(y), "low"))
    with pytest.raises(ValueError, match="class 'top' has no point of weight > 0"):
        make(kind).fit(X, y, sample_weight=(y != "top").astype(float))
    with pytest.raises(ValueError, match="negative"):
        make(kind).fit(X, y, sample_weight=-np.ones(len(y)))
    with pytest.raises(ValueError, match="inconsistent numbers"):
        make(kind).fit(X, y[:-1])


@pytest.mark.parametrize(
    "learner", [WeightedKNeighborsClassifier(3), KNeighborsClassifier(3)], ids=str
)
@by_name([AdaBoostM2Classifier, LPUBoostClassifier, DualLPUBoostClassifier])
def test_neighbours_serve_as_learners_with_and_without_weights(kind, learner, data):
    X, y = data
    assert kind(learner, 3, random_state=0).fit(X, y).score(X, y) > 0.6


def test_verbose_shows_a_bar(data, capsys):
    make(AdaBoostM2Classifier, verbose=1).fit(*data)
    assert "AdaBoostM2Classifier" in capsys.readouterr().err
