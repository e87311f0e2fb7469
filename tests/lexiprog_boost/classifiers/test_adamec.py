"""AdaMEC: the threshold of least expected cost, by hand."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost import AdaMECClassifier
from lexiprog_boost.classifiers.adamec import two_samples


@pytest.fixture(scope="module")
def imbalanced():
    X, y = make_classification(
        400, 6, n_informative=4, weights=[0.8], flip_y=0.1, class_sep=0.7, random_state=1
    )
    return X, np.where(y == 1, "rare", "many")


def model_of(**settings):
    return AdaMECClassifier(DecisionTreeClassifier(max_depth=1), random_state=0, **settings)


@pytest.mark.parametrize(("miss", "alarm"), [(1.0, 1.0), (4.0, 1.0), (1.0, 3.0)])
def test_the_rare_class_is_predicted_above_the_threshold_of_its_costs(imbalanced, miss, alarm):
    X, y = imbalanced
    model = model_of(class_costs={"rare": miss, "many": alarm}).fit(X, y)
    p_rare = model.predict_proba(X)[:, list(model.classes_).index("rare")]
    expected = np.where(p_rare > alarm / (alarm + miss), "rare", "many")
    assert np.array_equal(model.predict(X), expected)
    assert len(np.unique(expected)) == 2


def test_balanced_costs_are_the_imbalance_ratio(imbalanced):
    X, y = imbalanced
    model = model_of().fit(X, y)
    ratio = (y == "many").sum() / (y == "rare").sum()
    assert model.cost_matrix_ == pytest.approx(np.array([[0, 1], [ratio, 0]]))
    threshold = 1 / (1 + ratio)
    assert np.array_equal(model.predict(X) == "rare", model.predict_proba(X)[:, 1] > threshold)


def test_scores_are_platts_sigmoid_of_the_vote(imbalanced):
    X, y = imbalanced
    model = model_of().fit(X, y)
    p = model.predict_proba(X)[:, 1]
    logit, vote = np.log(p / (1 - p)), model.booster_.decision_function(X)
    slope, offset = np.polyfit(vote, logit, 1)
    assert logit == pytest.approx(slope * vote + offset, abs=1e-6)
    assert slope > 0


def test_many_classes_take_the_least_expected_cost():
    X, y = load_iris(return_X_y=True)
    costs = np.array([[0, 1, 1], [1, 0, 1], [9, 9, 0]])
    model = AdaMECClassifier(class_costs=costs, random_state=0).fit(X, y)
    p = model.predict_proba(X)
    by_hand = [
        min(range(3), key=lambda k: sum(p[i, j] * costs[j, k] for j in range(3)))
        for i in range(len(y))
    ]
    assert np.array_equal(model.predict(X), by_hand)
    assert np.array_equal(model.decision_function(X).argmax(axis=1), by_hand)
    # Costs may change without training anew.
    model.cost_matrix_ = 1 - np.eye(3)
    assert np.array_equal(model.predict(X), p.argmax(axis=1))


def test_calibration_can_use_the_rest(imbalanced):
    X, y = imbalanced
    for where in ("rest", "sample"):
        model = model_of(calibrate_on=where).fit(X, y)
        codes = (y == "rare").astype(int)
        _, rows = two_samples(codes, 0.8, where, np.random.RandomState(0))
        # Platt's sigmoid has, on the points it was fitted to, the mean of its smoothed targets.
        n_rare, n_many = codes[rows].sum(), (1 - codes[rows]).sum()
        targets = n_rare * (n_rare + 1) / (n_rare + 2) + n_many / (n_many + 2)
        assert model.predict_proba(X[rows])[:, 1].sum() == pytest.approx(targets, rel=1e-4)
    lonely = np.where(np.arange(len(y)) == 5, "single", y)  # a class of one point serves twice
    assert "single" in model_of(calibrate_on="rest").fit(X, lonely).classes_


BAD = {
    "unknown class_costs 'auto'": {"class_costs": "auto"},
    "class_costs has shape \\(3, 3\\)": {"class_costs": np.eye(3)},
    "below 0 or not finite": {"class_costs": -np.ones((2, 2))},
    "sample_size is 1.5": {"sample_size": 1.5},
    "unknown calibrate_on 'half'": {"calibrate_on": "half"},
}


@pytest.mark.parametrize("message", BAD)
def test_settings_that_cannot_work_are_refused(message, imbalanced):
    with pytest.raises(ValueError, match=message):
        model_of(**BAD[message]).fit(*imbalanced)


def test_what_is_no_number_is_refused_in_whichever_row_it_stands():
    points, labels = np.arange(20.0)[:, None].astype(object), np.arange(20) // 10
    for row in range(20):
        bad = points.copy()
        bad[row, 0] = {"no": "number"}
        with pytest.raises(TypeError, match="must be a string or a real number"):
            AdaMECClassifier(n_estimators=2, sample_size=0.3, random_state=0).fit(bad, labels)
