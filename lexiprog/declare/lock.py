"""What it means to hold an earlier optimum, and how much of it may be given up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lexiprog.aliases import Owner
from lexiprog.declare.memory import Registry


@dataclass(frozen=True)
class Lock:
    """A constraint that holds an earlier optimum, within a tolerance."""

    owner_name: str
    owner: Owner
    maximise: bool
    atol: float
    rtol: float

    def tolerance(self, optimum: float) -> float:
        """Degradation the user allows."""
        return max(self.atol, self.rtol * abs(optimum))

    def limit(self, optimum: float, slack: float) -> float:
        """The bound on the held objective."""
        return optimum - slack if self.maximise else optimum + slack


@dataclass(frozen=True)
class Slack:
    """How far held optima may degrade: tolerances in place of the declared ones, and a guard.

    The tolerance is the user's wish, the guard our numerical need; they are kept apart.
    """

    tolerances: Mapping[str, float] = field(default_factory=dict)
    guard: float = 0.0

    def tolerance(self, lock: Lock, optimum: float) -> float:
        """Degradation the user allows."""
        return self.tolerances.get(lock.owner_name, lock.tolerance(optimum))

    def guard_for(self, size: float) -> float:
        """Degradation of an optimum of that size added for numerical reasons."""
        return self.guard * size

    def limit(self, lock: Lock, optimum: float, size: float) -> float:
        """The bound on the held objective; errors of its optimum are compared with ``size``."""
        return lock.limit(optimum, self.tolerance(lock, optimum) + self.guard_for(size))


NO_SLACK = Slack()
LOCKS: Registry[Lock] = Registry()
