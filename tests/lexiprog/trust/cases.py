"""A case with its true optima, what became of it, and chains of whole numbers in other units."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import cvxpy as cp
import numpy as np

import lexiprog as lx
from tests.lexiprog.formulations.exact import Chain, lexicographic_optimum
from tests.lexiprog.formulations.random_chains import Drawing

# Relative error of what still counts as right.
RIGHT = 1e-5


@dataclass(frozen=True)
class Case:
    """A program and the true optimum of each subproblem; ``sizes`` say what counts as one.

    Where a level has none the last truth says why: "infeasible", "unbounded" or "unattained".
    """

    program: lx.Program
    truth: tuple[float | str, ...]
    sizes: tuple[float, ...]
    right: float = RIGHT
    options: Mapping[str, Any] = field(default_factory=dict)  # of solve

    def verdict(self, solver=None, *, last_point=False) -> str:
        """Refused, flagged (one is not called optimal), right or wrong; at the last point too?"""
        try:
            result = self.program.solve(solver, **self.options)
        except lx.StageError as error:
            return "right" if self._says_why(error) else "refused"
        if any(solution.status != "optimal" for solution in result.values()):
            return "flagged"
        found = {self.judged([solution.value for solution in result.values()])}
        if last_point and held_exactly(self.program):
            last = [result.final.at(level.objective.expr) for level in subproblems(self.program)]
            found.add(self.judged([float(np.ravel(value)[0]) for value in last]))
        return "right" if found == {"right"} else "wrong"

    def judged(self, values: Sequence[float]) -> str:
        """Whether these are the true optima."""
        if isinstance(self.truth[-1], str):
            return "wrong"
        triples = zip(values, self.truth, self.sizes, strict=True)
        good = all(abs(v - t) <= self.right * (size + abs(t)) for v, t, size in triples)
        return "right" if good else "wrong"

    def _says_why(self, error: lx.StageError) -> bool:
        """Whether the level is refused that has no optimum, for the true reason."""
        if self.truth[-1] == "unattained":  # either the level itself or the first that holds it
            return "attain" in str(error)
        at_hand = len(error.partial) == len(self.truth) - 1
        return at_hand and isinstance(self.truth[-1], str) and self.truth[-1] in error.status


@dataclass(frozen=True)
class Front:
    """Two objectives over whole numbers and all their non-dominated points."""

    objectives: Mapping[str, Any]
    constraints: Sequence[Any]
    points: frozenset[tuple[float, ...]]

    def verdict(self, solver=None, *, last_point=False) -> str:
        try:
            found = lx.frontier(self.objectives, self.constraints, solver=solver)
        except (lx.LexiprogError, ArithmeticError):
            return "refused"
        if not found.complete:
            return "flagged"
        same = _rounded(map(tuple, found.points.tolist())) == _rounded(self.points)
        return "right" if same else "wrong"


def _rounded(points) -> set[tuple[str, ...]]:
    """In 14 digits: sums of decimals in floats end in an error of the 15th or 16th."""
    return {tuple(f"{value:.14g}" for value in point) for point in points}


def subproblems(program: lx.Program) -> list[lx.Subproblem]:
    """All of them in order."""
    return [p for stage in program.stages for p in stage.subproblems]


def held_exactly(program: lx.Program) -> bool:
    """Whether the last point has to have the optima of all levels."""
    locks = [lock for p in subproblems(program) for _, lock in p.locks]
    return not any(tolerance for lock in locks for tolerance in lock.tolerances)


def tally(
    draw: Callable[[Random], Case | Front | None],
    count: int,
    solver=None,
    seed: int = 0,
    *,
    last_point=False,
) -> Counter:
    """Verdicts on so many cases of a family."""
    verdicts: Counter = Counter()
    random = Random(seed)
    while verdicts.total() < count:
        case = draw(random)
        if case is not None:
            verdicts[case.verdict(solver, last_point=last_point)] += 1
    return verdicts


def drawn_chain(random: Random, *, integers: bool = False) -> Chain:
    drawing = Drawing(random, random.randint(3, 5))
    for _ in range(random.randint(2, 6)):
        drawing.add_row()
    for _ in range(random.randint(2, 4)):
        drawing.add_objective()
    return drawing.chain(integers=integers, scaled=False, bounds_as_rows=False)


def written(chain: Chain, *, cost=1.0, rows=None, columns=None) -> Case | None:
    """The chain with its objectives, rows and columns multiplied."""
    truth = lexicographic_optimum(chain)
    if truth is None:
        return None
    rows = np.ones(len(chain.rows)) if rows is None else np.array(rows)
    units = np.ones(len(chain.whole)) if columns is None else np.array(columns)
    units = np.where(chain.whole, 1.0, units)
    x = [
        cp.Variable(name=f"x{j}", integer=whole, bounds=[low * unit, high * unit])
        for j, (whole, low, high, unit) in enumerate(
            zip(chain.whole, chain.lower, chain.upper, units, strict=True)
        )
    ]
    stacked = cp.hstack(x)
    constraints = []
    for (coefficients, sense, rhs), factor in zip(chain.rows, rows, strict=True):
        left, right = (np.array(coefficients) * factor / units) @ stacked, rhs * factor
        constraints.append({"<=": left <= right, ">=": left >= right, "==": left == right}[sense])
    senses = {"min": cp.Minimize, "max": cp.Maximize}
    levels = {
        str(k): senses[sense]((cost * np.array(coefficients) / units) @ stacked)
        for k, (sense, coefficients) in enumerate(chain.objectives, 1)
    }
    values = tuple(cost * float(value) for value in truth)
    return Case(lx.preemptive(levels, constraints), values, (cost,) * len(values))


def powers(random: Random, most: int, count: int) -> list[float]:
    return [10.0 ** random.randint(-most, most) for _ in range(count)]


def only(objective, constraints) -> lx.Program:
    """One problem in one stage."""
    return lx.Program(lx.Stage("only", lx.Subproblem("only", objective, constraints)))
