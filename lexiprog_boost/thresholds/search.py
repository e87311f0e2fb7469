"""The exact search for class offsets (log multipliers) that give every class its due.

A point of class j is right if ``L_j + w_j`` exceeds all other ``L_k + w_k``. The recall of a class
rises with its own offset and falls with the others', so the offsets that make at least k_g points
of each cell g right are closed under the componentwise minimum, and iterating from below finds the
least of them, or that there are none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.aliases import Codes, Floats, Mask

# A point is won by at least this share of the largest gap: rounding never decides an argmax.
BY = 1e-9
# So much more of a sum, as a share of it, is a gain.
GAIN = 1e-9
# Sweeps of the iteration before it starts again from another class, with twice as many. After so
# many turns (scores of many classes tie) counts are taken for impossible: that may cost an aim
# something, which is then said to be not proved, and it breaks no promise.
SWEEPS, TURNS = 20, 7
# Passes over the classes until their offsets are near what is wished for.
SETTLING = 3
# Passes over the coordinates of a sum; each is an exact line search.
PASSES = 20


@dataclass(frozen=True)
class CellGaps:
    """Points of one class (in one group) that are in reach: their scores."""

    code: int
    gaps: Floats  # L_k - L_j of every other class k, a row a point in reach; -inf for its own
    by: float  # how much more than the others' a score has to be

    def wins_from(self, offsets: Floats) -> Floats:
        """The offset of its class from which on each point is right."""
        return (self.gaps + offsets).max(axis=1, initial=-np.inf) + self.by

    def count(self, offsets: Floats) -> int:
        """How many of its points are right."""
        return int((self.wins_from(offsets) <= offsets[self.code]).sum())


class OffsetSearch:
    """Cells of points and the offsets that serve them.

    Parameters
    ----------
    logs : ndarray of shape (n, C)
        Scores; offsets are added to them.
    codes : ndarray of int, shape (n,)
        The class of each point.
    cells : sequence of ndarray of bool, shape (n,)
        The points of each cell, all of one class. Points may be in several.
    reach : ndarray of bool, shape (n,), optional
        Points that can be right at all; the others still count as points of their cells.

    Examples
    --------
    Three points of each class on a line, the score of class 1 growing:

    >>> import numpy as np
    >>> from lexiprog_boost.thresholds.search import OffsetSearch
    >>> logs = np.column_stack([np.zeros(6), [-3.0, -2, 1, -1, 2, 3]])
    >>> codes = np.array([0, 0, 0, 1, 1, 1])
    >>> search = OffsetSearch(logs, codes, [codes == 0, codes == 1])
    >>> search.least([0, 2]).round(3).tolist(), search.least([3, 3]) is None
    ([0.0, -2.0], True)
    """

    def __init__(
        self, logs: Floats, codes: Codes, cells: Sequence[Mask], reach: Mask | None = None
    ) -> None:
        self.n_classes = logs.shape[1]
        span = float(np.ptp(logs[np.isfinite(logs)])) or 1.0
        self.by = BY * span
        self.cells = []
        for rows in cells:
            code = int(codes[np.argmax(rows)])
            near = logs[rows if reach is None else rows & reach]
            gaps = near - near[:, [code]]
            gaps[:, code] = -np.inf
            self.cells.append(CellGaps(code, gaps, self.by))
        self.most = np.array([len(cell.gaps) for cell in self.cells])
        self._highest = 2 * self.n_classes * span
        masses = np.bincount([cell.code for cell in self.cells], self.most, self.n_classes)
        self.undecided = False  # whether some counts were taken for impossible without a proof
        # Its offset stays at zero at first.
        self.base = int(masses.argmax())

    def counts(self, offsets: Floats) -> NDArray[np.intp]:
        """How many points of each cell are right."""
        return np.array([cell.count(offsets) for cell in self.cells], dtype=np.intp)

    def least(self, needed: Sequence[int] | NDArray) -> Floats | None:
        """The least offsets with so many right in every cell, one class's being zero; or None."""
        needed = np.asarray(needed)
        if (needed > self.most).any():
            return None
        base = self.base
        for turn in range(TURNS):
            found, rivals = self._iterated(needed, base, SWEEPS * 2**turn)
            if not rivals:
                return found
            # Classes that outbid each other in turn: if not even they alone can have their due,
            # nobody can; else one of them stands still next time, and the others settle sooner.
            base = rivals[0]
            alone = np.isin([cell.code for cell in self.cells], rivals)
            found, unsettled = self._iterated(np.where(alone, needed, 0), base, SWEEPS)
            if found is None and not unsettled:
                return None
        self.undecided = True
        return None

    def _iterated(self, needed: NDArray, base: int, sweeps: int) -> tuple[Floats | None, list[int]]:
        """Offsets, or None if there are none; and who outbids whom if more sweeps are due.

        Offsets only rise on the way, so the base's count only falls.
        """
        offsets = np.full(self.n_classes, -np.inf)
        offsets[base] = 0.0
        asked = [(cell, int(k)) for cell, k in zip(self.cells, needed, strict=True) if k > 0]
        own = [(cell, k) for cell, k in asked if cell.code == base]
        others = [(cell, k) for cell, k in asked if cell.code != base]
        if not others:  # no point in reach has a rival
            return offsets, []
        for _ in range(sweeps):
            before = offsets.copy()
            for cell, k in others:
                least = np.partition(cell.wins_from(offsets), k - 1)[k - 1]
                offsets[cell.code] = max(offsets[cell.code], least)
            if offsets.max() > self._highest or any(cell.count(offsets) < k for cell, k in own):
                return None, []
            if np.array_equal(offsets, before):
                return offsets, []
        outbid = {cell.code: self._outbid_by(cell, k, offsets) for cell, k in others}
        return None, _cycle_from(int(np.argmax(offsets > before)), outbid)

    @staticmethod
    def _outbid_by(cell: CellGaps, k: int, offsets: Floats) -> int:
        """The class that the offset of a cell's class has to outbid."""
        point = np.argpartition(cell.wins_from(offsets), k - 1)[k - 1]
        return int(np.argmax(cell.gaps[point] + offsets))

    def settled(self, offsets: Floats, needed: NDArray, wish: Floats) -> Floats:
        """Of the offsets that keep these counts, some near the wish, and not on the edge.

        One class after the other; which offsets are wished for decides where the points do not.
        """
        settled = offsets.copy()
        still = int(np.argmax(np.isfinite(offsets)))
        for _ in range(SETTLING):
            for code in range(self.n_classes):
                low, high = self._limits(settled, needed, code)
                edge = (high - low) / 4 if np.isfinite(high - low) else self.by
                if low + edge <= high - edge:
                    aim = wish[code] - wish[still] + settled[still]
                    settled[code] = np.clip(aim, low + edge, high - edge)
        return settled

    def _limits(self, offsets: Floats, needed: NDArray, code: int) -> tuple[float, float]:
        """Between which values one class's offset keeps the counts of all cells."""
        low, high = -np.inf, np.inf
        for cell, k in zip(self.cells, needed, strict=True):
            if k == 0:
                continue
            if cell.code == code:
                low = max(low, float(np.partition(cell.wins_from(offsets), k - 1)[k - 1]))
            else:
                limits = -np.sort(-self._holds_to(cell, offsets, code))
                high = min(high, float(limits[k - 1]))
        return low, high

    @staticmethod
    def _holds_to(cell: CellGaps, offsets: Floats, code: int) -> Floats:
        """Up to which offset of another class each point stays right; -inf if it is wrong."""
        without = offsets.copy()
        without[code] = -np.inf
        right = cell.wins_from(without) <= offsets[cell.code]
        return np.where(right, offsets[cell.code] - cell.gaps[:, code] - cell.by, -np.inf)

    def best_sum(
        self, starts: Sequence[Floats], needed: NDArray, worth: Floats
    ) -> tuple[Floats, float]:
        """Offsets with the largest sum of worth over right points, among those with the counts.

        A line search along each offset in turn, every one exact, from every start: with two
        classes that is the optimum, with more it is where no single offset can gain.

        Parameters
        ----------
        starts : sequence of ndarray of shape (C,)
            The first has the counts; others that have them are tried too.
        needed : ndarray of int
            So many of each cell stay right.
        worth : ndarray of shape (n_cells,)
            Of a right point of each cell.
        """
        best, most = starts[0], float(worth @ self.counts(starts[0]))
        for start in starts:
            offsets = np.where(np.isfinite(start), start, -self._highest)
            if (self.counts(offsets) < needed).any():
                continue
            total = float(worth @ self.counts(offsets))
            for _ in range(PASSES):
                for code in range(self.n_classes):
                    offsets[code] = self._best_along(offsets, needed, worth, code)
                last, total = total, float(worth @ self.counts(offsets))
                if total <= last * (1 + GAIN):
                    break
            if total > most * (1 + GAIN):
                best, most = offsets, total
        return best, most

    def _best_along(self, offsets: Floats, needed: NDArray, worth: Floats, code: int) -> float:
        own = [(cell, w) for cell, w in zip(self.cells, worth, strict=True) if cell.code == code]
        rest = [(cell, w) for cell, w in zip(self.cells, worth, strict=True) if cell.code != code]
        gains = [cell.wins_from(offsets) for cell, _ in own]
        losses = [self._holds_to(cell, offsets, code) for cell, _ in rest]
        return best_place(
            np.concatenate([*gains, np.empty(0)]),
            np.repeat([w for _, w in own], [len(g) for g in gains]),
            np.concatenate([*losses, np.empty(0)]),
            np.repeat([w for _, w in rest], [len(x) for x in losses]),
            limits=self._limits(offsets, needed, code),
            now=float(offsets[code]),
        )


