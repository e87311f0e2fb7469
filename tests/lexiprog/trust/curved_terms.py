"""Curved problems in units of 1e-6 to 1e6 and beyond, whose optima are known by a formula."""

from itertools import combinations

import cvxpy as cp
import numpy as np

import lexiprog as lx
from tests.lexiprog.trust.cases import Case, only
from tests.lexiprog.trust.linear_terms import AS_COMPUTED, box, drawn, leftover, optima_in


def _gauss(random, *shape):
    return np.array([random.gauss(0, 1) for _ in range(int(np.prod(shape)))]).reshape(shape)


def _shares(power, sense):
    """Weighted powers of shares of a total: the best shares go with w ** (1 / (1 - power))."""

    def atom(x, total, w):
        best = total**power * np.sum(w ** (1 / (1 - power))) ** (1 - power)
        value = {-1: cp.inv_pos(x), 0.5: cp.sqrt(x), 2: cp.square(x)}.get(power, cp.power(x, power))
        return sense(w @ value), [cp.sum(x) <= total if power < 1 else cp.sum(x) >= total], best

    return atom


def _of_all(function, best):
    """An atom of all shares of a total, least or most where they are equal."""

    def atom(x, total, _):
        value = function(x, total)
        sense = cp.Minimize if value.is_convex() else cp.Maximize
        return sense(value), [cp.sum(x) == total], best(x.size, total)

    return atom


def _of_matrix(function, best):
    """The same of a semidefinite matrix with that trace."""

    def atom(x, total, _):
        X = cp.Variable((x.size, x.size), PSD=True, name="X")
        value = function(X, total)
        sense = cp.Minimize if value.is_convex() else cp.Maximize
        return sense(value), [cp.trace(X) == total], best(x.size, total)

    return atom


def _matrix_frac(x, total, w):
    P = cp.Variable((x.size, x.size), PSD=True, name="P")
    return cp.Minimize(cp.matrix_frac(w, P)), [total * np.eye(x.size) >> P], w @ w / total


def _over_linear(x, total, w):
    y, top = cp.Variable(name="y"), float(w[0])
    limits = [cp.sum(x) == total, y <= top]
    return cp.Minimize(cp.quad_over_lin(x, y)), limits, total**2 / x.size / top


def _distances(x, total, w):
    best = total**2 / np.sum(1 / w)
    return cp.Minimize(cp.quad_form(x, np.diag(w))), [cp.sum(x) == total], best


def _divergence(atom, best):
    def made(x, total, w):
        goal = total * w / 10
        return cp.Minimize(cp.sum(atom(x, goal))), [cp.sum(x) == total], best(total, goal.sum())

    return made


ATOMS = {
    **{f"power {p}": _shares(p, cp.Minimize) for p in (-3, -2, -1, -0.5, 1.5, 2, 3, 4)},
    **{f"power {p}": _shares(p, cp.Maximize) for p in (0.25, 0.5, 0.8)},
    "quad_over_lin": _over_linear,
    "quad_form": _distances,
    "matrix_frac": _matrix_frac,
    "inv_prod": _of_all(lambda x, _: cp.inv_prod(x), lambda n, s: (n / s) ** n),
    "geo_mean": _of_all(lambda x, _: cp.geo_mean(x), lambda n, s: s / n),
    "harmonic_mean": _of_all(lambda x, _: cp.harmonic_mean(x), lambda n, s: s / n),
    "norm": _of_all(lambda x, _: cp.norm(x), lambda n, s: s / n**0.5),
    "pnorm": _of_all(lambda x, _: cp.pnorm(x, 3), lambda n, s: s * n ** (1 / 3 - 1)),
    "huber": _of_all(
        lambda x, s: cp.sum(cp.huber(x, s / 20)), lambda n, s: n * (s / 20) * (2 * s / n - s / 20)
    ),
    "entr": _of_all(lambda x, _: cp.sum(cp.entr(x)), lambda n, s: -s * np.log(s / n)),
    "log": _of_all(lambda x, _: cp.sum(cp.log(x)), lambda n, s: n * np.log(s / n)),
    "exp": _of_all(lambda x, s: s * cp.sum(cp.exp(x / s)), lambda n, s: s * n * np.exp(1 / n)),
    "log_sum_exp": _of_all(lambda x, s: cp.log_sum_exp(x / s), lambda n, _: 1 / n + np.log(n)),
    "logistic": _of_all(
        lambda x, s: cp.sum(cp.logistic(x / s)), lambda n, _: n * np.log1p(np.exp(1 / n))
    ),
    "kl_div": _divergence(cp.kl_div, lambda s, goal: s * np.log(s / goal) - s + goal),
    "rel_entr": _divergence(cp.rel_entr, lambda s, goal: s * np.log(s / goal)),
    "tr_inv": _of_matrix(lambda X, _: cp.tr_inv(X), lambda n, s: n**2 / s),
    "lambda_max": _of_matrix(lambda X, _: cp.lambda_max(X), lambda n, s: s / n),
    "log_det": _of_matrix(lambda X, _: cp.log_det(X), lambda n, s: n * np.log(s / n)),
    "normNuc": _of_matrix(lambda X, _: cp.normNuc(X), lambda _, s: s),
    "sigma_max": _of_matrix(lambda X, _: cp.sigma_max(X), lambda n, s: s / n),
}


