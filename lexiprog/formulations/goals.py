"""Goal programming: constraints one may miss, missed as little as possible by priority.

Stages: "priority 1", "priority 2", ...: each minimises the misses of its goals, the weighted sum
of them, the worst of them, or a blend of both, with all more important levels held.

Reference: Romero, "Extended lexicographic goal programming: a unifying approach", Omega 29 (2001).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import cvxpy as cp
import numpy as np

from lexiprog.errors import DeclarationError
from lexiprog.formulations.priorities import stages_in_turn
from lexiprog.model.expressions import declared, shorten, written
from lexiprog.program import Program
from lexiprog.summary import TableCell, TableSummary, draw, number
from lexiprog.tolerances import GOAL_MET
from lexiprog.typing import Constraint

Side = tuple[float, float]


class Goal:
    """A constraint that one would like to keep.

    Use it with :func:`goal_program` for wishes that may not all be met at once.

    Parameters
    ----------
    name : str
    constraint : CVXPY inequality or equality, scalar or vector
    priority : number
        1 comes before 2.
    weight : float
        Of a unit of miss, within its priority.
    over, under : (priority, weight), optional
        For either side of an equality, in place of ``priority`` and ``weight``; a weight of 0
        makes that side free.

    Attributes
    ----------
    miss : cvxpy expression
        By how much the constraint is missed, entry by entry; it has a value after a solve.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(2, nonneg=True, name="x")
    >>> goals = [lx.Goal("profit", 7 * x[0] + 3 * x[1] >= 40),
    ...          lx.Goal("hours", 10 * x[0] + 5 * x[1] == 60, priority=2),
    ...          lx.Goal("units", 5 * x[0] + 4 * x[1] >= 35, priority=3)]
    >>> result = lx.goal_program(goals, [100 * x[0] + 60 * x[1] <= 600]).solve()
    >>> [abs(round(float(goal.miss.value), 6)) for goal in goals]
    [0.0, 0.0, 5.0]
    """

    def __init__(
        self,
        name: str,
        constraint: Constraint,
        *,
        priority: float = 1,
        weight: float = 1.0,
        over: Side | None = None,
        under: Side | None = None,
    ) -> None:
        one_sided = isinstance(constraint, cp.constraints.Inequality)
        if not one_sided and not isinstance(constraint, cp.constraints.Equality):
            raise DeclarationError(
                f"goal {name!r} must be a <=, >= or == constraint, not {shorten(constraint)}."
            )
        if one_sided and (over is not None or under is not None):
            raise DeclarationError(
                f"goal {name!r} can be missed to one side only: over and under are for equalities."
            )
        self.name = name
        self.constraint = constraint
        self.sides: tuple[tuple[Side, cp.Expression], ...]
        excess = constraint.expr  # lhs - rhs, wanted <= 0 or == 0
        if one_sided:
            self.sides = ((_side(name, (priority, weight)), cp.pos(excess)),)
            self.miss = cp.pos(excess)
        else:
            self.sides = (
                (_side(name, (priority, weight) if over is None else over), cp.pos(excess)),
                (_side(name, (priority, weight) if under is None else under), cp.pos(-excess)),
            )
            self.miss = cp.abs(excess)

    @property
    def summary(self) -> TableSummary:
        """Priority and weight of each side, and by how much it is missed after a solve."""
        rows = []
        words = ("",) if len(self.sides) == 1 else (" (over)", " (under)")
        for word, ((priority, weight), miss) in zip(words, self.sides, strict=True):
            missed = None if miss.value is None else float(np.sum(miss.value))
            met = missed is not None and missed < GOAL_MET
            tone = "quiet" if missed is None else "good" if met else "bad"
            text = "not solved yet" if missed is None else "met" if met else number(missed)
            numbers = (TableCell(number(priority)), TableCell(number(weight)))
            wish = TableCell(written(self.constraint) + word)
            rows.append((wish, *numbers, TableCell(text, tone)))
        columns = ("goal", "priority", "weight", "missed by")
        return TableSummary(
            self.name, columns, tuple(rows), numeric=frozenset({"priority", "weight", "missed by"})
        )

    def _repr_html_(self) -> str | None:
        return draw(self.summary)

    def __repr__(self) -> str:
        return f"Goal({self.name!r}, {written(self.constraint)})"


def goal_program(
    goals: Iterable[Goal], constraints: Sequence[Constraint] = (), *, blend: float = 1.0
) -> Program:
    """Program that misses goals as little as possible, level by level.

    Use it where targets are given and missing some is unavoidable; :func:`preemptive` is for
    objectives without a target.

    Parameters
    ----------
    goals : iterable of Goal
    constraints : sequence of CVXPY constraints
        Those that may not be missed.
    blend : float
        1: the weighted sum of misses; 0: the worst weighted miss (Chebyshev); between: blend
        times the sum plus (1 - blend) times the worst (Romero's extended goal program).

    Returns
    -------
    Program
        Stages and subproblems "priority 1", "priority 2", ...

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(name="x")
    >>> goals = [lx.Goal("low", x <= 0), lx.Goal("high", x >= 3, weight=2.0)]
    >>> round(float(lx.goal_program(goals).solve().final[x]), 6)
    3.0
    >>> round(float(lx.goal_program(goals, blend=0.0).solve().final[x]), 6)
    2.0
    """
    goals = list(goals)
    for goal in goals:
        if not isinstance(goal, Goal):
            raise DeclarationError(
                f"goal_program takes goals, not {shorten(goal)}: write Goal(name, constraint)."
            )
    names = [goal.name for goal in goals]
    if not goals:
        raise DeclarationError("a goal program needs at least one goal.")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DeclarationError(f"two goals are called {twice!r}: names are unique.")
    if not _is_number(blend) or not 0.0 <= blend <= 1.0:
        raise DeclarationError(f"blend lies between 0 and 1, not at {blend!r}.")
    levels: dict[float, list[tuple[float, cp.Expression]]] = {}
    for goal in goals:
        for (priority, weight), miss in goal.sides:
            if weight > 0:
                levels.setdefault(priority, []).append((weight, miss))
    if not levels:
        raise DeclarationError("every goal has weight 0: nothing would be asked for.")
    objectives = [
        (f"priority {priority:g}", cp.Minimize(_objective(levels[priority], blend)))
        for priority in sorted(levels)
    ]
    return Program(*stages_in_turn(objectives, declared(constraints)))


def _objective(misses: list[tuple[float, cp.Expression]], blend: float) -> cp.Expression:
    total = sum(weight * cp.sum(miss) for weight, miss in misses)
    if blend == 1.0:
        return total
    worst = cp.maximum(*(weight * cp.max(miss) for weight, miss in misses), 0.0)
    return worst if blend == 0.0 else blend * total + (1.0 - blend) * worst


def _side(name: str, side: Side) -> Side:
    try:
        priority, weight = side
    except (TypeError, ValueError):
        raise DeclarationError(
            f"goal {name!r}: over and under are pairs (priority, weight), not {side!r}."
        ) from None
    if not _is_number(priority) or not np.isfinite(priority):
        raise DeclarationError(f"goal {name!r}: priority is a finite number, not {priority!r}.")
    if not _is_number(weight) or not 0 <= weight < np.inf:
        raise DeclarationError(f"goal {name!r}: weight must be at least 0, not {weight!r}.")
    return priority, weight


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number)
