"""Random sparse linear programs of any size, the same on every machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
import scipy.sparse as sp

ENTRIES = 6  # non-zeros a row
REACH = 40  # how many neighbours a row chooses from
ROADS = 8  # to each shop
UPPER = 10.0


@dataclass(frozen=True)
class Packing:
    """Minimise cost @ x with A @ x <= capacity and 0 <= x <= 10."""

    A: sp.csc_array
    capacity: np.ndarray
    cost: np.ndarray


@dataclass(frozen=True)
class Chain:
    """Costs in strict order, with A @ x >= demand and 0 <= x <= 10."""

    A: sp.csc_array
    demand: np.ndarray
    costs: np.ndarray


def packing(rows: int, seed: int = 0) -> Packing:
    rng = np.random.default_rng(seed)
    A = _near_the_diagonal(rows, rng, lambda size: rng.uniform(0.5, 2.0, size))
    return Packing(A, rng.uniform(5.0, 10.0, rows), -rng.uniform(1.0, 2.0, A.shape[1]))


def transport(rows: int, levels: int, seed: int = 0) -> Chain:
    """Ship from rows / 2 plants to as many shops over 8 roads each; every level counts some roads.

    Half of the roads count nothing in a level, so its optimal plans form a face of some dimension
    for the next level to choose from. Presolve finds little to remove.
    """
    rng = np.random.default_rng(seed)
    plants = rows // 2
    shop = np.repeat(np.arange(rows - plants), ROADS)
    plant = (shop + rng.integers(0, REACH, shop.size)) % plants
    road = np.arange(shop.size)
    signs = np.repeat([-1.0, 1.0], shop.size)
    places = (np.concatenate([plant, plants + shop]), np.concatenate([road, road]))
    A = sp.csc_array((signs, places), shape=(rows, shop.size))
    stock, need = rng.integers(7, 13, plants), rng.integers(3, 9, rows - plants)
    demand = np.concatenate([-stock, need]).astype(float)
    return Chain(A, demand, rng.integers(0, 2, (levels, shop.size)).astype(float))


def covering(rows: int, levels: int, seed: int = 0) -> Chain:
    """Meet demands from columns of which each level counts a tenth: presolve does nearly all."""
    rng = np.random.default_rng(seed)
    A = _near_the_diagonal(rows, rng, lambda size: rng.integers(1, 4, size).astype(float))
    demand = rng.integers(5, 21, rows).astype(float)
    sizes = (levels, A.shape[1])
    return Chain(A, demand, rng.integers(1, 6, sizes) * (rng.random(sizes) < 0.1).astype(float))


CHAINS = {"transport": transport, "covering": covering}


def _near_the_diagonal(rows: int, rng: np.random.Generator, draw: Any) -> sp.csc_array:
    """Twice as many columns as rows; rows share columns with their neighbours, as in planning.

    Without that neighbourhood the basis fills in, and HiGHS alone takes hours at 1e5 rows.
    """
    columns = 2 * rows
    near = (2 * np.arange(rows)[:, None] + rng.integers(0, REACH, (rows, ENTRIES))) % columns
    places = (np.repeat(np.arange(rows), ENTRIES), near.ravel())
    A = sp.csc_array((draw(rows * ENTRIES), places), shape=(rows, columns))
    A.sum_duplicates()
    return A


def model(
    A: sp.csc_array, cost: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> highspy.HighsLp:
    """Arrays to HiGHS's own structure, with ``lower <= A @ x <= upper``."""
    rows, columns = A.shape
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = columns, rows
    lp.col_cost_ = cost
    lp.col_lower_, lp.col_upper_ = np.zeros(columns), np.full(columns, UPPER)
    lp.row_lower_, lp.row_upper_ = lower, upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_ = A.indptr, A.indices
    lp.a_matrix_.value_ = A.data
    return lp


def silent_highs() -> highspy.Highs:
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    return highs
