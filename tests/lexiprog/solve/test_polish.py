"""Integer answers made whole: the rest follows, or a big M that leaked is closed."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from lexiprog.backends.highs_mip import MipSearch
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.compile.answer import Answer
from lexiprog.deadline import Deadline
from lexiprog.solve.integer import (
    best_with,
    moved_answer,
    rounded_and_resolved,
    solve_tightened,
)
from lexiprog.status import Status
from tests.lexiprog.solve.gate import answered, gate, values


def form(c, rows, b, zero=0, **more):
    cones = Cones(zero=zero, nonneg=len(b) - zero)
    return StandardForm(np.array(c, float), 0.0, sp.csc_array(np.array(rows, float)),
                        np.array(b, float), cones, **more)  # fmt: skip


def knapsack(**more):
    """Least -2n - 3m over n + 2m <= 4 and n - m == 1, both whole between 0 and 5."""
    return form([-2, -3], [[1, -1], [1, 2]], [1, 4], zero=1, lower=np.zeros(2),
                upper=np.full(2, 5.0), integer=np.arange(2), **more)  # fmt: skip


@pytest.mark.parametrize(
    ("whole", "inside"),
    [([2, 1], True), ([1, 0], True), ([2, 2], False), ([3, 2], False), ([0, -1], False)],
)
def test_a_point_all_of_whose_columns_are_whole_is_inside_or_it_is_none(whole, inside):
    found = best_with(knapsack(), np.array(whole, float))
    assert found is None if not inside else found.tolist() == whole


@pytest.mark.parametrize("zero", [0, 1])
@pytest.mark.parametrize(("missing", "inside"), [(0.0, True), (1e-10, True), (5e-9, False)])
def test_a_whole_point_that_misses_a_row_by_more_than_rounding_is_none(missing, inside, zero):
    near = form([-1], [[1]], [1 - missing], zero=zero, lower=np.zeros(1), upper=np.full(1, 5.0),
                integer=np.arange(1))  # fmt: skip
    assert (best_with(near, np.ones(1)) is not None) is inside


def mixed(**more):
    """Least y over y >= 3 - n and y >= n - 1.5: y is 1, 0.5 and 1.5 for n = 2, 2 and 3."""
    return form([1, 0], [[-1, -1], [-1, 1]], [-3, 1.5], lower=np.array([0.0, 0.0]),
                upper=np.array([9.0, 4.0]), integer=np.array([1]), **more)  # fmt: skip


@pytest.mark.parametrize(("n", "y"), [(0, 3.0), (2, 1.0), (3, 1.5), (4, 2.5)])
def test_the_rest_is_solved_at_the_integers_given(n, y):
    assert best_with(mixed(), np.array([float(n)])) == pytest.approx([y, n])
    # With y^2 / 2 beside it, y is the same: it is as small as the rows let it be.
    curved = replace(mixed(), P=sp.csc_array(np.diag([1.0, 0.0])))
    found = best_with(curved, np.array([float(n)]))
    assert found == pytest.approx([y, n], abs=1e-6)
    assert found[1] == n


def test_integers_beyond_their_bounds_or_without_a_rest_have_no_point():
    assert best_with(mixed(), np.array([5.0])) is None
    tight = replace(mixed(), upper=np.array([1.2, 4.0]))
    assert best_with(tight, np.array([2.0])) == pytest.approx([1.0, 2.0])
    assert best_with(tight, np.array([4.0])) is None
    assert best_with(replace(tight, P=sp.csc_array(np.eye(2))), np.array([4.0])) is None
    assert tight.is_linear
    assert not replace(tight, P=sp.csc_array(np.eye(2))).is_linear
    assert not replace(tight, cones=Cones(soc=(2,))).is_linear


def test_what_leaked_through_a_big_m_is_searched_without_it():
    """At n = 2e-6 the gate lets 2 of y through; closed, it lets none, and z is not enough."""
    problem = gate(1e6, most=1.0)
    compiled, leaked = answered(problem, 2e-6, 2.0, 0.0)
    found = rounded_and_resolved(compiled, leaked, Deadline())
    assert values(problem, found) == pytest.approx([1.0, 2.0, 0.0], abs=1e-7)
    assert found.value == pytest.approx(3.2)
    assert found.bound == pytest.approx(found.claimed)
    assert (found.status, found.iterations, found.seconds, found.said) == (
        "optimal",
        7,
        0.25,
        "done",
    )


def test_the_rest_follows_rounded_integers_and_a_point_far_from_whole_is_left_alone():
    problem = gate(5.0)
    compiled, near = answered(problem, 1.0 - 1e-5, 2.5, 0.0, bound=-1.0)
    found = rounded_and_resolved(compiled, near, Deadline())
    assert values(problem, found) == pytest.approx([1.0, 2.0, 0.0])
    assert found.value == pytest.approx(3.2)
    assert found.claimed == pytest.approx(compiled.scaled.objective(found.x))
    assert (found.bound, found.form is compiled.scaled) == (-1.0, True)
    compiled, far = answered(problem, 0.5, 2.0, 0.0)
    assert rounded_and_resolved(compiled, far, Deadline()) is far
    pointless = Answer(Status.NO_POINT)
    assert rounded_and_resolved(compiled, pointless, Deadline()) is pointless


def test_the_same_answer_at_another_point_is_valued_by_the_form_it_is_given_with():
    problem = gate(5.0)
    compiled, near = answered(problem, 1.0, 2.5, 0.0)
    other = replace(compiled.scaled, offset=7.0)
    found = moved_answer(compiled, other, near.x, near, 6.0)
    assert found.form is other
    assert found.claimed == pytest.approx(3.25 + 7.0)
    assert (found.bound, found.iterations, found.said) == (6.0, 7, "done")


def test_where_the_search_for_a_leak_has_no_time_the_opened_point_is_taken():
    """The gate that leaked is opened: 3 for it and 0.2 for what it lets through."""
    problem = gate(1e6, most=1.0)
    compiled, leaked = answered(problem, 2e-6, 2.0, 0.0, bound=0.5)
    late = rounded_and_resolved(compiled, leaked, Deadline(seconds=0.0))
    assert values(problem, late) == pytest.approx([1.0, 2.0, 0.0], abs=1e-7)
    assert late.bound == 0.5


def test_a_search_that_insists_on_a_gate_that_cannot_be_closed_is_not_believed(monkeypatch):
    """Neither closed nor opened anew it is any better: the answer stays as it was."""
    problem = gate(1e6, most=1.0)
    compiled, leaked = answered(problem, 2e-6, 2.0, 0.0)
    _, closed = answered(problem, 0.0, 2.0, 0.0)
    insisting = MipSearch("kOptimal", x=closed.x, bound=closed.claimed)
    monkeypatch.setattr("lexiprog.solve.integer.solve_mip", lambda *_: insisting)
    assert rounded_and_resolved(compiled, leaked, Deadline()) is leaked


@pytest.mark.parametrize(
    ("searched", "status", "best"),
    [
        ([2.0, 1.0], Status.OPTIMAL, [2.0, 1.0]),  # -7 is less than -2
        ([2.0, 1.0 + 1e-7], Status.OPTIMAL, [2.0, 1.0]),
        ([2.0, 2.0], Status.OPTIMAL, [1.0, 0.0]),  # outside of the rows
        ([2.0, 1.0], Status.LIMIT, None),
        (None, Status.OPTIMAL, None),
    ],
)
def test_a_search_within_a_known_value_gives_its_point_or_the_known_one(
    searched, status, best, monkeypatch
):
    x = None if searched is None else np.array(searched)
    asked = []

    def search(form, options, start, deadline):
        asked.append(start)
        return SimpleNamespace(x=x, status=status, bound=-7.5, word="")

    monkeypatch.setattr("lexiprog.solve.integer.solve_mip", search)
    known = np.array([1.0, 0.0])
    found = solve_tightened(knapsack(), known, Deadline())
    assert asked[0] is known
    if best is None:
        assert found is None
    else:
        assert (found[0].tolist(), found[1]) == (best, -7.5)


def test_of_a_search_that_ends_above_a_known_value_the_known_point_is_kept(monkeypatch):
    worse = SimpleNamespace(x=np.array([1.0, 0.0]), status=Status.OPTIMAL, bound=-7.5, word="")
    monkeypatch.setattr("lexiprog.solve.integer.solve_mip", lambda *_: worse)
    known = np.array([2.0, 1.0])
    assert solve_tightened(knapsack(), known, Deadline())[0] is known
