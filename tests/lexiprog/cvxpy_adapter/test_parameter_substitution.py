"""What is substituted here are the very numbers of CVXPY, whatever the parameters."""

import cvxpy as cp
import numpy as np
import pytest
import scipy.sparse as sp

from lexiprog.cvxpy_adapter import Prepared
from lexiprog.cvxpy_adapter.prepare import ParameterSubstitution


class Case:
    """A problem with parameters of several shapes, and how to give them other values."""

    def __init__(self, kind: str, seed: int = 0) -> None:
        self.rng = rng = np.random.default_rng(seed)
        x = cp.Variable(8, bounds=[0, 5], name="x")
        y = cp.Variable((2, 3), name="y")
        p, q = cp.Parameter(4, name="p"), cp.Parameter(nonneg=True, name="q")
        self.M = M = cp.Parameter((2, 3), name="M")
        self.parameters = [p, q, M]
        self.draw()
        constraints = [
            rng.normal(size=(4, 8)) @ x + y[0, 0] >= p - 10,
            cp.sum(y) == q,
            y >= M - 9,
            cp.NonNeg(y + 5),
            cp.reshape(x[:6], (2, 3), order="F") <= y + q * 4,
            cp.sum(cp.multiply(M, y)) <= 50,
            -7 - x <= 0,
        ]
        costs = rng.uniform(1, 2, 8)
        objective = {
            "linear": lambda: cp.Maximize(p[0] * x[0] + 3 * q - cp.sum(y[:, 1]) - costs @ x + 7),
            "piecewise linear": lambda: cp.Minimize(cp.norm1(x - p[0]) + q * cp.max(y)),
            "quadratic": lambda: cp.Minimize(
                q * cp.sum_squares(x) + cp.sum_squares(y - p[0]) + p[1] * x[1]
            ),
            "cone": lambda: cp.Minimize(cp.norm(x - p[0]) + q * cp.norm(y, "fro")),
            "exponential": lambda: cp.Minimize(cp.sum(cp.exp(x - p[0])) + cp.sum_squares(y)),
        }[kind]()
        self.problem = cp.Problem(objective, constraints)

    def draw(self) -> None:
        for parameter in self.parameters:
            value = self.rng.normal(size=parameter.shape)
            # Zeros must not change the pattern of the matrix.
            value = np.where(self.rng.random(parameter.shape) < 0.3, 0.0, value)
            parameter.value = np.abs(value) if parameter.is_nonneg() else value


def by_cvxpy(problem: cp.Problem, solver: str):
    """The numbers of a compile that knows of no quicker way."""
    prepared = Prepared(problem)
    prepared._tried = True
    return prepared.compile(solver, {})


def assert_same(found, expected) -> None:
    for name in ("c", "b", "offset", "lower", "upper"):
        one, other = getattr(found, name), getattr(expected, name)
        assert (one is None) == (other is None), name
        if one is not None:
            np.testing.assert_array_equal(one, other, err_msg=name)
    assert found.cones == expected.cones
    for one, other in ((found.A, expected.A), (found.P, expected.P)):
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_array_equal(one.toarray(), other.toarray())


@pytest.mark.parametrize(
    ("kind", "solver"),
    [
        ("linear", "HIGHS"),
        ("linear", "CLARABEL"),
        ("piecewise linear", "HIGHS"),
        ("quadratic", "CLARABEL"),
        ("quadratic", "OSQP"),
        ("cone", "CLARABEL"),
        ("cone", "SCS"),
        ("exponential", "CLARABEL"),
    ],
)
def test_the_numbers_are_cvxpys_own_at_every_value(kind, solver):
    case = Case(kind)
    prepared = Prepared(case.problem)
    for _ in range(5):
        case.draw()
        assert_same(prepared.compile(solver, {}).form, by_cvxpy(case.problem, solver).form)


@pytest.mark.parametrize(("kind", "solver"), [("quadratic", "CLARABEL"), ("cone", "CLARABEL")])
def test_what_the_solver_gets_is_what_cvxpy_would_give_it(kind, solver):
    case = Case(kind)
    prepared = Prepared(case.problem)
    prepared.compile(solver, {})
    case.draw()
    found, expected = prepared.compile(solver, {}), by_cvxpy(case.problem, solver)
    assert found.data.keys() == expected.data.keys()
    for key, value in expected.data.items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(found.data[key], value)
        elif sp.issparse(value):
            np.testing.assert_array_equal(found.data[key].toarray(), value.toarray())


