"""LexiBoost: its options, its costs, its weights, its refusals."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier

from lexiprog_boost import LexiBoostClassifier
from tests.lexiprog_boost.classifiers.lexi_models import MODELS, STUMP, X, Y


def test_a_point_of_weight_zero_counts_as_absent_and_weights_act_inside_classes():
    weights = np.where(np.arange(300) % 5 == 0, 0.0, 1.0)
    model = MODELS["lexiboost"]
    weighted = clone(model).fit(X, Y, sample_weight=weights)
    without = clone(model).fit(X[weights > 0], Y[weights > 0])
    np.testing.assert_allclose(weighted.estimator_weights_, without.estimator_weights_, atol=1e-7)
    doubled = clone(model).fit(X, Y, sample_weight=np.full(300, 2.0))
    plain = clone(model).fit(X, Y)
    np.testing.assert_allclose(doubled.estimator_weights_, plain.estimator_weights_, atol=1e-7)


def test_f2_two_classes_and_votes_predict_like_the_heavier_member():
    model = LexiBoostClassifier(STUMP, 15, random_state=0).fit(X, Y)
    assert model.n_members_ <= 2
    heavy = model.estimators_[int(np.argmax(model.estimator_weights_))]
    if model.estimator_weights_.max() > 0.5 + 1e-9:
        np.testing.assert_array_equal(model.predict(X), heavy.predict(X))


def test_f13_class_offsets_add_a_constant_member_a_class():
    model = LexiBoostClassifier(
        STUMP, 6, class_offsets=True, margin_target=0.5, random_state=0
    ).fit(X, Y)
    assert len(model.estimators_) == 8
    assert [set(member.predict(X)) for member in model.estimators_[-2:]] == [{"many"}, {"rare"}]
    offset = model.estimators_[-1].predict_proba(X[:1])
    np.testing.assert_array_equal(offset, [[0, 1]])


@pytest.mark.parametrize(
    "options",
    [
        {"margin": "proba"},
        {"margin": "signed"},
        {"pool": "adaboost"},
        {"margins_from": "cross"},
        {"estimator": KNeighborsClassifier(3), "margins_from": "oob"},
        {"margin_target": 0.5, "weight_cap": 0.3},
        {"tie_break": "leximax"},
        {"tie_break": "closest"},
        {"class_costs": {"rare": 3, "many": 1}},
        {
            "margin": "proba",
            "margins_from": "cross",
            "class_offsets": True,
            "margin_target": 0.3,
            "tie_break": ("closest", 0.05),
        },
        {"verbose": 1},
    ],
    ids=str,
)
def test_every_option_of_lexiboost_fits(options):
    model = clone(MODELS["lexiboost"]).set_params(**options).fit(X, Y)
    assert model.estimator_weights_.sum() == pytest.approx(1)
    assert set(model.predict(X)) <= {"many", "rare"}


def test_a_cost_makes_the_rare_class_lose_less():
    plain = clone(MODELS["lexiboost"]).fit(X, Y)
    costed = clone(MODELS["lexiboost"]).set_params(class_costs=[1, 4]).fit(X, Y)
    assert costed.class_losses_[1] < plain.class_losses_[1] - 1e-6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pool": "bagging"}, "unknown pool"),
        ({"margin": "soft"}, "margin"),
        ({"margins_from": "test"}, "unknown margins_from"),
        ({"pool": "adaboost", "margins_from": "cross"}, "use pool='m2'"),
        ({"class_costs": {"rare": 1}}, "no cost for class 'many'"),
        ({"weight_cap": 0.01}, "at least 1/"),
        ({"margin_target": -1}, "margin_target"),
        ({"tie_break": "random"}, "unknown tie_break"),
        (
            {"estimator": DummyClassifier(strategy="constant", constant="rare")},
            "better than chance",
        ),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        clone(MODELS["lexiboost"]).set_params(**options).fit(X, Y)
