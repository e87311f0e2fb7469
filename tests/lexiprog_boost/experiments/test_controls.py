"""The game and the balanced learner, worked by hand."""

from dataclasses import replace

from lexiprog_boost.experiments.methods import FIRST_MEMBER, TO_CHANCE
from lexiprog_boost.experiments.results import Results
from lexiprog_boost.experiments.score_tables import controls_page
from tests.lexiprog_boost.experiments.small_study import results, rows_under, small_study

NAMES = ("Dual-LexiBoost", FIRST_MEMBER, TO_CHANCE)
# By data set: Dual-LexiBoost, its first member, Dual-LexiBoost to chance.
G_MEANS = {"first": (0.8, 0.8, 0.9), "second": (0.6, 0.6002, 0.5)}


def found():
    return results(
        small_study(*NAMES),
        lambda cell, _: dict.fromkeys(
            ("g_mean", "auc"), G_MEANS[cell.dataset][NAMES.index(cell.method)]
        ),
    )


HEADING = "## kNN, G-Mean, best setting"


def test_each_control_has_a_table_against_dual_lexiboost():
    rows = rows_under(controls_page(found()), HEADING)
    assert rows[:5] == [
        ["first", "0.800", "0.800"],
        ["second", "0.600", "0.600"],
        ["mean", "0.700", "0.700"],
        ["average rank", "1.75", "1.25"],
        ["same / better / worse", "–", "2 / 0 / 0"],
    ]
    assert rows[6:11] == [
        ["first", "0.800", "**0.900**"],
        ["second", "**0.600**", "0.500"],
        ["mean", "0.700", "0.700"],
        ["average rank", "1.50", "1.50"],
        ["same / better / worse", "–", "0 / 1 / 1"],
    ]
    assert rows[5][0] == rows[11][0] == "signed rank test"


def test_a_control_that_is_not_complete_does_not_hide_the_other():
    whole = found()
    some = [one for one in whole.records
            if one["contender"] != TO_CHANCE or one["dataset"] == "second"]  # fmt: skip
    rows = rows_under(controls_page(Results(whole.study, some)), HEADING)
    assert [row[0] for row in rows[:2]] == ["first", "second"]
    assert rows[6] == ["second", "**0.600**", "0.500"]
    assert rows[7][0] == "mean"


def test_without_cells_the_page_says_so():
    page = controls_page(Results(found().study, []))
    assert f"{FIRST_MEMBER}: no data set is complete yet." in page
    assert f"{TO_CHANCE}: no data set is complete yet." in page


def test_a_learner_without_settings_has_one_protocol():
    learners = {"C4.5": ({},), "kNN": ({"k": 3}, {"k": 5})}
    study = replace(found().study, learners=learners, choose=True)
    headings = [line for line in controls_page(Results(study, [])).splitlines() if "## " in line]
    assert [line.split(",")[0] for line in headings] == ["## C4.5"] * 2 + ["## kNN"] * 4
