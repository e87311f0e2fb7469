"""What LexiBoost's classifiers have in common: attributes that agree, options, warnings."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier

import lexiprog as lx
from lexiprog_boost import LexiEnsembleClassifier
from tests.lexiprog_boost.classifiers.lexi_models import MODELS, X, Y


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


def test_a_pickle_predicts_alike_and_keeps_the_result(model):
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(X), model.predict(X))
    assert copy.result_["balance"].value == model.result_["balance"].value
    assert not hasattr(copy, "program_")


def test_the_report_names_members_and_classes(model):
    text = model.report()
    for part in ("members carry weight", "many", "rare", "deviation"):
        assert part in text


@pytest.mark.parametrize("name", ["lexiboost", "dual", "exact dual"])
@pytest.mark.parametrize("change", [{"solver": "CLARABEL"}, {"solver": "ECOS"}, {"reduce": False}])
def test_f12_the_model_does_not_depend_on_solver_or_reduction(name, change):
    reference = clone(MODELS[name]).fit(X, Y)
    other = clone(MODELS[name]).set_params(**change).fit(X, Y)
    np.testing.assert_allclose(other.estimator_weights_, reference.estimator_weights_, atol=1e-6)
    np.testing.assert_array_equal(other.predict(X), reference.predict(X))


def test_f9_a_perfect_pool_warns_with_the_remedy_which_helps():
    nearest = KNeighborsClassifier(1)
    with pytest.warns(lx.LexiprogWarning, match="margins_from='cross'"):
        LexiEnsembleClassifier([("nearest", nearest)], margins_from="train").fit(X, Y)
    honest = LexiEnsembleClassifier([("nearest", nearest)], class_offsets=False, random_state=0)
    assert honest.fit(X, Y).margins_from_ == "cross"
    assert honest.fit(X, Y).class_optima_.max() > 0.1
