"""Lexicographic programs as others solve them: what they call optimal, as values of all levels."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import cvxpy as cp
import highspy
import numpy as np
import scipy.sparse as sp
from _families import silent_highs

import lexiprog as lx

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.lexiprog.trust.cases import held_exactly, subproblems

# A level takes milliseconds; who needs longer has lost its way.
SECONDS = 20.0


class Unfit(Exception):
    """The rival does not take such problems, or is not installed."""


def _rows(subproblem: lx.Subproblem) -> list[Any]:
    """The constraints that are no locks."""
    locks = {position for position, _ in subproblem.locks}
    if len(subproblem.references) > len(locks):
        raise Unfit
    return [c for k, c in enumerate(subproblem.constraints) if k not in locks]


def _levels(program: lx.Program) -> tuple[list[Any], list[Any]]:
    """The objectives in order, and the constraints of all levels."""
    levels = subproblems(program)
    if not held_exactly(program) or any(level.gp for level in levels):
        raise Unfit
    rows = {c.id: c for level in levels for c in _rows(level)}
    return [level.objective for level in levels], list(rows.values())


def cvxpy_loop(program: lx.Program) -> list[float] | None:
    """What one writes by hand, with CVXPY's own choice of solver for what is curved."""
    best: dict[str, float] = {}
    known = {level.name: level for level in subproblems(program)}
    for name, level in known.items():
        rows = _rows(level)
        for _, lock in level.locks:
            value, expression = best[lock.owner_name], known[lock.owner_name].objective.expr
            atol, rtol = lock.tolerances
            slack = max(atol, rtol * abs(value))
            rows.append(
                expression >= value - slack if lock.maximise else expression <= value + slack
            )
        problem = cp.Problem(level.objective, rows)
        if level.gp:
            problem.solve(gp=True)
        elif problem.is_lp():
            problem.solve(solver=cp.HIGHS, mip_rel_gap=0.0)
        else:
            problem.solve()
        if problem.status != cp.OPTIMAL:
            return None
        best[name] = float(problem.value)
    if not held_exactly(program):
        return list(best.values())
    return [float(np.ravel(level.objective.expr.value)[0]) for level in known.values()]


@dataclass(frozen=True)
class Arrays:
    """Minimise each cost in order, with A x <= b (the first ``zero`` rows equal) and bounds.

    ``signs`` and ``offsets`` lead back to the objectives as they were declared.
    """

    A: sp.csr_array
    b: np.ndarray
    zero: int
    lower: np.ndarray
    upper: np.ndarray
    whole: np.ndarray
    costs: np.ndarray
    signs: np.ndarray
    offsets: np.ndarray

    def values(self, x: Any) -> list[float]:
        """The objectives as they were declared."""
        found = self.signs * (self.costs @ np.array(x) + self.offsets)
        return [float(value) for value in found]


def _arrays(program: lx.Program) -> Arrays:
    """The rows as CVXPY hands them to HiGHS; each level's cost, sign and offset."""
    objectives, rows = _levels(program)
    signs = [-1.0 if isinstance(objective, cp.Maximize) else 1.0 for objective in objectives]
    # One problem with a weight a level: compiled by itself, each level would get an order of
    # columns of its own.
    weights = [cp.Parameter(nonneg=True, value=0.0) for _ in objectives]
    terms = [w * s * o.expr for w, s, o in zip(weights, signs, objectives, strict=True)]
    problem = cp.Problem(cp.Minimize(sum(terms)), rows)
    if not problem.is_lp():
        raise Unfit
    costs, offsets, matrices = [], [], []
    for weight in weights:
        weight.value = 1.0
        data, _, inverse = problem.get_problem_data(cp.HIGHS)
        weight.value = 0.0
        costs.append(np.array(data["c"]))
        offsets.append(float(inverse[-1][cp.settings.OFFSET]))
        matrices.append(sp.csr_array(data["A"]))
    A = matrices[0]
    if any(np.any((other - A).toarray()) for other in matrices[1:]):
        raise AssertionError("the rows depend on the level")
    zero, bounds = data[cp.settings.DIMS].zero, _bounds(data, A.shape[1])
    sides = np.array(data["b"])
    return Arrays(A, sides, zero, *bounds, np.array(costs), np.array(signs), np.array(offsets))


