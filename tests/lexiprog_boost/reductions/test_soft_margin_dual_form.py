"""The dual form of A1, A2 and A3 finds the same smallest weights."""

import pytest

import lexiprog_boost.reductions.merged_soft_margin as reductions
from lexiprog_boost.programs.soft_margin import point_limits
from lexiprog_boost.reductions.merged_soft_margin import soft_margin_weights
from tests.lexiprog_boost.written_out.soft_margins import weighted_votes


@pytest.mark.parametrize("cap", [None, 0.05])
@pytest.mark.parametrize("lower_bound", [0.0, 0.1])
@pytest.mark.parametrize("seed", range(3))
def test_the_dual_form_finds_the_same_smallest_weights(seed, lower_bound, cap, monkeypatch):
    margins, weights, costs = weighted_votes(seed, n_members=6)
    margins[:, 5] = margins[:, 0]  # twins share their weight, and only the smallest norm knows how
    settings = {"sample_weight": weights, "costs": costs} if cap else {"sample_weight": weights}
    limits = point_limits(len(margins), cap=cap, lower_bound=lower_bound if cap else 0, **settings)
    small = soft_margin_weights(margins, limits)
    monkeypatch.setattr(reductions, "MANY_ROWS", 0)
    large = soft_margin_weights(margins, limits)
    assert list(large.result) == ["edge"]
    assert large.margin == pytest.approx(small.margin, abs=1e-6)
    assert large.alpha == pytest.approx(small.alpha, abs=1e-6)
