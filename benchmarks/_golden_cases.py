"""The programs whose answers ``golden.py`` keeps: families by name, each of which fills a book."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from random import Random
from typing import Any

import cvxpy as cp
import engine
import exact
import fronts
import games
import numpy as np
import sweeps
import trust
from _engine_again import changing
from _families import CHAINS, UPPER, packing
from _filling import flows
from _integer_families import FAMILIES as INTEGER_FAMILIES
from _integer_shares import METHODS, matching, sharing

import lexiprog as lx

SEEDS = 5
Family = Callable[[Any], None]
FAMILIES: dict[str, Family] = {}


def family(function: Family) -> Family:
    FAMILIES[function.__name__.strip("_").replace("_", " ")] = function
    return function


def one(objective: Any, constraints: Any = (), **options: Any) -> lx.Program:
    return lx.Program(lx.Stage("s", lx.Subproblem("p", objective, list(constraints), **options)))


# Data that users have


def _drawn(draw: Callable[[Random], Any], count: int, seed: int = 11) -> Iterator[tuple[int, Any]]:
    random, number = Random(seed), 0
    while number < count:
        case = draw(random)
        if case is not None:
            yield number, case
            number += 1


def _trusted(draw: Callable[[Random], Any], unique: tuple[str, ...], book: Any) -> None:
    for number, case in _drawn(draw, SEEDS):
        book.program(f"{number}", case.program, truth=case.truth, unique=unique)


NESTED = import_module(f"{trust.families.__package__}.nested_families")
# Their points are unique by the formulas; the choice between equal returns is not.
CURVED = {
    "far_balls": "xy", "one_ball": "x", "least_squares": "xy", "norms": "x", "eigenvalues": "X",
    "logarithms": "xy", "geometric": "abh", "steep_arguments": "xt",
}  # fmt: skip
TRUSTED = {
    name: draw
    for module in (trust.families, trust.conic_families, NESTED)
    for name, draw in inspect.getmembers(module, inspect.isfunction)
    if draw.__module__ == module.__name__ and not name.startswith("_")
}
for _name, _draw in TRUSTED.items():
    FAMILIES[f"trust: {_name}"] = partial(_trusted, _draw, tuple(CURVED.get(_name, "")))


@family
def trust_by_solver(book: Any) -> None:
    """The same data, put to solvers by name."""
    named = {
        "CLARABEL": ("rows", "everything", "risk_then_return"),
        "ECOS": ("plain_chains", "objectives", "norms"),
        "SCS": ("plain_chains", "least_squares", "one_ball"),
        "OSQP": ("plain_chains", "risk_then_return", "least_squares"),
        "EXACT": ("plain_chains", "everything", "nearly_parallel", "same_rows", "rows_let_go"),
        "SCIPY": ("loose_gaps", "big_m"),
    }
    for solver, names in named.items():
        for name in names:
            for number, case in _drawn(TRUSTED[name], 2, seed=5):
                book.program(f"{solver}, {name} {number}", case.program, solver, truth=case.truth)


@family
def trust_residue(book: Any) -> None:
    """A coefficient that is rounding's leftover."""
    for e in (1e-8, 1e-15, 0.1 + 0.2 - 0.3):
        for solver in (None, "CLARABEL", "ECOS"):
            x = cp.Variable(2, name="x")
            rows = [e * x[0] + x[1] <= 4, x[0] >= -3, x[1] >= -1, x[0] <= 10]
            book.program(f"{e:.0e} {solver}", one(cp.Maximize(3.5 * x[0] + x[1]), rows), solver)
    x = cp.Variable(2, name="x")
    rows = [1e-12 * x[0] + x[1] <= 4, x[0] >= 2, x[0] <= 1]
    book.program("infeasible by one", one(cp.Maximize(x[1]), rows))


