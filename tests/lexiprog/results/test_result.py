"""Results are frozen copies that survive later solves and pickling, reached by name."""

import pickle
from collections.abc import Mapping

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from tests.lexiprog.mischief import FAILURES, Mischief


class Plant:
    """Two problems, then one that uses both: 2, 3 and then 5 + t."""

    def __init__(self):
        self.t = cp.Parameter(name="t", value=1.0)
        self.x = cp.Variable(2, name="x")
        self.y = cp.Variable((2, 2), name="y")
        self.unnamed = cp.Variable()
        self.floor = self.x >= [0.5, 1.5]
        left = lx.Subproblem("left", cp.Minimize(cp.sum(self.x)), [self.floor])
        right = lx.Subproblem(
            "right", cp.Maximize(-cp.norm(self.y - 1, "fro")), [cp.sum(self.y) >= 10]
        )
        self.joint = self.unnamed + self.x[0] >= left.optimum + right.at(self.y)[0, 0] + self.t
        last = lx.Subproblem(
            "last", cp.Minimize(self.unnamed + 2 * self.x[0]), [self.joint, self.x >= 0.25]
        )
        self.program = lx.Program(lx.Stage("one", left, right), lx.Stage("two", last))


@pytest.fixture
def plant():
    return Plant()


def test_a_result_is_a_mapping_of_subproblems_in_stage_order(plant):
    result = plant.program.solve()
    assert isinstance(result, Mapping)
    assert list(result) == ["left", "right", "last"]
    assert len(result) == 3
    assert "left" in result
    assert "one" not in result
    assert dict(result.stages) == {"one": ("left", "right"), "two": ("last",)}
    # 2; -norm of 1.5 four times; u + x0 = 2 + 2.5 + 1 with x0 = 1/4: 5.75.
    assert [s.value for s in result.values()] == pytest.approx([2, -3, 5.75], rel=1e-6)


def test_the_final_solution_is_the_only_one_of_the_last_stage_or_an_error(plant):
    result = plant.program.solve()
    assert result.final is result["last"]
    first_stage = lx.Program(plant.program.stages[0]).solve()
    with pytest.raises(LookupError, match=r"'left'.*'right'"):
        _ = first_stage.final


def test_unknown_names_raise_and_list_the_known_ones(plant):
    result = plant.program.solve()
    with pytest.raises(KeyError, match=r"'rigth'.*'left'.*'right'.*'last'"):
        result["rigth"]
    with pytest.raises(KeyError, match=r"'z'.*'x'"):
        result["left"]["z"]
    with pytest.raises(KeyError, match=r"'y'.*'x'"):
        result["left"][plant.y]
    with pytest.raises(KeyError, match="left"):
        result["left"].dual(plant.joint)
    with pytest.raises(KeyError, match="left"):
        result["left"].dual(1)
    with pytest.raises(KeyError, match="left"):
        result["left"].at(plant.x[0] + plant.unnamed)
    with pytest.raises(KeyError, match="left"):
        result["last"].price("left")


def test_a_solution_is_reached_by_object_by_name_by_expression_and_by_constraint(plant):
    left = plant.program.solve()["left"]
    np.testing.assert_allclose(left[plant.x], [0.5, 1.5], atol=1e-7)
    np.testing.assert_array_equal(left["x"], left[plant.x])
    assert left.at(plant.x[1] - plant.x[0]) == pytest.approx(1)
    np.testing.assert_allclose(left.dual(plant.floor), [1, 1], atol=1e-7)
    np.testing.assert_array_equal(left.dual(0), left.dual(plant.floor))


def test_a_solution_says_how_it_was_found(plant):
    result = plant.program.solve({"left": lx.Solver("CLARABEL", max_iter=150)})
    left = result["left"]
    assert (left.solver, left.status) == ("CLARABEL", "optimal")
    assert left.options["max_iter"] == 150
    assert set(left.timings) >= {"compile", "solve"}
    assert left.seconds >= max(left.timings.values()) >= 0
    assert left.iterations > 0
    assert left.certificate.passed
    for measure in ("rows", "columns", "cones", "slackness", "gap"):
        assert 0 <= getattr(left.certificate, measure) <= 1e-6


def test_expressions_are_read_with_the_parameters_of_the_solve_not_of_today(plant):
    result = plant.program.solve()
    plant.t.value = 100.0
    assert result["last"].at(plant.unnamed + plant.t) == pytest.approx(5.25 + 1)


