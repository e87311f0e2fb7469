"""Ranks and tests beside what the paper printed, as far as it printed them."""

from dataclasses import replace

import pytest

from lexiprog_boost.experiments.rank_tables import ranks_page
from lexiprog_boost.experiments.results import Results
from lexiprog_boost.experiments.studies import study
from tests.lexiprog_boost.experiments.made_up import made_up_record


@pytest.mark.parametrize("count", [1, 2])
def test_one_of_the_papers_sets_alone_is_counted_fold_by_fold(count):
    whole = study("keel-multi-class", quick=True)
    some = replace(whole, datasets=("new-thyroid", "wine")[:count])
    page = ranks_page(Results(some, [made_up_record(some, cell) for cell in some.cells()]))
    assert ("| wins/ties/losses, control LexiBoost |" in page) is (count == 1)
    assert ("| WSRT, control LexiBoost, paper |" in page) is (count == 2)
    assert "wins/ties/losses, control LexiBoost, paper" not in page
    assert "| average rank, paper |" in page


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        (("RUSBoost",), "Not measured: RUSBoost."),
        (("RUSBoost", "BalancedRandomForest"), "No data set is complete yet."),
        ((), ""),
    ],
)
def test_a_baseline_that_was_not_measured_is_named_and_hides_no_other(missing, said):
    some = study("keel-two-class", quick=True)
    cells = [cell for cell in some.cells() if cell.method not in missing]
    page = ranks_page(Results(some, [made_up_record(some, cell) for cell in cells]), baselines=True)
    head = next((line for line in page.splitlines() if line.startswith("|  | AdaBoost")), "")
    assert said in page
    assert ("Not measured" in page) is (len(missing) == 1)
    assert ("| RUSBoost |" in head) is (len(missing) == 0)
    assert ("| BalancedRandomForest |" in head) is (len(missing) < 2)
