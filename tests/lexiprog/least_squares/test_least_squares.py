"""Tasks in strict order: by hand, recognised in other words, and refused with reasons."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.least_squares.tasks import least_squares_of
from tests.lexiprog.least_squares.families import pseudo_inverse_cascade, random_hierarchy


def tasks_of(h, x):
    return {
        f"level {k}": (h.A[h.rows(k)] @ x, h.lower[h.rows(k)], h.upper[h.rows(k)])
        for k in range(h.levels)
    }


def test_a_reach_two_limits_and_a_posture_worked_out_by_hand():
    """x + y = 2 leaves a line; of it 0.8 is exceeded least at (1, 1)."""
    x = cp.Variable(2, name="x")
    tasks = {"reach": cp.sum(x) - 2, "limits": (x, -np.inf, 0.8), "posture": x}
    result = lx.hierarchical_least_squares(tasks).solve()
    assert [s.value for s in result.values()] == pytest.approx([0.0, 0.08, 2.0], abs=1e-12)
    assert result.final[x] == pytest.approx([1.0, 1.0])
    assert {s.status for s in result.values()} == {"optimal"}
    assert [int(s.rank["rank"]) for s in result.values()] == [1, 1, 0]


def test_constraints_hold_whatever_tasks_want():
    x = cp.Variable(2, nonneg=True, name="x")
    limit = cp.sum(x) <= 1
    result = lx.hierarchical_least_squares({"far": x - [3, 1], "near": x}, [limit]).solve()
    assert result["far"].value == pytest.approx(5.0, abs=1e-9)
    assert result.final[x] == pytest.approx([1.0, 0.0], abs=1e-12)
    # 2 (x - 3) + m = 0 at (1, 0).
    assert float(result["far"].dual(limit)) == pytest.approx(4.0)


def test_contradictory_constraints_are_named():
    x = cp.Variable(name="x")
    with pytest.raises(lx.StageError) as caught:
        lx.hierarchical_least_squares({"zero": x}, [x >= 2, x <= 1]).solve()
    assert caught.value.status == "infeasible"


def test_weights_count_within_a_level_and_not_between_levels():
    x = cp.Variable(name="x")
    for given in (
        {"tasks": {"both": [x, (x - 1, 0, 0, 3.0)]}},
        {"tasks": {"both": cp.hstack([x, x - 1])}, "weight": {"both": [1, 3]}},
    ):
        result = lx.hierarchical_least_squares(**given).solve()
        assert result.final[x] == pytest.approx(0.75)
        assert result["both"].value == pytest.approx(0.75)
    tasks = {"first": x - 1, "second": x}
    result = lx.hierarchical_least_squares(tasks, weight={"second": 1e9}).solve()
    assert result.final[x] == pytest.approx(1.0)


@pytest.mark.parametrize("infinity", [1e12, 1e20])
def test_infinity_that_is_written_as_a_number_is_taken_for_it_with_a_warning(infinity):
    x = cp.Variable(2, name="x")
    with pytest.warns(lx.LexiprogWarning, match="2 entries have ends of 1e\\+12 or more"):
        tasks = {"above": (x, [1, 2], infinity), "rest": x}
        program = lx.hierarchical_least_squares(tasks)
    assert program.solve().final[x] == pytest.approx([1.0, 2.0])
    top = cp.Parameter(value=infinity, name="top")
    program = lx.hierarchical_least_squares({"above": (x, [1, 2], top), "rest": x})
    with pytest.warns(lx.LexiprogWarning, match="taken for infinity"):
        result = program.solve()
    assert result.final[x] == pytest.approx([1.0, 2.0])


def test_damping_is_another_problem_and_not_called_optimal():
    """(x - 1)^2 + d^2 x^2 is least at 1 / (1 + d^2)."""
    x = cp.Variable(name="x")
    result = lx.hierarchical_least_squares({"reach": x - 1}, damping=0.5).solve()
    assert result.final[x] == pytest.approx(0.8)
    assert result["reach"].status == "optimal_inaccurate"


def test_a_direction_below_the_threshold_is_not_solved_for_which_is_told():
    x = cp.Variable(2, name="x")
    tasks = {"one": x[0] - 1, "almost the same": x[0] + 1e-4 * x[1] - 2}
    solved = lx.hierarchical_least_squares(tasks).solve()
    assert solved.final[x] == pytest.approx([1.0, 1e4])
    assert solved.final.rank["smallest used pivot"] == pytest.approx(1e-4, rel=1e-6)
    left = lx.hierarchical_least_squares(tasks, rank=1e-3).solve()
    assert left.final[x] == pytest.approx([1.0, 0.0])
    assert left.final.value == pytest.approx(1.0)
    assert left.final.rank["rank"] == 0
    assert left.final.rank["largest unused pivot"] == pytest.approx(1e-4, rel=1e-6)


def test_sums_of_squares_in_order_are_recognised_as_such():
    h = random_hierarchy(3, "singular")
    x = cp.Variable(h.columns, name="x")
    parts = [(h.A[h.rows(k)], h.upper[h.rows(k)]) for k in range(h.levels)]
    written = [
        cp.sum_squares(parts[0][0] @ x - parts[0][1]),
        3 * cp.sum_squares(parts[1][0] @ x - parts[1][1]) + 5,
        cp.sum(cp.square(parts[2][0] @ x - parts[2][1])),
        cp.sum_squares(parts[3][0] @ x - parts[3][1]) / 2,
        cp.sum_squares(parts[4][0] @ x - parts[4][1]),
    ]
    objectives = {f"level {k}": cp.Minimize(e) for k, e in enumerate(written)}
    result = lx.preemptive(objectives).solve()
    wanted = pseudo_inverse_cascade(*map(list, zip(*parts, strict=True)))
    assert result.final[x] == pytest.approx(wanted, abs=1e-9)
    assert {s.solver for s in result.values()} == {"ACTIVE_SET"}
    assert result["level 1"].value == pytest.approx(
        5 + 3 * np.sum((parts[1][0] @ wanted - parts[1][1]) ** 2)
    )


def test_a_solver_that_is_asked_for_is_asked():
    x = cp.Variable(2, name="x")
    tasks = {"reach": cp.sum(x) - 2, "rest": x}
    result = lx.hierarchical_least_squares(tasks).solve("CLARABEL")
    assert {s.solver for s in result.values()} == {"CLARABEL"}
    assert result.final[x] == pytest.approx([1.0, 1.0], abs=1e-6)


def test_ctrl_c_keeps_what_was_resumed(monkeypatch):
    x = cp.Variable(2, name="x")
    program = lx.hierarchical_least_squares({"reach": cp.sum(x) - 2, "rest": x})
    result = program.solve()
    half = lx.Result({"reach": ("reach",)}, {"reach": result["reach"]})

    def pressed(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("lexiprog.least_squares.chain.find", pressed)
    with pytest.raises(lx.Interrupted) as caught:
        program.solve(resume=half)
    assert list(caught.value.partial) == ["reach"]


def test_a_stage_of_another_kind_may_follow():
    """Of the line x + y = 2 the point with the least x."""
    x = cp.Variable(2, bounds=[0, 5], name="x")
    program = lx.hierarchical_least_squares({"reach": cp.sum(x) - 2})
    held = program["reach"].held()
    low = lx.Subproblem("low", cp.Minimize(x[0]), [held])
    result = program.extend(lx.Stage("low", low)).solve()
    assert result["reach"].solver == "ACTIVE_SET"
    assert result.final[x] == pytest.approx([0.0, 2.0], abs=1e-6)


def test_results_are_saved_resumed_and_shown(tmp_path):
    x = cp.Variable(2, name="x")
    program = lx.hierarchical_least_squares({"reach": cp.sum(x) - 2, "rest": x})
    result = program.solve()
    result.save(tmp_path / "found.json")
    loaded = lx.Result.load(tmp_path / "found.json", program)
    assert dict(loaded.final.rank) == dict(result.final.rank)
    assert program.solve(resume=loaded).final.value == result.final.value
    assert "ACTIVE_SET" in str(result)
    assert "on one active set for all levels" in program.describe(strategies=True)


@pytest.mark.parametrize(
    ("tasks", "options", "message"),
    [
        ({}, {}, "takes a mapping from names to tasks"),
        ({"a": cp.square(cp.Variable())}, {}, "task 'a': a task is about a real affine expression"),
        (
            {"a": (cp.Variable(2), 3, 1)},
            {},
            "entry 0 can be nowhere between the lower end 3 and the upper one, 1",
        ),
        ({"a": (cp.Variable(2), 0)}, {}, "a task is an affine expression, or"),
        ({"a": (cp.Variable(2), [0, 1, 2], 9)}, {}, "an end is a number, or one for each of 2"),
        ({"a": (cp.Variable(2), cp.Variable(2), 9)}, {}, "an end is made of numbers and param"),
        ({"a": 3.0}, {}, "a task is about a CVXPY expression, not 3"),
        ({"a": []}, {}, "task 'a' has no task"),
        ({"a": cp.Variable()}, {"weight": {"b": 1}}, "weight names 'b', which is no task"),
        ({"a": cp.Variable()}, {"weight": {"a": -1}}, "weights are positive numbers"),
        ({"a": cp.Variable()}, {"damping": -1}, "damping must be a finite number"),
        ({"a": cp.Variable()}, {"rank": 2}, "rank must be a share between 0 and 1"),
    ],
)
def test_what_is_no_task_is_refused_with_its_name(tasks, options, message):
    with pytest.raises(lx.DeclarationError, match=message.replace("(", "\\(")):
        lx.hierarchical_least_squares(tasks, **options)


def cascade(factors, targets):
    """The optimum of ||F x - t||^2 in order, by singular values alone."""
    x, open_ways = np.zeros(factors[0].shape[1]), np.eye(factors[0].shape[1])
    for F, t in zip(factors, targets, strict=True):
        inner = F @ open_ways
        if inner.size:
            x = x + open_ways @ np.linalg.pinv(inner, rcond=1e-9) @ (t - F @ x)
            _, sizes, ways = np.linalg.svd(inner)
            open_ways = open_ways @ ways[np.count_nonzero(sizes > 1e-9) :].T
    return x


@pytest.mark.parametrize("family", ["generic", "exhausted", "singular"])
def test_quadratic_levels_in_general_are_held_by_what_all_their_optima_share(family):
    """x'Qx + q'x + r with singular Q, and squares beside a linear term, level by level."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        factors = [rng.normal(size=(3, 8)) for _ in range(2 if family == "generic" else 4)]
        if family == "singular":
            factors[1][2] = factors[0][0] + factors[0][1]
        targets = [rng.normal(size=3) for _ in factors]
        x, levels = cp.Variable(8, name="x"), {}
        for k, (F, t) in enumerate(zip(factors, targets, strict=True)):
            flat = cp.quad_form(x, cp.psd_wrap(F.T @ F)) - 2 * (F.T @ t) @ x + t @ t
            beside = cp.sum_squares(F @ x) - 2 * cp.sum(cp.multiply(t, F @ x)) + float(t @ t)
            levels[f"level {k}"] = cp.Minimize(0.5 * flat if k % 2 else beside)
        result = lx.preemptive(levels).solve()
        wanted = cascade(factors, targets)
        assert {str(solution.status) for solution in result.values()} == {"optimal"}
        assert {solution.solver for solution in result.values()} == {"ACTIVE_SET"}
        for F in factors:
            assert F @ result.final[x] == pytest.approx(F @ wanted, abs=1e-6)


