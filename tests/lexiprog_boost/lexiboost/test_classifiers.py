"""What users see of LexiBoost's estimators: predictions, stages, options, warnings, failures."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_wine, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import lexiprog as lx
from lexiprog_boost import (
    DualLexiBoostClassifier,
    LexiBoostClassifier,
    LexiEnsembleClassifier,
    WeightedKNeighborsClassifier,
)
from lexiprog_boost.metrics import geometric_mean_score

X, CODES = make_classification(
    300, n_features=8, n_informative=4, weights=[0.85], flip_y=0.1, random_state=3
)
Y = np.array(["many", "rare"])[CODES]
STUMP = DecisionTreeClassifier(max_depth=1)
ALWAYS_RARE = DummyClassifier(strategy="constant", constant="rare")
# LexiEnsembleClassifier's defaults are not the paper's.
PAPER = {"margin": "vote", "class_offsets": False, "margin_target": 1.0}
MODELS = {
    "lexiboost": LexiBoostClassifier(STUMP, 8, random_state=0),
    "ensemble": LexiEnsembleClassifier(BaggingClassifier(STUMP, 8), **PAPER, random_state=0),
    "dual": DualLexiBoostClassifier(STUMP, 4, random_state=0),
    "exact dual": DualLexiBoostClassifier(
        STUMP, 4, dual="exact", margin_target=0.5, random_state=0
    ),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    return clone(MODELS[request.param]).fit(X, Y)


def test_fitted_attributes_agree_with_each_other(model):
    assert model.classes_.tolist() == ["many", "rare"]
    assert model.estimator_weights_.shape == (len(model.estimators_),)
    assert model.estimator_weights_.sum() == pytest.approx(1)
    assert model.n_members_ == (model.estimator_weights_ > 1e-6).sum()
    assert model.deviation_ == max(0.0, model.chi_)
    assert model.result_["balance"].certificate.passed
    deviations = model.class_losses_ - model.class_optima_
    assert max(deviations) == pytest.approx(model.chi_, abs=1e-7)


def test_probabilities_decisions_and_predictions_say_the_same(model):
    shares, decisions = model.predict_proba(X), model.decision_function(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_allclose(decisions, shares[:, 1] - shares[:, 0], atol=1e-8)
    np.testing.assert_array_equal(model.predict(X) == "rare", decisions > 0)


def test_the_last_stage_is_the_model(model):
    *_, last = model.staged_predict(X)
    np.testing.assert_array_equal(last, model.predict(X))
    stages = list(model.staged_decision_function(X))
    assert len(stages) == len(model.estimators_)
    np.testing.assert_allclose(stages[-1], model.decision_function(X), atol=1e-9)


def test_a_pickle_predicts_alike_and_keeps_the_result(model):
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(X), model.predict(X))
    assert copy.result_["balance"].value == model.result_["balance"].value
    assert not hasattr(copy, "program_")


def test_the_report_names_members_and_classes(model):
    text = model.report()
    for part in ("members carry weight", "many", "rare", "deviation"):
        assert part in text


@pytest.mark.parametrize("name", MODELS)
def test_sparse_points_give_the_same_model(name):
    dense = clone(MODELS[name]).fit(X, CODES)
    sparse = clone(MODELS[name]).fit(csr_matrix(X), CODES)
    np.testing.assert_allclose(sparse.estimator_weights_, dense.estimator_weights_, atol=1e-6)
    np.testing.assert_array_equal(sparse.predict(csr_matrix(X)), dense.predict(X))


@pytest.mark.parametrize("name", ["lexiboost", "dual", "exact dual"])
@pytest.mark.parametrize("change", [{"solver": "CLARABEL"}, {"solver": "ECOS"}, {"reduce": False}])
def test_f12_the_model_does_not_depend_on_solver_or_reduction(name, change):
    reference = clone(MODELS[name]).fit(X, Y)
    other = clone(MODELS[name]).set_params(**change).fit(X, Y)
    np.testing.assert_allclose(other.estimator_weights_, reference.estimator_weights_, atol=1e-6)
    np.testing.assert_array_equal(other.predict(X), reference.predict(X))


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


def test_a_tie_goes_to_the_first_class():
    members = [(str(c), DummyClassifier(strategy="constant", constant=c)) for c in ("many", "rare")]
    model = LexiEnsembleClassifier(members, **PAPER).fit(X, Y)
    np.testing.assert_allclose(model.estimator_weights_, [0.5, 0.5])
    assert set(model.predict(X)) == {"many"}


def test_f9_a_perfect_pool_warns_with_the_remedy_which_helps():
    nearest = KNeighborsClassifier(1)
    with pytest.warns(lx.LexiprogWarning, match="margins_from='cross'"):
        LexiEnsembleClassifier([("nearest", nearest)], margins_from="train").fit(X, Y)
    honest = LexiEnsembleClassifier([("nearest", nearest)], class_offsets=False, random_state=0)
    assert honest.fit(X, Y).margins_from_ == "cross"
    assert honest.fit(X, Y).class_optima_.max() > 0.1


def test_f13_class_offsets_add_a_constant_member_a_class():
    model = LexiBoostClassifier(
        STUMP, 6, class_offsets=True, margin_target=0.5, random_state=0
    ).fit(X, Y)
    assert len(model.estimators_) == 8
    assert [set(member.predict(X)) for member in model.estimators_[-2:]] == [{"many"}, {"rare"}]
    offset = model.estimators_[-1].predict_proba(X[:1])
    np.testing.assert_array_equal(offset, [[0, 1]])


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


def test_five_classes_refuse_the_signed_rule():
    rng = np.random.default_rng(0)
    points, labels = rng.normal(size=(50, 2)), np.arange(50) % 5
    with pytest.raises(ValueError, match="'signed' says nothing"):
        DualLexiBoostClassifier(STUMP, 2, margin="signed").fit(points, labels)


def test_a_class_without_weight_is_named():
    with pytest.raises(ValueError, match="class 'rare'"):
        LexiBoostClassifier(STUMP, 2).fit(X, Y, sample_weight=(Y == "many").astype(float))