def test_cvxpy_is_asked_once_and_then_no_more(monkeypatch):
    case, asked = Case("cone"), []
    plain = cp.Problem.get_problem_data
    monkeypatch.setattr(
        cp.Problem, "get_problem_data", lambda *a, **k: asked.append(1) or plain(*a, **k)
    )
    prepared = Prepared(case.problem)
    for _ in range(3):
        case.draw()
        prepared.compile("CLARABEL", {})
    assert len(asked) == 1


def test_maps_that_make_other_numbers_than_cvxpy_are_not_used():
    case = Case("quadratic")
    compiled = by_cvxpy(case.problem, "CLARABEL")
    assert ParameterSubstitution.of(compiled) is not None
    compiled.data["b"] = compiled.data["b"] + 1e-9
    assert ParameterSubstitution.of(compiled) is None


def test_a_problem_that_is_not_dpp_is_compiled_anew():
    x, p = cp.Variable(2, name="x"), cp.Parameter(nonneg=True, value=1.0)
    prepared = Prepared(cp.Problem(cp.Minimize(p * p * cp.sum(x)), [x >= 1]), dpp=False)
    for value in (2.0, 3.0):
        p.value = value
        np.testing.assert_allclose(prepared.compile("HIGHS", {}).form.c, [value**2] * 2)
        np.testing.assert_allclose(prepared.compile("HIGHS", {}).form.b, [-1.0, -1.0])


def test_bounds_that_are_parameters_follow_their_values():
    top = cp.Parameter(3, value=np.array([1.0, 2.0, 3.0]))
    x = cp.Variable(3, bounds=[0, top], name="x")
    problem = cp.Problem(cp.Maximize(cp.sum(x)), [cp.sum(x) <= 100])
    prepared = Prepared(problem)
    for value in ([1.0, 2.0, 3.0], [4.0, 0.0, 1.0]):
        top.value = np.array(value)
        np.testing.assert_array_equal(prepared.compile("HIGHS", {}).form.upper, value)


def test_units_depend_on_the_values_of_the_moment_alone():
    rng = np.random.default_rng(0)
    A = rng.uniform(0, 1, (6, 9)) * 10.0 ** rng.integers(-4, 5, (6, 1))
    x, p = cp.Variable(9, bounds=[0, 5]), cp.Parameter(6)
    problem = cp.Problem(cp.Minimize(cp.norm(A @ x - p) + cp.sum(x)), [cp.sum(x) <= 3])
    prepared = Prepared(problem)
    for values in (A.sum(axis=1), 1e12 * np.ones(6), A.sum(axis=1) / 2, A.sum(axis=1)):
        p.value = values
        again, fresh = (one.compile("CLARABEL", {}) for one in (prepared, Prepared(problem)))
        assert again.scaling.equals(fresh.scaling)
        scaled = again.scaled
        assert np.array_equal(scaled.A.toarray(), again.scaling.of(again.form).A.toarray())
        assert np.array_equal(again.scaled_data()["A"].toarray(), scaled.A.toarray())
        # Numbers that don't suit the usual units have units of their own.
        assert np.abs(scaled.b).max() < 2.0**20


@pytest.mark.parametrize("kind", ["LP", "QP", "SOCP"])
def test_units_of_what_never_changes_are_kept_with_a_common_factor(kind):
    """New right-hand sides, of whatever size: the matrix stays, and the sides are about one."""
    rng = np.random.default_rng(1)
    A = rng.uniform(0.5, 1, (6, 9)) * 10.0 ** rng.uniform(-1, 1, (6, 1))
    x, p = cp.Variable(9, nonneg=True), cp.Parameter(6)
    objective = {"LP": cp.sum(x), "QP": cp.sum_squares(x), "SOCP": cp.norm(x)}[kind]
    problem = cp.Problem(cp.Minimize(objective), [A @ x >= p])
    solver = "HIGHS" if kind == "LP" else "CLARABEL"
    prepared, matrices = Prepared(problem), []
    for factor in (1.0, 12.0, 1.0):
        p.value = factor * A.sum(axis=1)
        again, fresh = (one.compile(solver, {}) for one in (prepared, Prepared(problem)))
        assert again.scaling.equals(fresh.scaling)
        assert np.array_equal(again.scaled.A.toarray(), again.scaling.of(again.form).A.toarray())
        assert np.abs(again.scaled.b).max() <= 2.0 ** (10 if kind == "LP" else 3)
        matrices.append(again.scaled.A.toarray())
    assert np.array_equal(matrices[0], matrices[1])
