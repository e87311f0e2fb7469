"""Fairness: the smallest first, then the second smallest, by hand, counting and brute force."""

import itertools

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx


def near(wanted, size=1e-6):
    return pytest.approx(wanted, abs=size, rel=size)


def test_everyone_gets_the_same_if_that_is_possible():
    x = cp.Variable(3, nonneg=True, name="x")
    result = lx.leximin(list(x), [cp.sum(x) <= 12]).solve()
    assert result.final[x] == near([4, 4, 4])
    assert result.final.value == near(4)
    assert result.final.levels == ((near(4), (0, 1, 2)),)


def test_who_cannot_have_more_does_not_hold_back_the_others():
    x = cp.Variable(3, nonneg=True, name="x")
    result = lx.leximin(list(x), [cp.sum(x) <= 12, x[1] <= 1]).solve()
    assert result.final[x] == near([5.5, 1, 5.5])
    assert result.final.levels == ((near(1), (1,)), (near(5.5), (0, 2)))


def test_leximax_is_leximin_of_the_opposite():
    x = cp.Variable(3, bounds=[0, 9], name="x")
    costs = [x[0] + x[1], 2 * x[1] + 1, x[2] - x[0]]
    limits = [cp.sum(x) >= 8, x[0] <= 4]
    most = lx.leximax(costs, limits).solve()
    least = lx.leximin([-cost for cost in costs], limits).solve()
    assert most.final.value == near(-least.final.value)
    for (high, names), (low, others) in zip(most.final.levels, least.final.levels, strict=True):
        assert high == near(-low)
        assert names == others


def test_names_of_a_mapping_and_of_a_list_make_no_difference():
    x = cp.Variable(2, nonneg=True, name="x")
    limits = [2 * x[0] + x[1] <= 6]
    listed = lx.leximin([x[0], x[1]], limits).solve()
    mapped = lx.leximin({"ann": x[0], "bob": x[1]}, limits).solve()
    assert list(listed) == list(mapped) == ["leximin"]
    assert listed.final[x] == near(mapped.final[x])
    assert [names for _, names in listed.final.levels] == [(0, 1)]
    assert [names for _, names in mapped.final.levels] == [("ann", "bob")]


def test_a_single_utility_is_just_maximised():
    x = cp.Variable(bounds=[0, 3], name="x")
    assert lx.leximin([x]).solve().final.value == near(3)


@pytest.mark.parametrize("seed", range(4))
def test_indivisible_goods_agree_with_all_allocations(seed):
    """Each of 5 goods goes to one of 3 people: 243 ways."""
    worth = np.random.default_rng(seed).integers(0, 9, (3, 5))
    gives = cp.Variable((3, 5), boolean=True, name="gives")
    utilities = [worth[k] @ gives[k] for k in range(3)]
    result = lx.leximin(utilities, [cp.sum(gives, axis=0) == 1]).solve()
    owners = itertools.product(range(3), repeat=5)
    shares = (
        sorted(sum(worth[k, j] for j in range(5) if owner[j] == k) for k in range(3))
        for owner in owners
    )
    found = sorted(float(result.final.at(u)) for u in utilities)
    assert found == near(max(shares))


@pytest.mark.parametrize("seed", range(4))
def test_no_feasible_point_of_a_grid_is_fairer(seed):
    """With limits of their own for all, each level is decided by another one of them."""
    rng = np.random.default_rng(seed)
    most, rows = rng.permutation([1, 2, 3, 5]), rng.integers(0, 3, (2, 4))
    x = cp.Variable(4, bounds=[np.zeros(4), most], name="x")
    result = lx.leximin(list(x), [rows @ x <= 10]).solve()
    found = np.sort(result.final[x])
    grid = np.array(list(itertools.product(*(range(top + 1) for top in most))))
    for other in np.sort(grid[(grid @ rows.T <= 10).all(axis=1)], axis=1):
        differing = np.flatnonzero(np.abs(other - found) > 1e-6)
        assert not differing.size or other[differing[0]] < found[differing[0]]


def test_concave_utilities_are_welcome():
    """Equal marginal worth does not matter, equal worth does: sqrt(x) = 2 sqrt(y)."""
    x = cp.Variable(2, nonneg=True, name="x")
    result = lx.leximin([cp.sqrt(x[0]), 2 * cp.sqrt(x[1])], [cp.sum(x) <= 5]).solve()
    assert result.final.value == near(2)
    assert result.final[x] == near([4, 1], 1e-5)


def test_levels_can_be_nested_before_and_after_others():
    x = cp.Variable(3, bounds=[0, 6], name="x")
    limits = [cp.sum(x) <= 9]
    levels = {"fair": lx.Leximin([x[0], x[1]]), "rest": cp.Minimize(x[2])}
    program = lx.preemptive(levels, limits)
    assert list(program.subproblems) == ["fair", "rest"]
    assert program.solve().final[x] == near([4.5, 4.5, 0])
    reverse = {"rest": cp.Maximize(x[2]), "fair": lx.Leximax([x[0], 2 * x[1]])}
    assert lx.preemptive(reverse, [*limits, x[0] + x[1] >= 3]).solve().final[x] == near([2, 1, 6])


def test_a_leximin_program_can_be_inspected_and_extended():
    x = cp.Variable(3, bounds=[0, 6], name="x")
    program = lx.leximin([x[0], x[1]], [cp.sum(x) <= 9])
    assert [stage.name for stage in program.stages] == ["leximin"]
    assert program["leximin"].kind == "LP"
    held = program["leximin"].held()
    last = lx.Subproblem("third", cp.Maximize(x[2]), [cp.sum(x) <= 9, held])
    assert program.extend(lx.Stage("third", last)).solve().final.value == near(0)


@pytest.mark.parametrize("make", [lx.leximin, lx.leximax, lx.Leximin, lx.Leximax])
def test_no_utilities_and_vectors_are_refused(make):
    x = cp.Variable(2, name="x")
    with pytest.raises(lx.DeclarationError, match="at least one"):
        make([])
    with pytest.raises(lx.DeclarationError, match=r"expression 1 has shape \(2,\)"):
        make([x[0], x])


def test_utilities_of_the_wrong_curvature_or_type_are_refused():
    x = cp.Variable(2, name="x")
    with pytest.raises(lx.DeclarationError, match=r"'leximin' is not DCP: 0, .* is convex"):
        lx.leximin([x[0] ** 2, x[1]], [x >= 0])
    with pytest.raises(lx.DeclarationError, match=r"'leximax' is not DCP: 'a', .* is concave"):
        lx.leximax({"a": cp.sqrt(x[0]), "b": x[1]}, [x >= 0])
    with pytest.raises(lx.DeclarationError, match="expression 1"):
        lx.leximin([x[0], "much"])
    with pytest.raises(lx.DeclarationError, match="expression 0"):
        lx.leximin([cp.Maximize(x[0])])
