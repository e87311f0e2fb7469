"""What parameters become between solves, and the units of a held curve, change no answer."""

import os
from random import Random

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from tests.lexiprog.trust.changed_data import ODD, PLACES, outcome, same, written

pytestmark = pytest.mark.filterwarnings("ignore::lexiprog.LexiprogWarning")
COUNT = 200 if os.environ.get("LEXIPROG_PROFILE") == "nightly" else 3


@pytest.mark.parametrize("kind", ["LP", "QP", "SOCP"])
@pytest.mark.parametrize("warm", [False, True])
def test_solving_again_gives_what_a_fresh_program_gives(kind, warm):
    differ = total = 0
    for seed in range(COUNT):
        random = Random(f"{kind} {seed}")
        build = written(random, kind, random.choice(PLACES))
        parameter = cp.Parameter(name="changing")
        again = build(parameter)
        for parameter.value in random.sample(ODD, 4):
            found = outcome(again, warm=warm)
            fresh = outcome(build(float(parameter.value)))
            total += 1
            differ += not same(found, fresh)
    # A certificate at its limit may fall to either side: one in a hundred at most.
    assert differ <= total / 100


def test_a_side_that_becomes_infinity_is_as_good_as_none():
    """2 x + y <= p and x + y <= 3: x at most 1 while p is 2, and 3 when p is as good as none."""
    x, limit = cp.Variable(2, nonneg=True, name="x"), cp.Parameter(name="limit")
    most = lx.Subproblem("most", cp.Maximize(x[0]), [2 * x[0] + x[1] <= limit, cp.sum(x) <= 3])
    program = lx.Program(lx.Stage("only", most))
    for limit.value, best in [(2.0, 1.0), (1e15, 3.0), (5e-324, 0.0), (1e18, 3.0), (2.0, 1.0)]:
        assert program.solve().final.value == pytest.approx(best, abs=1e-9)
        assert program.solve(warm=True).final.value == pytest.approx(best, abs=1e-9)


UNITS = (1e-6, 1e-3, 1.0, 1e3, 1e6, 1e9)


@pytest.mark.parametrize("unit", UNITS)
def test_least_risk_within_a_share_and_then_return_in_any_currency(unit):
    """Risks 1 and 4: shares 4/5 and 1/5, risk 4/5; within 25 % the second may be 2/5, risk 1."""
    x = cp.Variable(2, nonneg=True, name="x")
    levels = {
        "risk": cp.Minimize(x[0] ** 2 + 4 * x[1] ** 2),
        "return": cp.Maximize(x[1]),
    }
    result = lx.preemptive(levels, [cp.sum(x) == unit], rtol={"risk": 0.25}).solve()
    assert [s.status for s in result.values()] == ["optimal", "optimal"]
    assert result["risk"].value == pytest.approx(0.8 * unit**2, rel=1e-6)
    assert result["return"].value == pytest.approx(0.4 * unit, rel=1e-6)
    # With d more of risk r = 0.8 + d the return is 0.2 + (d / 5) ** 0.5, in units of its own.
    assert result["return"].price("risk") == pytest.approx(0.5 / unit, rel=1e-4)


@pytest.mark.parametrize("unit", [1e-3, 1e4])
@pytest.mark.parametrize("curve", ["squares and sums", "norm and squares", "squares of a mean"])
def test_other_held_squares_are_right_in_other_units(curve, unit):
    def program(unit):
        x = cp.Variable(3, nonneg=True, name="x")
        mix = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, -1.0]])
        held = {
            "squares and sums": cp.sum_squares(x) + unit * (np.array([3.0, 1.0, 2.0]) @ x),
            "norm and squares": unit * cp.norm1(x - unit) + cp.sum_squares(mix @ x),
            "squares of a mean": cp.quad_form(x, np.diag([1.0, 2.0, 3.0])) + cp.square(cp.sum(x)),
        }[curve]
        levels = {"held": cp.Minimize(held), "then": cp.Maximize(x[0] + 2 * x[2])}
        return lx.preemptive(levels, [cp.sum(x) >= unit], rtol={"held": 0.1})

    ones, others = program(1.0).solve(), program(unit).solve()
    assert others["then"].status == "optimal"
    assert others["held"].value / unit**2 == pytest.approx(ones["held"].value, rel=1e-6)
    assert others["then"].value / unit == pytest.approx(ones["then"].value, rel=1e-5)
