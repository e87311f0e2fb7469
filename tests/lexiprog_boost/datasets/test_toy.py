"""The toy set shows what the paper says of its figure 1."""

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost.datasets import make_toy
from lexiprog_boost.margins import margin_matrix

TOY = make_toy()
STUMP = DecisionTreeClassifier(max_depth=1)


def three_rounds(seed=0):
    boosted = AdaBoostClassifier(STUMP, n_estimators=3, random_state=seed).fit(TOY.X, TOY.y)
    return boosted.estimators_


MARGINS = margin_matrix(three_rounds(), TOY.X, TOY.y)
MEANS = np.array([MARGINS[TOY.y == label].mean(axis=0) for label in (0, 1)])


def test_it_is_imbalanced_and_no_two_points_are_equal():
    assert TOY.imbalance_ratio == 4
    assert len(np.unique(TOY.X, axis=0)) == 50


@pytest.mark.parametrize("seed", range(10))
def test_the_three_stumps_do_not_depend_on_chance(seed):
    np.testing.assert_array_equal(margin_matrix(three_rounds(seed), TOY.X, TOY.y), MARGINS)


def test_the_stumps_are_three_and_split_along_both_axes():
    splits = {(int(s.tree_.feature[0]), float(s.tree_.threshold[0])) for s in three_rounds()}
    assert len(splits) == 3
    assert {feature for feature, _ in splits} == {0, 1}


@pytest.mark.parametrize(("label", "always", "never"), [(0, 23, 0), (1, 2, 0)])
def test_some_points_of_each_class_are_always_right_and_others_depend_on_the_weights(
    label, always, never
):
    own = MARGINS[TOY.y == label]
    assert (own.min(axis=1) == 1).sum() == always
    assert (own.max(axis=1) == -1).sum() == never
    assert always + never < len(own)


def test_the_best_stump_for_one_class_is_not_the_best_for_the_other():
    assert set(np.flatnonzero(MEANS[0] == MEANS[0].max())) == {0, 1}
    assert MEANS[1].argmax() == 2


def test_no_weights_make_a_class_ideal():
    assert (MEANS.max(axis=1) < 1).all()


@pytest.mark.parametrize("label", [0, 1])
def test_outliers_lie_among_the_other_class(label):
    own, other = TOY.X[TOY.y == label], TOY.X[TOY.y != label]
    outliers = own[-2:]
    center = {True: other[:-2].mean(axis=0), False: own[:-2].mean(axis=0)}
    to = {k: np.linalg.norm(outliers - c, axis=1) for k, c in center.items()}
    assert (to[True] < to[False]).all()


def test_balance_takes_two_stumps_and_costs_both_classes_the_same():
    # min chi s.t. max_t m_jt - m_j . alpha <= chi over the simplex (F1), written for linprog.
    solved = linprog(
        [0, 0, 0, 1],
        A_ub=np.c_[-MEANS, [-1, -1]],
        b_ub=-MEANS.max(axis=1),
        A_eq=[[1, 1, 1, 0]],
        b_eq=[1],
        bounds=[(0, None)] * 3 + [(None, None)],
    )
    alpha, chi = solved.x[:3], solved.x[3]
    deviations = MEANS.max(axis=1) - MEANS @ alpha
    np.testing.assert_allclose(deviations, chi, atol=1e-9)
    assert chi == pytest.approx(12 / 35)
    np.testing.assert_allclose(alpha, [4 / 7, 0, 3 / 7], atol=1e-9)
