"""How much an error in what is read may change a value: slopes, and ranges of multipliers."""

import warnings
from contextlib import nullcontext
from types import SimpleNamespace

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp

import lexiprog as lx
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.model.references import ReferenceKind
from lexiprog.solve.error_propagation import (
    LagrangianSlopes,
    dual_range,
    effect_of_reference,
    lagrangian_term,
    range_of_multipliers,
)


class Straight(LagrangianSlopes):
    """A Lagrangian of known slopes."""

    def __init__(self, slopes, value):
        self.slopes = np.asarray(slopes, dtype=float)
        self.parameter = cp.Parameter(self.slopes.shape)
        self.task = SimpleNamespace(constants={self.parameter.id: np.asarray(value, dtype=float)})
        self.solution = SimpleNamespace(unit=1.0, size=1.0)

    def lagrangian(self, parameter):
        return lambda at: float(np.sum(self.slopes * at))

    def of(self, unknown, unit=1.0):
        return self.effect(self.parameter, unit, np.asarray(unknown, dtype=float))


def test_errors_count_by_the_slope_of_their_own_entry():
    line = Straight([2.0, -3.0, 0.0], [1.0, 1e6, 5.0])
    assert line.of([1e-3, 0.0, 0.0]) == pytest.approx(2e-3, rel=1e-6)
    assert line.of([0.0, 1e-3, 0.0]) == pytest.approx(3e-3, rel=1e-6)
    assert line.of([1e-3, 1e-3, 7.0]) == pytest.approx(5e-3, rel=1e-6)
    assert line.of([0.0, 0.0, 0.0]) == 0.0


def test_of_an_entry_of_which_nothing_is_known_only_its_slope_is_asked():
    line = Straight([2.0, -3.0, 0.0], [1.0, 1.0, 1.0])
    assert line.of([1e-3, 0.0, np.inf]) == pytest.approx(2e-3, rel=1e-6)
    assert line.of([1e-3, np.inf, 0.0]) == np.inf


def test_entries_of_a_matrix_keep_their_places():
    line = Straight([[0.0, 5.0], [0.0, 0.0]], np.ones((2, 2)))
    assert line.of([[0.0, 1e-3], [0.0, 0.0]]) == pytest.approx(5e-3, rel=1e-6)
    assert line.of([[0.0, 0.0], [1e-3, 0.0]]) == pytest.approx(0.0, abs=1e-9)


def test_what_a_constraint_adds_is_its_multiplier_times_what_it_misses():
    x = cp.Variable(2)
    x.value = np.array([1.0, 4.0])
    assert lagrangian_term(x <= 3, np.array([2.0, 5.0]), gp=False) == pytest.approx(2 * -2 + 5 * 1)
    assert lagrangian_term(x == 3, np.array([2.0, 5.0]), gp=False) == pytest.approx(2 * -2 + 5 * 1)
    assert lagrangian_term(cp.NonNeg(x - 3), np.array([2.0, 5.0]), gp=False) == pytest.approx(4 - 5)
    assert lagrangian_term(cp.Zero(x - 3), np.array([2.0, 5.0]), gp=False) == pytest.approx(-4 + 5)
    assert lagrangian_term(cp.SOC(x[0], x), [np.ones(1), np.ones(2)], gp=False) == 0.0
    assert lagrangian_term(x <= 2, np.array([1.0, 1.0]), gp=True) == pytest.approx(
        np.log(0.5) + np.log(2.0)
    )


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_a_solve_of_our_own_is_made_only_where_a_glance_is_not_enough(monkeypatch, size):
    """A tenth of what is accepted, as a share of the value's size, is enough to know."""
    looks = []

    def look(share):
        return lambda *_: looks.append(share) or np.array(share * 1e-6 * size)

    monkeypatch.setattr(
        "lexiprog.solve.error_propagation.OF_POINTS", [look(0.5), look(0.2), look(0.05), look(0)]
    )
    line = Straight(1.0, 1.0)
    line.solution.size = size
    task = SimpleNamespace(solver=SimpleNamespace(accept=1e-6))
    owner = SimpleNamespace(exact=None, unit=1.0)
    reference = SimpleNamespace(owner_name="a", kind="point")
    effect = effect_of_reference(task, line.parameter, reference, {"a": owner}, line)
    assert looks == [0.5, 0.2, 0.05]
    assert effect == pytest.approx(0.05 * 1e-6 * size, rel=1e-3)


