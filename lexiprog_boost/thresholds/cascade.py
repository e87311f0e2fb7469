"""Claims in turn: each class with a floor has a threshold, an order statistic of its own points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.aliases import Codes, Floats
from lexiprog_boost.thresholds.aims import Aims
from lexiprog_boost.thresholds.floors import (
    Wanted,
    count_needed,
    plain_count,
    precision_bound,
    precision_of,
)
from lexiprog_boost.thresholds.promises import lower_bound, upper_bound, wrong_allowed
from lexiprog_boost.thresholds.rules import DecisionRule, ScoredPoints, claim_scores
from lexiprog_boost.thresholds.search import OffsetSearch, best_place

# Rounds between the threshold of the last claim and the offsets of the rest.
ROUNDS = 5


class Cascade(Aims):
    """Claims in turn, in the order in which classes first have a floor; then offsets."""

    def __init__(self, points: ScoredPoints, wanted: Sequence[Wanted]) -> None:
        if len(points.classes) == 2:  # a false positive is a missed case of the other class
            wanted = [
                replace(one, code=1 - one.code)
                if one.priority.measure == "false positive rate"
                else one
                for one in wanted
            ]
        super().__init__(points, wanted)
        self.order: list[int] = []
        self.thresholds: list[float] = []
        # Between these the last threshold may move: as ceilings and the rest's floors allow, and as
        # its own floors allow.
        self.lowest, self.highest = -np.inf, np.inf
        # Whether a threshold was chosen on all points, which then prove nothing any more.
        self.searched = False
        self.claimed = np.zeros(len(points.codes), dtype=bool)  # by all classes but the last
        self.offsets: Floats = points.offsets
        self._kept: tuple[float, OffsetSearch] | None = None
        self._known: dict[int, Floats] = {}  # scores by place
        self._sorted: dict[tuple[int, int], Floats] = {}  # of a cell's points, by place and cell

    def serve(self, place: int, level: float) -> tuple[int | None, str]:
        """The first floor of a class sets its threshold; those after it say how far it may move."""
        one = self.wanted[place]
        single = self._single(one.code)
        fresh = not single and one.code not in self.order
        if fresh:
            if self.order:
                self.claimed |= self._scores(len(self.order) - 1) >= self.thresholds[-1]
            self.order.append(one.code)
            self.thresholds.append(np.inf)
            self.lowest, self.highest, self._kept = -np.inf, np.inf, None
        moves = single or one.code == self.order[-1]
        if one.priority.measure == "precision":
            how = self._find_precision(one, level) if fresh else self._test_precision(one, level)
            if moves:
                self.lowest = self.highest = self.thresholds[-1]
            return None, how
        if not self._counts_right(one):
            if single:  # the less the last class claims, the more is left for the others
                self.highest = min(self.highest, self.thresholds[-1])
            elif moves:
                self._cap(one, level, fresh=fresh)
        elif single:
            self._spare(one, level)
        elif moves:
            self._lower(one, level)
        return self._right(one), self._basis(one)

    def _basis(self, one: Wanted) -> str:
        """By what right a floor that is tested holds."""
        mixed = self._single(one.code) and not self._counts_right(one)
        return "same points" if self.searched or mixed else "proved"

    def _single(self, code: int) -> bool:
        """Whether it is the only class that is left when all others have claimed."""
        return code not in self.order and len(self.order) == len(self.points.classes) - 1

    def _counts_right(self, one: Wanted) -> bool:
        return one.priority.measure == "recall" or len(self.points.classes) == 2

    def _scores(self, place: int) -> Floats:
        """By how much the class at a place exceeds the later ones; never changes again."""
        if place not in self._known:
            found = claim_scores(self.points.logs, self.order, place, self.points.offsets)
            self._known[place] = found
        return self._known[place]

    def _falling(self, g: int) -> Floats:
        """The last class's scores of a cell's points from the largest on; claimed ones last."""
        place = len(self.order) - 1
        if (place, g) not in self._sorted:
            rows = self.cells[g][1]
            scores = np.where(self.claimed[rows], -np.inf, self._scores(place)[rows])
            self._sorted[place, g] = -np.sort(-scores)
        return self._sorted[place, g]

    def _lower(self, one: Wanted, level: float) -> None:
        """Lower the last threshold until enough of the class's own points pass."""
        scores = np.where(self.claimed, -np.inf, self._scores(len(self.order) - 1))[one.rows]
        scores = -np.sort(-scores)
        reached = scores[np.isfinite(scores)]
        threshold = reached[-1] if len(reached) else 0.0  # all that is left
        for count in (count_needed(one, level), plain_count(one)):
            if count is not None and 0 < count <= len(reached):
                threshold = reached[count - 1]
                break
        self.thresholds[-1] = max(min(self.thresholds[-1], float(threshold)), self.lowest)
        self.highest = self.thresholds[-1]

    def _cap(self, one: Wanted, level: float, *, fresh: bool) -> None:
        """The least threshold that few enough points of other classes pass, claimed or not.

        It is the class's own if it has none.
        """
        n = int(one.rows.sum())
        allowed = wrong_allowed(n, float(one.priority.limit or 0.0), level)
        if allowed is None:
            allowed = n - plain_count(one)
        least = _just_above(self._scores(len(self.order) - 1)[one.rows], allowed)
        if fresh:
            self.thresholds[-1] = least
        self._move_to(least)

    def _spare(self, one: Wanted, level: float) -> None:
        """Leave enough points for the class that gets what nobody claims."""
        scores = np.where(self.claimed, np.inf, self._scores(len(self.order) - 1))[one.rows]
        count = count_needed(one, level)
        needed = plain_count(one) if count is None else count
        self._move_to(_just_above(scores, len(scores) - needed))

    def _move_to(self, least: float) -> None:
        """Keep the last threshold from there on, as far as the floors of its class let it rise."""
        least = min(least, self.highest)
        self.lowest = max(self.lowest, least)
        self.thresholds[-1] = max(self.thresholds[-1], least)

    def _right(self, one: Wanted) -> int:
        """How many of a floor's rows are as they should be."""
        if self._counts_right(one):
            if self.order[-1:] == [one.code]:  # without asking who gets the other points
                passed = self._scores(len(self.order) - 1)[one.rows] >= self.thresholds[-1]
                return int((passed & ~self.claimed[one.rows]).sum())
            return int((self._claims()[one.rows] == one.code).sum())
        if self._single(one.code):
            return int((self._claims()[one.rows] != one.code).sum())
        place = self.order.index(one.code)
        return int((self._scores(place)[one.rows] < self.thresholds[place]).sum())

    def _claims(self) -> Codes:
        """The class of each point: by claims, or the only one that is left, or none (-1)."""
        left = np.setdiff1d(np.arange(len(self.points.classes)), self.order)
        codes = np.full(len(self.points.codes), left[0] if len(left) == 1 else -1)
        for place in reversed(range(len(self.order))):
            codes[self._scores(place) >= self.thresholds[place]] = self.order[place]
        return codes

    def _test_precision(self, one: Wanted, level: float) -> str:
        """Whether the thresholds that there are have it."""
        bound = precision_bound(self.points, one.code, self._claims() == one.code, level)
        return self._basis(one) if bound >= float(one.priority.limit or 0.0) else "out of reach"

    def _find_precision(self, one: Wanted, level: float) -> str:
        """Find the least threshold that has it; if none has, that with the precision seen."""
        self.searched = True
        scores = np.where(self.claimed, -np.inf, self._scores(len(self.order) - 1))
        limit = float(one.priority.limit or 0.0)
        mine = self.points.codes == one.code
        own, others = np.sort(scores[mine]), np.sort(scores[~mine])
        places = own[np.isfinite(own)]
        right = len(own) - np.searchsorted(own, places, side="left")
        wrong = len(others) - np.searchsorted(others, places, side="left")
        bounds = precision_of(self.points, one.code, lower_bound(right, len(own), level / 2),
                            upper_bound(wrong, len(others), level / 2))  # fmt: skip
        seen = precision_of(self.points, one.code, right / max(len(own), 1),
                          wrong / max(len(others), 1))  # fmt: skip
        for good in (bounds >= limit, seen >= limit, seen >= seen.max(initial=0.0)):
            if good.any():
                self.thresholds[-1] = float(places[np.argmax(good)])
                break
        return "same points" if (bounds >= limit).any() else "out of reach"

    # Aims: the last class with a floor may claim more, which breaks no promise of its own.

    def _is_free(self) -> bool:
        return bool(self.order) and self.lowest < self.highest

    def settled_claims(self) -> list[int]:
        """All classes that claim but the last one, if its threshold may move."""
        return self.order[:-1] if self._is_free() else self.order

    def movable(self, code: int) -> bool:
        """Classes without a threshold, and the last one that has one."""
        return code not in self.settled_claims()

    def _search_at(self, threshold: float) -> tuple[OffsetSearch, list[int]]:
        """The search among the classes that are left, and the places of its cells."""
        places = [g for g, (code, _) in enumerate(self.cells) if code not in self.order]
        if self._kept is None or self._kept[0] != threshold or (
            len(self._kept[1].cells) != len(places)
        ):  # fmt: skip
            reach = ~self.claimed
            if self.order:
                reach = reach & (self._scores(len(self.order) - 1) < threshold)
            logs = self.points.logs.copy()
            logs[:, self.order] = -np.inf  # classes that have claimed are not asked again
            masks = [self.cells[g][1] for g in places]
            self._kept = (threshold, OffsetSearch(logs, self.points.codes, masks, reach))
        return self._kept[1], places

    def _threshold_for(self, needed: NDArray) -> float | None:
        """The largest threshold of the last class with so many of its points, or None."""
        if not self._is_free():
            return self.thresholds[-1] if self.order else np.inf
        code = self.order[-1]
        threshold = self.highest
        for g, ((mine, _), k) in enumerate(zip(self.cells, needed, strict=True)):
            if mine == code and k > len(self._falling(g)):
                return None
            if mine == code and k > 0:
                threshold = min(threshold, float(self._falling(g)[k - 1]))
        # Points that are claimed already cannot be had: their scores are minus infinity.
        possible = threshold > -np.inf and threshold >= self.lowest
        return threshold if possible else None

    def possible(self, needed: NDArray) -> bool:
        """Whether a threshold and some offsets meet the counts; if so they are remembered."""
        threshold = self._threshold_for(needed)
        if threshold is None:
            return False
        search, places = self._search_at(threshold)
        found = search.least(needed[places])
        self.undecided |= search.undecided
        if found is None:
            return False
        self.offsets = found
        if self.order:
            self.thresholds[-1] = threshold
        return True

    def best_sum(self, worth: Floats) -> bool:
        """The last threshold and the offsets in turn: an optimum where one number is free."""
        n_left = len(self.points.classes) - len(self.order)
        for _ in range(ROUNDS):
            before = self.thresholds[-1] if self.order else 0.0
            search, places = self._search_at(before if self.order else np.inf)
            start = np.where(np.isfinite(self.offsets), self.offsets, self.points.offsets)
            starts = [search.least(self.needed[places]), start, self.points.offsets]
            given = [one for one in starts if one is not None]
            self.offsets, _ = search.best_sum(given, self.needed[places], worth[places])
            if not self._is_free():
                break
            self.thresholds[-1] = self._best_threshold(worth)
            if self.thresholds[-1] == before:
                break
        search, places = self._search_at(self.thresholds[-1] if self.order else np.inf)
        self.needed[places] = search.counts(self.offsets)
        for g, (code, rows) in enumerate(self.cells):
            if self._is_free() and code == self.order[-1]:
                self.needed[g] = (self._claims()[rows] == code).sum()
        return (n_left - 1) + self._is_free() <= 1

    def _best_threshold(self, worth: Floats) -> float:
        """The best place of the last claim, the offsets of the others being what they are."""
        scores = -np.where(self.claimed, -np.inf, self._scores(len(self.order) - 1))
        code = self.order[-1]
        rest = np.argmax(self.points.logs + self._left(self.offsets), axis=1) == self.points.codes
        gains, gain_worth, losses, loss_worth = [], [], [], []
        low, high = -self.highest, -self.lowest
        for (mine, rows), k, w in zip(self.cells, self.needed, worth, strict=True):
            if mine == code:
                found = np.sort(scores[rows])
                gains.append(found)
                gain_worth.append(np.full(len(found), w))
                low = max(low, found[k - 1]) if k else low
            elif mine not in self.order:
                found = np.sort(scores[rows & rest & ~self.claimed])
                found = np.nextafter(found, -np.inf)  # at its own score a point is claimed
                losses.append(found)
                loss_worth.append(np.full(len(found), w))
                high = min(high, found[len(found) - k]) if 0 < k <= len(found) else high
        return -best_place(
            np.concatenate([*gains, np.empty(0)]), np.concatenate([*gain_worth, np.empty(0)]),
            np.concatenate([*losses, np.empty(0)]), np.concatenate([*loss_worth, np.empty(0)]),
            limits=(low, high), now=-self.thresholds[-1],
        )  # fmt: skip

    def _left(self, offsets: Floats) -> Floats:
        left = offsets.copy()
        left[self.order] = -np.inf
        return left

    def rule(self) -> DecisionRule:
        """Thresholds as they are, and of the offsets with the same counts, near ones."""
        offsets = self.points.offsets
        if len(self.order) < len(offsets) - 1:  # else one class gets what nobody claims
            search, places = self._search_at(self.thresholds[-1] if self.order else np.inf)
            offsets = search.settled(self.offsets, self.needed[places], offsets)
        return DecisionRule(
            tuple(self.order), tuple(self.thresholds), self._left(offsets), self.points.offsets
        )


def _just_above(scores: Floats, allowed: int) -> float:
    """The least threshold that at most so many of the scores pass."""
    if allowed >= len(scores):
        return -np.inf
    above = np.partition(scores, len(scores) - 1 - allowed)[len(scores) - 1 - allowed]
    if np.isinf(above):  # claimed before: all that is left is left to it
        above = scores[np.isfinite(scores)].max(initial=0.0)
    return float(np.nextafter(above, np.inf))
