"""G-Mean and Avg-AUC against hand-worked answers and other people's code."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from imblearn.metrics import geometric_mean_score as imblearn_geometric_mean
from sklearn.metrics import roc_auc_score

from lexiprog_boost.metrics import average_auc_score, geometric_mean_score

LABELS = np.array(["a", "b", "c", "d"])


def random_case(seed, n=200, n_classes=4):
    rng = np.random.default_rng(seed)
    y = np.r_[np.arange(n_classes), rng.integers(n_classes, size=n - n_classes)]
    scores = rng.dirichlet(np.ones(n_classes), size=n) + 0.3 * np.eye(n_classes)[y]
    return LABELS[y], scores / scores.sum(axis=1, keepdims=True)


def test_geometric_mean_by_hand():
    y_true = ["a"] * 4 + ["b"] * 2 + ["c"]
    y_pred = ["a", "a", "a", "b", "b", "c", "c"]
    expected = (3 / 4 * 1 / 2 * 1) ** (1 / 3)
    assert geometric_mean_score(y_true, y_pred) == pytest.approx(expected)


def test_one_missed_class_makes_it_zero():
    assert geometric_mean_score([0] * 99 + [1], [0] * 100) == 0


@pytest.mark.parametrize("seed", range(5))
def test_geometric_mean_is_imbalanced_learns(seed):
    y, scores = random_case(seed)
    predicted = LABELS[scores.argmax(axis=1)]
    weights = np.random.default_rng(seed).uniform(size=len(y))
    assert geometric_mean_score(y, predicted) == pytest.approx(
        imblearn_geometric_mean(y, predicted, average="multiclass")
    )
    assert geometric_mean_score(y, predicted, sample_weight=weights) == pytest.approx(
        imblearn_geometric_mean(y, predicted, average="multiclass", sample_weight=weights)
    )


def test_a_label_only_predicted_is_a_mistake_and_no_class():
    assert geometric_mean_score([0, 0, 1, 1], [0, 7, 1, 1]) == pytest.approx(0.5**0.5)


def test_weights_count_inside_the_classes():
    weights = [3, 1, 1, 1]
    found = geometric_mean_score([0, 0, 1, 1], [0, 1, 1, 0], sample_weight=weights)
    assert found == pytest.approx((3 / 4 * 1 / 2) ** 0.5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"labels": [0, 2]}, "class .*2.* no point in y_true"),
        ({"sample_weight": [1, 1, 0, 0]}, "class 1 weigh nothing"),
    ],
)
def test_a_class_without_points_has_no_recall(arguments, message):
    with pytest.raises(ValueError, match=message):
        geometric_mean_score([0, 0, 1, 1], [0, 1, 1, 1], **arguments)


def rank_sum_auc(positive, negative):
    """Count the ordered pairs: the definition, without a library."""
    wins = [(p > q) + 0.5 * (p == q) for p in positive for q in negative]
    return np.mean(wins)


@pytest.mark.parametrize("seed", range(5))
def test_average_auc_is_scikit_learns_one_versus_one(seed):
    y, scores = random_case(seed)
    assert average_auc_score(y, scores) == pytest.approx(
        roc_auc_score(y, scores, multi_class="ovo", average="macro")
    )


@given(st.integers(0, 10**6))
def test_average_auc_is_hand_and_tills_definition_on_any_scores(seed):
    rng = np.random.default_rng(seed)
    y = np.r_[0, 1, 2, rng.integers(3, size=12)]
    scores = rng.integers(4, size=(15, 3)).astype(float)  # ties, and rows of any sum
    areas = [
        (
            rank_sum_auc(scores[y == j, j], scores[y == k, j])
            + rank_sum_auc(scores[y == k, k], scores[y == j, k])
        )
        / 2
        for j, k in combinations(range(3), 2)
    ]
    assert average_auc_score(y, scores) == pytest.approx(np.mean(areas))


def test_two_classes_are_the_ordinary_auc_from_one_or_two_columns():
    y, score = ["n", "n", "p", "p", "p"], np.array([0.1, 0.7, 0.4, 0.8, 0.7])
    expected = roc_auc_score(np.array(y) == "p", score)
    assert average_auc_score(y, score) == pytest.approx(expected)
    assert average_auc_score(y, np.c_[1 - score, score]) == pytest.approx(expected)


def test_a_weight_is_a_number_of_copies_for_the_auc():
    y, scores = random_case(3, n=30)
    copies = np.random.default_rng(0).integers(1, 4, size=30)
    assert average_auc_score(y, scores, sample_weight=copies) == pytest.approx(
        average_auc_score(np.repeat(y, copies), np.repeat(scores, copies, axis=0))
    )


def test_labels_name_the_columns():
    y, scores = random_case(1)
    order = [2, 0, 3, 1]
    assert average_auc_score(y, scores[:, order], labels=LABELS[order]) == pytest.approx(
        average_auc_score(y, scores)
    )


@pytest.mark.parametrize(
    ("y", "scores", "message"),
    [
        ([0, 0], [0.1, 0.2], "one class"),
        ([0, 1, 2], [[0.1, 0.9]] * 3, r"shape \(3, 2\).*3 classes"),
        ([0, 1, 2], [0.1, 0.2, 0.3], r"shape \(3,\)"),
        ([0, 1], [0.1, np.nan], "NaN"),
    ],
)
def test_scores_that_fit_no_auc_are_refused(y, scores, message):
    with pytest.raises(ValueError, match=message):
        average_auc_score(y, scores)