def _bounds(data: dict[str, Any], columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    lower, upper = data.get("lower_bounds"), data.get("upper_bounds")
    lower = np.full(columns, -np.inf) if lower is None else np.array(lower, float)
    upper = np.full(columns, np.inf) if upper is None else np.array(upper, float)
    whole = np.zeros(columns, bool)
    program = data[cp.settings.PARAM_PROB]
    for index in program.x.boolean_idx:
        lower[index[0]], upper[index[0]] = max(lower[index[0]], 0), min(upper[index[0]], 1)
        whole[index[0]] = True
    for index in program.x.integer_idx:
        whole[index[0]] = True
    return lower, upper, whole


def highs_own(program: lx.Program) -> list[float] | None:
    """HiGHS's lexicographic mode, called with arrays; nothing of an optimum is given up."""
    arrays = _arrays(program)
    A = arrays.A.tocsc()
    below = np.full(arrays.b.size, -np.inf)
    below[: arrays.zero] = arrays.b[: arrays.zero]
    lp = highspy.HighsLp()
    lp.num_row_, lp.num_col_ = A.shape
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = arrays.costs[0], arrays.lower, arrays.upper
    lp.row_lower_, lp.row_upper_ = below, arrays.b
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_ = A.indptr, A.indices
    lp.a_matrix_.value_ = A.data
    if arrays.whole.any():
        kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
        lp.integrality_ = [kinds[int(w)] for w in arrays.whole]
    highs = silent_highs()
    highs.setOptionValue("blend_multi_objectives", False)
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.setOptionValue("time_limit", SECONDS)
    highs.passModel(lp)
    levels = len(arrays.costs)
    if levels > 1:
        for k, cost in enumerate(arrays.costs):
            objective = highspy.HighsLinearObjective()
            objective.coefficients, objective.weight, objective.offset = cost, 1.0, 0.0
            objective.abs_tolerance = objective.rel_tolerance = 0.0
            objective.priority = levels - k
            highs.addLinearObjective(objective)
    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    return arrays.values(highs.getSolution().col_value)


@cache
def _gurobi() -> subprocess.Popen[str]:
    python = os.environ.get("LEXIPROG_RIVALS", sys.executable)
    script = Path(__file__).with_name("_trust_gurobi.py")
    server = subprocess.Popen(
        [python, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    atexit.register(_end, server)
    return server


def _end(server: subprocess.Popen[str]) -> None:
    """Python must not end before the process that it has started."""
    server.kill()
    with suppress(OSError):  # what was not read by then is lost
        server.communicate()


def gurobi_hierarchical(program: lx.Program) -> list[float] | None:
    """Gurobi's hierarchical objectives, within its free size, in a process that has Gurobi."""
    arrays = _arrays(program)
    plain = {
        field.name: getattr(arrays, field.name).tolist()
        for field in fields(arrays)
        if field.name not in ("A", "zero", "signs", "offsets")
    }
    plain |= {"A": arrays.A.toarray().tolist(), "zero": arrays.zero, "seconds": SECONDS}
    server = _gurobi()
    try:
        print(json.dumps(plain), file=server.stdin, flush=True)
    except BrokenPipeError as error:
        raise Unfit from error
    answer = server.stdout.readline() if server.stdout else ""
    if not answer:
        raise Unfit
    x = json.loads(answer)["x"]
    return None if x is None else arrays.values(x)


def gurobi_version() -> str:
    """The version that answers, if one does."""
    x = cp.Variable(name="x")
    try:
        gurobi_hierarchical(lx.preemptive({"least": cp.Minimize(x)}, [x >= 1]))
    except Unfit:
        return "not installed"
    server = _gurobi()
    print("version", file=server.stdin, flush=True)
    return server.stdout.readline().strip() if server.stdout else ""
