"""Merging points with equal margins changes neither optimum nor weights (F6)."""

import numpy as np
import pytest

import lexiprog_boost.reductions.merged_soft_margin as reductions
from lexiprog_boost.programs.soft_margin import point_limits
from lexiprog_boost.reductions.merged_soft_margin import (
    soft_margin_point_weights,
    soft_margin_weights,
)
from tests.lexiprog_boost.family import written_out


def votes(seed, n=60, n_members=4):
    rng = np.random.default_rng(seed)
    margins = rng.choice([-1.0, 1.0], size=(n, n_members), p=[0.3, 0.7])
    return margins, rng.integers(0, 4, size=n), np.where(rng.random(n) < 0.2, 3.0, 1.0)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("lower_bound", [0.0, 0.05])
def test_merged_programs_have_the_optimum_of_all_points(seed, lower_bound):
    margins, weights, costs = votes(seed)
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
    margins, weights, _ = votes(7)
    limits = point_limits(len(margins), sample_weight=weights)
    seen = margins[weights > 0]
    best = written_out.primal(seen, None)[0]
    assert soft_margin_weights(margins, limits).margin == pytest.approx(best, abs=1e-9)
    points = soft_margin_point_weights(margins, limits)
    assert points.edge == pytest.approx(best, abs=1e-9)
    assert not points.D[weights == 0].any()


@pytest.mark.parametrize("cap", [None, 0.05])
@pytest.mark.parametrize("lower_bound", [0.0, 0.1])
@pytest.mark.parametrize("seed", range(3))
def test_the_dual_form_finds_the_same_smallest_weights(seed, lower_bound, cap, monkeypatch):
    margins, weights, costs = votes(seed, n_members=6)
    margins[:, 5] = margins[:, 0]  # twins share their weight, and only the smallest norm knows how
    settings = {"sample_weight": weights, "costs": costs} if cap else {"sample_weight": weights}
    limits = point_limits(len(margins), cap=cap, lower_bound=lower_bound if cap else 0, **settings)
    small = soft_margin_weights(margins, limits)
    monkeypatch.setattr(reductions, "MANY_ROWS", 0)
    large = soft_margin_weights(margins, limits)
    assert list(large.result) == ["edge"]
    assert large.margin == pytest.approx(small.margin, abs=1e-6)
    assert large.alpha == pytest.approx(small.alpha, abs=1e-6)


def test_an_unknown_tie_break_is_refused():
    with pytest.raises(ValueError, match="unknown tie_break 'first'"):
        soft_margin_weights(np.ones((2, 1)), point_limits(2), tie_break="first")
