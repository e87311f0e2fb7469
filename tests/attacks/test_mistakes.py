"""What users see of their mistakes: the culprit by its name, and the way out."""

import re

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.backends.solver import unknown_option
from lexiprog.model.expressions import readable


@pytest.fixture
def x():
    return cp.Variable(2, nonneg=True, name="x")


@pytest.fixture
def program(x):
    return lx.preemptive({"a": cp.Minimize(cp.sum(x)), "b": cp.Maximize(x[0])}, [x >= 1])


@pytest.mark.parametrize("keyword", ["mip_rel_gap", "timelimit", "presolve", "max_iters"])
def test_options_as_keywords_of_solve_point_to_the_solver(program, keyword):
    with pytest.raises(TypeError, match=rf"{keyword}.*lx\.Solver\('HIGHS', {keyword}=0\.1\)"):
        program.solve(**{keyword: 0.1})


def test_a_keyword_that_is_nearly_one_is_recognised(program):
    for wrong, right in (("timelimit", "time_limit"), ("worker", "workers"), ("solvr", "solver")):
        with pytest.raises(TypeError, match=f"Did you mean '{right}'"):
            program.solve(**{wrong: 1})


def test_a_constraint_that_is_not_in_a_list_is_told_by_every_formulation(x):
    aims = {"a": cp.Minimize(x[0]), "b": cp.Minimize(x[1])}
    goals = [lx.Goal("low", x[0] <= 0)]
    for declare in (
        lambda rows: lx.preemptive(aims, rows),
        lambda rows: lx.minimax_regret(aims, rows),
        lambda rows: lx.goal_program(goals, rows),
        lambda rows: lx.leximin([x[0], x[1]], rows),
        lambda rows: lx.frontier(aims, rows),
        lambda rows: lx.hierarchical_least_squares({"near": x - 1}, rows),
        lambda rows: lx.Subproblem("a", aims["a"], rows),
    ):
        with pytest.raises(lx.DeclarationError, match=r"come in a list, such as \[x >= 0\]"):
            declare(x >= 1)
        with pytest.raises(lx.DeclarationError, match="constraint 1 is 3, which is no constraint"):
            declare([3])


def test_true_in_the_place_of_a_constraint_is_told(x):
    with pytest.warns(lx.LexiprogWarning, match=r"constraint 1 is True.*variable missing"):
        lx.Subproblem("a", cp.Minimize(cp.sum(x)), [True])


@pytest.mark.parametrize(
    ("solver", "option"),
    [
        ("SCS", "entirely_new"),
        ("ECOS", "entirely_new"),
        ("ECOS_BB", "mi_new"),
        ("SCIPY", "gap_abs"),
        ("EXACT", "digits"),
        ("DAQP", "entirely_new"),
    ],
)
def test_options_that_nobody_knows_are_named_before_anything_is_solved(program, solver, option):
    if solver in ("ECOS", "ECOS_BB", "DAQP"):
        pytest.importorskip(solver.lower().removesuffix("_bb"))
    with pytest.raises(LookupError, match=f"{solver} has no option '{option}'"):
        program.solve(lx.Solver(solver, **{option: 1}))


def test_a_solver_that_is_not_installed_is_taken_for_no_slip_of_the_pen(program):
    for name in {"ECOS_BB", "SCIP", "MOSEK", "GLPK_MI"} - set(cp.installed_solvers()):
        with pytest.raises(LookupError, match=rf"{name}.* not installed; installed are .*[A-Z]\.$"):
            program.solve(name)
    with pytest.raises(LookupError, match="Did you mean 'HIGHS'"):
        program.solve("HIHGS")


def test_options_that_a_newer_solver_takes_are_let_through():
    pytest.importorskip("scs")
    assert unknown_option("SCS", {"acceleration_lookback": 3, "max_iters": 5}) is None


def test_it_said_quotes_only_what_a_solver_said():
    x = cp.Variable(2, name="x")
    with pytest.raises(lx.StageError) as caught:
        lx.leximin([x[0], x[1]], [x[0] + x[1] <= 1, x[0] >= 0]).solve() and None
        lx.leximin([x[0], x[0] + x[1]], [x[0] <= 1]).solve()
    assert "can rise without limit" in str(caught.value)
    assert "it said" not in str(caught.value)


def test_the_parts_of_a_conflict_have_label_and_row():
    x = cp.Variable(3, name="x")
    rows = [(x >= [1, 5, 1]).set_label("demand"), (x <= 3).set_label("supply")]
    with pytest.raises(lx.StageError) as caught:
        lx.preemptive({"a": cp.Minimize(cp.sum(x))}, rows).solve()
    texts = [part.text for part in caught.value.conflict]
    assert [text.partition(":")[0] for text in texts] == ["demand", "supply"]
    assert all("x" in text and text.endswith("at [1]") for text in texts), texts


def test_names_that_nobody_has_are_told_without_quotation_marks(program):
    result = program.solve()
    for ask in (
        lambda: result["c"], lambda: program["c"], lambda: result["a"]["z"],
        lambda: result["a"].dual("z"),
    ):  # fmt: skip
        with pytest.raises(KeyError) as caught:
            ask()
        assert re.match(r"[a-z]", str(caught.value)), str(caught.value)
        assert "\\" not in str(caught.value)


