"""LexiBoost: its options, its costs, its weights, its refusals."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier

from lexiprog_boost import LexiBoostClassifier, lexicographic_weights, margin_matrix
from lexiprog_boost.margins import cross_fitted_margins, offset_margins, out_of_bag_margins
from lexiprog_boost.pools import adaboost_m2_pool, adaboost_pool, refit_member
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
    assert not np.allclose(weighted.estimator_weights_, plain.estimator_weights_, atol=1e-3)


def test_f2_two_classes_and_votes_predict_like_the_heavier_member():
    model = LexiBoostClassifier(STUMP, 15, random_state=0).fit(X, Y)
    assert model.n_members_ <= 2
    heavy = model.estimators_[int(np.argmax(model.estimator_weights_))]
    assert model.estimator_weights_.max() > 0.5 + 1e-3  # no tie
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
@pytest.mark.parametrize("weights", [None, np.arange(300) % 3 + 1.0], ids=["even", "weighted"])
def test_every_option_is_the_pipeline_of_public_functions(options, weights):
    model = clone(MODELS["lexiboost"]).set_params(**options).fit(X, Y, sample_weight=weights)
    found = by_hand(weights, **options)
    np.testing.assert_allclose(model.estimator_weights_, found.alpha, atol=1e-7)
    np.testing.assert_allclose(model.class_losses_, found.class_losses, atol=1e-7)


def by_hand(weights, **options):
    """Pool, margins, weights, one after the other, as a researcher would write it."""
    options = {
        "estimator": STUMP,
        "pool": "m2",
        "margin": "vote",
        "margins_from": "train",
        **options,
    }
    options.pop("verbose", None)
    learner, pool, rule = (options.pop(name) for name in ("estimator", "pool", "margin"))
    where, offsets = options.pop("margins_from"), options.pop("class_offsets", False)
    rng = np.random.RandomState(0)
    shared = {"n_estimators": 8, "sample_weight": weights, "random_state": rng}
    if pool == "m2":
        output = "confidence" if rule == "proba" else "hard"
        pool = adaboost_m2_pool(learner, X, Y, output=output, keep_distributions=True, **shared)
    else:
        pool = adaboost_pool(learner, X, Y, **shared)
    seed = rng.randint(2**31 - 1)
    if where == "train":
        margins = margin_matrix(pool.estimators, X, Y, rule=rule)
    elif where == "oob":
        margins = out_of_bag_margins(pool.estimators, X, Y, sample_weight=weights).margins
    else:
        margins = cross_fitted_margins(
            pool.estimators, X, Y, rule=rule, sample_weights=pool.distributions,
            refit=refit_member, random_state=seed,
        ).margins  # fmt: skip
    own = pool.weights
    if offsets:
        margins = np.hstack([margins, offset_margins(Y, np.unique(Y), rule=rule)])
        own = np.append(own, [0, 0])
    return lexicographic_weights(margins, Y, sample_weight=weights, pool_weights=own, **options)


def test_a_cost_makes_the_rare_class_lose_less():
    plain = clone(MODELS["lexiboost"]).fit(X, Y)
    costed = clone(MODELS["lexiboost"]).set_params(class_costs=[1, 4]).fit(X, Y)
    assert costed.class_losses_[1] < plain.class_losses_[1] - 1e-6


@pytest.mark.parametrize("name", MODELS)
def test_balanced_costs_are_the_largest_class_over_each(name):
    sizes = {label: float((label == Y).sum()) for label in ("many", "rare")}
    costs = {label: max(sizes.values()) / size for label, size in sizes.items()}
    given = clone(MODELS[name]).set_params(class_costs=costs).fit(X, Y)
    balanced = clone(MODELS[name]).set_params(class_costs="balanced").fit(X, Y)
    np.testing.assert_allclose(balanced.estimator_weights_, given.estimator_weights_, atol=1e-9)
    assert balanced.chi_ == pytest.approx(given.chi_)


def test_the_modern_one_keeps_what_it_is_given():
    model = LexiBoostClassifier.modern(STUMP, n_estimators=5, margin_target=0.2, random_state=0)
    told = {"margin": "proba", "margins_from": "cross", "class_offsets": True, "margin_target": 0.2}
    assert {key: getattr(model, key) for key in told} == told
    assert len(model.fit(X, Y).estimators_) == 5 + 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"class_costs": "even"}, "unknown class_costs 'even'; it is 'balanced'"),
        ({"pool": "bagging"}, "unknown pool"),
        ({"margin": "soft"}, "margin"),
        ({"margins_from": "test"}, "unknown margins_from"),
        ({"pool": "adaboost", "margins_from": "cross"}, "use pool='m2'"),
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
