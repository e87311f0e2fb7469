"""What it means to hold an earlier optimum, and how much of it may be given up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Owner
from lexiprog.declare.memory import Registry
from lexiprog.errors import DeclarationError

# What somebody may give as a tolerance: a parameter is read when the program is solved.
Tolerance: TypeAlias = float | cp.Parameter


def checked_tolerance(what: str, given: object) -> Tolerance:
    """A tolerance that can be meant: a finite number of at least 0, or a real scalar parameter."""
    if isinstance(given, cp.Parameter) and given.is_scalar() and given.is_real():
        return given
    if isinstance(given, int | float | np.number) and 0 <= given < np.inf:
        return float(given)
    raise DeclarationError(
        f"{what} must be a finite number of at least 0, or a scalar cp.Parameter, not {given!r}."
    )


@dataclass(frozen=True)
class Lock:
    """A constraint that holds an earlier optimum, within a tolerance."""

    owner_name: str
    owner: Owner
    maximise: bool
    atol: Tolerance
    rtol: Tolerance

    @property
    def parameters(self) -> dict[str, cp.Parameter]:
        """The tolerances that are read only when the program is solved."""
        given = {"atol": self.atol, "rtol": self.rtol}
        return {key: value for key, value in given.items() if isinstance(value, cp.Parameter)}

    @property
    def tolerances(self) -> tuple[float, float]:
        """The two as numbers, parameters by the value they have now."""
        atol, rtol = (
            float(np.asarray(given.value).reshape(-1)[0])
            if isinstance(given, cp.Parameter) else given
            for given in (self.atol, self.rtol)
        )  # fmt: skip
        return atol, rtol

    def tolerance(self, optimum: float) -> float:
        """Degradation the user allows."""
        atol, rtol = self.tolerances
        return max(atol, rtol * abs(optimum))

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

    def guard_for(self, optimum: float) -> float:
        """Degradation added for numerical reasons."""
        return self.guard * max(1.0, abs(optimum))

    def limit(self, lock: Lock, optimum: float) -> float:
        """The bound on the held objective."""
        return lock.limit(optimum, self.tolerance(lock, optimum) + self.guard_for(optimum))


NO_SLACK = Slack()
LOCKS: Registry[Lock] = Registry()
