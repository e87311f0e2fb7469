"""Integer hierarchies of four kinds, as bare numbers that every rival gets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["FAMILIES", "Instance"]


@dataclass(frozen=True)
class Instance:
    """Minimise each row of ``costs`` in turn, earlier ones held, over ``A x <= b``, ``x >= 0``.

    The first ``columns`` are whole, at most ``upper``; the ``reals`` after them have no limit.
    """

    A: np.ndarray
    b: np.ndarray
    costs: np.ndarray
    columns: int
    upper: int = 1
    reals: int = 0


def rostering(seed: int, size: int) -> Instance:
    """People on shifts: demand met, then wishes, then the spread of hours, then weekends."""
    rng = np.random.default_rng(seed)
    people, shifts = [(8, 7), (16, 14), (36, 56), (60, 70)][size]
    n = people * shifts
    cover = np.zeros((shifts, n))
    hours = np.zeros((people, n))
    for p in range(people):
        for s in range(shifts):
            cover[s, p * shifts + s] = hours[p, p * shifts + s] = 1
    rest = [np.eye(1, n, p * shifts + s)[0] + np.eye(1, n, p * shifts + s + 1)[0]
            for p in range(people) for s in range(0, shifts - 1, 2)]  # fmt: skip
    demand = rng.integers(people // 5 + 1, people // 3 + 2, shifts)
    A = np.vstack([-cover, hours, rest])
    b = np.concatenate([-demand, np.full(people, shifts * 0.45 // 1), np.ones(len(rest))])
    wishes, wages = rng.integers(0, 4, n), np.repeat(rng.integers(5, 15, people), shifts)
    late = np.tile(np.arange(shifts) % 7 >= 5, people) * rng.integers(1, 5, n)
    return Instance(A, b, np.array([wages, wishes, late, rng.integers(0, 3, n)], float), n)


def set_cover(seed: int, size: int) -> Instance:
    """Cheapest cover, then the least risk, then the fewest sets."""
    rng = np.random.default_rng(seed)
    points, sets = [(40, 60), (90, 180), (170, 320), (400, 1200)][size]
    A = (rng.random((points, sets)) < 0.06).astype(float)
    A[np.arange(points), rng.integers(0, sets, points)] = 1
    costs = np.vstack([rng.integers(1, 30, (2, sets)), np.ones((1, sets))]).astype(float)
    return Instance(-A, -np.ones(points), costs, sets)


def fixed_charge(seed: int, size: int) -> Instance:
    """Open arcs and ship: cost, then emissions, then arcs opened."""
    rng = np.random.default_rng(seed)
    sources, sinks = [(4, 6), (7, 14), (15, 40), (25, 70)][size]
    arcs = sources * sinks
    demand = rng.integers(5, 20, sinks).astype(float)
    supply = np.full(sources, np.ceil(1.4 * demand.sum() / sources))
    flow_in, flow_out = np.zeros((sinks, arcs)), np.zeros((sources, arcs))
    for i in range(sources):
        flow_out[i, i * sinks : (i + 1) * sinks] = 1
        flow_in[np.arange(sinks), i * sinks + np.arange(sinks)] = 1
    most = np.minimum(supply[:, None], demand[None]).ravel()
    none = np.zeros
    A = np.block([
        [none((sinks, arcs)), -flow_in], [none((sources, arcs)), flow_out],
        [-np.diag(most), np.eye(arcs)],
    ])  # fmt: skip
    b = np.concatenate([-demand, supply, np.zeros(arcs)])
    costs = np.zeros((3, 2 * arcs))
    costs[0] = np.concatenate([rng.integers(20, 80, arcs), rng.integers(1, 9, arcs)])
    costs[1] = np.concatenate([rng.integers(0, 5, arcs), rng.integers(1, 9, arcs)])
    costs[2, :arcs] = 1
    return Instance(A, b, costs, arcs, reals=arcs)


def multi_knapsack(seed: int, size: int) -> Instance:
    """Several limits on what is taken: gain, then weight, then a second gain, on coarse values."""
    rng = np.random.default_rng(seed)
    rows, items = [(5, 25), (5, 40), (8, 70), (20, 250)][size]
    A = rng.integers(5, 100, (rows, items)).astype(float)
    costs = np.array([-rng.integers(1, 12, items), A.sum(axis=0) // 20,
                      -rng.integers(1, 12, items)], float)  # fmt: skip
    return Instance(A, A.sum(axis=1) // 3, costs, items)


FAMILIES = {
    "rostering": rostering,
    "set cover": set_cover,
    "fixed charge": fixed_charge,
    "multi-knapsack": multi_knapsack,
}
