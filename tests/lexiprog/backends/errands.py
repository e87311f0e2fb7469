"""Programs and executors that the tests of solves elsewhere share; workers import it too."""

import os
import pickle
import signal
import time
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path

import cvxpy as cp
import numpy as np

import lexiprog as lx
from lexiprog.backends.remote import run_task


def mixed(seed=0):
    """Linear, quadratic, integer and exponential problems, then one that reads two of them."""
    rng = np.random.default_rng(seed)
    x = cp.Variable(12, nonneg=True, name="x")
    A, b = rng.uniform(size=(9, 12)), rng.uniform(1, 2, 9)
    rows, price = [A @ x >= b], rng.uniform(1, 2, 12)
    lp = lx.Subproblem("lp", cp.Minimize(price @ x), rows)
    qp = lx.Subproblem("qp", cp.Minimize(cp.sum_squares(x) + cp.norm(x[:3])), rows)
    k = cp.Variable(5, integer=True, name="k")
    ip = lx.Subproblem("ip", cp.Minimize(price[:5] @ k), [A[:4, :5] @ k >= 3, k >= 0])
    ex = lx.Subproblem("ex", cp.Minimize(cp.sum(cp.exp(x))), rows)
    worst = cp.Variable(name="worst")
    even = lx.Subproblem(
        "even",
        cp.Minimize(worst),
        [*rows, price @ x <= lp.optimum + worst, cp.sum_squares(x) <= qp.optimum + worst],
    )
    return lx.Program(lx.Stage("alone", lp, qp, ip, ex), lx.Stage("together", even))


def many(count=8, seed=0):
    """As many linear problems in one stage, with their optima from elsewhere to compare."""
    rng = np.random.default_rng(seed)
    parts, facts = [], []
    for j in range(count):
        A, b, c = rng.uniform(size=(8, 10)), rng.uniform(1, 2, 8), rng.uniform(1, 2, 10)
        x = cp.Variable(10, nonneg=True, name=f"x{j}")
        parts.append(lx.Subproblem(f"lp{j}", cp.Minimize(c @ x), [A @ x >= b]))
        facts.append((A, b, c))
    return lx.Program(lx.Stage("all", *parts)), facts


class AtOnce(Executor):
    """Calls at once; what comes back may be changed on the way, or lost."""

    def __init__(self, change=None, lose=()):
        self.change, self.lose, self.serialised = change, list(lose), []

    def submit(self, function, *arguments):
        self.serialised.append(arguments[0])
        future = Future()
        if self.lose:
            future.set_exception(self.lose.pop(0))
            return future
        answer = function(*arguments)
        if self.change is not None:
            answer = pickle.dumps(self.change(pickle.loads(answer)))
        future.set_result(answer)
        return future


class Slow(Executor):
    """Another executor's calls, each of which takes a while and leaves a trace."""

    def __init__(self, executor, folder, seconds=0.3):
        self.executor, self.folder, self.seconds = executor, str(folder), seconds

    def submit(self, _, *arguments):
        return self.executor.submit(slowly, self.folder, self.seconds, *arguments)


def slowly(folder, seconds, task, ticket):
    """Run a serialised task, not at once."""
    Path(folder, ticket).touch()
    time.sleep(seconds)
    return run_task(task, ticket)


def dies_once(file, value):
    """Kill the process that runs this, the first time."""
    if not Path(file).exists():
        Path(file).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return value


def dies():
    """Kill the process that runs this."""
    os.kill(os.getpid(), signal.SIGKILL)


def halved(reply):
    """A worker that lies: half of every point, with the objective that this would have."""
    raw = reply.value
    raw["solution"].col_value = np.array(raw["solution"].col_value) / 2
    raw["info"].objective_function_value /= 2
    return replace(reply, value=raw)
