"""Mean scores and what the data sets are, worked by hand."""

import numpy as np

from lexiprog_boost.datasets import Dataset
from lexiprog_boost.experiments.results import Results
from lexiprog_boost.experiments.score_tables import datasets_page, scores_page
from tests.lexiprog_boost.experiments.small_study import results, rows_under, small_study

G_MEANS = {
    ("AdaBoost", "first"): (0.5, 0.7), ("AdaBoost", "second"): (0.9, 0.9),
    ("LexiBoost", "first"): (0.8, 0.8), ("LexiBoost", "second"): (0.9, 0.7),
}  # fmt: skip


def found():
    def run(cell, _):
        value = G_MEANS[cell.method, cell.dataset][cell.fold]
        return {"g_mean": value, "auc": (1 + value) / 2}

    return results(small_study("AdaBoost", "LexiBoost"), run)


def test_means_stand_a_data_set_a_row_and_the_best_in_boldface():
    page = scores_page(found())
    assert [line for line in page.splitlines() if line.startswith("#")] == [
        "# small: scores", "## kNN, G-Mean, best setting", "## kNN, AUC, best setting",
    ]  # fmt: skip
    assert rows_under(page, "## kNN, G-Mean") == [
        ["first", "0.600", "**0.800**"],
        ["second", "**0.900**", "0.800"],
        ["mean", "0.750", "**0.800**"],
    ]
    assert rows_under(page, "## kNN, AUC")[0] == ["first", "0.800", "**0.900**"]


def test_without_baselines_the_papers_own_are_shown():
    study = small_study("AdaBoost", "LexiBoost", "RUSBoost")
    whole = results(study, lambda *_: {"g_mean": 0.5, "auc": 0.5})
    some = [one for one in whole.records if one["contender"] != "RUSBoost"]
    assert len(rows_under(scores_page(whole), "## kNN, G-Mean")[0]) == 4
    rows = rows_under(scores_page(Results(study, some)), "## kNN, G-Mean")
    assert rows[0] == ["first", "**0.500**", "**0.500**"]


def test_nothing_complete_is_said():
    whole = found()
    page = scores_page(Results(whole.study, whole.records[:1]))
    assert page.count("No data set is complete yet.") == 2


def test_data_sets_are_told_by_size_and_by_cells_that_are_there():
    known = Dataset("first", np.zeros((10, 3)), np.repeat([0, 1], [8, 2]), ("a", "b", "c"))
    whole = found()
    page = datasets_page(Results(whole.study, whole.records[1:]), {"first": known})
    assert rows_under(page, "# small: data sets") == [
        ["first", "10", "3", "2", "2", "4.00", "3 of 4"],
        ["second", "–", "–", "–", "–", "–", "4 of 4"],
    ]


def test_a_study_that_takes_the_two_class_methods_has_a_plain_auc():
    study = small_study("AdaBoost", "AdaMEC-Calib")
    page = scores_page(results(study, lambda *_: {"g_mean": 0.5, "auc": 0.5}))
    assert "## kNN, AUC, best setting" in page
    assert page.count("**0.500**") == 2 * 3 * 2  # equals are all best
