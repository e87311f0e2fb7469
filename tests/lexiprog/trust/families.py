"""Data that users have and that used to break the promise, each case with its true optima.

A case is drawn in whole numbers, whose optima are known exactly (z3, proved level by level, or
brute force), and then written in other units, with big M, with nearly parallel rows and so on.
"""

from itertools import product

import cvxpy as cp
import numpy as np
from scipy.optimize import linprog

import lexiprog as lx
from tests.lexiprog.formulations.exact import Chain
from tests.lexiprog.trust.cases import Case, drawn_chain, only, powers, written


def plain_chains(random):
    """Lexicographic linear programs with no malice but ties and degenerate vertices."""
    return written(drawn_chain(random))


def plain_integer_chains(random):
    """The same with whole variables among the others."""
    return written(drawn_chain(random, integers=True))


def objectives(random):
    """Objectives in billionths or in units of 1e12."""
    return written(drawn_chain(random), cost=10.0 ** random.randint(-12, 12))


def rows(random):
    """Every row in units of its own."""
    chain = drawn_chain(random)
    return written(chain, rows=powers(random, 9, len(chain.rows)))


def columns(random):
    """Every variable in units of its own."""
    chain = drawn_chain(random)
    return written(chain, columns=powers(random, 9, len(chain.whole)))


def everything(random):
    """All of that at once, two thirds as far."""
    chain = drawn_chain(random)
    cost = 10.0 ** random.randint(-8, 8)
    return written(
        chain, cost=cost, rows=powers(random, 6, len(chain.rows)),
        columns=powers(random, 6, len(chain.whole)),
    )  # fmt: skip


def integer_chains(random):
    """Mixed-integer chains with objectives of any size."""
    return written(drawn_chain(random, integers=True), cost=10.0 ** random.randint(-9, 9))


def goals(random):
    """A goal program in any unit of money, with weights one over the targets."""
    unit = 10.0 ** random.randint(-9, 12)
    size, count = 3, 4
    table = [[random.randint(0, 9) for _ in range(size)] for _ in range(count)]
    targets = [random.randint(5, 60) for _ in range(count)]
    limits = [random.randint(2, 9) for _ in range(size)]
    truth = _goal_misses(table, targets, limits)
    x = cp.Variable(size, nonneg=True, name="x")
    wanted = [
        lx.Goal(f"g{k}", np.array(row) @ x >= t * unit, priority=k + 1, weight=1 / (t * unit))
        for k, (row, t) in enumerate(zip(table, targets, strict=True))
    ]
    program = lx.goal_program(wanted, [x <= np.array(limits) * unit, cp.sum(x) <= 8 * unit])
    return Case(program, tuple(truth), (1.0,) * count)


def _goal_misses(table, targets, limits):
    """The least misses over their targets, in order, by linprog with whole data."""
    size, count = len(limits), len(targets)
    held_rows, held, misses = [], [], []
    below = np.hstack([-np.array(table), -np.eye(count)])
    for k in range(count):
        cost = np.zeros(size + count)
        cost[size + k] = 1.0
        rows = np.vstack([below, [1.0] * size + [0.0] * count, *held_rows])
        sides = np.concatenate([-np.array(targets), [8.0], held])
        bounds = [(0, u) for u in limits] + [(0, None)] * count
        best = linprog(cost, rows, sides, bounds=bounds)
        misses.append(best.fun / targets[k])
        held_rows.append(cost)
        held.append(best.fun + 1e-9)
    return misses


def nearly_parallel(random):
    """Pairs of rows that differ in the last digits, and objectives along them."""
    return _parallel(random, random.choice([3_000, 100_000, 10_000_000]))


def hardly_apart(random):
    """The same with rows that differ in the tenth digit: to pivot between them is not safe."""
    return _parallel(random, 1_000_000_000)


def _parallel(random, digits):
    size, pairs = 6, 5
    base = [[random.randint(0, 5) for _ in range(size)] for _ in range(pairs)]
    sides = [random.randint(3, 15) for _ in range(pairs)]
    table = tuple(
        (
            tuple(max(digits * c + random.randint(-1, 1), 0) for c in row),
            "<=",
            max(digits * side + random.randint(-2, 2), 1),
        )
        for row, side in [*zip(base, sides, strict=True)] * 2
    )
    others = [tuple(random.randint(-2, 4) for _ in range(size)) for _ in range(2)]
    levels = (base[0], others[0], [b - a for a, b in zip(base[0], base[1], strict=True)], others[1])
    chain = Chain(
        lower=(0,) * size, upper=(10,) * size, rows=table,
        objectives=tuple(("max", tuple(level)) for level in levels), whole=(False,) * size,
        row_powers=(0,) * len(table), column_powers=(0,) * size,
    )  # fmt: skip
    return written(chain)


