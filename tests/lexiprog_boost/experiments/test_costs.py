"""What tuning a cost gains, worked by hand."""

import numpy as np
import pytest

from lexiprog_boost.experiments.results import Results
from lexiprog_boost.experiments.score_tables import CostSweep, cost_sweeps, costs_page
from tests.lexiprog_boost.experiments.small_study import results, rows_under, small_study

COSTS = ({"cost": 0.5}, {"cost": 1.0}, {"cost": 4.0})
# By data set and cost: one G-Mean a fold.
G_MEANS = {
    ("first", 0.5): (0.5, 0.6), ("first", 1.0): (0.6, 0.6), ("first", 4.0): (0.9, 0.4),
    ("second", 0.5): (0.7, 0.7), ("second", 1.0): (0.7, 0.7), ("second", 4.0): (0.7, 0.7),
}  # fmt: skip


def found():
    study = small_study("LexiBoost with costs", grid=COSTS)
    return results(
        study, lambda cell, setting: {"g_mean": G_MEANS[cell.dataset, setting["cost"]][cell.fold]}
    )


def test_a_sweep_is_read_set_by_set_and_cost_by_cost():
    sweep = cost_sweeps(found())["LexiBoost", "kNN"]
    assert (sweep.datasets, sweep.costs) == (("first", "second"), (0.5, 1.0, 4.0))
    np.testing.assert_allclose(sweep.means, [[0.55, 0.6, 0.65], [0.7, 0.7, 0.7]])
    np.testing.assert_allclose(sweep.plain, [0.6, 0.7])
    np.testing.assert_allclose(sweep.best, [0.65, 0.7])
    # In the first fold the other fold is best with 0.5 and 1, of which 1 is the milder one; in the
    # second the other fold is best with 4.
    np.testing.assert_allclose(sweep.elsewhere, [(0.6 + 0.4) / 2, 0.7])


def test_of_costs_that_do_equally_well_elsewhere_the_mildest_counts():
    folds = np.array([[[0.1, 0.9], [0.2, 0.9], [0.3, 0.9], [0.4, 0.8]]])
    sweep = CostSweep(("a",), (0.25, 0.5, 4.0, 1.0), folds)
    assert sweep.elsewhere[0] == pytest.approx((0.2 + 0.8) / 2)


def test_the_page_says_what_the_cost_gains_and_where_it_changes_anything():
    page = costs_page(found())
    assert rows_under(page, "## LexiBoost, kNN") == [
        ["first", "0.550", "0.600", "**0.650**", "0.650", "0.050", "0.500", "-0.100"],
        ["second", "0.700", "0.700", "0.700", "0.700", "0.000", "0.700", "0.000"],
        ["mean", "0.625", "0.650", "**0.675**", "0.675", "0.025", "0.600", "-0.050"],
    ]
    assert "On 1 of 2 data sets some cost changes the G-Mean." in page


def test_without_a_complete_set_or_a_sweep_there_is_none():
    whole = found()
    assert cost_sweeps(Results(whole.study, [])) == {("LexiBoost", "kNN"): None}
    assert "No data set is complete yet." in costs_page(Results(whole.study, []))
    assert cost_sweeps(results(small_study("LexiBoost"), lambda *_: {})) == {}


def test_every_method_with_costs_has_a_table_of_its_own():
    names = ("LexiBoost with costs", "Dual-LexiBoost with costs")

    def run(cell, setting):
        return {"g_mean": 0.1 if cell.method == names[0] else setting["cost"] / 9}

    page = costs_page(results(small_study(*names, grid=COSTS), run))
    assert rows_under(page, "## LexiBoost, kNN")[0][1:4] == ["0.100"] * 3
    assert rows_under(page, "## Dual-LexiBoost, kNN")[0][1:4] == ["0.056", "0.111", "**0.444**"]