def test_an_exact_point_has_no_effect_and_an_optimum_that_of_its_uncertainty():
    line, task = Straight(3.0, 1.0), SimpleNamespace(solver=SimpleNamespace(accept=1e-6))
    exact = SimpleNamespace(exact=1, unit=1.0, uncertainty=1e-3, size=7.0)
    reference = SimpleNamespace(owner_name="a", kind=ReferenceKind.OPTIMUM)
    assert effect_of_reference(task, line.parameter, reference, {"a": exact}, line) == 0.0
    for uncertainty, wanted in ((1e-3, 3e-3), (np.inf, 21.0)):
        owner = SimpleNamespace(exact=None, unit=1.0, uncertainty=uncertainty, size=7.0)
        found = effect_of_reference(task, line.parameter, reference, {"a": owner}, line)
        assert found == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("size", [1, 15, 16])
def test_errors_of_few_entries_add_up_whatever_their_number(size):
    line = Straight(np.full(size, 2.0), np.ones(size))
    assert line.of(np.full(size, 1e-3)) == pytest.approx(2e-3 * size, rel=1e-6)


def program(c, rows, b, **bounds):
    return StandardForm(np.array(c), 0.0, sp.csc_array(np.array(rows)), np.array(b),
                        Cones(nonneg=len(b)), **bounds)  # fmt: skip


def test_a_column_at_its_bound_may_have_a_reduced_cost_and_none_between():
    # min x + 2y over x + y >= 1: the multiplier is 1, and y at 0 costs one too much.
    form = program([1.0, 2.0], [[-1.0, -1.0]], [-1.0], lower=np.zeros(2), upper=np.full(2, 9.0))
    assert dual_range(form, np.array([1.0, 0.0]), np.ones(1)) == pytest.approx((1.0, 1.0))
    # At the upper bound of x, whatever is left over of 1 may be its reduced cost: -1 or less.
    full = program([1.0, 2.0], [[-1.0, -1.0]], [-9.0], lower=np.zeros(2), upper=np.full(2, 9.0))
    assert dual_range(full, np.array([9.0, 0.0]), np.ones(1)) == pytest.approx((1.0, 2.0))


def test_two_tight_rows_share_a_cost_in_any_way_and_one_that_is_loose_has_none():
    form = program([1.0], [[-1.0], [-2.0], [-1.0]], [-1.0, -2.0, 5.0])
    x = np.array([1.0])
    assert dual_range(form, x, np.array([1.0, 0.0, 0.0])) == pytest.approx((0.0, 1.0))
    assert dual_range(form, x, np.array([0.0, 1.0, 0.0])) == pytest.approx((0.0, 0.5))
    assert dual_range(form, x, np.array([0.0, 0.0, 1.0])) == pytest.approx((0.0, 0.0))


def test_a_point_that_is_not_optimal_has_none_and_curved_rows_are_not_asked():
    form = program([1.0, 2.0], [[-1.0, -1.0]], [-1.0], lower=np.zeros(2))
    assert dual_range(form, np.array([0.5, 0.5]), np.ones(1)) is None
    cone = StandardForm(np.ones(2), 0.0, sp.csc_array(-np.eye(2)), np.zeros(2), Cones(soc=(2,)))
    assert dual_range(cone, np.zeros(2), np.ones(2)) is None


