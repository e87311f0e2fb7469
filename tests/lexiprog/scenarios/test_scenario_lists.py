"""What a sweep is given: lists of values that fit their parameters, or a refusal that names one."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


@pytest.mark.parametrize(
    ("lists", "words"),
    [
        (lambda p: {}, "mapping from parameters"),
        (lambda p: {cp.Parameter(name="other"): [1]}, "no parameter of this program; it has 'cap'"),
        (lambda p: {p: [np.ones(3)]}, "position 0"),
        (lambda p: {p: [1.0, -1.0]}, "'cap' does not take its value at position 1"),
    ],
)
def test_bad_lists_are_refused_before_anything_is_solved(lists, words):
    x, cap = cp.Variable(name="x"), cp.Parameter(nonneg=True, name="cap")
    program = lx.preemptive({"high": cp.Maximize(x)}, [x <= cap])
    with pytest.raises(lx.DeclarationError, match=words):
        lx.sweep(program, lists(cap))


def test_lists_are_of_one_length():
    x, low, high = cp.Variable(name="x"), cp.Parameter(name="low"), cp.Parameter(name="high")
    program = lx.preemptive({"high": cp.Maximize(x)}, [x <= high, x >= low])
    with pytest.raises(lx.DeclarationError, match="'low' has 2, 'high' has 3"):
        lx.sweep(program, {low: [1, 2], high: [1, 2, 3]})
    with pytest.raises(ValueError, match="workers"):
        lx.sweep(program, {low: [1], high: [2]}, workers=0)
