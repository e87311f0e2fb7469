"""The optimum of a problem as a function of one parameter, and how well it is known.

The parameter is the tolerance on an earlier optimum (a trade-off curve) or the limit on another
objective (a front of two objectives).
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lexiprog.deadline import Deadline
from lexiprog.errors import LexiprogError, StageError
from lexiprog.parametric.curve_proof import CurveProof
from lexiprog.summary import number, tiny
from lexiprog.tolerances import BEND, SAME_PLACE
from lexiprog.typing import Array

if TYPE_CHECKING:
    from lexiprog.parametric.path import ParametricPath

Gap: TypeAlias = tuple[tuple[float, float], tuple[float, float]]


class CurveError(LexiprogError, ArithmeticError):
    """There is no curve: nothing is feasible, nothing bounds the objective, or no proof is left."""


class NothingFeasible(CurveError):
    """There is no curve, because no parameter has a feasible point."""


class CurveKind(StrEnum):
    """What is known between two breakpoints."""

    LINEAR = "exact, linear between breakpoints"
    STEPS = "exact, constant up to the next step"
    BOUNDED = "linear between tolerances to the stated error"
    SAMPLED = "known at these tolerances only"


class CurveEnd(StrEnum):
    """What comes after the last breakpoint."""

    FLAT = "constant from there on"
    STRAIGHT = "the last slope for ever"
    INFEASIBLE = "infeasible beyond"
    STOPPED = "stopped where it was asked to"
    UNFINISHED = "not followed further"

    @property
    def is_open(self) -> bool:
        """Whether the last piece has no end."""
        return self in (CurveEnd.FLAT, CurveEnd.STRAIGHT)


def _nothing() -> Array:
    return np.zeros((0, 0))


@dataclass(frozen=True)
class ValueFunction:
    """``v(t)``, the optimum for each value ``t`` of one parameter, with what proves it.

    Attributes
    ----------
    breakpoints : ndarray of shape (k,)
        Where pieces begin, rising; if the last piece has an end, that is the last breakpoint.
    values : ndarray of shape (k,)
        The optimum at each.
    slopes : ndarray of shape (k,)
        Right derivative at each, nan where it is not known or there is none.
    kind : CurveKind
    end : CurveEnd
    stop : float
        The last ``t`` that is known; infinite for an open end.
    error : float
        How far the optimum may be from what the kind says between two breakpoints.
    note : str
        Why less is known than was asked for.
    missing : tuple of pairs
        Neighbours, as pairs of ``t`` and ``v(t)``, between which breakpoints may be missing.
    points : ndarray of shape (k, n)
        An optimal point at each breakpoint; empty if they were not kept.
    multipliers : ndarray of shape (p, m)
        Multipliers of the rows that are optimal all along a piece, ``c + A'y = reduced``.
    bounds : ndarray of shape (k, 2)
        Integer programs: what was proved of each breakpoint. None after its predecessor has a
        smaller ``t``, and none with that ``t`` a smaller value.
    ray : ndarray of shape (n,), optional
        What each further unit of ``t`` adds to the last point, if the end is open.
    blocking : pair of ndarray or None
        Multipliers that prove infeasibility before the first and beyond the last breakpoint.
    slope_before : float
        Left derivative at the first breakpoint; minus infinity if nothing is feasible before it.
    proof : CurveProof, optional
        What an independent look at points and multipliers found.
    paths : tuple of ParametricPath
        The basis walks that it is made of, forwards and back, to go on from.
    inverted : bool
        Whether ``t`` and ``v`` were exchanged after those walks.
    """

    breakpoints: Array
    values: Array
    slopes: Array
    kind: CurveKind
    end: CurveEnd = CurveEnd.FLAT
    stop: float = np.inf
    error: float = 0.0
    note: str = ""
    missing: tuple[Gap, ...] = ()
    points: Array = field(default_factory=_nothing, repr=False)
    multipliers: Array = field(default_factory=_nothing, repr=False)
    bounds: Array = field(default_factory=_nothing, repr=False)
    ray: Array | None = field(default=None, repr=False)
    blocking: tuple[Array | None, Array | None] = field(default=(None, None), repr=False)
    slope_before: float = -np.inf
    proof: CurveProof | None = None
    paths: tuple[ParametricPath, ...] = field(default=(), repr=False, compare=False)
    inverted: bool = False

    @classmethod
    def constant(cls, value: float) -> ValueFunction:
        """What does not depend on the parameter, from 0 on."""
        return cls(np.zeros(1), np.array([value]), np.zeros(1), CurveKind.LINEAR)

    @classmethod
    def unknown(cls, note: str) -> ValueFunction:
        """What has yet to be sampled, and why nothing better is known."""
        empty = np.zeros(0)
        return cls(empty, empty, empty, CurveKind.SAMPLED, note=note)

    @classmethod
    def joined(cls, pieces: Sequence[ValueFunction]) -> ValueFunction:
        """Piecewise linear functions on neighbouring intervals as one, without points and proof.

        The end of one interval is the start of the next, and no bend means no breakpoint.
        """
        breakpoints, values, slopes = (
            np.concatenate([getattr(piece, name) for piece in pieces])
            for name in ("breakpoints", "values", "slopes")
        )
        keep = ~np.isnan(slopes)
        keep[-1] = True
        breakpoints, values, slopes = breakpoints[keep], values[keep], slopes[keep]
        change = np.abs(np.diff(slopes))
        size = np.maximum(np.abs(slopes[1:]), np.abs(slopes[:-1]))
        bent = np.append(True, np.isnan(change) | (change > BEND * size))
        breakpoints, last = breakpoints[bent], pieces[-1]
        return cls(
            breakpoints, values[bent], slopes[bent], CurveKind.LINEAR, end=last.end,
            stop=np.inf if last.end.is_open else float(breakpoints[-1]), note=last.note,
        )  # fmt: skip

    def scaled(self, factor: float, offset: float = 0.0) -> ValueFunction:
        """``factor * v(t - offset)``, without points and proof."""
        return ValueFunction(
            self.breakpoints + offset, factor * self.values + 0.0, factor * self.slopes + 0.0,
            self.kind, end=self.end, stop=self.stop + offset, error=abs(factor) * self.error,
            note=self.note,
        )  # fmt: skip

    def inverse(self) -> ValueFunction:
        """The falling function with ``t`` and ``v`` exchanged: the other axis of a front."""
        slopes = np.append(self.slope_before, self.slopes)[::-1]
        with np.errstate(divide="ignore"):
            slopes = 1.0 / slopes
        return replace(
            self,
            breakpoints=self.values[::-1],
            values=self.breakpoints[::-1],
            slopes=slopes[1:],
            slope_before=float(slopes[0]),
            points=self.points[::-1],
            multipliers=_nothing(),
            end=CurveEnd.FLAT,
            stop=np.inf,
            inverted=not self.inverted,
        )

    @property
    def start(self) -> float:
        """The first ``t`` that is known."""
        return float(self.breakpoints[0])

    @property
    def complete(self) -> bool:
        """Whether no breakpoint is missing, to the stated error."""
        return not self.note and not self.missing

    @property
    def pairs(self) -> Array:
        """``t`` and ``v(t)`` at the breakpoints, of shape (k, 2)."""
        return np.stack([self.breakpoints, self.values], axis=1)

    @property
    def weights(self) -> Array:
        """From which to which ``w`` a breakpoint minimises ``w t + (1 - w) v(t)``, a row each."""
        rates = 0.0 - np.append(self.slope_before, self.slopes)
        bounded = np.where(np.isinf(rates), 0.0, rates)
        shares = np.where(np.isinf(rates), 1.0, bounded / (1.0 + bounded))
        return np.stack([shares[1:], shares[:-1]], axis=1)

    def at(self, t: float | Array) -> Array:
        """The optimum at ``t``; nan outside of what is known, and between mere samples."""
        t = np.asarray(t, dtype=float)
        piece = np.clip(np.searchsorted(self.breakpoints, t, side="right") - 1, 0, None)
        beyond = t - self.breakpoints[piece]
        out = self.values[piece]
        if self.kind is CurveKind.LINEAR or self.kind is CurveKind.BOUNDED:
            ahead = np.minimum(piece + 1, self.breakpoints.size - 1)
            width = self.breakpoints[ahead] - self.breakpoints[piece]
            chord = (self.values[ahead] - self.values[piece]) / np.where(width > 0.0, width, 1.0)
            slope = np.where(width > 0.0, chord, self.slopes[piece])
            with np.errstate(invalid="ignore"):
                out = out + np.where(beyond > 0.0, beyond * slope, 0.0)
        elif self.kind is CurveKind.SAMPLED:
            out = np.where(beyond == 0.0, out, np.nan)
        return np.asarray(np.where((t < self.start) | (t > self.stop), np.nan, out))

    def slope_at(self, t: float) -> float:
        """The right derivative at ``t``."""
        if not self.start <= t <= self.stop:
            return np.nan
        return float(self.slopes[int(np.searchsorted(self.breakpoints, t, side="right")) - 1])

    @property
    def summary(self) -> str:
        """How well it is known, and what comes after the last breakpoint."""
        text = str(self.kind)
        if self.kind is CurveKind.BOUNDED or (self.error and self.kind is CurveKind.STEPS):
            text = f"known to {tiny(self.error)} between tolerances"
        return "; ".join(filter(None, [text, self._end_text, self.note.rstrip(".")]))

    @property
    def _end_text(self) -> str:
        if self.kind is CurveKind.SAMPLED:
            return ""
        last = number(self.breakpoints[-1])
        if self.end is CurveEnd.FLAT:
            return f"constant from {last} on"
        if self.end is CurveEnd.STRAIGHT:
            return f"at slope {number(self.slopes[-1])} from {last} on, for ever"
        if self.end is CurveEnd.INFEASIBLE:
            return f"infeasible beyond {last}"
        followed = self.end is CurveEnd.UNFINISHED or self.note
        return "" if followed else f"not followed beyond {last}"


# A convex falling function between its tangents and its chords, refined where they are apart.

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


def sandwich(
    ask: Callable[[float], Sample],
    start: float,
    stop: float,
    *,
    error: float,
    limit: int,
    known: tuple[Sample, ...] = (),
    deadline: Deadline | None = None,
) -> ValueFunction:
    """Sample a convex, falling function until it is known everywhere between.

    Parameters
    ----------
    ask : callable
        The sample at a place.
    start, stop : float
    error : float
        Largest distance between chords and tangents, as a share of the fall from start to stop.
        The result states the distance itself, which is what was reached if a note says why.
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
    >>> function = sandwich(parabola, 0.0, 1.0, error=0.07, limit=50)
    >>> function.breakpoints.tolist(), round(function.error, 6)
    ([0.0, 0.25, 0.5, 0.75, 1.0], 0.03125)
    """
    samples = sorted(known)
    for t in (start, stop):
        if not any(sample.t == t for sample in samples):
            insort(samples, ask(t))
    allowed = error * max(samples[0].value - samples[-1].value, 0.0)
    deadline = Deadline() if deadline is None else deadline
    note, unproved = "", set[float]()
    while True:
        gaps, places = _gaps(samples)
        wide = _widest_first(samples, gaps, SAME_PLACE * (stop - start))
        order = _proved(wide, places, unproved)
        if not order or gaps[order[0]] <= allowed:
            break
        note = deadline.note or (f"{limit} points were asked for." if len(samples) >= limit else "")
        if note:
            break
        with deadline.kept():
            deadline.check()
            _take(samples, ask, places[order[0]], unproved)
    return ValueFunction(
        np.array([sample.t for sample in samples]),
        np.array([sample.value for sample in samples]),
        np.array([np.nan if sample.slope is None else sample.slope for sample in samples]),
        CurveKind.BOUNDED,
        end=CurveEnd.STOPPED,
        stop=samples[-1].t,
        error=float(np.max(gaps, initial=0.0)),
        note=_with_missing(note, unproved),
    )


def _take(
    samples: list[Sample], ask: Callable[[float], Sample], t: float, unproved: set[float]
) -> None:
    """Add the sample at a place; one that cannot be certified is noted, and loses nothing else."""
    try:
        insort(samples, ask(t))
    except StageError as failure:
        if failure.status.is_limit:
            raise
        unproved.add(t)


def _with_missing(note: str, unproved: set[float]) -> str:
    if note or not unproved:
        return note
    return f"no optimum could be certified at {len(unproved)} of the places asked for."


def _proved(order: list[int], places: list[float], unproved: set[float]) -> list[int]:
    """The intervals whose next place has not failed already."""
    return [k for k in order if places[k] not in unproved]


def _widest_first(samples: list[Sample], gaps: Array, narrow: float) -> list[int]:
    """The intervals that may be divided, those with the largest gap first."""
    return [int(k) for k in np.argsort(-gaps) if samples[k + 1].t - samples[k].t > narrow]


def _gaps(samples: list[Sample]) -> tuple[Array, list[float]]:
    """How far chord and tangents are apart in each interval, and where."""
    gaps = [_gap(left, right) for left, right in pairwise(samples)]
    return np.array([gap for gap, _ in gaps]), [place for _, place in gaps]


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
