"""Further stages choose among the optima and give up nothing, or no more than is said."""

import numpy as np
import pytest

from lexiprog_boost.programs import (
    closest_weights,
    lexiboost_program,
    leximax_deviations,
    lpadaboost_program,
    smallest_norm,
)

# Twins: any way to share their weight is optimal.
TWINS = [[1, 1, -1], [-1, -1, 1]]
LABELS = ["a", "b"]


def solved(program):
    return program.solve().final["alpha"]


def test_the_smallest_norm_divides_by_the_scales():
    program = lexiboost_program(TWINS, LABELS)
    np.testing.assert_allclose(solved(smallest_norm(program)), [0.25, 0.25, 0.5], atol=1e-6)
    # Of two weights with the sum 1/2, those with the least a^2 / 3 + b^2 are in the ratio 3 : 1.
    scaled = solved(smallest_norm(program, scales=[3.0, 1.0, 1.0]))
    np.testing.assert_allclose(scaled, [0.375, 0.125, 0.5], atol=1e-6)


def test_closest_weights_are_the_projection_when_nothing_is_given_up():
    program = lexiboost_program(TWINS, LABELS)
    near = solved(closest_weights(program, [0.4, 0.1, 0.5], tolerance=0.0))
    np.testing.assert_allclose(near, [0.4, 0.1, 0.5], atol=1e-5)
    # Weights are scaled to sum to one; those that say nothing stand for equal ones.
    scaled = solved(closest_weights(program, [4.0, 1.0, 5.0], tolerance=0.0))
    np.testing.assert_allclose(scaled, near, atol=1e-5)
    silent = solved(closest_weights(program, [0.0, 0.0, 0.0], tolerance=5.0))
    np.testing.assert_allclose(silent, 1 / 3, atol=1e-5)


def test_a_tolerance_is_used_up_where_it_helps():
    program = lexiboost_program(TWINS, LABELS)
    result = closest_weights(program, [0.0, 0.0, 1.0], tolerance=0.2).solve()
    chi = result["balance"].value
    deviations = result.final["deviations"]
    assert deviations.max() == pytest.approx(chi + 0.2, abs=1e-5)


def test_leximax_makes_the_second_worst_class_as_good_as_it_can_be():
    margins = [[1, -1, -1], [-1, 1, 1], [1, 1, -1]]
    refined = leximax_deviations(lexiboost_program(margins, ["a", "b", "c"])).solve()
    assert [round(value, 6) for value, _ in refined["deviations"].levels] == [1, 0]
    np.testing.assert_allclose(np.sort(refined.final["deviations"]), [0, 1, 1], atol=1e-6)


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0, 1.0], [np.nan, 1.0, 1.0]], ids=str)
def test_weights_that_are_none_are_refused(weights):
    with pytest.raises(ValueError, match="one finite weight >= 0 for each of the 3 members"):
        closest_weights(lexiboost_program(TWINS, LABELS), weights)


def test_a_tie_break_needs_one_last_subproblem():
    classes = lexiboost_program(TWINS, LABELS).stages[0]
    with pytest.raises(ValueError, match="the last stage has 2 subproblems"):
        smallest_norm(type(lpadaboost_program([[1]]))(classes))