def curved_atoms(random):
    """One atom over shares of a total of 1e-6 to 1e6."""
    name = random.choice(list(ATOMS))
    size, total = random.randint(2, 4), random.randint(1, 9) * 10.0 ** random.randint(-6, 6)
    weights = np.array([random.randint(1, 9) for _ in range(size)], float)
    objective, limits, truth = ATOMS[name](cp.Variable(size, name="x"), total, weights)
    # Logarithms of numbers near 1 have no size of their own.
    size_of = {"log": 1.0, "log_det": 1.0, "kl_div": total, "rel_entr": total}.get(name, 0.0)
    return Case(only(objective, limits), (float(truth),), (size_of,))


def semidefinite(random):
    """An eigenvalue, the nearest semidefinite matrix, Lovasz's theta or a cut of an odd cycle."""
    unit, kind = 10.0 ** random.randint(-6, 6), random.randrange(4)
    size = random.choice([3, 5, 7]) if kind > 1 else random.randint(2, 4)
    X = cp.Variable((size, size), PSD=True, name="X")
    matrix = _gauss(random, size, size)
    matrix = unit * (matrix + matrix.T)
    roots = np.linalg.eigvalsh(matrix)
    edges = [(k, (k + 1) % size) for k in range(size)]
    turn = np.cos(np.pi / size)
    objective, limits, truth = (
        (cp.Minimize(cp.trace(matrix @ X)), [cp.trace(X) == 1], roots[0]),
        (cp.Minimize(cp.norm(X - matrix, "fro")), [], np.linalg.norm(np.minimum(roots, 0))),
        (cp.Maximize(cp.sum(X)), [cp.trace(X) == unit, *(X[e] == 0 for e in edges)],
         unit * size * turn / (1 + turn)),
        (cp.Maximize(unit * sum(1 - X[e] for e in edges) / 2), [cp.diag(X) == 1],
         unit * size * (1 + turn) / 2),
    )[kind]  # fmt: skip
    return Case(only(objective, limits), (float(truth),), (unit if kind == 1 else 0.0,))


def exponential(random):
    """The exponential cone itself, the most entropy with a given mean, and shares by logarithms."""
    unit, kind = 10.0 ** random.randint(-6, 6), random.randrange(3)
    a, b = random.uniform(-5, 5), random.uniform(0.5, 3)
    x, y, z = (cp.Variable(name=name) for name in "xyz")
    if kind == 0:
        limits = [cp.ExpCone(x, y, z), x >= a * unit, y == b * unit]
        return Case(only(cp.Minimize(z), limits), (b * unit * float(np.exp(a / b)),), (0.0,))
    size = random.randint(2, 5)
    p = cp.Variable(size, name="p")
    if kind == 1:  # of p ~ exp(-a k), whose mean is its own
        chances = np.exp(-a / 5 * np.arange(size))
        chances *= unit / chances.sum()
        mean = [np.arange(size) @ p == float(np.arange(size) @ chances), cp.sum(p) == unit]
        truth = float(-np.sum(chances * np.log(chances)))
        return Case(only(cp.Maximize(cp.sum(cp.entr(p))), mean), (truth,), (0.0,))
    weights = np.array([random.randint(1, 9) for _ in range(size)], float)
    best = unit * weights / weights.sum()
    levels = {"a": cp.Maximize(weights @ cp.log(p)), "b": cp.Maximize(p[0] - p[1])}
    program = lx.preemptive(levels, [cp.sum(p) <= unit])
    return Case(program, (float(weights @ np.log(best)), float(best[0] - best[1])), (1.0, unit))


