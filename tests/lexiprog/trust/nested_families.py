"""Levels over rows of their own that hold earlier ones, whose objectives hardly differ from a row.

Drawn in whole numbers and solved in rationals level by level (z3); then written as they are or
divided by a power of ten. Where digits of the first objective are lost the later ones jump.
"""

import cvxpy as cp
import numpy as np

import lexiprog as lx
from tests.lexiprog.formulations.exact import level_by_level
from tests.lexiprog.trust.cases import Case

SIZE, LONGEST = 4, 10


def same_rows(random):
    """Each level has the rows of those before."""
    return _drawn(random, lambda rows, _: rows)


def more_rows(random):
    """Each level has the rows of those before, and more."""
    return _drawn(random, lambda rows, added: [*rows, *added])


def rows_written_again(random):
    """The same, with constraints that are written anew for each level."""
    return _drawn(random, lambda rows, added: [*map(list, rows), *added])


def rows_let_go(random):
    """Each level lets go of some rows of those before.

    Fractions read numbers of up to 12 digits as decimals, so there are no more.
    """

    def then(rows, added):
        return [*random.sample(rows, len(rows) - 1), *added]

    return _drawn(random, then, most=11)


def _drawn(random, then, most=14):
    digits = 10 ** random.randint(7, most)
    first = [_row(random) for _ in range(random.randint(2, 4))]
    most = tuple(digits * c + random.randint(-2, 2) for c in first[0][0])
    levels = [(first, most)]
    for _ in range(random.randint(1, 2)):
        rows = then(levels[-1][0], [_row(random) for _ in range(random.randint(1, 2))])
        levels.append((rows, tuple(random.randint(-3, 5) for _ in range(SIZE))))
    truth = level_by_level(levels, SIZE, LONGEST)
    if truth is None:
        return None
    unit = random.choice([1, digits])
    values = (float(truth[0] / unit), *map(float, truth[1:]))
    return Case(_written(levels, unit), values, (digits / unit, *(1.0 for _ in truth[1:])))


def _row(random):
    """Coefficients and the most that they may come to; the list itself stands for a constraint."""
    return [tuple(random.randint(0, 5) for _ in range(SIZE)), random.randint(3, 20)]


def _written(levels, unit):
    x = cp.Variable(SIZE, bounds=[0, LONGEST], name="x")
    known, held, stages = {}, [], []
    for k, (rows, objective) in enumerate(levels):
        for row in rows:
            known.setdefault(id(row), np.array(row[0]) @ x <= row[1])
        own = [known[id(row)] for row in rows]
        costs = np.array(objective) / (1 if k else unit)
        level = lx.Subproblem(str(k), cp.Maximize(costs @ x), [*own, *(h.held() for h in held)])
        held.append(level)
        stages.append(lx.Stage(str(k), level))
    return lx.Program(*stages)
