"""Flows that share links, whose fair rates are known, and those who look for them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

Links = tuple[np.ndarray, np.ndarray]


def flows(count: int, seed: int = 0) -> Links:
    """Flows over three links each, and the whole capacities of the links."""
    rng = np.random.default_rng(seed)
    uses = np.zeros((max(4, count // 4), count))
    for flow in range(count):
        uses[rng.choice(len(uses), 3, replace=False), flow] = 1.0
    return uses, rng.integers(5, 100, len(uses)).astype(float)


def water_filling(links: Links) -> np.ndarray:
    """The fair rates: all rise together, whose link is full stops. In fractions."""
    uses, capacities = links
    on = [np.flatnonzero(row) for row in uses]
    left = [Fraction(int(capacity)) for capacity in capacities]
    rates: list[Fraction | None] = [None] * uses.shape[1]
    while None in rates:
        rising = [[f for f in flows_on if rates[f] is None] for flows_on in on]
        room = {k: left[k] / len(r) for k, r in enumerate(rising) if r}
        level = min(room.values())
        for link in [k for k, value in room.items() if value == level]:
            for flow in rising[link]:
                if rates[flow] is None:
                    rates[flow] = level
                    for k in np.flatnonzero(uses[:, flow]):
                        left[k] -= level
    return np.array([float(rate) for rate in rates if rate is not None])


def lexiprog(links: Links) -> np.ndarray:
    import cvxpy as cp

    import lexiprog as lx

    uses, capacities = links
    rate = cp.Variable(uses.shape[1], nonneg=True, name="rate")
    utilities = {f"flow {k}": rate[k] for k in range(uses.shape[1])}
    found = lx.leximin(utilities, [sp.csr_array(uses) @ rate <= capacities]).solve().final
    return np.array(found[rate])


def loop(links: Links) -> np.ndarray:
    """A few lines of linprog: whoever has a positive multiplier is settled."""
    uses, capacities = links
    count = uses.shape[1]
    shared = sp.csr_array(np.c_[uses, np.zeros(len(uses))])
    rates = np.full(count, np.nan)
    while np.isnan(rates).any():
        waiting = np.flatnonzero(np.isnan(rates))
        size = waiting.size
        entries = (np.r_[-np.ones(size), np.ones(size)], (np.tile(np.arange(size), 2),
                   np.r_[waiting, np.full(size, count)]))  # fmt: skip
        above = sp.csr_array(entries, shape=(size, count + 1))
        bounds = [(0, None) if np.isnan(rate) else (rate, rate) for rate in rates]
        found = linprog(
            np.r_[np.zeros(count), -1.0],
            sp.vstack([shared, above]),
            np.r_[capacities, np.zeros(size)],
            bounds=[*bounds, (None, None)],
        )
        multipliers = -found.ineqlin.marginals[len(capacities) :]
        rates[waiting[multipliers > 1e-9]] = found.x[-1]
    return rates
