"""Saving as JSON, exactly and without pickle; going on from what was saved or partly solved."""

import json

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from tests.lexiprog.mischief import FAILURES, Mischief
from tests.lexiprog.results.test_result import Plant


@pytest.fixture
def plant():
    return Plant()


@pytest.fixture
def saved(plant, tmp_path):
    result = plant.program.solve()
    result.save(tmp_path / "result.json")
    return result, tmp_path / "result.json"


def assert_equal(one, other):
    assert list(one) == list(other)
    assert dict(one.stages) == dict(other.stages)
    for name in one:
        mine, its = one[name], other[name]
        for field in ("value", "status", "solver", "seconds", "iterations", "certificate"):
            assert getattr(mine, field) == getattr(its, field)
        assert dict(mine.timings) == dict(its.timings)
        assert dict(mine.options) == dict(its.options)
        assert list(mine.variables) == list(its.variables)
        for key in mine.variables:
            np.testing.assert_array_equal(mine[key], its[key])
            assert mine[key].shape == its[key].shape
            assert mine[key].dtype == its[key].dtype
        for left, right in zip(mine.duals, its.duals, strict=True):
            np.testing.assert_array_equal(left, right)


def test_a_saved_result_loads_as_exactly_the_same_numbers(saved):
    result, path = saved
    assert_equal(lx.Result.load(path), result)


def test_the_file_is_plain_json(saved):
    _, path = saved
    text = path.read_text(encoding="utf-8")
    assert isinstance(json.loads(text), dict)
    assert "pickle" not in text
    assert "NaN" not in text


def test_numbers_that_are_hard_to_print_round_trip_exactly(tmp_path):
    x = cp.Variable(4, name="x")
    target = np.array([0.1 + 0.2, 1 / 3, -1e-17, 123456789.123456789])
    problem = lx.Subproblem("odd", cp.Minimize(cp.sum(x)), [x == target])
    result = lx.Program(lx.Stage("only", problem)).solve()
    result.save(tmp_path / "odd.json")
    loaded = lx.Result.load(tmp_path / "odd.json")
    assert loaded["odd"]["x"].tobytes() == result["odd"]["x"].tobytes()
    assert loaded["odd"].value == result["odd"].value


def test_a_loaded_result_answers_to_names_and_with_its_program_to_objects(saved, plant):
    result, path = saved
    assert lx.Result.load(path)["right"]["y"].shape == (2, 2)
    loaded = lx.Result.load(path, program=plant.program)
    np.testing.assert_array_equal(loaded["last"][plant.unnamed], result["last"][plant.unnamed])
    np.testing.assert_array_equal(loaded["left"].dual(plant.floor), [1, 1])
    assert loaded["left"].at(2 * plant.x[0]) == pytest.approx(1)


def test_a_result_loads_into_the_same_program_declared_anew(saved):
    _, path = saved
    again = Plant()
    loaded = lx.Result.load(path, program=again.program)
    assert loaded["last"].at(again.unnamed + 2 * again.x[0]) == pytest.approx(5.75)
    resumed = again.program.solve(Mischief(FAILURES["crash"], at=1), resume=loaded)
    assert_equal(resumed, lx.Result.load(path))


def test_unnamed_variables_are_kept_by_their_position(saved):
    result, path = saved
    loaded = lx.Result.load(path, program=Plant().program)
    assert len(loaded["last"].variables) == 2
    assert [k for k in loaded["last"].variables if k.startswith("var")] == []
    assert list(loaded["last"].variables) == list(result["last"].variables)


def other_program(*, name="left", size=2, rows=1):
    x = cp.Variable(size, name="x")
    constraints = [x >= i for i in range(rows)]
    return lx.Program(lx.Stage("one", lx.Subproblem(name, cp.Minimize(cp.sum(x)), constraints)))


@pytest.mark.parametrize(
    ("changed", "culprit"),
    [({"name": "gauche"}, "left"), ({"size": 3}, "x"), ({"rows": 2}, "constraint")],
    ids=["names", "shapes", "constraints"],
)
def test_a_result_of_another_program_is_refused_by_load_and_by_resume(tmp_path, changed, culprit):
    result = other_program().solve()
    result.save(tmp_path / "result.json")
    stranger = other_program(**changed)
    with pytest.raises(lx.LexiprogError, match=culprit):
        lx.Result.load(tmp_path / "result.json", program=stranger)
    with pytest.raises(lx.LexiprogError, match=culprit):
        stranger.solve(resume=result)


def test_a_result_for_other_parameter_values_is_refused_by_resume(plant):
    with pytest.raises(lx.StageError) as caught:
        plant.program.solve({"last": Mischief(FAILURES["crash"], at=1)})
    plant.t.value = 2.0
    # The parameter is used in the last stage alone, so what was solved before is still right.
    assert plant.program.solve(resume=caught.value.partial).final.value == pytest.approx(6.75)
    complete = plant.program.solve()
    plant.t.value = 3.0
    with pytest.raises(lx.LexiprogError, match="'t'"):
        plant.program.solve(resume=complete)


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", '{"format": "another"}', "null"])
def test_a_file_that_holds_no_result_is_refused_by_name(tmp_path, text):
    path = tmp_path / "stranger.json"
    path.write_text(text)
    with pytest.raises(lx.LexiprogError, match=r"stranger\.json"):
        lx.Result.load(path)


def test_a_partial_result_can_be_saved_loaded_and_gone_on_from(plant, tmp_path):
    with pytest.raises(lx.StageError) as caught:
        plant.program.solve({"right": Mischief(FAILURES["crash"], at=1)})
    partial = caught.value.partial
    assert list(partial) == ["left"]
    assert not partial.complete
    partial.save(tmp_path / "partial.json")
    again = Plant()
    counted = Mischief(None, at=100)
    loaded = lx.Result.load(tmp_path / "partial.json", program=again.program)
    result = again.program.solve(counted, resume=loaded)
    assert [s.value for s in result.values()] == pytest.approx([2, -3, 5.75], rel=1e-5)
    assert counted.calls == 2
    assert result["left"].solver == "HIGHS"


def test_resuming_from_a_result_loaded_without_its_program_is_connected_or_refused(saved, plant):
    _, path = saved
    resumed = plant.program.solve(resume=lx.Result.load(path))
    np.testing.assert_allclose(resumed["left"][plant.x], [0.5, 1.5], atol=1e-7)


def test_what_is_no_result_is_refused_by_resume(plant):
    with pytest.raises((lx.LexiprogError, TypeError), match="Result"):
        plant.program.solve(resume={"left": 2.0})
