"""A cell's record is what fitting and scoring by hand gives."""

import numpy as np
import pytest
from sklearn.metrics import recall_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold

import lexiprog as lx
from lexiprog_boost import AdaBoostM2Classifier
from lexiprog_boost.datasets import Dataset, make_toy
from lexiprog_boost.experiments.cell import Cell, evaluate_cell
from lexiprog_boost.learners import WeightedKNeighborsClassifier

TOY = make_toy()
CELL = Cell("artificial", "toy", "kNN", "AdaBoost", 1)
TRAIN, TEST = list(TOY.splits())[CELL.fold]


def fitted(k, rows):
    learner = WeightedKNeighborsClassifier(k)
    return AdaBoostM2Classifier(learner, 10, random_state=CELL.seed).fit(TOY.X[rows], TOY.y[rows])


def g_mean(model, rows):
    recalls = recall_score(TOY.y[rows], model.predict(TOY.X[rows]), average=None)
    return np.sqrt(recalls.prod())


@pytest.fixture(scope="module")
def record():
    return evaluate_cell(CELL, TOY, [{"k": 3}, {"k": 5}], choose=True, keep_predictions=True)


def test_a_record_says_which_cell_it_is(record):
    names = ("study", "dataset", "learner", "contender", "fold")
    assert [record[name] for name in names] == ["artificial", "toy", "kNN", "AdaBoost", 1]
    assert record["seconds"] > sum(run["seconds"] for run in record["runs"])


@pytest.mark.parametrize(("place", "k"), [(0, 3), (1, 5)])
def test_scores_are_those_of_a_model_trained_on_the_other_folds(record, place, k):
    run, model = record["runs"][place], fitted(k, TRAIN)
    assert run["setting"] == {"k": k}
    assert run["predicted"] == model.predict(TOY.X[TEST]).tolist()
    assert run["g_mean"] == pytest.approx(g_mean(model, TEST))
    area = roc_auc_score(TOY.y[TEST], model.predict_proba(TOY.X[TEST])[:, 1])
    assert run["auc"] == pytest.approx(area)
    assert run["facts"]["members"] == len(model.estimators_)


@pytest.mark.parametrize(("place", "k"), [(0, 3), (1, 5)])
def test_inner_scores_never_see_the_test_fold(record, place, k):
    folds = StratifiedKFold(2, shuffle=True, random_state=CELL.seed).split(TRAIN, TOY.y[TRAIN])
    expected = [g_mean(fitted(k, TRAIN[inner]), TRAIN[held]) for inner, held in folds]
    assert record["runs"][place]["inner"] == pytest.approx(expected)


def test_predictions_and_inner_scores_are_kept_where_they_are_asked_for():
    (run,) = evaluate_cell(CELL, TOY, [{"k": 3}], choose=True)["runs"]
    times = {"seconds", "processor"}
    assert run.keys() == {"setting", "g_mean", "auc", "facts", *times}  # one: nothing to choose
    both = evaluate_cell(CELL, TOY, [{"k": 3}, {"k": 5}])["runs"]
    assert all("inner" not in run for run in both)


def test_a_setting_that_fails_has_its_cause_and_no_scores_and_stops_no_other():
    record = evaluate_cell(CELL, TOY, [{"k": 0}, {"k": 3}], choose=True)
    broken, good = record["runs"]
    assert broken.keys() == {"setting", "error"}
    assert broken["error"].startswith("ValueError: ")
    assert len(good["inner"]) == 2


def test_ctrl_c_inside_a_program_is_no_setting_that_fails(monkeypatch):
    def interrupted(*_):
        raise lx.Interrupted("interrupted", partial=None)

    monkeypatch.setattr(WeightedKNeighborsClassifier, "fit", interrupted)
    with pytest.raises(lx.Interrupted):
        evaluate_cell(CELL, TOY, [{"k": 3}])


def test_a_setting_that_fails_inside_scores_nothing_there():
    few = Dataset("few", TOY.X[30:46], TOY.y[30:46], TOY.feature_names)
    cell = Cell("artificial", "few", "kNN", "AdaBoost", 0)
    n_train = len(next(few.splits())[0])
    runs = evaluate_cell(cell, few, [{"k": n_train - 2}, {"k": 1}], choose=True)["runs"]
    assert "error" not in runs[0]
    assert runs[0]["inner"] == [0.0, 0.0]  # half of the points are too few neighbours


def test_one_seed_a_fold_whoever_the_method_and_learner():
    others = [Cell("artificial", "toy", "C4.5", "LexiBoost", 1), CELL]
    assert len({cell.seed for cell in others}) == 1
    changed = [Cell("artificial", "toy", "kNN", "AdaBoost", 2),
               Cell("artificial", "top", "kNN", "AdaBoost", 1),
               Cell("images", "toy", "kNN", "AdaBoost", 1)]  # fmt: skip
    assert len({cell.seed for cell in [CELL, *changed]}) == 4
    assert all(0 <= cell.seed < 2**31 for cell in changed)


def test_the_area_is_over_the_classes_that_the_fold_has():
    X = np.arange(40, dtype=float)[:, None]
    y = np.repeat([0, 1, 2], [18, 18, 4])
    folds = np.where(y == 2, 1, np.arange(40) % 2)
    data = Dataset("three", X, y, ("x",), folds)
    (run,) = evaluate_cell(Cell("s", "three", "kNN", "AdaBoost", 0), data, [{"k": 1}])["runs"]
    assert run["auc"] > 0.8
    assert "error" not in run
