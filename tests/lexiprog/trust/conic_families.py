"""Curved problems and chains of them whose optima are known by a formula."""

from random import Random

import cvxpy as cp
import numpy as np

import lexiprog as lx
from tests.lexiprog.trust.cases import Case, only


def _numbers(random: Random, *shape: int) -> np.ndarray:
    return np.array([random.gauss(0, 1) for _ in range(int(np.prod(shape)))]).reshape(shape)


def risk_then_return(random):
    """The least risk, and then the best return that it leaves, with budgets from 1e-6 to 1e9.

    Assets 2k and 2k + 1 are the same but for their returns, so that the least risk fixes only
    what is spent on each pair, and the second stage buys the better of the two.
    """
    pairs = random.randint(2, 4)
    budget = 10.0 ** random.choice([-6, -3, 0, 3, 6, 9])
    deviations = np.array([random.randint(1, 9) / 10 for _ in range(pairs)])
    returns = np.array([[random.randint(1, 20) / 100 for _ in range(2)] for _ in range(pairs)])
    x = cp.Variable((pairs, 2), nonneg=True, name="x")
    risk = cp.sum_squares(cp.multiply(deviations, cp.sum(x, axis=1)))
    spent = budget / deviations**2 / np.sum(1 / deviations**2)
    least = float(np.sum((deviations * spent) ** 2))
    best = float(returns.max(axis=1) @ spent)
    levels = {"risk": cp.Minimize(risk), "return": cp.Maximize(cp.sum(cp.multiply(returns, x)))}
    program = lx.preemptive(levels, [cp.sum(x) == budget])
    return Case(program, (least, best), (least, best))


def far_balls(random):
    """A linear objective over a ball of any radius, and a second one where that leaves a choice."""
    size = random.randint(2, 4)
    radius = 10.0 ** random.choice([-6, -3, 0, 3, 6, 9])
    center, cost, other = (_numbers(random, size) for _ in range(3))
    center *= radius
    x = cp.Variable(size, name="x")
    y = cp.Variable(name="y", bounds=[0, radius])
    ball = cp.norm(x - center) <= radius
    first = float(cost @ center - radius * np.linalg.norm(cost))
    best = center - radius * cost / np.linalg.norm(cost)
    second = float(other @ best)
    levels = {"first": cp.Minimize(cost @ x), "second": cp.Minimize(other @ x + y)}
    size_of = radius * (1 + np.linalg.norm(cost))
    return Case(lx.preemptive(levels, [ball]), (first, second), (size_of, size_of))


def one_ball(random):
    """A linear objective over a ball of radius 1e-6 to 1e9, alone."""
    size = random.randint(2, 6)
    radius = 10.0 ** random.choice([-6, -3, 0, 3, 6, 9])
    center, cost = (_numbers(random, size) for _ in range(2))
    x = cp.Variable(size, name="x")
    truth = float(cost @ center - radius * np.linalg.norm(cost))
    program = only(cp.Minimize(cost @ x), [cp.norm(x - center) <= radius])
    return Case(program, (truth,), (radius,))


def least_squares(random):
    """The nearest point of a plane, and then the best of what it leaves open."""
    size = random.randint(3, 6)
    normal, target = _numbers(random, size), 3 * _numbers(random, size)
    side, weight = random.gauss(0, 2), random.gauss(0, 1)
    x, y = cp.Variable(size, name="x"), cp.Variable(name="y", bounds=[-1, 2])
    miss = (normal @ target - side) / (normal @ normal)
    best = target - miss * normal
    other = _numbers(random, size)
    second = float(other @ best) + min(-weight, 2 * weight)
    levels = {
        "near": cp.Minimize(cp.sum_squares(x - target)),
        "other": cp.Minimize(other @ x + weight * y),
    }
    return Case(
        lx.preemptive(levels, [normal @ x == side]),
        (float(miss**2 * (normal @ normal)), second),
        (1.0, 1.0),
    )


def norms(random):
    """The least Euclidean distance to a half-space, and then a linear objective."""
    size = random.randint(2, 5)
    normal, target = _numbers(random, size), 2 * _numbers(random, size)
    distance = random.uniform(0.5, 4.0)
    side = float(normal @ target) + distance * np.linalg.norm(normal)
    x = cp.Variable(size, name="x")
    best = target + distance * normal / np.linalg.norm(normal)
    other = _numbers(random, size)
    levels = {"near": cp.Minimize(cp.norm(x - target)), "other": cp.Minimize(other @ x)}
    truth = (distance, float(other @ best))
    return Case(lx.preemptive(levels, [normal @ x >= side]), truth, (1.0, 1.0))