@family
def trust_own_size(book: Any) -> None:
    x = cp.Variable(3, name="x")
    book.program("inverses", one(cp.Minimize(cp.sum(cp.inv_pos(x))), [cp.sum(x) <= 1e6]))
    x = cp.Variable(2, name="x")
    slope = x[0] - (1 + 1e-8) * x[1]
    rows = [x[0] - x[1] >= -7, x <= 1e8, x >= -1e8]
    book.program("far corner", one(cp.Minimize(slope), rows))
    book.program("hardly unbounded", one(cp.Minimize(slope), [x[0] - x[1] >= -1]))
    y = cp.Variable(name="y")
    book.program("hardly infeasible", one(cp.Minimize(y), [3 * y <= 7, 3 * y >= 7.000000000007]))


@family
def trust_whole_numbers(book: Any) -> None:
    x = cp.Variable(2, boolean=True, name="x")
    rows = [9999999999 * x[0] + 5000000001 * x[1] <= 14999999999]
    book.program("by a hair", one(cp.Maximize(3 * x[0] + 2 * x[1]), rows))
    y = cp.Variable(2, integer=True, name="y", bounds=[0, 5])
    book.program("odd", one(cp.Minimize(cp.sum(y)), [6e9 * y[0] + 4e9 * y[1] == 10000000001]))
    z = cp.Variable(3, boolean=True, name="z")
    large = np.array([1e8 + 6, 1e8, 1e8 + 3]) @ z
    levels = {"v": cp.Maximize(large), "w": cp.Minimize(np.array([3.0, 1, 2]) @ z)}
    book.program("large gains", lx.preemptive(levels, [cp.sum(z) == 1]))
    gains = {
        "a": cp.Maximize(np.array([3000000001.0, 0, 2]) @ z),
        "b": cp.Minimize(np.array([2.0, 7, 6]) @ z),
    }
    _front(book, "large front", gains)


@family
def trust_no_optimum(book: Any) -> None:
    x = cp.Variable(name="x")
    levels = {"a": cp.Minimize(cp.exp(-x)), "b": cp.Minimize(x)}
    book.program("never reached", lx.preemptive(levels, [x >= 0]))
    u, y = cp.Variable(2, nonneg=True, name="u"), cp.Variable(name="y")
    first = lx.Subproblem("first", cp.Minimize(cp.sum(u)), [cp.sum(u) >= 4])
    second = lx.Subproblem("second", cp.Minimize(y), [y >= first.at(u[0])])
    program = lx.Program(lx.Stage("1", first), lx.Stage("2", second))
    for solver in (None, "CLARABEL", "SCS"):
        book.program(f"a point that is not unique, {solver}", program, solver)


@family
def trust_in_dollars(book: Any) -> None:
    for budget in (1.0, 1e6, 1e-6):
        rng = np.random.default_rng(0)
        B = rng.normal(size=(8, 8))
        x = cp.Variable(8, nonneg=True, name="x")
        risk = cp.quad_form(x, cp.psd_wrap(B @ B.T + 0.1 * np.eye(8)))
        levels = {"risk": cp.Minimize(risk), "gain": cp.Maximize(rng.random(8) @ x)}
        program = lx.preemptive(levels, [cp.sum(x) == budget], rtol={"risk": 0.2})
        book.program(f"{budget:g}", program, unique=("x",))


# The programs of tests/contract


def _plant() -> tuple[Any, ...]:
    x = cp.Variable(2, bounds=[0, 10], name="x")
    cost, fumes = 3 * x[0] + x[1], x[0] + 4 * x[1]
    demand = [x[0] + 2 * x[1] >= 8, 2 * x[0] + x[1] >= 8]
    cheap = lx.Subproblem("cheap", cp.Minimize(cost), demand)
    clean = lx.Subproblem("clean", cp.Minimize(fumes), demand)
    return x, demand, cheap, clean


