"""Conflicts worked out by hand: who takes part, in which words, and which optimum would yield."""

import pickle

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.deadline import Deadline
from lexiprog.infeasibility.conflict import Feasibility, find_conflict


def failure(*constraints, objective=None, gp=False):
    variable = constraints[0].variables()[0]
    aim = cp.Minimize(cp.sum(variable)) if objective is None else objective
    problem = lx.Subproblem("p", aim, constraints, gp=gp)
    with pytest.raises(lx.StageError) as caught:
        lx.Program(lx.Stage("only", problem)).solve()
    return caught.value


def texts(error):
    return [(part.position, part.text) for part in error.conflict]


def test_parts_have_their_label_or_expression_and_their_place_counted_from_one():
    x = cp.Variable(2, name="x")
    error = failure(
        x <= 9, (cp.sum(x) >= 4).set_label("demand"), x[0] <= 1, x >= -9, x[1] <= 2, x[0] <= 5
    )
    assert texts(error) == [(2, "demand: sum(x) >= 4"), (3, "x[0] <= 1"), (5, "x[1] <= 2")]
    assert error.conflict[0].label == "demand"
    assert error.conflict[0].expression == "sum(x) >= 4"
    assert "These 3 constraints cannot hold together" in str(error)
    assert "(2) demand: sum(x) >= 4" in str(error)


def test_bounds_that_take_part_are_named_with_their_entries():
    x = cp.Variable(3, name="x", bounds=[0, 10])
    error = failure(x[2] >= 11)
    assert texts(error) == [(1, "x[2] >= 11"), (None, "x <= 10")]
    assert error.conflict[1].entries == ((2,),)
    assert "x <= 10 at [2]" in str(error)


@pytest.mark.parametrize(
    ("attributes", "sign", "bound"),
    [
        ({"nonneg": True}, -1, "x >= 0"),
        ({"nonpos": True}, 1, "x <= 0"),
        ({"bounds": [None, 3]}, 1, "x <= 3"),
        ({"bounds": [-3, None]}, -1, "x >= -3"),
    ],
)
def test_every_kind_of_bound_is_told_from_the_others(attributes, sign, bound):
    x = cp.Variable(name="x", **attributes)
    assert texts(failure(sign * x >= 4))[1:] == [(None, bound)]


def test_bounds_of_different_sizes_are_not_shown_as_one_number():
    x = cp.Variable(2, name="x", bounds=[np.array([1, 2]), np.array([3, np.inf])])
    assert texts(failure(cp.sum(x) <= 2.5)) == [(1, "sum(x) <= 2.5"), (None, "x >= its bounds")]


def test_being_whole_is_named_where_it_matters_and_only_there():
    n, m = cp.Variable(name="n", integer=True), cp.Variable(name="m", integer=True)
    odd = failure(2 * n + 4 * m == 5, m <= 7)
    assert texts(odd) == [(1, "2 * n + 4 * m == 5"), (None, "n is whole"), (None, "m is whole")]
    plain = failure(n >= 3, n <= 2, m <= 7)
    assert texts(plain) == [(1, "n >= 3"), (2, "n <= 2")]


def test_a_boolean_is_between_its_values_and_whole():
    b = cp.Variable(2, name="b", boolean=True)
    assert texts(failure(cp.sum(b) >= 3)) == [(1, "sum(b) >= 3"), (None, "b <= 1")]
    part = cp.Variable(2, name="b", boolean=[(0,)])
    assert texts(failure(part[0] >= 3)) == [(1, "b[0] >= 3"), (None, "b <= 1")]
    half = failure(b[0] == 0.5)
    assert texts(half) == [(1, "b[0] == 0.5"), (None, "b is whole")]


def test_only_the_rows_of_an_array_that_take_part_are_named():
    x = cp.Variable((2, 3), name="x")
    error = failure(x >= np.array([[0, 0, 5], [0, 0, 0]]), x <= 2)
    assert [part.entries for part in error.conflict] == [((0, 2),), ((0, 2),)]


