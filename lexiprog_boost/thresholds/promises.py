"""What is wanted of the classes, in order, and how many cases it takes to promise it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtrc, betaincinv

from lexiprog_boost.aliases import Floats

FLOORS = ("recall", "precision", "false positive rate")
SUMS = ("balanced accuracy", "cost")
MEASURES = (*FLOORS, "worst recall", *SUMS)
FORMS = (
    "a priority is ('recall', label, 0.9), ('precision', label, 0.5), ('false positive rate', "
    "label, 0.05), ('recall', label), 'worst recall', 'balanced accuracy' or ('cost', {label: "
    "cost}); a column whose groups count may stand last, as in ('recall', label, 0.9, 'sex')"
)


@dataclass(frozen=True)
class ClassPriority:
    """One thing that is wanted: a floor (for false positives a ceiling), or an aim without one.

    Attributes
    ----------
    measure : str
        One of `MEASURES`.
    label : object
        The class it is about, if it is about one.
    limit : float or None
        The floor, or the largest false positive rate; None for an aim.
    column : object
        The column of the points whose groups count one by one, if any.
    costs : mapping or None
        What a missed case of each class costs; classes that are not named cost 1.

    Examples
    --------
    >>> from lexiprog_boost.thresholds.promises import ClassPriority
    >>> print(ClassPriority("recall", "A", 0.9))
    recall of A >= 0.9
    """

    measure: str
    label: Any = None
    limit: float | None = None
    column: Any = None
    costs: Mapping[Any, float] | None = None

    @property
    def is_floor(self) -> bool:
        """Whether it has to reach a number, rather than to be as good as can be."""
        return self.limit is not None

    def __str__(self) -> str:
        about = self.measure if self.label is None else f"{self.measure} of {self.label}"
        if self.column is not None:
            about += f" in every {self.column}"
        if self.limit is None:
            return about
        sign = "<=" if self.measure == "false positive rate" else ">="
        return f"{about} {sign} {self.limit:g}"


def read_priorities(given: Any, classes: NDArray) -> list[ClassPriority]:
    """Read what the caller wants, in its order; the worst recall if nothing is said.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.thresholds.promises import read_priorities
    >>> wanted = [("recall", "A", 0.9), "worst recall"]
    >>> [str(one) for one in read_priorities(wanted, np.array(["A", "B"]))]
    ['recall of A >= 0.9', 'worst recall']
    """
    if given is None:
        return [ClassPriority("worst recall")]
    if _is_one_priority(given):
        given = [given]
    if not isinstance(given, Iterable) or isinstance(given, Mapping):
        raise TypeError(f"priorities is {given!r}; give a list: {FORMS}.")
    each = [_read(one, classes.tolist()) for one in given]
    read = [one for place, one in enumerate(each) if one not in each[:place]]
    aims = [one for one in read if not one.is_floor]
    # What is left open serves the worst class.
    settled = bool(aims) and aims[-1].measure != "recall"
    return read if settled else [*read, ClassPriority("worst recall")]


def _is_one_priority(given: Any) -> bool:
    """Whether this is a single priority rather than a list of them."""
    if isinstance(given, str | ClassPriority):
        return True
    if not isinstance(given, tuple) or not given or not isinstance(given[0], str):
        return False
    if given[0] != "worst recall":
        return given[0] in (*FLOORS, "cost", "costs")
    # A column may stand after it; another priority makes it a list of two.
    return len(given) == 2 and not (
        isinstance(given[1], tuple | ClassPriority) or given[1] in MEASURES
    )


def _read(one: Any, labels: list[Any]) -> ClassPriority:
    if isinstance(one, ClassPriority):
        one = (one.measure, *_fields(one))
    parts = (one,) if isinstance(one, str) else tuple(one) if isinstance(one, tuple | list) else ()
    if not parts or parts[0] not in (*MEASURES, "costs"):
        raise ValueError(f"{one!r} is no priority; {FORMS}.")
    measure, rest = parts[0], parts[1:]
    if measure in FLOORS:
        return _read_about_a_class(one, measure, rest, labels)
    if measure in ("cost", "costs"):
        return ClassPriority("cost", costs=_costs(rest, labels))
    if len(rest) > (1 if measure == "worst recall" else 0):
        raise ValueError(f"{one!r} is no priority; {FORMS}.")
    if rest and isinstance(rest[0], float):
        raise ValueError(f"{one!r}: a worst recall has no limit; give every class one of its own.")
    return ClassPriority(measure, column=rest[0] if rest else None)


def _read_about_a_class(
    one: Any, measure: str, rest: tuple[Any, ...], labels: list[Any]
) -> ClassPriority:
    if not 1 <= len(rest) <= 3:
        raise ValueError(f"{one!r} is no priority; {FORMS}.")
    label, limit, column = (*rest, None, None)[:3]
    if label not in labels:
        raise ValueError(f"the priority {one!r} is about {label!r}; the classes are {labels}.")
    if measure != "recall" and (limit is None or column is not None):
        raise ValueError(f"{measure} needs a limit and knows no groups: {one!r}; {FORMS}.")
    if limit is not None and not (_is_number(limit) and 0 < limit < 1):
        raise ValueError(f"the limit of {one!r} must lie between 0 and 1.")
    return ClassPriority(measure, label, None if limit is None else float(limit), column)


def _fields(one: ClassPriority) -> tuple[Any, ...]:
    if one.measure == "cost":
        return (one.costs,)
    if one.label is None:
        return () if one.column is None else (one.column,)
    return (one.label, one.limit, one.column)


def _costs(rest: tuple[Any, ...], labels: list[Any]) -> dict[Any, float]:
    if len(rest) != 1 or not isinstance(rest[0], Mapping):
        raise ValueError("costs are given as ('cost', {label: cost of a missed case}).")
    for label, cost in rest[0].items():
        if label not in labels:
            raise ValueError(f"there is a cost for {label!r}; the classes are {labels}.")
        if not _is_number(cost) or not 0 <= cost < np.inf:
            raise ValueError(f"the cost of {label!r} is {cost!r}; it is a number from 0 on.")
    return {label: float(rest[0].get(label, 1.0)) for label in labels}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


# What a count of cases can promise: exact binomial tails, as Clopper and Pearson use them.


@cache
def right_needed(n: int, floor: float, alpha: float) -> int | None:
    """The least k with P(Bin(n, floor) >= k) <= alpha; None if even n of n say too little.

    Examples
    --------
    >>> from lexiprog_boost.thresholds.promises import right_needed
    >>> right_needed(29, 0.9, 0.05), right_needed(28, 0.9, 0.05), right_needed(46, 0.9, 0.05)
    (29, None, 45)
    """
    low, high = 0, n + 1  # the chance of n + 1 is zero
    while high > low:
        k = (low + high) // 2
        low, high = (low, k) if chance_of(k, n, floor) <= alpha else (k + 1, high)
    return low if low <= n else None


def chance_of(k: int, n: int, share: float) -> float:
    """P(Bin(n, share) >= k), the chance that so many of n cases are right.

    Examples
    --------
    >>> from lexiprog_boost.thresholds.promises import chance_of
    >>> chance_of(0, 2, 0.5), chance_of(1, 2, 0.5), chance_of(2, 2, 0.5), chance_of(3, 2, 0.5)
    (1.0, 0.75, 0.25, 0.0)
    """
    return 1.0 if k <= 0 else 0.0 if k > n else float(bdtrc(k - 1, n, share))


def wrong_allowed(n: int, ceiling: float, alpha: float) -> int | None:
    """The largest m with P(Bin(n, ceiling) <= m) <= alpha; None if even none says too little."""
    k = right_needed(n, 1 - ceiling, alpha)
    return None if k is None else n - k


def cases_needed(floor: float, alpha: float) -> int:
    """How many cases promise a floor if all of them are right.

    Examples
    --------
    >>> from lexiprog_boost.thresholds.promises import cases_needed
    >>> [cases_needed(floor, 0.05) for floor in (0.8, 0.9, 0.95, 0.99)]
    [14, 29, 59, 299]
    """
    return int(np.ceil(np.log(alpha) / np.log(floor) - 1e-9))


def lower_bound(right: ArrayLike, n: ArrayLike, alpha: float) -> Floats:
    """The share that is at least there with confidence 1 - alpha, seen so many right of n."""
    right, n = np.asarray(right, dtype=float), np.asarray(n, dtype=float)
    bound = betaincinv(np.maximum(right, 1e-12), n - right + 1, alpha)
    return np.asarray(np.where(right > 0, bound, 0.0))


def upper_bound(wrong: ArrayLike, n: ArrayLike, alpha: float) -> Floats:
    """The share that is at most there with confidence 1 - alpha, seen so many of n."""
    return np.asarray(1 - lower_bound(np.asarray(n) - np.asarray(wrong), n, alpha))


def too_few(n: int, cases: str, floor: float, alpha: float) -> str:
    """Say how many cases it would take, and what these can promise.

    Examples
    --------
    >>> from lexiprog_boost.thresholds.promises import too_few
    >>> too_few(20, "cases of A", 0.9, 0.05)
    '20 cases of A; 0.9 needs at least 29, all right; 20 can promise at most 0.861'
    """
    most = f"{n} can promise at most {alpha ** (1 / n):.3f}" if n else "0 can promise nothing"
    return f"{n} {cases}; {floor:g} needs at least {cases_needed(floor, alpha)}, all right; {most}"


class ErrorLevels:
    """Which error each floor may have: all of alpha by itself, or a share of it if joint.

    Jointly, a floor takes its share of what is left, and what it does not spend (counts are whole
    numbers, and too few cases promise nothing) passes on. Floors that are measured on points of
    their own multiply (Sidak); others add up (Bonferroni).

    Examples
    --------
    >>> from lexiprog_boost.thresholds.promises import ErrorLevels
    >>> levels = ErrorLevels(0.05, 2, joint=True, apart=True)
    >>> round(levels.next(), 4)
    0.0253
    >>> levels.spend(0.0)
    >>> round(levels.next(), 4)
    0.05
    """

    def __init__(self, alpha: float, n_floors: int, *, joint: bool, apart: bool) -> None:
        self._alpha, self._left, self._joint, self._apart = alpha, n_floors, joint, apart

    def next(self) -> float:
        """What the next floor may have."""
        if not self._joint:
            return self._alpha
        if self._apart:
            return float(-np.expm1(np.log1p(-self._alpha) / self._left))
        return self._alpha / self._left

    def spend(self, spent: float) -> None:
        """What it has taken; zero for a floor that has too few cases."""
        self._left -= 1
        if self._joint and self._apart:
            self._alpha = max(0.0, 1 - (1 - self._alpha) / (1 - spent))
        elif self._joint:
            self._alpha = max(0.0, self._alpha - spent)