def test_what_cannot_be_called_is_told_before_anything_is_solved(program):
    with pytest.raises(TypeError, match="on_progress is called with a Progress, which 3 cannot"):
        program.solve(on_progress=3)


def test_what_is_no_number_and_no_list_is_told_by_its_name(program):
    y, t = cp.Variable(2, nonneg=True, name="y"), cp.Parameter(nonneg=True, name="t", value=1)
    both = {"a": cp.Minimize(y[0]), "b": cp.Minimize(y[1])}
    moving = lx.preemptive(both, [cp.sum(y) >= t])
    for call, said in (
        (lambda: lx.frontier(both, [cp.sum(y) >= 1], error="small"), "error is .*'small'"),
        (lambda: lx.frontier(both, [cp.sum(y) >= 1], time_limit="3"), "time_limit is .*'3'"),
        (lambda: lx.tradeoff(program, "a", 3), "tolerances are a list of numbers.* not 3"),
        (lambda: lx.tradeoff(program, "a", "abc"), "tolerances are .* not 'abc'"),
        (lambda: lx.tradeoff(program, "a", error=None), "error is .*None"),
        (lambda: lx.sweep(moving, {t: 3}), "values of 't' come in a list, not as 3"),
        (lambda: lx.sweep(moving, {t: ["many"]}), "'t' does not take its value at position 0"),
        (lambda: lx.explore(3), "explore takes a Program, not 3"),
        (lambda: lx.Solver("HIGHS", mip_rel_gap="a"), "mip_rel_gap must be a number, not 'a'"),
    ):
        with pytest.raises(ValueError, match=said):
            call()


@pytest.mark.parametrize("curved", [cp.norm, cp.sum_squares, lambda y: cp.norm(y, 1), cp.max])
def test_what_is_multiplied_by_zero_is_solved(x, curved):
    rows = [x >= 1, 0 * curved(x) <= 1]
    levels = {"none": cp.Minimize(0 * curved(x)), "a": cp.Minimize(cp.sum(x) + 0 * curved(x))}
    result = lx.preemptive(levels, rows).solve()
    assert [s.value for s in result.values()] == pytest.approx([0, 2])
    assert np.shape(result["a"].dual(rows[0])) == (2,)


def test_what_a_logarithm_demands_stays_demanded():
    y = cp.Variable(name="y")
    with pytest.raises(lx.StageError):
        lx.preemptive({"a": cp.Minimize(y)}, [y <= -1, y >= -2, 0 * cp.log(y) <= 1]).solve()


def test_texts_have_no_word_of_cvxpy_s_own_and_no_matrices():
    z = cp.Variable(3, name="z")
    A = np.arange(6.0).reshape(2, 3)
    for expression in (
        cp.power(z + 1, 2.5), cp.power(z, 3), cp.sum(cp.power(z, 0.5)), cp.quad_over_lin(z, 1.0),
        cp.sum_squares(A @ z - 1), cp.quad_form(z, np.eye(3)), cp.geo_mean(z), cp.norm(z, 3),
        A[:, :2] @ z[:2] - [1, 2], cp.power(cp.sum(z) + 2, 1.5),
    ):  # fmt: skip
        for text in (readable(expression), readable(expression <= 1), readable(cp.sum(expression))):
            assert not re.search(r"Approx|None, False|\[\[", text), text


def test_a_front_loses_one_uncertified_cell_and_not_everything(recwarn):
    y = cp.Variable(3, name="y")
    three = {k: cp.Minimize(y[i]) for i, k in enumerate("abc")}
    front = lx.frontier(three, [cp.sum_squares(y) <= 1], limit=16)
    assert len(front.points) >= 6
    np.testing.assert_allclose(np.linalg.norm(front.points, axis=1), 1, atol=1e-4)


@pytest.mark.parametrize("unit", [1e-5, 1e-7, 1e5])
def test_a_front_does_not_depend_on_the_units_of_an_objective(unit):
    for seed in (0, 12, 30, 56):  # but for the first, a limit has 16 digits as if it were written
        rng = np.random.default_rng(seed)
        A, c = rng.uniform(size=(6, 5)).round(2), rng.uniform(size=(2, 5)).round(2)
        x = cp.Variable(5, nonneg=True, name="x")

        def front(units, A=A, c=c, x=x):
            both = {k: cp.Maximize(u * (c[i] @ x)) for i, (k, u) in enumerate(units.items())}
            return lx.frontier(both, [A @ x <= 1]).points

        plain = front({"a": 1.0, "b": 1.0})
        np.testing.assert_allclose(front({"a": unit, "b": 1.0}) / [unit, 1.0], plain, atol=1e-6)
        np.testing.assert_allclose(front({"a": 1.0, "b": unit}) / [1.0, unit], plain, atol=1e-6)


def test_osqp_is_silent(capfd):
    pytest.importorskip("osqp")
    z = cp.Variable(3, name="z")
    rows = [cp.sum(z) >= 1, z <= 3, z >= -3]
    for aim in (cp.Minimize(cp.sum_squares(z - 1)), cp.Minimize(cp.sum_squares(z))):
        lx.preemptive({"a": aim}, rows).solve("OSQP")
    assert capfd.readouterr() == ("", "")
