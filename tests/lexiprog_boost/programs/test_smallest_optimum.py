"""The smallest optimum: on the face, or by value where the face cannot be told."""

import numpy as np
import pytest

import lexiprog as lx
from lexiprog_boost.programs import lpadaboost_program, tie_breaks
from lexiprog_boost.programs.tie_breaks import solve_smallest

TWINS = lpadaboost_program([[1, 1, -1], [-1, -1, 1]])
SMALLEST = [0.25, 0.25, 0.5]


@pytest.mark.parametrize("solver", [None, "HIGHS", "CLARABEL", "ECOS", {"weights": "CLARABEL"}])
def test_no_solver_changes_it(solver):
    program, result = solve_smallest(TWINS, of="alpha", solver=solver)
    np.testing.assert_allclose(result.final["alpha"], SMALLEST, atol=1e-6)
    assert [stage.name for stage in program.stages] == ["margin", "weights"]


def test_a_unique_optimum_needs_no_further_stage():
    program = lpadaboost_program([[1, -1], [-1, 1]])
    same, result = solve_smallest(program, of="alpha")
    assert same is program
    np.testing.assert_allclose(result.final["alpha"], [0.5, 0.5], atol=1e-9)


def test_a_face_that_is_told_wrongly_is_given_up_for_the_value(monkeypatch):
    def wrong(subproblem, solution):
        alpha = subproblem.variable("alpha")
        return lx.OptimalFace((alpha[0] == 2,), is_point=False)  # nothing meets it

    monkeypatch.setattr(tie_breaks.lx, "optimal_face", wrong)
    program, result = solve_smallest(TWINS, of="alpha")
    np.testing.assert_allclose(result.final["alpha"], SMALLEST, atol=1e-4)
    assert result["smallest"].status == "optimal"
    assert len(program.stages) == 2
