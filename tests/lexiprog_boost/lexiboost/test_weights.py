"""The weights are optimal and canonical: no solver, no reduction changes them."""

import numpy as np
import pytest

from lexiprog_boost import lexicographic_weights
from lexiprog_boost.margins import class_mean_margins
from tests.lexiprog_boost.lexiboost import random_margins as independent

FORMS = [
    {"reduce": False},
    {"solver": "CLARABEL"},
    {"solver": "ECOS"},
    {"reduce": False, "solver": "CLARABEL"},
    {"reduce": False, "solver": "ECOS"},
]
CASES = {
    "votes": ({}, "votes", False),
    "repeated members": ({}, "votes", True),
    "target": ({"margin_target": 0.5}, "values", False),
    "target, repeated members": ({"margin_target": 0.5}, "votes", True),
    "cap": ({"weight_cap": 0.3, "class_costs": [1, 2, 3]}, "votes", True),
    "target and cap": ({"margin_target": 0.3, "weight_cap": 0.3}, "values", True),
}


@pytest.mark.parametrize("case", CASES)
def test_f12_solver_and_reduction_never_change_the_weights(case):
    options, kind, repeated = CASES[case]
    for seed in range(2):
        M, y = independent.margins(seed, kind=kind)
        M = M[:, [0, 1, 2, 0, 1, 3]] if repeated else M
        reference = lexicographic_weights(M, y, **options)
        for form in FORMS:
            found = lexicographic_weights(M, y, **options, **form)
            np.testing.assert_allclose(found.alpha, reference.alpha, atol=1e-6)
            assert found.chi == pytest.approx(reference.chi, abs=1e-6)


def test_the_smallest_optimum_shares_the_weight_among_equal_members():
    M, y = independent.margins(0)
    once = lexicographic_weights(M, y).alpha
    twice = lexicographic_weights(np.hstack([M, M]), y).alpha
    np.testing.assert_allclose(twice, np.r_[once, once] / 2, atol=1e-7)


@pytest.mark.parametrize(("points", "reduction"), [(60, "merged rows"), (3000, "points in doubt")])
def test_large_and_small_hinge_programs_are_optimal_in_full(points, reduction):
    M, y = independent.margins(3, points=points, members=4, kind="values")
    found = lexicographic_weights(M, y, margin_target=0.5)
    assert found.reduction == reduction
    optima = [independent.class_optimum(M, y, j, theta=0.5) for j in range(3)]
    np.testing.assert_allclose(found.class_optima, optima, atol=1e-9)
    assert max(found.deviations) == pytest.approx(found.chi, abs=1e-8)
    if points < 100:
        assert found.chi == pytest.approx(independent.balance(M, y, optima, theta=0.5), abs=1e-9)


@pytest.mark.parametrize("target", [1.0, 0.5])
def test_a_higher_cost_never_raises_a_class_deviation_and_lowers_an_active_one(target):
    lowered = 0
    for seed in range(4):
        M, y = independent.margins(seed)
        for j in range(3):
            costs = np.ones(3)
            before = lexicographic_weights(M, y, class_costs=costs, margin_target=target)
            costs[j] = 3.0
            after = lexicographic_weights(M, y, class_costs=costs, margin_target=target)
            assert after.deviations[j] <= before.deviations[j] + 1e-9
            shadow = independent.balance(
                M, y, before.class_optima - 1e-4 * (np.arange(3) == j), theta=target
            )
            if shadow > before.chi + 1e-6:  # tightening the row of j costs something: it is active
                assert after.deviations[j] < before.deviations[j] - 1e-6
                lowered += 1
    assert lowered >= 4


def test_class_means_alone_suffice_and_never_need_the_points():
    M, y = independent.margins(4)
    whole = lexicographic_weights(M, y)
    blocks = ((M[k : k + 7], y[k : k + 7]) for k in range(0, len(y), 7))
    assert whole.reduction == "class means"
    means = class_mean_margins(blocks)
    np.testing.assert_allclose(lexicographic_weights(means).alpha, whole.alpha, atol=1e-9)


def test_f5_only_a_target_below_one_lets_easy_points_stop_pulling():
    M = np.array([[0.9, 0.2], [0.9, 0.2], [-1.0, 0.2], [0.5, 0.5]])
    y = np.array([0, 0, 0, 1])
    easy = M.copy()
    easy[:2, 0] = 1.0
    for target, same in [(1.0, False), (0.15, True)]:
        optima = [
            lexicographic_weights(table, y, margin_target=target).class_optima[0]
            for table in (M, easy)
        ]
        assert (abs(optima[0] - optima[1]) < 1e-9) == same


def test_leximax_refines_the_deviations_of_the_classes_that_are_not_worst():
    M = np.array([[1.0, -1, -1], [-1, 1, 1], [1, 1, -1]])
    y = np.arange(3)
    plain = lexicographic_weights(M, y)
    refined = lexicographic_weights(M, y, tie_break="leximax")
    assert refined.chi == pytest.approx(plain.chi, abs=1e-9)
    np.testing.assert_allclose(refined.deviations, [1, 1, 0], atol=1e-7)
    for form in FORMS:
        found = lexicographic_weights(M, y, tie_break="leximax", **form)
        np.testing.assert_allclose(found.alpha, refined.alpha, atol=1e-5)


def test_closest_gives_up_no_more_than_its_tolerance():
    M, y = independent.margins(5)
    own = np.r_[1.0, np.zeros(5)]
    exact = lexicographic_weights(M, y)
    distances = []
    for tolerance in (0.0, 0.05, 0.5):
        found = lexicographic_weights(M, y, tie_break=("closest", tolerance), pool_weights=own)
        assert max(found.deviations) <= exact.chi + tolerance + 1e-6
        distances.append(np.sum((found.alpha - own) ** 2))
    assert distances[0] > distances[1] > distances[2]
    default = lexicographic_weights(M, y, tie_break="closest", pool_weights=own)
    assert max(default.deviations) <= exact.chi + 0.01 + 1e-6


def test_given_optima_may_be_beaten():
    M, y = independent.margins(6)
    found = lexicographic_weights(M, y, class_optima=[2.0, 2.0, 2.0])
    assert found.chi < 0
    assert found.deviation == 0


def test_a_solver_may_be_named_for_a_stage_that_a_reduction_leaves_out():
    M, y = independent.margins(0)
    choice = {"classes": "HIGHS", "balance": "CLARABEL", "weights": "CLARABEL"}
    found = lexicographic_weights(M, y, solver=choice)
    assert found.result["balance"].solver == "CLARABEL"
    with pytest.raises(ValueError, match="solver names 'balnce'"):
        lexicographic_weights(M, y, solver={"balnce": "HIGHS"})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tie_break": "largest"}, "unknown tie_break"),
        ({"tie_break": "closest"}, "pool's own weights"),
        ({"reduce": "always"}, "reduce is 'always'"),
        ({"margin_target": 2}, "margin_target is 2"),
    ],
)
def test_bad_options_are_named(options, message):
    M, y = independent.margins(0)
    with pytest.raises(ValueError, match=message):
        lexicographic_weights(M, y, **options)


def test_nothing_that_was_given_is_changed():
    M, y = independent.margins(0)
    copies = M.copy(), y.copy()
    lexicographic_weights(M, y, margin_target=0.5, reduce=False)
    np.testing.assert_array_equal(M, copies[0])
    np.testing.assert_array_equal(y, copies[1])
