"""Linear problems that are compiled without CVXPY's reductions are the same problems."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog.cvxpy_adapter import AffineCanonicaliser, Prepared, answer_at, interpret, run
from tests.lexiprog.cvxpy_adapter.test_parameter_substitution import Case, assert_same, by_cvxpy


@pytest.mark.parametrize("seed", range(5))
def test_points_and_multipliers_come_back_as_from_cvxpy(seed):
    problem = Case("linear", seed).problem
    straight, expected = Prepared(problem).compile("HIGHS", {}), by_cvxpy(problem, "HIGHS")
    assert straight.index_map is not None
    assert expected.index_map is None
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=straight.form.c.size), rng.normal(size=straight.form.b.size)
    found, same = (answer_at(c, x, z, iterations=1) for c in (straight, expected))
    assert found.value == pytest.approx(same.value, rel=1e-12)
    for one, other in ((found.primal, same.primal), (found.dual, same.dual)):
        assert one.keys() == other.keys()
        for key, value in other.items():
            np.testing.assert_allclose(np.ravel(one[key]), np.ravel(value))


@pytest.mark.parametrize("seed", range(5))
def test_the_solver_finds_the_same_optimum(seed):
    problem = Case("linear", seed).problem
    strategies = (Prepared(problem).compile("HIGHS", {}), by_cvxpy(problem, "HIGHS"))
    found, expected = (interpret(compiled, run(compiled, {})) for compiled in strategies)
    assert found.status == expected.status
    assert found.value == pytest.approx(expected.value)
    for key, value in expected.dual.items():
        np.testing.assert_allclose(np.ravel(found.dual[key]), np.ravel(value), atol=1e-9)


def test_every_objective_is_a_row_of_one_form():
    x, p = cp.Variable(3, nonneg=True, name="x"), cp.Parameter(value=2.0)
    constraints = [cp.sum(x) >= p, x[0] == 1]
    objectives = [cp.Minimize(cp.sum(x) + p), cp.Maximize(p * x[1] - x[0] + 3), cp.Minimize(x[2])]
    straight = AffineCanonicaliser.of(objectives, constraints)
    for value in (2.0, -5.0):
        p.value = value
        together = straight.compile()
        assert together[0].form.A is together[2].form.A
        for compiled, objective in zip(together, objectives, strict=True):
            alone = by_cvxpy(cp.Problem(objective, constraints), "HIGHS").form
            assert compiled.form.offset == alone.offset
            # Alone, a problem has its own variables first; here there is only one.
            assert_same(compiled.form, alone)


@pytest.mark.parametrize(
    ("name", "objective", "constraints"),
    [
        ("curved", lambda x, p: cp.Minimize(cp.sum_squares(x)), lambda x, p: []),
        ("piecewise", lambda x, p: cp.Minimize(cp.max(x)), lambda x, p: []),
        ("curved in p", lambda x, p: cp.Minimize(x[0]), lambda x, p: [x[0] >= cp.abs(p)]),
        ("cone", lambda x, p: cp.Minimize(x[0]), lambda x, p: [cp.SOC(x[0], x)]),
    ],
)
def test_what_is_not_affine_is_left_to_cvxpy(name, objective, constraints):
    x, p = cp.Variable(2, name="x"), cp.Parameter(value=1.0)
    assert AffineCanonicaliser.of([objective(x, p)], constraints(x, p)) is None


@pytest.mark.parametrize(
    "attributes", [{"integer": True}, {"boolean": True}, {"symmetric": True}, {"complex": True}]
)
def test_variables_that_are_more_than_numbers_are_left_to_cvxpy(attributes):
    x = cp.Variable((2, 2), name="x", **attributes)
    assert AffineCanonicaliser.of([cp.Minimize(cp.real(cp.sum(x)))], []) is None


def test_large_parameters_are_compiled_as_fast_as_small_ones():
    """C++ would take a second for each thousand entries."""
    rng = np.random.default_rng(0)
    x, p = cp.Variable(40, nonneg=True, name="x"), cp.Parameter((30, 40))
    straight = AffineCanonicaliser.of([cp.Minimize(cp.sum(x))], [p @ x >= 1])
    p.value = rng.uniform(1, 2, (30, 40))
    np.testing.assert_array_equal(straight.compile()[0].form.A.toarray(), -p.value)


def test_a_point_that_is_maximised_has_the_users_sign():
    x = cp.Variable(2, bounds=[0, 3], name="x")
    program = lx.Program(lx.Stage("s", lx.Subproblem("p", cp.Maximize(x[0] + 2 * x[1] - 1))))
    solution = program.solve()["p"]
    assert solution.value == pytest.approx(8.0)
    assert solution.bound == pytest.approx(8.0)
