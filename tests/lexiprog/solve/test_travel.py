"""What is not known of earlier optima is inherited by whoever refers to them."""

import warnings
from contextlib import nullcontext
from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.status import Status


def stages(*subproblems):
    return lx.Program(*(lx.Stage(f"stage {p.name}", p) for p in subproblems))


def rough(gap):
    """A custom solver that stops so far above the optimum."""

    class Rough:
        name = "rough"

        def solve(self, problem, **options):
            problem.solve(solver="HIGHS")
            for variable in problem.variables():
                variable.value = variable.value + gap

    return lx.Solver(Rough(), accept=1e-3)


@pytest.mark.parametrize("solver", [None, "CLARABEL"])
def test_a_multiplier_that_is_not_unique_flags_who_refers_to_it(solver):
    x, y = cp.Variable(2, name="x", nonneg=True), cp.Variable(name="y")
    any_of = cp.sum(x) >= 2  # its multiplier may be anything between 0 and 1
    a = lx.Subproblem("a", cp.Minimize(x[0] + 2 * x[1]), [any_of, x >= 1])
    b = lx.Subproblem("b", cp.Minimize(y), [y >= a.dual(any_of)])
    with pytest.warns(lx.LexiprogWarning, match=r"a\.dual\(0\).*not unique"):
        found = stages(a, b).solve(solver)["b"]
    assert found.status == "optimal_inaccurate"
    assert found.effects["a.dual(0)"] == pytest.approx(1.0, abs=1e-6)


def test_a_unique_multiplier_is_no_reason_for_doubt():
    x, y = cp.Variable(2, name="x", nonneg=True), cp.Variable(name="y")
    total = cp.sum(x) >= 3
    a = lx.Subproblem("a", cp.Minimize(x[0] + 2 * x[1]), [total, x[1] >= 1])
    b = lx.Subproblem("b", cp.Minimize(y), [y >= a.dual(total)])
    found = stages(a, b).solve()["b"]
    assert (found.status, found.value) == ("optimal", pytest.approx(1.0))


@pytest.mark.filterwarnings("ignore:.*which is not unique")
def test_a_multiplier_that_nobody_can_feel_flags_nobody():
    x, y = cp.Variable(2, name="x", nonneg=True), cp.Variable(name="y")
    any_of = cp.sum(x) >= 2
    a = lx.Subproblem("a", cp.Minimize(x[0] + 2 * x[1]), [any_of, x >= 1])
    b = lx.Subproblem("b", cp.Minimize(y), [y >= a.dual(any_of), y >= 5])
    assert stages(a, b).solve()["b"].status == "optimal"


@pytest.mark.parametrize("where", ["objective", "constraint"])
@pytest.mark.parametrize("maximise", [False, True])
def test_an_optimum_known_to_a_millionth_flags_who_multiplies_it(where, maximise):
    x, y = cp.Variable(name="x"), cp.Variable(name="y", bounds=[-100, 100])
    a = lx.Subproblem("a", cp.Minimize(x), [x >= 1])
    sense, sign = (cp.Maximize, -1.0) if maximise else (cp.Minimize, 1.0)
    if where == "objective":
        b = lx.Subproblem("b", sense(sign * (1000 * a.optimum + y)), [sign * y >= 0])
    else:
        b = lx.Subproblem("b", sense(y), [sign * y >= 0.01 * a.optimum + sign * 0.5])
    program = stages(a, b)
    with (
        pytest.warns(lx.LexiprogWarning, match=r"a\.optimum")
        if where == "objective"
        else nullcontext()
    ):
        found = program.solve({"a": rough(1e-5)})["b"]
    expected = 1000 if where == "objective" else 0.01
    assert found.effects["a.optimum"] == pytest.approx(1e-5 * expected, rel=1e-3)
    assert (found.status == "optimal_inaccurate") == (where == "objective")
    assert found.uncertainty >= 1e-5 * expected * 0.99


def test_errors_travel_over_more_than_one_stage():
    x, y, z = (cp.Variable(name=name) for name in "xyz")
    a = lx.Subproblem("a", cp.Minimize(x), [x >= 1])
    b = lx.Subproblem("b", cp.Minimize(y), [y >= 0.01 * a.optimum])
    c = lx.Subproblem("c", cp.Minimize(z), [z >= 1000 * b.optimum])
    with pytest.warns(lx.LexiprogWarning, match=r"'c'.*b\.optimum.*by 9\.1e-06 of its size"):
        result = stages(a, b, c).solve({"a": rough(1e-5)})
    assert [s.status for s in result.values()][1:] == ["optimal", "optimal_inaccurate"]
    assert result["c"].effects["b.optimum"] == pytest.approx(1e-4, rel=1e-2)


def test_a_point_that_is_off_flags_who_magnifies_it(monkeypatch):
    monkeypatch.setattr("lexiprog.solve.direct.sharpened", lambda *_: None)
    x, t = cp.Variable(2, name="x"), cp.Variable(name="t")
    a = lx.Subproblem("a", cp.Minimize(cp.sum_squares(x - np.array([3.0, 1.0]))), [cp.sum(x) == 2])
    b = lx.Subproblem("b", cp.Minimize(t), [t >= 1e6 * (a.at(x[0]) - 2), t >= -5])
    loose = lx.Solver("SCS", eps_abs=1e-5, eps_rel=1e-5, accept=1e-3)
    with pytest.warns(lx.LexiprogWarning, match=r"a\.at\(x\[0\]\)"):
        found = stages(a, b).solve({"a": loose})["b"]
    assert found.status == "optimal_inaccurate"
    monkeypatch.undo()  # to its last digits the point is off by nothing that counts
    found = stages(a, b).solve()["b"]
    assert (found.status, found.value) == ("optimal", pytest.approx(0.0, abs=1e-8))


