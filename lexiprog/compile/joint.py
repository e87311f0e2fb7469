"""Several linear objectives over the same constraints, compiled once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import cvxpy as cp

from lexiprog.aliases import Constraint, Objective, Options
from lexiprog.compile.cvxpy_door import Compiled, Prepared, Straight
from lexiprog.declare.leaves import CVXPY_LOCK
from lexiprog.declare.memory import Memory

__all__ = ["Joint", "join"]

Objectives = Sequence[tuple[str, Objective]]


class Joint(Protocol):
    """Linear problems that differ in their objectives only.

    Its ``memory`` keeps what is made of their numbers for as long as those are the same.
    """

    memory: Memory

    def compile(self, name: str, options: Options) -> Compiled:
        """The numbers of one of them, at the parameters' values of the moment."""

    def together(self) -> Mapping[str, Compiled]:
        """Those of all of them, as far as they come out at once."""


def join(objectives: Objectives, constraints: Sequence[Constraint]) -> Joint:
    """The problems as one whose objectives are rows, or, if need be, as one with weights."""
    with CVXPY_LOCK:
        straight = Straight.of([objective for _, objective in objectives], constraints)
    if straight is not None:
        return _Rows({name: k for k, (name, _) in enumerate(objectives)}, straight)
    return _weighted(objectives, constraints)


@dataclass
class _Rows:
    """All objectives come out of one compiled form, as rows."""

    rows: Mapping[str, int]
    straight: Straight
    memory: Memory = field(default_factory=Memory)

    def compile(self, name: str, _: Options) -> Compiled:
        return self.straight.compile()[self.rows[name]]

    def together(self) -> Mapping[str, Compiled]:
        return dict(zip(self.rows, self.straight.compile(), strict=True))


@dataclass
class _Weighted:
    """One objective, the sum of all, with a weight on each."""

    prepared: Prepared
    weights: Mapping[str, cp.Parameter]
    memory: Memory = field(default_factory=Memory)

    def compile(self, name: str, options: Options) -> Compiled:
        for other, weight in self.weights.items():
            weight.value = float(other == name)
        return self.prepared.compile("HIGHS", dict(options))

    def together(self) -> Mapping[str, Compiled]:
        return {}


def _weighted(objectives: Objectives, constraints: Sequence[Constraint]) -> _Weighted:
    rows, weights, terms = list(constraints), {}, []
    for name, objective in objectives:
        cost = -objective.expr if isinstance(objective, cp.Maximize) else objective.expr
        if cost.parameters():
            # A weight times a parameter is not DPP, so the weight goes to a bound on the cost.
            bound = cp.Variable()
            rows.append(cost <= bound)
            cost = bound
        weights[name] = cp.Parameter(nonneg=True)
        terms.append(weights[name] * cost)
    return _Weighted(Prepared(cp.Problem(cp.Minimize(sum(terms)), rows)), weights)
