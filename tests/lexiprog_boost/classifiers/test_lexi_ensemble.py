"""LexiEnsembleClassifier: any ensemble, small classes, probabilities, weights."""

import warnings

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, recall_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from lexiprog_boost import LexiEnsembleClassifier, lexicographic_weights, margin_matrix
from lexiprog_boost.classifiers.shared.listed_members import default_pool
from lexiprog_boost.margins import cross_fitted_margins, offset_margins
from tests.lexiprog_boost.classifiers.uneven_points import LIGHT, TEST, TRAIN, X, Y


@pytest.fixture(scope="module")
def model():
    return LexiEnsembleClassifier(random_state=0).fit(X[TRAIN], Y[TRAIN])


def test_the_default_is_the_pool_with_offsets_and_cross_fitted_pairs(model):
    assert [name for name, _ in model.ensemble_.members] == [name for name, _ in default_pool()]
    assert model.margins_from_ == "cross"
    assert len(model.estimators_) == len(default_pool()) + 2
    np.testing.assert_allclose(model.class_optima_, 0, atol=1e-9)
    assert [stage.name for stage in model.program_.stages][:2] == ["classes", "balance"]


def test_the_classes_end_with_the_same_loss(model):
    assert model.class_losses_[0] == pytest.approx(model.class_losses_[1], abs=1e-7)


def test_it_recognises_both_classes_of_new_points_where_learners_of_the_many_do_not(model):
    plain = [LogisticRegression(), RandomForestClassifier(50, random_state=0)]
    models = [model, *(one.fit(X[TRAIN], Y[TRAIN]) for one in plain)]
    worst = [min(recall_score(Y[TEST], one.predict(X[TEST]), average=None)) for one in models]
    assert worst[0] > 0.8 > max(worst[1:])


def test_predictions_are_those_of_the_scores(model):
    scores = model.decision_function(X[TEST])
    np.testing.assert_array_equal(model.predict(X[TEST]), (scores > 0).astype(int))


def test_points_of_weight_zero_play_no_part_not_even_in_the_folds():
    weights = np.where(np.arange(len(Y)) % 3 == 0, 0.0, 1.0)
    members = [GaussianNB(), LogisticRegression()]
    with_them = LexiEnsembleClassifier(members, random_state=0).fit(X, Y, sample_weight=weights)
    rows = weights > 0
    without = LexiEnsembleClassifier(members, random_state=0).fit(X[rows], Y[rows], weights[rows])
    np.testing.assert_array_equal(with_them.decision_function(X), without.decision_function(X))
    assert with_them.class_recalls_ == without.class_recalls_
    with_them.reweigh(X, Y, sample_weight=1 - weights)
    without.reweigh(X[~rows], Y[~rows])
    np.testing.assert_array_equal(with_them.predict_proba(X), without.predict_proba(X))


def test_probabilities_are_calibrated_to_the_frequencies(model):
    scores = (1 + model.decision_function(X[TEST])) / 2
    uncalibrated = np.column_stack([1 - scores, scores])
    probabilities = model.predict_proba(X[TEST])
    assert log_loss(Y[TEST], probabilities) < log_loss(Y[TEST], uncalibrated)
    brier = ((probabilities[:, 1] - Y[TEST]) ** 2).mean()
    assert brier < ((scores - Y[TEST]) ** 2).mean()
    assert probabilities[:, 1].mean() == pytest.approx(Y[TEST].mean(), abs=0.04)
    order = np.argsort(scores)
    assert (np.diff(probabilities[order, 1]) >= -1e-12).all()


