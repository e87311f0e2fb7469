"""What it means to hold an earlier optimum, and how much of it may be given up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from lexiprog.aliases import Array, Owner
from lexiprog.declare.memory import Registry

Optimum = TypeVar("Optimum", float, Array)  # one number, or one for each of several utilities


@dataclass(frozen=True)
class Lock:
    """A constraint that holds an earlier optimum, or all levels of one, within a tolerance."""

    owner_name: str
    owner: Owner
    maximise: bool
    atol: float
    rtol: float
    fair: bool = False  # whether it keeps several utilities

    def tolerance(self, optimum: Optimum) -> Optimum:
        """Degradation the user allows."""
        return np.maximum(self.atol, self.rtol * np.abs(optimum))  # type: ignore[no-any-return]

    def limit(self, optimum: Optimum, slack: Optimum) -> Optimum:
        """The bound on the held objective."""
        return optimum - slack if self.maximise else optimum + slack


def single(locks: Iterable[tuple[int, Lock]]) -> list[tuple[int, Lock]]:
    """Of locks with their positions, those on single optima."""
    return [(position, lock) for position, lock in locks if not lock.fair]


@dataclass(frozen=True)
class Slack:
    """How far held optima may degrade: tolerances in place of the declared ones, and a guard.

    The tolerance is the user's wish, the guard our numerical need; they are kept apart.
    """

    tolerances: Mapping[str, float] = field(default_factory=dict)
    guard: float = 0.0

    def tolerance(self, lock: Lock, optimum: Optimum) -> Optimum | float:
        """Degradation the user allows."""
        return self.tolerances.get(lock.owner_name, lock.tolerance(optimum))

    def guard_for(self, optimum: Optimum, unit: float) -> Optimum:
        """Degradation added for numerical reasons; ``unit`` is what counts as one there."""
        return self.guard * (unit + np.abs(optimum))  # type: ignore[no-any-return]

    def limit(self, lock: Lock, optimum: Optimum, unit: float) -> Optimum:
        """The bound on the held objective."""
        slack = self.tolerance(lock, optimum) + self.guard_for(optimum, unit)
        return lock.limit(optimum, slack)


NO_SLACK = Slack()
LOCKS: Registry[Lock] = Registry()
