"""The game and the balanced learner, worked by hand."""

from lexiprog_boost.experiments.cells.contenders import FIRST_MEMBER, TO_CHANCE
from lexiprog_boost.experiments.report.results import Results
from lexiprog_boost.experiments.report.tables.controls import controls_page
from tests.lexiprog_boost.experiments.small_study import results, rows_under, small_study

NAMES = ("Dual-LexiBoost", FIRST_MEMBER, TO_CHANCE)
# By data set: Dual-LexiBoost, its first member, Dual-LexiBoost to chance.
G_MEANS = {"first": (0.8, 0.8, 0.9), "second": (0.6, 0.6002, 0.5)}


def found():
    return results(
        small_study(*NAMES),
        lambda cell, _: dict.fromkeys(
            ("g_mean", "auc"), G_MEANS[cell.dataset][NAMES.index(cell.contender)]
        ),
    )


def test_each_column_is_counted_against_dual_lexiboost():
    rows = rows_under(controls_page(found()), "## kNN, G-Mean, best setting")
    assert rows[:5] == [
        ["first", "0.800", "0.800", "**0.900**"],
        ["second", "**0.600**", "**0.600**", "0.500"],
        ["mean", "0.700", "0.700", "0.700"],
        ["average rank", "2.25", "1.75", "2.00"],
        ["same / better / worse", "–", "2 / 0 / 0", "0 / 1 / 1"],
    ]
    assert rows[5][0] == "signed rank test"


def test_without_cells_the_page_says_so():
    assert "No data set is complete yet." in controls_page(Results(found().study, []))
