"""What becomes of an answer: whole numbers, wishes, statuses."""

import warnings
from types import SimpleNamespace

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.compile.answer import Answer
from lexiprog.proof.certificate import Certificate
from lexiprog.solve.relaxation import tell_apart
from lexiprog.solve.verdict import _wish
from lexiprog.solve.wishes import warn_of_limit
from lexiprog.status import Status


def test_whole_numbers_lose_their_noise_and_other_numbers_keep_theirs():
    n, x = cp.Variable(name="n", integer=True), cp.Variable(name="x")
    most = 2.0 + 3e-7
    problem = lx.Subproblem("p", cp.Maximize(n + x), [n <= 3, x <= most])

    class Nearly:
        def solve(self, problem):
            n.save_value(np.array(3.0 - 1e-8))
            x.save_value(np.array(most))

    found = lx.Program(lx.Stage("only", problem)).solve(Nearly()).final
    assert found["n"] == 3.0
    assert found["x"] == most
    assert found.value == 3.0 + most


GAP = Certificate(gap=0.1, gap_tolerance=1e-6)


@pytest.mark.parametrize(
    ("wish", "watch", "more"),
    [
        (None, {}, {}),
        (Status.WITHIN_GAP, {"over": True}, {}),
        (Status.WITHIN_GAP, {"enough": True}, {}),
        (Status.UNFINISHED, {"stopped": True}, {}),
        (Status.WITHIN_GAP, {"stopped": True, "enough": True}, {}),
        (Status.UNFINISHED, {"over": True}, {"gap": 0.05}),
        (Status.WITHIN_GAP, {}, {"status": Status.LIMIT}),
        (None, {"over": True}, {"integer": False}),
        (None, {"over": True}, {"certificate": Certificate(gap=1e-9, gap_tolerance=1e-6)}),
        (None, {"over": True}, {"certificate": Certificate(gap=0.1, primal=0.1)}),
    ],
)
def test_a_point_that_a_limit_left_is_within_a_gap_or_unfinished(wish, watch, more):
    given = {"integer": True, "gap": None, "status": Status.OPTIMAL, "certificate": GAP} | more
    watch = SimpleNamespace(**{"stopped": False, "enough": False, "over": False} | watch)
    task = SimpleNamespace(
        integer=given["integer"], watch=watch, solver=SimpleNamespace(gap=given["gap"])
    )
    assert _wish(task, Answer(given["status"]), given["certificate"]) is wish


@pytest.mark.parametrize(
    ("status", "over", "enough", "tolerance", "warned"),
    [
        (Status.WITHIN_GAP, True, False, 1e-6, True),
        (Status.WITHIN_GAP, False, False, 0.1, True),
        (Status.WITHIN_GAP, False, False, 1e-6, False),
        (Status.WITHIN_GAP, True, True, 1e-6, False),
        (Status.OPTIMAL, True, False, 1e-6, False),
    ],
)
def test_a_value_that_a_limit_left_is_warned_of_unless_somebody_was_content(
    status, over, enough, tolerance, warned
):
    outline = SimpleNamespace(text=lambda: "7")
    found = SimpleNamespace(status=status, name="p", outline=outline,
                            certificate=SimpleNamespace(gap_tolerance=tolerance))  # fmt: skip
    task = SimpleNamespace(solver=SimpleNamespace(accept=1e-6, gap=None),
                           watch=SimpleNamespace(over=over, enough=enough))  # fmt: skip
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        warn_of_limit(task, found)
    assert len(seen) == warned


def test_infeasible_and_unbounded_are_told_apart():
    x, y = cp.Variable(name="x"), cp.Variable(name="y", pos=True)
    never = lx.Subproblem("never", cp.Minimize(x), [x >= 2, x <= 1])
    endless = lx.Subproblem("endless", cp.Minimize(x), [x <= 1])
    assert tell_apart(never, {}) is Status.INFEASIBLE
    assert tell_apart(endless, {}) is Status.UNBOUNDED
    geometric = lx.Subproblem("geometric", cp.Minimize(y), [y >= 2, y <= 1], gp=True)
    assert tell_apart(geometric, {}) is Status.INFEASIBLE
    assert tell_apart(lx.Subproblem("g", cp.Minimize(y), [y <= 1], gp=True), {}) is Status.UNBOUNDED