@pytest.mark.parametrize("sizes", [(60, 1), (60, 30, 1), (60, 2, 3, 10), (20, 4, 1, 1)], ids=str)
def test_tiny_classes_break_nothing(sizes):
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    points = rng.normal(size=(len(labels), 3)) + 2 * labels[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LexiEnsembleClassifier(random_state=0).fit(points, labels)
        probabilities = model.predict_proba(points)
    assert model.classes_.tolist() == list(range(len(sizes)))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert np.isin(np.unique(labels), model.predict(points)).all()


def test_two_workers_find_the_same_model_as_one():
    one, two = (
        LexiEnsembleClassifier(LIGHT, random_state=0, n_jobs=n_jobs).fit(X[TRAIN], Y[TRAIN])
        for n_jobs in (None, 2)
    )
    np.testing.assert_allclose(two.estimator_weights_, one.estimator_weights_, atol=1e-9)


def test_missing_values_are_taken_and_words_of_labels_kept():
    holes = X.copy()
    holes[::9, 2] = np.nan
    labels = np.array(["no", "yes"])[Y]
    model = LexiEnsembleClassifier(random_state=0).fit(holes[TRAIN], labels[TRAIN])
    assert set(model.predict(holes[TEST])) == {"no", "yes"}


def test_prefit_members_are_weighed_on_the_points_given():
    members = [(name, one.fit(X[:300], Y[:300])) for name, one in LIGHT]
    model = LexiEnsembleClassifier(members, prefit=True).fit(X[300:500], Y[300:500])
    assert model.margins_from_ == "train"
    assert model.calibration_ is not None
    few = np.where(X[300:500, 0] > 0, 0, 2)
    with pytest.raises(ValueError, match="know the class 1, of which y has no point"):
        LexiEnsembleClassifier(members, prefit=True).fit(X[300:500], few)


def test_progress_is_shown_on_demand(capsys):
    LexiEnsembleClassifier(LIGHT, verbose=1, random_state=0).fit(X[TRAIN], Y[TRAIN])
    shown = capsys.readouterr().err
    assert "members" in shown
    assert "cross-fitting" in shown


@pytest.mark.parametrize(
    "options",
    [
        {"tie_break": "closest"},
        {"tie_break": ("closest", 0.05), "class_costs": [1, 3]},
        {"tie_break": "leximax", "margin_target": 0.5},
        {"weight_cap": 0.4, "reduce": False},
        {"margin": "proba"},
        {"margin": "vote", "class_offsets": False, "margin_target": 1.0},
    ],
    ids=str,
)
def test_every_lever_is_that_of_the_weights(options):
    members = [one.fit(X[:300], Y[:300]) for _, one in LIGHT]
    points, labels = X[300:], Y[300:]
    model = LexiEnsembleClassifier(LIGHT, prefit=True, **options).fit(points, labels)
    rule, options = options.get("margin", "proba"), {"margin_target": 0.3, **options}
    # With two classes the margins of pairs are those of the probabilities.
    margins = margin_matrix(members, points, labels, rule=rule)
    if options.pop("class_offsets", True):
        margins = np.hstack([margins, offset_margins(labels, [0, 1])])
    own = np.r_[np.ones(3), np.zeros(margins.shape[1] - 3)]
    options.pop("margin", None)
    found = lexicographic_weights(margins, labels, pool_weights=own, **options)
    np.testing.assert_allclose(model.estimator_weights_, found.alpha, atol=1e-6)


def test_cross_fitted_margins_of_probabilities_are_those_of_twins():
    model = LexiEnsembleClassifier(LIGHT[:2], margin="proba", margins_from="cross", random_state=0)
    model.fit(X[TRAIN], Y[TRAIN])
    rng = np.random.RandomState(0)
    _, seed = rng.randint(2**31 - 1), rng.randint(2**31 - 1)  # the members', the folds'
    honest = cross_fitted_margins(
        [one for _, one in LIGHT[:2]], X[TRAIN], Y[TRAIN], rule="proba", random_state=seed
    )
    margins = np.hstack([honest.margins, offset_margins(Y[TRAIN], [0, 1])])
    found = lexicographic_weights(margins, Y[TRAIN], margin_target=0.3)
    np.testing.assert_allclose(model.estimator_weights_, found.alpha, atol=1e-6)


def test_reductions_leave_the_model_as_it_is():
    wine, kinds = load_wine(return_X_y=True)
    models = [
        LexiEnsembleClassifier(LIGHT, reduce=reduce, random_state=0).fit(wine[:, :2], kinds)
        for reduce in ("auto", False)
    ]
    weights = [model.estimator_weights_ for model in models]
    np.testing.assert_allclose(weights[0], weights[1], atol=1e-6)


def test_the_report_calls_members_by_their_names(model):
    text = model.report()
    assert "always 1" in text or "linear" in text
    assert "the members of the list" in text
    assert "member 0" not in text


def test_members_that_need_a_data_frame_get_one_in_every_fold():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"colour": np.array(["red", "blue"])[(X[:, 0] > 0) * 1], "size": X[:, 1]}
    )
    columns = make_column_transformer((OneHotEncoder(), ["colour"]), remainder="passthrough")
    members = [
        ("linear", make_pipeline(columns, LogisticRegression(class_weight="balanced"))),
        ("sizes", make_pipeline(make_column_transformer(("passthrough", ["size"])), GaussianNB())),
    ]
    model = LexiEnsembleClassifier(members, random_state=0).fit(frame, Y)
    assert model.margins_from_ == "cross"
    assert model.predict(frame).shape == (600,)
