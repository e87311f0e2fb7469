"""Compiled programs: equal to `solve`, to linprog, and to themselves from nothing."""

import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog

import lexiprog as lx


def arm(seed=0, limits=True):
    """Two tasks with Jacobians as parameters, joint limits and a posture."""
    rng = np.random.default_rng(seed)
    x = cp.Variable(8, name="x")
    jacobian, speed = cp.Parameter((3, 8), name="J"), cp.Parameter(3, name="speed")
    other = rng.normal(size=(2, 8))
    tasks = {"hand": jacobian @ x - speed, "limits": (x, -0.3, 0.3), "head": other @ x - 1}
    program = lx.hierarchical_least_squares(tasks, [cp.sum(x) <= 5] if limits else ())
    return program, jacobian, speed, x


def steps(seed, count):
    rng = np.random.default_rng(seed)
    return [(rng.normal(size=(3, 8)), rng.normal(size=3)) for _ in range(count)]


def test_every_step_is_what_solve_finds_whatever_was_called_before():
    program, jacobian, speed, x = arm()
    compiled = program.compile([jacobian, speed])
    fresh = program.compile([jacobian, speed])
    for J, v in steps(1, 12):
        jacobian.value, speed.value = J, v
        wanted = program.solve()
        found = compiled(J, v)
        assert found.status == "optimal"
        assert found.verified
        assert all(certificate.passed for certificate in found.certificate.values())
        assert list(found.values) == ["hand", "limits", "head"]
        for name, value in found.values.items():
            assert value == pytest.approx(wanted[name].value, abs=1e-10)
        assert found.variables["x"] == pytest.approx(wanted.final[x], abs=1e-9)
    last = steps(1, 12)[-1]
    assert fresh(*last).variables["x"] == pytest.approx(found.variables["x"], abs=1e-12)


def test_it_pickles_and_several_threads_may_call_it():
    program, jacobian, speed, _ = arm()
    compiled = program.compile([jacobian, speed])
    given = steps(2, 24)
    one_by_one = [compiled(*step).variables["x"] for step in given]
    again = pickle.loads(pickle.dumps(compiled))
    with ThreadPoolExecutor(4) as pool:
        for function in (compiled, again):
            found = list(pool.map(lambda step, f=function: f(*step).variables["x"], given))
            assert np.allclose(found, one_by_one, atol=1e-10)


@pytest.mark.parametrize(("verify", "checked"), [("always", 32), ("sampled", 2), ("never", 0)])
def test_as_many_calls_are_checked_as_was_asked_and_records_say_which(verify, checked):
    program, jacobian, speed, _ = arm()
    compiled = program.compile([jacobian, speed], verify=verify)
    found = [compiled(*step) for step in steps(3, 32)]
    assert sum(record.verified for record in found) == checked
    assert all(c.passed for record in found for c in record.certificate.values())


def test_parameters_that_are_not_named_keep_their_values_and_objects_stay_untouched():
    program, jacobian, speed, x = arm()
    J, v = steps(4, 1)[0]
    jacobian.value = J
    compiled = program.compile(speed, outputs=["x"])
    jacobian.value = 0 * J
    found = compiled(v)
    assert speed.value is None
    assert x.value is None
    jacobian.value, speed.value = J, v
    assert found.variables["x"] == pytest.approx(program.solve().final[x], abs=1e-9)


def test_contradictions_are_a_status_without_numbers():
    x, least = cp.Variable(2, name="x"), cp.Parameter(name="least")
    program = lx.hierarchical_least_squares({"rest": x}, [cp.sum(x) >= least, x <= 1])
    compiled = program.compile([least])
    assert compiled(1.0).variables["x"] == pytest.approx([0.5, 0.5])
    nothing = compiled(3.0)
    assert nothing.status == "infeasible"
    assert np.isnan(nothing.values["rest"])
    assert np.isnan(nothing.variables["x"]).all()
    assert compiled(2.0).variables["x"] == pytest.approx([1.0, 1.0])


def linear(seed, rows, columns, levels):
    rng = np.random.default_rng(seed)
    x = cp.Variable(columns, bounds=[0, 9], name="x")
    A, demand = rng.integers(0, 5, (rows, columns)), cp.Parameter(rows, name="demand")
    costs = rng.integers(0, 4, (levels, columns))
    objectives = {f"cost {k}": cp.Minimize(cost @ x + k) for k, cost in enumerate(costs)}
    return lx.preemptive(objectives, [A @ x >= demand]), demand, A, costs


