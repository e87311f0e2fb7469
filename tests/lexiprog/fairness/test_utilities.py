"""Utilities that are the same are found, and compiled maximin problems are taken apart."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.compile.task import compile_for
from lexiprog.fairness.backend import Maximin, NotMaximin
from lexiprog.fairness.levels import raise_levels
from lexiprog.fairness.records import Utilities


def test_twins_share_one_row_and_one_level():
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, -0.0]])
    distinct, of = Utilities(rows).distinct()
    assert len(distinct) == 2
    assert of.tolist() == [0, 1, 0, 0]
    form = StandardForm(
        np.zeros(2), 0.0, np.array([[1.0, 1.0]]), np.ones(1), Cones(nonneg=1), lower=np.zeros(2)
    )
    found = raise_levels(form, Utilities(rows))
    assert [level.members.tolist() for level in found.levels] == [[0, 1, 2, 3]]
    # The weight of the row that they share is theirs in equal parts.
    weights = found.steps.weights.toarray()[0]
    assert weights[0] == weights[2] == weights[3] > 0


@pytest.mark.parametrize(
    ("rows", "offsets", "whole", "grid"),
    [
        ([[2.0, 4.0]], [6.0], [True, True], 2.0),
        ([[0.5, 1.0]], [0.0], [True, True], 0.5),
        ([[0.5, 1.0]], [0.0], [True, False], 0.0),
        ([[1 / 3, 1.0]], [0.0], [True, True], 0.0),
    ],
)
def test_the_grid_divides_all_values(rows, offsets, whole, grid):
    assert Utilities(np.array(rows), np.array(offsets)).grid(np.array(whole)) == grid


def test_numbers_that_are_none_are_refused():
    with pytest.raises(ValueError, match="not finite"):
        Utilities(np.array([[np.nan]]))
    with pytest.raises(ValueError, match="2 utilities, but offsets of shape"):
        Utilities(np.eye(2), np.zeros(3))


@pytest.mark.parametrize("make", [lx.Leximin, lx.Leximax])
def test_a_compiled_problem_comes_apart_into_the_utilities_as_written(make):
    rng = np.random.default_rng(5)
    x = cp.Variable(4, bounds=[-2, 3], name="x")
    rows, offsets = rng.normal(size=(5, 4)), rng.normal(size=5)
    fair = make([rows[i] @ x + offsets[i] for i in range(5)])
    problem = lx.Subproblem("fair", fair, [cp.sum(x) <= 1, x[0] == 2 * x[1]])
    compiled = compile_for(problem, lx.Solver("HIGHS"), {})
    parts = Maximin.of(compiled.scaled, 5)
    point = rng.normal(size=parts.rest.c.size)
    whole = compiled.scaling.point(parts.point(point))
    unit = fair.sign * compiled.scaling.columns[parts.level]
    x.value = np.delete(whole, parts.level)
    assert unit * parts.utilities.at(point) == pytest.approx(fair.stack.value)
    # The level is the least utility; its column is what the form minimises.
    assert compiled.form.objective(whole) == pytest.approx(-fair.sign * fair.objective.value)


def test_other_forms_are_refused():
    plain = StandardForm(np.ones(2), 0.0, np.eye(2), np.ones(2), Cones(nonneg=2))
    with pytest.raises(NotMaximin, match="no single column"):
        Maximin.of(plain, 2)
    one = StandardForm(np.array([1.0, 0.0]), 0.0, -np.eye(2), np.ones(2), Cones(nonneg=2))
    with pytest.raises(NotMaximin, match="1 rows have the level"):
        Maximin.of(one, 2)
