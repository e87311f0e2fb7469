"""The weights are optimal, and no solver, no reduction changes them."""

import numpy as np
import pytest

from lexiprog_boost import lexicographic_weights
from lexiprog_boost.margins import class_mean_margins
from lexiprog_boost.weights import least_class_losses
from tests.lexiprog_boost.weights.forms import FORMS
from tests.lexiprog_boost.written_out import lexi_programs as independent

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


@pytest.mark.parametrize("target", [1.0, 0.5])
def test_without_reductions_the_program_has_a_loss_a_point(target):
    M, y = independent.margins(0)
    full = lexicographic_weights(M, y, margin_target=target, reduce=False)
    assert full.reduction == "none"
    assert full.program["balance"].variable("losses").size == len(y)
    assert [name for name in full.result if name.startswith("class:")] == [
        "class:0",
        "class:1",
        "class:2",
    ]


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


@pytest.mark.parametrize("reduce", ["auto", False])
@pytest.mark.parametrize("optima", [[0.0, 0.0, 0.0], [0.3, 0.1, 0.2], [2.0, 2.0, 2.0]], ids=str)
def test_f10_chi_is_solved_for_with_its_sign_and_cut_off_it_is_the_papers(optima, reduce):
    M, y = independent.margins(3)
    found = lexicographic_weights(M, y, class_optima=optima, reduce=reduce)
    assert found.chi == pytest.approx(independent.balance(M, y, np.array(optima)), abs=1e-8)
    paper = independent.balance(M, y, np.array(optima), chi_free=False)
    assert found.deviation == pytest.approx(paper, abs=1e-8)
    # Optima that no class can miss are beaten, and then the two differ.
    assert (found.chi < found.deviation) == (optima[0] == 2)


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


@pytest.mark.parametrize("cap", [None, 0.6])
def test_a_class_that_one_member_serves_has_no_loss_unless_a_cap_forbids_it(cap):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 1500)
    margins = np.column_stack([rng.uniform(-1, 1, 1500), np.where(y == 0, 0.3, -1.0)])
    found = least_class_losses(margins, y, margin_target=0.3, weight_cap=cap)
    for j in (0, 1):
        # One number decides, and the loss is convex in it: a fine grid and its slope bound it.
        low, high = (0.0, 1.0) if cap is None else (1 - cap, cap)
        grid = np.linspace(low, high, 2001)
        mine = margins[y == j]
        losses = [np.maximum(0.3 - mine @ [a, 1 - a], 0).mean() for a in grid]
        assert min(losses) - 2 * (high - low) / 2000 <= found[j] <= min(losses) + 1e-9
    assert (found[0] == 0.0) == (cap is None)


def test_the_least_losses_of_classes_heed_the_cap_on_weights():
    """Each class wants its own member alone; with 0.6 at most, its margin is 0.6 - 0.4."""
    margins, y = [[1, -1], [-1, 1]], ["a", "b"]
    assert least_class_losses(margins, y).tolist() == pytest.approx([0.0, 0.0])
    assert least_class_losses(margins, y, weight_cap=0.6).tolist() == pytest.approx([0.8, 0.8])
