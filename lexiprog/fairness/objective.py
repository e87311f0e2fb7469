"""Objectives that treat several utilities fairly: the least first, then the next, and so on."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import ClassVar, TypeAlias

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from lexiprog.errors import DeclarationError
from lexiprog.model.expressions import shorten
from lexiprog.typing import Array, Constraint, Expressions, Objective

# Finds the columns that are worth most at given prices, and a bound of what any is worth.
Pricing = Callable[[Array], tuple[ArrayLike, float]]


class Fairness:
    """Utilities of which the worst comes first; the engine solves it level by level.

    Attributes
    ----------
    names : tuple
        Of the utilities: the keys of a mapping, else positions.
    stack : cvxpy expression
        All utilities as one vector.
    parts : tuple of cvxpy expressions
        The utilities by themselves; empty if they were given as a vector.
    objective : cvxpy.Maximize or cvxpy.Minimize
        The first level: the worst of them.
    pricing, offsets : callable and ndarray, or None
        Who finds the columns of a lottery, and what everyone has without it.
    """

    kind: ClassVar[str]
    maximise: ClassVar[bool]

    def __init__(self, utilities: Expressions, pricing: Pricing | None = None) -> None:
        if pricing is not None and not callable(pricing):
            raise DeclarationError(
                f"{self.kind}: pricing is a function of prices, not {pricing!r}."
            )
        self.names: tuple[Hashable, ...]
        self.stack: cp.Expression
        self.parts: tuple[cp.Expression, ...]
        self.names, self.stack, self.parts = _stacked(utilities, self.kind)
        self.pricing = pricing
        self.offsets: Array | None = None
        if pricing is not None:
            self.offsets = _numbers(self.names, self.stack, self.kind)
            self.stack = cp.Variable(len(self.names), name="lottery") + self.offsets
            self.parts = ()
        worst = cp.min(self.stack) if self.maximise else cp.max(self.stack)
        self.objective: Objective = cp.Maximize(worst) if self.maximise else cp.Minimize(worst)

    @property
    def sign(self) -> float:
        """One if more is better, else minus one."""
        return 1.0 if self.maximise else -1.0

    def check(self, where: str) -> None:
        """Refuse utilities of the wrong curvature by name."""
        for name, part in zip(self.names, self.parts, strict=False):
            if not (part.is_concave() if self.maximise else part.is_convex()):
                wanted = "concave utilities" if self.maximise else "convex costs"
                raise DeclarationError(
                    f"{where} is not DCP: {name!r}, {shorten(part)}, is {part.curvature.lower()}, "
                    f"but a {self.kind} takes {wanted}."
                )

    def keep(self, limit: cp.Parameter, *, ordered: bool) -> Constraint:
        """Nobody is worse off than ``limit`` says.

        Parameters
        ----------
        limit : cvxpy.Parameter
            A value for each utility; for ``ordered`` ones from the worst to the best.
        ordered : bool
            Compare ordered values: the sum of the k worst may not be worse than that of the
            first k limits, for any k.
        """
        held, least = self.stack, limit
        if ordered:
            worst = cp.sum_smallest if self.maximise else cp.sum_largest
            count = self.stack.size
            sums = [worst(self.stack, k) for k in range(1, count)] + [cp.sum(self.stack)]
            held, least = cp.hstack(sums), cp.cumsum(limit)
        return held >= least if self.maximise else held <= least

    def values(self, levels: Iterable[tuple[float, Sequence[Hashable]]], *, ordered: bool) -> Array:
        """What each utility is worth on its level; for ``ordered`` from the worst to the best."""
        worth = [(name, value) for value, names in levels for name in names]
        if ordered:
            return np.array([value for _, value in worth], dtype=float)
        known = dict(worth)
        return np.array([known[name] for name in self.names], dtype=float)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({shorten(self.stack)})"


# What a subproblem is given as its objective: the user's own problem has one, too.
Aim: TypeAlias = Objective | Fairness | cp.Problem


class Leximin(Fairness):
    """An objective that makes the smallest of several utilities as large as possible, and so on.

    Use it as the objective of a subproblem, before or after others; :func:`leximin` makes a whole
    program of it.

    Parameters
    ----------
    utilities : sequence or mapping of scalar concave CVXPY expressions, or one vector of them

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(2, nonneg=True, name="x")
    >>> program = lx.preemptive(
    ...     {"fair": lx.Leximin([x[0], x[1]]), "last": cp.Minimize(x[0])}, [cp.sum(x) <= 4])
    >>> list(program.subproblems)
    ['fair', 'last']

    It may be the objective of any subproblem:

    >>> fair = lx.Subproblem("fair", lx.Leximin({"ann": x[0], "bob": 2 * x[1]}), [cp.sum(x) <= 3])
    >>> lx.Program(lx.Stage("only", fair)).solve()["fair"].levels
    (Level(value=2.0, names=('ann', 'bob')),)
    """

    kind = "leximin"
    maximise = True


class Leximax(Fairness):
    """An objective that makes the largest of several costs as small as possible, and so on.

    Use it as the objective of a subproblem, before or after others; :func:`leximax` makes a whole
    program of it.

    Parameters
    ----------
    costs : sequence or mapping of scalar convex CVXPY expressions, or one vector of them

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(2, nonneg=True, name="x")
    >>> program = lx.preemptive({"load": lx.Leximax([x[0], 2 * x[1]])}, [cp.sum(x) >= 3])
    >>> [round(float(v), 6) for v in program.solve().final[x]]
    [2.0, 1.0]
    """

    kind = "leximax"
    maximise = False

    def __init__(self, costs: Expressions) -> None:
        super().__init__(costs)


Stacked = tuple[tuple[Hashable, ...], cp.Expression, tuple[cp.Expression, ...]]


def _stacked(parts: object, kind: str) -> Stacked:
    """Names, one vector and its parts, at the cost of one look at each."""
    if isinstance(parts, cp.Expression) and parts.ndim == 1 and parts.size:
        return tuple(range(parts.size)), parts, ()
    if not isinstance(parts, Iterable):
        raise DeclarationError(f"{kind} takes several expressions, not {shorten(parts)}.")
    values = list(parts.values() if isinstance(parts, Mapping) else parts)
    if not values:
        raise DeclarationError(f"{kind} needs at least one expression.")
    given = parts if isinstance(parts, Mapping) else range(len(values))
    names = tuple(map(_plain, given))
    if len(set(names)) < len(names):
        raise DeclarationError(f"{kind}: two names are the same as text: {shorten(list(parts))}.")
    scalars = [_scalar(part, position, kind) for position, part in enumerate(values)]
    return names, cp.hstack(scalars), tuple(scalars)


def _numbers(names: tuple[Hashable, ...], stack: cp.Expression, kind: str) -> Array:
    """What everyone has before a lottery."""
    if stack.variables() or stack.parameters():
        moving = stack.variables() + stack.parameters()
        raise DeclarationError(
            f"{kind}: with pricing, utilities are numbers, what everyone has before the lottery, "
            f"but {moving[0].name()!r} occurs in them: the oracle's columns bring the rest."
        )
    values = np.asarray(stack.value, dtype=float).ravel()
    if not np.isfinite(values).all():
        name = names[int(np.argmin(np.isfinite(values)))]
        raise DeclarationError(f"{kind}: what {name!r} has before the lottery is not finite.")
    return values


def _plain(name: Hashable) -> Hashable:
    """Names that files can hold: whole numbers and texts as they are, others as text."""
    if isinstance(name, np.integer):
        return int(name)
    return name if isinstance(name, str | int) and not isinstance(name, bool) else str(name)


def _scalar(part: object, position: int, kind: str) -> cp.Expression:
    try:
        expression = part if isinstance(part, cp.Expression) else cp.Constant(part)
    except (TypeError, ValueError):
        raise DeclarationError(
            f"{kind}: expression {position} is no CVXPY expression, but {part!r}."
        ) from None
    if expression.size != 1:
        raise DeclarationError(
            f"{kind}: expression {position} has shape {expression.shape}, but must be a "
            "scalar; give the entries of a vector one by one."
        )
    if expression.is_complex():
        raise DeclarationError(f"{kind}: expression {position} is complex: give real ones.")
    return cp.sum(expression) if expression.shape else expression
