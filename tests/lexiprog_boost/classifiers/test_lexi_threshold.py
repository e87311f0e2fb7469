"""LexiThresholdClassifier as a user meets it."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import lexiprog as lx
from lexiprog_boost import LexiThresholdClassifier, plots

LABELS = np.array(["A", "B", "C"])
FLOORS = [("recall", "A", 0.9), ("recall", "B", 0.8), "worst recall"]


def three_classes(seed, n=3000):
    rng = np.random.default_rng(seed)
    codes = rng.choice(3, n, p=[0.1, 0.2, 0.7])
    angles = 2 * np.pi * codes / 3
    X = 2 * np.column_stack([np.cos(angles), np.sin(angles)]) + rng.normal(size=(n, 2))
    return X, LABELS[codes]


def recall(model, X, y, label):
    return (model.predict(X)[y == label] == label).mean()


@pytest.fixture(scope="module")
def fitted():
    X, y = three_classes(0)
    return LexiThresholdClassifier(GaussianNB(), FLOORS, random_state=0).fit(X, y)


def test_floors_are_promised_and_held_on_new_points(fitted):
    X, y = three_classes(1, 20_000)
    assert [floor.status for floor in fitted.floors_] == ["promised", "promised"]
    assert recall(fitted, X, y, "A") >= 0.9
    assert recall(fitted, X, y, "B") >= 0.8
    assert recall(fitted, X, y, "C") >= 0.8
    plain = GaussianNB().fit(*three_classes(0))
    assert recall(plain, X, y, "A") < 0.9


def test_every_source_of_unseen_points_has_its_word():
    X, y = three_classes(0)
    prefit = GaussianNB().fit(*three_classes(2))
    said = {}
    for cv in ("holdout", 0.5, 3, "prefit"):
        learner = prefit if cv == "prefit" else GaussianNB()
        model = LexiThresholdClassifier(learner, FLOORS, cv=cv, random_state=0).fit(X, y)
        said[cv] = (model.floors_[0].status, model.floors_[0].cases)
        assert (model.estimator_ is prefit) == (cv == "prefit")
    n = (y == "A").sum()
    assert said == {
        "holdout": ("promised", round(n / 3)), 0.5: ("promised", round(n / 2)),
        3: ("estimated", n), "prefit": ("promised", n),
    }  # fmt: skip


def test_what_cannot_be_promised_is_said_and_by_choice_refused():
    X, y = three_classes(0, 600)
    model = LexiThresholdClassifier(GaussianNB(), [("recall", "A", 0.9)], random_state=0)
    n = model.set_params(unpromised="ignore").fit(X, y).floors_[0].cases
    words = f"{n} cases of A; 0.9 needs at least 29, all right; {n} can promise at most"
    with pytest.warns(lx.LexiprogWarning, match=words):
        model.set_params(unpromised="warn").fit(X, y)
    with pytest.raises(ValueError, match=words):
        model.set_params(unpromised="refuse").fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_the_report_has_a_line_a_priority_with_its_price(fitted):
    lines = fitted.report().splitlines()
    assert "2 of 2 floors kept, each with confidence 0.95" in lines[0]
    assert lines[1].startswith("  recall of A >= 0.9: 0.9")
    assert "promised" in lines[1]
    assert "costs the rest 0." in lines[1]
    assert lines[3].startswith("  worst recall: 0.8")
    assert "A" in lines[4]
    html = fitted.report().html
    assert html.count("<tr>") == 1 + 3 + 1 + 3
    assert "lxb" in fitted._repr_mimebundle_()["text/html"]
    assert "promised" in fitted._repr_mimebundle_()["text/html"]


def test_the_rule_can_be_applied_by_hand(fitted):
    y = three_classes(0)[1]
    shares = dict(zip(LABELS, np.unique(y, return_counts=True)[1] / len(y), strict=True))
    new = three_classes(5, 300)[0]
    said = []
    for chances in fitted.estimator_.predict_proba(new):
        left = dict(zip(LABELS, np.maximum(chances, 1e-6), strict=True))
        for label, threshold in fitted.thresholds_.items():
            own = left.pop(label)
            if np.log(own) - np.log(max(p / shares[c] for c, p in left.items())) >= threshold:
                said.append(label)
                break
        else:
            said.append(max(left, key=lambda c: left[c] * fitted.multipliers_[c]))
    assert said == fitted.predict(new).tolist()
    assert list(fitted.thresholds_) == ["A", "B"]
    assert list(fitted.multipliers_) == ["C"]
    assert fitted.aims_["worst recall"] == min(fitted.recalls_.values())


def test_the_price_of_a_floor_is_what_the_rest_would_gain_without_it(fitted):
    without = clone(fitted).set_params(priorities=FLOORS[1:]).fit(*three_classes(0))
    gain = without.recalls_["C"] - fitted.recalls_["C"]
    assert f"costs the rest {gain:.3f}" in fitted.report().splitlines()[1]


def test_the_program_can_be_read_and_changed():
    X, y = three_classes(0, 90)
    model = LexiThresholdClassifier(
        GaussianNB(), [("recall", "A", 0.5), "worst recall"], unpromised="ignore", random_state=0
    ).fit(X, y)
    names = [stage.name for stage in model.program_.stages]
    assert names == ["recall of A >= 0.5", "worst recall"]
    assert model.program_.solve().final.value == pytest.approx(
        min(model.recalls_.values()), abs=1e-6
    )
    assert model.program_ is model.program_


def test_a_pickle_predicts_the_same_and_leaves_the_program_out(fitted):
    X, _ = three_classes(1, 50)
    assert fitted.program_ is not None
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict(X), fitted.predict(X))
    assert vars(again)["_program"] is None
    assert again.report() == fitted.report()


def test_what_was_given_stays_as_it_was():
    X, y = three_classes(0)
    priorities, learner = list(FLOORS), GaussianNB()
    LexiThresholdClassifier(learner, priorities, random_state=0).fit(X, y)
    assert priorities == FLOORS
    assert not hasattr(learner, "classes_")


def test_texts_tables_and_decision_values_are_taken():
    words = np.array(["good fine nice", "bad poor sad"])
    y = np.repeat([0, 1], 60)
    texts = make_pipeline(CountVectorizer(), MultinomialNB())
    model = LexiThresholdClassifier(texts, random_state=0).fit(words[y].tolist(), y)
    assert model.predict(["nice", "sad"]).tolist() == [0, 1]
    assert model.fit(pd.Series(words[y]), y).predict(pd.Series(["sad"])).tolist() == [1]
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(words[y], y[1:])
    X, y = three_classes(0)
    model = LexiThresholdClassifier(Perceptron(), FLOORS[:1], random_state=0).fit(X, y)
    assert recall(model, X, y, "A") >= 0.85
    with pytest.raises(TypeError, match="CalibratedClassifierCV"):
        LexiThresholdClassifier(_NoScores()).fit(X, y)


class _NoScores(NearestCentroid):
    predict_proba = property()
    decision_function = property()


class _NotANumber(GaussianNB):
    def predict_proba(self, X):
        return super().predict_proba(X) * np.nan


def test_what_is_given_for_each_point_reaches_the_estimator_with_its_points():
    X, y = three_classes(0, 900)
    twice = np.r_[np.ones(600), np.zeros(300)]  # the last points weigh nothing
    weighted = LexiThresholdClassifier(GaussianNB(), cv=3, random_state=0)
    weighted.fit(X, y, sample_weight=twice.tolist())
    np.testing.assert_allclose(
        weighted.estimator_.theta_, GaussianNB().fit(X[:600], y[:600]).theta_
    )
    assert len(weighted.calibration_points_.codes) == 900
    piped = LexiThresholdClassifier(make_pipeline(GaussianNB()), random_state=0)
    piped.fit(X, y, gaussiannb__sample_weight=twice)
    with pytest.raises(ValueError, match=r"fitted already; \['sample_weight'\] can do nothing"):
        clone(weighted).set_params(cv="prefit").fit(X, y, sample_weight=twice)


def test_points_at_hand_may_lack_a_class_that_the_fitted_estimator_knows():
    X, y = three_classes(0)
    fitted = GaussianNB().fit(X, y)
    new, labels = three_classes(1)
    kept = labels != "C"
    model = LexiThresholdClassifier(fitted, FLOORS[:1], cv="prefit").fit(new[kept], labels[kept])
    assert model.classes_.tolist() == ["A", "B", "C"]
    assert model.floors_[0].status == "promised"
    assert np.isnan(model.recalls_["C"])
    assert recall(model, new, labels, "A") >= 0.9
    model.set_params(priorities=[("recall", "C")]).fit(new[kept], labels[kept])
    assert np.isnan(model.aims_["recall of C"])
    model.set_params(priorities=FLOORS[:2]).fit(new[kept], labels[kept])
    told = model.report()
    assert "2 of 2 floors kept" in told
    assert "costs the rest" not in told


def test_decision_values_are_one_a_class():
    X, y = make_classification(400, n_classes=4, n_informative=5, random_state=0)
    model = LexiThresholdClassifier(SVC(decision_function_shape="ovo"), random_state=0)
    with pytest.raises(ValueError, match=r"6 decision values for 4 classes.*'ovr'"):
        model.fit(X, y)
    with pytest.raises(ValueError, match=r"3 decision values for 3 classes, one a pair.*'ovr'"):
        model.fit(X[y < 3], y[y < 3])
    model.set_params(estimator__decision_function_shape="ovr").fit(X[y < 3], y[y < 3])
    model.set_params(estimator=_NotANumber())
    with pytest.raises(ValueError, match="_NotANumber has scores that are nan or infinite"):
        model.fit(X, y)


def test_groups_of_a_column_have_a_floor_each():
    X, y = three_classes(0, 6000)
    table = pd.DataFrame({"x": X[:, 0], "z": X[:, 1], "ward": np.arange(6000) % 2})
    wanted = [("recall", "A", 0.8, "ward")]
    model = LexiThresholdClassifier(GaussianNB(), wanted, random_state=0).fit(table, y)
    assert [floor.wanted for floor in model.floors_] == [
        "recall of A >= 0.8 where ward = 0", "recall of A >= 0.8 where ward = 1"
    ]  # fmt: skip
    by_place = clone(model).set_params(priorities=[("recall", "A", 0.8, 2)])
    assert by_place.fit(table.to_numpy(), y).floors_[0].measured == model.floors_[0].measured
    with pytest.raises(ValueError, match="there is no column 'sex'"):
        clone(model).set_params(priorities=[("recall", "A", 0.8, "sex")]).fit(table, y)


def test_tied_scores_are_warned_of():
    X, y = three_classes(0)
    tree = DecisionTreeClassifier(max_depth=2)
    with pytest.warns(lx.LexiprogWarning, match="very score of the threshold"):
        LexiThresholdClassifier(tree, [("recall", "A", 0.9)], random_state=0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LexiThresholdClassifier(GaussianNB(), [("recall", "A", 0.9)], random_state=0).fit(X, y)


def test_a_class_of_one_point_stays_in_training():
    X, y = three_classes(0)
    y = y.astype(object)
    y[0] = "D"
    for cv in ("holdout", 3):
        model = LexiThresholdClassifier(GaussianNB(), FLOORS, cv=cv, random_state=0)
        model.fit(X, y.astype(str))
        assert model.classes_.tolist() == ["A", "B", "C", "D"]
        assert np.isnan(model.recalls_["D"])
        assert recall(model, X, y, "A") >= 0.9


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"confidence": 1.5}, "confidence is 1.5"),
        ({"cv": 1}, "a number of folds from 2 on"),
        ({"cv": "loo"}, "cv is 'loo'"),
        ({"rule": "votes"}, "unknown rule 'votes'"),
        ({"unpromised": "no"}, "unknown unpromised"),
    ],
)
def test_options_that_mean_nothing_are_named(options, said):
    X, y = three_classes(0, 100)
    with pytest.raises(ValueError, match=said):
        LexiThresholdClassifier(GaussianNB(), **options).fit(X, y)


@pytest.mark.parametrize(("cases", "held"), [(90, 30), (70, 29), (58, 29), (50, 17)])
def test_up_to_half_of_the_points_are_held_out_where_a_floor_needs_them(cases, held):
    X = np.random.default_rng(0).normal(size=(600, 2))
    y = np.where(np.arange(600) < cases, "A", "B")
    model = LexiThresholdClassifier(
        GaussianNB(), [("recall", "A", 0.9)], unpromised="ignore", random_state=0
    ).fit(X, y)
    floor = model.floors_[0]
    assert (floor.cases, floor.status == "promised") == (held, held >= 29)


def test_joint_floors_are_dearer_and_say_so():
    X, y = make_classification(4000, n_classes=3, n_informative=5, class_sep=1.5, random_state=0)
    wanted = [("recall", 0, 0.7), ("recall", 1, 0.7)]
    model = LexiThresholdClassifier(LogisticRegression(), wanted, random_state=0)
    each = model.fit(X, y).floors_
    joint = model.set_params(joint=True).fit(X, y)
    assert joint.floors_[0].confidence == pytest.approx(0.95**0.5)
    assert joint.floors_[0].measured >= each[0].measured
    assert "together with confidence" in joint.report()


def test_one_neighbour_has_scores_of_two_values_and_still_a_rule():
    X, y = three_classes(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lx.LexiprogWarning)
        model = LexiThresholdClassifier(KNeighborsClassifier(1), FLOORS, random_state=0).fit(X, y)
    assert set(model.predict(X)) <= set(LABELS)


def test_the_picture_has_a_curve_a_class(fitted):
    ax = plots.recall_tradeoff(fitted)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[:3] == ["A", "B", "C"]
    first = ax.lines[0].get_ydata()
    assert len(first) > 5
    assert "recall of B" in ax.get_xlabel()
