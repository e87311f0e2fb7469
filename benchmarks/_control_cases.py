"""What control loops solve: a humanoid's step, random hierarchies, and loops written by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import cvxpy as cp
import numpy as np

HUMANOID = Path(__file__).parent / "instances" / "lexls_humanoid" / "test_01.dat"
PUBLISHED = (0.0, 0.0, 0.0, 0.0, 1.5888959667)
FAMILIES = (
    "generic",
    "exhausted",
    "singular",
    "near-singular",
    "inequalities",
    "singular inequalities",
)


@dataclass(frozen=True)
class Rows:
    """Rows of all levels between their ends."""

    A: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    starts: tuple[int, ...]

    def levels(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        for first, last in pairwise(self.starts):
            yield self.A[first:last], self.lower[first:last], self.upper[first:last]

    def values(self, x: np.ndarray) -> np.ndarray:
        at = self.A @ x
        beyond = np.maximum(at - self.upper, 0.0) + np.maximum(self.lower - at, 0.0)
        return np.array([np.sum(beyond[a:b] ** 2) for a, b in pairwise(self.starts)])


def humanoid() -> Rows:
    """LexLS's file; what it writes as 1e12 is infinite."""
    lines, n, sizes = HUMANOID.read_text().splitlines(), 88, (74, 33, 3, 2, 97)
    blocks, lower, upper = [], [], []
    for k, m in enumerate(sizes):
        at = lines.index(f"#OBJECTIVE {k}") + 1
        numbers = np.array([[float(v) for v in line.split()] for line in lines[at : at + m]])
        if k == 0:
            block = np.zeros((m, n))
            block[np.arange(m), numbers[:, 0].astype(int) - 1] = 1.0
            ends = numbers[:, 1:3]
        else:
            block, ends = numbers[:, :n], numbers[:, n : n + 2]
        blocks.append(block)
        lower.append(np.where(ends[:, 0] <= -1e12, -np.inf, ends[:, 0]))
        upper.append(np.where(ends[:, 1] >= 1e12, np.inf, ends[:, 1]))
    starts = tuple(np.cumsum([0, *sizes]).tolist())
    return Rows(np.vstack(blocks), np.concatenate(lower), np.concatenate(upper), starts)


def jumps(rows: Rows, count: int, seed: int = 0) -> Iterator[Rows]:
    """Ends that each move by 1e-3 or so, independently from step to step."""
    rng = np.random.default_rng(seed)
    equal = rows.lower == rows.upper
    for _ in range(count):
        one, two = 1e-3 * rng.normal(size=(2, rows.lower.size))
        lower, upper = rows.lower + one, rows.upper + np.where(equal, one, two)
        lower, upper = np.minimum(lower, upper), np.maximum(lower, upper)
        yield Rows(rows.A, lower, upper, rows.starts)


def walk(rows: Rows, count: int, seed: int = 0) -> Iterator[Rows]:
    """Ends that swing by 1e-2, and columns by 1e-3 of themselves, smoothly."""
    rng = np.random.default_rng(seed)
    phase, size = 2 * np.pi * rng.random(rows.lower.size), rng.normal(size=rows.lower.size)
    for step in range(count):
        shift = 1e-2 * size * np.sin(phase + 0.01 * step)
        A = rows.A * (1.0 + 1e-3 * np.sin(0.01 * step + np.arange(rows.A.shape[1])))
        yield Rows(A, rows.lower + shift, rows.upper + shift, rows.starts)


