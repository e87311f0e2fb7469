"""Which linear problems are one chain of faces."""

import cvxpy as cp

import lexiprog as lx
from tests.lexiprog.runners.test_face import box, kinds


def test_problems_that_hold_nothing_are_passed_over():
    x, limits, _ = box()
    alone = lx.Subproblem("alone", cp.Minimize(x[1]), limits)
    first = lx.Subproblem("first", cp.Maximize(x[0]), limits)
    second = lx.Subproblem("second", cp.Maximize(x[1]), [*limits, first.held()])
    curved = lx.Subproblem("curved", cp.Minimize(cp.sum_squares(x)), [*limits, first.held()])
    third = lx.Subproblem("third", cp.Minimize(x[1]), [*limits, first.held()])
    stages = [lx.Stage(p.name, p) for p in (alone, first, second, curved, third)]
    found = kinds(lx.Program(*stages).solve())
    assert (found["second"], found["third"]) == (["face"], ["face"])
