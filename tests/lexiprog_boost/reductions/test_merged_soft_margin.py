"""Merging points with equal margins changes neither optimum nor weights."""

import numpy as np
import pytest

from lexiprog_boost.programs.soft_margin import point_limits
from lexiprog_boost.reductions.merged_soft_margin import (
    soft_margin_point_weights,
    soft_margin_weights,
)
from tests.lexiprog_boost.written_out import soft_margins as written_out
from tests.lexiprog_boost.written_out.soft_margins import weighted_votes


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("lower_bound", [0.0, 0.05])
def test_merged_programs_have_the_optimum_of_all_points(seed, lower_bound):
    margins, weights, costs = weighted_votes(seed)
    cap = 1 / (0.3 * weights.sum())
    limits = point_limits(
        len(margins), cap=cap, lower_bound=lower_bound, sample_weight=weights, costs=costs
    )
    best = written_out.dual(margins, limits.upper, limits.lower)[0]
    members = soft_margin_weights(margins, limits)
    points = soft_margin_point_weights(margins, limits)
    assert -members.result["margin"].value == pytest.approx(best, abs=1e-9)
    assert points.edge == pytest.approx(best, abs=1e-9)
    assert points.margin == pytest.approx(_best_margin(margins @ points.alpha, limits), abs=1e-6)
    # All points together: feasible, and no member has a larger edge.
    assert (limits.upper + 1e-8 >= points.D).all()
    assert (limits.lower - 1e-8 <= points.D).all()
    assert (margins.T @ points.D).max() == pytest.approx(best, abs=1e-7)


def _best_margin(rho, limits):
    """The r that is best for given margins, by trying all."""

    def value(r):
        short = limits.upper @ np.maximum(r - rho, 0)
        return r - short + limits.lower @ np.maximum(rho - r, 0)

    return max(np.unique(rho.round(12)), key=value)


def test_without_a_cap_the_smallest_margin_is_the_largest():
    margins, weights, _ = weighted_votes(7)
    limits = point_limits(len(margins), sample_weight=weights)
    seen = margins[weights > 0]
    best = written_out.primal(seen, None)[0]
    assert soft_margin_weights(margins, limits).margin == pytest.approx(best, abs=1e-9)
    points = soft_margin_point_weights(margins, limits)
    assert points.edge == pytest.approx(best, abs=1e-9)
    assert not points.D[weights == 0].any()


def test_an_unknown_tie_break_is_refused():
    with pytest.raises(ValueError, match="unknown tie_break 'first'"):
        soft_margin_weights(np.ones((2, 1)), point_limits(2), tie_break="first")
