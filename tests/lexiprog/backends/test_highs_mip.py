"""HiGHS's search for whole points is asked in ways that it survives."""

from __future__ import annotations

import subprocess
import sys
import threading
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from lexiprog import deadline
from lexiprog.backends.highs import HighsModel
from lexiprog.backends.highs_mip import solve_mip
from lexiprog.canon.standard_form import Bounds, Cones, StandardForm

JUMP = "mip_heuristic_run_feasibility_jump"
ROWS = np.array(
    [
        [4.3, -2.5, -1.4, 2.5],
        [-8.2, -3.2, 3.1, 1.4],
        [2.9, -0.9, 1.7, -2.2],
        *-np.eye(4),
        *np.eye(4),
        [-23.1, 20.2, -11.0, 16.8],
        [3.0, -6.0, 1.0, -12.0],
    ]
)
RIGHT = np.array([7.8, 3.0, 2.9, 1.0, 2.0, 1.0, 2.0, 1.0, 1.0, 1.0, -1.0, -41.58, 23.23])
COST = np.array([0.0, -0.5, -1.0, -1.7])


def found_by_highs() -> float:
    """The least cost of whole points whose limits are rows, from a start on an earlier face."""
    form = StandardForm(
        COST,
        0.0,
        sp.csc_array(ROWS),
        RIGHT,
        Cones(zero=0, nonneg=RIGHT.size, psd_layout="full"),
        integer=np.arange(4),
    )
    search = solve_mip(form, {}, np.array([0.0, -2.0, -1.0, -1.0]), on_face=True)
    assert search.said == "kOptimal"
    assert search.x is not None
    return float(COST @ search.x)


def test_limits_that_are_rows_do_not_end_the_process():
    # In a process of its own: HiGHS's heuristic for this model used to end it.
    called = f"from {__name__} import found_by_highs; print(found_by_highs())"
    run = subprocess.run(
        [sys.executable, "-c", called], capture_output=True, text=True, check=False, timeout=120
    )
    assert run.returncode == 0, run.stderr
    points = map(np.array, product(range(-1, 2), range(-2, 2), range(-1, 2), range(-2, 0)))
    least = min(COST @ x for x in points if (ROWS @ x <= RIGHT + 1e-9).all())
    assert float(run.stdout) == pytest.approx(least)


@pytest.mark.parametrize(
    ("lower", "upper", "jumps"), [(0.0, 1.0, True), (0.0, np.inf, False), (-np.inf, 1.0, False)]
)
def test_only_whole_columns_without_bounds_go_without_the_heuristic(lower, upper, jumps):
    bounds = Bounds(
        np.array([lower, -np.inf]), np.array([upper, np.inf]), np.full(1, -np.inf), np.ones(1)
    )
    matrix = sp.csc_array([[1.0, 1.0]])
    assert HighsModel(matrix, {}, np.ones(2), bounds, integer=np.array([0])).option(JUMP) is jumps
    assert HighsModel(matrix, {}, np.ones(2), bounds).option(JUMP)


def test_a_search_that_is_left_behind_is_waited_for_when_python_ends():
    """One that came back to a Python that has ended used to abort the process."""
    model = HighsModel(sp.csc_array(np.ones((1, 1))), {}, integer=np.array([0]))
    returns = threading.Event()
    model._highs = SimpleNamespace(run=returns.wait)
    before = set(deadline._UNDER_WAY)
    assert not model._in_thread(lambda: True, (), 0.1)
    (left,) = deadline._UNDER_WAY - before
    assert not left.done()
    returns.set()
    assert left.result(timeout=5)
