"""Where the search for a vertex starts, and what is kept of it."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from lexiprog.backends.highs import TINY
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.deadline import Deadline
from lexiprog.solve.face import MODERATE, LinearFace, VertexFinder


def form(c=(1.0, 2.0), rows=1):
    """Least x + 2y over x + y >= 2, as often as there are rows, both between 0 and 5."""
    A = sp.csc_array(-np.ones((rows, 2)))
    return StandardForm(np.array(c), 0.0, A, np.full(rows, -2.0), Cones(nonneg=rows),
                        lower=np.zeros(2), upper=np.full(2, 5.0))  # fmt: skip


class Noted:
    """A session that notes how it is asked, and succeeds at a given turn."""

    def __init__(self, A, options, turn=1):
        self.shape, self.options, self.turn, self.asked = A.shape, options, turn, []
        self.A = A

    def has_matrix(self, A):
        return A is self.A

    def run(self, cost, bounds, start, *, refine, primal, deadline):
        self.asked.append((start, primal, refine))
        return SimpleNamespace(optimal=len(self.asked) >= self.turn)


def find(finder, problem, held=(), correct=False, name="a"):
    within = SimpleNamespace(bounds=lambda form: None)
    return finder.find(name, problem, within, list(held), {"threads": 1}, None, correct=correct)


def holder(presolved=False):
    return SimpleNamespace(basis="holder's", presolved=presolved)


def asked(held=(), turn=1, rows=1, bases=None, **terms):
    sessions = []

    def session(A, options):
        sessions.append(Noted(A, options, turn))
        return sessions[-1]

    finder = VertexFinder(session, dict(bases or {}))
    find(finder, form(rows=rows), held, **terms)
    (one,) = sessions
    return one.asked, finder


def test_a_first_level_starts_from_nothing_or_from_where_it_ended_before():
    assert asked()[0] == [(None, False, False)]
    assert asked(correct=True)[0] == [(None, False, True)]
    tried, finder = asked(bases={"a": "last", "b": "other"})
    assert tried == [("last", False, False)]
    assert finder.bases == {"b": "other"}
    assert asked(bases={"a": "last"}, turn=2)[0] == [("last", False, False), (None, False, False)]


def test_a_later_level_starts_at_the_point_of_the_last_that_it_holds():
    assert asked([holder()])[0] == [("holder's", True, False)]
    both = [("holder's", True, False), ("holder's", False, False)]
    assert asked([holder()], turn=2)[0] == both
    assert asked([holder(presolved=True), holder()], turn=2)[0] == both
    assert asked([holder(presolved=True)])[0] == [(None, False, False)]
    many = MODERATE + 1
    assert asked([holder()], rows=many)[0] == [("holder's", False, False)]
    assert asked([holder()], rows=MODERATE)[0] == [("holder's", True, False)]


def test_what_has_no_optimum_is_tried_in_every_way_and_no_more():
    assert len(asked([holder(presolved=True)], turn=99, bases={"a": "last"})[0]) == 4


def test_another_matrix_has_another_session_and_another_shape_other_bases():
    sessions = []

    def session(A, options):
        sessions.append(Noted(A, options))
        return sessions[-1]

    finder = VertexFinder(session, {"b": "kept"})
    first = form()
    find(finder, first)
    find(finder, first)
    assert len(sessions) == 1
    find(finder, form())
    assert len(sessions) == 2
    assert finder.bases == {"b": "kept"}
    find(finder, form(rows=2))
    assert (len(sessions), finder.bases) == (3, {})
    assert all(one.options["threads"] == 1 for one in sessions)
    assert all(one.options["primal_feasibility_tolerance"] == 1e-9 for one in sessions)
    assert sessions[0].options["presolve"] == "off"
    find(finder, form(rows=TINY + 1))
    assert "presolve" not in sessions[-1].options


def test_who_follows_starts_where_the_other_ended():
    before, after = VertexFinder(Noted, {"a": "last"}), VertexFinder(Noted)
    problem = form()
    find(before, problem, name="b")
    after.follow(before)
    after.bases["c"] = "own"
    assert before.bases == {"a": "last"}
    find(after, problem)
    assert after.model is before.model
    assert after.model.asked[-1] == ("last", False, False)


def test_a_vertex_with_twice_the_digits_is_the_same_vertex():
    finder, problem = VertexFinder(), form()
    everywhere = LinearFace.whole(problem)
    vertex = finder.find("a", problem, everywhere, [], {}, None, correct=True)
    assert vertex.x == pytest.approx([2.0, 0.0])
    found = finder.refined(problem, everywhere, vertex, Deadline())
    assert found.x.tolist() == [2.0, 0.0]
    assert found.row_dual + found.correction == pytest.approx([-1.0])
    assert found.error is not None
    assert VertexFinder().refined(problem, everywhere, vertex, Deadline()) is vertex
    assert VertexFinder().at("a", problem, vertex) is None


def test_the_same_vertex_with_other_costs_has_their_multipliers():
    finder, problem = VertexFinder(), form()
    everywhere = LinearFace.whole(problem)
    vertex = finder.find("a", problem, everywhere, [], {}, None, correct=True)
    finder.bases = {"a": vertex.basis, "b": vertex.basis}
    other = form(c=(3.0, 4.0))
    same = finder.at("a", other, vertex)
    assert same.x.tolist() == vertex.x.tolist()
    assert -same.row_dual == pytest.approx([3.0])
    assert list(finder.bases) == ["b"]
