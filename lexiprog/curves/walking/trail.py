"""From the stretches of a walk to the pieces of a curve: resumed where lost, joined, tidied."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from lexiprog.aliases import Array
from lexiprog.curves.curve import CurveEnd
from lexiprog.curves.handle import BasicPoint, Handle
from lexiprog.curves.walking.moving import MovingProgram
from lexiprog.curves.walking.units import slope_unit
from lexiprog.curves.walking.walk import Lost, Stretch, Wall, stretches

__all__ = ["Leg", "Trail", "walk_along"]

# Slopes closer than this share of the steepest are one, slopes below this share of what the costs
# can make are zero, and knots that move the curve by less than this share of its values are none.
SAME = 1e-12
# How far beyond a place where rounding won a walk is taken up again, as a share of the place.
DETOURS = (1e-6, 1e-4, 1e-2)


@dataclass
class Trail:
    """The stretches of a curve in order, those without length left out, and how they end."""

    steps: list[Stretch] = field(default_factory=list)
    end: CurveEnd = CurveEnd.UNFINISHED
    walls: tuple[Array | None, Array | None] = (None, None)
    note: str = ""
    exchanges: int = 0

    def preceded_by(self, back: Trail) -> Trail:
        """The trail after one that was walked from its start the other way."""
        return Trail(
            steps=[turned(step) for step in reversed(back.steps)] + self.steps,
            end=self.end,
            walls=(back.walls[1], self.walls[1]),
            note="; ".join(filter(None, [back.note, self.note])),
            exchanges=back.exchanges + self.exchanges,
        )

    def pieces(self, cost: Array) -> list[Stretch]:
        """The steps, those of one slope as one, without those too short to see."""
        steepest = max(abs(step.slope) for step in self.steps)
        joined: list[Stretch] = []
        for step in self.steps:
            if joined and abs(step.slope - joined[-1].slope) <= SAME * steepest:
                joined[-1] = replace(joined[-1], stop=step.stop)
            else:
                joined.append(step)
        return _visible(joined, cost)

    @property
    def stop(self) -> float:
        """Where the last step ends."""
        return self.steps[-1].stop

    @property
    def last_point(self) -> Array:
        """The point at ``stop``, if that is finite."""
        step = self.steps[-1]
        return np.asarray(step.x + (step.stop - step.start) * step.x_rate)


class Leg(NamedTuple):
    """A way to go: from an optimal vertex at ``start`` to ``stop``."""

    corner: BasicPoint
    start: float
    stop: float


def walk_along(
    program: MovingProgram, handle: Handle, leg: Leg, limit: int, known: Trail | None = None
) -> Trail:
    """Walk to the end of a leg, around places where rounding wins.

    Parameters
    ----------
    program : MovingProgram
    handle : Handle
        The same program inside HiGHS, for a new start after a detour. Its pace is kept here too:
        where that ends is how far the trail goes.
    leg : Leg
    limit : int
        Most slopes.
    known : Trail, optional
        One that ended early, to go on from.
    """
    trail = Trail()
    if known is not None:
        if known.end is not CurveEnd.UNFINISHED:
            return known
        trail = Trail(list(known.steps), exchanges=known.exchanges)
    if trail.steps:  # the last one again: its basis is where the walk stood
        stood = trail.steps.pop()
        leg = Leg(stood.corner(program), stood.start, leg.stop)
    if not handle.pace.note:  # else the walk the other way was stopped already
        with handle.pace.kept():
            _walk(trail, program, handle, leg, limit)
    if handle.pace.note and trail.end is CurveEnd.UNFINISHED:
        trail.note = handle.pace.note
    return trail


def _walk(trail: Trail, program: MovingProgram, handle: Handle, leg: Leg, limit: int) -> None:
    """Add to the trail until it ends, for which it then has the reason."""
    corner, start, stop = leg
    slopes, last = 0, np.nan
    for before in trail.steps:
        slopes, last = slopes + (before.slope != last), before.slope
    speed = np.maximum(np.abs(program.lower_rate), np.abs(program.upper_rate))[program.size :]
    zero = SAME * slope_unit(program.cost, program.A, speed)
    while True:
        try:
            for step in stretches(program, corner, start, stop):
                handle.pace.check()
                trail.exchanges += 1
                if isinstance(step, Wall):
                    trail.end, trail.walls = CurveEnd.INFEASIBLE, (None, -step.y)
                    return
                if step.stop <= step.start:
                    continue
                slope = 0.0 if abs(step.slope) <= zero else step.slope
                slopes, last = slopes + (slope != last), slope
                if slopes > limit:
                    trail.note = f"more than {limit} pieces; ask for more with limit=."
                    return
                if slope == 0.0 and program.loosens and stop == np.inf:
                    # What only gives way and buys nothing buys nothing for ever.
                    step = replace(step, stop=np.inf, x_rate=np.zeros_like(step.x))
                trail.steps.append(replace(step, slope=slope))
                if step.stop == np.inf:
                    trail.end = CurveEnd.STRAIGHT if slope else CurveEnd.FLAT
                    return
            trail.end = CurveEnd.STOPPED
            return
        except Lost as lost:
            reached = trail.stop if trail.steps else start
            found = _detour(program, handle, reached, stop)
            if found is None:
                trail.note = f"rounding wins at t = {lost.t:g}: {lost}"
                return
            start, corner, steps = found
            trail.steps += steps


def turned(step: Stretch) -> Stretch:
    """A stretch seen from ``-t``."""
    end = step.x + (step.stop - step.start) * step.x_rate
    return replace(
        step, start=-step.stop, stop=-step.start, x=end, x_rate=-step.x_rate, slope=-step.slope
    )


def _detour(
    program: MovingProgram, handle: Handle, t: float, stop: float
) -> tuple[float, BasicPoint, list[Stretch]] | None:
    """A vertex a little beyond ``t`` and the stretches from ``t`` to there, walked backwards."""
    for share in DETOURS:
        beyond = t + share * max(abs(t), 1.0)
        if beyond >= stop:
            return None
        bounds = program.at(beyond)
        handle.change(rows=(bounds.row_lower, bounds.row_upper))
        corner = handle.optimum()
        if corner is None:
            continue
        try:
            back = list(stretches(program.backwards(), corner, -beyond, -t))
        except Lost:
            continue
        steps = [turned(s) for s in reversed(back) if isinstance(s, Stretch) and s.stop > s.start]
        return beyond, corner, steps
    return None


def _visible(pieces: list[Stretch], cost: Array) -> list[Stretch]:
    """The pieces that can be told from rounding; the next one takes the place of any other."""
    out: list[Stretch] = []
    begin: Stretch | None = None
    for k, piece in enumerate(pieces):
        begin = piece if begin is None else begin
        bend = pieces[min(k + 1, len(pieces) - 1)].slope - pieces[max(k - 1, 0)].slope
        size = float(np.abs(cost) @ np.abs(piece.x))
        if abs(bend) * (piece.stop - piece.start) > SAME * size or len(pieces) == 1:
            out.append(replace(piece, start=begin.start, x=begin.x))
            begin = None
    if begin is not None:
        out[-1] = replace(out[-1], stop=pieces[-1].stop)
    return out
