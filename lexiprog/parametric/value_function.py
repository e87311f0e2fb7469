"""A table, or a whole curve, of what slack on one level buys in the later ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from lexiprog.errors import DeclarationError
from lexiprog.results.result import Result
from lexiprog.summary import (
    UNSETTLED,
    Chart,
    ShownTable,
    TableCell,
    TableSummary,
    cleaned,
    number,
    series_of,
    tiny,
)
from lexiprog.typing import Array

if TYPE_CHECKING:
    import pandas


# One later optimum as a function of the tolerance, and how well it is known.


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


@dataclass(frozen=True, repr=False)
class Tradeoff(ShownTable):
    """Optima along a range of tolerances on one level.

    What :func:`tradeoff` returns: read off what a little less of one optimum buys of the others.

    Attributes
    ----------
    name : str
        The level whose tolerance varies.
    tolerances : tuple of float
        Absolute degradations allowed. Of a whole curve: all its breakpoints, steps or samples.
    values : mapping
        Later subproblem to its optimum at each tolerance.
    given_up : sequence of float
        How much of the level's optimum the last stage really gave up.
    results : sequence of Result
        The whole solution at each tolerance; those of a whole curve are found when asked for.
    slopes : mapping
        Later subproblem to the right derivative of its optimum at each tolerance: for the one that
        holds the level, its price up to the sign. Empty for a table, nan where it is not known.
    errors : mapping
        Later subproblem to how far its optimum may be from what the curve says between two
        tolerances: 0 if it is exact, nan if nothing is known. Empty for a table.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x, y = cp.Variable(nonneg=True, name="x"), cp.Variable(nonneg=True, name="y")
    >>> program = lx.preemptive({"x": cp.Maximize(x), "y": cp.Maximize(y)},
    ...                         [2 * x + y <= 3, 0.5 * x + y <= 1.5])
    >>> print(lx.tradeoff(program, "x", [0, 0.5, 1.5]))
    tolerance on x    y
                 0    0
               0.5    1
               1.5  1.5
    >>> curve = lx.tradeoff(program, "x")
    >>> print(curve)
    tolerance on x    y  slope
                 0    0      2
               0.5    1    0.5
               1.5  1.5      0
    y: exact, linear between breakpoints; constant from 1.5 on
    >>> curve.at(0.75)
    {'y': 1.125}
    """

    name: str
    tolerances: tuple[float, ...]
    values: Mapping[str, tuple[float, ...]]
    given_up: Sequence[float] = field(repr=False)
    results: Sequence[Result] = field(repr=False)
    slopes: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    errors: Mapping[str, float] = field(default_factory=dict)
    tracks: Mapping[str, Track] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of_tracks(
        cls,
        name: str,
        tracks: Mapping[str, Track],
        tolerances: tuple[float, ...],
        given_up: Sequence[float],
        results: Sequence[Result],
    ) -> Tradeoff:
        """The whole curve that several later problems make."""
        at = np.array(tolerances)
        return cls(
            name=name,
            tolerances=tolerances,
            values={k: tuple(map(float, track.at(at))) for k, track in tracks.items()},
            given_up=given_up,
            results=results,
            slopes={k: tuple(track.slope_at(t) for t in tolerances) for k, track in tracks.items()},
            errors={
                k: np.nan if track.shape is Shape.SAMPLED else track.error
                for k, track in tracks.items()
            },
            tracks=MappingProxyType(dict(tracks)),
        )

    @property
    def whole(self) -> bool:
        """Whether this is a curve for every tolerance and no table of a few."""
        return bool(self.tracks)

    @property
    def notes(self) -> tuple[str, ...]:
        """How well each later optimum is known, and what comes after the last tolerance."""
        return tuple(f"{name}: {track.summary}" for name, track in self.tracks.items())

    def at(self, tolerance: float) -> dict[str, float]:
        """The later optima at any tolerance that a whole curve covers, without a solve.

        Parameters
        ----------
        tolerance : float

        Returns
        -------
        dict
            Later subproblem to its optimum, exact or to the error that is stated; nan where the
            curve says nothing.
        """
        if not self.whole:
            raise DeclarationError(
                "a table knows its own tolerances only; lexiprog.tradeoff(program, "
                f"{self.name!r}) without tolerances gives the whole curve."
            )
        if not 0 <= tolerance < np.inf:
            raise DeclarationError(
                f"a tolerance is a finite number of at least 0, not {tolerance!r}."
            )
        return {name: float(track.at(tolerance)) for name, track in self.tracks.items()}

    def to_frame(self) -> pandas.DataFrame:
        """A pandas table, one row a tolerance."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_frame() needs pandas: pip install pandas.") from error
        columns: dict[str, Sequence[float]] = {"tolerance": self.tolerances}
        if not self.whole:  # a curve would have to solve at each breakpoint first
            columns["given up"] = self.given_up
        columns |= dict(self.values)
        columns |= {f"slope of {name}": slopes for name, slopes in self.slopes.items()}
        return pandas.DataFrame(columns).set_index("tolerance")

    @property
    def summary(self) -> TableSummary:
        """The table as plain records for display."""
        columns, series = [f"tolerance on {self.name}"], [_texts(self.tolerances)]
        for name, values in self.values.items():
            columns.append(name)
            series.append(_texts(values) if self.whole else self._intervals(name, values))
            if name in self.slopes and self.tracks[name].shape is not Shape.SAMPLED:
                columns.append("slope" if len(self.values) == 1 else f"slope of {name}")
                series.append(_texts(self.slopes[name]))
        return TableSummary(
            title=f"What slack on {self.name} buys",
            columns=tuple(columns),
            rows=tuple(tuple(map(TableCell, row)) for row in zip(*series, strict=True)),
            numeric=frozenset(columns),
            notes=tuple(TableCell(note, "quiet") for note in self.notes),
            chart=self._chart,
        )

    @property
    def _chart(self) -> Chart:
        """What each later problem gains or loses, as far as its curve goes."""
        joined = {Shape.LINEAR: "straight", Shape.BOUNDED: "straight", Shape.STEPS: "steps"}
        series = []
        for name, values in self.values.items():
            track = self.tracks.get(name)
            how = "not" if track is None else joined.get(track.shape, "not")
            series.append(series_of(name, self.tolerances, values, how))
        what = series[0].name if len(series) == 1 else "optimum"
        return Chart(f"tolerance on {self.name}", what, tuple(series))

    def _intervals(self, name: str, values: Sequence[float]) -> list[str]:
        """The texts of a table's values; where a limit stopped a search, with its bound."""
        found = [result[name].summary for result in self.results]
        plain = zip(_texts(values), found, strict=True)
        return [one.text() if one.status in UNSETTLED else text for text, one in plain]


def _texts(values: Sequence[float]) -> list[str]:
    """Numbers without rounding noise; a dash for what is not known."""
    known = [value for value in values if np.isfinite(value)]
    clean = iter(cleaned(known))
    return [number(next(clean)) if np.isfinite(value) else "-" for value in values]
