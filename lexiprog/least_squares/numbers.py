"""From a declared hierarchy of least squares to its numbers: affine maps from parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cvxpy as cp
import numpy as np

from lexiprog.cvxpy_adapter import AffineRows, DenseAffine
from lexiprog.errors import DeclarationError
from lexiprog.least_squares.hierarchy import (
    INFINITE_END,
    Hierarchy,
    Indices,
    Rank,
    crossed,
    without_infinite_ends,
)
from lexiprog.least_squares.tasks import LeastSquares
from lexiprog.typing import Array, Constraint, cached_property


@dataclass(frozen=True)
class HierarchyMap:
    """A hierarchy whose numbers are affine maps of parameters.

    Attributes
    ----------
    rows : AffineRows
        Of the constraints, of all levels' expressions, and then of their ends.
    starts : tuple of int
        Where each level's rows begin; the first level are the constraints, if there are any.
    hard : bool
        Whether there are.
    names : tuple of str
        The levels' names, without that of the constraints.
    roots : ndarray
        The roots of the rows' weights.
    lower, upper : ndarray
        Ends that are numbers; what parameters add is at ``lower_at`` and ``upper_at`` in ``rows``.
    bounds : ndarray
        Columns with bounds, whose rows come first.
    """

    rows: AffineRows
    starts: tuple[int, ...]
    hard: bool
    rank: Rank
    names: tuple[str, ...]
    roots: Array
    lower: Array
    upper: Array
    moving_lower: tuple[Indices, Indices]
    moving_upper: tuple[Indices, Indices]
    bounds: Indices

    @classmethod
    def of(
        cls,
        levels: Sequence[LeastSquares],
        constraints: Sequence[Constraint],
        names: Sequence[str],
    ) -> HierarchyMap | None:
        """The numbers of a hierarchy; None if not all of it is affine."""
        tasks = [task for level in levels for task in level.tasks]
        ends = [
            end
            for task in tasks
            for end in (task.lower, task.upper)
            if isinstance(end, cp.Expression)
        ]
        rows = AffineRows.of(constraints, [task.expression for task in tasks], ends)
        if rows is None:
            return None
        below, above = rows.bounds
        bounds = np.flatnonzero(np.isfinite(below) | np.isfinite(above))
        hard = bounds.size + rows.zero + rows.nonneg
        sizes = [sum(task.expression.size for task in level.tasks) for level in levels]
        heights = ([hard] if hard else []) + sizes
        lower = [below[bounds], np.zeros(rows.zero), np.full(rows.nonneg, -np.inf)]
        upper = [above[bounds], np.zeros(rows.zero + rows.nonneg)]
        moving: tuple[list[Array], list[Array]] = ([], [])
        sources: tuple[list[Array], list[Array]] = ([], [])
        at, source = hard, rows.zero + rows.nonneg + sum(sizes)
        for task in tasks:
            size = task.expression.size
            for k, (end, kept) in enumerate(((task.lower, lower), (task.upper, upper))):
                if isinstance(end, cp.Expression):
                    moving[k].append(np.arange(at, at + size))
                    sources[k].append(np.arange(source, source + size))
                    kept.append(np.zeros(size))
                    source += size
                else:
                    kept.append(end)
            at += size
        roots = [np.ones(hard), *(np.sqrt(task.weight) for task in tasks)]
        return cls(
            rows,
            tuple(np.cumsum([0, *heights]).tolist()),
            bool(hard),
            levels[0].rank,
            tuple(names),
            np.concatenate(roots),
            np.concatenate(lower),
            np.concatenate(upper),
            (_joined(moving[0]), _joined(sources[0])),
            (_joined(moving[1]), _joined(sources[1])),
            bounds,
        )

    @property
    def entries(self) -> int:
        """How many numbers the rows have."""
        return int(self.lower.size * self.rows.columns)

    @property
    def first(self) -> int:
        """The place of the first level that the user called one."""
        return int(self.hard)

    def at(self, values: Array, known: Hierarchy | None = None) -> Hierarchy:
        """The numbers at these values of the parameters, which end with a one.

        ``known`` are those at other values, whose rows are taken where no parameter moves them.
        """
        coefficients, constants = self._parts
        constant, free = constants.at(values)[:, 0], self.bounds.size
        lower, upper = self.lower.copy(), self.upper.copy()
        for ends, (rows, sources) in ((lower, self.moving_lower), (upper, self.moving_upper)):
            if rows.size:
                ends[rows] = constant[sources]
        if self.moving_lower[0].size or self.moving_upper[0].size:
            lower, upper = without_infinite_ends(lower, upper)
            at = crossed(lower, upper)
            if at is not None:
                raise DeclarationError(self._about(at, lower, upper))
            lower = np.minimum(lower, upper)
        shift = constant[: self.lower.size - free]
        lower[free:] -= shift
        upper[free:] -= shift
        if self.weighted:
            lower *= self.roots
            upper *= self.roots
        if known is not None and coefficients.entries.fixed:
            return Hierarchy.between(known.matrix, lower, upper)
        A = coefficients.at(values)
        if free:
            A = A.copy() if coefficients.entries.fixed else A
            A[np.arange(free), self.bounds] = 1.0
        return Hierarchy(A, lower, upper, self.starts)

    def _about(self, row: int, lower: Array, upper: Array) -> str:
        level = int(np.searchsorted(self.starts, row, side="right")) - 1
        return (
            f"task {self.names[level - self.first]!r}: entry {row - self.starts[level]} can be "
            f"nowhere between the lower end {lower[row]:g} and the upper one, {upper[row]:g}, that "
            "parameters give."
        )

    @cached_property
    def _parts(self) -> tuple[DenseAffine, DenseAffine]:
        """Weighted coefficients below the rows of bounds, and the constants of all rows."""
        maps, n, free = self.rows.maps, self.rows.columns, self.bounds.size
        rows, columns = maps.places
        inner = np.flatnonzero((columns < n) & (rows < self.lower.size - free))
        outer = np.flatnonzero(columns == n)
        places = rows[inner] + free, columns[inner]
        return (
            maps.part(inner, places, (self.lower.size, n), self.roots[places[0]]),
            maps.part(outer, (rows[outer], 0 * outer), (maps.shape[0], 1), np.ones(outer.size)),
        )

    @cached_property
    def weighted(self) -> bool:
        """Whether some weight is not one."""
        return bool(np.any(self.roots != 1.0))

    def infinite_ends(self, values: Array) -> int:
        """How many ends that parameters give are so large that they are taken for infinity."""
        sources = np.concatenate([self.moving_lower[1], self.moving_upper[1]])
        if not sources.size:
            return 0
        ends = self._parts[1].at(values)[sources, 0]
        return int(np.count_nonzero(np.isfinite(ends) & (np.abs(ends) >= INFINITE_END)))

    def variables(self, x: Array) -> Mapping[int, Array]:
        """The user's variables at a point, by CVXPY's ids."""
        return {part.id: part.of(x) for part in self.rows.primal}


def _joined(parts: list[Array]) -> Indices:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.intp)
