"""Linear and whole-number data of very unequal terms: leftovers, far-away optima, long weights.

Truths are exact: z3 in rationals, for floats as they are and as they are written (a draw whose
truth depends on that is left out), or all points in Python's integers.
"""

from fractions import Fraction
from itertools import product

import cvxpy as cp
import numpy as np
import z3

import lexiprog as lx
from tests.lexiprog.formulations.exact import TIMEOUT, proved_optima
from tests.lexiprog.trust.cases import Case, Front, only

# Whole numbers of up to 13 digits are right if they are off by less than a hundredth.
WHOLE, WHOLE_SIZE = 1e-14, 1e11
READINGS = (Fraction, lambda number: Fraction(str(number)))
# Products of floats differ from what was meant by a rounding: a draw whose truth hangs on that has
# none that anybody could know.
AS_COMPUTED = (*READINGS, lambda number: Fraction(f"{number:.14g}"))


def without_leftovers(number):
    """The number as people mean it."""
    return Fraction(number) if abs(number) > 1e-9 else Fraction(0)


def leftover(random, least=-17.0, most=-10.0):
    """What is left of numbers that should have cancelled."""
    size = random.choice([0.1 + 0.2 - 0.3, 1.1 * 1.1 - 1.21, 10.0 ** random.uniform(least, most)])
    return random.choice([-1, 1]) * size


def optima_in(read, levels, rows):
    """The exact optimum of each level while there are any, then why not; None if z3 gives up."""
    columns = z3.RealVector("x", len(levels[0][1]))
    real = {c: z3.RealVal(str(read(c))) for v, *_ in rows for c in v}
    real |= {c: z3.RealVal(str(read(c))) for _, v in levels for c in v}

    def linear(coefficients):
        return z3.Sum([real[c] * x for c, x in zip(coefficients, columns, strict=True)])

    def facts(side):
        relations = {"<=": z3.ArithRef.__le__, ">=": z3.ArithRef.__ge__, "==": z3.ArithRef.__eq__}
        return [relations[sense](linear(v), side(rhs)) for v, sense, rhs in rows]

    def possible(facts):
        solver = z3.Solver()
        solver.set("timeout", TIMEOUT)
        return solver.check(facts) == z3.sat

    known, away = facts(lambda rhs: z3.RealVal(str(read(rhs)))), facts(lambda _: z3.RealVal(0))
    if not possible(known):
        return ["infeasible"]
    values = []
    for sense, coefficients in levels:
        cost = linear(coefficients)
        if possible([*away, cost < 0 if sense == "min" else cost > 0]):
            return [*values, "unbounded"]
        found = proved_optima(known, [(sense, cost)])
        if found is None:
            return None
        values += found
        known.append(cost == z3.RealVal(str(found[0])))
        away.append(cost == 0)
    return values


def linear(random, levels, rows, size=1.0, readings=READINGS, parameter=None):
    """A case whose columns are held by rows alone.

    ``parameter`` is (column, value before) in the first row: it was solved with that before.
    """
    first, *others = [optima_in(read, levels, rows) for read in readings]
    if first is None or any(not _same(first, other, size) for other in others):
        return None
    x, changing = cp.Variable(len(levels[0][1]), name="x"), cp.Parameter(name="changing")
    constraints = []
    for k, (v, sense, rhs) in enumerate(rows):
        v = np.array(v, float)
        left = v @ x
        if parameter and k == 0:
            after, v[parameter[0]] = v[parameter[0]], 0.0
            left = v @ x + changing * x[parameter[0]]
        constraints.append({"<=": left <= rhs, ">=": left >= rhs, "==": left == rhs}[sense])
    senses = {"min": cp.Minimize, "max": cp.Maximize}
    named = {str(k): senses[sense](np.array(v) @ x) for k, (sense, v) in enumerate(levels)}
    program = lx.preemptive(named, constraints)
    options = {}
    if parameter:
        changing.value = parameter[1]
        try:
            program.solve()
        except lx.StageError:
            return None
        changing.value, options = after, {"warm": random.random() < 0.5}
    truth = tuple(value if isinstance(value, str) else float(value) for value in first)
    return Case(program, truth, (size,) * len(truth), options=options)


def _same(one, other, size):
    if other is None or len(one) != len(other):
        return False
    pairs = zip(one, other, strict=True)
    return all(a == b if isinstance(a, str) or isinstance(b, str)
               else abs(a - b) <= 1e-7 * (size + abs(a)) for a, b in pairs)  # fmt: skip


def box(lowest, highest):
    """Bounds as rows of a single entry; None is no bound."""
    ones = np.eye(len(lowest)).tolist()
    rows = [(v, ">=", low) for v, low in zip(ones, lowest, strict=True) if low is not None]
    return rows + [(v, "<=", up) for v, up in zip(ones, highest, strict=True) if up is not None]


