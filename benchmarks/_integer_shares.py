"""Fair shares of things that cannot be divided, found in two ways."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any

import cvxpy as cp
import numpy as np

import lexiprog as lx

LIMIT = 20.0  # seconds for one call


@dataclass(frozen=True)
class Shares:
    """Who values what how much, and what of it may be given to whom."""

    name: str
    worth: np.ndarray  # a row for each person, a column for each thing
    each: int | None  # how many things a person gets, if that is fixed

    def declared(self) -> tuple[dict[str, cp.Expression], list[Any]]:
        """Utilities by name, and constraints."""
        gets = cp.Variable(self.worth.shape, boolean=True, name="gets")
        rows = [cp.sum(gets, axis=0) <= 1]
        if self.each is not None:
            rows.append(cp.sum(gets, axis=1) == self.each)
        sums = cp.sum(cp.multiply(self.worth, gets), axis=1)
        return {f"person {k}": sums[k] for k in range(len(self.worth))}, rows

    def all_orders(self) -> list[float] | None:
        """The best ordered values, from all ways to share; None if those are too many."""
        people, things = self.worth.shape
        if self.each == 1 and things <= 7:
            ways = (self.worth[range(people), who] for who in permutations(range(things), people))
            return max(sorted(gets.tolist()) for gets in ways)
        if self.each is None and people**things <= 10_000:
            best: list[float] = []
            for owner in product(range(people), repeat=things):
                gets = np.bincount(owner, self.worth[list(owner), range(things)], people)
                best = max(best, sorted(gets.tolist()))
            return best
        return None


def sharing(people: int, things: int, seed: int = 0) -> Shares:
    """Things of which everybody may get any number."""
    rng = np.random.default_rng(seed)
    worth = rng.integers(1, 20, (people, things)).astype(float)
    return Shares(f"{things} things, {people} people", worth, None)


def matching(people: int, seed: int = 0) -> Shares:
    """As many things as people, one each."""
    rng = np.random.default_rng(seed)
    return Shares(f"one of {people} each", rng.integers(1, 50, (people, people)).astype(float), 1)


def by_positions(shares: Shares) -> list[float] | None:
    """This library's own way: position by position of the order."""
    utilities, rows = shares.declared()
    return _ordered(lx.leximin(utilities, rows), utilities)


def by_sums(shares: Shares) -> list[float] | None:
    """The sum of the k worst for k = 1, 2, ..., each sum held."""
    utilities, rows = shares.declared()
    stack, count = cp.hstack(list(utilities.values())), len(utilities)
    sums = {f"worst {k}": cp.sum_smallest(stack, k) for k in range(1, count)}
    goals = {name: cp.Maximize(worst) for name, worst in (sums | {"all": cp.sum(stack)}).items()}
    return _ordered(lx.preemptive(goals, rows), utilities)


def _ordered(program: lx.Program, utilities: dict[str, cp.Expression]) -> list[float] | None:
    """The ordered values at the end; None if they were not found in time."""
    try:
        final = program.solve(time_limit=LIMIT).final
    except lx.StageError:
        return None
    if final.status != "optimal":
        return None
    return sorted(round(float(final.at(utility)), 9) for utility in utilities.values())


METHODS: dict[str, Callable[[Shares], list[float] | None]] = {
    "by positions": by_positions,
    "by ordered sums": by_sums,
}
