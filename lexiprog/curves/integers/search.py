"""A search for the points of an integer front that can stop anywhere and go on later."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from lexiprog.aliases import Array
from lexiprog.curves.integers.staircase import Staircase, Stop

__all__ = ["FrontSearch", "IntegerFront"]

Gap: TypeAlias = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True)
class IntegerFront:
    """The non-dominated points of two objectives over whole numbers, both minimised.

    Attributes
    ----------
    points : ndarray of shape (k, 2)
        Values of both objectives, the first rising and the second falling.
    solutions : ndarray of shape (k, n)
        A solution for each point, its integers whole.
    bounds : ndarray of shape (k, 2)
        What HiGHS proved of each point: none that comes after its predecessor has less of one
        objective, and none of those with as little of it has less of the other.
    resolution : float
        Zero if every non-dominated point is there. Otherwise every feasible point is matched by
        one of the front that is no worse in the first objective and at most this much worse in
        the second.
    missing : tuple of pairs
        Neighbours (as values) between which points may be missing; empty if the front is complete.
    note : str
        Why points are missing.
    solves, nodes : int
        Integer programs solved, and nodes of their trees.
    """

    points: Array
    solutions: Array = field(repr=False)
    bounds: Array = field(repr=False)
    resolution: float = 0.0
    missing: tuple[Gap, ...] = ()
    note: str = ""
    solves: int = 0
    nodes: int = 0
    fingerprint: str = field(default="", repr=False)

    @property
    def complete(self) -> bool:
        """Whether nothing is missing, to the resolution."""
        return not self.missing


class FrontSearch:
    """What is known of a front so far: a chain from the left, and the right end."""

    def __init__(self, staircase: Staircase, tick: Callable[[str], None], *, turned: bool) -> None:
        self.staircase, self.turned, self.tick = staircase, turned, tick
        self.chain: list[Stop] = []
        self.right: Stop | None = None
        self.resolution, self.note, self.done = 0.0, "", False

    def recall(self, front: IntegerFront) -> None:
        """Take over what an earlier search has found: one end, or a chain and the other end."""
        order = slice(None, None, -1) if self.turned else slice(None)
        for values, x, bounds in zip(
            front.points[order], front.solutions[order], front.bounds[order], strict=True
        ):
            self.chain.append(Stop(self._inside(values), x, self._inside(bounds)))
        self.resolution, self.done = front.resolution, front.complete
        if not self.done and len(self.chain) > 1:
            self.right = self.chain.pop()

    def run(self, resolution: float | None, share: float, limit: int | None) -> None:
        """Go on until the chain meets the right end, or ``limit`` points are there."""
        if self.done:
            return
        if not self.chain:
            self._add(self.staircase.end(0))
        if self.right is None:
            self.right = self.staircase.end(1, self.chain[0].x)
        second = self.staircase.measures[1]
        if resolution is not None:
            step = resolution / second.unit
        else:
            height = self.chain[0].values[1] - self.right.values[1]
            step = 0.0 if second.steps else share * height
        exact = second.steps is not None and step <= 1.0
        self.resolution = 0.0 if exact else step * second.unit
        stops = self.staircase.steps(self.chain[-1], self.right, step)
        while limit is None or len(self.chain) + 1 < limit:
            stop = next(stops, None)
            if stop is None:
                self.done = True
                return
            self._add(stop)
        self.note = f"{limit} points were asked for."

    def front(self, mark: str) -> IntegerFront:
        """What was found, in the user's units and order."""
        stops = self.chain + ([self.right] if self.right is not None and not self.done else [])
        order = slice(None, None, -1) if self.turned else slice(None)
        points = np.array([self._outside(s.values) for s in stops]).reshape(-1, 2)[order]
        size = self.staircase.programs.bounds.lower.size
        programs = self.staircase.programs
        return IntegerFront(
            points=points,
            solutions=np.array([s.x for s in stops]).reshape(-1, size)[order],
            bounds=np.array([self._outside(s.bounds) for s in stops]).reshape(-1, 2)[order],
            resolution=self.resolution,
            missing=() if self.done else (self._gap(),),
            note=self.note,
            solves=programs.solves,
            nodes=programs.nodes,
            fingerprint=mark,
        )

    def _gap(self) -> Gap:
        """The two neighbours between which nothing is known yet."""
        left = self._outside(self.chain[-1].values) if self.chain else (-np.inf, np.inf)
        right = (np.inf, -np.inf) if self.right is None else self._outside(self.right.values)
        if self.turned:
            unknown = {(-np.inf, np.inf): (np.inf, -np.inf), (np.inf, -np.inf): (-np.inf, np.inf)}
            return unknown.get(right, right), unknown.get(left, left)
        return left, right

    def _add(self, stop: Stop) -> None:
        self.chain.append(stop)
        first, second = self._outside(stop.values)
        self.tick(f"{first:g}, {second:g}")

    def _outside(self, values: tuple[float, float]) -> tuple[float, float]:
        """Values as the user states and orders them."""
        one, other = (m.outside(v) for m, v in zip(self.staircase.measures, values, strict=True))
        return (other, one) if self.turned else (one, other)

    def _inside(self, values: Array) -> tuple[float, float]:
        values = values[::-1] if self.turned else values
        one, other = (
            m.inside(float(v)) for m, v in zip(self.staircase.measures, values, strict=True)
        )
        return one, other
