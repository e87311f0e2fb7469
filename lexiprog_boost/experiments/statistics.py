"""The paper's tests, over data sets and over the folds of one: scipy's, with ties thought of."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from lexiprog_boost.experiments.results import DECIMALS

LEVEL = 0.05


@dataclass(frozen=True)
class Verdict:
    """What a test says.

    Attributes
    ----------
    p : float
        Its p-value; 1 where there is nothing to tell apart.
    better : bool
        For a pair: whether the method's mean is above the control's.

    Examples
    --------
    >>> from lexiprog_boost.experiments.statistics import Verdict
    >>> str(Verdict(0.2)), str(Verdict(0.01, better=True)), str(Verdict(0.01))
    ('H0', 'H1 +', 'H1 -')
    """

    p: float
    better: bool = False

    @property
    def hypothesis(self) -> str:
        """H1 if the difference is significant at 5 %."""
        return "H1" if self.p < LEVEL else "H0"

    def __str__(self) -> str:
        sign = (" +" if self.better else " -") if self.p < LEVEL else ""
        return self.hypothesis + sign


def average_ranks(means: NDArray) -> NDArray[np.float64]:
    """Average rank of each column, 1 for the largest value of a row; equals share their ranks.

    Parameters
    ----------
    means : ndarray of shape (datasets, methods)
        Scores.

    Returns
    -------
    ndarray of shape (methods,)

    Examples
    --------
    >>> from lexiprog_boost.experiments.statistics import average_ranks
    >>> average_ranks([[0.9, 0.8, 0.8], [0.5, 0.7, 0.6]])
    array([2.  , 1.75, 2.25])
    """
    return np.asarray(stats.rankdata(-_rounded(means), axis=1).mean(axis=0))


def friedman(means: NDArray) -> tuple[float, Verdict]:
    """Friedman's chi-square, corrected for ties, and its verdict on (datasets, methods)."""
    values = _rounded(means)
    if values.shape[0] < 2 or values.shape[1] < 3 or np.all(values == values[:, :1]):
        return 0.0, Verdict(1.0)
    statistic, p = stats.friedmanchisquare(*values.T)
    return float(statistic), Verdict(float(p))


def signed_rank(method: NDArray, control: NDArray) -> Verdict:
    """Wilcoxon's signed rank test over data sets; equal pairs are left out."""
    differences = _rounded(np.asarray(method) - np.asarray(control))
    if not differences.any():
        return Verdict(1.0)
    return Verdict(_signed_rank_p(tuple(differences.tolist())), better=_is_better(differences))


@cache
def _signed_rank_p(differences: tuple[float, ...]) -> float:
    """Ties make the exact answer slow, and several tables ask for the same one."""
    with warnings.catch_warnings():
        # Few data sets are a fact of a smoke run; the p-value says so itself.
        warnings.simplefilter("ignore")
        return float(stats.wilcoxon(differences).pvalue)


def kruskal_wallis(folds: NDArray) -> Verdict:
    """Whether the rows (methods) of one data set's (methods, folds) differ at all."""
    values = _rounded(folds)
    if np.all(values == values.flat[0]):
        return Verdict(1.0)
    return Verdict(float(stats.kruskal(*values).pvalue))


def rank_sum(method: NDArray, control: NDArray) -> Verdict:
    """Wilcoxon's rank-sum test over the folds of one data set."""
    mine, other = _rounded(method), _rounded(control)
    if np.all(mine == other[0]) and np.all(other == other[0]):
        return Verdict(1.0)
    p = float(stats.mannwhitneyu(mine, other).pvalue)
    return Verdict(p, better=bool(mine.mean() > other.mean()))


def win_tie_loss(folds: NDArray, control: int) -> list[tuple[int, int, int] | None]:
    """Wins, ties and losses of each method against one of them, by the rank-sum test.

    As in the paper, a data set counts only if Kruskal and Wallis's test finds a difference in it.

    Parameters
    ----------
    folds : ndarray of shape (datasets, methods, folds)
        Scores.
    control : int
        The method that the others are held against.

    Returns
    -------
    list of (int, int, int), None for the control

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.experiments.statistics import win_tie_loss
    >>> steps = np.arange(5) / 100
    >>> win_tie_loss(np.array([[steps, steps + 0.3, steps + 0.001]]), 0)
    [None, (1, 0, 0), (0, 1, 0)]
    """
    counted = [one for one in np.asarray(folds) if kruskal_wallis(one).hypothesis == "H1"]
    table: list[tuple[int, int, int] | None] = []
    for j in range(np.shape(folds)[1]):
        verdicts = [rank_sum(one[j], one[control]) for one in counted]
        significant = [one.better for one in verdicts if one.hypothesis == "H1"]
        wins, losses = sum(significant), len(significant) - sum(significant)
        table.append(None if j == control else (wins, len(verdicts) - wins - losses, losses))
    return table


@cache
def critical_difference(methods: int, datasets: int) -> float:
    """Nemenyi's: average ranks that differ by less are not significant at 5 %.

    Examples
    --------
    >>> from lexiprog_boost.experiments.statistics import critical_difference
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    quantile = stats.studentized_range.ppf(1 - LEVEL, methods, np.inf) / math.sqrt(2)
    return float(quantile * math.sqrt(methods * (methods + 1) / (6 * datasets)))


def _is_better(differences: NDArray) -> bool:
    """The side that the ranks of the differences are on, as the test sees it."""
    ranks = stats.rankdata(np.abs(differences))
    return bool(np.sum(ranks * np.sign(differences)) > 0)


def _rounded(values: NDArray) -> NDArray[np.float64]:
    return np.asarray(np.round(np.asarray(values, dtype=np.float64), DECIMALS))
