"""What variables are called, the same everywhere; namesakes of an existing problem told apart."""

import cvxpy as cp
import pytest

import lexiprog as lx
from lexiprog.model.expressions import keys_of


def existing():
    a, b = cp.Variable(2, name="x"), cp.Variable(name="x")
    return cp.Problem(cp.Minimize(cp.sum(a) + b), [a >= 1, b >= 2]), a, b


def test_namesakes_of_an_existing_problem_are_numbered():
    problem, a, b = existing()
    first = lx.Subproblem("first", problem)
    assert first.keys == ("x (1)", "x (2)")
    assert first.variable("x (2)") is b
    solution = lx.Program(lx.Stage("only", first)).solve().final
    assert solution[a].tolist() == solution["x (1)"].tolist() == [1, 1]
    assert solution[b] == solution["x (2)"] == 2
    assert "x (2) = 2" in str(solution)


def test_a_later_stage_may_hold_such_a_problem_and_the_result_is_saved(tmp_path):
    problem, a, b = existing()
    first = lx.Subproblem("first", problem)
    limits = [*problem.constraints, first.held(), b <= 9]
    later = lx.Subproblem("later", cp.Maximize(a[0]), limits)
    program = lx.Program(lx.Stage("one", first), lx.Stage("two", later))
    program.solve().save(tmp_path / "saved.json")
    loaded = lx.Result.load(tmp_path / "saved.json", program)
    assert loaded["later"][b] == pytest.approx(2)
    assert loaded["later"][a] == pytest.approx([1, 1])


def test_namesakes_in_a_list_of_constraints_are_refused_as_before():
    problem, _, _ = existing()
    with pytest.raises(lx.DeclarationError, match="several variables named 'x'"):
        lx.Subproblem("first", problem.objective, problem.constraints)


def test_numbers_do_not_clash_with_names_that_are_given():
    named = [cp.Variable(name=name) for name in ("x", "x (1)", "x", "y")]
    assert keys_of(named) == ("x (2)", "x (1)", "x (3)", "y")


def test_unnamed_variables_are_called_alike_in_texts_pages_errors_and_references():
    x, y = cp.Variable(2), cp.Variable(name="y")
    low = lx.Subproblem("low", cp.Minimize(cp.sum(x) + y), [x >= 1, y >= 0])
    near = lx.Subproblem("near", cp.Minimize(cp.norm1(x - low.at(x))), [x >= 2, x <= 5])
    program = lx.Program(lx.Stage("one", low), lx.Stage("two", near))
    result = program.solve()
    automatic = x.name()
    for text in (
        program.describe(),
        program._repr_html_(),
        result._repr_html_(),
        str(result["low"]),
        result["low"]._repr_html_(),
        repr(low),
    ):
        assert automatic not in text
        assert "#0" in text
    assert list(result["near"].references) == ["low.at(#0)"]
    with pytest.raises(lx.DeclarationError) as caught:
        lx.Subproblem("odd", cp.Minimize(cp.sqrt(cp.square(x[0]))))
    assert "#0" in str(caught.value)
    assert automatic not in str(caught.value)


def test_text_and_page_count_constraints_alike_and_one_is_no_plural():
    x = cp.Variable(name="x")
    low = lx.Subproblem("low", cp.Minimize(x), [x >= 1])
    then = lx.Subproblem("then", cp.Maximize(x), [x <= 9, low.held()])
    program = lx.Program(lx.Stage("one", low), lx.Stage("two", then))
    for text in (program.describe(), program._repr_html_()):
        assert "1 variable, 1 constraint" in text
        assert "1 variable, 2 constraints" in text
        assert "1 variables" not in text
        assert "1 constraints" not in text
    assert repr(lx.Program(lx.Stage("one", low)).solve()).startswith("<Result of 1 subproblem>")
