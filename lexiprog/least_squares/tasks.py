"""What one level of a hierarchy of least squares wants: rows between two ends, with weights."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TypeAlias

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from lexiprog.cvxpy_adapter import AffineRows
from lexiprog.errors import DeclarationError, LexiprogWarning
from lexiprog.least_squares.hierarchy import (
    INFINITE_END,
    LOCKED_PIVOT,
    Rank,
    crossed,
    without_infinite_ends,
)
from lexiprog.model.expressions import Registry, dense, shorten
from lexiprog.tolerances import FEW_ROUNDINGS
from lexiprog.typing import Array, Objective

End: TypeAlias = Array | cp.Expression
# What somebody may give: an expression to be zero, or one with two ends and perhaps a weight.
TaskLike: TypeAlias = (
    cp.Expression
    | tuple[cp.Expression, ArrayLike | cp.Expression, ArrayLike | cp.Expression]
    | tuple[cp.Expression, ArrayLike | cp.Expression, ArrayLike | cp.Expression, ArrayLike]
)


@dataclass(frozen=True)
class LeastSquaresTask:
    """An affine expression that should lie between two ends.

    Attributes
    ----------
    expression : cvxpy expression
        As a vector.
    lower, upper : ndarray or cvxpy expression of parameters
        The same ends twice for an equation.
    weight : ndarray
        What a squared violation of each entry counts.
    """

    expression: cp.Expression
    lower: End
    upper: End
    weight: Array

    @classmethod
    def of(cls, given: object, where: str, weight: ArrayLike | None = None) -> LeastSquaresTask:
        """The task that somebody means, checked."""
        parts = given if isinstance(given, tuple) else (given, 0.0, 0.0)
        if len(parts) not in (3, 4):
            raise DeclarationError(
                f"{where}: a task is an affine expression, or (expression, lower, upper), or these "
                f"with a weight, not {shorten(given)}."
            )
        expression = _vector(parts[0], where)
        size = expression.size
        lower, upper = (_end(end, size, where) for end in parts[1:3])
        lower, upper = _told(lower, upper, where)
        if isinstance(lower, np.ndarray) and isinstance(upper, np.ndarray):
            at = crossed(lower, upper)
            if at is not None:
                raise DeclarationError(
                    f"{where}: entry {at} can be nowhere between the lower end {lower[at]:g} and "
                    f"the upper one, {upper[at]:g}."
                )
            lower = np.minimum(lower, upper)
        if len(parts) == 4 and weight is not None:
            raise DeclarationError(f"{where}: the weight is given twice.")
        wanted = parts[3] if len(parts) == 4 else weight
        return cls(expression, lower, upper, _weight(wanted, size, where))

    @property
    def violation(self) -> cp.Expression:
        """The weighted sum of squared violations."""
        lower, upper = self.lower, self.upper
        if lower is upper or (
            isinstance(lower, np.ndarray)
            and isinstance(upper, np.ndarray)
            and np.array_equal(lower, upper)
        ):
            return cp.sum_squares(self._weighted(self._beyond(upper)))
        parts = []
        for sign, end in ((1.0, upper), (-1.0, lower)):
            kept = np.isfinite(end) if isinstance(end, np.ndarray) else np.ones(self.weight.size)
            if not np.any(kept):
                continue
            beyond = self._weighted(sign * self._beyond(end))
            some = np.flatnonzero(kept)
            beyond = beyond if some.size == kept.size else beyond[some]
            parts.append(cp.sum_squares(cp.pos(beyond)))
        if not parts:  # nothing is ever violated
            return cp.sum_squares(0.0 * self.expression)
        return sum(parts[1:], start=parts[0])

    def _beyond(self, end: End) -> cp.Expression:
        """The expression less an end, zero where that is infinite."""
        if isinstance(end, np.ndarray):
            end = np.where(np.isfinite(end), end, 0.0)
            return self.expression - end if end.any() else self.expression
        return self.expression - end

    def _weighted(self, expression: cp.Expression) -> cp.Expression:
        """Entries times the roots of their weights."""
        if np.all(self.weight == 1.0):
            return expression
        return cp.multiply(np.sqrt(self.weight), expression)


@dataclass(frozen=True)
class LeastSquares:
    """All that a level wants, how its rank is determined, and what is added to its squares."""

    tasks: tuple[LeastSquaresTask, ...]
    rank: Rank = field(default_factory=Rank)
    offset: float = 0.0

    def objective(self) -> cp.Minimize:
        """The objective that says so to CVXPY, known here as what it is."""
        violations = [task.violation for task in self.tasks]
        objective = cp.Minimize(sum(violations[1:], start=violations[0]))
        OBJECTIVES.add(objective, self)
        return objective


OBJECTIVES: Registry[LeastSquares] = Registry()


def least_squares_of(objective: Objective, *, general: bool = False) -> LeastSquares | None:
    """The objective as least squares of affine expressions; None if it is something else.

    In ``general`` any convex quadratic without parameters may be written so: if its linear part
    leads nowhere where the squares are flat, it completes them.
    """
    known = OBJECTIVES.get(objective)
    if known is not None:
        return known
    terms = _Terms()
    if not isinstance(objective, cp.Minimize) or not terms.collect(objective.expr, 1.0):
        return None
    if not terms.squares:
        return None
    more = terms.forms or bool(terms.linear)
    if more and not (general and not objective.expr.parameters() and terms.complete()):
        return None
    tasks = []
    for expression, factor in terms.squares:
        zeros, vector = np.zeros(expression.size), _flat(expression)
        tasks.append(LeastSquaresTask(vector, zeros, zeros, np.full(expression.size, factor)))
    return LeastSquares(tuple(tasks), offset=terms.offset)


# CVXPY's classes for what is written with operators, by example.
_few = cp.Variable(2)
_SUM, _SQUARE, _ADD = type(cp.sum(_few)), type(cp.square(_few)), type(_few + 1)
_TIMES = (type(cp.multiply(2, _few)), type(2 * _few), type(_few @ [1, 2]))
_OVER, _FORM = type(_few / 2), type(cp.quad_form(_few, np.eye(2)))


@dataclass
class _Terms:
    """What a quadratic expression is the sum of.

    Attributes
    ----------
    squares, linear : list
        Affine expressions whose squares, and those which themselves, are added, with factors.
    offset : float
        The constants.
    forms : bool
        Whether some squares were written by a matrix.
    """

    squares: list[tuple[cp.Expression, float]] = field(default_factory=list)
    linear: list[tuple[cp.Expression, float]] = field(default_factory=list)
    offset: float = 0.0
    forms: bool = False

    def collect(self, expression: cp.Expression, factor: float) -> bool:
        """Add an expression times a factor; False if it is no such sum."""
        if expression.is_constant():
            self.offset += 0.0 if expression.parameters() else factor * _total(expression)
            return not expression.parameters()
        if expression.is_affine():
            self.linear.append((cp.sum(expression), factor))
            return bool(expression.is_real())
        return self._curved(expression, factor)

    def _curved(self, expression: cp.Expression, factor: float) -> bool:
        args, kind = expression.args, type(expression)
        if kind in (cp.quad_over_lin, _SUM) and expression.axis is not None:
            return False
        if kind is cp.quad_over_lin:
            over = _number(args[1]) or 0.0
            return over > 0.0 and self._square(args[0], factor / over)
        if kind is _SUM:
            return self.collect(args[0], factor)
        if kind is _SQUARE:
            return _number(expression.p) == 2.0 and self._square(args[0], factor)
        if kind is _FORM:
            return self._form(args[0], args[1], factor)
        if kind is _ADD:
            return all(p.size == expression.size and self.collect(p, factor) for p in args)
        return kind in (*_TIMES, _OVER) and self._multiple(expression, factor)

    def _square(self, expression: cp.Expression, factor: float) -> bool:
        if expression.is_constant():
            self.offset += 0.0 if expression.parameters() else factor * _total(expression**2)
            return not expression.parameters()
        self.squares.append((expression, factor))
        return bool(expression.is_affine() and expression.is_real())

    def _form(self, expression: cp.Expression, matrix: cp.Expression, factor: float) -> bool:
        """The squares behind ``y'Py``."""
        self.forms = True
        if matrix.parameters() or matrix.variables() or not matrix.is_real():
            return False
        roots, axes = np.linalg.eigh(np.asarray(dense(matrix.value), dtype=float))
        # Less than that may be a few roundings of the entries.
        nothing = FEW_ROUNDINGS * roots.size * float(np.abs(roots).max())
        real = roots > nothing
        if roots[0] < -nothing:
            return False
        if not real.any():
            return True
        root = np.sqrt(roots[real])[:, None] * axes[:, real].T
        return self._square(root @ _flat(expression), factor)

    def _multiple(self, expression: cp.Expression, factor: float) -> bool:
        left, right = expression.args
        number, rest = (_number(left), right) if left.is_constant() else (_number(right), left)
        if number is None or not number > 0.0:
            return False
        over = type(expression) is _OVER
        return self.collect(rest, factor / number if over else factor * number)

    def complete(self) -> bool:
        """Let the squares take in the linear part; False if they do not determine it."""
        if not self.linear:
            return True
        linear = sum(factor * expression for expression, factor in self.linear)
        parts = [*(_flat(expression) for expression, _ in self.squares), _flat(linear)]
        rows = AffineRows.of([], parts)
        if rows is None:
            return False
        full = rows.at(rows.read())
        A, ends, costs = full[:-1, :-1], full[:-1, -1], full[-1, :-1]
        shares = np.linalg.lstsq(A.T, costs, rcond=FEW_ROUNDINGS)[0]
        terms = np.abs(A).T @ np.abs(shares) + np.abs(costs)
        # What is smaller may be what rounding made of the squares' flat directions.
        if np.any(np.abs(shares @ A - costs) > LOCKED_PIVOT * terms):
            return False
        factors = np.concatenate([np.full(e.size, factor) for e, factor in self.squares])
        shifts = 0.5 * shares / factors
        self.offset += float(full[-1, -1] - shares @ ends - factors @ shifts**2)
        at, moved = 0, []
        for expression, factor in self.squares:
            moved.append((_flat(expression) + shifts[at : at + expression.size], factor))
            at += expression.size
        self.squares, self.linear = moved, []
        return True


