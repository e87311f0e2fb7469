"""Who is asked for the weights: nobody but the solver that was chosen, in every form."""

import numpy as np
import pytest

import lexiprog as lx
from lexiprog_boost.weights import find, least_class_losses, lexicographic_weights

RNG = np.random.default_rng(2)
Y = np.arange(900) % 3
MARGINS = np.clip(RNG.normal(0.1, 0.5, (900, 4)), -1, 1)


@pytest.fixture
def asked(monkeypatch):
    """The solvers that programs are solved with."""
    choices = []
    solve = lx.Program.solve

    def noted(program, solver=None, **options):
        choices.append(solver)
        return solve(program, solver, **options)

    monkeypatch.setattr(lx.Program, "solve", noted)
    return choices


@pytest.mark.parametrize("reduce", ["auto", False])
def test_a_chosen_solver_is_asked_alone(asked, reduce):
    points = slice(None) if reduce else slice(0, 60)
    found = lexicographic_weights(
        MARGINS[points], Y[points], margin_target=0.3, solver="ECOS", reduce=reduce
    )
    assert found.reduction == ("points in doubt" if reduce else "none")
    assert set(asked) == {"ECOS"}


def test_least_losses_alone_are_found_with_the_chosen_solver(asked):
    chosen = least_class_losses(MARGINS, Y, margin_target=0.3, solver="ECOS")
    assert set(asked) == {"ECOS"}
    np.testing.assert_allclose(chosen, least_class_losses(MARGINS, Y, margin_target=0.3), atol=1e-7)


def test_a_quick_solver_looks_for_the_start_where_none_was_chosen(asked):
    lexicographic_weights(MARGINS, Y, margin_target=0.3)
    assert "CLARABEL" in asked
    assert asked[-1] is None


def test_a_solver_named_for_one_class_is_asked_for_its_optimum_alone(asked):
    choice = {"class:1": "CLARABEL", "balance": "HIGHS"}
    found = lexicographic_weights(MARGINS[:90], Y[:90], margin_target=0.3, solver=choice)
    assert [found.result[f"class:{j}"].solver for j in range(3)] == ["HIGHS", "CLARABEL", "HIGHS"]
    asked.clear()
    least_class_losses(MARGINS[:90], Y[:90], margin_target=0.3, solver=choice)
    assert asked == [None, "CLARABEL", None]


def test_rows_are_many_above_the_limit_and_either_form_finds_the_same(monkeypatch):
    found = {}
    for limit, form in ((90, "merged rows"), (89, "points in doubt")):
        monkeypatch.setattr(find, "MANY_ROWS", limit)
        found[form] = lexicographic_weights(MARGINS[:90], Y[:90], margin_target=0.3)
        assert found[form].reduction == form
    one, other = found.values()
    np.testing.assert_allclose(one.alpha, other.alpha, atol=1e-6)
    assert one.chi == pytest.approx(other.chi, abs=1e-8)