@family
def contract_compromise(book: Any) -> None:
    _, demand, cheap, clean = _plant()
    worst = cp.Variable(name="worst")
    near = [p.objective.expr <= p.optimum + worst for p in (cheap, clean)]
    fair = lx.Subproblem("fair", cp.Minimize(worst), [*demand, *near])
    program = lx.Program(lx.Stage("ideal", cheap, clean), lx.Stage("compromise", fair))
    choices: dict[str, Any] = {
        "default": None,
        "by stage": {"ideal": "HIGHS", "compromise": lx.Solver("CLARABEL", tol_gap_abs=1e-9)},
        "a list": ["HIGHS", "CLARABEL"],
        "CLARABEL": "CLARABEL",
        "by subproblem": {"clean": "ECOS"},
        "SCS": "SCS",
        "OSQP": "OSQP",
        "EXACT": "EXACT",
    }
    for name, choice in choices.items():
        book.program(name, program, choice)
    book.program("two workers", program, workers=2)
    book.program("warm", program, warm=True)
    book.program("warm again", program, warm=True)


@family
def contract_third_stage(book: Any) -> None:
    share = cp.Variable(3, bounds=[0, 10], name="share")
    limits = [cp.sum(share) <= 10]
    most = lx.Subproblem("most", cp.Maximize(cp.sum(share)), limits)
    cheap = lx.Subproblem("cheap", cp.Minimize([2, 1, 1] @ share), [*limits, most.held()])
    program = lx.Program(lx.Stage("amount", most), lx.Stage("cost", cheap))
    tolerances = ({}, {"atol": 1}, {"rtol": 0.1}, {"atol": 0.5, "rtol": 0.1})
    for tolerance in tolerances:
        held = [*limits, most.held(), cheap.held(**tolerance)]
        fair = lx.Subproblem("fair", cp.Minimize(cp.max(share)), held)
        extended = program.extend(lx.Stage("fairness", fair))
        book.program(f"{tolerance}", extended)
    before = program.solve("CLARABEL")
    book.program("resumed", extended, "HIGHS", resume=before)


@family
def contract_existing_problems(book: Any) -> None:
    near = cp.Variable((2, 2), PSD=True, name="near")
    distance = cp.norm(near - np.diag([2.0, -1.0]), "fro")
    repair = lx.Subproblem("repair", cp.Problem(cp.Minimize(distance)))
    density = cp.Variable((2, 2), PSD=True, name="density")
    value = cp.trace(repair.at(near) @ density)
    largest = lx.Subproblem("largest", cp.Problem(cp.Maximize(value), [cp.trace(density) == 1]))
    program = lx.Program(lx.Stage("matrix", repair), lx.Stage("spectrum", largest))
    book.program("matrices", program)
    book.program("matrices, SCS", program, "SCS")
    x = cp.Variable(name="x")
    first = lx.Subproblem("first", cp.Problem(cp.Minimize(x), [x >= 3]))
    second = lx.Subproblem("second", cp.Minimize(cp.abs(x)), [x <= first.optimum - 5])
    book.program("two", lx.Program(lx.Stage("a", first), lx.Stage("b", second)))
    w, h, d, e = (cp.Variable(pos=True, name=name) for name in "whde")
    area = lx.Subproblem("area", cp.Minimize(w * h), [w * h**2 >= 8, h <= 2], gp=True)
    depth = lx.Subproblem("depth", cp.Minimize(d**2), [d * area.at(w) >= 6], gp=True)
    extra = lx.Subproblem("extra", cp.Minimize(e), [e * area.optimum >= 6], gp=True)
    program = lx.Program(lx.Stage("one", area), lx.Stage("two", depth, extra))
    book.program("geometric", program, unique=("w", "h", "d", "e"))


@family
def contract_four_classes(book: Any) -> None:
    capacity, demand = np.array([10, 8, 5]), 12
    opened = cp.Variable(3, boolean=True, name="opened")
    locate = lx.Subproblem("locate", cp.Minimize([5, 4, 3] @ opened), [capacity @ opened >= demand])
    shipped = cp.Variable(3, nonneg=True, name="shipped")
    rows = [shipped <= cp.multiply(capacity, locate.at(opened)), cp.sum(shipped) == demand]
    ship = lx.Subproblem("ship", cp.Minimize([1, 2, 3] @ shipped), rows)
    staff = cp.Variable(3, name="staff")
    apart = cp.sum_squares(staff - ship.at(shipped))
    roster = lx.Subproblem("roster", cp.Minimize(apart), [cp.sum(staff) == 15])
    kept = cp.Variable(3, name="kept")
    ball = cp.norm(kept - roster.at(staff)) <= roster.optimum
    trim = lx.Subproblem("trim", cp.Minimize([1, 2, 2] @ kept), [ball])
    stages = [lx.Stage(f"stage {p.name}", p) for p in (locate, ship, roster, trim)]
    unique = ("opened", "shipped", "staff", "kept")
    book.program("default", lx.Program(*stages), unique=unique)
    book.program("ECOS for cones", lx.Program(*stages), {"trim": "ECOS", "roster": "OSQP"})


