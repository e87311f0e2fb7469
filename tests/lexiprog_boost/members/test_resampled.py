"""Resampling stands in for sample weights, and says what it drew."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost.learners import ResampledClassifier

X, CODES = load_wine(return_X_y=True)
Y = np.array(["red", "white", "rose"])[CODES]


def test_points_are_drawn_in_proportion_to_their_weights():
    points, labels = np.zeros((20_000, 1)), np.arange(20_000) % 2
    weights = np.repeat([1.0, 3.0], 10_000)
    drawn = ResampledClassifier(random_state=0).fit(points, labels, weights).sample_indices_
    assert len(drawn) == 20_000
    assert (drawn >= 10_000).mean() == pytest.approx(0.75, abs=0.01)


def test_points_of_weight_zero_are_never_drawn():
    weights = (CODES != 1).astype(float)
    learner = ResampledClassifier(random_state=0).fit(X, Y, weights)
    assert not (CODES[learner.sample_indices_] == 1).any()


def test_a_class_that_was_not_drawn_has_probability_zero_but_is_known():
    learner = ResampledClassifier(random_state=0).fit(X, Y, (CODES != 2).astype(float))
    assert learner.classes_.tolist() == ["red", "rose", "white"]
    shares = learner.predict_proba(X)
    assert shares.shape == (178, 3)
    assert not shares[:, 1].any()
    np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_a_draw_of_one_class_makes_a_constant():
    learner = ResampledClassifier(RidgeClassifier(), random_state=0)
    learner.fit(X, Y, (CODES == 2).astype(float))
    assert set(learner.predict(X)) == {"rose"}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_an_integer_state_repeats_the_draw_and_the_learner():
    # The network starts at random too: its seed must come from the same state.
    learner = ResampledClassifier(MLPClassifier((4,), max_iter=5), random_state=3)
    first, second = (learner.fit(X, Y).predict_proba(X) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    other = ResampledClassifier(MLPClassifier((4,), max_iter=5), random_state=4).fit(X, Y)
    assert not np.array_equal(other.predict_proba(X), first)


def test_probabilities_are_offered_only_if_the_learner_has_them():
    assert hasattr(ResampledClassifier(KNeighborsClassifier()), "predict_proba")
    assert not hasattr(ResampledClassifier(RidgeClassifier()), "predict_proba")


def test_a_bad_number_is_found_even_in_a_row_that_was_not_drawn():
    spoilt = X.copy()
    spoilt[0, 0] = np.nan
    weights = np.r_[0.0, np.ones(177)]
    with pytest.raises(ValueError, match="NaN"):
        ResampledClassifier(random_state=0).fit(spoilt, Y, weights)


def test_learners_of_words_and_missing_values_are_left_to_themselves():
    words = np.array([["a"], ["b"], ["a"], ["b"]] * 10, dtype=object)
    labels = np.array([0, 1, 0, 1] * 10)
    chain = make_pipeline(OneHotEncoder(), KNeighborsClassifier(1))
    learner = ResampledClassifier(chain, random_state=0).fit(words, labels)
    np.testing.assert_array_equal(learner.predict(words), labels)
    holes = np.where(np.median(X) < X, X, np.nan)
    ResampledClassifier(DecisionTreeClassifier(), random_state=0).fit(holes, Y)
