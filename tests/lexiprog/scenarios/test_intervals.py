"""What a limit has stopped is shown as an interval in tables, too."""

import pytest

import lexiprog as lx
from tests.lexiprog.solve.integer_chains import hard_knapsack

pytestmark = pytest.mark.filterwarnings("ignore::lexiprog.LexiprogWarning")
STOPPED = lx.Solver("HIGHS", time_limit=0.5)


def test_a_comparison_shows_value_and_bound():
    table = lx.compare_solvers(hard_knapsack(levels=1), [STOPPED])
    (row,) = table.rows
    assert row.status == "within_gap"
    assert row.value < row.bound
    assert f"in [{row.value:.8g}, {row.bound:.8g}]" in str(table)
    assert table.to_frame()["bound"].item() == row.bound


def test_a_tradeoff_shows_value_and_bound():
    sweep = lx.tradeoff(hard_knapsack(), "level 0", [0, 50], solver=STOPPED)
    for value, result in zip(sweep.values["level 1"], sweep.results, strict=True):
        found = result["level 1"]
        assert (found.status, found.value) == ("within_gap", value)
        assert found.summary.text() in str(sweep)
