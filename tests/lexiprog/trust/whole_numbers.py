"""Whole numbers and written decimals of many digits; truths by all points in Python's integers.

Money in cents beside billions, weights that are met to the last digit or not at all, counts times
prices: each case is drawn small enough to look at every point, and in so many digits that a
tolerance of 1e-9 cannot tell right from wrong.
"""

from fractions import Fraction
from itertools import product
from math import lcm

import cvxpy as cp
import numpy as np

import lexiprog as lx
from tests.lexiprog.trust.cases import Case, Front, only

# Values are right to the last digit, but for what a float of 13 digits cannot show.
EXACT, SIZE = 1e-14, 1.0


def _points(ranges):
    """All whole points of a box, one a row, as Python's integers."""
    return [list(point) for point in product(*(range(low, high + 1) for low, high in ranges))]


def _dots(coefficients, points):
    """The exact sum at each point: decimals are read as they are written."""
    read = [Fraction(str(c)) for c in coefficients]
    bottom = lcm(*(c.denominator for c in read))
    whole = [int(c * bottom) for c in read]
    sums = [sum(c * v for c, v in zip(whole, p, strict=True)) for p in points]
    return [Fraction(total, bottom) for total in sums]


def _dot(coefficients, point):
    return _dots(coefficients, [point])[0]


SENSES = {
    "<=": (lambda a, b: a <= b, lambda a, b: a <= b),
    ">=": (lambda a, b: a >= b, lambda a, b: a >= b),
    "==": (lambda a, b: a == b, lambda a, b: a == b),
}


def chain(levels, rows, ranges, *, right=EXACT):
    """A lexicographic program over the whole points of a box, and its true optima."""
    points = _points(ranges)
    for coefficients, sense, rhs in rows:
        holds, limit = SENSES[sense][0], Fraction(str(rhs))
        sums = _dots(coefficients, points)
        points = [p for p, total in zip(points, sums, strict=True) if holds(total, limit)]
    truth = []
    for sense, coefficients in levels:
        if not points:
            break
        values = _dots(coefficients, points)
        best = min(values) if sense == "min" else max(values)
        points = [p for p, value in zip(points, values, strict=True) if value == best]
        truth.append(float(best))
    lows, highs = zip(*ranges, strict=True)
    x = cp.Variable(len(ranges), integer=True, name="x", bounds=[np.array(lows), np.array(highs)])
    limits = [SENSES[sense][1](np.array(v, float) @ x, float(rhs)) for v, sense, rhs in rows]
    kinds = {"min": cp.Minimize, "max": cp.Maximize}
    named = {str(k): kinds[sense](np.array(v, float) @ x) for k, (sense, v) in enumerate(levels)}
    found = tuple(truth) if points else ("infeasible",)
    return Case(lx.preemptive(named, limits), found, (SIZE,) * len(found), right)


def _whole(random, size, low, high):
    return [random.randint(low, high) for _ in range(size)]


def subset_sums(random):
    """One or two equations over weights of 8 to 13 digits, with or without a solution."""
    size, most = random.choice([(10, 1), (12, 1), (5, 4)])
    digits = random.randint(8, 13)
    rows = []
    point = _whole(random, size, 0, most)
    for _ in range(random.choice([1, 1, 2])):
        weights = _whole(random, size, 10 ** (digits - 1), 10**digits - 1)
        rows.append((weights, "==", int(_dot(weights, point)) + random.choice([0, 0, 0, 1, -2])))
    prices = _whole(random, size, 1, 10 ** random.choice([1, 2, 6]))
    return chain([(random.choice(["min", "max"]), prices)], rows, [(0, most)] * size)


