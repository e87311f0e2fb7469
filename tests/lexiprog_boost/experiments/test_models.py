"""Facts about fitted models, counted by hand."""

import pytest

from lexiprog_boost.experiments.model_tables import models_page
from tests.lexiprog_boost.experiments.small_study import results, rows_under, small_study

# By data set and fold: members, how many count, how often the vote is the heaviest member's.
VOTES = {
    ("first", 0): (10, 3, 1.0),
    ("first", 1): (10, 3, 0.5),
    ("second", 0): (10, 2, 0.9),
    ("second", 1): (2, 1, 1.0),
}
DEVIATIONS = {("first", 0): 0.0, ("first", 1): 0.1, ("second", 0): 0.2, ("second", 1): 0.1}
SHARES = {("first", 0): 1.0, ("first", 1): 0.6, ("second", 0): 1.0, ("second", 1): None}


@pytest.fixture(scope="module")
def page():
    def run(cell, _):
        where = cell.dataset, cell.fold
        members, weighted, like = VOTES[where]
        facts = {"members": members, "weighted": weighted, "like_heaviest": like}
        if "LexiBoost" in cell.method:
            facts |= {"perfect": where == ("first", 0), "deviation": DEVIATIONS[where]}
        if cell.method == "Dual-LexiBoost":
            facts |= {"one_class": SHARES[where], "stopped": f"after {cell.fold + 3} rounds."}
            facts["stopped"] = facts["stopped"] if cell.dataset == "first" else "all were trained."
        return {"facts": facts}

    found = results(small_study("AdaBoost", "LexiBoost", "Dual-LexiBoost"), run)
    return models_page(found, {"first": 2, "second": 3})


def test_members_that_count_are_counted(page):
    rows = rows_under(page, "## kNN: members with a weight")
    counts = ["4", "8.00", "25.0 %", "25.0 %", "50.0 %", "50.0 %", "85.0 %", "50.0 %"]
    assert rows == [[name, *counts] for name in ("AdaBoost", "LexiBoost", "Dual-LexiBoost")]


def test_perfect_pools_and_regrets_are_those_of_the_lexicographic_ones(page):
    rows = rows_under(page, "## kNN: perfect pools")
    assert rows == [[name, "4", "25.0 %", "25.0 %", "0.100"]
                    for name in ("LexiBoost", "Dual-LexiBoost")]  # fmt: skip


def test_rounds_of_the_dual_are_told_set_by_set_and_why_they_ended(page):
    assert rows_under(page, "## kNN: the rounds of Dual-LexiBoost") == [
        ["first", "2", "2", "10.00", "0.0 %", "50.0 %"],
        ["second", "3", "2", "6.00", "0.0 %", "100.0 %"],
        ["all", "", "4", "8.00", "0.0 %", "66.7 %"],
        ["after n rounds.", "2", "50.0 %"],
        ["all were trained.", "2", "50.0 %"],
    ]


def test_a_data_set_that_is_not_at_hand_has_no_number_of_classes():
    facts = {"members": 1, "weighted": 1, "like_heaviest": 1.0, "perfect": False,
             "deviation": 0.1, "one_class": None, "stopped": "at once."}  # fmt: skip
    found = results(small_study("Dual-LexiBoost"), lambda *_: {"facts": facts})
    page = models_page(found, {})
    assert rows_under(page, "members with a weight")[0][-3] == "–"
    assert rows_under(page, "the rounds of")[0] == ["first", "–", "2", "1.00", "100.0 %", "–"]
