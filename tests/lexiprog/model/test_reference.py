"""Signs and structure of references are inferred, so that products with them stay DCP."""

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


def final(*stages):
    return lx.Program(*(lx.Stage(f"stage {i}", p) for i, p in enumerate(stages))).solve().final


@pytest.mark.parametrize(
    "variable",
    [{"nonneg": True}, {"bounds": [0, 10]}, {"bounds": [np.zeros(2), np.full(2, 10.0)]}],
    ids=["nonneg", "scalar bounds", "vector bounds"],
)
def test_an_optimum_known_to_be_nonnegative_may_multiply_a_convex_function(variable):
    x, y = cp.Variable(2, name="x", **variable), cp.Variable(2, name="y")
    first = lx.Subproblem("first", cp.Minimize(cp.sum(x)), [x >= 1.5])
    assert first.optimum.is_nonneg()
    objective = cp.Minimize(first.optimum * cp.norm(y))
    assert final(first, lx.Subproblem("second", objective, [y[0] >= 2])).value == pytest.approx(6)


def test_an_optimum_known_to_be_nonpositive_may_multiply_a_concave_function():
    x, y = cp.Variable(nonneg=True, name="x"), cp.Variable(nonneg=True, name="y")
    first = lx.Subproblem("first", cp.Minimize(-x), [x <= 3])
    assert first.optimum.is_nonpos()
    second = lx.Subproblem("second", cp.Minimize(first.optimum * cp.sqrt(y)), [y <= 4])
    assert final(first, second).value == pytest.approx(-6, rel=1e-5)


def test_an_optimum_of_unknown_sign_may_not_and_the_refusal_names_it():
    x = cp.Variable(2, name="x")
    first = lx.Subproblem("first", cp.Minimize(cp.sum(x)), [x >= 1])
    with pytest.raises(lx.DeclarationError, match=r"second.*first\.optimum"):
        lx.Subproblem("second", cp.Minimize(first.optimum * cp.norm(x)), [x >= 1])


def test_the_dual_of_an_inequality_is_nonnegative_and_that_of_an_equality_unsigned():
    x, y = cp.Variable(2, name="x"), cp.Variable(name="y")
    up, down, even = x[0] >= 1, x[1] <= 7, cp.sum(x) == 5
    first = lx.Subproblem("first", cp.Minimize(3 * x[0] + x[1]), [up, down, even])
    for constraint in (up, down):
        assert first.dual(constraint).is_nonneg()
    assert not first.dual(even).is_nonneg()
    assert not first.dual(even).is_nonpos()
    # Optimum at (1, 4): raising the floor by one costs 3 - 1 = 2.
    second = lx.Subproblem("second", cp.Minimize(first.dual(up) * cp.abs(y)), [y >= 3])
    assert final(first, second).value == pytest.approx(6)
    with pytest.raises(lx.DeclarationError, match="third"):
        lx.Subproblem("third", cp.Minimize(first.dual(even) * cp.abs(y)))


def test_a_psd_variable_stays_psd_so_that_it_may_multiply_and_bound_matrices():
    # The least trace above diag(3, 1) is diag(3, 1) itself; the largest trace below it is 4.
    a, b = (cp.Variable((2, 2), PSD=True, name=name) for name in "ab")
    first = lx.Subproblem("first", cp.Minimize(cp.trace(a)), [a >> np.diag([3.0, 1.0])])
    assert first.at(a).is_psd()
    second = lx.Subproblem("second", cp.Maximize(cp.trace(b)), [b << first.at(a)])
    assert final(first, second).value == pytest.approx(4, rel=1e-5)


def test_a_symmetric_variable_stays_symmetric():
    a, b = (cp.Variable((2, 2), symmetric=True, name=name) for name in "ab")
    target = np.array([[1.0, 2.0], [2.0, -3.0]])
    first = lx.Subproblem("first", cp.Minimize(cp.norm(a - target, "fro")))
    assert first.at(a).is_symmetric()
    second = lx.Subproblem("second", cp.Minimize(cp.norm1(cp.vec(b - first.at(a), order="F"))))
    solution = final(first, second)
    np.testing.assert_allclose(solution[b], target, atol=1e-5)


