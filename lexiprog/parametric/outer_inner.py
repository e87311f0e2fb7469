"""A convex falling function between its tangents and its chords, refined where they are apart."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lexiprog.deadline import Deadline
from lexiprog.tolerances import SAME_PLACE
from lexiprog.typing import Array

# A new place keeps this share of its interval away from both ends.
APART = 0.1


@dataclass(frozen=True, order=True)
class Sample:
    """What is known at one place.

    Attributes
    ----------
    t : float
    value : float
        What a feasible point reaches.
    lower : float
        What no point is below.
    slope : float or None
        Of a line through ``lower`` that the function is never below; None if none is known.
    """

    t: float
    value: float
    lower: float
    slope: float | None = None


@dataclass(frozen=True)
class Sandwich:
    """Samples in order, and how far the function may be from the chords between them.

    Attributes
    ----------
    samples : tuple of Sample
    gaps : ndarray
        Largest distance of chord and tangents in each interval.
    note : str
        Why the error that was asked for was not reached; empty if it was.
    """

    samples: tuple[Sample, ...]
    gaps: Array
    note: str = ""

    @property
    def error(self) -> float:
        """The largest distance."""
        return float(np.max(self.gaps, initial=0.0))


def sandwich(
    ask: Callable[[float], Sample],
    start: float,
    stop: float,
    *,
    error: float,
    limit: int,
    known: tuple[Sample, ...] = (),
    deadline: Deadline | None = None,
) -> Sandwich:
    """Sample a convex, falling function until it is known everywhere between.

    Parameters
    ----------
    ask : callable
        The sample at a place.
    start, stop : float
    error : float
        Largest distance between chords and tangents, as a share of the fall from start to stop.
    limit : int
        Most samples.
    known : tuple of Sample
        Samples to go on from.
    deadline : Deadline, optional
        How long it may take, and what stopped it; the samples taken by then are kept.

    Examples
    --------
    >>> def parabola(t):
    ...     return Sample(t, (1 - t) ** 2, (1 - t) ** 2, -2 * (1 - t))
    >>> found = sandwich(parabola, 0.0, 1.0, error=0.07, limit=50)
    >>> [sample.t for sample in found.samples], round(found.error, 6)
    ([0.0, 0.25, 0.5, 0.75, 1.0], 0.03125)
    """
    samples = sorted(known)
    for t in (start, stop):
        if not any(sample.t == t for sample in samples):
            insort(samples, ask(t))
    allowed = error * max(samples[0].value - samples[-1].value, 0.0)
    deadline = Deadline() if deadline is None else deadline
    note = ""
    while True:
        gaps, places = _gaps(samples)
        order = _widest_first(samples, gaps, SAME_PLACE * (stop - start))
        if not order or gaps[order[0]] <= allowed:
            break
        note = deadline.note or (f"{limit} points were asked for." if len(samples) >= limit else "")
        if note:
            break
        with deadline.kept():
            deadline.check()
            insort(samples, ask(places[order[0]]))
    return Sandwich(tuple(samples), gaps, note)


def _widest_first(samples: list[Sample], gaps: Array, narrow: float) -> list[int]:
    """The intervals that may be divided, those with the largest gap first."""
    return [int(k) for k in np.argsort(-gaps) if samples[k + 1].t - samples[k].t > narrow]


def _gaps(samples: list[Sample]) -> tuple[Array, list[float]]:
    """How far chord and tangents are apart in each interval, and where."""
    found = [_gap(left, right) for left, right in pairwise(samples)]
    return np.array([gap for gap, _ in found]), [place for _, place in found]


def _gap(left: Sample, right: Sample) -> tuple[float, float]:
    width = right.t - left.t
    # The function falls, so that it is nowhere below its right end.
    lines = [(right.lower, 0.0)]
    if left.slope is not None:
        lines.append((left.lower + left.slope * width, left.slope))
    if right.slope is not None:
        lines.append((right.lower, right.slope))
    places = [left.t, right.t]
    for k, (one, first) in enumerate(lines):
        for other, second in lines[k + 1 :]:
            if first != second:
                place = right.t + (other - one) / (first - second)
                if left.t < place < right.t:
                    places.append(place)
    t = np.array(places)
    chord = left.value + (right.value - left.value) * (t - left.t) / width
    lower = np.max([height + slope * (t - right.t) for height, slope in lines], axis=0)
    worst = int(np.argmax(chord - lower))
    place = float(np.clip(t[worst], left.t + APART * width, right.t - APART * width))
    return max(float(chord[worst] - lower[worst]), 0.0), place