def test_effects_are_saved(tmp_path):
    x, y = cp.Variable(name="x"), cp.Variable(name="y")
    a = lx.Subproblem("a", cp.Minimize(x), [x >= 1])
    program = stages(a, lx.Subproblem("b", cp.Minimize(y), [y >= 0.01 * a.optimum]))
    result = program.solve({"a": rough(1e-5)})
    result.save(tmp_path / "result.json")
    assert dict(lx.Result.load(tmp_path / "result.json")["b"].effects) == dict(result["b"].effects)


@pytest.mark.parametrize("count", [1, 3, 60])
def test_errors_of_entries_add_up_and_of_many_as_their_root(count):
    """The value is the sum of the numbers read, each known to 1e-4 only."""
    x, y = cp.Variable(count, name="x"), cp.Variable(name="y")
    a = lx.Subproblem("a", cp.Minimize(cp.sum(x)), [x >= 1])
    b = lx.Subproblem("b", cp.Minimize(y), [y >= cp.sum(a.at(x))])
    with pytest.warns(lx.LexiprogWarning):
        found = stages(a, b).solve({"a": rough(1e-4)})["b"]
    (effect,) = found.effects.values()
    assert 0.5e-4 * np.sqrt(count) <= effect <= 2e-4 * count


def test_the_extent_of_a_multiplier_is_that_of_its_own_row():
    """Two rows share the cost of x in any way; those of w and z before and behind do not."""
    w, x, z = (cp.Variable(name=name) for name in "wxz")
    y = cp.Variable(name="y")
    rows = [w >= 3, x >= 1, 2 * x >= 2, z >= 4]
    a = lx.Subproblem("a", cp.Minimize(w + x + z), rows)
    for k, doubtful in enumerate([False, True, True, False]):
        b = lx.Subproblem("b", cp.Minimize(y), [y >= a.dual(rows[k])])
        with pytest.warns(lx.LexiprogWarning) if doubtful else nullcontext():
            found = stages(a, b).solve()["b"]
        assert (found.status == "optimal_inaccurate") is doubtful


@pytest.mark.parametrize("solver", ["ECOS", "SCS", "OSQP", "CLARABEL", "SCIPY", None])
@pytest.mark.parametrize("apart", [1e-8, 1e-9, 1e-10, 1e-11])
def test_a_linear_level_that_jumps_beside_a_held_optimum_is_not_called_optimal(solver, apart):
    """Of x + y <= 1 the first level leaves (1, 0) alone; 1e-10 less of it would leave y free."""
    x, y = (cp.Variable(nonneg=True, name=name) for name in "xy")
    levels = {"first": cp.Maximize(x + (1 - apart) * y), "second": cp.Maximize(y)}
    program = lx.preemptive(levels, [x + y <= 1, y <= 1e7 * apart, x <= 1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = program.solve(solver)["second"]
    assert found.status == "optimal_inaccurate" or found.value == pytest.approx(0.0, abs=1e-6)


def test_a_solver_that_lets_a_held_optimum_slip_is_put_right():
    """SCS gives up 1e-9 of the first level, for which the second would get a tenth."""
    x, y = (cp.Variable(nonneg=True, name=name) for name in "xy")
    levels = {"first": cp.Maximize(x + (1 - 1e-8) * y), "second": cp.Maximize(y)}
    found = lx.preemptive(levels, [x + y <= 1, y <= 0.1, x <= 1]).solve("SCS")["second"]
    assert found.value == pytest.approx(0.0, abs=1e-9)
    assert (found.status, found.solver, found.locks[0].kind) == ("optimal", "SCS", "face")


def test_a_solver_that_lets_a_held_optimum_slip_is_put_right_without_a_face():
    """The second level does not have the first one's rows, so that no face says what is held."""
    x, y = (cp.Variable(nonneg=True, name=name) for name in "xy")
    first = lx.Subproblem("first", cp.Maximize(x + (1 - 1e-8) * y), [x + y <= 1, y <= 0.1])
    second = lx.Subproblem("second", cp.Maximize(y), [x + y <= 1, first.held()])
    found = stages(first, second).solve("SCS")["second"]
    assert found.value == pytest.approx(0.0, abs=1e-6)
    assert (found.status, found.solver, found.locks[0].kind) == ("optimal", "SCS", "value")


@pytest.mark.parametrize("doubtful", [False, True])
def test_who_refers_to_a_doubtful_optimum_is_doubtful(doubtful):
    x, y = cp.Variable(name="x"), cp.Variable(name="y")
    a = lx.Subproblem("a", cp.Minimize(x), [x >= 1])
    program = stages(a, lx.Subproblem("b", cp.Minimize(y), [y >= 2 * a.optimum]))
    whole = program.solve()
    status = Status.INACCURATE if doubtful else Status.OPTIMAL
    known = lx.Result(whole.stages, {"a": replace(whole["a"], status=status)})
    assert program.solve(resume=known)["b"].status is status
