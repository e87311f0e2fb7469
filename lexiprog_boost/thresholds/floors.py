"""Floors one by one: what each of them asks for, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lexiprog_boost.aliases import Codes, Floats, Mask
from lexiprog_boost.thresholds.promises import (
    ClassPriority,
    lower_bound,
    right_needed,
    too_few,
    upper_bound,
)
from lexiprog_boost.thresholds.rules import ScoredPoints

# Shares are compared with whole counts: 0.9 of 50 is 45, not 46.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Floor:
    """What became of one floor.

    Attributes
    ----------
    wanted : str
        The priority, with its group if it has one.
    priority : ClassPriority
        What was asked for.
    cases : int
        Points it was measured on.
    measured, bound : float
        The share there, and what it is at least (a false positive rate: at most) with `confidence`.
    confidence : float
        That of this floor; with ``joint=True`` more than that of all of them.
    status : {"promised", "estimated", "not promised"}
        Whether it holds on new data with the confidence: proved, or measured on cross-fitted
        points or on those that chose its threshold, or not.
    why : str
        The reason, with the number of cases it would take.
    needed : int
        How many of the cases had to be right: for the promise, or for the share alone.
    rows : ndarray of bool
        The points it was measured on.
    """

    wanted: str
    priority: ClassPriority
    cases: int
    measured: float
    bound: float
    confidence: float
    status: str
    why: str
    needed: int = field(repr=False, compare=False)
    rows: Mask = field(repr=False, compare=False)

    @property
    def is_kept(self) -> bool:
        """Whether the floor is promised or estimated."""
        return self.status != "not promised"


@dataclass(frozen=True)
class Wanted:
    """A floor, in one group if it has a column."""

    priority: ClassPriority
    code: int
    where: str
    rows: Mask  # the points it is measured on

    @property
    def text(self) -> str:
        """The priority, with its group."""
        plain = replace(self.priority, column=None)
        return f"{plain}{self.where}"

    @property
    def cases(self) -> str:
        """What its points are."""
        if self.priority.measure == "false positive rate":
            return f"cases of other classes than {self.priority.label}"
        return f"cases of {self.priority.label}{self.where}"


def expanded(points: ScoredPoints, priorities: Sequence[ClassPriority]) -> list[Wanted]:
    """The floors in their order, one for each group where a column is named."""
    found = []
    labels = points.classes.tolist()
    for one in priorities:
        if not one.is_floor:
            continue
        code = labels.index(one.label)
        if one.measure == "recall":
            cells = [cell for cell in points.cells(one.column) if cell[0] == code]
            found += [Wanted(one, code, where, rows) for _, where, rows in cells]
        elif one.measure == "precision":
            found.append(Wanted(one, code, "", np.ones(len(points.codes), dtype=bool)))
        else:
            found.append(Wanted(one, code, "", points.codes != code))
    return found


def wanted_share(one: Wanted) -> float:
    """The share of its rows that has to be right, or not to be claimed."""
    limit = float(one.priority.limit or 0.0)
    return 1 - limit if one.priority.measure == "false positive rate" else limit


def count_needed(one: Wanted, level: float) -> int | None:
    """How many of its points must be as they should for a promise; None if all are too few."""
    return right_needed(int(one.rows.sum()), wanted_share(one), level)


def plain_count(one: Wanted) -> int:
    """How many of its points must be as they should for the share itself, without a promise."""
    return int(np.ceil(wanted_share(one) * one.rows.sum() - ROUNDING))


# What a rule comes to, measured.


def precision_of(points: ScoredPoints, code: int, recall: Any, false_rate: Any) -> Floats:
    """The share of right claims, from the class's share of the points and both rates."""
    share = points.shares[code]
    right, wrong = share * np.asarray(recall), (1 - share) * np.asarray(false_rate)
    total = right + wrong
    return np.asarray(np.divide(right, total, out=np.zeros_like(total), where=total > 0))


def precision_bound(points: ScoredPoints, code: int, claimed: Mask, level: float) -> float:
    """What the precision is at least: recall and false positives by halves of the level."""
    mine = points.codes == code
    recall = lower_bound((claimed & mine).sum(), mine.sum(), level / 2)
    wrong = upper_bound((claimed & ~mine).sum(), (~mine).sum(), level / 2)
    return float(precision_of(points, code, recall, wrong))


def measured(
    points: ScoredPoints,
    decided: Codes,
    one: Wanted,
    level: float,
    *,
    held: bool,
    how: str,
    status: str,
) -> Floor:
    """The floor's share and bound as points are decided, and the sentence about its promise."""
    claimed, mine = decided == one.code, points.codes == one.code
    n, count = int(one.rows.sum()), int(claimed[one.rows].sum())
    share = count / n if n else 0.0
    if one.priority.measure == "precision":
        rates = [claimed[rows].mean() if rows.any() else 0.0 for rows in (mine, ~mine)]
        n, share = count, float(precision_of(points, one.code, *rates))
        bound = precision_bound(points, one.code, claimed, level)
    elif one.priority.measure == "recall":
        bound = float(lower_bound(count, n, level)) if n else 0.0
    else:
        bound = float(upper_bound(count, n, level)) if n else 1.0
    needed = count_needed(one, level)
    said = _why(one, level, needed, held=held, how=how, n=n, share=share)
    kind = "not promised" if not held else "estimated" if how == "same points" else status
    counted = plain_count(one) if needed is None or not held else needed
    return Floor(one.text, one.priority, n, share, bound, 1 - level, kind, said, counted, one.rows)


def _why(
    one: Wanted, level: float, needed: int | None, *, held: bool, how: str, n: int, share: float
) -> str:
    if held and how == "same points":
        return "what decides it was chosen on the points that measure it"
    if one.priority.measure == "precision":
        if held:
            return f"{n} points are claimed"
        return f"no threshold has it with confidence {1 - level:g}; it is {share:.3f} here"
    if needed is None:
        return too_few(n, one.cases, wanted_share(one), level)
    verb = "not claimed" if one.priority.measure == "false positive rate" else "right"
    if held:
        return f"{n} {one.cases}, of which at least {needed} are {verb}"
    return f"{n} {one.cases}, of which {needed} had to be {verb}; earlier priorities leave fewer"