def drawn(random, size, low=0, high=5):
    return [float(random.randint(low, high)) for _ in range(size)]


def _beside_leftovers(random, size):
    """Rows some of whose columns have no other coefficients than leftovers."""
    cancelled = random.sample(range(size), random.randint(1, size - 1))
    rows = []
    for _ in range(random.randint(1, size)):
        v = drawn(random, size)
        for column in cancelled:
            v[column] = leftover(random) if random.random() < 0.6 else 0.0
        rows.append((v, "<=", float(random.randint(2, 20))))
    return rows


def leftovers(random):
    """Coefficients that should have cancelled, in columns that rows hold between bounds."""
    size, unit = random.randint(2, 6), 10.0 ** random.randint(-3, 3)
    rows = _beside_leftovers(random, size)
    rows += box(drawn(random, size, -5, 0), drawn(random, size, 1, 12))
    rows = [(v, sense, rhs * unit) for v, sense, rhs in rows]
    levels = [("max", drawn(random, size, -2, 5)) for _ in range(random.randint(1, 2))]
    return linear(random, levels, rows, unit, (*READINGS, without_leftovers))


def contradictions(random):
    """Rows that contradict each other by a whole unit, in linear and curved problems."""
    size, unit = random.randint(2, 6), 10.0 ** random.randint(-3, 3)
    x, one = cp.Variable(size, name="x"), np.zeros(size)
    one[random.sample(range(size), random.randint(1, 2))] = 1.0
    side = random.randint(-5, 5)
    limits = [one @ x >= side * unit, one @ x <= (side - random.randint(1, 3)) * unit]
    limits += [np.array(v) @ x <= rhs * unit for v, _, rhs in _beside_leftovers(random, size)]
    goal = unit * np.array(drawn(random, size, -5, 5))
    objective = random.choice(
        [np.array(drawn(random, size, 1)) @ x, cp.sum_squares(x - goal), cp.norm(x - goal)]
    )
    limits += [x >= -20 * unit] if objective.is_affine() or random.random() < 0.5 else []
    return Case(only(cp.Minimize(objective), limits), ("infeasible",), (1.0,))


def open_above(random):
    """Coefficients of 1e-6 to 1e-17 anywhere; one variable is bounded by nothing else above."""
    size, rows = random.randint(2, 6), []
    for _ in range(random.randint(1, 4)):
        v = drawn(random, size)
        for column in range(size):
            if column == 0 or random.random() < 0.4:
                v[column] = random.choice([0, 1, 3]) * 10.0 ** -random.randint(6, 17)
        rows.append((v, "<=", float(random.randint(2, 20))))
    rows += box(drawn(random, size, -5, 0), [None, *drawn(random, size - 1, 1, 12)])
    first = random.choice([1.0, 0.0, -1.0, 10.0 ** -random.randint(3, 12)])
    return linear(random, [("max", [first, *drawn(random, size - 1, -2)])], rows)


def nearly_a_row(random):
    """An objective that differs from a row in digits 5 to 11, with bounds far away."""
    apart = 10.0 ** -random.uniform(5, 11)
    far = float(round(min(10 ** random.uniform(-1, 3) / apart, 1e10)))
    levels, rows, size = _along(random, apart)
    return linear(random, levels, [*rows, *box([-far] * size, [far] * size)])


def slowly_unbounded(random):
    """The same with sides left open: unbounded by 1e-4 to 1e-12 a unit, or just not."""
    levels, rows, size = _along(random, 10.0 ** -random.uniform(4, 12))
    lowest = [None if random.random() < 0.7 else low for low in drawn(random, size, -9, 0)]
    return linear(random, levels, [*rows, *box(lowest, [None] * size)], readings=AS_COMPUTED)