def _total(expression: cp.Expression) -> float:
    return float(np.sum(dense(expression.value)))


def _number(expression: object) -> float | None:
    """A scalar constant; None if it is anything else."""
    if not isinstance(expression, cp.Constant):
        return float(expression) if isinstance(expression, int | float) else None
    return float(np.asarray(expression.value).item()) if expression.size == 1 else None


def _flat(expression: cp.Expression) -> cp.Expression:
    return expression if expression.ndim == 1 else cp.vec(expression, order="F")


def _vector(given: object, where: str) -> cp.Expression:
    if not isinstance(given, cp.Expression):
        raise DeclarationError(
            f"{where}: a task is about a CVXPY expression, not {shorten(given)}."
        )
    if not given.is_affine() or not given.is_real():
        kind = given.curvature.lower() if given.is_real() else "complex"
        raise DeclarationError(
            f"{where}: a task is about a real affine expression, but {shorten(given)} is {kind}; "
            "put curved demands into constraints of a Program."
        )
    return _flat(given)


def _end(given: object, size: int, where: str) -> End:
    if isinstance(given, cp.Expression):
        if given.variables() or not given.is_affine():
            raise DeclarationError(
                f"{where}: an end is made of numbers and parameters, not {shorten(given)}."
            )
        if not given.parameters():
            given = given.value
        elif given.size == size:
            return _flat(given)
        elif given.size == 1:
            return cp.multiply(np.ones(size), _flat(given))
        else:
            raise DeclarationError(f"{where}: an end has {given.size} entries in place of {size}.")
    try:
        array = np.asarray(given, dtype=float).ravel(order="F")
        ends: Array = np.broadcast_to(array, (size,)).copy()
    except (TypeError, ValueError):
        raise DeclarationError(
            f"{where}: an end is a number, or one for each of {size} entries, not {shorten(given)}."
        ) from None
    if np.isnan(ends).any():
        raise DeclarationError(f"{where}: an end is not a number.")
    return ends