def _lexiboost(margins: np.ndarray, y: np.ndarray, target: float = 1.0) -> lx.Program:
    classes = np.unique(y)
    alpha = cp.Variable(margins.shape[1], nonneg=True, name="alpha")
    loss, chi = cp.Variable(len(y), nonneg=True, name="loss"), cp.Variable(name="chi")
    shared = [target - margins @ alpha <= loss, cp.sum(alpha) == 1]
    mean = {label: cp.sum(loss[y == label]) / np.sum(y == label) for label in classes}
    best = {c: lx.Subproblem(f"class {c}", cp.Minimize(mean[c]), shared) for c in classes}
    near = [mean[c] - best[c].optimum <= chi for c in classes]
    balance = lx.Subproblem("balance", cp.Minimize(chi), [*near, *shared, chi >= 0])
    return lx.Program(lx.Stage("classes", *best.values()), lx.Stage("balance", balance))


def _votes(seed: int, points: int = 60, components: int = 6) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(3), rng.choice(3, points - 3, p=[0.7, 0.2, 0.1])])
    right = rng.random((points, components)) < 0.5 + 0.3 * rng.random((3, components))[y]
    return np.where(right, 1.0, -1.0), y


@family
def contract_lexiboost(book: Any) -> None:
    for seed in range(3):
        book.program(f"hard votes {seed}", _lexiboost(*_votes(seed)))
    for solver in (None, "CLARABEL", "ECOS"):
        book.program(f"target 0.4, {solver}", _lexiboost(*_votes(7), target=0.4), solver)


@family
def contract_prices(book: Any) -> None:
    hours = np.array([4.0, 12.0, 18.0])
    batches = cp.Variable(2, nonneg=True, name="batches")
    capacity = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 2.0]]) @ batches <= hours
    produce = lx.Subproblem("produce", cp.Maximize(3 * batches[0] + 5 * batches[1]), [capacity])
    rented = cp.Variable(3, nonneg=True, name="rented")
    rows = [produce.dual(capacity) @ rented >= 30, rented <= hours]
    rent = lx.Subproblem("rent", cp.Minimize(cp.sum(rented)), rows)
    book.program("Wyndor", lx.Program(lx.Stage("factory", produce), lx.Stage("market", rent)))
    rolls = cp.Variable(2, nonneg=True, name="rolls")
    enough = [3 * rolls[0] >= 20, 2 * rolls[1] >= 10]
    master = lx.Subproblem("master", cp.Minimize(cp.sum(rolls)), enough)
    pattern = cp.Variable(2, integer=True, bounds=[0, 11], name="pattern")
    worth = master.dual(enough[0]) * pattern[0] + master.dual(enough[1]) * pattern[1]
    pricing = lx.Subproblem("pricing", cp.Maximize(worth), [3 * pattern[0] + 5 * pattern[1] <= 11])
    book.program("rolls", lx.Program(lx.Stage("cut", master), lx.Stage("improve", pricing)))
    supply = cp.Variable(2, nonneg=True, name="supply")
    balance = cp.sum(supply) == 5
    market = lx.Subproblem("market", cp.Minimize([2, 3] @ supply), [balance, supply[0] <= 3])
    quantity = cp.Variable(name="quantity", bounds=[0, 4])
    buyer = lx.Subproblem("buyer", cp.Maximize(5 * quantity + market.dual(balance) * quantity))
    book.program("market", lx.Program(lx.Stage("clear", market), lx.Stage("buy", buyer)))


