"""Tests and ranks against published answers, hand counts and brute force."""

import itertools

import numpy as np
import pytest
from scipy import stats

from lexiprog_boost.experiments.statistics import (
    average_ranks,
    critical_difference,
    friedman,
    kruskal_wallis,
    rank_sum,
    signed_rank,
    win_tie_loss,
)

# AUC of C4.5 with either, both or none of two settings tuned (Demšar, JMLR 7, 2006, table 6).
# The last but one row prints 0.975 twice but ranks them 2 and 3.
PUBLISHED = np.array([
    [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
    [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.9752, 0.975], [0.957, 0.978, 0.946, 0.970],
])  # fmt: skip


def test_average_ranks_are_the_published_ones():
    assert np.round(average_ranks(PUBLISHED), 3).tolist() == [3.143, 2.000, 2.893, 1.964]


def test_friedman_is_the_published_one_but_for_ties():
    n, k = PUBLISHED.shape
    ranks = average_ranks(PUBLISHED)
    plain = 12 * n / (k * (k + 1)) * (np.sum(ranks**2) - k * (k + 1) ** 2 / 4)
    assert plain == pytest.approx(9.28, abs=0.005)
    rows = stats.rankdata(PUBLISHED, axis=1)
    ties = sum(count**3 - count for row in rows for count in np.unique(row, return_counts=True)[1])
    statistic, verdict = friedman(PUBLISHED)
    assert statistic == pytest.approx(plain / (1 - ties / (n * k * (k**2 - 1))))
    assert verdict.hypothesis == "H1"


@pytest.mark.parametrize(
    ("methods", "datasets", "expected"), [(4, 14, 1.25), (2, 10, 0.620), (10, 30, 2.473)]
)
def test_critical_difference_is_the_published_one(methods, datasets, expected):
    # Published quantiles: 2.569 for four, 1.960 for two, 3.164 for ten.
    assert critical_difference(methods, datasets) == pytest.approx(expected, abs=0.005)


def test_signed_rank_counts_every_way_the_signs_could_fall():
    differences = np.array([0.01, 0.02, 0.05, -0.03, 0.04, 0.06, 0.07])
    ranks = stats.rankdata(np.abs(differences))
    seen = min(ranks[differences > 0].sum(), ranks[differences < 0].sum())
    sums = [
        ranks[np.array(signs)].sum()
        for signs in itertools.product([True, False], repeat=len(differences))
    ]
    expected = 2 * np.mean(np.array(sums) <= seen)
    found = signed_rank(0.5 + differences, np.full(7, 0.5))
    assert found.p == pytest.approx(expected)
    assert found.better
    back = signed_rank(np.full(7, 0.5), 0.5 + differences)
    assert (back.p, back.better) == (pytest.approx(expected), False)


def test_rank_sum_counts_every_way_the_folds_could_be_dealt():
    mine, other = np.array([0.9, 0.8, 0.85, 0.7, 0.95]), np.array([0.5, 0.6, 0.75, 0.4, 0.3])
    ranks = stats.rankdata(np.concatenate([mine, other]))
    sums = [ranks[list(dealt)].sum() for dealt in itertools.combinations(range(10), 5)]
    expected = 2 * np.mean(np.array(sums) >= ranks[:5].sum())
    found = rank_sum(mine, other)
    assert found.p == pytest.approx(expected)
    assert str(found) == "H1 +"
    assert str(rank_sum(other, mine)) == "H1 -"


def test_nothing_to_tell_apart_is_no_difference_and_no_warning():
    same = np.full((6, 4), 0.8)
    assert average_ranks(same).tolist() == [2.5] * 4
    assert friedman(same)[1].p == 1
    assert friedman(PUBLISHED[:1])[1].p == 1
    assert friedman(PUBLISHED[[0, 4]])[1].p < 1
    assert friedman(PUBLISHED[:, :2])[1].p == 1
    assert friedman(PUBLISHED[:, :3])[1].p < 1
    assert signed_rank(same[:, 0], same[:, 1] + 1e-15).p == 1
    assert kruskal_wallis(same).p == 1
    assert rank_sum(same[0], same[1]).p == 1
    assert win_tie_loss(same[None, :4], 1) == [(0, 0, 0), None, (0, 0, 0), (0, 0, 0)]


def test_one_set_and_one_pair_are_too_few_for_a_verdict():
    assert signed_rank(np.array([0.9]), np.array([0.1])).hypothesis == "H0"


def test_wins_are_counted_only_where_the_methods_differ_at_all():
    steps = np.arange(5) / 100
    apart = np.array([steps, steps + 0.2, steps + 0.4])
    alike = np.array([steps, steps[::-1], np.roll(steps, 2)])
    folds = np.array([apart, alike, apart[::-1]])
    assert win_tie_loss(folds, 1) == [(1, 0, 1), None, (1, 0, 1)]
    assert win_tie_loss(folds[1:2], 1) == [(0, 0, 0), None, (0, 0, 0)]
