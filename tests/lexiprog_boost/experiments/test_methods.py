"""Methods are built as the paper has them: ten rounds, their own settings, the cell's seed."""

import sys

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import TunedThresholdClassifierCV

import lexiprog_boost as lb
from lexiprog_boost.datasets import make_toy
from lexiprog_boost.experiments.methods import (
    BASELINES,
    BY_NAME,
    FIRST_MEMBER,
    METHODS,
    TO_CHANCE,
    make_learner,
)
from lexiprog_boost.learners import C45TreeClassifier, WeightedKNeighborsClassifier

LEARNER = WeightedKNeighborsClassifier(7)
UNEVEN = {"nu": 0.2, "beta": 4.0, "tie_break": None}
# Class, settings of the grid that are tried here, and parameters that must follow.
BUILT = {
    "AdaBoost": (lb.AdaBoostM2Classifier, {}, {}),
    "AdaMEC-Calib": (lb.AdaMECClassifier, {}, {}),
    "AdaBoost.NC": (lb.AdaBoostNCClassifier, {"penalty": 9.0}, {"penalty": 9.0}),
    "LPAdaBoost": (lb.LPAdaBoostClassifier, {}, {"tie_break": None}),
    "LPUBoost": (lb.LPUBoostClassifier, {"nu": 0.2, "beta": 4.0}, UNEVEN),
    "LexiBoost": (lb.LexiBoostClassifier, {}, {"class_costs": None}),
    "Dual-LPAdaBoost": (lb.DualLPAdaBoostClassifier, {}, {"tie_break": None}),
    "Dual-LPUBoost": (
        lb.DualLPUBoostClassifier,
        {"nu": 0.2, "beta": 4.0, "lower_bound": 0.02},
        {**UNEVEN, "lower_bound": 0.02},
    ),
    "Dual-LexiBoost": (lb.DualLexiBoostClassifier, {}, {}),
    "LexiBoost with costs": (lb.LexiBoostClassifier, {"cost": 8.0}, {"class_costs": {0: 1, 1: 8}}),
}


@pytest.mark.parametrize("name", BUILT)
def test_a_boosted_method_has_ten_rounds_the_learner_and_the_seed(name):
    kind, setting, wanted = BUILT[name]
    built = BY_NAME[name].build(LEARNER, setting, 5)
    assert type(built) is kind
    found = built.get_params(deep=False)
    wanted = {"estimator": LEARNER, "n_estimators": 10, "random_state": 5, **wanted}
    assert {key: found[key] for key in wanted} == wanted
    assert setting in BY_NAME[name].grid


def test_every_method_of_the_paper_is_tried_here():
    assert {one.name for one in METHODS} | {"LexiBoost with costs"} == set(BUILT)


def test_gradient_boosting_is_balanced_and_its_threshold_tuned_for_balance():
    plain = BY_NAME["HistGB balanced"].build(None, {}, 5)
    tuned = BY_NAME["HistGB tuned threshold"].build(None, {}, 5)
    assert isinstance(tuned, TunedThresholdClassifierCV)
    assert (tuned.scoring, tuned.random_state) == ("balanced_accuracy", 5)
    for one in (plain, tuned.estimator):
        assert isinstance(one, HistGradientBoostingClassifier)
        assert (one.class_weight, one.random_state) == ("balanced", 5)


def test_baselines_of_imbalanced_learn_get_the_seed_and_rusboost_deeper_trees():
    ensembles = pytest.importorskip("imblearn.ensemble")
    for name in ("RUSBoost", "EasyEnsemble", "BalancedRandomForest"):
        built = BY_NAME[name].build(None, {}, 5)
        assert type(built) is getattr(ensembles, f"{name}Classifier")
        assert built.random_state == 5
    assert BY_NAME["RUSBoost"].build(None, {}, 5).estimator.max_depth == 5


def test_a_baseline_that_is_not_installed_is_named_with_the_way_out(monkeypatch):
    monkeypatch.setitem(sys.modules, "imblearn.ensemble", None)
    with pytest.raises(ImportError, match=r"EasyEnsembleClassifier .*lexiprog\[experiments\]"):
        BY_NAME["EasyEnsemble"].build(None, {}, 5)


def test_some_methods_are_for_two_classes_only():
    assert {one.name for one in BY_NAME.values() if one.two_class_only} == {
        "AdaMEC-Calib", "LPUBoost", "Dual-LPUBoost", "HistGB tuned threshold",
        "LexiBoost with costs", "Dual-LexiBoost with costs",
    }  # fmt: skip
    assert {one.role for one in METHODS} == {"paper"}
    assert {one.role for one in BASELINES} == {"baseline"}
    assert BY_NAME["LexiBoost with costs"].role == "sweep"


def test_grids_are_the_papers():
    sizes = {one.name: len(one.grid) for one in BY_NAME.values() if len(one.grid) > 1}
    assert sizes == {
        "AdaBoost.NC": 2, "LPUBoost": 2 * 3, "Dual-LPUBoost": 2 * 3 * 3,
        "LexiBoost with costs": 11, "Dual-LexiBoost with costs": 11,
    }  # fmt: skip


def test_the_first_member_alone_is_one_learner_with_equal_weight_for_each_class():
    data = make_toy()
    setting = {"k": 5}
    model = BY_NAME[FIRST_MEMBER].build(make_learner("kNN", setting), setting, 7)
    model.fit(data.X, data.y)
    sizes = np.bincount(data.y)
    alone = make_learner("kNN", setting).fit(data.X, data.y, sample_weight=0.5 / sizes[data.y])
    np.testing.assert_array_equal(model.predict(data.X), alone.predict(data.X))


def test_to_chance_only_the_limit_of_the_error_differs():
    built = [BY_NAME[name].build(None, {}, 7) for name in ("Dual-LexiBoost", TO_CHANCE)]
    one, other = (model.get_params() for model in built)
    assert {name for name in one if one[name] != other[name]} == {"error_limit"}
    assert other["error_limit"] == "chance"


def test_learners_are_made_with_their_own_setting():
    assert isinstance(make_learner("C4.5", {}), C45TreeClassifier)
    assert make_learner("kNN", {"k": 3, "nu": 0.1}).n_neighbors == 3
    assert make_learner("own", {}) is None
