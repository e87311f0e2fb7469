"""What it means to hold an earlier optimum, and how much of it may be given up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

import cvxpy as cp
import numpy as np

from lexiprog.errors import DeclarationError
from lexiprog.model.expressions import Registry
from lexiprog.typing import Array, Owner, cached_property

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


Optimum = TypeVar("Optimum", float, Array)  # one number, or one for each of several utilities


@dataclass(frozen=True)
class Lock:
    """A constraint that holds an earlier optimum, or all levels of one, within a tolerance."""

    owner_name: str
    owner: Owner
    maximise: bool
    atol: Tolerance
    rtol: Tolerance
    fair: bool = False  # whether it keeps several utilities

    @cached_property
    def parameters(self) -> dict[str, cp.Parameter]:
        """The tolerances that are read only when the program is solved."""
        given = {"atol": self.atol, "rtol": self.rtol}
        return {key: value for key, value in given.items() if isinstance(value, cp.Parameter)}

    @property
    def loose(self) -> bool:
        """Whether it allows something by declaration; of parameters that is not known here."""
        return any(isinstance(given, float) and given > 0.0 for given in (self.atol, self.rtol))

    @property
    def tolerances(self) -> tuple[float, float]:
        """The two as numbers, parameters by the value they have now."""
        if isinstance(self.atol, float) and isinstance(self.rtol, float):
            return self.atol, self.rtol
        atol, rtol = (
            float(np.asarray(given.value).item())
            if isinstance(given, cp.Parameter) else given
            for given in (self.atol, self.rtol)
        )  # fmt: skip
        return atol, rtol

    def tolerance(self, optimum: Optimum) -> Optimum:
        """Degradation the user allows."""
        atol, rtol = self.tolerances
        if isinstance(optimum, float):
            return max(atol, rtol * abs(optimum))
        return np.maximum(atol, rtol * np.abs(optimum))

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
        return self.guard * (unit + abs(optimum))

    def limit(self, lock: Lock, optimum: Optimum, unit: float) -> Optimum:
        """The bound on the held objective."""
        slack = self.tolerance(lock, optimum) + self.guard_for(optimum, unit)
        return lock.limit(optimum, slack)


NO_SLACK = Slack()
LOCKS: Registry[Lock] = Registry()
