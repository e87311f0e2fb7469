"""What `fit` and `predict` are given is checked once; frames may stay frames."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from lexiprog_boost.classifiers.shared.ensemble import check_points, check_training_data

FRAME = pd.DataFrame({"size": [0.0, 1.0, 2.0], "colour": ["red", "blue", "red"]})
LABELS = ["b", "a", "b"]


def test_weights_are_ones_unless_given_and_then_a_copy():
    X = [[0.0], [1.0], [2.0]]
    plain = check_training_data(LogisticRegression(), X, LABELS, None)
    assert plain.weights.tolist() == [1, 1, 1]
    assert plain.given_weights is None
    given = np.array([1.0, 2.0, 3.0])
    weighted = check_training_data(LogisticRegression(), X, LABELS, given)
    weighted.weights[0] = 9
    assert given.tolist() == [1, 2, 3]
    assert weighted.given_weights is weighted.weights
    assert (plain.classes.tolist(), plain.codes.tolist()) == (["a", "b"], [1, 0, 1])


def test_a_frame_stays_one_on_demand_and_its_names_are_learnt():
    model = LogisticRegression()
    kept = check_training_data(model, FRAME, LABELS, None, keep_frames=True)
    assert kept.X is FRAME
    assert model.feature_names_in_.tolist() == ["size", "colour"]
    model.n_features_in_ = 2
    assert check_points(model, FRAME, keep_frames=True) is FRAME
    with pytest.raises(ValueError, match="feature names"):
        check_points(model, FRAME.rename(columns={"size": "height"}), keep_frames=True)
    assert isinstance(check_training_data(model, FRAME, LABELS, None).X, np.ndarray)


@pytest.mark.parametrize("keep_frames", [True, False])
@pytest.mark.parametrize(
    ("y", "weights", "message"),
    [
        (None, None, "requires y to be passed"),
        (["a", "b"], None, "inconsistent numbers of samples"),
        (["a", "a", "a"], None, r"one class \['a'\]"),
        ([0.5, 1.5, 0.2], None, "Unknown label type"),
        (LABELS, [1, 0, 1], "class 'a' has no point of weight > 0"),
        (LABELS, [1, 1], "3 points: give one number a point"),
    ],
)
def test_bad_labels_and_weights_have_the_same_sentences_for_frames(
    keep_frames, y, weights, message
):
    with pytest.raises(ValueError, match=message):
        check_training_data(LogisticRegression(), FRAME, y, weights, keep_frames=keep_frames)
