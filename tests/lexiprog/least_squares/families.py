"""Random hierarchies of least squares, and two judges that share nothing with the engine."""

import itertools

import numpy as np

from lexiprog.least_squares.hierarchy import Hierarchy

EQUATIONS = ("generic", "exhausted", "singular", "near-singular")
INEQUALITIES = ("inequalities", "singular inequalities")


def random_hierarchy(seed, family):
    """Five levels of 3 to 10 rows on 20 to 60 variables."""
    rng = np.random.default_rng(seed)
    n = 20 if family == "exhausted" else int(rng.integers(20, 61))
    sizes = rng.integers(3, 11, 5)
    blocks, lower, upper = [], [], []
    for m in sizes:
        block = rng.normal(size=(m, n))
        if "singular" in family and blocks:
            earlier = np.vstack(blocks)
            mixed = rng.normal(size=(m // 2, len(earlier))) @ earlier
            block[: m // 2] = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
            if family == "near-singular":
                block[: m // 2] += 1e-6 * rng.normal(size=(m // 2, n))
        target = rng.normal(size=m)
        below, above = target, target
        if family in INEQUALITIES:
            below, above = target - rng.random(m), target + rng.random(m)
            below = np.where(rng.random(m) < 0.4, -np.inf, below)
            below = np.where(rng.random(m) < 0.2, above, below)
        blocks.append(block)
        lower.append(below)
        upper.append(above)
    starts = tuple(np.cumsum([0, *sizes]).tolist())
    return Hierarchy(np.vstack(blocks), np.concatenate(lower), np.concatenate(upper), starts)


def pseudo_inverse_cascade(blocks, targets, cut=1e-9):
    """The textbook's way: each level in the null space of those before it, by singular values."""
    n = blocks[0].shape[1]
    x, basis = np.zeros(n), np.eye(n)
    for block, target in zip(blocks, targets, strict=True):
        if not basis.shape[1] or not block.shape[0]:
            continue
        left, values, right = np.linalg.svd(block @ basis)
        norm = np.linalg.norm(block, axis=1).max(initial=0.0)
        rank = int(np.sum(values > cut * norm))
        step = left[:, :rank].T @ (target - block @ x) / values[:rank]
        x = x + basis @ (right[:rank].T @ step)
        basis = basis @ right[rank:].T
    return x


def brute_force(A, lower, upper, starts):
    """The best violations of small hierarchies: every way to hold rows at their ends is tried."""
    equal = lower == upper
    best = None
    choices = [
        (1,) if same else tuple(s for s, e in ((0, 0.0), (1, up), (-1, low)) if np.isfinite(e))
        for same, low, up in zip(equal, lower, upper, strict=True)
    ]
    for sides in itertools.product(*choices):
        side = np.array(sides)
        target = np.where(side < 0, lower, upper)
        blocks, targets = [], []
        for first, last in itertools.pairwise(starts):
            held = first + np.flatnonzero(side[first:last])
            blocks.append(A[held])
            targets.append(target[held])
        at = A @ pseudo_inverse_cascade(blocks, targets)
        beyond = np.maximum(at - upper, 0.0) + np.maximum(lower - at, 0.0)
        levels = [float(np.sum(beyond[a:b] ** 2)) for a, b in itertools.pairwise(starts)]
        if best is None or _before(levels, best):
            best = levels
    return np.array(best)


def _before(one, other, tolerance=1e-11):
    for a, b in zip(one, other, strict=True):
        if abs(a - b) > tolerance:
            return a < b
    return False
