"""A small picture as plain records: what stands across, what goes up, and how points are joined."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite

import numpy as np

__all__ = ["Chart", "Series", "series_of"]

# More points than can be told apart in a small picture.
MOST = 400


@dataclass(frozen=True)
class Series:
    """Points in order, joined "straight", in "steps", or "not".

    Steps keep the value of a point until the next one.
    """

    name: str
    across: tuple[float, ...]
    up: tuple[float, ...]
    joined: str = "straight"


@dataclass(frozen=True)
class Chart:
    """Series over one axis."""

    across: str
    up: str
    series: tuple[Series, ...]

    @property
    def worth_drawing(self) -> bool:
        """Whether there is more than one point to see."""
        return any(len(series.across) > 1 for series in self.series)


def series_of(
    name: str, across: Iterable[float], up: Iterable[float], joined: str = "straight"
) -> Series:
    """The finite points in their order, thinned where there are too many to see."""
    points = [(float(x), float(y)) for x, y in zip(across, up, strict=True)]
    points = [point for point in points if all(map(isfinite, point))]
    if len(points) > MOST:
        kept = np.unique(np.linspace(0, len(points) - 1, MOST).round().astype(int))
        points = [points[k] for k in kept]
    return Series(name, tuple(p[0] for p in points), tuple(p[1] for p in points), joined)
