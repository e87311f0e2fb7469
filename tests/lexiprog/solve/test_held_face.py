"""The face of a vertex, and what it leaves: worked by hand on two columns."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from lexiprog.backends.highs import HighsModel
from lexiprog.canon.multipliers import Sizes
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.solve.face import FaceOptimum, FaceVertex, HeldFace, LinearFace, lift
from lexiprog.solve.lp_chain import FaceChain


@pytest.fixture
def held():
    """Least x + 2y over x + y >= 2 and y <= 5: (2, 0), where x + y == 2 and y == 0."""
    A = sp.csc_array(np.array([[-1.0, -1.0], [0.0, 1.0]]))
    form = StandardForm(np.array([1.0, 2.0]), 0.0, A, np.array([-2.0, 5.0]), Cones(nonneg=2),
                        lower=np.zeros(2), upper=np.full(2, np.inf))  # fmt: skip
    everywhere = LinearFace.whole(form)
    vertex = HighsModel(A, {}).run(form.c, everywhere.bounds(form))
    return form, everywhere, vertex


def face(form, everywhere, vertex):
    return HeldFace.of(form, 1.0, vertex, everywhere, Sizes(form.A))


def test_the_face_has_the_rows_and_columns_that_all_optima_share(held):
    found = face(*held)
    assert found.rows.tolist() == [True, False]
    assert found.pushing.tolist() == [True, False]
    assert found.fixed.tolist() == [False, True]
    assert found.columns[1] == 0.0
    assert found.y == pytest.approx([1.0, 0.0])
    assert found.reduced == pytest.approx([0.0, 1.0])
    assert not found.uncertain


def test_what_a_face_leaves_is_narrower_and_its_rows_are_equations(held):
    form, everywhere, _ = held
    left = everywhere.intersect(face(*held), form)
    assert (left.lower.tolist(), left.upper.tolist()) == ([0.0, 0.0], [np.inf, 0.0])
    assert left.rows.fixed.tolist() == [True, False]
    assert (left.rows.cones.zero, left.rows.cones.nonneg) == (1, 1)
    assert left.rows.sides[0] == -2.0
    again = left.intersect(face(*held), form)
    assert again.rows.order.tolist() == left.rows.order.tolist()


def test_without_bounds_of_their_own_columns_are_free(held):
    free = LinearFace.whole(replace(held[0], lower=None, upper=None))
    assert np.isneginf(free.lower).all()
    assert np.isposinf(free.upper).all()
    assert not free.rows.fixed.any()
    equal = LinearFace.whole(replace(held[0], cones=Cones(zero=1, nonneg=1)))
    assert equal.rows.fixed.tolist() == [True, False]


def test_multipliers_that_had_to_be_corrected_much_are_uncertain_unless_they_were_refined(held):
    form, everywhere, vertex = held
    shaken = replace(vertex, correction=np.array([0.5, 0.0]), reduced=None)
    assert face(form, everywhere, shaken).ill_conditioned
    assert face(form, everywhere, shaken).uncertain
    refined = face(form, everywhere, replace(vertex, correction=np.zeros(2), error=0.0))
    assert refined.refined
    assert not refined.ill_conditioned


def test_a_vertex_that_a_clear_reduced_cost_would_leave_is_ambiguous(held):
    form, everywhere, vertex = held
    inside = replace(vertex, x=np.array([1.5, 0.5]))
    assert face(form, everywhere, inside).ambiguous
    wrong = replace(vertex, row_dual=vertex.row_dual + np.array([0.0, 0.5]), reduced=None)
    assert face(form, everywhere, wrong).ambiguous


def test_only_faces_told_with_twice_the_digits_and_without_doubt_leave_none():
    chain = FaceChain({}, {}, joint=None)
    chain.faces = {
        f"{refined} {ambiguous}": SimpleNamespace(refined=refined, ambiguous=ambiguous)
        for refined in (True, False)
        for ambiguous in (True, False)
    }
    for error, left in ((np.zeros(1), {"True False": 0.0}), (None, {})):
        vertex = SimpleNamespace(error=error)
        assert chain._effects(SimpleNamespace(vertex=vertex, holds=tuple(chain.faces))) == left


def sum_of_two(upper=9.0):
    """Least x + 2y over x + y >= 2, both at least zero, x at most 9."""
    return StandardForm(np.array([1.0, 2.0]), 0.0, sp.csc_array(-np.ones((1, 2))),
                        np.array([-2.0]), Cones(nonneg=1), lower=np.zeros(2),
                        upper=np.array([9.0, upper]))  # fmt: skip


def test_what_is_fixed_already_is_not_fixed_by_a_face():
    """At (2, 0) the column y would be fixed at its lower end, but it cannot move anyway."""
    for upper, fixed in ((5.0, [False, True]), (0.0, [False, False])):
        form = sum_of_two(upper)
        everywhere = LinearFace.whole(form)
        vertex = HighsModel(form.A, {}).run(form.c, everywhere.bounds(form), refine=True)
        found = face(form, everywhere, vertex)
        assert found.fixed.tolist() == fixed
        assert not found.uncertain


def pushing_face(y, reduced, fixed):
    """A face that its multipliers and the reduced costs of fixed columns push upon."""
    y, reduced, fixed = np.array(y), np.array(reduced), np.array(fixed)
    resting = np.where(fixed, reduced, 0.0)
    return SimpleNamespace(y=y, reduced=reduced, pushing=y > 0.0, resting=resting)


@pytest.mark.parametrize(
    ("y", "reduced", "paid"),
    [([0.5], [0.0, -1.0], 0.5), ([-3.0], [0.0, 0.0], 0.75), ([-3.0], [0.0, -1.0], 0.75),
     ([-1.0], [0.0, -1.0], 0.5), ([0.5], [0.0, 3.0], 0.0)],
)  # fmt: skip
def test_a_lock_is_paid_no_more_than_mends_every_sign(y, reduced, paid):
    """With 4 for its row and 2 for its column, so much of a face takes what is below zero away."""
    held = [pushing_face([4.0], [0.0, 2.0], [False, True])]
    (multipliers,), (prices,) = lift(np.array([reduced]), np.array([y]), held, [1], 0)
    assert prices == pytest.approx([paid])
    assert multipliers == pytest.approx(np.array(y) + 4.0 * paid)


def test_problems_that_hold_one_face_more_each_are_paid_for_as_if_each_were_alone():
    rng = np.random.default_rng(0)
    faces = [
        pushing_face(rng.integers(-1, 4, 6) * 1.0, rng.normal(size=9), rng.random(9) < 0.5)
        for _ in range(4)
    ]
    holds, y, reduced = [0, 1, 1, 3, 4], rng.normal(size=(5, 6)), rng.normal(size=(5, 9))
    every, locks = lift(reduced, y, faces, holds, 2)
    assert not locks[0].any()
    assert not locks[2, 1:].any()
    assert locks[4].any()
    for k, count in enumerate(holds):
        alone, own = lift(reduced[[k]], y[[k]], faces[:count], [count], 2)
        assert np.array_equal(every[k], alone[0])
        assert np.array_equal(locks[k, :count], own[0])
        paid = y[k] + sum(lock * face.y for lock, face in zip(own[0], faces, strict=False))
        assert every[k] == pytest.approx(paid, abs=1e-12)  # no noise here that is taken for none


def test_a_point_where_nothing_is_left_to_choose_is_a_clear_face_that_fixes_nothing():
    form = sum_of_two()
    vertex = HighsModel(form.A, {}).run(form.c, LinearFace.whole(form).bounds(form), refine=True)
    found = HeldFace.of_point(form, 1.0, vertex)
    assert not any([found.uncertain, found.refined, found.presolved, *found.fixed])
    assert (found.rows.tolist(), found.reduced.tolist()) == ([True], [0.0, 1.0])


@pytest.mark.parametrize(
    ("moved", "off", "error", "missed"),
    [(0.0, None, None, False), (-1e-3, None, None, True), (-1e-3, False, None, False),
     (0.0, True, None, True), (-1e-3, None, 1e-20, False)],
)  # fmt: skip
def test_a_point_is_looked_at_once_and_twice_the_digits_are_believed(moved, off, error, missed):
    form = sum_of_two()
    everywhere = LinearFace.whole(form)
    vertex = HighsModel(form.A, {}).run(form.c, everywhere.bounds(form))
    vertex = replace(vertex, x=vertex.x + moved, error=error)
    corner = FaceVertex(form, everywhere, (), [], vertex, None, off)
    assert bool(FaceOptimum.of(corner, 1.0).missed) is missed


@pytest.mark.parametrize(("away", "ambiguous"), [(0.0, False), (1e-10, False), (1e-6, True)])
def test_a_column_with_a_reduced_cost_that_is_not_at_its_bound_leaves_a_doubt(
    held, away, ambiguous
):
    form, everywhere, vertex = held
    vertex.x[1] = away
    assert face(form, everywhere, vertex).ambiguous is ambiguous
