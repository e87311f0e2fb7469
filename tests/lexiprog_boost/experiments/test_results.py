"""Which setting counts, under either protocol."""

import numpy as np
import pytest

from lexiprog_boost.experiments.methods import OWN
from lexiprog_boost.experiments.results import Results, choose
from lexiprog_boost.experiments.studies import study


def run(g_mean, auc, inner, **setting):
    return {"setting": setting, "g_mean": g_mean, "auc": auc, "inner": inner}


# Two folds, three settings. By the test folds' mean k=5 has the best G-Mean (.75), k=3 the best
# AUC (.8); inside the training folds k=3 wins the first fold and k=10 the second.
FOLDS = [
    {"runs": [run(0.5, 0.9, [0.9, 0.7], k=3), run(0.7, 0.6, [0.6, 0.6], k=5),
              run(0.6, 0.6, [0.7, 0.7], k=10)]},
    {"runs": [run(0.6, 0.7, [0.5, 0.6], k=3), run(0.8, 0.7, [0.6, 0.6], k=5),
              run(0.2, 0.6, [0.9, 0.7], k=10)]},
]  # fmt: skip


def chosen(metric, protocol, folds=FOLDS):
    return [run["setting"]["k"] for run in choose(folds, metric, protocol)]


def test_best_is_one_setting_by_the_mean_over_test_folds_of_the_metric_asked_for():
    assert chosen("g_mean", "best") == [5, 5]
    assert chosen("auc", "best") == [3, 3]


def test_honest_is_a_setting_a_fold_by_the_mean_inside_whatever_the_metric():
    assert chosen("g_mean", "honest") == [3, 10]
    assert chosen("auc", "honest") == [3, 10]


def test_of_equals_up_to_rounding_the_first_counts():
    folds = [{"runs": [run(0.7, 0, [0.5], k=3), run(0.7 + 1e-13, 0, [0.5 + 1e-13], k=5)]}]
    assert chosen("g_mean", "best", folds) == chosen("g_mean", "honest", folds) == [3]


def test_a_setting_that_fails_anywhere_is_not_preferred():
    failed = {"setting": {"k": 1}, "error": "ValueError: no"}
    good = run(1.0, 1.0, [1.0], k=1)
    folds = [{"runs": [good, run(0.6, 0.6, [0.6], k=2)]},
             {"runs": [failed, run(0.6, 0.6, [0.6], k=2)]}]  # fmt: skip
    assert chosen("g_mean", "best", folds) == [2, 2]
    assert chosen("g_mean", "honest", folds) == [1, 2]


@pytest.mark.parametrize("protocol", ["best", "honest"])
def test_a_method_without_settings_is_the_same_in_both(protocol):
    folds = [{"runs": [{"setting": {}, "g_mean": 0.4, "auc": 0.5}]}]
    assert choose(folds, "g_mean", protocol) == [folds[0]["runs"][0]]


def records(quick, value):
    return [
        {"study": cell.study, "dataset": cell.dataset, "learner": cell.learner,
         "contender": cell.method, "fold": cell.fold, "seconds": 0.0,
         "runs": [{"setting": {}, "g_mean": value(cell), "auc": 0.5}]}
        for cell in quick.cells()
    ]  # fmt: skip


def test_scores_stand_where_their_names_say():
    quick = study("keel-two-class", quick=True)
    names = [one.name for one in quick.methods]

    def value(cell):
        return names.index(cell.method) / 100 + cell.fold / 10

    found = Results(quick, records(quick, value)[::-1]).scores("kNN", "g_mean", "best", "baseline")
    assert found.methods == ("RUSBoost", "BalancedRandomForest")
    assert found.datasets == quick.datasets
    expected = [[names.index(name) / 100 + fold / 10 for fold in (0, 1)] for name in found.methods]
    assert np.allclose(found.folds, [expected, expected])
    assert np.allclose(found.means, np.mean(expected, axis=1))


def test_a_data_set_counts_where_all_methods_asked_for_are_complete():
    quick = study("keel-two-class", quick=True)
    first, second = quick.datasets
    some = records(quick, lambda _: 0.5)
    lost = next(i for i, one in enumerate(some) if (one["dataset"], one["learner"]) == (first, OWN))
    results = Results(quick, some[:lost] + some[lost + 1 :])
    assert results.complete("kNN", "paper") == (first, second)
    assert results.complete("kNN", "paper", "baseline") == (second,)
    assert results.scores("kNN", "g_mean").datasets == (first, second)