def power_cones(random):
    """The most of a product of powers of shares of a total, in three and more dimensions."""
    total, size = random.randint(1, 9) * 10.0 ** random.randint(-6, 6), random.randint(2, 4)
    weights = np.array([random.randint(1, 9) for _ in range(size)], float)
    alpha, prices = weights / weights.sum(), np.array([random.randint(1, 9) for _ in range(size)])
    x, z = cp.Variable(size, name="x"), cp.Variable(name="z")
    cone = cp.PowCone3D(x[0], x[1], z, alpha[0]) if size == 2 else cp.PowConeND(x, z, alpha)
    truth = float(np.prod((alpha * total / prices) ** alpha))
    return Case(only(cp.Maximize(z), [cone, prices @ x <= total]), (truth,), (0.0,))


def mixed_integer(random):
    """The nearest whole point, by squares or by distance, and the least risk of a few assets."""
    unit, size = 10.0 ** random.randint(-6, 6), random.randint(2, 4)
    kind = random.randrange(3)
    if kind < 2:
        goal = np.array([random.randint(-40, 40) / 10 + 0.04 for _ in range(size)])
        x = cp.Variable(size, integer=True, name="x")
        square = float(np.sum((goal - np.round(goal)) ** 2))
        value, truth = (cp.sum_squares(x - goal), square) if kind else (
            cp.norm(x - goal), square**0.5)  # fmt: skip
        return Case(only(cp.Minimize(unit * value), [x <= 9, x >= -9]), (unit * truth,), (0.0,))
    risks = np.array([random.randint(1, 9) for _ in range(size)], float)
    most = random.randint(1, size - 1)
    chosen = max(float(np.sum(1 / risks[list(c)])) for c in combinations(range(size), most))
    x, used = cp.Variable(size, nonneg=True, name="x"), cp.Variable(size, boolean=True, name="used")
    limits = [cp.sum(x) == unit, x <= unit * used, cp.sum(used) <= most]
    return Case(only(cp.Minimize(risks @ cp.square(x)), limits), (unit**2 / chosen,), (0.0,))


def unattained(random):
    """An infimum that no point has, and then a level; or the same with an end, which has one."""
    unit, end = 10.0 ** random.randint(-3, 3), random.randint(2, 9)
    x = cp.Variable(name="x")
    y = cp.Variable(name="y")
    curve, value = random.choice([
        (cp.exp(-x / unit), np.exp(-end)), (cp.inv_pos(x / unit), 1 / end),
        (cp.logistic(-x / unit), np.log1p(np.exp(-end))), (cp.power(x / unit, -0.5), end**-0.5),
        (cp.quad_over_lin(1.0, x / unit), 1 / end),
        (cp.norm(cp.hstack([x / unit, 1.0])) - x / unit, np.sqrt(end**2 + 1.0) - end),
    ])  # fmt: skip
    levels = {"least": cp.Minimize(curve), "then": cp.Minimize(random.choice([x, x + y, y - x]))}
    limits = [x >= 0, y >= unit]
    if random.random() < 0.7:
        return Case(lx.preemptive(levels, limits), (0.0, "unattained"), (1.0, unit))
    program = lx.preemptive(levels | {"then": cp.Minimize(x + y)}, [*limits, x <= end * unit])
    return Case(program, (float(value), (end + 1) * unit), (0.1 * float(value), unit))