@pytest.mark.parametrize(
    "reach",
    [
        lambda s, p: s[p.x],
        lambda s, p: s["x"],
        lambda s, p: s.dual(p.floor),
        lambda s, p: s.dual(0),
    ],
)
def test_writing_into_an_array_of_a_solution_raises(plant, reach):
    array = reach(plant.program.solve()["left"], plant)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 7.0


def test_setting_an_attribute_of_a_solution_raises(plant):
    result = plant.program.solve()
    with pytest.raises(AttributeError):
        result["left"].value = 0.0
    with pytest.raises(AttributeError):
        result["left"].certificate.gap = 0.0
    with pytest.raises(TypeError):
        result["left"] = result["right"]


def test_an_earlier_result_survives_a_later_solve(plant):
    first = plant.program.solve()
    kept = {
        name: (s.value, {k: np.array(v) for k, v in s.variables.items()})
        for name, s in first.items()
    }
    plant.t.value = 50.0
    second = plant.program.solve()
    assert second.final.value == pytest.approx(54.75)
    for name, (value, variables) in kept.items():
        assert first[name].value == value
        for key, array in variables.items():
            np.testing.assert_array_equal(first[name].variables[key], array)


def test_after_success_each_variable_holds_the_value_of_the_last_stage_that_contains_it(plant):
    result = plant.program.solve()
    np.testing.assert_array_equal(plant.x.value, result["last"][plant.x])
    np.testing.assert_array_equal(plant.y.value, result["right"][plant.y])
    assert plant.x.value[0] == pytest.approx(0.25)
    plant.x.value[0] = 9.0  # the caller's copy, not ours
    assert result["last"][plant.x][0] == pytest.approx(0.25)


def test_after_failure_no_variable_holds_a_value(plant):
    plant.program.solve()
    with pytest.raises(lx.StageError):
        plant.program.solve({"last": Mischief(FAILURES["solver error"], at=1)})
    assert [v.value for v in (plant.x, plant.y, plant.unnamed)] == [None] * 3


def test_a_result_survives_pickling(plant):
    result = plant.program.solve()
    copy = pickle.loads(pickle.dumps(result))
    assert list(copy) == list(result)
    assert copy.stages == result.stages
    for name in result:
        assert copy[name].value == result[name].value
        assert copy[name].certificate == result[name].certificate
        for key, array in result[name].variables.items():
            np.testing.assert_array_equal(copy[name][key], array)
            assert not copy[name][key].flags.writeable
    np.testing.assert_array_equal(copy["left"].dual(0), result["left"].dual(plant.floor))


def test_the_text_of_a_result_shows_every_stage_problem_solver_and_value(plant):
    text = str(plant.program.solve())
    for word in ("one", "two", "left", "right", "last", "HIGHS", "CLARABEL", "optimal", "5.75"):
        assert word in text
    with pytest.raises(lx.StageError) as caught:
        plant.program.solve({"last": Mischief(FAILURES["solver error"], at=1)})
    assert "last" in str(caught.value.partial)


def test_the_frame_has_a_row_for_each_subproblem(plant):
    frame = plant.program.solve().to_frame()
    assert list(frame.index) == ["left", "right", "last"]
    assert list(frame["stage"]) == ["one", "one", "two"]
    assert frame["value"].tolist() == pytest.approx([2, -3, 5.75], rel=1e-6)
    assert list(frame["solver"]) == ["HIGHS", "CLARABEL", "HIGHS"]
    assert {"status", "seconds", "iterations"} <= set(frame.columns)


def test_two_workers_give_the_same_numbers_as_one_bit_for_bit():
    rng = np.random.default_rng(0)
    x = cp.Variable(20, bounds=[0, 1], name="x")
    problems = [
        lx.Subproblem(f"p{i}", cp.Maximize(rng.random(20) @ x), [rng.random((15, 20)) @ x <= 3])
        for i in range(4)
    ]
    gaps = cp.hstack([p.optimum - p.objective.expr for p in problems])
    fair = lx.Subproblem("fair", cp.Minimize(cp.max(gaps)))
    program = lx.Program(lx.Stage("ideal", *problems), lx.Stage("fair", fair))
    for solver in ("HIGHS", "CLARABEL"):
        one, two = program.solve(solver, workers=1), program.solve(solver, workers=2)
        for name in one:
            assert one[name].value == two[name].value
            np.testing.assert_array_equal(one[name][x], two[name][x])
            for mine, other in zip(one[name].duals, two[name].duals, strict=True):
                np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("workers", [0, -1, 1.5])
def test_a_number_of_workers_that_is_none_is_refused(plant, workers):
    with pytest.raises((ValueError, TypeError), match="workers"):
        plant.program.solve(workers=workers)