@pytest.mark.parametrize(
    ("constraints", "kept"),
    [
        (lambda x: [cp.norm(x) <= 1, x <= 7, cp.sum(x) >= 4], [1, 3]),
        (lambda x: [cp.SOC(x[0], x[1:]), x[0] <= 1, x[1] >= 2, x[2] >= 0], [1, 2, 3]),
        (lambda x: [cp.exp(x[0]) <= x[1], x[1] <= 1, x[2] >= 0, x[0] >= 1], [1, 2, 4]),
        (lambda x: [cp.diag(x) >> np.eye(3), x[2] <= 0.5, x[1] <= 5], [1, 2]),
        (lambda x: [cp.ExpCone(x[0], x[1], x[2]), x[2] <= -1, x[0] >= 0], [1, 2]),
        (lambda x: [cp.PowCone3D(x[0], x[1], x[2], 0.5), x[:2] <= 1, x <= 9, x[2] >= 2], [1, 2, 4]),
    ],
)
def test_cones_take_part_as_a_whole(constraints, kept):
    x = cp.Variable(3, name="x")
    error = failure(*constraints(x))
    assert [part.position for part in error.conflict] == kept


def test_geometric_programs_have_conflicts_too():
    w, h = cp.Variable(pos=True, name="w"), cp.Variable(pos=True, name="h")
    aim = cp.Minimize(w * h)
    error = failure(w * h >= 8, h <= 2, w <= 9, w <= 3, objective=aim, gp=True)
    assert texts(error) == [(1, "w * h >= 8"), (2, "h <= 2"), (4, "w <= 3")]


def test_a_sign_that_the_rules_of_convexity_need_stays_in_force():
    x, y = cp.Variable(nonneg=True, name="x"), cp.Variable(name="y")
    error = failure(cp.square(x + cp.abs(y)) <= 1, y >= 2, x <= 9)
    assert [part.position for part in error.conflict] == [1, 2]


def test_each_earlier_optimum_has_the_least_relaxation_that_helps():
    x = cp.Variable(2, bounds=[0, 10], name="x")
    cost, demand = 3 * x[0] + x[1], [x[0] + 2 * x[1] >= 8, 2 * x[0] + x[1] >= 8]
    cheap = lx.Subproblem("cheap", cp.Minimize(cost), demand)
    most = lx.Subproblem("most", cp.Maximize(x[1]), [x[1] <= 1.5])
    limits = [x[1] <= most.optimum, cost <= cheap.optimum]
    later = lx.Subproblem("later", cp.Minimize(x[0]), [*demand, *limits])
    with pytest.raises(lx.StageError) as caught:
        lx.Program(lx.Stage("a", cheap, most), lx.Stage("b", later)).solve()
    # With x1 <= 3/2 the cheapest is 33/2 at (5, 3/2), and with cost 8 all of x1 = 8 is needed.
    found = {part.position: (part.optima, part.relaxation) for part in caught.value.conflict}
    assert found[3] == (("most.optimum",), pytest.approx(6.5, rel=1e-5))
    assert found[4] == (("cheap.optimum",), pytest.approx(8.5, rel=1e-5))
    assert [position for position, (optima, _) in found.items() if not optima] == [2]


def test_where_only_relaxing_several_optima_helps_the_sum_is_said():
    x = cp.Variable(2, name="x")
    lows = [lx.Subproblem(f"low {k}", cp.Minimize(x[k]), [x[k] >= 1]) for k in (0, 1)]
    later = lx.Subproblem(
        "later", cp.Minimize(x[0]),
        [x[0] <= lows[0].optimum, x[1] <= lows[1].optimum, x[0] >= 3, x[1] >= 3],
    )  # fmt: skip
    with pytest.raises(lx.StageError, match="4 in sum") as caught:
        lx.Program(lx.Stage("a", *lows), lx.Stage("b", later)).solve()
    assert len(caught.value.conflict) == 2
    assert all(part.relaxation is None for part in caught.value.conflict)


def test_unnamed_variables_are_called_in_a_conflict_as_in_a_solution():
    x = cp.Variable(2)
    assert texts(failure(x[0] >= 2, x[0] <= 1)) == [(1, "#0[0] >= 2"), (2, "#0[0] <= 1")]