@pytest.mark.parametrize("levels", [1, 3])
@pytest.mark.parametrize("seed", range(4))
def test_linear_levels_agree_with_linprog_level_by_level(seed, levels):
    program, demand, A, costs = linear(seed, 6, 8, levels)
    compiled, rng = program.compile([demand]), np.random.default_rng(seed)
    for _ in range(6):
        b = rng.random(6) * 4
        found = compiled(b)
        rows, limits = [*-A], [*-b]
        for k, cost in enumerate(costs):
            best = linprog(cost, np.array(rows), np.array(limits), bounds=(0, 9))
            assert found.values[f"cost {k}"] == pytest.approx(best.fun + k, abs=1e-7)
            rows.append(cost)
            limits.append(best.fun + 1e-9)
        point = found.variables["x"]
        assert np.all(A @ point >= b - 1e-9)
        assert compiled.method.startswith("HiGHS")
        fresh = program.compile([demand])(b)
        assert fresh.variables["x"] == pytest.approx(point, abs=1e-9)


def test_linear_programs_without_an_optimum_say_why():
    x, a = cp.Variable(name="x"), cp.Parameter(name="a")
    compiled = lx.preemptive({"low": cp.Minimize(a * x)}, [x <= 1]).compile([a])
    assert compiled(-1.0).values["low"] == -1.0
    assert compiled(1.0).status in ("unbounded", "infeasible_or_unbounded")
    assert compiled(-2.0).values["low"] == -2.0


@pytest.mark.parametrize("strict", [True, False])
def test_quadratic_programs_are_what_solve_finds(strict):
    rng = np.random.default_rng(5)
    n = 6
    root = rng.normal(size=(n if strict else 3, n))
    curvature = root.T @ root
    x, b = cp.Variable(n, bounds=[-2, 2], name="x"), cp.Parameter(4, name="b")
    A, cost = rng.normal(size=(4, n)), curvature @ rng.normal(size=n)
    objective = cp.Minimize(cp.quad_form(x, cp.psd_wrap(curvature)) + cost @ x + 1)
    rows = [A @ x >= b, cp.sum(x) == 0.5]
    program = lx.Program(lx.Stage("only", lx.Subproblem("risk", objective, rows)))
    compiled = program.compile([b])
    assert "active set" in compiled.method
    for _ in range(8):
        b.value = rng.normal(size=4) - 2
        found = compiled(b.value)
        assert found.values["risk"] == pytest.approx(program.solve()["risk"].value, abs=1e-6)
        assert found.certificate["risk"].passed
        point = found.variables["x"]
        assert np.all(A @ point >= b.value - 1e-8)
    assert compiled(np.full(4, 1e3)).status == "infeasible"


LIMITS = {
    "none": {},
    "both": {"bounds": [-0.2, 1.2]},
    "one": {"bounds": [-0.1, None]},
    "nonneg": {"nonneg": True},
    "nonpos": {"nonpos": True},
}


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("rows", [10, 25, 50])
def test_quadratic_programs_are_what_solve_finds_whatever_limits_there_are(rows, limits):
    rng = np.random.default_rng([rows, list(LIMITS).index(limits)])
    n = (4 * rows) // 5
    root, A = rng.normal(size=(2 * n, n)), rng.normal(size=(rows, n))
    x, b, pull = cp.Variable(n, **LIMITS[limits], name="x"), cp.Parameter(rows), cp.Parameter(n)
    risk = cp.sum_squares(root @ x) / n + pull @ x
    inside = rng.random(n) * (-1 if limits == "nonpos" else 1)
    program = lx.preemptive({"risk": cp.Minimize(risk)}, [A @ x >= b, x[0] == inside[0]])
    compiled = program.compile([b, pull])
    for slack in (0.05, 1.0, 0.05):
        b.value, pull.value = A @ inside - slack * rng.random(rows), 3 * rng.normal(size=n)
        found, wanted = compiled(b.value, pull.value), program.solve()
        assert found.status == "optimal"
        assert found.values["risk"] == pytest.approx(wanted["risk"].value, rel=1e-7)
        assert found.variables["x"] == pytest.approx(wanted.final[x], abs=1e-4)