def test_a_row_with_a_slack_beyond_the_tolerance_is_not_tight():
    """At x = 1 the row 2x >= 2 - 6e-7 has a slack of 6e-7, twice what counts as reached."""
    form = program([1.0], [[-1.0], [-2.0]], [-1.0, -2.0 + 6e-7])
    assert dual_range(form, np.array([1.0]), np.array([1.0, 0.0])) == pytest.approx((1.0, 1.0))
    near = program([1.0], [[-1.0], [-2.0]], [-1.0, -2.0 + 2e-7])
    assert dual_range(near, np.array([1.0]), np.array([1.0, 0.0])) == pytest.approx((0.0, 1.0))


def test_the_slope_of_a_square_is_divided_among_the_rows_at_its_point():
    """The least 3/2 x^2 - x over x >= 1 and 2x >= 2 has the slope 2 there."""
    form = program([-1.0], [[-1.0], [-2.0]], [-1.0, -2.0], P=sp.csc_array(np.array([[3.0]])))
    x = np.array([1.0])
    assert dual_range(form, x, np.array([1.0, 0.0])) == pytest.approx((0.0, 2.0))
    assert dual_range(form, x, np.array([0.0, 1.0])) == pytest.approx((0.0, 1.0))


@pytest.mark.parametrize("shape", [(8,), (2, 2), (3, 2)])
def test_of_many_multipliers_the_one_that_is_not_unique_is_known_by_its_place(shape):
    """One entry of x has another row that may carry its cost instead."""
    x, y = cp.Variable(shape, name="x"), cp.Variable(name="y")
    twice = (shape[0] - 1, 0) if len(shape) == 2 else (3,)
    rows = [x >= 1, 2 * x[twice] >= 2]
    first = lx.Subproblem("first", cp.Minimize(cp.sum(x)), rows)
    for place in np.ndindex(*shape):
        doubtful = place == twice
        second = lx.Subproblem("second", cp.Minimize(y), [y >= first.dual(rows[0])[place]])
        program = lx.Program(lx.Stage("1", first), lx.Stage("2", second))
        with pytest.warns(lx.LexiprogWarning) if doubtful else nullcontext():
            found = program.solve()["second"]
        assert (found.status == "optimal_inaccurate") is doubtful, place


def test_more_multipliers_than_are_looked_at_one_by_one_are_doubted_together():
    x, y = cp.Variable(12, name="x"), cp.Variable(name="y")
    rows = [x >= 1, 2 * x[3] >= 2]
    first = lx.Subproblem("first", cp.Minimize(cp.sum(x)), rows)
    second = lx.Subproblem("second", cp.Minimize(y), [y >= cp.sum(first.dual(rows[0]))])
    with pytest.warns(lx.LexiprogWarning, match="not unique"):
        lx.Program(lx.Stage("1", first), lx.Stage("2", second)).solve()
    alone = lx.Subproblem("first", cp.Minimize(cp.sum(x)), rows[:1])
    second = lx.Subproblem("second", cp.Minimize(y), [y >= cp.sum(alone.dual(rows[0]))])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = lx.Program(lx.Stage("1", alone), lx.Stage("2", second)).solve()["second"]
    assert (found.status, found.value) == ("optimal", pytest.approx(12.0))


@pytest.mark.parametrize("size", [1e-4, 1.0, 1e4])
def test_whether_a_multiplier_is_unique_does_not_hang_on_its_unit(size):
    x, y = cp.Variable(name="x"), cp.Variable(name="y")
    rows = [x >= 1, 2 * x >= 2]
    first = lx.Subproblem("first", cp.Minimize(size * x), rows)
    second = lx.Subproblem("second", cp.Minimize(y), [y >= first.dual(rows[0]) / size])
    with pytest.warns(lx.LexiprogWarning, match="not unique"):
        found = lx.Program(lx.Stage("1", first), lx.Stage("2", second)).solve()["second"]
    assert found.effects["first.dual(0)"] == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize(
    "owner", [None, SimpleNamespace(gp=True, fair=None), SimpleNamespace(gp=False, fair=object())]
)
def test_multipliers_of_what_is_gone_geometric_or_fair_have_no_polyhedron(owner):
    assert range_of_multipliers(None, SimpleNamespace(owner=lambda: owner), None, {}) is None