def big_m(random):
    """Fixed charges on a network, with an M far beyond any flow."""
    arcs = [(0, 1), (1, 2), (2, 3)]
    others = [(i, j) for i in range(4) for j in range(4) if i != j and (i, j) not in arcs]
    arcs += random.sample(others, 4)
    balance = np.zeros((4, len(arcs)))
    for k, (i, j) in enumerate(arcs):
        balance[i, k], balance[j, k] = 1.0, -1.0
    amount = random.randint(1, 5)
    demand = np.array([amount, 0, 0, -amount], float)
    cost = np.array([random.randint(1, 9) for _ in arcs], float)
    charge = np.array([random.randint(1, 60) for _ in arcs], float)
    best = np.inf
    for opened in product([0, 1], repeat=len(arcs)):
        bounds = [(0, None if o else 0) for o in opened]
        found = linprog(cost, A_eq=balance, b_eq=demand, bounds=bounds)
        if found.status == 0:
            best = min(best, found.fun + charge @ np.array(opened))
    flow = cp.Variable(len(arcs), nonneg=True, name="flow")
    is_open = cp.Variable(len(arcs), boolean=True, name="open")
    limits = [balance @ flow == demand, flow <= 10.0 ** random.randint(7, 10) * is_open]
    subproblem = lx.Subproblem("ship", cp.Minimize(cost @ flow + charge @ is_open), limits)
    return Case(lx.Program(lx.Stage("only", subproblem)), (float(best),), (1.0,))


def capacities(random):
    """Suppliers with fixed charges; capacities are rows beside an M that is no round number."""
    size, M = 4, 10.0 ** random.uniform(3, 10)
    room = np.array([0.5 * random.randint(1, 8) for _ in range(size)])
    charge = np.array([random.randint(1, 49) for _ in range(size)], float)
    cost = np.array([random.randint(1, 8) for _ in range(size)], float)
    demand, best = float(room.sum() / 2), np.inf
    for opened in product([0, 1], repeat=size):
        left, total = demand, float(charge @ opened)
        for k in np.argsort(cost):
            amount = min(left, opened[k] * room[k])
            left, total = left - amount, total + cost[k] * amount
        best = total if left == 0.0 and total < best else best
    amounts = cp.Variable(size, nonneg=True, name="amounts")
    used = cp.Variable(size, boolean=True, name="used")
    limits = [amounts <= M * used, amounts <= room, cp.sum(amounts) >= demand]
    return Case(only(cp.Minimize(cost @ amounts + charge @ used), limits), (float(best),), (1.0,))


def small_coefficients(random):
    """Coefficients that HiGHS would take for zero."""
    size = 3
    small = 10.0 ** -random.randint(9, 13)
    prices = [random.randint(1, 9) for _ in range(size)]
    room, cap = random.randint(2, 20), random.randint(3, 9)
    x = cp.Variable(size, nonneg=True, name="x")
    best = linprog([-p for p in prices], [[1.0, 2.0, 3.0]], [room], bounds=[(0, cap)] * size).fun
    limits = [small * np.array([1.0, 2.0, 3.0]) @ x <= room, x <= cap / small]
    subproblem = lx.Subproblem("most", cp.Maximize(np.array(prices) @ x), limits)
    truth = -best / small
    return Case(lx.Program(lx.Stage("only", subproblem)), (truth,), (1.0 / small,))


def bells(random):
    """Points under Gaussian bells: most coefficients are far ends, down to 1e-300."""
    rng, size, bells = np.random.default_rng(random.randint(0, 2**31)), 64, 5
    points = rng.normal(size=(size, 2)) * rng.choice([1.0, 3.0], size=(size, 1))
    distances = ((points[:, None] - points[:bells]) ** 2).sum(axis=-1)
    heights, cap = np.exp(-distances / (2 * rng.uniform(0.1, 0.4) ** 2)), 10 / size
    costs, ones = np.append(np.zeros(size), 1.0), np.append(np.ones(size), 0.0)
    rows = np.c_[np.where(heights < 1e-9, 0.0, heights).T, -np.ones(bells)]
    bounds = [(0, cap)] * size + [(None, None)]
    best = linprog(costs, rows, np.zeros(bells), ones[None], [1.0], bounds=bounds).fun
    weights, top = cp.Variable(size, bounds=[0, cap], name="weights"), cp.Variable(name="top")
    limits = [heights.T @ weights <= top, cp.sum(weights) == 1]
    return Case(only(cp.Minimize(top), limits), (best,), (1e-3,))


def loose_gaps(random):
    """Knapsacks for a solver that stops early and reports no bound."""
    size = 8
    values = np.array([random.randint(10, 200) for _ in range(size)], float)
    weights = np.array([random.randint(5, 60) for _ in range(size)], float)
    room = float(weights.sum() // 2)
    chosen = np.array(list(product([0, 1], repeat=size)))
    best = (chosen @ values)[chosen @ weights <= room].max()
    take = cp.Variable(size, boolean=True, name="take")
    subproblem = lx.Subproblem("pack", cp.Maximize(values @ take), [weights @ take <= room])
    return Case(lx.Program(lx.Stage("only", subproblem)), (float(best),), (1.0,))
