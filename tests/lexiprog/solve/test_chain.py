"""Which integer problems are one chain: those before a stranger, and those behind it."""

import cvxpy as cp
import pytest

import lexiprog as lx
from lexiprog.solve.integer_chain import find_integer_chains


def problems():
    """Six whole things in two boxes; `alone` holds nothing, `real` has no whole numbers."""
    n = cp.Variable(2, name="n", integer=True, bounds=[0, 5])
    rows = [cp.sum(n) <= 6]
    alone = lx.Subproblem("alone", cp.Minimize(n[0]), rows)
    first = lx.Subproblem("first", cp.Maximize(n[0] + 2 * n[1]), rows)
    second = lx.Subproblem("second", cp.Maximize(n[0]), [*rows, first.held()])
    other = lx.Subproblem("other", cp.Maximize(n[1]), [*rows, n[0] >= 1, first.held()])
    third = lx.Subproblem("third", cp.Minimize(n[1]), [*rows, first.held(), second.held()])
    return alone, first, second, other, third


def chains(stages, target="HIGHS"):
    ladders = {p.name: (lx.Solver(target),) for stage in stages for p in stage.subproblems}
    return find_integer_chains(stages, ladders)


def test_what_holds_nothing_and_what_has_other_rows_are_passed_over():
    stages = [lx.Stage(p.name, p) for p in problems()]
    found = chains(stages)
    assert list(found) == ["first", "second", "third"]
    assert len(set(map(id, found.values()))) == 1
    assert chains(stages, "CLARABEL") == {}
    result = lx.Program(*stages).solve()
    assert [result[p].value for p in ("alone", "first", "second", "other", "third")] == (
        pytest.approx([0, 11, 1, 5, 5])
    )


def test_one_that_reads_what_is_found_within_the_chain_is_no_link_of_it():
    n = cp.Variable(2, name="n", integer=True, bounds=[0, 5])
    rows = [cp.sum(n) <= 6]
    first = lx.Subproblem("first", cp.Maximize(n[0] + 2 * n[1]), rows)
    second = lx.Subproblem("second", cp.Maximize(n[0]), [*rows, first.held()])
    reader = lx.Subproblem("reader", cp.Maximize(second.optimum * n[1]), [*rows, first.held()])
    stages = [lx.Stage(p.name, p) for p in (first, second, reader)]
    assert "reader" not in chains(stages)
    assert lx.Program(*stages).solve()["reader"].value == pytest.approx(5)


def test_the_held_one_must_be_the_one_of_the_program():
    alone, first, second, _, _ = problems()
    stranger = lx.Subproblem("first", first.objective, first.constraints)
    goal = cp.Maximize(first.variables[0][0])
    lost = lx.Subproblem("lost", goal, [*first.constraints, stranger.held()])
    stages = [lx.Stage(p.name, p) for p in (alone, first, second, lost)]
    assert list(chains(stages)) == ["first", "second"]


def test_whole_levels_may_read_earlier_optima_in_their_objectives():
    n = cp.Variable(2, name="n", integer=True, bounds=[0, 5])
    rows = [2 * cp.sum(n) <= 13]
    scale = lx.Subproblem("scale", cp.Maximize(n[0]), rows)
    first = lx.Subproblem("first", cp.Maximize(scale.optimum * n[0] + n[1]), rows)
    second = lx.Subproblem("second", cp.Minimize(n[1] - scale.optimum), [*rows, first.held()])
    program = lx.Program(*(lx.Stage(p.name, p) for p in (scale, first, second)))
    for _ in range(2):
        result = program.solve()
        assert [s.value for s in result.values()] == pytest.approx([5.0, 26.0, -4.0])
    resumed = program.solve(
        resume=lx.Result(result.stages, {k: result[k] for k in ("scale", "first")})
    )
    assert resumed["second"].value == pytest.approx(-4.0)