def test_a_conflict_of_many_constraints_is_found_without_trying_each():
    x = cp.Variable(30, name="x")
    constraints = [x[k] <= 5 + k for k in range(30)] + [x[k] >= -k for k in range(30)]
    constraints.insert(17, cp.sum(x[3:6]) >= 40)  # 8 + 9 + 10 = 27 at most
    problem = lx.Subproblem("p", cp.Minimize(cp.sum(x)), constraints)
    found = find_conflict(problem)
    assert [demand.position for demand in found.constraints] == [3, 4, 5, 17]
    assert found.minimal


def test_without_time_the_conflict_is_not_called_smallest():
    x = cp.Variable(name="x")
    problem = lx.Subproblem("p", cp.Minimize(x), [x >= 2, x <= 1, x <= 5])
    assert find_conflict(problem, Deadline(0.0)) is None


def test_a_feasible_problem_has_no_conflict():
    x = cp.Variable(name="x")
    assert find_conflict(lx.Subproblem("p", cp.Minimize(x), [x >= 2, x <= 5])) is None


def test_other_failures_have_an_empty_conflict_and_errors_survive_pickling():
    x = cp.Variable(name="x")
    with pytest.raises(lx.StageError) as caught:
        lx.Program(lx.Stage("only", lx.Subproblem("p", cp.Minimize(x), [x <= 1]))).solve()
    assert caught.value.conflict == ()
    error = failure(x >= 2, x <= 1)
    again = pickle.loads(pickle.dumps(error))
    assert again.conflict == error.conflict
    assert again.reason == error.reason
    assert str(again) == str(error)


def test_the_variables_and_constraints_of_the_user_stay_as_they_are():
    x = cp.Variable(2, name="x", nonneg=True)
    constraints = [cp.sum(x) <= -1]
    before = dict(x.attributes), str(constraints[0])
    failure(*constraints)
    assert (dict(x.attributes), str(constraints[0])) == before
    assert x.value is None


def test_booleans_at_some_entries_take_part_where_they_are():
    x = cp.Variable((2, 3), name="x", boolean=[(0, 1), (2, 2)])
    error = failure(x[0, 2] + x[1, 2] >= 3, x >= -5)
    assert [part.text for part in error.conflict] == ["x[0, 2] + x[1, 2] >= 3", "x <= 1"]
    assert error.conflict[1].entries == ((0, 2), (1, 2))
    assert failure(x[0, 0] >= 7, x <= 6).conflict[1].text == "x <= 6 at [0, 0]"


def test_without_a_proof_to_rest_on_the_conflict_is_the_same(monkeypatch):
    """Of six constraints and four bounds, x >= 3 and x <= 2 at the second entry contradict."""
    x, y = cp.Variable(3, name="x", bounds=[0, 9]), cp.Variable(name="y", bounds=[0, 9])
    rows = [y >= 1, cp.sum(x) >= 0, x[1] + y >= 5, y <= 2, x <= 8, x <= [4, 2.5, 4]]
    problem = lx.Subproblem("p", cp.Minimize(y), rows)
    guided = find_conflict(problem)
    monkeypatch.setattr(Feasibility, "support", lambda *_: None)
    plain = find_conflict(problem)
    for found in (guided, plain):
        assert [d.position for d in found.constraints] == [2, 3, 5]
        assert [list(d.all_entries) for d in found.constraints] == [[0], [0], [1]]
        assert (found.bounds, found.whole, found.minimal) == ((), (), True)


def test_questions_that_nobody_answers_leave_a_conflict_that_may_be_larger(monkeypatch):
    x = cp.Variable(name="x")
    problem = lx.Subproblem("p", cp.Minimize(x), [x >= 3, x <= 2, x <= 7])
    possible, asked = Feasibility.possible, []

    def tired(self, demands):
        asked.append(len(demands))
        return possible(self, demands) if len(asked) <= 2 else None

    monkeypatch.setattr(Feasibility, "possible", tired)
    found = find_conflict(problem)
    assert not found.minimal
    assert {0, 1} <= {d.position for d in found.constraints}


def test_what_can_be_met_is_no_conflict():
    x = cp.Variable(name="x")
    assert find_conflict(lx.Subproblem("p", cp.Minimize(x), [x >= 1, x <= 2])) is None
    assert (
        find_conflict(lx.Subproblem("p", cp.Minimize(x), [x >= 3, x <= 2]), Deadline(0.0)) is None
    )
