"""Check proofs in whole numbers, from the data alone: no basis, no solver, no tolerance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lexiprog.exact.integer_program import Limits
from lexiprog.exact.outcome import Found
from lexiprog.exact.rationals import Integer, Ratio
from lexiprog.exact.systems.vectors import Vector
from lexiprog.exact.systems.whole_matrix import WholeMatrix


class NotProved(ArithmeticError):
    """A proof that fails its check, which would be a fault of this library."""


def verify(
    found: Found, matrix: WholeMatrix, cost: Sequence[int], lower: Limits, upper: Limits
) -> None:
    """Refuse a proof that is none.

    Parameters
    ----------
    found : Found
        The claim with its vectors over columns and activities.
    matrix, cost, lower, upper
        The program it is about.

    Raises
    ------
    NotProved
        If anything about it is not exactly so.
    """
    if found.kind == "infeasible":
        _weights(found.ray, matrix, [0] * matrix.n)
        if _least(found.ray, lower, upper) <= 0:
            raise NotProved("The weights of the rows do not exclude every point.")
        return
    _activities(found.point, matrix)
    for v, (top, bottom) in enumerate(_pairs(found.point)):
        low, high = lower[v], upper[v]
        if (low is not None and top < low * bottom) or (high is not None and top > high * bottom):
            raise NotProved(f"Variable {v} is outside of its limits.")
    if found.kind == "unbounded":
        _activities(found.ray, matrix)
        for v, (top, _) in enumerate(_pairs(found.ray)):
            if (top < 0 and lower[v] is not None) or (top > 0 and upper[v] is not None):
                raise NotProved(f"Variable {v} cannot follow the direction for ever.")
        if found.ray.dot(range(matrix.n), cost)[0] >= 0:
            raise NotProved("The objective does not fall in this direction.")
        return
    _weights(found.reduced, matrix, cost)
    for v, (slope, (top, bottom)) in enumerate(
        zip(found.reduced.numerators, _pairs(found.point), strict=True)
    ):
        limit = lower[v] if slope > 0 else upper[v]
        if slope and (limit is None or top != limit * bottom):
            raise NotProved(f"Variable {v} could still improve the objective.")


def _pairs(vector: Vector) -> Iterator[Ratio]:
    return zip(vector.numerators, vector.denominators, strict=True)


def _activities(point: Vector, matrix: WholeMatrix) -> None:
    """Whether the last entries are the rows' activities at the first."""
    for i, row in enumerate(matrix.rows):
        if not _equal(point.dot(*row), point, matrix.n + i):
            raise NotProved(f"The activity of row {i} is another.")


def _weights(reduced: Vector, matrix: WholeMatrix, cost: Sequence[int]) -> None:
    """Whether the first entries are costs less the rows weighted with the last entries."""
    weights = Vector(reduced.numerators[matrix.n :], reduced.denominators[matrix.n :])
    for j, (places, values) in enumerate(matrix.columns):
        top, bottom = weights.dot(places, values, -cost[j])
        if not _equal((-top, bottom), reduced, j):
            raise NotProved(f"The reduced cost of column {j} is another.")


def _equal(pair: Ratio, vector: Vector, place: int) -> bool:
    top, bottom = vector.numerators[place], vector.denominators[place]
    if pair[1] is bottom:
        return bool(pair[0] == top)
    return bool(pair[0] * bottom == top * pair[1])


def _least(weights: Vector, lower: Limits, upper: Limits) -> Integer:
    """The sign of the least weighted sum within the limits; negative if it has none."""
    sides = []
    for v, top in enumerate(weights.numerators):
        limit = lower[v] if top > 0 else upper[v]
        if top and limit is None:
            return -1
        sides.append(limit or 0 if top else 0)
    return weights.dot(range(len(sides)), sides)[0]