# CVXPY says this of its own reading, in a plain solve too.
@pytest.mark.filterwarnings("ignore:Reading from a sparse CVXPY expression")
@pytest.mark.parametrize("attribute", [{"diag": True}, {"sparsity": ([0, 1], [0, 1])}])
def test_diagonal_and_sparse_variables_are_recorded_and_referred_to_as_dense_arrays(attribute):
    a, y = cp.Variable((2, 2), name="a", **attribute), cp.Variable((2, 2), name="y")
    first = lx.Subproblem("first", cp.Minimize(cp.trace(a)), [cp.diag(a) >= [1, 2]])
    second = lx.Subproblem("second", cp.Minimize(cp.sum(y)), [y >= first.at(a)])
    result = lx.Program(lx.Stage("a", first), lx.Stage("b", second)).solve()
    np.testing.assert_allclose(result["first"][a], np.diag([1, 2]), atol=1e-7)
    np.testing.assert_allclose(result["second"][y], np.diag([1, 2]), atol=1e-7)


def test_boolean_and_integer_values_arrive_as_whole_numbers():
    pick = cp.Variable(2, boolean=True, name="pick")
    count = cp.Variable(integer=True, bounds=[0, 9], name="count")
    y = cp.Variable(3, name="y")
    first = lx.Subproblem(
        "first", cp.Maximize(pick[0] + 2 * pick[1] + count), [cp.sum(pick) <= 1, count <= 2.5]
    )
    second = lx.Subproblem(
        "second", cp.Minimize(cp.norm(y)), [y[:2] == first.at(pick), y[2] == first.at(count)]
    )
    result = lx.Program(lx.Stage("a", first), lx.Stage("b", second)).solve()
    assert result["first"][pick].tolist() == [0, 1]
    np.testing.assert_allclose(result["second"][y], [0, 1, 2], atol=1e-6)
    recorded = [np.asarray(value).ravel() for value in result["second"].references.values()]
    assert sorted(np.concatenate(recorded).tolist()) == [0, 1, 2]


def test_shapes_are_kept_from_scalars_over_columns_to_matrices():
    for shape in [(), (1,), (3,), (3, 1), (1, 3), (2, 3)]:
        x, y = cp.Variable(shape, name="x"), cp.Variable(shape, name="y")
        size = int(np.prod(shape))
        target = np.arange(1.0, size + 1).reshape(shape)
        floor = x >= target
        first = lx.Subproblem("first", cp.Minimize(cp.sum(2 * x)), [floor])
        assert first.at(x).shape == shape
        assert first.dual(floor).shape == shape
        second = lx.Subproblem("second", cp.Minimize(cp.sum(y)), [y >= first.at(x)])
        third = lx.Subproblem("third", cp.Minimize(cp.sum(y)), [y >= first.dual(floor)])
        result = lx.Program(lx.Stage("a", first), lx.Stage("b", second, third)).solve()
        np.testing.assert_allclose(result["second"][y], target, atol=1e-7)
        np.testing.assert_allclose(result["third"][y], np.full(shape, 2.0), atol=1e-7)


def test_an_expression_of_a_geometric_program_s_solution_may_be_negative():
    w, h = cp.Variable(pos=True, name="w"), cp.Variable(pos=True, name="h")
    area = lx.Subproblem("area", cp.Minimize(w * h), [w * h**2 >= 8, h <= 2, w <= 9], gp=True)
    y = cp.Variable(name="y")
    # At w = h = 2 the difference w - 3 h is -4.
    second = lx.Subproblem("second", cp.Minimize(y), [y >= area.at(w - 3 * h)])
    assert final(area, second).value == pytest.approx(-4, rel=1e-4)


def test_references_reach_back_over_any_number_of_stages():
    x = cp.Variable(name="x")
    problems = []
    for i in range(6):
        total = sum((p.optimum for p in problems), start=1)
        problems.append(lx.Subproblem(f"p{i}", cp.Minimize(x), [x >= total]))
    result = lx.Program(*(lx.Stage(p.name, p) for p in problems)).solve()
    assert [s.value for s in result.values()] == pytest.approx([1, 2, 4, 8, 16, 32])
