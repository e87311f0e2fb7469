"""Instances of fronts that others have published, read from a folder, and some drawn at random.

LEXIPROG_INSTANCES names the folder: ``mokp_tamby`` (knapsacks and the log of MOA.jl) and
``voptlib`` (set partitioning with all non-dominated points). LEXIPROG_BENSOLVE names the folder
of Bensolve's large examples.
"""

from __future__ import annotations

import ast
import os
import re
import tarfile
from fractions import Fraction
from itertools import product
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


# Bensolve's examples, from their statements: objectives, rows, their lower sides. Where an ordering
# cone is given, the objectives are times the generators of its dual. All are minimised.
_TWOS = """11111 21111 12111 11211 11121 11112 22111 21211 21121 21112 12211 12121 12112 11221 11212
11122 22211 22121 22112 21212 21122 12221 12122 12212 11222 12222 21222 22122 22212 22221"""
_SQUARE = [[1, 0], [0, 1]]
BENSOLVE_EXAMPLES: dict[str, tuple[Any, Any, Any]] = {
    "ex01": ([[1, -1], [1, 1]], [[2, 1], [1, 2], *_SQUARE], [6, 6, 0, 0]),
    "ex02": (_SQUARE, [[3, 1], [-3, -1], [1, 2], [-1, -2], [1, 1], [-1, -1]],
             [0, -1, 0, -1, 1, -2]),
    "ex03": ([[1, 0, 0], [0, 1, 0]], [[1, 1, 1], [1, 1, -1]], [1, 1]),
    "ex04": ([[1, 0, 0], [0, 1, 0]], [[1, 1, 1], [1, 1, 2]], [1, 1]),
    "ex05": (np.array([[2, 2, 1], [2, 0, 1], [0, 0, 1], [0, 2, 1]])
             @ [[1, 0, 1], [1, 1, 0], [0, 1, 1]],
             [[1, 1, 1], [1, 2, 2], [2, 2, 1], [2, 1, 2], *np.eye(3).tolist()],
             [1, 1.5, 1.5, 1.5, 0, 0, 0]),
    "ex06": (np.array([[-2, 1], [1, -2]]) @ [[1, -1], [1, 1]],
             [[1, 1], [-1, -1], [1, 0], [-1, 0], [0, 1]], [1, -2, 0, -1, 0]),
    "ex08": ([[3, 2], [1, 3]], [[3, 1], [1, 2], [1, 1]], [0, 0, 1]),
    "ex11": (np.eye(5), [list(map(int, row)) for row in _TWOS.split()], [1, *[0] * 29]),
}  # fmt: skip


def bensolve(name: str) -> tuple[dict[str, Any], list[Any]]:
    """An example of Bensolve; the two large ones are read from the folder LEXIPROG_BENSOLVE."""
    if name == "ex10":  # all whole numbers from -3 to 3 as columns, each in part or as a whole
        costs = np.array(list(product(range(-3, 4), repeat=3))).T
        share = cp.Variable(costs.shape[1], bounds=[0, 1], name="share")
        return {f"f{k}": cp.Minimize(c @ share) for k, c in enumerate(costs)}, []
    if name not in BENSOLVE_EXAMPLES:
        return _read_bensolve(Path(BENSOLVE or "missing") / f"{name}.vlp")
    costs, rows, sides = map(np.array, BENSOLVE_EXAMPLES[name])
    x = cp.Variable(rows.shape[1], name="x")
    return {f"f{k}": cp.Minimize(c @ x) for k, c in enumerate(costs)}, [rows @ x >= sides]


def knapsack(p: int, size: int, seed: int = 0) -> tuple[dict[str, Any], list[Any]]:
    """Random values and weights; half of all weights fits."""
    weights, *values = np.random.default_rng(seed).integers(1, 100, (p + 1, size))
    take = cp.Variable(size, boolean=True, name="take")
    aims = {f"f{k}": cp.Maximize(gains @ take) for k, gains in enumerate(values)}
    return aims, [weights @ take <= weights.sum() // 2]


def convex(name: str) -> tuple[dict[str, Any], list[Any]]:
    """Three convex objectives: mocvxpy's examples, of which three come from Ehrgott, Shao and
    Schöbel (2011) and the ellipsoid from Dörfler, Löhne, Schneider and Weißing (2021).
    """
    x = cp.Variable(2 if name in ("squares", "fourth") else 3, name="x")
    size = cp.sum_squares(x)
    if name == "squares":
        places = np.array([[1, 1], [2, 3], [4, 2]])
        values = [cp.sum_squares(x - place) for place in places]
        rows = [x >= 0, x <= [10, 4], x[0] + 2 * x[1] <= 10]
    elif name == "ellipsoid":
        values = list(x)
        rows = [cp.sum_squares(cp.multiply([1, 1 / 7, 1 / 5], x - 1)) <= 1]
    elif name == "fourth":
        values = [50 * x[0] ** 4 + 10 * x[1] ** 4, 30 * (x[0] - 5) ** 4 + 100 * (x[1] - 3) ** 4,
                  70 * (x[0] - 2) ** 4 + 20 * (x[1] - 4) ** 4]  # fmt: skip
        rows = [x >= 0, x <= 3, cp.sum_squares(x - 2) <= 1]
    elif name == "quadratic":
        slopes = np.array([[0, 10, -120], [80, -448, 80], [-448, 80, 80]])
        values = [size + slope @ x for slope in slopes]
        rows = [x >= 0, x <= 10, size <= 1]
    else:  # of our own: squared distances to the ends of an octahedron's edges
        ends = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
        values = [cp.sum_squares(x - end) for end in ends]
        rows = [cp.norm(x, 1) <= 2]
    return {f"f{k}": cp.Minimize(value) for k, value in enumerate(values)}, rows


def _read_bensolve(path: Path) -> tuple[dict[str, Any], list[Any]]:
    """A file of Bensolve's whose values are compared objective by objective."""
    lines = [line.split() for line in path.read_text().splitlines()]
    _, _, sense, rows, columns, _, count, *_ = lines[0]
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
