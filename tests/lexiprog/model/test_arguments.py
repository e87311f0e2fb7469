"""Which arguments of a curved objective its optimum pins down."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.model.reformulate import arguments, can_restate

NOT_STRICT = [
    lambda x: cp.huber(x[0] - 1),
    lambda x: cp.norm1(x[:2] - np.array([5.0, 5.0])),
    lambda x: cp.norm(x[:2]) + cp.norm(x[1:]),
    lambda x: cp.square(x[0]) + cp.norm(x[1:]),
    lambda x: np.array([1.0, 0.0]) @ cp.square(x[:2] - 1),
    lambda x: cp.log_sum_exp(x) + x[0],
    lambda x: -cp.geo_mean(x[:2]) + cp.max(x),
    lambda x: cp.power(x[0], 4),
    lambda x: cp.square(cp.pos(x[0])),
]


@pytest.mark.parametrize("make", NOT_STRICT)
def test_what_is_not_strictly_curved_has_no_argument_to_hold(make):
    x = cp.Variable(3, bounds=[0, 3], name="x")
    assert arguments(make(x)) is None
    first = lx.Subproblem("first", cp.Minimize(make(x)))
    second = lx.Subproblem("second", cp.Maximize(x[0] + x[1]), [first.held()])
    assert not can_restate(second, "argument", frozenset())


# f = curved + linear part: what is held is the curved one's argument, then the linear part.
PARTS = {
    "sum": (lambda x: cp.square(x[0]) + 3 * x[1], lambda x: [x[0], 3 * x[1]]),
    "scalar times": (lambda x: 2 * (cp.square(x[0]) + 3 * x[1]), lambda x: [x[0], 6 * x[1]]),
    "quotient": (lambda x: (cp.square(x[0]) + 3 * x[1]) / 4, lambda x: [x[0], 0.75 * x[1]]),
    "negated": (lambda x: -(cp.log(x[0]) + 3 * x[1]), lambda x: [x[0], -3 * x[1]]),
    "weights times": (
        lambda x: np.array([1.0, 2.0]) @ (cp.square(x[:2]) + x[1:]),
        lambda x: [x[0], x[1], x[1] + 2 * x[2]],
    ),
    "entry by entry": (
        lambda x: cp.sum(cp.multiply([1.0, 2.0], cp.square(x[:2]) + x[1:])),
        lambda x: [x[0], x[1], x[1] + 2 * x[2]],
    ),
    "square root": (lambda x: cp.sqrt(x[0] + x[2]), lambda x: [x[0] + x[2]]),
    "inverse": (lambda x: cp.inv_pos(x[2]), lambda x: [x[2]]),
    "power by its own cone": (lambda x: cp.power(x[1], 1.5, approx=False), lambda x: [x[1]]),
    "power by squares": (lambda x: cp.power(x[1], 1.5, approx=True), lambda x: [x[1]]),
}


@pytest.mark.parametrize("case", PARTS)
def test_the_arguments_of_a_sum_are_those_of_its_parts(case):
    make, wanted = PARTS[case]
    x = cp.Variable(3, nonneg=True, name="x")
    held = arguments(make(x))
    for point in ([1.0, 2.0, 5.0], [3.0, 0.5, 0.25]):
        x.value = np.array(point)
        found = np.hstack([np.ravel(part.value) for part in held])
        np.testing.assert_allclose(found, wanted(np.array(point)))