def test_a_linear_part_that_no_square_bounds_is_no_least_squares():
    x = cp.Variable(2, name="x")
    first = cp.Minimize(cp.square(x[0]) + 1e-3 * x[1])
    result = lx.preemptive({"a": first, "b": cp.Minimize(cp.sum_squares(x))}, [x >= -2]).solve()
    assert result["a"].solver != "ACTIVE_SET"
    assert result["a"].value == pytest.approx(-2e-3)
    assert result.final[x] == pytest.approx([0.0, -2.0], abs=1e-6)
    nothing = cp.quad_form(x, cp.psd_wrap(np.zeros((2, 2))))
    assert least_squares_of(cp.Minimize(cp.sum_squares(x) + nothing), general=True) is not None
    indefinite = cp.quad_form(x, cp.psd_wrap(np.diag([1.0, -1.0])))
    assert least_squares_of(cp.Minimize(indefinite), general=True) is None


def test_ends_that_parameters_cross_are_named_and_those_crossed_by_rounding_are_met():
    x, lower, upper = cp.Variable(2, name="x"), cp.Parameter(2), cp.Parameter(2)
    tasks = {"rest": x, "limits": (2 * x, lower, upper)}
    program = lx.hierarchical_least_squares(tasks, [x <= 9])
    step = program.compile([lower, upper])
    lower.value, upper.value = [0.0, 4.0], [0.0, 3.0]
    for solve in (program.solve, lambda: step([0.0, 4.0], [0.0, 3.0])):
        with pytest.raises(lx.DeclarationError, match=r"'limits': entry 1 .* 4 .* 3"):
            solve()
    for end in (np.inf, -np.inf):
        with pytest.raises(lx.DeclarationError, match=f"entry 0 can be nowhere .* {end} "):
            step([end, 0.0], [end, 1.0])
    rounded = np.array([0.3, 0.7])
    found = step(rounded + 2.0**-53, rounded)
    assert (found.status, found.variables["x"].tolist()) == ("optimal", [0.0, 0.0])  # of "rest"
    limits = lx.hierarchical_least_squares({"limits": (2 * x, lower, upper)})
    found = limits.compile([lower, upper])(rounded + 2.0**-53, rounded)
    assert found.variables["x"] == pytest.approx(rounded / 2, rel=1e-15)