@pytest.mark.parametrize("daqp", [True, False])
def test_rows_that_limit_one_column_are_heeded_as_parameters_move_them(daqp, monkeypatch):
    if not daqp:
        monkeypatch.setitem(sys.modules, "daqp", None)
    x, low, up = cp.Variable(2, name="x"), cp.Parameter(name="low"), cp.Parameter(name="up")
    rows = [3 * x[0] >= low, -2 * x[0] >= -up, x[1] == 0, cp.sum(x) <= 9]
    program = lx.preemptive({"near": cp.Minimize(cp.sum_squares(x - 1))}, rows)
    compiled = program.compile([low, up])
    for least, most, wanted in ((6, 6, 2), (-3, 1, 0.5), (0, 9, 1), (9, 6, 3), (0, 0, 0)):
        assert compiled(least, most).variables["x"] == pytest.approx([wanted, 0], abs=1e-9)
    assert compiled(6, 3).status == "infeasible"
    assert compiled(30, 90).status == "infeasible"
    assert compiled(0.3, 0.2).variables["x"] == pytest.approx([0.1, 0], abs=1e-9)


def test_other_programs_are_solved_as_ever():
    x, p = cp.Variable(2, name="x"), cp.Parameter(2, name="p")
    near = lx.Subproblem("near", cp.Minimize(cp.norm(x - p)), [cp.sum(x) == 0])
    compiled = lx.Program(lx.Stage("only", near)).compile([p])
    assert compiled.method == "Program.solve"
    found = compiled([1.0, 1.0])
    assert found.values["near"] == pytest.approx(np.sqrt(2), abs=1e-6)
    assert found.variables["x"] == pytest.approx([0.0, 0.0], abs=1e-5)
    assert p.value is None


def test_programs_that_are_solved_in_threads_can_be_called_in_several():
    z, p = cp.Variable(3, integer=True, name="z"), cp.Parameter(3, name="p")
    compiled = lx.preemptive({"least": cp.Minimize(cp.sum(z))}, [z >= p]).compile([p])
    values = [np.array([k, 0.5, -k / 3]) for k in range(6)]
    with ThreadPoolExecutor(3) as pool:
        pending = [pool.submit(compiled, value) for value in values]
        optima = [one.result(timeout=120).values["least"] for one in pending]
    assert optima == pytest.approx([np.ceil(value).sum() for value in values])
    assert p.value is None


@pytest.mark.parametrize("value", [-np.inf, 1e300])
def test_what_has_no_finite_optimum_is_no_answer(value):
    x, goal = cp.Variable(2, name="x"), cp.Parameter(2, name="goal")
    squares = lx.hierarchical_least_squares({"near": x - goal, "rest": x - 1}, [x <= 0])
    curved = lx.preemptive({"near": cp.Minimize(cp.sum_squares(x) - 2 * goal @ x)}, [x <= 0])
    for program in (squares, curved):
        for verify in ("always", "never"):
            found = program.compile([goal], verify=verify)([value, 1.0])
            if found.status == "optimal":
                assert np.isfinite([*found.values.values(), *found.variables["x"]]).all()
            else:
                assert np.isnan(found.variables["x"]).all()
                assert found.certificate == {}


def test_values_that_a_parameter_does_not_take_are_named():
    x, cost = cp.Variable(2, nonneg=True, name="x"), cp.Parameter(2, nonneg=True, name="cost")
    compiled = lx.preemptive({"a": cp.Minimize(cost @ x)}, [cp.sum(x) >= 1]).compile([cost])
    for value in ([1, -1], ["a", 1], [10**400, 1], [1j, 1], None, [1], [np.nan, 1]):
        with pytest.raises(ValueError, match=r"'cost'|not a number"):
            compiled(value)


