"""Leximin in exact rationals, by z3 and without multipliers: an independent judge."""

from fractions import Fraction

import numpy as np
import z3


def rational(number):
    """A float, exactly."""
    return z3.RealVal(Fraction(float(number)))


class Exact:
    """Utilities over {A x <= b (the first `zero` rows ==), lower <= x <= upper}."""

    def __init__(self, A, b, zero, lower, upper, U, offsets, integer=()):
        A, U = np.asarray(A, float), np.asarray(U, float)
        size = U.shape[1]
        self.x = [z3.Int(f"x{j}") if j in integer else z3.Real(f"x{j}") for j in range(size)]
        self.utilities = [
            self._sum(row) + rational(offset) for row, offset in zip(U, offsets, strict=True)
        ]
        self.rules = []
        for i, (row, side) in enumerate(zip(A, b, strict=True)):
            total = self._sum(row)
            self.rules.append(total == rational(side) if i < zero else total <= rational(side))
        for column, low, high in zip(self.x, lower, upper, strict=True):
            if np.isfinite(low):
                self.rules.append(column >= rational(low))
            if np.isfinite(high):
                self.rules.append(column <= rational(high))

    def _sum(self, row):
        return z3.Sum(
            [rational(a) * x for a, x in zip(row, self.x, strict=True) if a] or [z3.RealVal(0)]
        )

    def feasible(self):
        solver = z3.Solver()
        solver.add(self.rules)
        return solver.check() == z3.sat

    def levels(self):
        """[(value, members)] from the lowest; (None, members) at the end if they are unlimited."""
        rules, active, found = list(self.rules), list(range(len(self.utilities))), []
        while active:
            least = z3.Real("least")
            maximise = z3.Optimize()
            maximise.add(rules)
            maximise.add([self.utilities[i] >= least for i in active])
            goal = maximise.maximize(least)
            assert maximise.check() == z3.sat
            best = maximise.upper(goal)
            if z3.is_int_value(best):  # z3 tells whole numbers from other rationals
                value = Fraction(best.as_long())
            elif z3.is_rational_value(best):
                value = Fraction(best.numerator_as_long(), best.denominator_as_long())
            else:
                return [*found, (None, tuple(active))]
            # Nobody may fall below; whoever nothing lets rise is stuck.
            keep = [self.utilities[i] >= best for i in active]
            stuck = [i for i in active if self._is_stuck(rules + keep, i, best)]
            rules += [self.utilities[i] == best for i in stuck]
            active = [i for i in active if i not in stuck]
            found.append((value, tuple(stuck)))
        return found

    def _is_stuck(self, rules, i, best):
        solver = z3.Solver()
        solver.add(rules)
        solver.add(self.utilities[i] > best)
        return solver.check() == z3.unsat
