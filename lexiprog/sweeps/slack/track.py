"""One later optimum as a function of the tolerance, and how well it is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from lexiprog.aliases import Array
from lexiprog.outline.numbers import number, tiny

__all__ = ["Shape", "Track"]


class Shape(StrEnum):
    """What runs between two tolerances of a curve."""

    LINEAR = "exact, linear between breakpoints"
    STEPS = "exact, constant up to the next step"
    BOUNDED = "linear between tolerances to the stated error"
    SAMPLED = "known at these tolerances only"

    @property
    def is_exact(self) -> bool:
        """Whether nothing is unknown between the tolerances."""
        return self in (Shape.LINEAR, Shape.STEPS)


@dataclass(frozen=True)
class Track:
    """The optimum of one later problem for each tolerance, in its own sense.

    Attributes
    ----------
    knots, values : ndarray of shape (k,)
        Tolerances, rising, and the optimum at each.
    slopes : ndarray of shape (k,)
        Right derivative at each, nan where it is not known.
    shape : Shape
    stop : float
        The last tolerance that is known; infinite if all are.
    error : float
        How far the optimum may be from the line between two knots.
    end : str
        What comes after the last knot.
    note : str
        Why less is known than was asked for.
    """

    knots: Array
    values: Array
    slopes: Array
    shape: Shape
    stop: float = np.inf
    error: float = 0.0
    end: str = ""
    note: str = ""
    lower: Array | None = field(default=None, repr=False)

    @classmethod
    def constant(cls, value: float) -> Track:
        """What does not depend on the tolerance."""
        return cls(
            np.zeros(1), np.array([value]), np.zeros(1), Shape.LINEAR, end="constant from 0 on"
        )

    def at(self, t: float | Array) -> Array:
        """The optimum at ``t``; nan outside of what is known, and between mere samples."""
        t = np.asarray(t, dtype=float)
        piece = np.clip(np.searchsorted(self.knots, t, side="right") - 1, 0, None)
        beyond = t - self.knots[piece]
        if self.shape is Shape.LINEAR or self.shape is Shape.BOUNDED:
            ahead = np.minimum(piece + 1, self.knots.size - 1)
            width = self.knots[ahead] - self.knots[piece]
            chord = (self.values[ahead] - self.values[piece]) / np.where(width > 0.0, width, 1.0)
            slope = np.where(width > 0.0, chord, self.slopes[piece])
            with np.errstate(invalid="ignore"):
                out = self.values[piece] + np.where(beyond > 0.0, beyond * slope, 0.0)
        else:
            out = self.values[piece]
            if self.shape is Shape.SAMPLED:
                out = np.where(beyond == 0.0, out, np.nan)
        return np.asarray(np.where((t < self.knots[0]) | (t > self.stop), np.nan, out))

    def slope_at(self, t: float) -> float:
        """The right derivative at ``t``."""
        if not self.knots[0] <= t <= self.stop:
            return np.nan
        return float(self.slopes[int(np.searchsorted(self.knots, t, side="right")) - 1])

    @property
    def summary(self) -> str:
        """How well it is known, and what comes after the last knot."""
        said = str(self.shape)
        if self.shape is Shape.BOUNDED or (self.error and self.shape is Shape.STEPS):
            said = f"known to {tiny(self.error)} between tolerances"
        parts = [said, self.end, self.note.rstrip(".")]
        return "; ".join(part for part in parts if part)


def end_text(last: float, slope: float) -> str:
    """What an open end is called."""
    where = f"from {number(last)} on"
    return f"constant {where}" if slope == 0.0 else f"at slope {number(slope)} {where}, for ever"
