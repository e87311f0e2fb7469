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

SEEDS = 4
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
        for rows, levels in ((10, 2), (10, 10), (50, 5), (200, 3)):
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
    book.note(f"{case}: how", told=dict(table.found))


# Every formulation


def _mill() -> tuple[Any, list[Any]]:
    """Two products on three machines, with prices that tie."""
    x = cp.Variable(3, nonneg=True, name="x")
    return x, [2 * x[0] + x[1] + x[2] <= 12, x[0] + 3 * x[1] <= 15, x[0] + x[1] + x[2] <= 8]


@family
def preemptive(book: Any) -> None:
    x, rows = _mill()
    levels = {
        "gain": cp.Maximize(2 * x[0] + 2 * x[1] + 2 * x[2]),
        "waste": cp.Minimize(x[0] + 2 * x[2]),
        "even": cp.Minimize(cp.max(x)),
    }
    tolerances: dict[str, dict[str, Any]] = {
        "exact": {},
        "atol": {"atol": {"gain": 1.0}},
        "rtol": {"rtol": 0.05},
        "both": {"atol": {"gain": 0.5}, "rtol": {"waste": 0.2}},
    }
    for name, given in tolerances.items():
        program = lx.preemptive(levels, rows, **given)
        for solver in (None, "CLARABEL", "ECOS", "EXACT"):
            book.program(f"{name}, {solver}", program, solver)
    slack = cp.Parameter(nonneg=True, name="slack")
    program = lx.preemptive(levels, rows, atol={"gain": slack})
    for value in (0.0, 0.25, 2.0):
        slack.value = value
        book.program(f"a parameter of {value}", program)
    curved = levels | {"near": cp.Minimize(cp.sum_squares(x - np.array([1.0, 2.0, 3.0])))}
    book.program("a square last", lx.preemptive(curved, rows), unique=("x",))
    first = {"near": curved["near"], "gain": levels["gain"]}
    book.program("a square first", lx.preemptive(first, rows), unique=("x",))
    book.program("a loose square", lx.preemptive(first, rows, rtol=0.1), unique=("x",))
    y = cp.Variable(3, integer=True, name="y", bounds=[0, 6])
    whole = {"gain": cp.Maximize(3 * y[0] + 2 * y[1] + 2 * y[2]), "few": cp.Minimize(cp.sum(y))}
    limits = [2 * y[0] + y[1] + y[2] <= 11, y[0] + 3 * y[1] <= 14]
    for name, solver in {"HIGHS": "HIGHS", "SCIPY": "SCIPY", "default": None}.items():
        book.program(f"whole numbers, {name}", lx.preemptive(whole, limits), solver)
    book.program("whole numbers, rtol", lx.preemptive(whole, limits, rtol=0.1))
    a, b = (cp.Variable(pos=True, name=name) for name in "ab")
    boxes = {"area": cp.Minimize(a * b), "sides": cp.Minimize(a + b)}
    rows = [a * b**2 >= 4, a <= 4, b <= 4]
    book.program("geometric", lx.preemptive(boxes, rows, gp=True), unique=("a", "b"))


@family
def curved_levels(book: Any) -> None:
    """Optima of cones that leave something to later levels."""
    x, z = cp.Variable(2, name="x"), cp.Variable(name="z", bounds=[-1, 1])
    near = cp.Minimize(cp.sum_squares(x - np.array([2.0, 0.0])))
    disk = lx.preemptive({"near": near, "up": cp.Maximize(x[1] + z)}, [cp.norm(x) <= 1])
    for solver in (None, "ECOS", "SCS"):
        book.program(f"disk, {solver}", disk, solver, unique=("x", "z"))
    y = cp.Variable(3, name="y")
    levels = {
        "right": cp.Maximize(y[0]),
        "low": cp.Minimize(y[2]),
        "other": cp.Maximize(y[1] + y[2]),
    }
    rows = [cp.norm(y[:2]) <= 2, cp.norm(y[2] - 5) <= 1, y[2] <= 7]
    book.program("cylinder", lx.preemptive(levels, rows), unique=("y",))
    w = cp.Variable(2, bounds=[0, 3], name="w")
    flat = {"flat": cp.Minimize(cp.power(cp.sum(w) - 1, 4)), "then": cp.Maximize(w[0])}
    book.program("a flat power", lx.preemptive(flat))
    logs = {"log": cp.Maximize(cp.sum(cp.log(w))), "then": cp.Maximize(w[0] - w[1])}
    book.program("logarithms", lx.preemptive(logs, [cp.sum(w) <= 3]), unique=("w",))
    P = cp.Variable((2, 2), PSD=True, name="P")
    sdp = {"trace": cp.Minimize(cp.trace(P)), "corner": cp.Maximize(P[0, 1])}
    book.program("matrix", lx.preemptive(sdp, [P[0, 0] >= 1, P[1, 1] >= 2]), unique=("P",))


