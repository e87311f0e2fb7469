"""Levels without convexity: local optima of textbook problems, and what is said of them."""

import subprocess
import sys
from importlib.util import find_spec

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx

needs_solver = pytest.mark.skipif(find_spec("unopy") is None, reason="unopy is not installed")


def solved(objective, constraints=(), solver=None):
    level = lx.Subproblem("level", objective, constraints, nlp=True)
    return lx.Program(lx.Stage("only", level)).solve(solver).final


def at(values, bounds=None):
    x = cp.Variable(len(values), bounds=bounds, name="x")
    x.value = np.array(values, float)
    return x


def rosenbrock():
    x = at([-1.2, 1])
    return cp.Minimize(cp.square(1 - x[0]) + 100 * cp.square(x[1] - cp.square(x[0]))), [], 0.0


def hs71():
    x = at([1, 5, 5, 1], [1, 5])
    rows = [x[0] * x[1] * x[2] * x[3] >= 25, cp.sum_squares(x) == 40]
    return cp.Minimize(x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2]), rows, 17.0140173


def hs6():
    x = at([-1.2, 1])
    return cp.Minimize(cp.square(1 - x[0])), [10 * (x[1] - cp.square(x[0])) == 0], 0.0


def hs7():
    x = at([2, 2])
    rows = [cp.square(1 + cp.square(x[0])) + cp.square(x[1]) == 4]
    return cp.Minimize(cp.log(1 + cp.square(x[0])) - x[1]), rows, -np.sqrt(3)


def hs12():
    x = at([0, 0])
    cost = 0.5 * cp.square(x[0]) + cp.square(x[1]) - x[0] * x[1] - 7 * x[0] - 7 * x[1]
    return cp.Minimize(cost), [4 * cp.square(x[0]) + cp.square(x[1]) <= 25], -30.0


def hs22():
    x = at([2, 2])
    rows = [x[0] + x[1] <= 2, x[1] >= cp.square(x[0])]
    return cp.Minimize(cp.square(x[0] - 2) + cp.square(x[1] - 1)), rows, 1.0


def hs26():
    x = at([-2.6, 2, 2])
    rows = [(1 + cp.square(x[1])) * x[0] + cp.power(x[2], 4) == 3]
    return cp.Minimize(cp.square(x[0] - x[1]) + cp.power(x[1] - x[2], 4)), rows, 0.0


def hs28():
    x = at([-4, 1, 1])
    return (cp.Minimize(cp.square(x[0] + x[1]) + cp.square(x[1] + x[2])),
            [x[0] + 2 * x[1] + 3 * x[2] == 1], 0.0)  # fmt: skip


def hs35():
    x = at([0.5, 0.5, 0.5], [0, None])
    cost = (9 - 8 * x[0] - 6 * x[1] - 4 * x[2] + 2 * cp.square(x[0]) + 2 * cp.square(x[1])
            + cp.square(x[2]) + 2 * x[0] * x[1] + 2 * x[0] * x[2])  # fmt: skip
    return cp.Minimize(cost), [x[0] + x[1] + 2 * x[2] <= 3], 1 / 9


def circle():
    """The largest product on a circle: x = y."""
    x = at([1.0, 0.2])
    return cp.Maximize(x[0] * x[1]), [cp.sum_squares(x) == 2], 1.0


TEXTBOOK = [rosenbrock, hs6, hs7, hs12, hs22, hs26, hs28, hs35, hs71, circle]


@needs_solver
@pytest.mark.parametrize("problem", TEXTBOOK)
def test_local_optima_of_the_textbook_are_found_and_called_local(problem):
    objective, constraints, optimum = problem()
    solution = solved(objective, constraints)
    assert solution.status == "local"
    assert solution.value == pytest.approx(optimum, abs=2e-6, rel=1e-6)
    assert solution.bound is None
    assert solution.certificate.worst <= 1e-6


@needs_solver
def test_levels_are_held_and_the_order_is_one_of_local_optima():
    objective, constraints, optimum = hs71()
    x = objective.variables()[0]
    program = lx.preemptive({"cost": objective, "second": cp.Minimize(x[1])}, constraints,
                            rtol={"cost": 0.01}, nlp=True)  # fmt: skip
    result = program.solve()
    cost = float(result.final.at(objective.expr))
    assert cost <= 1.01 * optimum * (1 + 1e-6)
    assert result.final.value < float(result["cost"][x][1])
    assert {s.status for s in result.values()} == {lx.Status.LOCAL}
    with pytest.raises(lx.DeclarationError, match="nlp=True finds local optima"):
        lx.preemptive({"cost": objective}, constraints)


@needs_solver
def test_several_starts_find_the_better_of_two_valleys():
    x = cp.Variable(name="x", bounds=[-3, 3])
    valleys = cp.Minimize(cp.power(x, 4) - 3 * cp.square(x) + x)
    x.value = 2.0
    one = solved(valleys)
    x.value = 2.0
    several = solved(valleys, solver=lx.Solver("UNO", starts=8))
    assert one.value == pytest.approx(-1.0702, abs=1e-3)
    assert several.value == pytest.approx(-3.5139, abs=1e-3)


@needs_solver
def test_a_point_that_is_not_stationary_is_not_taken():
    objective, constraints, _ = rosenbrock()
    with pytest.raises(lx.StageError, match=r"no first-order point|user_limit|it said"):
        solved(objective, constraints, lx.Solver("UNO", max_iterations=2))


@needs_solver
def test_what_no_multiplier_can_tell_is_refused():
    x, w = cp.Variable(name="x"), cp.Parameter(name="w", value=2.0)
    row = cp.square(x) <= 4
    level = lx.Subproblem("level", cp.Minimize(cp.power(x, 3) + w), [row], nlp=True)
    with pytest.raises(lx.DeclarationError, match="no multipliers"):
        level.dual(row)
    result = lx.Program(lx.Stage("only", level)).solve()
    assert result.final.value == pytest.approx(-6.0)
    with pytest.raises(lx.LexiprogError, match="not convex"):
        result.gradient(w, of="level")
    whole = cp.Variable(integer=True, name="n")
    with pytest.raises(lx.DeclarationError, match="no integers"):
        lx.Subproblem("level", cp.Minimize(cp.power(whole, 3)), nlp=True)


def test_without_a_solver_the_way_to_one_is_named():
    code = (
        "import sys; sys.modules['unopy'] = sys.modules['cyipopt'] = None\n"
        "import cvxpy as cp, lexiprog as lx\n"
        "x = cp.Variable(name='x')\n"
        "level = lx.Subproblem('level', cp.Minimize(cp.power(x, 3)), nlp=True)\n"
        "lx.Program(lx.Stage('only', level)).solve()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install 'lexiprog[nlp]'" in done.stderr.splitlines()[-1]
