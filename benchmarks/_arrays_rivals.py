"""Rivals that take plain arrays and may live in a Python of their own: Gurobi and manylp.

LEXIPROG_RIVALS names that Python, by default this one. It runs this file, which answers requests
one by one: so nobody waits for its imports, and it is ended if it does not answer in time.
"""

from __future__ import annotations

import os
import pickle
import select
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _families import CHAINS, UPPER, Chain
from _measuring import Clock, median, timed

GUROBI_FREE = 2_000  # rows, and columns, that it takes without a licence
OPTIMAL = "optimal"

Again = Callable[[np.ndarray], dict[str, Any]]


class Unfit(Exception):
    """The rival cannot take this problem, for the reason given."""


def gurobi_again(chain: Chain) -> Again:
    """Gurobi's hierarchical objectives on one model whose right-hand sides change."""
    if max(chain.A.shape) > GUROBI_FREE:
        raise Unfit("above its free size")
    try:
        import gurobipy as gp
    except ImportError as error:
        raise Unfit("not installed") from error
    env = gp.Env(params={"OutputFlag": 0, "Threads": 1})
    grb = gp.Model(env=env)
    x = grb.addMVar(chain.A.shape[1], ub=UPPER)
    rows = grb.addConstr(chain.A.tocsr() @ x >= chain.demand)
    columns = x.tolist()
    for k, cost in enumerate(chain.costs):
        objective = gp.LinExpr(cost.tolist(), columns)
        grb.setObjectiveN(objective, k, priority=len(chain.costs) - k, abstol=0.0, reltol=0.0)

    def solve(demand: np.ndarray) -> dict[str, Any]:
        rows.RHS = demand
        grb.optimize()
        if grb.Status != gp.GRB.OPTIMAL:
            return {"x": None, "status": f"status {grb.Status}"}
        return {"x": np.array(x.X), "status": OPTIMAL}

    return solve


def manylp_again(chain: Chain) -> Again:
    """A batch of one; it is made for many, which share their work."""
    try:
        import manylp
    except ImportError as error:
        raise Unfit("not installed") from error
    rows, columns = chain.A.shape
    lp = manylp.LexLP(
        chain.A, -chain.costs, np.zeros(columns), np.full(columns, UPPER),
        chain.demand, np.full(rows, np.inf), param_rows=np.arange(rows),
    )  # fmt: skip
    solver = manylp.BatchLPSolver(n_workers=1)
    group = solver.register_group(lp)

    def solve(demand: np.ndarray) -> dict[str, Any]:
        found = solver.solve_batch(group, demand[None], np.full((1, rows), np.inf))
        done = bool(found.optimal[0] if hasattr(found, "optimal") else found.status[0] == 1)
        said = OPTIMAL if done and bool(found.certified[0]) else f"status {found.status[0]}"
        return {"x": None if found.z is None else np.array(found.z[0][:columns]), "status": said}

    return solve


MAKERS = {"Gurobi hierarchical": gurobi_again, "manylp": manylp_again}


def measured(name: str, chain: Chain, demand: np.ndarray | None) -> tuple[Any, dict[str, Any]]:
    """Time and answer from arrays to the point; with a ``demand``, of that alone, after another."""
    make = MAKERS[name]
    try:
        small = CHAINS["transport"](20, 2)
        make(small)(small.demand)  # first-call imports and caches are not the method's time
        if demand is None:
            return clocked(chain, lambda: make(chain)(chain.demand))
        solve = make(chain)
        return clocked(chain, lambda: solve(demand), lambda: solve(chain.demand))
    except Unfit as reason:
        return None, {"status": str(reason)}


def clocked(
    chain: Chain, work: Callable[[], Any], before: Callable[[], Any] = lambda: None
) -> tuple[Clock, Any]:
    """The median time of some work, with its answer; what comes before each is not counted."""
    calls = []
    for _ in range(repeats(chain)):
        before()
        calls.append(timed(work))
    return median(clock for clock, _ in calls), calls[-1][1]


def repeats(chain: Chain) -> int:
    """How often milliseconds are measured, lest they be a new process's first steps."""
    return 9 if chain.demand.size <= 50 else 5 if chain.demand.size <= 200 else 1


class Foreign:
    """The Python that has these rivals."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def ask(
        self, name: str, chain: Chain, demand: np.ndarray | None, limit: float
    ) -> tuple[Any, dict[str, Any]]:
        """What :func:`measured` returns there, within a limit of seconds."""
        if self._process is None:
            python = os.environ.get("LEXIPROG_RIVALS", sys.executable)
            self._process = subprocess.Popen(
                [python, str(Path(__file__))], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )  # fmt: skip
        pipes = self._process
        if pipes.stdin is None or pipes.stdout is None:
            raise RuntimeError("the rivals' Python has no pipes")
        try:
            pickle.dump((name, chain, demand), pipes.stdin)
            pipes.stdin.flush()
            if not select.select([pipes.stdout], [], [], limit + 5.0)[0]:
                self.end()
                return None, {"status": f"over {limit:.0f} s"}
            clock, found = pickle.load(pipes.stdout)
        except (BrokenPipeError, EOFError):
            self.end()
            return None, {"status": "crashed"}
        return (None if clock is None else Clock(*clock)), found

    def end(self) -> None:
        """Stop it; the next question starts it anew."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def main() -> int:
    answers, sys.stdout = sys.stdout.buffer, sys.stderr  # a rival's chatter must not mix with them
    while True:
        try:
            name, chain, demand = pickle.load(sys.stdin.buffer)
        except EOFError:
            return 0
        clock, found = measured(name, chain, demand)
        pickle.dump((None if clock is None else (clock.wall, clock.cpu), found), answers)
        answers.flush()


if __name__ == "__main__":
    sys.exit(main())
