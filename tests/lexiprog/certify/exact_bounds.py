"""Linear programs and bounds in rational arithmetic, from the floats of a form as they stand."""

from fractions import Fraction

import numpy as np
import z3


def rational(value):
    fraction = Fraction(value)
    return z3.Q(fraction.numerator, fraction.denominator)


def linear_optimum(form):
    """The optimum of a linear form by z3, or None if there is none."""
    columns = [z3.Real(f"x{j}") for j in range(form.c.size)]

    def linear(coefficients):
        terms = zip(coefficients.tolist(), columns, strict=True)
        return z3.Sum([z3.RealVal(0), *(rational(a) * x for a, x in terms if a)])

    optimize = z3.Optimize()
    for i, row in enumerate(form.A.toarray()):
        left, right = linear(row), rational(form.b[i])
        optimize.add(left == right if i < form.cones.zero else left <= right)
    for x, low, high in zip(columns, form.lower.tolist(), form.upper.tolist(), strict=True):
        if np.isfinite(low):
            optimize.add(x >= rational(low))
        if np.isfinite(high):
            optimize.add(x <= rational(high))
    goal = optimize.minimize(linear(form.c))
    if optimize.check() != z3.sat:
        return None
    value = z3.simplify(optimize.lower(goal))
    if z3.is_int_value(value):
        return Fraction(value.as_long()) + Fraction(form.offset)
    if not z3.is_rational_value(value):  # minus infinity
        return None
    number = Fraction(value.numerator_as_long(), value.denominator_as_long())
    return number + Fraction(form.offset)


def bound_by_hand(form, x, z):
    """The bound over the form's own ranges, term by term in rationals; None if it is infinite."""
    exact = [Fraction(v) if i < form.cones.zero else max(Fraction(v), Fraction(0))
             for i, v in enumerate(z.tolist())]  # fmt: skip
    x = [Fraction(v) for v in x.tolist()]
    A = form.A.toarray().tolist()
    P = [] if form.P is None else form.P.toarray().tolist()
    curvature = [sum(Fraction(p) * v for p, v in zip(row, x, strict=True)) for row in P]
    curvature = curvature or [Fraction(0)] * len(x)
    total = Fraction(form.offset)
    total -= sum(p * v for p, v in zip(curvature, x, strict=True)) / 2
    total -= sum(Fraction(b) * v for b, v in zip(form.b.tolist(), exact, strict=True))
    for j, cost in enumerate(form.c.tolist()):
        reduced = Fraction(cost) + curvature[j]
        reduced += sum(Fraction(row[j]) * v for row, v in zip(A, exact, strict=True))
        end = form.lower[j] if reduced > 0 else form.upper[j]
        if reduced and not np.isfinite(end):
            return None
        total += reduced * Fraction(end) if reduced else 0
    return total
