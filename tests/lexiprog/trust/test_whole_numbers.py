"""Whole numbers and decimals of many digits are right to the last one, or refused by name."""

import os

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from tests.lexiprog.trust import cases, linear_terms, whole_numbers

NIGHTLY = os.environ.get("LEXIPROG_PROFILE") == "nightly"
COUNT = 200 if NIGHTLY else 8

pytestmark = pytest.mark.filterwarnings("ignore::lexiprog.LexiprogWarning")
HEAVY = (linear_terms.heavy_knapsacks, linear_terms.heavy_levels, linear_terms.integer_fronts)


@pytest.mark.slow
@pytest.mark.parametrize("family", [*whole_numbers.FAMILIES, *HEAVY], ids=lambda f: f.__name__)
def test_whole_numbers_are_right_to_the_last_digit(family):
    found = cases.tally(family, COUNT, seed=4, last_point=True)
    assert found["wrong"] == 0, found
    assert found["right"] >= 0.97 * COUNT, found


def test_an_equation_that_no_whole_numbers_satisfy_is_named():
    y = cp.Variable(2, integer=True, name="y", bounds=[0, 5])
    row = 6e9 * y[0] + 4e9 * y[1] == 10000000001
    with pytest.raises(lx.StageError, match="steps of 2000000000"):
        cases.only(cp.Minimize(cp.sum(y)), [row]).solve()


def test_a_held_level_of_nine_digits_leaves_the_next_no_choice():
    z = cp.Variable(3, boolean=True, name="z")
    levels = {
        "v": cp.Maximize(np.array([1e8 + 6, 1e8, 1e8 + 3]) @ z),
        "w": cp.Minimize(np.array([3.0, 1, 2]) @ z),
    }
    result = lx.preemptive(levels, [cp.sum(z) == 1]).solve()
    assert (result["v"].value, result["w"].value) == (100000006.0, 3.0)
    assert result["v"].certificate.gap == 0.0


def test_the_front_of_a_value_of_ten_digits_has_all_its_points():
    z = cp.Variable(3, boolean=True, name="z")
    front = lx.frontier(
        {
            "a": cp.Maximize(np.array([3000000001.0, 0, 2]) @ z),
            "b": cp.Minimize(np.array([2.0, 7, 6]) @ z),
        },
        [],
    )
    assert front.complete
    assert front.points.tolist() == [[0, 0], [3000000001, 2], [3000000003, 8]]


def test_another_solver_is_not_believed_where_a_row_is_missed_by_one():
    """The liar takes both items, which weigh one too much."""

    class Liar:
        name = "liar"

        def solve(self, problem, **options):
            for variable in problem.variables():
                variable.value = np.ones(variable.shape)

    x = cp.Variable(2, boolean=True, name="x")
    row = 9999999999 * x[0] + 5000000001 * x[1] <= 14999999999
    program = cases.only(cp.Maximize(3 * x[0] + 2 * x[1]), [row])
    with pytest.raises(lx.StageError):
        program.solve(Liar())
    assert program.solve("SCIPY").final.value == 3.0
