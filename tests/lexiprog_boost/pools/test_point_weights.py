"""Point weights for the next member: the duals' own, by hand and by scipy."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

from lexiprog_boost.pools.point_weights import DualPrograms, NextWeights
from tests.lexiprog_boost.written_out import lexi_programs as independent

# One member; of class 0 it misses the second point, of class 1 the first.
MARGINS, LABELS = np.array([[1.0], [-1.0], [-1.0], [1.0]]), np.array([0, 0, 1, 1])
DUALS = DualPrograms(LABELS, np.ones(4))


def test_the_first_loop_weighs_the_points_that_a_class_s_own_dual_weighs():
    assert DUALS.next_weights(MARGINS).distribution.tolist() == pytest.approx([0, 0.5, 0.5, 0])


def test_the_second_loop_weighs_classes_and_spreads_evenly_inside():
    # Class 1 is two points short of its optimum and class 0 none: all the weight is on class 1.
    margins = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    found = replace(DUALS, optima=np.zeros(2)).next_weights(margins)
    assert found.distribution.tolist() == pytest.approx([0, 0, 0.5, 0.5])


@pytest.mark.parametrize("loop", [1, 2])
@pytest.mark.parametrize("form", ["paper", "exact"])
def test_reductions_change_no_weight(form, loop):
    M, y = independent.margins(0, points=40, members=3)
    duals = DualPrograms(
        y, np.arange(40) % 3 + 1.0, form=form, margin_target=1.0 if form == "paper" else 0.5,
        optima=None if loop == 1 else np.array([0.1, 0.2, 0.3]),
    )  # fmt: skip
    found, full = (replace(duals, reduce=reduce).next_weights(M) for reduce in (True, False))
    np.testing.assert_allclose(found.distribution, full.distribution, atol=1e-7)
    assert found.distribution.sum() == pytest.approx(1)
    assert len(found.edges) == (0 if form == "paper" else 3 if loop == 1 else 1)


def test_costs_and_solvers_reach_the_programs():
    M, y = independent.margins(1, points=40, members=3)
    duals = DualPrograms(y, np.ones(40), optima=np.zeros(3))
    plain = duals.next_weights(M).distribution
    costed = replace(duals, class_costs=[1.0, 1.0, 9.0]).next_weights(M).distribution
    assert costed[y == 2].sum() > plain[y == 2].sum() + 0.05
    for solver in ("CLARABEL", {"balance": "CLARABEL", "classes": "HIGHS"}):
        other = replace(duals, solver=solver).next_weights(M).distribution
        np.testing.assert_allclose(other, plain, atol=1e-6)
    with pytest.raises(Exception, match="NONE"):
        replace(duals, solver={"balance": "NONE"}).next_weights(M)


def test_a_cap_that_the_first_member_cannot_keep_is_raised_for_it():
    capped = replace(DUALS, weight_cap=0.4, form="exact", margin_target=0.5)
    assert capped.next_weights(MARGINS).distribution.sum() == pytest.approx(1)


def test_a_member_is_wanted_if_its_edge_exceeds_one_limit():
    D = np.array([0.5, 0.5])
    wanted = NextWeights(D, ((D, 0.5), (np.array([1.0, 0.0]), 0.9)))
    assert wanted.wants(np.array([1.0, -1.0]))  # by the second
    assert not wanted.wants(np.array([0.9, -1.0]))
    assert NextWeights(D).wants(np.array([-1.0, -1.0]))  # the paper's form does not ask


def test_weights_at_their_bounds_are_exactly_there():
    # Four members, all right on the last class: at the optimum for the first class all its points
    # are at their bounds, with no room beside it, and a solver ends 1e-5 before them.
    others = [[-1, -1, -1, -1], [-1, -1, -1, 1], [-1, 1, -1, -1], [-1, 1, 1, 1], [1, -1, -1, 1],
              [1, -1, 1, 1], [1, 1, -1, 1], [1, 1, 1, -1], [1, 1, 1, 1]]  # fmt: skip
    margins, y = np.array([*others, [1, 1, 1, 1]], dtype=float), np.array([0] * 9 + [1])
    points = np.array([42, 2, 1, 1, 1, 2, 1, 3, 3878, 447])
    caps = np.where(y == 0, points / points[:9].sum(), 1.0)
    # Of all optima, scipy finds none with less than all the weight on the first class.
    goal, edges = np.r_[-1.0 * (y == 0), 1.0], np.c_[margins.T, -np.ones(4)]
    shared = {"A_eq": np.r_[np.ones(10), 0.0][None], "b_eq": [1.0],
              "bounds": [*((0, cap) for cap in caps), (None, None)]}  # fmt: skip
    best = linprog(goal, A_ub=edges, b_ub=np.zeros(4), **shared)
    face = {"A_ub": np.vstack([edges, goal]), "b_ub": np.r_[np.zeros(4), best.fun + 1e-12]}
    assert linprog(np.r_[y == 0, 0.0], **face, **shared).fun > 1 - 1e-6

    labels = np.repeat(y, points)
    found = DualPrograms(labels, np.ones(len(labels))).next_weights(np.repeat(margins, points, 0))
    first = found.distribution[labels == 0]
    assert np.ptp(first) <= 1e-12 * first.max()