def _cycle_from(code: int, outbid: dict[int, int]) -> list[int]:
    """The classes that outbid each other in turn, come to from one of those that rise."""
    chain = [code]
    while chain[-1] in outbid and outbid[chain[-1]] not in chain:
        chain.append(outbid[chain[-1]])
    first = chain.index(outbid[chain[-1]]) if chain[-1] in outbid else 0
    return chain[first:]


def last_possible(levels: Floats, possible: Callable[[float], bool]) -> int:
    """The position of the largest level that is possible, the first being so; all below it are.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.thresholds.search import last_possible
    >>> last_possible(np.array([0.0, 0.2, 0.5, 0.9]), lambda level: level < 0.6)
    2
    """
    low, high = 0, len(levels)
    while high - low > 1:
        middle = (low + high) // 2
        if possible(float(levels[middle])):
            low = middle
        else:
            high = middle
    return low


def best_place(
    gains: Floats, gain_worth: Floats, losses: Floats, loss_worth: Floats,
    *, limits: tuple[float, float], now: float,
) -> float:  # fmt: skip
    """The x with the largest worth of gains at or below x and of losses at or above it.

    Between limits, in the middle of the best stretch; `now` if nothing is better.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.thresholds.search import best_place
    >>> twos, ones = np.full(2, 2.0), np.ones(2)
    >>> best_place(np.array([0.0, 1.0]), twos, np.array([0.5, 3.0]), ones, limits=(-9, 9), now=-1.0)
    2.0
    """
    low, high = limits
    places = np.concatenate([gains, losses, [low, high, now]])
    places = np.unique(places[np.isfinite(places) & (places >= low) & (places <= high)])
    if not len(places):
        return now
    gain_order, loss_order = np.argsort(gains), np.argsort(losses)
    gained = np.concatenate([[0.0], np.cumsum(gain_worth[gain_order])])
    lost = np.concatenate([[0.0], np.cumsum(loss_worth[loss_order])])

    def value(x: Floats) -> Floats:
        return np.asarray(
            gained[np.searchsorted(gains[gain_order], x, side="right")]
            - lost[np.searchsorted(losses[loss_order], x, side="left")]
        )

    values = value(places)
    best = int(values.argmax())
    least = GAIN * (gained[-1] + lost[-1])
    if values[best] <= float(value(np.array([now]))[0]) + least and low <= now <= high:
        return now
    ahead = places[best + 1] if best + 1 < len(places) else places[best]
    middle = (places[best] + ahead) / 2
    return float(middle if value(np.array([middle]))[0] >= values[best] - least else places[best])
