"""Work that takes long, of every kind, to be stopped by a time limit or by Ctrl-C."""

import os
import signal
import threading
import time
import warnings

import cvxpy as cp
import numpy as np

import lexiprog as lx
from tests.attacks.tally import Tally

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def hard_rows(rng, count=6, size=60):
    weight = rng.integers(50, 1000, (count, size))
    return weight, weight.sum(axis=1) // 2


@case
def integer_priorities(rng, **limit):
    weight, room = hard_rows(rng)
    x = cp.Variable(60, boolean=True, name="x")
    levels = {f"l{k}": cp.Maximize(rng.integers(50, 1000, 60) @ x) for k in range(3)}
    return lx.preemptive(levels, [weight @ x <= room]).solve(**limit)


@case
def integer_leximin(rng, **limit):
    weight, room = hard_rows(rng, 4, 40)
    x = cp.Variable(40, boolean=True, name="x")
    worth = rng.integers(1, 100, (12, 40))
    return lx.leximin([w @ x for w in worth], [weight @ x <= room]).solve(**limit)


@case
def linear_leximin(rng, **limit):
    A = rng.uniform(size=(300, 200))
    x = cp.Variable(200, nonneg=True, name="x")
    worth = rng.uniform(size=(250, 200))
    return lx.leximin([w @ x for w in worth], [A @ x <= 1]).solve(**limit)


@case
def linear_levels(rng, **limit):
    A = rng.uniform(size=(700, 500))
    x = cp.Variable(500, nonneg=True, name="x")
    levels = {f"l{k}": cp.Maximize(rng.uniform(size=500) @ x) for k in range(8)}
    return lx.preemptive(levels, [A @ x <= 1], rtol=0.01).solve(**limit)


@case
def a_conflict(rng, **limit):
    A = rng.uniform(size=(250, 120))
    x = cp.Variable(120, nonneg=True, name="x")
    rows = [a @ x <= 1 for a in A]
    rows += [cp.sum(x[k : k + 20]) >= 400 for k in range(0, 100, 10)]
    return lx.preemptive({"a": cp.Minimize(cp.sum(x))}, rows).solve(**limit)


@case
def an_integer_conflict(rng, **limit):
    weight = rng.integers(50, 1000, (5, 40)) * 2
    x = cp.Variable(40, boolean=True, name="x")
    odd = weight.sum(axis=1) // 2 * 2 // 2 // 2 * 2 + 1
    rows = [weight[k] @ x == odd[k] for k in range(5)]
    return lx.preemptive({"a": cp.Minimize(cp.sum(x))}, rows).solve(**limit)


@case
def semidefinite(rng, **limit):
    n = 60
    M = rng.normal(size=(n, n))
    X = cp.Variable((n, n), PSD=True, name="X")
    levels = {"a": cp.Minimize(cp.trace(X)), "b": cp.Minimize(cp.lambda_max(X))}
    return lx.preemptive(levels, [X >> M @ M.T, cp.diag(X) >= 1], rtol=0.1).solve(**limit)


@case
def quadratic(rng, **limit):
    F = rng.normal(size=(900, 900))
    x = cp.Variable(900, name="x")
    levels = {"a": cp.Minimize(cp.sum_squares(F @ x - 1)), "b": cp.Maximize(cp.sum(x))}
    return lx.preemptive(levels, [cp.norm(x) <= 10], rtol=0.1).solve(**limit)


def by_solver(name):
    def solve(rng, **limit):
        A = rng.normal(size=(300, 200))
        x = cp.Variable(200, name="x")
        objective = cp.Minimize(cp.sum_squares(A @ x - rng.normal(size=300)) + cp.sum(x))
        rows = (
            [cp.norm(x[:50], 1) <= 5] if name == "OSQP" else [cp.norm(x[:50]) <= 1e-3, x >= -1e-4]
        )
        return lx.preemptive({"a": objective}, rows).solve(name, **limit)

    solve.__name__ = f"solver_{name}"
    return case(solve)