@family
def contract_parameters(book: Any) -> None:
    price, protein = (cp.Parameter(k, nonneg=True, name=n) for k, n in ((2, "price"), ((), "prot")))
    premium = cp.Parameter(nonneg=True, name="premium")
    food = cp.Variable(2, nonneg=True, name="food")
    enough = [[1, 2] @ food >= protein, food[1] <= 3]
    cheap = lx.Subproblem("cheap", cp.Minimize(price @ food), enough)
    dearer = price @ food <= cheap.optimum + premium
    variety = lx.Subproblem("variety", cp.Maximize(food[0]), [*enough, dearer])
    program = lx.Program(lx.Stage("cost", cheap), lx.Stage("taste", variety))
    worked = [([3, 2], 10, 2), ([3, 2], 4, 2), ([1, 5], 10, 0), ([3, 2], 10, 7), ([3, 2], 4, 20)]
    for prices, need, more in worked:
        price.value, protein.value, premium.value = np.array(prices, float), need, more
        for solver in (None, "CLARABEL"):
            book.program(f"diet {prices} {need} {more} {solver}", program, solver)
    t, x = cp.Parameter(name="t"), cp.Variable(name="x")
    first = lx.Subproblem("one", cp.Minimize(x), [x >= t])
    two = lx.Subproblem("two", cp.Minimize(x), [x >= 2 * first.optimum + t])
    three = lx.Subproblem("three", cp.Minimize(x), [x == 10 * first.optimum - two.optimum])
    program = lx.Program(lx.Stage("a", first), lx.Stage("b", two), lx.Stage("c", three))
    for number in (1.0, -2.0, 0.0, 5.5):
        t.value = number
        book.program(f"chain {number}", program)


@family
def contract_near_an_earlier_plan(book: Any) -> None:
    for distance in (cp.norm, cp.sum_squares, cp.norm1):
        make = cp.Variable(2, nonneg=True, name="make")
        rows = [cp.sum(make) >= 4, make[0] <= 3]
        now = lx.Subproblem("now", cp.Minimize(make[0] + 2 * make[1]), rows)
        change = distance(make - now.at(make))
        later = lx.Subproblem("later", cp.Minimize(change), [cp.sum(make) >= 6, make[0] <= 5])
        program = lx.Program(lx.Stage("plan", now), lx.Stage("replan", later))
        book.program(distance.__name__, program, unique=() if distance is cp.norm1 else ("make",))
    twice = [
        cp.sum(make) >= 2 * now.at(cp.sum(make)),
        make[0] - make[1] == now.at(make[0] - make[1]),
    ]
    then = lx.Subproblem("then", cp.Minimize(cp.sum(make)), twice)
    book.program("expressions", lx.Program(lx.Stage("first", now), lx.Stage("second", then)))


@family
def contract_solvers(book: Any) -> None:
    x, y, z, w = (cp.Variable(name=name, bounds=[0, 100]) for name in "xyzw")
    left = lx.Subproblem("left", cp.Minimize(2 * x), [x >= 1.5])
    right = lx.Subproblem("right", cp.Maximize(y), [3 * y <= 12])
    both = lx.Subproblem("both", cp.Minimize(z), [z >= left.optimum + right.optimum])
    last = lx.Subproblem("last", cp.Maximize(w), [w + both.at(z) <= 10])
    stages = lx.Stage("one", left, right), lx.Stage("two", both, solver="ECOS")
    program = lx.Program(*stages, lx.Stage("three", last))
    hurried = lx.Solver("CLARABEL", max_iter=1)
    choices: dict[str, Any] = {
        "default": None,
        "each its own": {"one": "HIGHS", "two": "CLARABEL", "three": "ECOS"},
        "all but declared": "CLARABEL",
        "subproblem wins": {"one": "ECOS", "right": "CLARABEL", "two": "HIGHS"},
        "fails": {"one": "HIGHS", "three": hurried},
        "fallback": {"one": [hurried, "HIGHS"], "two": [hurried, hurried, "ECOS"]},
        "all hurried": [hurried, hurried],
        "unknown": "HIGSH",
    }
    for name, choice in choices.items():
        book.program(name, program, choice)


