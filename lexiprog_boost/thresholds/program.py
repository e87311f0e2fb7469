"""The priorities as a lexicographic program over the strengths of the classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cvxpy as cp
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

import lexiprog as lx
from lexiprog_boost.aliases import Floats, Mask
from lexiprog_boost.thresholds.fit import Fitted
from lexiprog_boost.thresholds.promises import SUMS, ClassPriority
from lexiprog_boost.thresholds.rules import ScoredPoints, claim_scores

# A point is won by this share of the largest strength: solvers take whole numbers to be so to 1e-6.
BY = 2e-5


def priorities_program(
    points: ScoredPoints, priorities: Sequence[ClassPriority], fitted: Fitted
) -> lx.Program:
    """Declare what `fit_rule` finds by order statistics and an exact search.

    Variables: ``strength``, a class's offset or minus its threshold; ``right``, whether a point may
    count as right: if it does, its class must win it. One stage a priority, in order, each held by
    those after it. A floor is the least shortfall of the count that it needs. A class that claims
    before others with a floor claims no more than its recall needs, or as much as its ceiling or
    precision allows, which is a stage too.

    It is a mixed-integer program with a binary a point: to see and change it, or to check the
    search on a sample. A precision is that of the points; its bound is a limit of the claims.

    Parameters
    ----------
    points : ScoredPoints
        As for `fit_rule`.
    priorities : sequence of ClassPriority
        The same.
    fitted : Fitted
        What was found: its order of claims, and the counts that its floors need.

    Returns
    -------
    lexiprog.Program

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.thresholds import ClassPriority, ScoredPoints
    >>> from lexiprog_boost.thresholds import fit_rule, priorities_program
    >>> logs = np.column_stack([np.zeros(6), [-3.0, -2, 1, -1, 2, 3]])
    >>> codes, halves = np.repeat([0, 1], 3), np.full(2, 0.5)
    >>> points = ScoredPoints(logs, codes, np.array(["a", "b"]), halves, -np.log(halves))
    >>> wanted = [ClassPriority("worst recall")]
    >>> program = priorities_program(points, wanted, fit_rule(points, wanted))
    >>> round(program.solve().final.value, 3)
    0.667
    """
    model = _Model(points, fitted)
    objectives, firsts = _floors_in_turn(model, priorities, fitted)
    for code in fitted.settled_claims:
        # Later promises are made given this threshold.
        claims, first = model.strength[code], firsts.get(code)
        if first != "precision":
            goal = cp.Minimize(claims) if first == "recall" else cp.Maximize(claims)
            objectives[f"claims of {points.classes[code]}"] = goal
    for one in priorities:
        if not one.is_floor:
            again = sum(name.split(" (")[0] == str(one) for name in objectives)  # other costs
            objectives[f"{one} ({again + 1})" if again else str(one)] = model.aim(one)
    return lx.preemptive(objectives, model.constraints)


def _floors_in_turn(
    model: _Model, priorities: Sequence[ClassPriority], fitted: Fitted
) -> tuple[dict[str, Any], dict[int, str]]:
    """The objectives of the floors by name, and what each class's first floor is about."""
    objectives: dict[str, Any] = {}
    firsts: dict[int, str] = {}
    labels, order, served = model.points.classes.tolist(), fitted.rule.order, list(fitted.floors)
    for one in priorities:
        if not one.is_floor:
            continue
        code, about = labels.index(one.label), one.measure
        while served and served[0].priority == one:
            floor = served.pop(0)
            objectives[floor.wanted] = cp.Minimize(model.shortfall(floor, code))
        if about == "false positive rate" and len(labels) == 2:
            code, about = 1 - code, "recall"  # of the other class
        if code in order and code not in firsts and about == "precision":
            claims, most = model.strength[code], -fitted.rule.thresholds[order.index(code)]
            model.constraints.append(claims <= most)
            objectives[f"claims of {labels[code]}"] = cp.Maximize(claims)
        firsts.setdefault(code, about)
    return objectives, firsts


