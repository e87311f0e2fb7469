"""From scores of unseen points and priorities in order to a rule, and what it promises.

A cascade claims points for one class after the other: class c if its score exceeds the best later
class's by t_c. Each t_c is an order statistic of the class's own points, given the thresholds
before it, which is why its promise holds exactly. Among the classes without a floor, and without a
cascade among all, one offset (log multiplier) a class decides, found by the exact search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from lexiprog_boost.thresholds.aims import Aims, Multipliers, aim_value
from lexiprog_boost.thresholds.cascade import Cascade
from lexiprog_boost.thresholds.floors import (
    Floor,
    Wanted,
    count_needed,
    expanded,
    measured,
    wanted_share,
)
from lexiprog_boost.thresholds.promises import ClassPriority, ErrorLevels, chance_of
from lexiprog_boost.thresholds.rules import DecisionRule, ScoredPoints


@dataclass(frozen=True)
class Fitted:
    """A rule, what became of the floors, and the values of the aims in their order.

    Attributes
    ----------
    rule : DecisionRule
    floors : tuple of Floor
    aims : tuple of (ClassPriority, float, bool)
        The value, and whether it is proved best.
    settled_claims : tuple of int
        The classes that claim points by thresholds that the aims could not move.
    """

    rule: DecisionRule
    floors: tuple[Floor, ...]
    aims: tuple[tuple[ClassPriority, float, bool], ...]
    settled_claims: tuple[int, ...] = ()


def fit_rule(
    points: ScoredPoints,
    priorities: Sequence[ClassPriority],
    *,
    alpha: float = 0.05,
    joint: bool = False,
    rule: Literal["cascade", "multipliers"] = "cascade",
    status: str = "promised",
) -> Fitted:
    """Find the rule that serves the priorities in their order.

    Parameters
    ----------
    points : ScoredPoints
        What it is found on.
    priorities : sequence of ClassPriority
        Floors and aims; the aims come into their own after all floors.
    alpha : float
        One minus the confidence.
    joint : bool
        Whether it is that of all floors together, or of each by itself.
    rule : {"cascade", "multipliers"}
        Claims in turn, whose promises are proved, or one multiplier a class.
    status : {"promised", "estimated"}
        What a floor that holds is called: how the points were come by decides.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.thresholds import ScoredPoints, ClassPriority, fit_rule
    >>> rng = np.random.default_rng(0)
    >>> codes = np.repeat([0, 1], 100)
    >>> chances = 1 / (1 + np.exp(-rng.normal(2 * codes - 1, 1)))
    >>> logs = np.log(np.column_stack([1 - chances, chances]))
    >>> halves = np.full(2, 0.5)
    >>> points = ScoredPoints(logs, codes, np.array(["well", "ill"]), halves, -np.log(halves))
    >>> found = fit_rule(points, [ClassPriority("recall", "ill", 0.9)])
    >>> floor = found.floors[0]
    >>> floor.status, round(floor.measured, 2), bool(floor.bound >= 0.9)
    ('promised', 0.96, True)
    """
    wanted = expanded(points, priorities)
    levels = ErrorLevels(alpha, len(wanted), joint=joint, apart=_are_apart(wanted))
    # With two classes there is one threshold either way.
    by_multipliers = rule == "multipliers" and len(points.classes) > 2
    if by_multipliers:
        check_countable(wanted)
    state: Aims = (Multipliers if by_multipliers else Cascade)(points, wanted)
    kept = {}
    # With two classes a ceiling is a floor of the other class.
    turns = range(len(wanted)) if len(points.classes) == 2 else _turns(wanted)
    for place in turns:
        one, level = wanted[place], levels.next()
        count, how = state.serve(place, level)
        held, spent = _promised(one, level, count, how)
        levels.spend(spent)
        kept[place] = one, level, held, how
    aims = [one for one in priorities if not one.is_floor]
    proved = state.aim(aims)
    final = state.rule()
    decided = final(points.logs)
    floors = [
        measured(points, decided, one, level, held=held, how=how, status=status)
        for _, (one, level, held, how) in sorted(kept.items())
    ]
    reached = [
        (one, aim_value(points, decided, one), best) for one, best in zip(aims, proved, strict=True)
    ]
    return Fitted(final, tuple(floors), tuple(reached), tuple(state.settled_claims()))


def _turns(wanted: Sequence[Wanted]) -> list[int]:
    """In which order floors are served: a ceiling right before its class's first other floor.

    It says how much a class may claim at most, which is no reason to claim before others do; and it
    holds wherever the class comes.
    """
    others = [one.priority.measure != "false positive rate" for one in wanted]

    def turn(place: int) -> float:
        firsts = (q for q, one in enumerate(wanted) if others[q] and one.code == wanted[place].code)
        first = next(firsts, len(wanted))
        return place if others[place] or first < place else first - 0.5

    return sorted(range(len(wanted)), key=turn)


def _are_apart(wanted: Sequence[Wanted]) -> bool:
    """Whether no point counts for two floors."""
    counts = np.sum([one.rows for one in wanted], axis=0) if wanted else np.zeros(1)
    return bool(counts.max(initial=0) <= 1)


def _promised(one: Wanted, level: float, count: int | None, how: str) -> tuple[bool, float]:
    """Whether a floor is kept, and how much of its level that takes, kept or not."""
    if one.priority.measure == "precision":
        return how != "out of reach", level
    needed = count_needed(one, level)
    if needed is None:
        return False, 0.0
    # A count that is not reached was a chance to be wrong all the same.
    spent = chance_of(needed, int(one.rows.sum()), wanted_share(one))
    return count is not None and count >= needed, spent


def check_countable(wanted: Sequence[Wanted]) -> None:
    """Refuse floors that are no counts of right points: only claims in turn can serve them."""
    others = [one.priority.measure for one in wanted if one.priority.measure != "recall"]
    if others:
        raise ValueError(
            f"a {others[0]} with a limit is served by claims in turn only: use rule='cascade', or "
            "floors of recall."
        )