def random_rows(seed: int, family: str) -> Rows:
    """Five levels of 3 to 10 rows on 20 to 60 variables."""
    rng = np.random.default_rng(seed)
    n = 20 if family == "exhausted" else int(rng.integers(20, 61))
    sizes = rng.integers(3, 11, 5)
    blocks: list[np.ndarray] = []
    lower, upper = [], []
    for m in sizes:
        block, target = rng.normal(size=(m, n)), rng.normal(size=m)
        if "singular" in family and blocks:
            earlier = np.vstack(blocks)
            mixed = rng.normal(size=(m // 2, len(earlier))) @ earlier
            block[: m // 2] = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
            if family == "near-singular":
                block[: m // 2] += 1e-6 * rng.normal(size=(m // 2, n))
        below = above = target
        if "inequalities" in family:
            below, above = target - rng.random(m), target + rng.random(m)
            below = np.where(rng.random(m) < 0.4, -np.inf, below)
            below = np.where(rng.random(m) < 0.2, above, below)
        blocks.append(block)
        lower.append(below)
        upper.append(above)
    starts = tuple(np.cumsum([0, *sizes]).tolist())
    return Rows(np.vstack(blocks), np.concatenate(lower), np.concatenate(upper), starts)


def pseudo_inverse_cascade(rows: Rows, cut: float = 1e-9) -> np.ndarray:
    """Equations in order, each in the null space of those before it, by singular values."""
    n = rows.A.shape[1]
    x, basis = np.zeros(n), np.eye(n)
    for block, target, _ in rows.levels():
        if not basis.shape[1]:
            break
        left, values, right = np.linalg.svd(block @ basis)
        rank = int(np.sum(values > cut * np.linalg.norm(block, axis=1).max()))
        step = left[:, :rank].T @ (target - block @ x) / values[:rank]
        x = x + basis @ (right[:rank].T @ step)
        basis = basis @ right[rank:].T
    return x


# Others' QP solvers in the loop that one writes by hand: a slack for each row of a level, and what
# earlier levels reached as ends of their rows.

QP = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def slack_loop(rows: Rows, solve: QP) -> np.ndarray:
    n = rows.A.shape[1]
    before, below, above = np.zeros((0, n)), np.zeros(0), np.zeros(0)
    x = np.zeros(n)
    for block, lower, upper in rows.levels():
        m = block.shape[0]
        A = np.block([[block, -np.eye(m)], [before, np.zeros((before.shape[0], m))]])
        H = np.diag(np.concatenate([np.full(n, 1e-10), np.ones(m)]))
        found = solve(H, A, np.concatenate([lower, below]), np.concatenate([upper, above]))
        x, slack = found[:n], found[n:]
        before = np.vstack([before, block])
        below, above = (
            np.concatenate([below, lower + slack]),
            np.concatenate([above, upper + slack]),
        )
    return x


def by_daqp(H: np.ndarray, A: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    import daqp

    sense = np.where(lower == upper, 5, 0).astype(np.intc)
    x, _, flag, _ = daqp.solve(H, np.zeros(H.shape[0]), A, upper, lower, sense)
    if flag != 1:
        raise ArithmeticError(f"DAQP: exit {flag}")
    return np.asarray(x)


def by_quadprog(H: np.ndarray, A: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    import quadprog

    equal = lower == upper
    down, up = np.isfinite(lower) & ~equal, np.isfinite(upper) & ~equal
    C = np.vstack([A[equal], A[down], -A[up]]).T
    b = np.concatenate([lower[equal], lower[down], -upper[up]])
    return np.asarray(quadprog.solve_qp(H, np.zeros(H.shape[0]), C, b, int(equal.sum()))[0])


def by_proxqp(H: np.ndarray, A: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    from proxsuite import proxqp

    equal = lower == upper
    found = proxqp.dense.solve(
        H, np.zeros(H.shape[0]), A[equal], lower[equal], A[~equal],
        np.maximum(lower[~equal], -1e20), np.minimum(upper[~equal], 1e20),
        eps_abs=1e-9, eps_rel=0.0,
    )  # fmt: skip
    return np.asarray(found.x)


def by_osqp(H: np.ndarray, A: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    import osqp
    import scipy.sparse as sp

    solver = osqp.OSQP()
    zeros = np.zeros(H.shape[0])
    settings = {"eps_abs": 1e-8, "eps_rel": 1e-8, "max_iter": 20_000, "verbose": False}
    solver.setup(sp.csc_matrix(H), zeros, sp.csc_matrix(A), lower, upper, **settings)
    found = solver.solve()
    if found.info.status != "solved":
        raise ArithmeticError(found.info.status)
    return np.asarray(found.x)


def by_cvxpy(H: np.ndarray, A: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    x = cp.Variable(H.shape[0])
    down, up = np.isfinite(lower), np.isfinite(upper)
    limits = [A[down] @ x >= lower[down], A[up] @ x <= upper[up]]
    cp.Problem(cp.Minimize(cp.quad_form(x, H, assume_PSD=True)), limits).solve("CLARABEL")
    if x.value is None:
        raise ArithmeticError("CLARABEL: no point")
    return np.asarray(x.value)


PEERS: dict[str, QP] = {
    "DAQP, level by level": by_daqp,
    "quadprog, level by level": by_quadprog,
    "proxqp, level by level": by_proxqp,
    "OSQP, level by level": by_osqp,
    "CVXPY loop (CLARABEL)": by_cvxpy,
}


def daqp_hierarchy(rows: Rows) -> np.ndarray:
    """DAQP's own hierarchy, by its break points."""
    import daqp

    n = rows.A.shape[1]
    sense = np.where(rows.lower == rows.upper, 5, 0).astype(np.intc)
    x, _, flag, _ = daqp.solve(
        np.eye(n), np.zeros(n), rows.A, rows.upper, rows.lower, sense,
        np.array(rows.starts[1:], dtype=np.intc),
    )  # fmt: skip
    if flag < 0:
        raise ArithmeticError(f"DAQP: exit {flag}")
    return np.asarray(x)