class _Model:
    def __init__(self, points: ScoredPoints, fitted: Fitted) -> None:
        self.points, self.rule = points, fitted.rule
        n, n_classes = points.logs.shape
        self.highest = float(np.ptp(points.logs) * n_classes + np.abs(points.offsets).max()) or 1.0
        self.by = BY * self.highest
        self._wrong: dict[int, Any] = {}  # of each class that a floor limits
        self.strength = cp.Variable(
            n_classes, name="strength", bounds=[-self.highest, self.highest]
        )
        self.right = cp.Variable(n, boolean=True, name="right")
        rows, factors, least = self._wins()
        factors_of = csr_array(factors)
        slack = 3 * self.highest * (1 - self.right[rows])
        self.constraints = [factors_of @ self.strength + slack >= least]

    def _wins(self) -> tuple[NDArray, Floats, Floats]:
        """What has to hold of the strengths for each point to be right: F s >= f, row by row."""
        logs, codes, order = self.points.logs, self.points.codes, list(self.rule.order)
        n_classes = logs.shape[1]
        left = [c for c in range(n_classes) if c not in order]
        rows, factors, least = [], [], []

        def add(of: NDArray, plus: int | None, minus: int | None, at_least: Floats) -> None:
            factor = np.zeros((len(of), n_classes))
            if plus is not None:
                factor[:, plus] = 1
            if minus is not None:
                factor[:, minus] = -1
            rows.append(of)
            factors.append(factor)
            least.append(at_least)

        for code in range(n_classes):
            mine = np.flatnonzero(codes == code)
            place = order.index(code) if code in order else len(order)
            for q in range(place):  # not claimed before
                scores = claim_scores(logs, order, q, self.rule.rivals)[mine]
                add(mine, None, order[q], scores + self.by)
            if code in order:
                add(mine, code, None, -claim_scores(logs, order, place, self.rule.rivals)[mine])
                continue
            for other in left:
                if other != code:
                    add(mine, code, other, logs[mine, other] - logs[mine, code] + self.by)
        return np.concatenate(rows), np.concatenate(factors), np.concatenate(least)

    def count(self, rows: Mask) -> Any:
        return cp.sum(self.right[np.flatnonzero(rows)])

    def shortfall(self, floor: Any, code: int) -> Any:
        """By how much the count of a floor falls short, in points."""
        short = cp.Variable(nonneg=True, name=f"shortfall of {floor.wanted}")
        if floor.priority.measure == "recall":
            self.constraints.append(self.count(floor.rows) + short >= floor.needed)
            return short
        wrong = self._claimed_wrongly(code)
        if floor.priority.measure == "false positive rate":
            allowed = (self.points.codes != code).sum() - floor.needed
            self.constraints.append(cp.sum(wrong) <= allowed + short)
            return short
        mine = self.points.codes == code
        share, limit = self.points.shares[code], float(floor.priority.limit)
        right_share = share * (1 - limit) / mine.sum() * self.count(mine)
        wrong_share = (1 - share) * limit / (~mine).sum() * cp.sum(wrong)
        self.constraints.append(right_share + short >= wrong_share)
        return short

    def _claimed_wrongly(self, code: int) -> Any:
        """Whether each point of another class would be claimed for this one."""
        if code not in self._wrong:
            self._wrong[code] = self._wrong_claims(code)
        return self._wrong[code]

    def _wrong_claims(self, code: int) -> Any:
        rows = np.flatnonzero(self.points.codes != code)
        wrong = cp.Variable(
            len(rows), boolean=True, name=f"claimed for {self.points.classes[code]}"
        )
        order = list(self.rule.order)
        if code in order:
            scores = claim_scores(self.points.logs, order, order.index(code), self.rule.rivals)
            free = -self.strength[code] - scores[rows] - self.by
        else:  # two classes: a point of the other class that is not right is claimed
            free = self.right[rows] - 1
        self.constraints.append(free + 3 * self.highest * wrong >= 0)
        return wrong

    def aim(self, one: ClassPriority) -> Any:
        cells = [(code, rows) for code, _, rows in self.points.cells(one.column) if rows.any()]
        labels = self.points.classes.tolist()
        if one.measure in SUMS:
            worth = [(one.costs or {})[labels[c]] if one.costs else 1 / r.sum() for c, r in cells]
            total = sum(w * self.count(rows) for w, (_, rows) in zip(worth, cells, strict=True))
            return cp.Maximize(total)
        if one.measure == "recall":
            cells = [(code, rows) for code, rows in cells if labels[code] == one.label]
        level = cp.Variable(name=f"level of {one}", bounds=[0, 1])
        self.constraints += [self.count(rows) >= int(rows.sum()) * level for _, rows in cells]
        return cp.Maximize(level)