for _name in ("SCS", "OSQP", "ECOS", "CLARABEL"):
    by_solver(_name)


@case
def scipy_milp(rng, **limit):
    weight, room = hard_rows(rng)
    x = cp.Variable(60, boolean=True, name="x")
    program = lx.preemptive(
        {"a": cp.Maximize(rng.integers(50, 1000, 60) @ x)}, [weight @ x <= room]
    )
    return program.solve("SCIPY", **limit)


@case
def fractions(rng, **limit):
    A = rng.integers(-50, 50, (120, 90))
    x = cp.Variable(90, bounds=[0, 50], name="x")
    levels = {f"l{k}": cp.Maximize(rng.integers(-50, 50, 90) @ x) for k in range(2)}
    return lx.preemptive(levels, [A @ x <= rng.integers(100, 500, 120)]).solve("EXACT", **limit)


@case
def a_front(rng, **limit):
    A = rng.uniform(size=(150, 120))
    x = cp.Variable(120, nonneg=True, name="x")
    both = {k: cp.Maximize(rng.uniform(size=120) @ x) for k in "ab"}
    return lx.frontier(both, [A @ x <= 1], **limit)


@case
def a_curved_front(rng, **limit):
    x = cp.Variable(60, nonneg=True, name="x")
    F = rng.normal(size=(60, 60))
    both = {
        "risk": cp.Minimize(cp.sum_squares(F @ x)),
        "gain": cp.Maximize(rng.uniform(size=60) @ x),
    }
    return lx.frontier(both, [cp.sum(x) <= 1], error=1e-6, **limit)


@case
def an_integer_front(rng, **limit):
    weight, room = hard_rows(rng, 3, 40)
    x = cp.Variable(40, boolean=True, name="x")
    both = {k: cp.Maximize(rng.integers(50, 1000, 40) @ x) for k in "ab"}
    return lx.frontier(both, [weight @ x <= room], **limit)


@case
def three_objectives(rng, **limit):
    A = rng.uniform(size=(40, 30))
    x = cp.Variable(30, nonneg=True, name="x")
    three = {k: cp.Maximize(rng.uniform(size=30) @ x) for k in "abc"}
    return lx.frontier(three, [A @ x <= 1], error=1e-6, **limit)


@case
def a_sweep(rng, **limit):
    A, t = rng.uniform(size=(200, 150)), cp.Parameter(nonneg=True, name="t", value=1)
    x = cp.Variable(150, nonneg=True, name="x")
    levels = {"a": cp.Maximize(rng.uniform(size=150) @ x), "b": cp.Minimize(cp.sum_squares(x))}
    program = lx.preemptive(levels, [A @ x <= t], rtol=0.1)
    return lx.sweep(program, {t: np.linspace(1, 2, 400).tolist()}, **limit)


@case
def a_sweep_in_threads(rng, **limit):
    weight, room = hard_rows(rng, 5, 50)
    x, t = cp.Variable(50, boolean=True, name="x"), cp.Parameter(50, name="t", nonneg=True)
    program = lx.Program(
        lx.Stage("s", lx.Subproblem("a", cp.Maximize(t @ x), [weight @ x <= room]))
    )
    values = [rng.integers(50, 1000, 50) for _ in range(30)]
    return lx.sweep(program, {t: values}, workers=2, **limit)


@case
def a_curve(rng, **limit):
    A = rng.uniform(size=(80, 60))
    x = cp.Variable(60, nonneg=True, name="x")
    levels = {"a": cp.Maximize(rng.uniform(size=60) @ x), "b": cp.Minimize(cp.sum_squares(x - 1))}
    program = lx.preemptive(levels, [A @ x <= 1])
    return lx.tradeoff(program, "a", np.linspace(0, 0.5, 300).tolist(), **limit)