def _told(lower: End, upper: End, where: str) -> tuple[End, End]:
    """The ends with infinities where they are meant, with a warning."""
    nowhere = np.zeros(lower.size)
    numbers = [end if isinstance(end, np.ndarray) else nowhere for end in (lower, upper)]
    below, above = without_infinite_ends(*numbers)
    taken = np.count_nonzero((below != numbers[0]) | (above != numbers[1]))
    if taken:
        warnings.warn(
            f"{where}: {taken} {'entry has an end' if taken == 1 else 'entries have ends'} of "
            f"{INFINITE_END:g} or more, which is taken for infinity: write np.inf.",
            LexiprogWarning,
            stacklevel=5,
        )
    return (below if numbers[0] is lower else lower), (above if numbers[1] is upper else upper)


def _weight(given: object, size: int, where: str) -> Array:
    if given is None:
        return np.ones(size)
    try:
        array = np.asarray(given, dtype=float).ravel(order="F")
        weight: Array = np.broadcast_to(array, (size,)).copy()
    except (TypeError, ValueError):
        weight = np.full(size, np.nan)
    if not np.all((weight > 0.0) & np.isfinite(weight)):
        raise DeclarationError(
            f"{where}: weights are positive numbers, one or one for each of {size} entries, not "
            f"{shorten(given)}."
        )
    return weight


def tasks_of(given: object, where: str, weight: ArrayLike | None) -> tuple[LeastSquaresTask, ...]:
    """One task, or several of one level in a list."""
    several = given if isinstance(given, list) else [given]
    if not several:
        raise DeclarationError(f"{where} has no task.")
    return tuple(LeastSquaresTask.of(one, where, weight) for one in several)
