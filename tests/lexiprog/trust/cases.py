"""A case with its true optima, what became of it, and chains of whole numbers in other units."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import cvxpy as cp
import numpy as np

import lexiprog as lx
from tests.lexiprog.formulations.exact import Chain, lexicographic_optimum
from tests.lexiprog.formulations.random_chains import Drawing

# Relative error of what still counts as right.
RIGHT = 1e-5


@dataclass(frozen=True)
class Case:
    """A program and the true optimum of each subproblem; ``sizes`` say what counts as one."""

    program: lx.Program
    truth: tuple[float, ...]
    sizes: tuple[float, ...]


def verdict(case: Case, solver=None) -> str:
    """Whether the answers are refused, flagged (one is not called optimal), right or wrong."""
    try:
        result = case.program.solve(solver)
    except lx.StageError:
        return "refused"
    pairs = zip(result.values(), case.truth, case.sizes, strict=True)
    if any(s.status != "optimal" for s in result.values()):
        return "flagged"
    good = all(abs(s.value - true) <= RIGHT * (size + abs(true)) for s, true, size in pairs)
    return "right" if good else "wrong"


def tally(draw: Callable[[Random], Case | None], count: int, solver=None, seed: int = 0) -> Counter:
    """Verdicts on so many cases of a family."""
    verdicts: Counter = Counter()
    random = Random(seed)
    while verdicts.total() < count:
        case = draw(random)
        if case is not None:
            verdicts[verdict(case, solver)] += 1
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
