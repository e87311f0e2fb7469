"""Random rational linear programs, an independent check of proofs, and z3's answers."""

from fractions import Fraction

import z3

from lexiprog.rational.program import ExactLP

KINDS = ("whole", "decimal", "fraction", "nearly parallel", "scaled")


def random_lp(random, kind=None):
    """Up to nine rows and columns; often degenerate, redundant, infeasible or unbounded.

    Free and fixed columns, equations, empty rows and columns are all drawn by intent.
    """
    kind = kind or random.choice(KINDS)
    n, m = random.randint(0, 9), random.randint(0, 9)
    matrix = [[_number(random, kind) for _ in range(n)] for _ in range(m)]
    for i in range(1, m):
        other = matrix[random.randrange(i)]
        change = random.random()
        if change < 0.2:
            matrix[i] = [random.choice([1, 1, 2]) * value for value in other]
        elif kind == "nearly parallel" and change < 0.5:
            matrix[i] = [value + random.randint(-1, 1) for value in other]
        elif change > 0.95:
            matrix[i] = [Fraction(0)] * n
    rows, columns = [Fraction(1)] * m, [Fraction(1)] * n
    if kind == "scaled":
        rows = [Fraction(10) ** random.randint(-9, 9) for _ in range(m)]
        columns = [Fraction(2) ** random.randint(-20, 20) for _ in range(n)]
    matrix = [
        [value * r * c for value, c in zip(row, columns, strict=True)]
        for row, r in zip(matrix, rows, strict=True)
    ]
    inside = [Fraction(random.randint(-2, 4)) / c for c in columns]
    lower = [
        None if random.random() < 0.25 else x - random.choice([0, 0, 1, 2]) / c
        for x, c in zip(inside, columns, strict=True)
    ]
    upper = [
        None if random.random() < 0.35 else x + random.choice([0, 0, 1, 5]) / c
        for x, c in zip(inside, columns, strict=True)
    ]
    zero = random.randint(0, m) if random.random() < 0.6 else 0
    feasible = random.random() < 0.7
    b = []
    for i, (row, r) in enumerate(zip(matrix, rows, strict=True)):
        room = r * random.choice([0, 0, 1, Fraction(1, 2)])
        if feasible:
            room = 0 if i < zero else room
        elif random.random() < 0.5:
            room = -room
        b.append(sum((a * x for a, x in zip(row, inside, strict=True)), Fraction(0)) + room)
    c = [_number(random, kind) * column for column in columns]
    offset = Fraction(random.randint(0, 3), 2)
    return ExactLP.of(c, matrix, b, zero=zero, lower=lower, upper=upper, offset=offset)


def _number(random, kind):
    if random.random() < 0.35:
        return Fraction(0)
    if kind == "decimal":
        return Fraction(random.randint(-999, 999), 100)
    if kind == "fraction":
        return Fraction(random.randint(-9, 9), random.randint(1, 9))
    if kind == "nearly parallel":
        return Fraction(random.randint(-3, 3) * 100_000 + random.randint(-1, 1))
    return Fraction(random.randint(-3, 3))


def product(lp, vector):
    """The rows' activities at a vector."""
    return [
        sum((a * vector[j] for j, a in zip(places, values, strict=True)), Fraction(0))
        for places, values in lp.rows
    ]


def weighted_rows(lp, weights):
    """The rows summed with some weights."""
    out = [Fraction(0)] * len(lp.c)
    for (places, values), weight in zip(lp.rows, weights, strict=True):
        for j, value in zip(places, values, strict=True):
            out[j] += weight * value
    return out


def assert_proved(lp, outcome):
    """Every claim of an outcome on the whole feasible set, from the program's data alone."""
    bounds = list(zip(lp.lower, lp.upper, strict=True))
    if outcome.status in ("optimal", "unbounded"):
        for i, (left, right) in enumerate(zip(product(lp, outcome.x), lp.b, strict=True)):
            assert left == right if i < lp.zero else left <= right
        for x, (low, high) in zip(outcome.x, bounds, strict=True):
            assert low is None or x >= low
            assert high is None or x <= high
    if outcome.status == "unbounded":
        d = outcome.direction
        for i, left in enumerate(product(lp, d)):
            assert left == 0 if i < lp.zero else left <= 0
        for x, (low, high) in zip(d, bounds, strict=True):
            assert low is None or x >= 0
            assert high is None or x <= 0
        assert sum(a * b for a, b in zip(lp.c, d, strict=True)) < 0
        return
    if outcome.crossed is not None:
        assert outcome.status == "infeasible"
        assert lp.lower[outcome.crossed] > lp.upper[outcome.crossed]
        return
    assert all(value >= 0 for value in outcome.y[lp.zero :])
    weighted = weighted_rows(lp, outcome.y)
    cost = lp.c if outcome.status == "optimal" else [Fraction(0)] * len(lp.c)
    assert outcome.reduced == [a + b for a, b in zip(cost, weighted, strict=True)]
    bound = -sum((b * y for b, y in zip(lp.b, outcome.y, strict=True)), Fraction(0))
    for reduced, (low, high) in zip(outcome.reduced, bounds, strict=True):
        if reduced:
            bound += reduced * (low if reduced > 0 else high)
    if outcome.status == "optimal":
        value = sum((a * b for a, b in zip(lp.c, outcome.x, strict=True)), lp.offset)
        assert outcome.value == value == bound + lp.offset
    else:
        assert outcome.status == "infeasible"
        assert bound > 0


def by_z3(lp):
    """Status and optimum; ("unknown", None) if z3 does not know in time."""
    optimize = z3.Optimize()
    optimize.set(timeout=10_000)
    x = [z3.Real(f"x{j}") for j in range(len(lp.c))]

    def linear(places, values):
        terms = [_z3(value) * x[j] for j, value in zip(places, values, strict=True)]
        return z3.Sum(terms) if terms else z3.RealVal(0)

    for i, (row, b) in enumerate(zip(lp.rows, lp.b, strict=True)):
        optimize.add(linear(*row) == _z3(b) if i < lp.zero else linear(*row) <= _z3(b))
    for v, low, high in zip(x, lp.lower, lp.upper, strict=True):
        if low is not None:
            optimize.add(v >= _z3(low))
        if high is not None:
            optimize.add(v <= _z3(high))
    handle = optimize.minimize(linear(range(len(lp.c)), lp.c))
    result = optimize.check()
    if result != z3.sat:
        return ("infeasible" if result == z3.unsat else "unknown"), None
    value = optimize.lower(handle)
    if "oo" in str(value):
        return "unbounded", None
    value = z3.simplify(z3.ToReal(value) if z3.is_int(value) else value)
    return "optimal", Fraction(value.numerator_as_long(), value.denominator_as_long()) + lp.offset


def _z3(value):
    return z3.Q(value.numerator, value.denominator)
