"""Names that no solver, stage, subproblem or variable has: a sentence and what may be meant."""

import cvxpy as cp
import pytest

import lexiprog as lx
from lexiprog.backends.solver import (
    default_fallbacks,
    installed,
    is_installed,
    refused_option,
    resolve,
    unknown_option,
)


@pytest.fixture
def program():
    x = cp.Variable(name="width")
    return lx.Program(lx.Stage("first", lx.Subproblem("cheap", cp.Minimize(x), [x >= 1])))


@pytest.mark.parametrize(
    ("choice", "meant"),
    [
        ("HIHGS", "HIGHS"),
        ("GUROBY", "GUROBI"),
        ({"frist": "HIGHS"}, "first"),
        ({"chaep": "HIGHS"}, "cheap"),
        (lx.Solver("HIGHS", mip_relgap=0.1), "mip_rel_gap"),
        (lx.Solver("CLARABEL", tolgap_abs=1e-3), "tol_gap_abs"),
        (lx.Solver("CLARABEL", max_iterations=3), "max_iter"),
        (lx.Solver("CLARABEL", tolerance=3), "tol_feas"),
        (lx.Solver("HIGHS", timeLimits=3), "time_limit"),
        (lx.Solver("SCS", max_iter=3), "max_iters"),
        (lx.Solver("OSQP", max_iters=3), "max_iter"),
    ],
)
def test_an_unknown_name_is_refused_with_what_may_be_meant(program, choice, meant):
    with pytest.raises(lx.LexiprogError) as caught:
        program.solve(choice)
    assert f"Did you mean {meant!r}?" in str(caught.value)


@pytest.mark.parametrize(
    ("solver", "options", "said"),
    [
        ("HIGHS", {"presolve": "maybe"}, r"refuses presolve='maybe'\.$"),
        ("HIGHS", {"threads": -7}, r"refuses threads=-7\.$"),
        ("HIGHS", {"time_limit": 9.0, "solver": [1]}, r"refuses solver=\[1\]"),
        ("HIGHS", {"highs_options": {"presolve": "maybe"}}, "refuses presolve='maybe'"),
        ("HIGHS", {"highs_options": 3}, "must be a dictionary of options, not 3"),
        ("CLARABEL", {"max_iter": "a"}, "refuses max_iter='a'. It says: "),
        ("CLARABEL", {"direct_solve_method": "any"}, "refuses direct_solve_method='any'"),
        ("SCS", {"alpha": 7.0}, r"refuses alpha=7.0. It says: alpha must be in \(0, 2\)"),
        ("SCS", {"normalize": "maybe"}, "refuses normalize='maybe'"),
        ("ECOS", {"max_iters": "a"}, "refuses max_iters='a'"),
        ("OSQP", {"alpha": 7.0}, "refuses alpha=7.0"),
        ("OSQP", {"eps_abs": "x"}, "refuses eps_abs='x'"),
    ],
)
def test_a_value_that_the_solver_refuses_is_named_with_its_option(solver, options, said):
    """Also where several levels are solved as one chain, which EXACT would solve without it."""
    if not is_installed(solver):
        pytest.skip(f"{solver} is not installed")
    x = cp.Variable(3, nonneg=True, name="x")
    both = {"a": cp.Minimize(cp.sum(x)), "b": cp.Minimize(x[0])}
    program = lx.preemptive(both, [x[0] + x[1] >= 2])
    with pytest.raises(lx.LexiprogError, match=said):
        program.solve(lx.Solver(solver, **options))


def test_options_for_developers_and_of_cvxpy_are_let_through(program):
    for options in ({"presolve_rule_off": 0}, {"highs_options": {"mip_rel_gap": 0.1}}):
        assert program.solve(lx.Solver("HIGHS", **options)).final.value == 1
    assert unknown_option("CLARABEL", {"accept_unknown": True, "use_quad_obj": False}) is None


def test_what_no_solver_takes_is_named_and_the_rest_left_to_those_that_cannot_be_asked():
    assert unknown_option("SCS", {"entirely_new": 1}) == "SCS has no option 'entirely_new'."
    assert unknown_option("SCS", {"adaptive_scale": 1}) is None
    assert refused_option("SCS", {"eps": 1e-3, "use_indirect": False, "max_iters": 9}) is None
    assert refused_option("OSQP", {"polish": True, "eps_abs": 1e-3, "rho": 0.2}) is None
    assert refused_option("CLARABEL", {"max_iter": 9, "tol_feas": 1}) is None
    assert refused_option("GUROBI", {"Method": "any"}) is None
    assert unknown_option("NOBODY", {"anything": 1}) is None
    assert unknown_option("HIGHS", {"entirely_new": 1}) == "HIGHS has no option 'entirely_new'."


def test_names_in_results_and_programs_are_asked_for_too(program):
    result = program.solve()
    for look in (
        lambda: program["cheep"],
        lambda: result["cheep"],
        lambda: result["cheap"]["widht"],
        lambda: program["cheap"].variable("widht"),
    ):
        with pytest.raises(KeyError, match=r"Did you mean '(cheap|width)'"):
            look()


def test_an_unknown_option_is_a_row_in_a_comparison(program):
    table = lx.compare_solvers(program, ["HIGHS", lx.Solver("HIGHS", presolv="off")])
    assert [row.status for row in table.rows] == ["optimal", "not available"]
    assert "Did you mean 'presolve'" in table.rows[1].reason


def test_solvers_are_looked_for_once_and_again_only_if_one_is_missing(monkeypatch):
    looked = []
    found = ["HIGHS", "CLARABEL"]
    monkeypatch.setattr(cp, "installed_solvers", lambda: looked.append(1) or list(found))
    installed.cache_clear()
    try:
        names = {"stage": (["p"], None)}
        for _ in range(3):
            resolve("HIGHS", names)
            default_fallbacks("conic")
        assert len(looked) == 1
        with pytest.raises(lx.LexiprogError, match=r"'SCS'.*is not installed"):
            resolve("SCS", names)
        found.append("SCS")  # as by pip in another shell
        assert resolve("SCS", names)["p"][0].name == "SCS"
    finally:
        installed.cache_clear()