def eigenvalues(random):
    """The largest eigenvector's projector, and then another matrix along it."""
    size = random.randint(2, 4)
    axes = np.linalg.qr(_numbers(random, size, size))[0]
    roots = np.sort(np.array([random.uniform(-2, 2) for _ in range(size)]))
    roots[-1] += 0.5  # the largest is alone
    matrix = (axes * roots) @ axes.T
    other = _numbers(random, size, size)
    other = (other + other.T) / 2
    X = cp.Variable((size, size), PSD=True, name="X")
    levels = {
        "largest": cp.Maximize(cp.trace(matrix @ X)),
        "other": cp.Minimize(cp.trace(other @ X)),
    }
    truth = (float(roots[-1]), float(axes[:, -1] @ other @ axes[:, -1]))
    return Case(lx.preemptive(levels, [cp.trace(X) == 1]), truth, (1.0, 1.0))


def logarithms(random):
    """Proportional shares of a budget, and then a linear objective of them and of a free one."""
    size = random.randint(2, 5)
    weights = np.array([random.randint(1, 9) for _ in range(size)], float)
    prices = np.array([random.randint(1, 9) for _ in range(size)], float)
    budget = float(random.randint(1, 50))
    x = cp.Variable(size, name="x")
    y = cp.Variable(name="y", bounds=[0, 3])
    best = budget * weights / weights.sum() / prices
    other = _numbers(random, size)
    levels = {
        "shares": cp.Maximize(weights @ cp.log(x)),
        "other": cp.Minimize(other @ x - y),
    }
    truth = (float(weights @ np.log(best)), float(other @ best) - 3)
    return Case(lx.preemptive(levels, [prices @ x <= budget]), truth, (1.0, 1.0))


def geometric(random):
    """The least surface of a box of given volume with a floor that costs, and then its height."""
    volume, factor = random.uniform(0.5, 20.0), random.uniform(0.5, 4.0)
    a, b, h = (cp.Variable(pos=True, name=name) for name in "abh")
    # min factor a b + 2 h (a + b) with a b h >= volume has a = b, so factor a^3 = 2 volume.
    side = (2 * volume / factor) ** (1 / 3)
    height = volume / side**2
    least = factor * side**2 + 4 * height * side
    surface = lx.Subproblem(
        "surface", cp.Minimize(factor * a * b + 2 * h * (a + b)), [a * b * h >= volume], gp=True
    )
    lowest = lx.Subproblem(
        "height", cp.Minimize(h), [a * b * h >= volume, surface.held(rtol=0.01)], gp=True
    )
    # With a = b the held surface is factor a^2 + 4 volume / a: the larger root is the lowest box.
    roots = np.roots([factor, 0.0, -1.01 * least, 4 * volume])
    largest = max(root.real for root in roots if abs(root.imag) < 1e-9)
    truth = (least, volume / largest**2)
    program = lx.Program(lx.Stage("first", surface), lx.Stage("second", lowest))
    return Case(program, truth, (1.0, 1.0))


def steep_arguments(random):
    """A curved optimum whose argument a later stage multiplies by up to 1e6."""
    size = random.randint(2, 4)
    goal = np.array([random.randint(-5, 5) for _ in range(size)], float)
    total = float(random.randint(-6, 6))
    best = goal - (goal.sum() - total) / size
    steep, unit = 10.0 ** random.randint(2, 6), 10.0 ** random.choice([-6, 0, 3])
    x, t = cp.Variable(size, name="x"), cp.Variable(name="t")
    rows = [cp.sum(x) == total, t >= steep * (x[0] - best[0]), t >= -steep * (x[0] - best[0])]
    levels = {"near": cp.Minimize(unit * cp.sum_squares(x - goal)), "steep": cp.Minimize(t)}
    first = float(unit * np.sum((best - goal) ** 2))
    return Case(lx.preemptive(levels, rows), (first, 0.0), (unit, 1.0))


CHAINS = (least_squares, norms, far_balls, eigenvalues, logarithms, geometric)
