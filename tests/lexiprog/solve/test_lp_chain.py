"""Which levels belong to one chain: linear, for one solver, with the same rows, held exactly."""

import cvxpy as cp
import pytest

import lexiprog as lx
from lexiprog.solve.lp_chain import (
    find_chains,
    held_apart,
    is_linear,
    own_constraints,
    reads_nothing_later,
)
from tests.lexiprog.solve.test_face import box, kinds

HIGHS = (lx.Solver("HIGHS"),)


@pytest.fixture
def x():
    return cp.Variable(2, name="x", bounds=[0, 3])


def stages(*levels):
    return [lx.Stage(f"stage {p.name}", p) for p in levels]


def chained(levels, solvers=None, **more):
    """The names of each chain."""
    ladders = dict.fromkeys((p.name for p in levels), HIGHS) | (solvers or {})
    found = find_chains(stages(*levels), ladders, **more)
    return sorted({"".join(chain.members) for chain in found.values()})


def not_dpp(*terms):
    with pytest.warns(lx.LexiprogWarning, match="not DPP"):
        return lx.Subproblem(*terms)


def test_only_linear_programs_with_real_variables_and_affine_parameters_are_linear(x):
    p, q = cp.Parameter(nonneg=True, value=1.0), cp.Parameter(nonneg=True, value=1.0)
    y, z = cp.Variable(pos=True, name="y"), cp.Variable(name="z", complex=True)
    n = cp.Variable(name="n", integer=True)
    yes = [cp.Minimize(cp.sum(x)), cp.Minimize(p * x[0]), cp.Minimize(cp.max(x))]
    no = [cp.Minimize(cp.sum_squares(x)), cp.Minimize(cp.real(z)), cp.Minimize(n)]
    limits = [x >= 0, cp.real(z) >= 0, cp.imag(z) == 0]
    assert all(is_linear(lx.Subproblem("a", goal, [x >= 0])) for goal in yes)
    assert not any(is_linear(lx.Subproblem("a", goal, limits)) for goal in no)
    assert not is_linear(lx.Subproblem("a", cp.Minimize(y), [y >= 1], gp=True))
    assert not is_linear(not_dpp("a", cp.Minimize(p * q * x[0]), [x >= 0]))
    assert not is_linear(lx.leximin([x[0], x[1]])["leximin"])


@pytest.mark.parametrize(
    ("second", "names"),
    [
        ((lx.Solver("HIGHS"),), ["ab"]),
        ((lx.Solver("HIGHS", presolve="off"),), []),
        ((lx.Solver("HIGHS", highs_options={}),), []),
        ((lx.Solver("CLARABEL"),), []),
        ((lx.Solver("EXACT"),), ["ab"]),
    ],
)
def test_a_chain_is_for_one_way_of_asking_highs(x, second, names):
    a = lx.Subproblem("a", cp.Maximize(x[0]), rows := [cp.sum(x) <= 4])
    b = lx.Subproblem("b", cp.Maximize(x[1]), [*rows, a.held()])
    assert chained([a, b], {"b": second}) == names


def test_a_chain_has_those_that_hold_and_are_held_exactly_with_all_their_rows(x):
    rows = [cp.sum(x) <= 4]
    a = lx.Subproblem("a", cp.Maximize(x[0]), rows)
    for terms, names in (({}, ["ab"]), ({"atol": 0.1}, []), ({"rtol": 0.1}, [])):
        b = lx.Subproblem("b", cp.Maximize(x[1]), [*rows, a.held(**terms)])
        assert chained([a, b]) == names
    b = lx.Subproblem("b", cp.Maximize(x[1]), [*rows, x[0] >= 0, a.held()])
    assert chained([a, b]) == []
    b = lx.Subproblem("b", cp.Maximize(x[1]), [*rows, a.held()])
    beside = lx.Subproblem("c", cp.Minimize(x[1]), rows)
    assert chained([a, beside, b]) == ["ab"]
    assert chained([a, beside]) == []