@family
def flagged(book: Any) -> None:
    """Answers that are not called optimal, and the gaps that users accept."""
    x, y = cp.Variable(4, name="x"), cp.Variable(name="y")
    rows = [x >= 1, 2 * x[2] >= 2]
    first = lx.Subproblem("first", cp.Minimize(cp.sum(x)), rows)
    for k in (0, 2):
        second = lx.Subproblem("second", cp.Minimize(y), [y >= first.dual(rows[0])[k]])
        program = lx.Program(lx.Stage("1", first), lx.Stage("2", second))
        book.program(f"multiplier {k}", program)
    for size, gap in ((20, 0.3), (20, 0.05), (30, 0.1)):
        rng = np.random.default_rng(size)
        take = cp.Variable(size, boolean=True, name="take")
        weights = rng.integers(5, 60, (3, size))
        levels = {
            "gain": cp.Maximize(rng.integers(10, 200, size) @ take),
            "count": cp.Minimize(cp.sum(take)),
        }
        program = lx.preemptive(levels, [weights @ take <= weights.sum(axis=1) // 2])
        book.program(f"gap {size} {gap}", program, lx.Solver("HIGHS", mip_rel_gap=gap))
    for case in ("SCS", "OSQP"):
        rng = np.random.default_rng(1)
        A, b = rng.normal(size=(12, 5)), rng.normal(size=12)
        v = cp.Variable(5, name="v")
        hurried = lx.Solver(case, max_iters=20) if case == "SCS" else lx.Solver(case, max_iter=20)
        program = one(cp.Minimize(cp.sum_squares(A @ v - b)), [cp.sum(v) == 1, v >= -1])
        book.program(f"{case} in a hurry", program, hurried)
        book.program(f"{case} with fallback", program, [hurried, "CLARABEL"], unique=("v",))


@family
def goals(book: Any) -> None:
    x = cp.Variable(2, nonneg=True, name="x")
    limits = [100 * x[0] + 60 * x[1] <= 600]

    def wanted(kind: str) -> list[lx.Goal]:
        profit = lx.Goal("profit", 7 * x[0] + 3 * x[1] >= 40)
        if kind == "equal":
            units = lx.Goal("units", 5 * x[0] + 4 * x[1] >= 35, weight=2)
            return [profit, lx.Goal("hours", 10 * x[0] + 5 * x[1] == 60, weight=0.5), units]
        if kind == "sides":
            hours = lx.Goal("hours", 10 * x[0] + 5 * x[1] == 60, over=(1, 2.0), under=(2, 1.0))
            return [profit, hours, lx.Goal("units", 5 * x[0] + 4 * x[1] >= 35, priority=3)]
        if kind == "vectors":
            return [profit, lx.Goal("both", x >= np.array([4.0, 5.0]), priority=2)]
        hours = lx.Goal("hours", 10 * x[0] + 5 * x[1] == 60, priority=2)
        return [profit, hours, lx.Goal("units", 5 * x[0] + 4 * x[1] >= 35, priority=3)]

    for kind in ("ordered", "equal", "sides", "vectors"):
        for solver in (None, "CLARABEL", "EXACT"):
            book.program(f"{kind}, {solver}", lx.goal_program(wanted(kind), limits), solver)


@family
def fairness(book: Any) -> None:
    a = cp.Variable(3, bounds=[0, 1], name="a")
    heirs = {
        "Alice": 5 * a[0] + 3 * a[1],
        "George": 2 * (1 - a[0]) + 4 * (1 - a[1]) + 9 * (1 - a[2]),
        "Zoe": a[0] + a[1] + a[2],
    }
    for solver in (None, "CLARABEL", "ECOS"):
        book.program(f"leximin, {solver}", lx.leximin(heirs), solver)
        book.program(f"leximax, {solver}", lx.leximax(heirs, [cp.sum(a) >= 1]), solver)
    worth = {(0,): -1, (1,): 0, (2,): 1, (0, 1): 3, (0, 2): 4, (1, 2): 2}
    x = cp.Variable(3, name="x")
    gains = [cp.sum(x[list(s)]) - v for s, v in worth.items()]
    book.program("nucleolus", lx.leximin(gains, [cp.sum(x) == 5]), unique=("x",))
    for seed in range(3):
        rng = np.random.default_rng(seed)
        y = cp.Variable(5, nonneg=True, name="y")
        table, rows = rng.integers(0, 6, (4, 5)), rng.integers(1, 5, (3, 5))
        shares = {f"u{k}": row @ y for k, row in enumerate(table)}
        limits = [rows @ y <= rng.integers(5, 20, 3), y <= 5]
        book.program(f"random leximin {seed}", lx.leximin(shares, limits))
        book.program(f"random leximax {seed}", lx.leximax(shares, [rows @ y >= 4, y <= 5]))
        levels = {
            "all": cp.Maximize(cp.sum(table @ y)),
            "fair": lx.Leximin(shares),
            "low": cp.Minimize(cp.sum(y)),
        }
        book.program(f"a level of leximin {seed}", lx.preemptive(levels, limits, rtol={"all": 0.2}))
    z = cp.Variable(3, name="z")
    disk = {"a": z[0] + 2, "b": 2 * z[1] + 1, "c": 3 - z[2]}
    curved = lx.leximin(disk, [cp.norm(z) <= 1])
    book.program("on a ball", curved)
    gets = cp.Variable((3, 4), boolean=True, name="gets")
    values = np.array([[4, 2, 7, 1], [3, 3, 3, 3], [1, 6, 2, 5]])
    sums = cp.sum(cp.multiply(values, gets), axis=1)
    book.program(
        "whole things",
        lx.leximin({f"p{k}": sums[k] for k in range(3)}, [cp.sum(gets, axis=0) <= 1]),
    )
    seat, prices = cp.Variable(3, boolean=True, name="seat"), cp.Parameter(3, nonneg=True)
    rules = [cp.sum(seat) == 2, seat[0] + seat[1] <= 1]
    best = one(cp.Maximize(prices @ seat), rules)

    def oracle(at: Any) -> Any:
        prices.value = at
        found = best.solve(workers=1).final
        return [found[seat]], found.bound

    book.program("lottery", lx.leximin({"Ann": 0, "Bob": 0, "Cid": 0}, pricing=oracle))


@family
def regret(book: Any) -> None:
    x, demand, cheap, clean = _plant()
    aims = {"cost": cheap.objective, "fumes": clean.objective, "third": cp.Minimize(x[0] + x[1])}
    for name, given in {
        "plain": {}, "scaled": {"scales": {"cost": 2.0}}, "refined": {"refine": True},
    }.items():  # fmt: skip
        for solver in (None, "CLARABEL", "EXACT"):
            book.program(f"{name}, {solver}", lx.minimax_regret(aims, demand, **given), solver)
    curved = {"near": cp.Minimize(cp.sum_squares(x - 3)), "cost": cheap.objective}
    book.program("curved", lx.minimax_regret(curved, demand), unique=("x",))


@family
def tradeoffs(book: Any) -> None:
    x, rows = _mill()
    levels = {
        "gain": cp.Maximize(4 * x[0] + 3 * x[1] + 2 * x[2]),
        "waste": cp.Minimize(x[0] + 2 * x[2]),
        "even": cp.Minimize(cp.max(x)),
    }
    linear = lx.preemptive(levels, rows)
    for name in ("gain", "waste"):
        _curve(book, f"linear, {name}", linear, name)
    _curve(book, "linear table", linear, "gain", [0, 0.5, 2, 5])
    _curve(book, "linear table, CLARABEL", linear, "gain", [0, 0.5, 2, 5], solver="CLARABEL")
    y = cp.Variable(3, integer=True, name="y", bounds=[0, 6])
    whole = {"gain": cp.Maximize(3 * y[0] + 2 * y[1] + 4 * y[2]), "few": cp.Minimize(cp.sum(y))}
    limits = [2 * y[0] + y[1] + y[2] <= 11, y[0] + 3 * y[1] <= 14]
    _curve(book, "whole numbers", lx.preemptive(whole, limits), "gain")
    _curve(book, "whole numbers table", lx.preemptive(whole, limits), "gain", [0, 3, 6])
    curved = {"gain": levels["gain"], "near": cp.Minimize(cp.sum_squares(x))}
    _curve(book, "a square", lx.preemptive(curved, rows), "gain", error=0.01)
    risk = {"risk": cp.Minimize(cp.norm(x - 1)), "gain": cp.Maximize(cp.sum(x))}
    _curve(book, "a cone", lx.preemptive(risk, rows), "risk", error=0.01)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        z = cp.Variable(6, bounds=[0, 5], name="z")
        table = rng.integers(0, 5, (4, 6))
        costs = {f"c{k}": cp.Minimize(rng.integers(0, 6, 6) @ z) for k in range(3)}
        _curve(book, f"random {seed}", lx.preemptive(costs, [table @ z >= 8]), "c0")
    _curve(book, "nothing held", lx.preemptive(levels, rows), "even")


@family
def frontiers(book: Any) -> None:
    x, demand, cheap, clean = _plant()
    aims = {"cost": cheap.objective, "fumes": clean.objective}
    _front(book, "linear", aims, demand)
    _front(book, "linear, three", aims | {"third": cp.Minimize(cp.max(x))}, demand)
    y = cp.Variable(2, nonneg=True, name="y")
    ray = {"a": cp.Minimize(y[0] - y[1]), "b": cp.Minimize(y[1])}
    _front(book, "linear with a ray", ray, [y[0] + y[1] >= 2, y[0] <= 5])
    for seed in range(2):
        rng = np.random.default_rng(seed)
        take = cp.Variable(9, boolean=True, name="take")
        gains = {f"g{k}": cp.Maximize(rng.integers(1, 20, 9) @ take) for k in range(2)}
        room = [rng.integers(1, 15, 9) @ take <= 35]
        _front(book, f"knapsack {seed}", gains, room)
    gains |= {"g2": cp.Minimize(rng.integers(1, 9, 9) @ take)}
    _front(book, "knapsack, three", gains, [*room, cp.sum(take) >= 3, take[:4] == 0])
    curved = {"near": cp.Minimize(cp.sum_squares(x - 4)), "cost": cheap.objective}
    _front(book, "convex", curved, demand)
    ball = {"a": cp.Minimize(y[0]), "b": cp.Minimize(y[1])}
    _front(book, "cone", ball, [cp.norm(y - 3) <= 2])
    _front(book, "infeasible", ball, [cp.norm(y - 3) <= 2, cp.sum(y) <= 0.5])


@family
def sweeps_of_parameters(book: Any) -> None:
    x = cp.Variable(2, nonneg=True, name="x")
    demand, price = cp.Parameter(name="demand"), cp.Parameter(nonneg=True, name="price", value=3)
    cheap = lx.Subproblem("cheap", cp.Minimize(price * x[0] + x[1]), [cp.sum(x) >= demand, x <= 3])
    program = lx.Program(lx.Stage("cost", cheap))
    _sweep(book, "demand", lx.sweep(program, {demand: [2, 4, 5.5, 7]}))
    both = {demand: [2, 4, 5], price: [0.5, 1, 2]}
    _sweep(book, "both", lx.sweep(program, both))
    _sweep(book, "both, CLARABEL", lx.sweep(program, both, solver="CLARABEL"))
    even = lx.preemptive(
        {"cost": cp.Minimize(price * cp.sum(x)), "even": cp.Minimize(cp.sum_squares(x - [1, 3]))},
        [cp.sum(x) >= demand],
    )
    _sweep(book, "curved", lx.sweep(even, {demand: [1, 3, 6]}))
    w = cp.Variable(3, integer=True, bounds=[0, 4], name="w")
    whole = lx.preemptive(
        {"cost": cp.Minimize([2, 3, 4] @ w), "most": cp.Maximize(w[0])}, [[1, 2, 3] @ w >= demand]
    )
    _sweep(book, "whole numbers", lx.sweep(whole, {demand: [3, 7, 11]}))
    demand.value = 4.0
    table = lx.compare_solvers(program, ["HIGHS", "CLARABEL", "ECOS", "SCS", "OSQP", "EXACT"])
    for row in table.rows:
        same = {"status": str(row.status), "choice": str(row.choice)}
        book.note(f"compared: {row.choice}", same=same, values={"value": row.value})


@family
def gradients(book: Any) -> None:
    def linear(rng: Any) -> lx.Program:
        x, worst = cp.Variable(5, bounds=[0, 4], name="x"), cp.Variable(name="worst")
        rows, demand = cp.Parameter((3, 5), name="rows"), cp.Parameter(3, name="demand")
        rows.value, demand.value = rng.uniform(0.5, 2, (3, 5)), rng.uniform(3, 5, 3)
        cost, other = cp.Parameter(5, name="cost", value=rng.uniform(1, 3, 5)), rng.uniform(1, 3, 5)
        cheap = lx.Subproblem("cheap", cp.Minimize(cost @ x), [rows @ x >= demand])
        clean = lx.Subproblem("clean", cp.Minimize(other @ x), [rows @ x >= demand])
        both = [cost @ x <= cheap.optimum + worst, other @ x <= clean.optimum + worst]
        fair = lx.Subproblem("fair", cp.Minimize(worst), [rows @ x >= demand, *both])
        return lx.Program(lx.Stage("ideal", cheap, clean), lx.Stage("fair", fair))

    def points(rng: Any) -> lx.Program:
        x, y = cp.Variable(4, nonneg=True, name="x"), cp.Variable(4, name="y")
        aim = cp.Parameter(4, name="aim", value=rng.uniform(0, 2, 4))
        total = cp.Parameter(name="total", value=3.0)
        near = lx.Subproblem("near", cp.Minimize(cp.sum_squares(x - aim)), [cp.sum(x) == total])
        apart = cp.sum_squares(y - near.at(cp.square(x)))
        then = lx.Subproblem("then", cp.Minimize(apart), [rng.uniform(1, 2, (2, 4)) @ y <= 1])
        return lx.Program(lx.Stage("one", near), lx.Stage("two", then))

    def held(rng: Any) -> lx.Program:
        x = cp.Variable(5, bounds=[0, 4], name="x")
        demand = cp.Parameter(2, name="demand", value=rng.uniform(3, 5, 2))
        levels = {
            "a": cp.Minimize(np.array([1.0, 1, 1, 2, 2]) @ x),
            "b": cp.Maximize(rng.uniform(1, 3, 5) @ x),
        }
        return lx.preemptive(levels, [rng.uniform(1, 3, (2, 5)) @ x >= demand], rtol={"a": 0.1})

    def cone(rng: Any) -> lx.Program:
        x = cp.Variable(3, name="x")
        radius = cp.Parameter(nonneg=True, name="radius", value=2.0)
        return one(cp.Minimize(rng.normal(size=3) @ x), [cp.norm(x - 1) <= radius])

    def kink(_: Any) -> lx.Program:
        x, low = cp.Variable(name="x"), cp.Parameter(name="low", value=1.0)
        return lx.preemptive({"least": cp.Minimize(x)}, [x >= low, x >= 1])

    def tie(_: Any) -> lx.Program:
        x, cost = cp.Variable(2, nonneg=True, name="x"), cp.Parameter(name="cost", value=1.0)
        return lx.preemptive({"least": cp.Minimize(cost * x[0] + x[1])}, [cp.sum(x) >= 1])

    for make in (linear, points, held, cone, kink, tie):
        program = make(np.random.default_rng(3))
        result = program.solve(workers=1)
        known = {
            p.id: p for stage in program.stages for s in stage.subproblems for p in s.parameters
        }
        for parameter in known.values():
            for of in result:
                for side in (None, "right", "left") if make in (kink, tie, held) else (None,):
                    case = f"{make.__name__}: {of} by {parameter.name()}, {side}"
                    book.attempt(case, partial(_gradient, book, case, result, parameter, of, side))


def _gradient(book: Any, case: str, result: Any, parameter: Any, of: str, side: Any) -> None:
    found = np.ravel(result.gradient(parameter, of=of, side=side), order="F")
    book.note(case, values={f"{k}": value for k, value in enumerate(found)})


@family
def optimal_faces(book: Any) -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x = cp.Variable(5, bounds=[0, 3], name="x")
        rows = [rng.integers(0, 4, (3, 5)) @ x >= 4]
        cost = rng.integers(0 if seed % 2 else 1, 3, 5) @ x
        low = lx.Subproblem("low", cp.Minimize(cost), rows)
        for solver in ("HIGHS", "CLARABEL"):
            solution = lx.Program(lx.Stage("only", low)).solve(solver, workers=1)["low"]
            face = lx.optimal_face(low, solution)
            same = {"point": face.is_point, "equations": [str(e) for e in face.equations]}
            book.note(f"{seed} {solver}", same=same, values={"value": solution.value})
        then = lx.Subproblem("then", cp.Minimize(cp.sum_squares(x - 1)), [*rows, *face.equations])
        book.program(f"{seed} nearest", lx.Program(lx.Stage("then", then)), unique=("x",))


@family
def no_answer(book: Any) -> None:
    """Infeasible, unbounded, and declared in ways that cannot be meant."""
    x = cp.Variable(2, nonneg=True, name="x")

    def labelled(*pairs: tuple[str, Any]) -> list[Any]:
        return [row.set_label(label) for label, row in pairs]

    conflict = labelled(("demand", cp.sum(x) >= 5), ("supply", x <= 2), ("spare", x[0] - x[1] <= 1))
    for solver in (None, "CLARABEL", "ECOS", "SCS", "EXACT"):
        book.program(f"demand and supply, {solver}", one(cp.Minimize(cp.sum(x)), conflict), solver)
    few = labelled(("few", cp.sum(x) <= 3), ("more", x[0] + 2 * x[1] >= 7), ("first", x[0] >= 1))
    book.program("three rows", one(cp.Minimize(x[0]), few))
    book.program("a square", one(cp.Minimize(cp.sum_squares(x)), few))
    ball = labelled(("ball", cp.norm(x - 4) <= 1), ("small", cp.sum(x) <= 3))
    book.program("a cone", one(cp.Minimize(x[0]), ball))
    y = cp.Variable(2, integer=True, name="y", bounds=[0, 5])
    odd = labelled(("odd", 2 * y[0] + 4 * y[1] == 7), ("some", cp.sum(y) >= 1))
    book.program("odd", one(cp.Minimize(cp.sum(y)), odd))
    cheap = lx.Subproblem("cheap", cp.Minimize([1, 2] @ x), [cp.sum(x) >= 4])
    budget = ([1, 2] @ x <= cheap.optimum - 1).set_label("budget")
    needed = (cp.sum(x) >= 4).set_label("needed")
    later = lx.Subproblem("later", cp.Minimize(x[1]), [budget, needed])
    book.program("an earlier optimum", lx.Program(lx.Stage("1", cheap), lx.Stage("2", later)))
    held = lx.Subproblem("held", cp.Minimize(x[1]), [cheap.held(), (x[0] <= 1).set_label("cap")])
    book.program("a held optimum", lx.Program(lx.Stage("1", cheap), lx.Stage("2", held)))
    free = cp.Variable(2, name="free")
    for solver in (None, "CLARABEL", "SCS", "EXACT"):
        endless = one(cp.Minimize(free[0] - free[1]), [cp.sum(free) >= 1])
        book.program(f"unbounded, {solver}", endless, solver)
    book.program("unbounded cone", one(cp.Minimize(-free[0]), [cp.norm(free[1:]) <= 1]))
    z = cp.Variable(integer=True, name="z")
    book.program("unbounded whole number", one(cp.Maximize(z), [z >= 0]))
    levels = {"a": cp.Minimize(free[0]), "b": cp.Maximize(free[1])}
    book.program("unbounded second level", lx.preemptive(levels, [free[0] >= 1]))
    book.program("not convex", lambda: one(cp.Maximize(cp.sum_squares(x)), [x <= 1]))
    book.program("wrong solver", one(cp.Minimize(cp.norm(x - 1))), "HIGHS")
    book.program("no stage", lambda: lx.Program(lx.Stage("empty")))
    book.program(
        "twice the same name", lambda: lx.Program(lx.Stage("1", cheap), lx.Stage("2", cheap))
    )
    book.program(
        "later before earlier", lambda: lx.Program(lx.Stage("2", later), lx.Stage("1", cheap))
    )
    p = cp.Parameter(name="p")
    book.program("no value", one(cp.Minimize(x[0]), [x[0] >= p]))
    p.value = np.inf
    book.program("infinite", one(cp.Minimize(x[0]), [x[0] >= p]))


@family
def fractions(book: Any) -> None:
    """Thirds and sevenths by EXACT, in chains of every shape."""
    x = cp.Variable(2, nonneg=True, name="x")
    rows = [3 * x[0] + x[1] <= 7, x[0] + 7 * x[1] <= 11]
    levels = {"one": cp.Maximize(x[0] + x[1]), "two": cp.Minimize(x[0] - x[1])}
    for name, given in {"held": {}, "loose": {"rtol": 0.1}, "slack": {"atol": 0.3}}.items():
        result = book.program(name, lx.preemptive(levels, rows, **given), "EXACT")
        if result is not None:
            found = {
                k: [str(e) for e in np.ravel(v)] for k, v in result.final.exact_variables.items()
            }
            book.note(f"{name}: point", same=found)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        y = cp.Variable(4, bounds=[0, 10], name="y")
        table, sides = rng.integers(1, 9, (3, 4)) / 10, rng.integers(5, 30, 3) / 10
        aims = {f"a{k}": cp.Maximize(rng.integers(0, 9, 4) @ y) for k in range(3)}
        book.program(f"random {seed}", lx.preemptive(aims, [table @ y <= sides]), "EXACT")


# Estimators


def _toy(seed: int, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Clouds of points that overlap, one class much rarer than the others."""
    rng = np.random.default_rng(seed)
    sizes = [60, 15, 25][:classes]
    centres = np.array([[0.0, 0.0, 0.0], [1.5, 1.0, 0.0], [-1.0, 1.5, 0.5]])
    X = np.concatenate([rng.normal(c, 1.0, (n, 3)) for c, n in zip(centres, sizes, strict=False)])
    return X, np.repeat(np.arange(classes), sizes)


LEARNT = (
    "class_optima_", "class_losses_", "deviation_", "chi_", "margin_", "group_optima_",
    "group_values_", "group_levels_", "offset_", "gap_",
)  # fmt: skip
COUNTED = ("n_members_", "stopped_", "reduction_", "loop_sizes_", "margins_from_", "n_rounds_")


def _fitted(book: Any, case: str, model: Any, X: np.ndarray, y: Any, **given: Any) -> None:
    def work() -> None:
        model.fit(X, y, **given)
        values = {}
        for name in LEARNT:
            if getattr(model, name, None) is not None:
                values |= {f"{name} {k}": v for k, v in enumerate(np.ravel(getattr(model, name)))}
        same = {name: getattr(model, name) for name in COUNTED if hasattr(model, name)}
        if hasattr(model, "estimators_"):
            same["members"] = len(model.estimators_)
        points = {
            name: getattr(model, name)
            for name in ("estimator_weights_", "hypothesis_weights_")
            if getattr(model, name, None) is not None
        }
        same["predicted"] = "".join(map(str, model.predict(X)))
        for name, solution in getattr(model, "result_", {}).items():
            book.solution(f"{case} / {name}", solution)
        unique = () if "leximax" in case else tuple(points)
        book.note(case, same=same, values=values, points=points, unique=unique)

    book.attempt(case, work)


@family
def boost_estimators(book: Any) -> None:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    import lexiprog_boost as lb

    for seed, classes in ((0, 2), (1, 3)):
        X, y = _toy(seed, classes)
        stump = DecisionTreeClassifier(max_depth=1 if classes == 2 else 2, random_state=0)
        few: dict[str, Any] = {"n_estimators": 8, "random_state": 0}
        models: dict[str, Any] = {
            "LexiBoost": lb.LexiBoostClassifier(stump, **few),
            "LexiBoost, CLARABEL": lb.LexiBoostClassifier(stump, solver="CLARABEL", **few),
            "LexiBoost, closest": lb.LexiBoostClassifier(stump, tie_break="closest", **few),
            "LexiBoost, leximax": lb.LexiBoostClassifier(stump, tie_break="leximax", **few),
            "LexiBoost, target 0.3": lb.LexiBoostClassifier(stump, margin_target=0.3, **few),
            "LexiBoost, unreduced": lb.LexiBoostClassifier(stump, reduce=False, **few),
            "LexiBoost, capped": lb.LexiBoostClassifier(stump, weight_cap=0.3, **few),
            "LexiBoost, modern": lb.LexiBoostClassifier.modern(stump, **few),
            "DualLexiBoost": lb.DualLexiBoostClassifier(stump, **few),
            "DualLexiBoost, exact": lb.DualLexiBoostClassifier(
                stump, dual="exact", margin_target=0.3, **few
            ),
            "LPBoost": lb.LPBoostClassifier(stump, **few),
            "LPUBoost": lb.LPUBoostClassifier(stump, **few),
            "LPAdaBoost": lb.LPAdaBoostClassifier(stump, **few),
            "DualLPBoost": lb.DualLPBoostClassifier(stump, **few),
            "DualLPUBoost": lb.DualLPUBoostClassifier(stump, **few),
            "DualLPAdaBoost": lb.DualLPAdaBoostClassifier(stump, **few),
            "AdaBoostM2": lb.AdaBoostM2Classifier(stump, **few),
            "LexiEnsemble": lb.LexiEnsembleClassifier(
                [("bayes", GaussianNB()), ("tree", stump), ("line", LogisticRegression())],
                random_state=0,
            ),
            "LexiEnsemble, forest": lb.LexiEnsembleClassifier(
                RandomForestClassifier(10, max_depth=3, random_state=0), random_state=0
            ),
        }
        for name, model in models.items():
            _fitted(book, f"{name}, {classes} classes", model, X, y)
    X, y = _toy(2, 3)
    for hypotheses in ("bumps", "trees"):
        for groups in (None, y):
            how = "one group" if groups is None else "groups"
            model = lb.OneClassLexiBoost(hypotheses, n_hypotheses=30, random_state=0)
            _fitted(book, f"one class, {hypotheses}, {how}", model, X, None, groups=groups)


@family
def boost_programs(book: Any) -> None:
    import lexiprog_boost as lb

    margins, y = _votes(5, points=40, components=5)
    soft = margins * np.random.default_rng(5).uniform(0.2, 1.0, margins.shape)
    for name, table in {"votes": margins, "soft": soft}.items():
        for target in (1.0, 0.3):
            program = lb.lexiboost_program(table, y, margin_target=target)
            result = book.program(f"lexiboost {name} {target}", program)
            optima = {c: result[f"class:{c}"].value for c in range(3)}
            for form in ("paper", "exact"):
                dual = lb.dual_balance_program(table, y, optima, form=form, margin_target=target)
                book.program(f"dual balance {name} {target} {form}", dual)
                dual = lb.dual_class_program(table, y, 1, form=form, margin_target=target)
                book.program(f"dual class {name} {target} {form}", dual)
        book.program(f"lpboost {name}", lb.lpboost_program(table, cap=0.1))
        book.program(f"dual lpboost {name}", lb.dual_lpboost_program(table, cap=0.1))
        book.program(f"lpadaboost {name}", lb.lpadaboost_program(table))
        book.program(f"dual lpadaboost {name}", lb.dual_lpadaboost_program(table))
        uneven = {"cap": 0.1, "beta": 3.0, "target": 2}
        book.program(f"lpuboost {name}", lb.lpuboost_program(table, y, **uneven))
        book.program(f"dual lpuboost {name}", lb.dual_lpuboost_program(table, y, **uneven))
        pool = np.arange(1.0, 6.0)
        for how in ("smallest", "leximax", "closest"):
            found = lb.lexicographic_weights(
                table, y, margin_target=0.5, tie_break=how, pool_weights=pool
            )
            values = {f"optimum {c}": v for c, v in enumerate(found.class_optima)}
            values |= {f"loss {c}": v for c, v in enumerate(found.class_losses)}
            book.note(
                f"weights {name} {how}", same={"reduction": found.reduction},
                values=values | {"chi": found.chi}, points={"alpha": found.alpha},
                unique=("alpha",) if how != "leximax" else (),
            )  # fmt: skip
    heights = np.abs(soft)
    book.program("one class", lb.one_class_program(heights, nu=0.2))
    book.program("one class, groups", lb.one_class_program(heights, y, nu=0.2))
