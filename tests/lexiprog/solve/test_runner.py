"""What all runners have in common: their seconds are those that passed, and their own."""

import time

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.fairness.any_solver import OneByOne
from lexiprog.fairness.backend import FairHighs, FairLotteries
from lexiprog.solve.conic_face import ConicFace
from lexiprog.solve.direct import Custom, Direct
from lexiprog.solve.exact import Exact, ExactResolve
from lexiprog.solve.lp_chain import FaceChain
from lexiprog.solve.mixed_rows import MixedRowChain
from lexiprog.solve.warm_start import WarmHighs
from tests.lexiprog.small_programs import cylinder, plant


class Honest:
    """A solver of the user's own."""

    def solve(self, problem):
        problem.solve(solver="CLARABEL")


def whole():
    n = cp.Variable(2, name="n", integer=True, bounds=[0, 4])
    levels = {"most": cp.Maximize(cp.sum(n)), "first": cp.Maximize(n[0])}
    return lx.preemptive(levels, [2 * n[0] + 3 * n[1] <= 11])


def linear():
    _, _, cheap, clean = plant()
    return lx.Program(lx.Stage("ideal", cheap, clean))


def shares(curved=False):
    x = cp.Variable(3, nonneg=True, name="x")
    utilities = [x[0], 2 * x[1], cp.sqrt(x[2]) if curved else x[2]]
    return lx.leximin(utilities, [cp.sum(x) <= 6, x[0] <= 1])


def whole_shares():
    n = cp.Variable(2, name="n", integer=True, bounds=[0, 4])
    return lx.leximin([n[0], cp.sqrt(n[1])], [cp.sum(n) <= 5])


def lottery():
    panels = np.array([[1.0, 0, 1], [0, 1, 1]])

    def pricing(prices):
        worth = panels @ prices
        return panels[[worth.argmax()]], worth.max()

    return lx.leximin([0, 0, 0], pricing=pricing)


CASES = {
    "native": (linear, "CLARABEL"),
    "custom": (linear, Honest()),
    "exact": (linear, "EXACT"),
    "face": (lambda: lx.preemptive({"a": cp.Maximize(x := cp.Variable(bounds=[0, 1], name="x")),
                                    "b": cp.Minimize(x)}), None),
    "curved face": (cylinder, None),
    "whole chain": (whole, None),
    "linear shares": (shares, None),
    "curved shares": (lambda: shares(curved=True), None),
    "whole shares": (whole_shares, None),
    "lottery": (lottery, None),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_seconds_of_a_solve_are_some_and_no_more_than_have_passed(name):
    program, solver = CASES[name][0](), CASES[name][1]
    start = time.perf_counter()
    result = program.solve(solver)
    passed = time.perf_counter() - start
    assert all(0.0 < solution.timings["solve"] < passed for solution in result.values())


def test_the_seconds_of_a_scenario_are_its_own():
    n, most = cp.Variable(2, name="n", integer=True, bounds=[0, 9]), cp.Parameter(name="most")
    problem = lx.Subproblem("n", cp.Maximize(n[0] + 2 * n[1]), [3 * n[0] + 4 * n[1] <= most])
    start = time.perf_counter()
    table = lx.sweep(lx.Program(lx.Stage("only", problem)), {most: [7.0, 9.0, 11.0]})
    passed = time.perf_counter() - start
    assert table.values["n"].tolist() == [3.0, 4.0, 5.0]
    assert sum(row["n"].timings["solve"] for row in table) < passed
    assert all(row["n"].timings["solve"] > 0.0 for row in table)


class Tired:
    """A solver of the user's own that sleeps and finds nothing."""

    def solve(self, problem):
        time.sleep(0.05)


def test_a_try_that_found_nothing_took_its_time_too():
    with pytest.raises(lx.StageError) as caught:
        linear().solve(Tired())
    assert all(attempt.seconds >= 0.05 for attempt in caught.value.attempts)


def test_only_runners_that_call_the_users_code_or_compile_on_the_way_run_alone():
    side_by_side = [Direct, FaceChain, WarmHighs, Exact, ExactResolve, MixedRowChain, ConicFace,
                    FairHighs]  # fmt: skip
    assert not any(backend.alone for backend in side_by_side)
    assert all(backend.alone for backend in (Custom, FairLotteries, OneByOne))