def control_steps(random):
    """Levels of two-sided rows, least squares or least sums: the first are met, the last misses.

    The last rows are A x = A x* + r with r at right angles to all columns of A, or a pair of rows
    that contradict each other by a known amount, so that the point x* that meets all the others
    is best. Sides are leftovers, infinity is 1e4, 1e12 or left out.
    """
    size, infinity = random.randint(4, 12), random.choice([1e4, 1e12, None])
    best = np.array([random.choice([0.0, leftover(random), random.gauss(0, 1)])
                     for _ in range(size)])  # fmt: skip
    x, squares = cp.Variable(size, name="x"), random.random() < 0.6
    misses, rows, truth = [], [], []
    for k in range(random.randint(2, 5)):
        count = random.randint(2, size)
        table = np.eye(size)[random.sample(range(size), count)] if k == 0 else _rotated(
            random, count, size)  # fmt: skip
        middle = table @ best
        room = [np.array([random.choice([0.0, 0.0, 1.0, np.inf]) for _ in middle]) for _ in "ab"]
        if k == 0:  # bounds
            room = [np.maximum(r, 0.5) for r in room]
        misses.append(_miss(rows, table @ x, middle - room[0], middle + room[1], infinity, k))
        truth.append(0.0)
    table, amount = _rotated(random, size + 3, size), random.randint(1, 5)
    if squares:
        across = _gauss(random, size + 3)
        across -= table @ np.linalg.lstsq(table, across, rcond=None)[0]
        sides = table @ best + amount * across / np.linalg.norm(across)
        truth.append(float(amount**2))
    else:
        table, sides = np.vstack([table, table[0]]), np.append(table @ best, table[0] @ best)
        sides[-1] += amount
        truth.append(float(amount))
    misses.append(_miss(rows, table @ x, sides, sides, infinity, "last"))
    levels = {str(k): cp.Minimize(cp.sum_squares(v) if squares else cp.norm1(v))
              for k, v in enumerate(misses)}  # fmt: skip
    if random.random() < 0.5:
        k = random.choice(list(levels))
        return Case(only(levels[k], rows), (truth[int(k)],), (1.0,))
    return Case(lx.preemptive(levels, rows), tuple(truth), (1.0,) * len(truth))


def _rotated(random, count, size):
    """Rows most of whose entries are products that nearly cancel."""
    table = _gauss(random, count, size)
    for entry in np.ndindex(*table.shape):
        if random.random() < 0.3:
            table[entry] = leftover(random, -25)
    return table


def _miss(rows, left, lowest, highest, infinity, name):
    """What the rows miss; those without a side are written with infinity or left out."""
    miss = cp.Variable(left.size, name=f"miss {name}")
    for side, sign in ((highest, 1), (lowest, -1)):
        there = np.flatnonzero(np.isfinite(side))
        if infinity is not None:
            side, there = np.clip(side, -infinity, infinity), np.arange(left.size)
        if there.size:
            rows.append(sign * (left - miss)[there] <= sign * side[there])
    return miss


def risk_within(random):
    """The least risk within a percentage, and then the most return, with budgets of 1e-6 to 1e9."""
    size, budget = random.randint(2, 8), 10.0 ** random.choice([-6, -3, 0, 3, 6, 9])
    share = random.choice([0.01, 0.05, 0.2, 1.0])
    root = _gauss(random, size, size)
    risk = 0.05 * root @ root.T + np.diag([random.randint(1, 9) for _ in range(size)])
    returns = np.array([random.randint(1, 20) / 100 for _ in range(size)])
    least = np.linalg.solve(risk, np.ones(size))
    least *= budget / least.sum()
    # What is moved sums to 0, costs share of the least risk, and goes along the best of returns.
    moved = np.linalg.solve(risk, returns)
    moved -= least * moved.sum() / budget
    if moved @ risk @ moved < 1e-9:
        return None
    first = float(least @ risk @ least)
    best = least + moved * np.sqrt(share * first / (moved @ risk @ moved))
    if min(*least, *best) < 0:
        return None
    x = cp.Variable(size, nonneg=True, name="x")
    levels = {"risk": cp.Minimize(cp.quad_form(x, risk)), "return": cp.Maximize(returns @ x)}
    program = lx.preemptive(levels, [cp.sum(x) == budget], rtol={"risk": share})
    return Case(program, (first, float(returns @ best)), (0.0, 0.0))