@case
def a_whole_curve(rng, **limit):
    A = rng.uniform(size=(200, 150))
    x = cp.Variable(150, nonneg=True, name="x")
    levels = {k: cp.Maximize(rng.uniform(size=150) @ x) for k in "abc"}
    return lx.tradeoff(lx.preemptive(levels, [A @ x <= 1]), "a", **limit)


@case
def a_curved_curve(rng, **limit):
    A = rng.uniform(size=(80, 60))
    x = cp.Variable(60, nonneg=True, name="x")
    levels = {"a": cp.Maximize(rng.uniform(size=60) @ x), "b": cp.Minimize(cp.sum_squares(x - 1))}
    return lx.tradeoff(lx.preemptive(levels, [A @ x <= 1]), "a", error=1e-7, **limit)


@case
def an_integer_curve(rng, **limit):
    weight, room = hard_rows(rng, 3, 40)
    x = cp.Variable(40, boolean=True, name="x")
    levels = {k: cp.Maximize(rng.integers(50, 1000, 40) @ x) for k in "ab"}
    return lx.tradeoff(lx.preemptive(levels, [weight @ x <= room]), "a", **limit)


@case
def goals(rng, **limit):
    A = rng.normal(size=(400, 300))
    x = cp.Variable(300, name="x")
    aims = [
        lx.Goal(f"g{k}", A[k] @ x == float(rng.normal()), priority=1 + k % 4) for k in range(120)
    ]
    return lx.goal_program(aims, [cp.norm(x, "inf") <= 1]).solve(**limit)


@case
def regret(rng, **limit):
    A = rng.uniform(size=(150, 100))
    x = cp.Variable(100, nonneg=True, name="x")
    cases = {f"c{k}": cp.Minimize(rng.uniform(1, 2, 100) @ x) for k in range(30)}
    return lx.minimax_regret(cases, [A @ x >= 1]).solve(**limit)


def share():
    """How much slower everything is because others use the processors, 1 if nobody does."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def timed(name, seed, limit):
    """Seconds from call to end with a time limit, and what came back."""
    rng = np.random.default_rng(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        begun = time.monotonic()
        try:
            found = CASES[name](rng, time_limit=limit)
        except lx.LexiprogError as error:
            found = error
        return time.monotonic() - begun, found


def interrupted(name, seed, after):
    """Seconds from Ctrl-C to the end, and what came back; None if it had ended before."""
    rng = np.random.default_rng(seed)
    pressed = []

    def press():
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, press)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        timer.start()
        try:
            CASES[name](rng)
            timer.cancel()
            timer.join()
            return None
        except KeyboardInterrupt as error:
            return time.monotonic() - pressed[0], error
        except lx.LexiprogError:
            timer.cancel()
            timer.join()
            return None


def compile_time(name, seed):
    """What building and compiling take at least: nobody can stop those."""
    return timed(name, seed, 0.0)[0]


def attack_limits(count):
    """``count`` random limits over all cases: each ends within limit + 10 % + 0.5 s."""
    tally = Tally("time limits")
    names = list(CASES)
    for k in range(count):
        name, seed = names[k % len(names)], tally.rng.randrange(10**6)
        limit = tally.rng.uniform(0.3, 3.0)
        least = compile_time(name, seed)
        took, found = timed(name, seed, limit)
        late = took - max(1.1 * limit, least)
        tally.note(
            late <= 0.5, f"{name} {seed}: {limit:.2f} s took {took:.2f} ({least:.2f}) {found!r:.80}"
        )
    return tally


def attack_interrupts(count):
    """``count`` Ctrl-C at random moments: each ends within a second."""
    tally = Tally("Ctrl-C")
    names = list(CASES)
    for k in range(count):
        name, seed = names[k % len(names)], tally.rng.randrange(10**6)
        after = compile_time(name, seed) * 0.5 + tally.rng.uniform(0.1, 2.0)
        found = interrupted(name, seed, after)
        if found is None:
            continue
        tally.note(found[0] <= 1.0 * share(), f"{name} {seed}: {after:.2f} s, then {found[0]:.2f}")
    return tally
