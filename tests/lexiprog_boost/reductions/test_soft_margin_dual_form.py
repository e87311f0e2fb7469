"""The dual form of A1, A2 and A3 finds the same smallest weights."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog_boost.reductions.merged_soft_margin as reductions
from lexiprog_boost.programs.soft_margin import point_limits
from lexiprog_boost.reductions.dual_forms import weights_by_dual_form
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


@pytest.mark.parametrize("smallest", [True, False])
def test_the_margin_that_is_returned_is_the_largest_that_all_points_can_have(smallest):
    """Rock, paper, scissors, and a member that is right by a half everywhere: 1/2."""
    game = np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])
    margins = np.column_stack([game, np.full(3, 0.5)])
    alpha, r, _, _ = weights_by_dual_form(margins, point_limits(3), smallest=smallest)
    assert r == pytest.approx(0.5, abs=1e-7)
    assert alpha == pytest.approx([0, 0, 0, 1], abs=1e-6)


def test_points_at_their_limit_stay_short_of_the_margin_that_the_smallest_weights_have():
    """D = (0.4, 0.4, 0.2) gives both members the edge 0.2: alpha is optimal if no point of the
    first two lies beyond the third, so that (2/3, 1/3) is the smallest, not (1/2, 1/2)."""
    margins = np.array([[0.0, 1.0], [0.0, 0.0], [1.0, -1.0]])
    alpha, r, _, result = weights_by_dual_form(margins, point_limits(3, cap=0.4), smallest=True)
    assert result.final.value == pytest.approx(0.2, abs=1e-9)
    assert alpha == pytest.approx([2 / 3, 1 / 3], abs=1e-6)
    assert r == pytest.approx(1 / 3, abs=1e-6)


def test_no_weight_is_negative_though_the_norm_would_be_smaller():
    """Without signs the smallest of sum one and margins zero would begin with a number below 0."""
    row = np.array([6.0, 2.0, -1.0]) / 12
    alpha, r, _, _ = weights_by_dual_form(np.array([row, -row]), point_limits(2), smallest=True)
    assert alpha == pytest.approx([0, 1 / 3, 2 / 3], abs=1e-6)
    assert r == pytest.approx(0.0, abs=1e-7)


def test_the_solver_that_is_chosen_is_asked_in_the_dual_form_too(monkeypatch):
    asked = []

    class Noted:
        name = "NOTED"

        def solve(self, problem):
            asked.append(problem)
            problem.solve(solver=cp.CLARABEL)

    margins, weights, _ = weighted_votes(0, n_members=4)
    limits = point_limits(len(margins), sample_weight=weights)
    monkeypatch.setattr(reductions, "MANY_ROWS", 0)
    found = soft_margin_weights(margins, limits, solver={"edge": [Noted(), "HIGHS"]})
    assert asked
    assert found.alpha.sum() == pytest.approx(1.0)


class Broken:
    """A solver that finds nothing."""

    name = "BROKEN"

    def solve(self, problem):
        raise ArithmeticError("broken for a test")


def test_where_nobody_finds_the_smallest_weights_the_multipliers_are_optimal_too():
    """Either of the twins may have the half that the third does not."""
    margins = np.array([[1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
    solver = {"edge": "HIGHS", "smallest": Broken()}
    alpha, r, _, _ = weights_by_dual_form(margins, point_limits(2), smallest=True, solver=solver)
    assert alpha[2] == pytest.approx(0.5)
    assert alpha.sum() == pytest.approx(1.0)
    assert r == pytest.approx(0.0, abs=1e-9)


def test_weights_that_are_the_only_ones_are_not_sought_again():
    """Three points and three members that meet at one alpha: two programs would be one too many."""
    margins = np.eye(3)
    solver = {"edge": "HIGHS", "smallest": Broken()}
    alpha, r, _, _ = weights_by_dual_form(margins, point_limits(3), smallest=True, solver=solver)
    assert alpha == pytest.approx([1 / 3] * 3)
    assert r == pytest.approx(1 / 3)


@pytest.mark.parametrize("lower_bound", [0.0, 0.15])
@pytest.mark.parametrize("cap", [None, 0.45])
def test_the_smallest_weights_are_those_of_a_program_over_all_of_them(cap, lower_bound):
    """Of all alpha with the least price of missing r, written out and solved by another way."""
    rng = np.random.default_rng(4)
    lower_bound = lower_bound if cap else 0.0
    for _ in range(4):
        margins = rng.choice([-1.0, 0.0, 1.0], (5, 4))
        limits = point_limits(5, cap=cap, lower_bound=lower_bound)
        found, _, _, result = weights_by_dual_form(margins, limits, smallest=True)
        alpha, level = cp.Variable(4, nonneg=True), cp.Variable()
        rho = margins @ alpha - level
        if cap is None:
            worth, rows = level, [rho >= 0]
        else:
            lost, gained = cp.Variable(5, nonneg=True), cp.Variable(5, nonneg=True)
            worth = level - limits.upper @ lost + limits.lower @ gained
            rows = [gained - lost <= rho]
        rows += [cp.sum(alpha) == 1]
        best = cp.Problem(cp.Maximize(worth), rows).solve(solver=cp.CLARABEL)
        assert result.final.value == pytest.approx(best, abs=1e-6)
        smallest = cp.Problem(cp.Minimize(cp.sum_squares(alpha)), [*rows, worth >= best - 1e-9])
        smallest.solve(solver=cp.CLARABEL)
        assert found == pytest.approx(alpha.value, abs=2e-3)
        assert found @ found <= alpha.value @ alpha.value + 1e-4
