"""Of many optimal point weights the evenest: equal points, merged or not, weigh alike."""

import numpy as np
import pytest

from lexiprog_boost.programs.soft_margin import point_limits
from lexiprog_boost.reductions.merged_soft_margin import (
    soft_margin_point_weights,
    soft_margin_weights,
)

# Two members that contradict each other everywhere but on the last points, where neither counts:
# any D with as much weight on the first point as on the second is optimal.
ROWS = np.array([[1.0, -1.0], [-1.0, 1.0], [0.0, 0.0]])


@pytest.mark.parametrize("copies", [1, 2, 5])
def test_merged_points_weigh_as_much_as_they_would_apart(copies):
    margins = np.vstack([ROWS[:2], np.repeat(ROWS[2:], copies, axis=0)])
    found = soft_margin_point_weights(margins, point_limits(len(margins)))
    np.testing.assert_allclose(found.D, 1 / len(margins), atol=1e-7)
    assert found.edge == pytest.approx(0, abs=1e-9)


def test_points_of_more_weight_have_more_of_it():
    found = soft_margin_point_weights(ROWS, point_limits(3, sample_weight=np.array([1, 1, 6])))
    np.testing.assert_allclose(found.D, [0.125, 0.125, 0.75], atol=1e-7)


def test_without_a_tie_break_any_optimum_will_do():
    limits = point_limits(3, sample_weight=np.array([1, 1, 6]))
    found = soft_margin_point_weights(ROWS, limits, tie_break=None)
    assert found.D[0] == pytest.approx(found.D[1])
    assert found.edge == pytest.approx(0, abs=1e-9)
    assert list(found.result) == ["edge"]
    weights = soft_margin_weights(ROWS, limits, tie_break=None)
    assert list(weights.result) == ["margin"]
    assert weights.margin == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("solve", [soft_margin_weights, soft_margin_point_weights])
def test_a_solver_for_no_stage_is_refused_with_the_stages_there_are(solve):
    with pytest.raises(ValueError, match=r"'mrgin', which is no stage.*'margin', 'edge'"):
        solve(ROWS, point_limits(3), solver={"mrgin": "HIGHS"})
