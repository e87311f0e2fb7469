"""Instances of fronts that others have published, read from a folder, and some drawn at random.

LEXIPROG_INSTANCES names the folder: ``mokp_tamby`` (knapsacks and the log of MOA.jl) and
``voptlib`` (set partitioning with all non-dominated points). LEXIPROG_BENSOLVE names Bensolve's
examples.
"""

from __future__ import annotations

import ast
import os
import re
import tarfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np

FOLDER = Path(os.environ.get("LEXIPROG_INSTANCES", "../shared/instances"))
BENSOLVE = os.environ.get("LEXIPROG_BENSOLVE", "")


def tamby(p: int, number: int) -> tuple[dict[str, Any], list[Any]]:
    """A knapsack of p objectives: lines with p, n, the capacity, values, weights."""
    (path,) = FOLDER.glob(f"mokp_tamby/MOKP_p-{p}_n-*_{number}.dat")
    _, _, capacity, rest = path.read_text().split("\n", 3)
    end = rest.index("]]") + 2
    values, weights = (
        np.array(ast.literal_eval(rest[:end])),
        np.array(ast.literal_eval(rest[end:].strip())),
    )
    take = cp.Variable(weights.size, boolean=True, name="take")
    aims = {f"f{k}": cp.Maximize(gains @ take) for k, gains in enumerate(values)}
    return aims, [weights @ take <= np.floor(float(capacity))]


def published(p: int, number: int, solver: str = "Gurobi") -> tuple[int, float]:
    """Points and seconds in the log of MOA.jl's paper, on another machine."""
    for line in (FOLDER / "mokp_tamby/results.log").read_text().splitlines():
        said = dict(re.findall(r'(\w+) = "?([^",)]+)', line))
        if (said["solver"], said["alg"], said["p"], said["instance"]) == (
            solver, "TambyVanderpooten", str(p), str(number),
        ):  # fmt: skip
            return int(said["result_count"]), float(said["solve_time"])
    raise LookupError(f"p = {p}, number {number} by {solver} is not in the log")


def set_partitioning(name: str) -> tuple[dict[str, Any], list[Any], list[tuple[float, float]]]:
    """An instance of vOptLib with all its non-dominated points."""
    with tarfile.open(FOLDER / "voptlib/voptlib.tar.gz") as archive:
        text = archive.extractfile(f"voptlib/SPA/instances/bio{name}.txt").read().decode()  # type: ignore[union-attr]
        known = archive.extractfile(f"voptlib/SPA/Y/Y_N_{name}.txt").read().decode()  # type: ignore[union-attr]
    numbers = iter(map(int, text.split()))
    rows, columns = next(numbers), next(numbers)
    costs, A = np.zeros((2, columns)), np.zeros((rows, columns))
    for j in range(columns):
        costs[:, j] = next(numbers), next(numbers)
        for _ in range(next(numbers)):
            A[next(numbers) - 1, j] = 1
    use = cp.Variable(columns, boolean=True, name="use")
    aims = {"one": cp.Minimize(costs[0] @ use), "other": cp.Minimize(costs[1] @ use)}
    found = [float(v) for v in known.split()[2:]]
    return aims, [A @ use == 1], sorted(zip(found[::2], found[1::2], strict=True))


def assignment(size: int, seed: int = 0) -> tuple[dict[str, Any], list[Any]]:
    """Three random costs of an assignment."""
    costs = np.random.default_rng(seed).integers(1, 21, (3, size, size))
    x = cp.Variable((size, size), boolean=True, name="x")
    aims = {f"f{k}": cp.Minimize(cp.sum(cp.multiply(c, x))) for k, c in enumerate(costs)}
    return aims, [cp.sum(x, axis=0) == 1, cp.sum(x, axis=1) == 1]


def linear(p: int, columns: int, rows: int, seed: int = 1) -> tuple[dict[str, Any], list[Any]]:
    """Random demands and costs in whole numbers."""
    rng = np.random.default_rng(seed)
    costs = rng.integers(0, 21, (p, columns))
    A, b = rng.integers(0, 11, (rows, columns)), rng.integers(50, 101, rows)
    A[:, 0] += 1
    costs += costs.sum(axis=0) == 0
    x = cp.Variable(columns, nonneg=True, name="x")
    return {f"f{k}": cp.Minimize(c @ x) for k, c in enumerate(costs)}, [A @ x >= b]


def bensolve(name: str) -> tuple[dict[str, Any], list[Any]]:
    """An example of Bensolve whose values are compared objective by objective."""
    lines = [line.split() for line in (Path(BENSOLVE) / f"{name}.vlp").read_text().splitlines()]
    _, _, sense, rows, columns, _, count, *_rest = lines[0]
    if _rest[1:]:
        raise ValueError("another ordering cone")
    m, n, p = int(rows), int(columns), int(count)
    A, C = np.zeros((m, n)), np.zeros((p, n))
    x = cp.Variable(n, name="x")
    limits: list[Any] = []
    for kind, *parts in lines[1:]:
        if kind == "a":
            A[int(parts[0]) - 1, int(parts[1]) - 1] = float(Fraction(parts[2]))
        elif kind == "o":
            C[int(parts[0]) - 1, int(parts[1]) - 1] = float(Fraction(parts[2]))
    for kind, *parts in lines[1:]:
        if kind in ("i", "j"):
            place = int(parts[0]) - 1
            limits += _within(A[place] @ x if kind == "i" else x[place], *parts[1:])
    best = cp.Maximize if sense == "max" else cp.Minimize
    return {f"f{k}": best(c @ x) for k, c in enumerate(C)}, limits


def _within(value: Any, kind: str, *ends: str) -> list[Any]:
    bounds = [float(end) for end in ends]
    return {
        "f": list, "l": lambda: [value >= bounds[0]], "u": lambda: [value <= bounds[0]],
        "d": lambda: [value >= bounds[0], value <= bounds[1]], "s": lambda: [value == bounds[0]],
    }[kind]()  # fmt: skip
