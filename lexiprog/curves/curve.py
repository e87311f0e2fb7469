"""The optimum of a linear program as a function of one moving limit: convex, piecewise linear."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from lexiprog.aliases import Array
from lexiprog.curves.curve_proof import CurveProof
from lexiprog.errors import LexiprogError

if TYPE_CHECKING:
    from lexiprog.curves.walking.trail import Trail

__all__ = ["Curve", "CurveEnd", "CurveError", "NothingFeasible"]


class CurveError(LexiprogError, ArithmeticError):
    """There is no curve: nothing is feasible, nothing bounds the objective, or no proof is left."""


class NothingFeasible(CurveError):
    """There is no curve, because there is no point anywhere on its way."""


class CurveEnd(StrEnum):
    """What comes after the last knot of a curve."""

    FLAT = "constant from there on"
    STRAIGHT = "the last slope for ever"
    INFEASIBLE = "infeasible beyond"
    STOPPED = "stopped where it was asked to"
    UNFINISHED = "not followed further"

    @property
    def is_open(self) -> bool:
        """Whether the last piece has no end."""
        return self in (CurveEnd.FLAT, CurveEnd.STRAIGHT)


@dataclass(frozen=True)
class Curve:
    """``v(t)``, the optimum with ``b + t direction`` as right-hand side, and what proves it.

    Attributes
    ----------
    knots : ndarray of shape (k,)
        Where pieces begin, rising; if the last piece has an end, that is the last knot.
    values : ndarray of shape (k,)
        The optimum at each knot.
    slopes : ndarray of shape (p,)
        Slope of each piece, rising; ``p`` is ``k`` for an open end, else ``k - 1``.
    end : CurveEnd
    points : ndarray of shape (k, n)
        An optimal point at each knot.
    multipliers : ndarray of shape (p, m)
        Multipliers of the rows that are optimal all along a piece, ``c + A'y = reduced``.
    ray : ndarray of shape (n,), optional
        What each further unit of ``t`` adds to the last point, if the end is open.
    walls : pair of ndarray or None
        Multipliers that prove infeasibility before the first and beyond the last knot.
    direction : ndarray of shape (m,)
    note : str
        Why an unfinished curve ends.
    proof : CurveProof
        What an independent look at these numbers found.
    exchanges : int
        Basic variables that were exchanged.
    trails : tuple
        The walks that it is made of, forwards and back from where they began, to go on from.
    """

    knots: Array
    values: Array
    slopes: Array
    end: CurveEnd
    points: Array = field(repr=False)
    multipliers: Array = field(repr=False)
    ray: Array | None = field(repr=False)
    walls: tuple[Array | None, Array | None] = field(repr=False)
    direction: Array = field(repr=False)
    proof: CurveProof
    note: str = ""
    exchanges: int = 0
    trails: tuple[Trail, ...] = field(default=(), repr=False, compare=False)

    @property
    def start(self) -> float:
        """The first ``t`` with an optimum."""
        return float(self.knots[0])

    @property
    def stop(self) -> float:
        """The last ``t`` that is known; infinite for an open end."""
        return np.inf if self.end.is_open else float(self.knots[-1])

    @property
    def breakpoints(self) -> Array:
        """Where the slope changes."""
        return self.knots[1:] if self.end.is_open else self.knots[1:-1]

    def __call__(self, t: float | Array) -> Array:
        """The optimum at ``t``: infinite where nothing is feasible, nan where it is not known."""
        t = np.asarray(t, dtype=float)
        piece = np.clip(self._piece(t), 0, self.knots.size - 1)
        slopes = self.slopes if self.end.is_open else np.append(self.slopes, 0.0)
        with np.errstate(invalid="ignore"):  # infinity times a slope of zero
            along = np.where(slopes[piece] == 0.0, 0.0, (t - self.knots[piece]) * slopes[piece])
        out = self.values[piece] + along
        unknown = np.inf if self.walls[0] is not None else np.nan
        out = np.where(t < self.start, unknown, out)
        unknown = np.inf if self.end is CurveEnd.INFEASIBLE else np.nan
        return np.asarray(np.where(t > self.stop, unknown, out))

    def slope(self, t: float) -> float:
        """The right derivative at ``t``: minus what one more unit of ``t`` buys there."""
        if self.start <= t < self.stop:
            return float(self.slopes[int(self._piece(np.asarray(t)))])
        return np.inf if t == self.stop and self.end is CurveEnd.INFEASIBLE else np.nan

    def point(self, t: float) -> Array:
        """An optimal point at ``t``, between those at the knots around it."""
        self._known(t)
        piece = int(self._piece(np.asarray(t)))
        if piece + 1 < self.knots.size:
            here, there = self.knots[piece : piece + 2]
            share = (t - here) / (there - here)
            return np.asarray((1.0 - share) * self.points[piece] + share * self.points[piece + 1])
        if self.ray is None:
            return np.asarray(self.points[-1].copy())
        return np.asarray(self.points[-1] + (t - self.knots[-1]) * self.ray)

    def multiplier(self, t: float) -> Array:
        """Optimal multipliers of the rows at ``t``, of the piece that begins there if one does."""
        self._known(t)
        piece = min(int(self._piece(np.asarray(t))), self.slopes.size - 1)
        return np.asarray(self.multipliers[piece].copy())

    def _piece(self, t: Array) -> Array:
        return np.maximum(np.searchsorted(self.knots, t, side="right") - 1, 0)

    def _known(self, t: float) -> None:
        if not self.start <= t <= self.stop:
            raise ValueError(
                f"the curve runs from {self.start:g} to {self.stop:g} ({self.end}); {t:g} is "
                "outside."
            )
