"""Few data sets: every fold is drawn with its mean; no axis is a picture of rounding."""

import pytest

from lexiprog_boost.experiments.figures import cost_figure, folds_figure, plain, roomy, sheet
from lexiprog_boost.experiments.results import Results
from tests.lexiprog_boost.experiments.small_study import results, small_study

SCORES = {"AdaBoost": (0.6, 0.8), "LexiBoost": (0.7, 0.7)}


def found():
    return results(
        small_study("AdaBoost", "LexiBoost"),
        lambda cell, _: dict.fromkeys(("g_mean", "auc"), SCORES[cell.method][cell.fold]),
    )


def test_every_fold_and_the_mean_of_each_method_are_drawn():
    figure = folds_figure(found(), "g_mean")
    first = figure.axes[0]
    assert first.get_title(loc="left") == "first, kNN: Kruskal-Wallis p = 1.000"
    assert [tick.get_text() for tick in first.get_yticklabels()] == ["AdaBoost", "LexiBoost"]
    drawn = [list(line.get_xdata()) for line in first.lines]
    assert [0.6, 0.8] in drawn
    assert [one for one in drawn if len(one) == 1] == [pytest.approx([0.7])] * 2


def test_without_a_complete_set_there_is_no_picture():
    assert folds_figure(Results(found().study, []), "g_mean") is None


def test_equal_scores_are_not_drawn_as_rounding():
    same = results(small_study("AdaBoost"), lambda *_: {"g_mean": 0.5, "auc": 0.5})
    low, high = folds_figure(same, "g_mean").axes[0].get_xlim()
    assert high - low >= 0.02
    costs = ({"cost": 1.0}, {"cost": 2.0})
    flat = results(small_study("LexiBoost with costs", grid=costs), lambda *_: {"g_mean": 0.7})
    low, high = cost_figure(flat).axes[1].get_ylim()
    assert high - low >= 0.02


def test_axes_that_have_room_are_left_alone():
    ax = plain(sheet(2, 2).subplots())
    ax.set_ylim(0.2, 0.9)
    assert roomy(ax).get_ylim() == (0.2, 0.9)
