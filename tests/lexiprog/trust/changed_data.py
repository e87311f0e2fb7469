"""Parameters that become odd numbers between solves, and held curves in other units."""

import cvxpy as cp
import numpy as np

import lexiprog as lx

# What a coefficient, a side or a cost may become: nothing, a leftover, denormal, or huge.
ODD = (0.0, -1.0, 2.0, 1e-6, 1e-9, 1e-12, 1e-15, -1e-15, 1e-310, 5e-324, 1e6, 1e9, 1e12, 1e15, 1e18)
PLACES = ("coefficient", "column", "side", "lowest", "cost", "next cost", "goal")


def written(random, kind, place):
    """What builds a program of two levels from a number, or from a parameter."""
    size, count = random.randint(2, 5), random.randint(1, 4)
    table = np.array([[float(random.randint(0, 5)) for _ in range(size)] for _ in range(count)])
    sides = [float(random.randint(2, 20)) for _ in range(count)]
    lowest = np.array([float(random.randint(-5, 0)) for _ in range(size)])
    highest = np.array([float(random.randint(1, 12)) for _ in range(size)])
    costs = [np.array([float(random.randint(-2, 5)) for _ in range(size)]) for _ in range(2)]
    goal = np.array([float(random.randint(-5, 5)) for _ in range(size)])
    row, column = random.randrange(count), random.randrange(size)
    others = np.where(np.arange(size) == column, 0.0, 1.0)

    def build(number):
        x = cp.Variable(size, name="x")

        def linear(coefficients, there):
            if not there:
                return coefficients @ x
            return (others * coefficients) @ x + number * x[column]

        limits = [x <= highest]
        for k in range(count):
            there = place == "column" or (place == "coefficient" and k == row)
            at_most = number if place == "side" and k == row else sides[k]
            limits.append(linear(table[k], there) <= at_most)
        if place == "lowest":
            limits += [x[k] >= lowest[k] for k in range(size) if k != column]
            limits.append(x[column] >= number)
        else:
            limits.append(x >= lowest)
        aim = others * goal + (1 - others) * number if place == "goal" else goal
        first = linear(costs[0], place == "cost")
        objective = {
            "LP": lambda: cp.Maximize(first),
            "QP": lambda: cp.Minimize(cp.sum_squares(x - aim) - 0.1 * first),
            "SOCP": lambda: cp.Minimize(cp.norm(x - aim) - 0.01 * first),
        }[kind]()
        return lx.preemptive(
            {"first": objective, "next": cp.Maximize(linear(costs[1], place == "next cost"))},
            limits,
        )

    return build


def outcome(program, **options):
    """Values and statuses, or why there are none."""
    try:
        result = program.solve(**options)
    except lx.StageError as error:
        return ((len(error.partial), str(error.status)),)
    return tuple((solution.value, str(solution.status)) for solution in result.values())


def same(one, other):
    """Whether two outcomes are the same, but for rounding."""
    return len(one) == len(other) and all(
        said == word and abs(value - number) <= 1e-6 * (1 + abs(number))
        for (value, said), (number, word) in zip(one, other, strict=True)
    )
