"""Which linear problems are one chain of faces."""

import cvxpy as cp
import pytest

import lexiprog as lx
from lexiprog.solve.lp_chain import find_chains
from tests.lexiprog.solve.test_face import box, kinds


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


@pytest.mark.parametrize(
    ("solver", "options"),
    [(lx.Solver("HIGHS", presolve="off"), {"presolve": "off"}),
     (lx.Solver("EXACT", read_as="decimal"), {})],
)  # fmt: skip
def test_a_chain_has_the_options_of_highs_and_of_nobody_else(solver, options):
    _, limits, levels = box()
    program = lx.preemptive(levels, limits)
    chains = find_chains(program.stages, dict.fromkeys(levels, (solver,)), {})
    assert list(chains) == list(levels)
    assert len({id(chain) for chain in chains.values()}) == 1
    assert {k: v for k, v in chains["a"].options.items() if k in ("presolve", "read_as")} == options
