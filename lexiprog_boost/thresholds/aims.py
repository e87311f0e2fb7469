"""Aims: what the floors leave open, level by level; and the rule of one multiplier a class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.aliases import Codes, Floats, Mask
from lexiprog_boost.thresholds.floors import ROUNDING, Wanted, count_needed, plain_count
from lexiprog_boost.thresholds.promises import SUMS, ClassPriority
from lexiprog_boost.thresholds.rules import DecisionRule, ScoredPoints
from lexiprog_boost.thresholds.search import OffsetSearch, last_possible


class Aims:
    """Cells with the counts they are owed; a subclass says which counts are possible."""

    def __init__(self, points: ScoredPoints, wanted: Sequence[Wanted]) -> None:
        self.points, self.wanted = points, wanted
        self.undecided = False  # whether some counts were given up without a proof
        self.cells: list[tuple[int, Mask]] = []
        self.needed = np.zeros(0, dtype=np.intp)

    def add_cell(self, code: int, rows: Mask) -> int:
        """The place of a cell; the same points are the same cell."""
        for place, (known, mine) in enumerate(self.cells):
            if known == code and np.array_equal(mine, rows):
                return place
        self.cells.append((code, rows))
        self.needed = np.append(self.needed, 0)
        return len(self.cells) - 1

    def possible(self, needed: NDArray) -> bool:
        """Whether so many of every cell can be right at once; if so, it is remembered."""
        raise NotImplementedError

    def movable(self, code: int) -> bool:
        """Whether the aims may change how many of a class are right."""
        raise NotImplementedError

    def settled_claims(self) -> list[int]:
        """The classes that claim points by thresholds that the aims may not move."""
        return []

    def best_sum(self, worth: Floats) -> bool:
        """Look for the largest worth of right points; say whether it is proved."""
        raise NotImplementedError

    def rule(self) -> DecisionRule:
        """The rule that was remembered last."""
        raise NotImplementedError

    def serve(self, place: int, level: float) -> tuple[int | None, str]:
        """Serve a floor as well as can be: how many are right now, and by what right."""
        raise NotImplementedError

    def aim(self, aims: Sequence[ClassPriority]) -> list[bool]:
        """Serve the aims in their order, each held by those after it; which are proved best."""
        for one in aims:  # all cells first: what is possible is asked of all of them
            for code, _, rows in self.points.cells(one.column):
                if rows.any():
                    self.add_cell(code, rows)
        self.possible(self.needed)
        return [self._reach(one, last=one is aims[-1]) for one in aims]

    def _reach(self, one: ClassPriority, *, last: bool) -> bool:
        cells = [
            self.add_cell(code, rows)
            for code, _, rows in self.points.cells(one.column)
            if rows.any() and self.movable(code)
        ]
        labels = self.points.classes.tolist()
        if one.measure in SUMS:
            worth = np.zeros(len(self.cells))
            for g in cells:
                code, rows = self.cells[g]
                worth[g] = (one.costs or {})[labels[code]] if one.costs else 1 / rows.sum()
            return self.best_sum(worth)
        if one.measure == "recall":
            cells = [g for g in cells if self.cells[g][0] == labels.index(one.label)]
        while cells:
            self._raise(cells)
            # What is last is followed by the next worst that can rise, and so on.
            cells = self._still_rising(cells) if last and one.measure == "worst recall" else []
        self.possible(self.needed)
        return not self.undecided

    def _raise(self, cells: list[int]) -> None:
        """Raise the least share of right points of these cells as far as it goes."""
        sizes = np.array([np.count_nonzero(self.cells[g][1]) for g in cells])
        owed = self.needed[cells]
        each = [np.arange(k, n + 1) / n for k, n in zip(owed, sizes, strict=True)]
        levels = np.unique(np.concatenate(each))

        def asked(share: float) -> NDArray:
            needed = self.needed.copy()
            needed[cells] = np.maximum(owed, np.ceil(share * sizes - ROUNDING))
            return needed

        best = last_possible(levels, lambda share: self.possible(asked(share)))
        self.needed = asked(float(levels[best]))

    def _still_rising(self, cells: list[int]) -> list[int]:
        """Those of the cells that can have one more right; the coarsest is left if all can."""
        rising = []
        for g in cells:
            more = self.needed.copy()
            more[g] += 1
            if self.possible(more):
                rising.append(g)
        if len(rising) == len(cells):
            rising.remove(min(rising, key=lambda g: self.cells[g][1].sum()))
        return rising


def aim_value(points: ScoredPoints, decided: Codes, one: ClassPriority) -> float:
    """What an aim comes to on these points as they are decided; nan for a class without any."""
    right = decided == points.codes
    cells = [(code, rows) for code, _, rows in points.cells(one.column) if rows.any()]
    recalls = np.array([right[rows].mean() for _, rows in cells])
    if one.measure == "recall":
        label = points.classes.tolist().index(one.label)
        mine = [r for r, (code, _) in zip(recalls, cells, strict=True) if code == label]
        return float(min(mine, default=np.nan))
    if one.measure == "cost":
        costs = np.array([(one.costs or {})[label] for label in points.classes.tolist()])
        return float((costs[points.codes] * ~right).mean())
    return float(recalls.min() if one.measure == "worst recall" else recalls.mean())


class Multipliers(Aims):
    """One offset a class: floors are counts of right points."""

    def __init__(self, points: ScoredPoints, wanted: Sequence[Wanted]) -> None:
        super().__init__(points, wanted)
        self.offsets: Floats = points.offsets
        self._search: OffsetSearch | None = None
        self.floors = [self.add_cell(one.code, one.rows) for one in wanted]

    def search(self) -> OffsetSearch:
        """The search over all cells that there are."""
        if self._search is None or len(self._search.cells) < len(self.cells):
            masks = [rows for _, rows in self.cells]
            self._search = OffsetSearch(self.points.logs, self.points.codes, masks)
        return self._search

    def possible(self, needed: NDArray) -> bool:
        """Whether some offsets meet the counts; the least of them are remembered."""
        found = self.search().least(needed)
        self.undecided |= self.search().undecided
        if found is not None:
            self.offsets = found
        return found is not None

    def movable(self, code: int) -> bool:  # noqa: ARG002 - the same for all
        """Every class may rise beyond its floor."""
        return True

    def serve(self, place: int, level: float) -> tuple[int | None, str]:
        """Ask for the promised count, else for the plain one, else for what is possible."""
        cell, one = self.floors[place], self.wanted[place]
        sizes = one.rows.sum()
        for count in (count_needed(one, level), plain_count(one)):
            if count is None:
                continue
            asked = self.needed.copy()
            asked[cell] = max(asked[cell], count)
            if self.possible(asked):
                self.needed = asked
                return int(asked[cell]), "same points"
        counts = np.arange(self.needed[cell], sizes + 1).astype(float)

        def possible(count: float) -> bool:
            asked[cell] = int(count)
            return self.possible(asked)

        self.needed[cell] = int(counts[last_possible(counts, possible)])
        return int(self.needed[cell]), "out of reach"

    def best_sum(self, worth: Floats) -> bool:
        """By line searches; with three classes and more no optimum is proved."""
        search = self.search()
        zero = np.zeros(len(self.points.classes))
        starts = [self.rule().offsets, self.points.offsets, zero]
        self.offsets, _ = search.best_sum(starts, self.needed, worth)
        self.needed = search.counts(self.offsets)
        return False

    def rule(self) -> DecisionRule:
        """Of the offsets with the same counts, those near the points' own."""
        settled = self.search().settled(self.offsets, self.needed, self.points.offsets)
        return DecisionRule((), (), settled, self.points.offsets)