def test_what_cannot_be_meant_is_refused():
    program, jacobian, speed, _ = arm()
    J, v = steps(6, 1)[0]
    with pytest.raises(lx.DeclarationError, match="'J' has no value, and is not among those"):
        program.compile([speed])
    with pytest.raises(lx.DeclarationError, match="Give the cp\\.Parameter itself"):
        program.compile(["J"])
    with pytest.raises(lx.DeclarationError, match="no parameter of this program"):
        program.compile([jacobian, cp.Parameter(name="K")])
    with pytest.raises(lx.DeclarationError, match="named twice"):
        program.compile([jacobian, speed, speed])
    with pytest.raises(lx.DeclarationError, match="verify is one of"):
        program.compile([jacobian, speed], verify="often")
    with pytest.raises(lx.DeclarationError, match="no variable y"):
        program.compile([jacobian, speed], outputs=["y"])
    compiled = program.compile([jacobian, speed])
    with pytest.raises(TypeError, match="2 values are wanted, for 'J', 'speed', not 1"):
        compiled(J)
    with pytest.raises(ValueError, match="parameter 'J' has shape \\(3, 8\\)"):
        compiled(J.T, v)
    with pytest.raises(ValueError, match="is not a number"):
        compiled(J, np.nan * v)


@pytest.mark.parametrize("spread", [0.0, 3.0])
def test_sums_of_squares_are_compiled_without_the_columns_that_stand_for_them(spread):
    """Squares of what parameters shift, in units of 1e-3..1e3, beside CVXPY's own answer."""
    rng = np.random.default_rng(3)
    units = 10.0 ** rng.uniform(-spread, spread, 8)
    A, root = rng.random((12, 8)) * units, rng.normal(size=(9, 8)) * units
    x = cp.Variable(8, name="x", nonneg=True)
    least, goal = cp.Parameter(12, name="least"), cp.Parameter(9, name="goal")
    cost = cp.sum_squares(root @ x - goal) + cp.sum(cp.multiply(units, x))
    problem = cp.Problem(cp.Minimize(cost), [A @ x >= least, cp.multiply(units, x) <= 3])
    step = lx.Program(lx.Stage("only", lx.Subproblem("p", problem))).compile([least, goal])
    assert "active set" in step.method
    for _ in range(10):
        least.value, goal.value = rng.random(12) * 3, rng.normal(size=9)
        found = step(least.value, goal.value)
        assert found.status == "optimal"
        assert found.certificate["p"].passed
        problem.solve(solver="CLARABEL", tol_gap_rel=1e-12, tol_gap_abs=1e-12)
        assert found.values["p"] == pytest.approx(problem.value, rel=1e-7)
        assert units * found.variables["x"] == pytest.approx(units * x.value, abs=1e-4)
    assert step(np.full(12, 1e3), goal.value).status == "infeasible"


def test_levels_after_a_single_point_are_proved_by_multipliers_alone():
    """The first level is a vertex; others have its values, and certificates that are their own."""
    rng = np.random.default_rng(1)
    A, costs = rng.random((6, 5)), rng.random((3, 5)) * np.array([[1.0], [-1.0], [1.0]])
    x, least = cp.Variable(5, name="x", bounds=[0, 10]), cp.Parameter(6, name="least")
    objectives = {f"level {k}": cp.Minimize(cost @ x) for k, cost in enumerate(costs)}
    step = lx.preemptive(objectives, [A @ x >= least]).compile([least])
    for _ in range(20):
        wanted = rng.random(6) + 0.5
        found = step(wanted)
        known = linprog(costs[0], -A, -wanted, bounds=(0, 10))
        assert found.status == "optimal"
        assert found.variables["x"] == pytest.approx(known.x, abs=1e-9)
        assert list(found.values.values()) == pytest.approx(list(costs @ known.x))
        assert all(certificate.passed for certificate in found.certificate.values())


def test_a_quadratic_program_whose_optimum_is_zero_is_answered():
    rng = np.random.default_rng(715)
    x, demand = cp.Variable(6, name="x", bounds=[0, 10]), cp.Parameter(4, name="demand")
    A = rng.integers(0, 4, (4, 6)).astype(float)
    for _ in range(20):
        objective = cp.sum_squares(rng.normal(size=(6, 6)) @ x) + np.array([1, 3, 1, 1, 2, 1.0]) @ x
        step = lx.preemptive({"cost": cp.Minimize(objective)}, [A @ x >= demand]).compile(demand)
        found = step(np.zeros(4))
        assert (found.status, found.values["cost"]) == ("optimal", pytest.approx(0.0, abs=1e-14))
