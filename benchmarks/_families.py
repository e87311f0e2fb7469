"""Random sparse linear programs of any size, the same on every machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
import scipy.sparse as sp

ENTRIES = 6  # non-zeros a row
REACH = 40  # how many neighbouring columns a row chooses from
UPPER = 10.0


@dataclass(frozen=True)
class Packing:
    """Minimise cost @ x with A @ x <= capacity and 0 <= x <= 10."""

    A: sp.csc_array
    capacity: np.ndarray
    cost: np.ndarray


@dataclass(frozen=True)
class Chain:
    """Costs in strict order, with A @ x >= demand and 0 <= x <= 10.

    Each cost looks at a share of the columns only, so that its optimal face has a dimension for
    the next one to choose from.
    """

    A: sp.csc_array
    demand: np.ndarray
    costs: np.ndarray


def packing(rows: int, seed: int = 0) -> Packing:
    rng = np.random.default_rng(seed)
    A = _near_the_diagonal(rows, rng, lambda size: rng.uniform(0.5, 2.0, size))
    return Packing(A, rng.uniform(5.0, 10.0, rows), -rng.uniform(1.0, 2.0, A.shape[1]))


def chain(rows: int, levels: int, share: float, seed: int = 0) -> Chain:
    rng = np.random.default_rng(seed)
    A = _near_the_diagonal(rows, rng, lambda size: rng.integers(1, 4, size).astype(float))
    demand = rng.integers(5, 21, rows).astype(float)
    sizes = (levels, A.shape[1])
    return Chain(A, demand, rng.integers(1, 6, sizes) * (rng.random(sizes) < share).astype(float))


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