@family
def contract_many_solves(book: Any) -> None:
    rng = np.random.default_rng(0)
    for name, second in {"stages": cp.max, "straight": lambda x: x[0] - x[3]}.items():
        x = cp.Variable(8, bounds=[0, 5], name="x")
        demand = cp.Parameter(4, name="demand", value=np.ones(4))
        limits = [rng.uniform(0, 1, (4, 8)) @ x >= demand]
        cheap = lx.Subproblem("cheap", cp.Minimize(rng.integers(1, 4, 8) @ x), limits)
        even = lx.Subproblem("even", cp.Minimize(second(x)), [*limits, cheap.held()])
        program = lx.Program(lx.Stage("cost", cheap), lx.Stage("balance", even))
        for k in range(5):
            demand.value = rng.uniform(0.5, 2.0, 4)
            book.program(f"{name} {k}", program)


# The models of the benchmarks


@family
def bench_engine(book: Any) -> None:
    for rows in (10, 200):
        lp = packing(rows)
        program, capacity = engine.declare(lp)
        book.program(f"{rows} rows", program)
        capacity.value = lp.capacity * np.linspace(0.9, 1.1, rows)
        book.program(f"{rows} rows again", program)
    lp = packing(10)
    book.program("a stage of 4", engine.declare(lp, 4)[0])
    hierarchy, capacity = engine.declare_hierarchy(lp)
    book.program("two ideals and a compromise", hierarchy)
    capacity.value = lp.capacity * np.linspace(1.1, 0.9, 10)
    book.program("two ideals and a compromise again", hierarchy)
    for kind in ("LP", "QP", "SOCP"):
        problem, target, solver = changing(kind, 10)
        program = lx.Program(lx.Stage("only", lx.Subproblem("p", problem)))
        middle, rng = target.value.copy(), np.random.default_rng(0)
        for k in range(2):
            target.value = middle * rng.uniform(0.9, 1.1, middle.size)
            book.program(f"{kind} {k}", program, solver)


@family
def bench_preemptive(book: Any) -> None:
    for kind, make in CHAINS.items():
        for rows, levels in ((10, 2), (10, 10), (50, 5), (200, 3), (200, 10)):
            chain = make(rows, levels, seed=rows)
            x = cp.Variable(chain.A.shape[1], bounds=[0, UPPER], name="x")
            goals = {f"level {k}": cp.Minimize(cost @ x) for k, cost in enumerate(chain.costs)}
            program = lx.preemptive(goals, [chain.A @ x >= chain.demand])
            book.program(f"{kind} {rows} x {levels}", program)
            if rows == 10:
                book.program(f"{kind} {rows} x {levels} CLARABEL", program, "CLARABEL")


@family
def bench_leximin(book: Any) -> None:
    for count, seed in ((12, 0), (12, 1), (30, 0), (60, 0)):
        uses, capacities = flows(count, seed)
        rate = cp.Variable(count, nonneg=True, name="rate")
        utilities = {f"flow {k}": rate[k] for k in range(count)}
        program = lx.leximin(utilities, [uses @ rate <= capacities])
        book.program(f"{count} flows {seed}", program, unique=("rate",))
    for shares in (sharing(3, 6), sharing(3, 8), matching(5), matching(6)):
        for name, method in METHODS.items():
            found = method(shares)
            same = {"found": found is not None}
            values = {f"{k}": v for k, v in enumerate(found or ())}
            book.note(f"{shares.name} {name}", same=same, values=values)


@family
def bench_integer(book: Any) -> None:
    for name, make in INTEGER_FAMILIES.items():
        for seed in range(2):
            instance = make(seed, 0)
            x = cp.Variable(instance.columns, integer=True, name="x", bounds=[0, instance.upper])
            parts = [x]
            if instance.reals:
                parts.append(cp.Variable(instance.reals, nonneg=True, name="y"))
            point = cp.hstack(parts)
            levels = {f"level {k}": cp.Minimize(c @ point) for k, c in enumerate(instance.costs)}
            book.program(
                f"{name} {seed}", lx.preemptive(levels, [instance.A @ point <= instance.b])
            )


