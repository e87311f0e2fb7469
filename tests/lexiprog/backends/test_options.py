"""Names that no solver, stage, subproblem or variable has: a sentence and what may be meant."""

import cvxpy as cp
import pytest

import lexiprog as lx
from lexiprog.backends.solver import default_fallbacks, installed, resolve, unknown_option


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
        (lx.Solver("SCS", max_iter=3), "max_iters"),
        (lx.Solver("OSQP", max_iters=3), "max_iter"),
    ],
)
def test_an_unknown_name_is_refused_with_what_may_be_meant(program, choice, meant):
    with pytest.raises(lx.LexiprogError) as caught:
        program.solve(choice)
    assert f"Did you mean {meant!r}?" in str(caught.value)


def test_options_for_developers_and_of_cvxpy_are_let_through(program):
    for options in ({"presolve_rule_off": 0}, {"highs_options": {"mip_rel_gap": 0.1}}):
        assert program.solve(lx.Solver("HIGHS", **options)).final.value == 1
    assert unknown_option("CLARABEL", {"accept_unknown": True, "use_quad_obj": False}) is None


def test_what_no_solver_takes_is_named_and_the_rest_left_to_those_that_cannot_be_asked():
    assert unknown_option("SCS", {"entirely_new": 1}) == "SCS has no option 'entirely_new'."
    assert unknown_option("SCS", {"adaptive_scale": 1}) is None
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
