"""Lexicographic chains in whole numbers, their exact optima by z3, and their programs.

A chain is written in whole numbers and handed to z3 as it stands, in rationals. What lexiprog gets
is the same chain with rows multiplied by powers of ten and columns measured in powers of two: the
same feasible set and the same optima, harder to see.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise

import cvxpy as cp
import numpy as np
import z3

import lexiprog as lx

TIMEOUT = 10_000  # milliseconds for one question to z3


@dataclass(frozen=True)
class Chain:
    """Objectives in order over rows `coefficients (sense) rhs` and bounds, in whole numbers."""

    lower: tuple[int, ...]
    upper: tuple[int, ...]
    rows: tuple[tuple[tuple[int, ...], str, int], ...]
    objectives: tuple[tuple[str, tuple[int, ...]], ...]  # ("min" or "max", coefficients)
    whole: tuple[bool, ...]  # integer columns
    row_powers: tuple[int, ...]  # of ten
    column_powers: tuple[int, ...]  # of two
    bounds_as_rows: bool = False


def as_program(chain, **tolerances):
    """The scaled chain as a preemptive program, levels named "1", "2", ..."""
    tens = 10.0 ** np.array(chain.row_powers, float)
    twos = 2.0 ** np.array(chain.column_powers, float)
    lower, upper = np.array(chain.lower) / twos, np.array(chain.upper) / twos
    columns, constraints = [], []
    for j, whole in enumerate(chain.whole):
        limits = None if chain.bounds_as_rows else [lower[j], upper[j]]
        columns.append(cp.Variable(name=f"x{j}", integer=whole, bounds=limits))
        if chain.bounds_as_rows:
            constraints += [columns[j] >= lower[j], columns[j] <= upper[j]]
    stacked = cp.hstack(columns)
    for (coefficients, sense, rhs), ten in zip(chain.rows, tens, strict=True):
        left, right = (np.array(coefficients) * ten * twos) @ stacked, rhs * ten
        constraints.append({"<=": left <= right, ">=": left >= right, "==": left == right}[sense])
    senses = {"min": cp.Minimize, "max": cp.Maximize}
    objectives = {
        str(k): senses[sense]((np.array(coefficients) * twos) @ stacked)
        for k, (sense, coefficients) in enumerate(chain.objectives, 1)
    }
    return lx.preemptive(objectives, constraints, **tolerances)


@cache
def lexicographic_optimum(chain):
    """Exact optima in order; None if z3 can't find and prove them in time.

    z3's optimiser is sometimes wrong where whole and real columns meet (it answers "2/3 +
    epsilon" over closed sets), so its point counts only if z3's solver proves it, level by level.
    """
    facts, objectives = _written(chain)
    return proved_optima(facts, objectives)


def level_by_level(levels, size, longest):
    """Exact maxima of `(rows, coefficients)`, each with rows `coefficients <= rhs` of its own.

    Columns lie between zero and ``longest``; each level keeps all optima before it. None as above.
    """
    columns = [z3.Real(f"x{j}") for j in range(size)]

    def linear(coefficients):
        return z3.Sum([c * x for c, x in zip(coefficients, columns, strict=True)])

    limits = [fact for x in columns for fact in (x >= 0, x <= longest)]
    locks, values = [], []
    for rows, coefficients in levels:
        facts = limits + locks + [linear(row) <= rhs for row, rhs in rows]
        found = proved_optima(facts, [("max", linear(coefficients))])
        if found is None:
            return None
        values += found
        locks.append(linear(coefficients) >= z3.Q(found[0].numerator, found[0].denominator))
    return values


def price(chain, name, level):
    """Exact right derivative of what slack on a held level buys in a later one; None as above.

    The optimum is convex and piecewise linear in the slack, so two equal slopes over small steps
    are the slope at zero; while they differ the steps are made smaller.
    """
    optima = lexicographic_optimum(chain)
    facts, objectives = _written(chain)
    held, later = int(name) - 1, int(level) - 1

    def best(slack):
        locks = []
        for k in range(later):
            (sense, objective), room = objectives[k], slack if k == held else 0
            worst = optima[k] + room if sense == "min" else optima[k] - room
            number = z3.Q(worst.numerator, worst.denominator)
            locks.append(objective <= number if sense == "min" else objective >= number)
        found = proved_optima(facts + locks, objectives[later : later + 1])
        return None if found is None else found[0]

    step, sign = Fraction(1, 100), 1 if objectives[later][0] == "min" else -1
    for _ in range(4):
        values = [best(slack) for slack in (Fraction(0), step / 2, step)]
        if None in values:
            return None
        slopes = [2 * sign * (a - b) / step for a, b in pairwise(values)]
        if slopes[0] == slopes[1]:
            return slopes[0]
        step /= 1000
    return None


def _written(chain):
    """A chain's facts and objectives as z3 reads them."""
    columns = [(z3.Int if whole else z3.Real)(f"x{j}") for j, whole in enumerate(chain.whole)]

    def linear(coefficients):
        return z3.Sum([c * x for c, x in zip(coefficients, columns, strict=True)])

    facts = [x >= low for x, low in zip(columns, chain.lower, strict=True)]
    facts += [x <= high for x, high in zip(columns, chain.upper, strict=True)]
    for coefficients, sense, rhs in chain.rows:
        left = linear(coefficients)
        facts.append({"<=": left <= rhs, ">=": left >= rhs, "==": left == rhs}[sense])
    return facts, [(sense, linear(coefficients)) for sense, coefficients in chain.objectives]


def proved_optima(facts, objectives):
    """Values in order, proved; None if there are none or z3 is not done in time."""
    optimize = z3.Optimize()
    optimize.set(priority="lex", timeout=TIMEOUT)
    optimize.add(facts)
    for sense, objective in objectives:
        (optimize.minimize if sense == "min" else optimize.maximize)(objective)
    if optimize.check() != z3.sat:
        return None
    point = optimize.model()
    values = [_fraction(point.eval(f, model_completion=True)) for _, f in objectives]
    return values if _proved(facts, objectives, values) else None


def _proved(facts, objectives, values):
    """Whether each value can be had with the earlier ones kept, and nothing better."""
    solver = z3.Solver()
    solver.set("timeout", TIMEOUT)
    solver.add(facts)
    for (sense, objective), value in zip(objectives, values, strict=True):
        number = z3.Q(value.numerator, value.denominator)
        if solver.check(objective < number if sense == "min" else objective > number) != z3.unsat:
            return False
        solver.add(objective == number)
    return solver.check() == z3.sat


def _fraction(value):
    number = z3.simplify(value)
    if z3.is_int_value(number):
        return Fraction(number.as_long())
    return Fraction(number.numerator_as_long(), number.denominator_as_long())
