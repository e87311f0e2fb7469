"""Artificial sets by what was varied, worked by hand."""

import numpy as np

from lexiprog_boost.datasets import GAUSSIAN_SETS
from lexiprog_boost.experiments.results import Scores
from lexiprog_boost.experiments.score_tables import views_table


def test_a_row_is_the_mean_of_the_sets_that_share_a_value():
    outliers = np.array([spec.outliers for spec in GAUSSIAN_SETS])
    folds = np.stack([np.where(outliers, 0.2, 0.6), np.where(outliers, 0.5, 0.5)], axis=1)
    scores = Scores(tuple(s.name for s in GAUSSIAN_SETS), ("a", "b"), folds[:, :, None])
    rows = [line.strip("| ").split(" | ") for line in views_table(scores).splitlines()[2:]]
    found = {row[0]: row[1:] for row in rows}
    assert found["outliers: none"] == ["27", "**0.600**", "0.500"]
    assert found["outliers: 10 %"] == ["27", "0.200", "**0.500**"]
    assert found["imbalance ratio: 25"] == ["18", "0.400", "**0.500**"]
    assert found["all"] == ["54", "0.400", "**0.500**"]
    assert len(found) == 3 + 3 + 3 + 2 + 1


def test_a_value_without_sets_has_no_numbers():
    scores = Scores((GAUSSIAN_SETS[0].name,), ("a",), np.full((1, 1, 2), 0.5))
    assert "| 0 |  |" in views_table(scores)
