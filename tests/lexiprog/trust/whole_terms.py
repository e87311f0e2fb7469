"""Curved problems with integers in units of 1e-6 to 1e6, whose optima are found by enumeration."""

from itertools import combinations, product

import cvxpy as cp
import numpy as np

import lexiprog as lx
from tests.lexiprog.trust.cases import Case, only


def _unit(random):
    return 10.0 ** random.randint(-6, 6)


def _digits(random, *shape, low=1, high=9):
    count = int(np.prod(shape))
    return np.array([random.randint(low, high) for _ in range(count)], float).reshape(shape)


def best_subset(random):
    """Least squares with at most so many coefficients that are not 0, each in units of its own."""
    rows, size = random.randint(5, 8), random.randint(3, 5)
    most, units = random.randint(1, size - 1), np.array([_unit(random) for _ in range(size)])
    table, goal = _digits(random, rows, size, low=-9), _digits(random, rows, low=-9)
    if np.linalg.matrix_rank(table) < size:
        return None
    fits = {
        chosen: np.linalg.lstsq(table[:, chosen], goal, rcond=None)[0]
        for chosen in combinations(range(size), most)
    }
    truth = min(np.sum((table[:, list(c)] @ fit - goal) ** 2) for c, fit in fits.items())
    far = 2 * np.ceil(max(np.abs(fit).max() for fit in fits.values()))
    x, used = cp.Variable(size, name="x"), cp.Variable(size, boolean=True, name="used")
    limits = [cp.abs(x) <= cp.multiply(far / units, used), cp.sum(used) <= most]
    scale = _unit(random)
    misses = cp.sum_squares((table * units) @ x - goal)
    return Case(only(cp.Minimize(scale * misses), limits), (scale * float(truth),), (0.0,))


def facilities(random):
    """Where to open facilities, whose costs grow with the square of what they serve."""
    sites, customers, unit = random.randint(2, 4), random.randint(2, 4), _unit(random)
    fixed, costs = _digits(random, sites), _digits(random, customers, sites)
    sets = (s for n in range(1, sites + 1) for s in map(list, combinations(range(sites), n)))
    truth = min(fixed[s].sum() + np.sum(1 / np.sum(1 / costs[:, s], axis=1)) for s in sets)
    x = cp.Variable((customers, sites), nonneg=True, name="x")
    opened = cp.Variable(sites, boolean=True, name="open")
    limits = [cp.sum(x, axis=1) == 1, *(x[:, j] <= opened[j] for j in range(sites))]
    cost = fixed @ opened + cp.sum(cp.multiply(costs, cp.square(x)))
    return Case(only(cp.Minimize(unit * cost), limits), (unit * float(truth),), (0.0,))


def whole_points_in_a_ball(random):
    """The farthest whole point of an ellipsoid; it may have none."""
    size, unit = random.randint(2, 3), _unit(random)
    middle = np.array([random.randint(-30, 30) / 10 for _ in range(size)])
    table = _digits(random, size, size, low=-5, high=5) + 5 * np.eye(size)
    radius, ways = random.choice([2.0, 5.0, 11.0]) + 0.03, _digits(random, size, low=-9)
    every = np.array(list(product(range(-9, 10), repeat=size)), float)
    away = np.linalg.norm((every - middle) @ table.T, axis=1) / radius
    if np.abs(away - 1).min() < 1e-4 or not ways.any():
        return None
    inside = every[away < 1]
    truth = float(np.max(inside @ ways)) if len(inside) else "infeasible"
    x = cp.Variable(size, integer=True, name="x")
    limits = [cp.norm(unit * table @ (x - middle)) <= unit * radius, x <= 9, x >= -9]
    return Case(only(cp.Maximize(ways @ x), limits), (truth,), (1.0,))


def nearest_then(random):
    """All whole points nearest to one between them, and of these the best."""
    size, unit = random.randint(2, 4), _unit(random)
    goal = np.array([random.randint(-4, 4) + random.choice([0.0, 0.0, 0.5, 0.3])
                     for _ in range(size)])  # fmt: skip
    ways = _digits(random, size, low=-9)
    ends = [{np.floor(g), np.ceil(g)} if g % 1 == 0.5 else {np.round(g)} for g in goal]
    near = float(np.sum((goal - np.round(goal)) ** 2))
    best = max(float(ways @ np.array(point)) for point in product(*ends))
    x = cp.Variable(size, integer=True, name="x")
    levels = {"near": cp.Minimize(unit * cp.sum_squares(x - goal)), "best": cp.Maximize(ways @ x)}
    return Case(lx.preemptive(levels, [x <= 9, x >= -9]), (unit * near, best), (unit, 1.0))


def fewest_risks_then(random):
    """The least risk of so many assets, and of the choices that have it the most return."""
    size, unit = random.randint(2, 5), _unit(random)
    most, risks = random.randint(1, size - 1), _digits(random, size, high=3)
    returns = _digits(random, size)
    chosen = [list(c) for c in combinations(range(size), most)]
    least = max(float(np.sum(1 / risks[c])) for c in chosen)
    gains = [
        float(np.sum(returns[c] / risks[c])) * unit / least
        for c in chosen
        if np.sum(1 / risks[c]) > least - 1e-9
    ]
    x, used = cp.Variable(size, nonneg=True, name="x"), cp.Variable(size, boolean=True, name="used")
    limits = [cp.sum(x) == unit, x <= unit * used, cp.sum(used) <= most]
    levels = {"risk": cp.Minimize(risks @ cp.square(x)), "return": cp.Maximize(returns @ x)}
    return Case(lx.preemptive(levels, limits), (unit**2 / least, max(gains)), (0.0, 0.0), 1e-4)


def logarithms(random):
    """Whole pieces shared out by weighted logarithms of what each has."""
    size, total = random.randint(2, 3), random.randint(2, 8)
    weights, first, unit = _digits(random, size), _digits(random, size), _unit(random)
    points = (p for p in product(range(total + 1), repeat=size) if sum(p) <= total)
    truth = max(float(weights @ np.log(first + p)) for p in points)
    x = cp.Variable(size, integer=True, name="x")
    limits = [cp.sum(x) <= total, x >= 0]
    levels = cp.Maximize(unit * (weights @ cp.log(x + first)))
    return Case(only(levels, limits), (unit * truth,), (unit,))


def servers(random):
    """How many servers share a load, whose cost is its square over their number."""
    size, unit, most = random.randint(2, 3), _unit(random), 6
    prices, weight = _digits(random, size), random.choice([0.001, 0.01, 0.1])
    points = [np.array(p) for p in product(range(1, most + 1), repeat=size)]
    truth = min(weight * float(prices @ p) + 1 / float(p.sum()) for p in points)
    x, y = cp.Variable(size, name="x"), cp.Variable(size, integer=True, name="y")
    load = sum(cp.quad_over_lin(x[k], y[k]) for k in range(size))
    cost = load + weight * unit**2 * prices @ y
    limits = [cp.sum(x) == unit, y >= 1, y <= most]
    return Case(only(cp.Minimize(cost), limits), (unit**2 * truth,), (0.0,))


FAMILIES = (
    best_subset, facilities, whole_points_in_a_ball, nearest_then, fewest_risks_then, logarithms,
    servers,
)  # fmt: skip