def test_a_lock_that_is_loosened_beyond_its_declaration_is_no_part_of_a_chain(x):
    rows = [cp.sum(x) <= 4]
    a = lx.Subproblem("a", cp.Maximize(x[0]), rows)
    b = lx.Subproblem("b", cp.Maximize(x[1]), [*rows, a.held()])
    assert chained([a, b], loosened=["b"]) == ["ab"]
    assert chained([a, b], loosened=["a"]) == []


def test_whoever_holds_a_level_of_a_chain_holds_what_that_level_holds(x):
    rows = [cp.sum(x) <= 4]
    a = lx.Subproblem("a", cp.Maximize(x[0]), rows)
    b = lx.Subproblem("b", cp.Maximize(x[1]), [*rows, a.held()])
    both = lx.Subproblem("c", cp.Minimize(x[1]), [*rows, a.held(), b.held()])
    late = lx.Subproblem("c", cp.Minimize(x[1]), [*rows, b.held()])
    assert chained([a, b, both]) == ["abc"]
    assert chained([a, b, late]) == ["ab"]


def test_the_owner_of_a_lock_is_the_very_problem_and_no_namesake(x):
    rows = [cp.sum(x) <= 4]
    a = lx.Subproblem("a", cp.Maximize(x[0]), rows)
    other = lx.Subproblem("a", cp.Minimize(x[0]), rows)
    b = lx.Subproblem("b", cp.Maximize(x[1]), [*rows, a.held()])
    assert chained([other, b]) == []


def test_an_objective_may_read_what_was_known_before_its_chain_began(x):
    rows = [cp.sum(x) <= 4]
    before = lx.Subproblem("z", cp.Minimize(x[0]), [x[0] >= 1])
    a = lx.Subproblem("a", cp.Maximize(x[0]), rows)
    early = lx.Subproblem("b", cp.Maximize(before.optimum * x[1]), [*rows, a.held()])
    late = lx.Subproblem("b", cp.Maximize(a.optimum * x[1]), [*rows, a.held()])
    assert chained([before, a, early]) == ["ab"]
    assert chained([a, late]) == []
    level = {"z": 0, "a": 1, "b": 2}
    assert reads_nothing_later(early, level, 1)
    assert not reads_nothing_later(early, level, 0)
    assert reads_nothing_later(early, {"a": 1, "b": 2}, 0)  # its owner was solved elsewhere
    assert not reads_nothing_later(late, level, 1)
    assert reads_nothing_later(late, level, 2)


def test_rows_of_a_level_are_its_constraints_without_the_locks(x):
    rows = [cp.sum(x) <= 4, x[0] >= 1]
    a = lx.Subproblem("a", cp.Maximize(x[0]), rows)
    b = lx.Subproblem("b", cp.Maximize(x[1]), [rows[0], a.held(), rows[1]])
    assert own_constraints(a) == own_constraints(b) == {c.id for c in rows}


def test_linear_levels_held_by_one_without_their_rows_stand_apart(x):
    rows = [cp.sum(x) <= 4, x[0] >= 1]
    a = lx.Subproblem("a", cp.Maximize(x[0]), rows)
    curved = lx.Subproblem("q", cp.Minimize(cp.sum_squares(x)), rows)

    def apart(*levels):
        return held_apart(stages(*levels))

    assert apart(a, lx.Subproblem("b", cp.Maximize(x[1]), [*rows, a.held()])) == set()
    assert apart(a, lx.Subproblem("b", cp.Maximize(x[1]), [rows[0], a.held()])) == {"a"}
    assert apart(a, lx.Subproblem("b", cp.Minimize(cp.sum_squares(x)), [a.held()])) == set()
    assert apart(curved, lx.Subproblem("b", cp.Maximize(x[1]), [curved.held()])) == set()
    p = cp.Parameter(nonneg=True, value=1.0)
    bent = not_dpp("a", cp.Maximize(p * p * x[0]), rows)
    assert bent.kind == "LP"
    assert apart(bent, not_dpp("b", cp.Maximize(x[1]), [bent.held()])) == set()


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