@family
def bench_fronts(book: Any) -> None:
    for seed in range(3):
        A, demand, first, second = fronts.covering(40, 8, seed)
        x = cp.Variable(first.size, bounds=[0, 10], name="x")
        levels = {"cost": cp.Minimize(first @ x), "use": cp.Minimize(second @ x)}
        program = lx.preemptive(levels, [A @ x >= demand])
        _curve(book, f"curve {seed}", program, "cost")
        _front(book, f"linear front {seed}", levels, [A @ x >= demand])
    points = fronts.ours(fronts.PUBLISHED["knapsack17"])
    values = {f"{k} {j}": v for k, point in enumerate(points) for j, v in enumerate(point)}
    book.note("knapsack17", same={"points": len(points)}, values=values)


@family
def bench_sweeps(book: Any) -> None:
    A, cost, base = sweeps.covering(30)
    for name, sides in sweeps.right_hand_sides(base, 6).items():
        program, side = sweeps.model(A, cost)
        _sweep(book, name, lx.sweep(program, {side: sides}))


@family
def bench_games(book: Any) -> None:
    listed = {name: game for name, (game, _) in games.games(quick=True).items()}
    listed |= {f"{k} players": games.random_game(k, k) for k in (4, 5, 6)}
    for name, game in listed.items():
        for what, (_, solve) in games.ASKED.items():
            found = solve(game)
            unique = ("values",) if what == "nucleolus" else ()
            book.note(
                f"{name}, {what}", values={"subsidy": found.subsidy},
                points={"values": found.values}, unique=unique,
            )  # fmt: skip


@family
def bench_exact(book: Any) -> None:
    for rows, seed in ((10, 0), (10, 1), (50, 0)):
        for solver in ("HIGHS", "EXACT"):
            book.program(f"{rows} rows {seed} {solver}", exact.program(rows, seed), solver)
    for name in exact.CHAINS:
        for number, case in _drawn(TRUSTED[name], 2, seed=7):
            book.program(f"{name} {number}", case.program, "EXACT", truth=case.truth)


# Whole curves, fronts and sweeps, as cases of their own


def _curve(
    book: Any, case: str, program: lx.Program, name: str, *given: Any, **options: Any
) -> None:
    def work() -> None:
        curve = lx.tradeoff(program, name, *given, **options)
        values = {f"at {k}": t for k, t in enumerate(curve.tolerances)}
        for kind, table in (("value", curve.values), ("slope", curve.slopes)):
            values |= {f"{kind} {n} {k}": v for n, row in table.items() for k, v in enumerate(row)}
        values |= {f"error {n}": e for n, e in curve.errors.items()}
        same = {"breakpoints": len(curve.tolerances)}
        book.note(case, same=same, values=values, points={"given up": list(curve.given_up)})

    book.attempt(case, work)


def _front(book: Any, case: str, objectives: Any, constraints: Any = (), **options: Any) -> None:
    def work() -> None:
        front = lx.frontier(objectives, list(constraints), **options)
        same = {
            "points": len(front.points), "kind": front.kind, "complete": front.complete,
            "discrete": front.discrete, "missing": len(front.missing), "names": front.names,
        }  # fmt: skip
        values = {
            f"{name} {k}": value
            for k, point in enumerate(front.points)
            for name, value in zip(front.names, point, strict=True)
        }
        points = {} if front.weights is None else {"weights": front.weights}
        points |= {} if front.ray is None else {"ray": front.ray}
        values |= {"error": front.error}
        book.note(case, same=same, values=values, points=points, unique=tuple(points))

    book.attempt(case, work)


def _sweep(book: Any, case: str, table: lx.Sweep) -> None:
    for k, row in enumerate(table.rows):
        if isinstance(row, lx.Result):
            for name, solution in row.items():
                book.solution(f"{case} {k} / {name}", solution)
        else:
            book.refusal(f"{case} {k}", row)
    book.note(f"{case}: how", same=dict(table.found))
