"""The independent checker itself: right records pass, each kind of wrong record is noticed."""

from dataclasses import replace

import numpy as np
import pytest

from tests.independent import (
    TOLERANCE,
    Block,
    LinearProblem,
    Record,
    Reference,
    Rows,
    Term,
    verdicts,
)

X = Block("x", np.zeros(2), np.full(2, 10.0))
Y = Block("y", np.zeros(1), np.full(1, np.inf))
# min x0 + 2 x1, x0 + x1 >= 4, x0 <= 3: (3, 1), 5, duals 2 and 1.
FIRST = LinearProblem(
    "first",
    (X,),
    np.array([1.0, 2.0]),
    (
        Rows(np.ones((1, 2)), ">=", np.array([4.0])),
        Rows(np.array([[1.0, 0.0]]), "<=", np.array([3.0])),
    ),
)
# max (6 - dual of the demand) y - x0 of the first, y == 1 + optimum / 5: 4 * 2 - 3 = 5, dual 4
# by the Lagrangian -4 y + nu (y - 2).
SECOND = LinearProblem(
    "second",
    (Y,),
    np.array([6.0]),
    (
        Rows(
            np.ones((1, 1)),
            "==",
            np.ones(1),
            (Term(np.array([[0.2]]), Reference("first", "optimum")),),
        ),
    ),
    maximize=True,
    cost_terms=(Term(np.array([[-1.0]]), Reference("first", "dual", rows=0)),),
    offset_terms=(
        Term(np.array([[-1.0]]), Reference("first", "expression", "x", np.array([[1.0, 0.0]]))),
    ),
)
RIGHT = {
    "first": Record(5.0, np.array([3.0, 1.0]), [np.array([2.0]), np.array([1.0])]),
    "second": Record(5.0, np.array([2.0]), [np.array([4.0])]),
}


def worst(records):
    return max(verdict.worst for verdict in verdicts([[FIRST], [SECOND]], records).values())


def test_the_records_worked_by_hand_pass():
    assert worst(RIGHT) < 1e-12


@pytest.mark.parametrize("name", ["first", "second"])
@pytest.mark.parametrize(
    "spoil",
    [
        lambda record: replace(record, value=record.value + 1e-4),
        lambda record: replace(record, point=record.point - 1e-4),
        lambda record: replace(record, point=-record.point),
        lambda record: replace(record, duals=[dual + 1e-4 for dual in record.duals]),
        lambda record: replace(record, duals=[-dual for dual in record.duals]),
    ],
    ids=["value", "point", "bound", "dual", "sign"],
)
def test_a_spoilt_record_is_noticed(name, spoil):
    assert worst(RIGHT | {name: spoil(RIGHT[name])}) > TOLERANCE


def test_a_later_problem_is_judged_by_the_recorded_references_not_by_the_true_ones():
    # With a recorded first optimum of 10 the second has y == 3 and 4 * 3 - 3 = 9.
    records = RIGHT | {"first": replace(RIGHT["first"], value=10.0)}
    assert verdicts([[FIRST], [SECOND]], records)["second"].linprog == pytest.approx(9)


def test_a_row_missed_by_the_rounding_of_an_earlier_optimum_is_judged_with_room_not_given_up():
    # x0 + 2 x1 <= the recorded optimum, which is 1e-6 too small, over the first problem's rows:
    # only (3, 1) is left, and any other claim is noticed.
    lock = Rows(
        FIRST.cost[None],
        "<=",
        np.zeros(1),
        (Term(np.ones((1, 1)), Reference("first", "optimum")),),
    )
    third = replace(FIRST, name="third", cost=np.array([0.0, 1.0]), rows=(*FIRST.rows, lock))
    duals = [np.array([1.0]), np.array([1.0]), np.array([0.0])]
    records = {
        "first": replace(RIGHT["first"], value=5.0 - 1e-6),
        "third": Record(1.0, np.array([3.0, 1.0]), duals),
    }
    assert verdicts([[FIRST], [third]], records)["third"].worst < 1e-6
    for value in (0.99, 1.01):
        spoilt = records | {"third": replace(records["third"], value=value)}
        assert verdicts([[FIRST], [third]], spoilt)["third"].worst > 1e-3