def _along(random, apart):
    size = random.randint(2, 5)
    row = [random.choice([-1, 1]) * c for c in drawn(random, size, 1)]
    cost = [c * (1 + random.randint(-3, 3) * apart) for c in row]
    rows = [(row, ">=", -float(random.randint(1, 9)))]
    rows += [(drawn(random, size), ">=", -float(random.randint(1, 9))) for _ in range(size // 3)]
    return [("min", cost)], rows, size


def written_digits(random):
    """Infeasible, or just feasible, by 1e-6 to 1e-12: rows against their sum."""
    size, gap = random.randint(1, 5), random.randint(1, 9) * 10.0 ** -random.randint(6, 12)
    parts = [drawn(random, size, 1, 7) for _ in range(random.randint(1, 3))]
    sides = [random.randint(1, 99) / random.choice([1, 10]) for _ in parts]
    total = round(sum(sides) + random.choice([-1, 1, 1, 1]) * gap, 13)
    rows = [(v, "<=", side) for v, side in zip(parts, sides, strict=True)]
    rows += [([sum(column) for column in zip(*parts, strict=True)], ">=", total)]
    rows += box([-100.0] * size, [100.0] * size)
    return linear(random, [("min", drawn(random, size, -3, 5))], rows)


def _brute(values, weights, fits, most=1):
    """All that fits, as (its values, its point), in Python's integers."""
    points = product(range(most + 1), repeat=len(values[0]))
    sums = ((tuple(sum(a * b for a, b in zip(v, p, strict=True)) for v in values),
             sum(a * b for a, b in zip(weights, p, strict=True))) for p in points)  # fmt: skip
    return [found for found, weight in sums if fits(weight)]


def heavy_knapsacks(random):
    """Rows of whole weights of 1e10 to 1e12 that are met to the last digit, or not at all."""
    size, most = random.choice([(8, 1), (4, 4)])
    unit = 10 ** random.randint(9, 12)
    weights = [random.randint(1, 9) * unit + random.randint(-2, 2) for _ in range(size)]
    filled = sum(w * random.randint(0, most) for w in weights) + random.randint(-1, 1)
    prices = [random.randint(1, 20) for _ in range(size)]
    exactly = random.random() < 0.5
    found = _brute([prices], weights, lambda w: w == filled if exactly else w <= filled, most)
    x = cp.Variable(size, integer=True, bounds=[0, most], name="x")
    row = np.array(weights, float) @ x
    limits = [row == filled if exactly else row <= filled]
    truth = float(max(found)[0]) if found else "infeasible"
    return Case(only(cp.Maximize(np.array(prices) @ x), limits), (truth,), (WHOLE_SIZE,), WHOLE)


def heavy_levels(random):
    """0-1 levels of 1e6 to 1e11 and a few units, whose last digits leave the next no choice."""
    size, base = random.randint(4, 8), 10 ** random.randint(6, 11)
    levels = [[base + random.randint(0, 9) for _ in range(size)]]
    levels += [[random.randint(0, 9) for _ in range(size)] for _ in range(random.randint(1, 2))]
    weights, room = [random.randint(1, 9) for _ in range(size)], random.randint(8, 25)
    best = max(_brute(levels, weights, lambda weight: weight <= room))
    x = cp.Variable(size, boolean=True, name="x")
    named = {str(k): cp.Maximize(np.array(v, float) @ x) for k, v in enumerate(levels)}
    program = lx.preemptive(named, [np.array(weights) @ x <= room])
    return Case(program, tuple(map(float, best)), (WHOLE_SIZE,) * len(best), WHOLE)


def integer_fronts(random):
    """All compromises between values near 1e9 and costs of a few units, or two such values."""
    size, base = random.randint(3, 7), random.choice([10**8, 10**9, 3 * 10**9])
    values = [random.choice([0, base]) + random.randint(0, 9) for _ in range(size)]
    costs = [random.choice([0, 0, base]) + random.randint(1, 9) for _ in range(size)]
    most = random.randint(2, size)
    found = set(_brute([values, costs], [1] * size, lambda count: count <= most))
    best = {p for p in found
            if not any(q != p and q[0] >= p[0] and q[1] <= p[1] for q in found)}  # fmt: skip
    x = cp.Variable(size, boolean=True, name="x")
    objectives = {"value": cp.Maximize(np.array(values, float) @ x),
                  "cost": cp.Minimize(np.array(costs, float) @ x)}  # fmt: skip
    return Front(objectives, [cp.sum(x) <= most], frozenset(tuple(map(float, p)) for p in best))


def changed_parameters(random):
    """A coefficient that was of size 1 and becomes 0, a leftover, denormal or huge."""
    size = random.randint(2, 5)
    rows = [
        (drawn(random, size), "<=", float(random.randint(2, 20)))
        for _ in range(random.randint(1, size))
    ]
    column = random.randrange(size)
    for v, *_ in rows:
        v[column] *= random.random() < 0.1
    rows[0][0][column] = random.choice(
        [0.0, 1e-15, leftover(random), 5e-324, 1e-310, 10.0 ** random.randint(9, 18)]
    )
    rows += box(drawn(random, size, -5, 0), drawn(random, size, 1, 12))
    levels = [("max", drawn(random, size, -2)) for _ in range(random.randint(1, 2))]
    levels[0][1][column] = random.randint(1, 5) + 0.5
    before = random.choice([1.0, 3.0, 0.0, 1e9])
    readings = (*READINGS, without_leftovers)
    return linear(random, levels, rows, 1.0, readings, (column, before))


FAMILIES = (
    leftovers, contradictions, open_above, nearly_a_row, slowly_unbounded, written_digits,
    heavy_knapsacks, heavy_levels, integer_fronts, changed_parameters,
)  # fmt: skip