def curved_digits(random):
    """A curve, or switches, over rows that contradict their sum by 1e-5 to 1e-11, or just do not.

    Where they do not, all of them are nearly equations: the nearest point to a goal is known.
    """
    size, gap = random.randint(2, 5), random.randint(1, 9) * 10.0 ** -random.randint(6, 11)
    parts = [drawn(random, size, 1, 7) for _ in range(random.randint(1, 3))]
    sides = [random.randint(1, 99) / random.choice([1, 10]) for _ in parts]
    sides.append(round(sum(sides) + random.choice([-1, 1, 1]) * gap, 12))
    rows = [*parts, [sum(column) for column in zip(*parts, strict=True)]]
    goal = np.array(drawn(random, size, -5, 5))
    known = [(v, "<=", side) for v, side in zip(parts, sides[:-1], strict=True)]
    known += [(rows[-1], ">=", sides[-1]), *box([-100.0] * size, [100.0] * size)]
    first, *others = [optima_in(read, [("min", [1.0] * size)], known) for read in AS_COMPUTED]
    if first is None or any((first == ["infeasible"]) != (o == ["infeasible"]) for o in others):
        return None
    x = cp.Variable(size, name="x")
    limits = [np.array(v) @ x <= side for v, side in zip(parts, sides[:-1], strict=True)]
    limits += [np.array(rows[-1]) @ x >= sides[-1], x >= -100, x <= 100]
    whole = random.random() < 0.3
    on = cp.sum(cp.Variable(2, boolean=True, name="on")) if whole else 0.0
    if first == ["infeasible"]:
        curves = [
            cp.sum_squares(x - goal), cp.norm(x - goal), cp.sum(cp.exp(x / 10)),
            cp.log_sum_exp(x - goal), cp.sum(cp.power(x - goal, 4)), cp.sum(cp.huber(x - goal)),
            cp.quad_over_lin(x - goal, x[0] + 200), cp.lambda_max(cp.diag(x)),
            cp.sum_squares(x - goal) + cp.norm1(x), cp.norm(x - goal, 3), cp.sum(x),
        ]  # fmt: skip
        curve = random.choice(curves[-1:] * 5 + curves if whole else curves[:-1])
        return Case(only(cp.Minimize(curve + on), limits), ("infeasible",), (1.0,))
    matrix, side = np.array(parts), np.array(sides[:-1])
    if np.linalg.svd(matrix)[1].min() < 0.3 or len(parts) > size:
        return None
    best = goal + np.linalg.pinv(matrix) @ (side - matrix @ goal)
    distance = float(np.linalg.norm(best - goal))
    if abs(best).max() > 99 or distance < 0.1:
        return None
    curve, truth = random.choice(
        [(cp.sum_squares(x - goal), distance**2), (cp.norm(x - goal), distance)]
    )
    return Case(only(cp.Minimize(curve + on), limits), (truth,), (1.0,))


def after_a_curve(random):
    """A linear level at the only point of a curve: water filled in, shares, nearest of a simplex.

    Some columns are zero there, so that the root of the first gap would be seen in the second.
    """
    size, unit = random.randint(3, 7), 10.0 ** random.randint(-6, 6)
    x, c = cp.Variable(size, nonneg=True, name="x"), _gauss(random, size)
    at, total = np.abs(_gauss(random, size)) * unit + 0.01 * unit, unit * random.uniform(0.5, 3.0)
    kind = random.choice(["filled", "shared", "nearest"])
    if kind == "shared":
        point = total * at / at.sum()
        first = cp.Minimize(cp.sum(cp.rel_entr(x, at)))
        best, size_of_best = total * np.log(total / at.sum()), total
    else:
        height = _height(at if kind == "filled" else -at, total)
        point = np.maximum(height - at, 0.0) if kind == "filled" else np.maximum(height + at, 0.0)
        if kind == "filled":
            first, best = cp.Maximize(cp.sum(cp.log(at + x))), np.log(at + point).sum()
        else:
            first, best = cp.Minimize(cp.sum_squares(x - at)), ((point - at) ** 2).sum()
        size_of_best = 1.0 if kind == "filled" else 0.01 * unit**2
    levels = {"curve": first, "then": cp.Maximize(c @ x)}
    truth = float(best), float(c @ point)
    program = lx.preemptive(levels, [cp.sum(x) == total])
    return Case(program, truth, (size_of_best, 0.01 * total))


def _height(ground, total):
    """Up to where this much fills the ground."""
    ordered = np.sort(ground)
    heights = (total + np.cumsum(ordered)) / np.arange(1, ordered.size + 1)
    return heights[np.flatnonzero(heights > ordered)[-1]]


FAMILIES = (
    curved_atoms, semidefinite, exponential, power_cones, mixed_integer, unattained,
    control_steps, risk_within, curved_digits, after_a_curve,
)  # fmt: skip