def tight_budgets(random):
    """Packing within a budget of 8 to 12 digits that the best choice fills to the last unit."""
    size = random.randint(6, 11)
    unit = 10 ** random.randint(7, 11)
    weights = [random.randint(1, 9) * unit + random.randint(-3, 3) for _ in range(size)]
    chosen = random.sample(range(size), size // 2)
    room = sum(weights[j] for j in chosen) - random.randint(0, 1)
    levels = [("max", _whole(random, size, 1, 9)), ("min", weights)]
    return chain(levels, [(weights, "<=", room)], [(0, 1)] * size)


def middling(random):
    """Whole numbers of 3 to 9 digits everywhere, which solvers may just tell apart or not."""
    size, most = random.choice([(10, 1), (5, 3)])
    levels, rows = [], []
    point = _whole(random, size, 0, most)
    for _ in range(random.randint(1, 3)):
        weights = _whole(random, size, 1, 10 ** random.randint(3, 9))
        side = int(_dot(weights, point)) + random.choice([0, 0, 0, 1, -1])
        rows.append((weights, random.choice(["<=", ">=", "<=", ">=", "=="]), side))
    for _ in range(random.randint(1, 3)):
        costs = _whole(random, size, -100, 10 ** random.randint(1, 9))
        levels.append((random.choice(["min", "max"]), costs))
    return chain(levels, rows, [(0, most)] * size)


def money_levels(random):
    """Levels of millions to trillions and a few units or cents, then others that they leave."""
    size, base = random.randint(5, 9), 10 ** random.randint(6, 12)
    places = random.choice([0, 0, 2]) if base <= 10**11 else 0
    levels = []
    for _ in range(random.randint(1, 2)):
        parts = [random.randint(0, 3) * base + random.randint(0, 99) for _ in range(size)]
        levels.append((random.choice(["min", "max"]), [p / 10**places for p in parts]))
    levels.append((random.choice(["min", "max"]), _whole(random, size, 0, 9)))
    weights = _whole(random, size, 1, 9)
    rows = [(weights, "<=", sum(weights) * 2 // 3), (weights, ">=", sum(weights) // 3)]
    return chain(levels, rows, [(0, 1)] * size)


def decimal_counts(random):
    """Counts times prices in decimals: budgets met to the last digit, or missed by it."""
    size, places = random.randint(3, 5), random.randint(1, 4)
    most = {3: 12, 4: 7, 5: 4}[size]
    ranges = [(random.randint(-3, 0), most) for _ in range(size)]
    rows = []
    point = [random.randint(low, high) for low, high in ranges]
    for _ in range(random.randint(1, 2)):
        prices = [random.randint(1, 9999) / 10**places for _ in range(size)]
        exact = _dot(prices, point) + Fraction(random.choice([0, 0, 0, 1, -1]), 10**places)
        rows.append((prices, random.choice(["==", "<=", ">="]), float(exact)))
    levels = [
        (random.choice(["min", "max"]), [random.randint(-999, 9999) / 100 for _ in range(size)])
        for _ in range(random.randint(1, 3))
    ]
    return chain(levels, rows, ranges)


def last_digits(random):
    """Rows over whole columns that contradict each other, or just do not, by 1e-6 to 1e-12."""
    size, gap = random.randint(2, 4), Fraction(random.randint(1, 9), 10 ** random.randint(6, 12))
    ranges = [(0, random.randint(2, 6)) for _ in range(size)]
    point = [random.randint(low, high) for low, high in ranges]
    prices = [random.randint(1, 99) / 10 for _ in range(size)]
    side = _dot(prices, point) + random.choice([0, 1, -1]) * gap
    rows = [(prices, random.choice(["==", ">=", "<="]), float(side))]
    levels = [("min", _whole(random, size, 1, 9)), ("max", prices)]
    return chain(levels, rows, ranges)


def diophantine(random):
    """Two or three counts up to thousands in an equation of 5 to 10 digits."""
    a, b = (random.randint(10**4, 10 ** random.randint(5, 10)) for _ in range(2))
    far = random.choice([300, 2000])
    x, y = random.randint(0, far), random.randint(0, far)
    rhs = a * x + b * y + random.choice([0, 0, 1])
    cost = [random.randint(1, 9), random.randint(1, 9)]
    found = [
        (cost[0] * u + cost[1] * v)
        for u in range(far + 1)
        for v, left in [divmod(rhs - a * u, b)]
        if not left and 0 <= v <= far
    ]
    z = cp.Variable(2, integer=True, name="z", bounds=[0, far])
    program = only(cp.Minimize(np.array(cost) @ z), [np.array([a, b], float) @ z == rhs])
    return Case(program, (float(min(found)) if found else "infeasible",), (SIZE,), EXACT)


def charges(random):
    """Open and ship: charges and rates in decimals, then the fewest that are opened."""
    size, big = random.randint(4, 6), 10 ** random.choice([1, 3, 6])
    room = [random.randint(1, 80) / 10 for _ in range(size)]
    charge = [random.randint(1, 9999) * big / 100 for _ in range(size)]
    rate = [random.randint(1, 999) / 100 for _ in range(size)]
    demand = Fraction(random.randint(5, int(5 * sum(room))), 10)
    best = []
    for opened in product([0, 1], repeat=size):
        left, total = demand, sum(Fraction(str(c)) * o for c, o in zip(charge, opened, strict=True))
        for k in sorted(range(size), key=lambda k: rate[k]):
            amount = min(left, opened[k] * Fraction(str(room[k])))
            left, total = left - amount, total + Fraction(str(rate[k])) * amount
        if not left:
            best.append((total, sum(opened)))
    least = min(best)
    amounts = cp.Variable(size, nonneg=True, name="amounts")
    used = cp.Variable(size, boolean=True, name="used")
    limits = [amounts <= cp.multiply(room, used), cp.sum(amounts) >= float(demand)]
    levels = {
        "cost": cp.Minimize(np.array(rate) @ amounts + np.array(charge) @ used),
        "opened": cp.Minimize(cp.sum(used)),
    }
    truth = (float(least[0]), float(least[1]))
    return Case(lx.preemptive(levels, limits), truth, (SIZE,) * 2, 1e-9)


def long_fronts(random):
    """All compromises between values of 9 to 12 digits and costs in cents, or two such values."""
    size = random.randint(3, 7)
    base, places = 10 ** random.randint(8, 11), random.choice([0, 1, 2])
    values = [random.choice([0, 1, 3]) * base + random.randint(0, 9) for _ in range(size)]
    costs = [random.choice([0, 0, base]) + random.randint(1, 99) / 10**places for _ in range(size)]
    rows = [p for p in _points([(0, 1)] * size) if sum(p) <= size - 1]
    found = set(zip(_dots(values, rows), _dots(costs, rows), strict=True))
    best = {p for p in found
            if not any(q != p and q[0] >= p[0] and q[1] <= p[1] for q in found)}  # fmt: skip
    x = cp.Variable(size, boolean=True, name="x")
    objectives = {"value": cp.Maximize(np.array(values, float) @ x),
                  "cost": cp.Minimize(np.array(costs, float) @ x)}  # fmt: skip
    return Front(objectives, [cp.sum(x) <= size - 1], frozenset(tuple(map(float, p)) for p in best))


FAMILIES = (
    subset_sums, tight_budgets, middling, money_levels, decimal_counts, last_digits, diophantine,
    charges, long_fronts,
)  # fmt: skip
