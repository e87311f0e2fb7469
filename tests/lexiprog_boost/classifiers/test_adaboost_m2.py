"""AdaBoost.M2 with two classes and hard votes is AdaBoost.M1."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost import AdaBoostM2Classifier
from tests.lexiprog_boost.written_out.stumps import BestStump, small_problem


def adaboost_m1(X, y, n_rounds):
    """AdaBoost.M1 as published: weights of right points times beta, vote by log(1 / beta)."""
    D = np.full(len(y), 1 / len(y))
    members, scales = [], []
    for _ in range(n_rounds):
        member = BestStump().fit(X, y, D)
        wrong = member.predict(X) != y
        error = D[wrong].sum()
        if error >= 0.5:
            break
        beta = error / (1 - error)
        members.append(member)
        scales.append(np.log(1 / beta))
        D = D * np.where(wrong, 1.0, beta)
        D /= D.sum()
    return members, np.array(scales)


@pytest.mark.parametrize("seed", range(4))
def test_two_classes_and_hard_votes_are_adaboost_m1(seed):
    X, y = small_problem(seed, n=20)
    members, scales = adaboost_m1(X, y, 6)
    model = AdaBoostM2Classifier(BestStump(), 6).fit(X, y)
    assert [m.stump_ for m in model.estimators_] == [m.stump_ for m in members]
    assert model.estimator_weights_ == pytest.approx(scales / scales.sum())
    votes = sum(
        a * np.where(m.predict(X) == 1, 1, -1) for m, a in zip(members, scales, strict=True)
    )
    assert model.decision_function(X) == pytest.approx(votes / scales.sum(), abs=1e-8)


def test_one_round_of_the_update_by_hand_with_three_classes():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostM2Classifier(DecisionTreeClassifier(max_depth=1), 1, random_state=0).fit(X, y)
    # A third is wrong: it loses one to the class voted for and 1/2 to the other wrong class.
    assert model.history_["pseudo_loss"].tolist() == pytest.approx([(1 / 3) * (1 + 1 / 2) / 2])
    assert model.history_["error"].tolist() == pytest.approx([1 / 3])


def test_confidence_outputs_vote_with_probabilities():
    X, y = make_classification(120, 5, n_informative=3, n_classes=3, random_state=0)
    tree = DecisionTreeClassifier(max_depth=2)
    model = AdaBoostM2Classifier(tree, 4, output="confidence", random_state=0).fit(X, y)
    shares = sum(
        a * m.predict_proba(X)
        for m, a in zip(model.estimators_, model.estimator_weights_, strict=True)
    )
    assert model.predict_proba(X) == pytest.approx(shares, abs=1e-8)
    with pytest.raises(ValueError, match="unknown output 'soft'"):
        AdaBoostM2Classifier(output="soft").fit(X, y)
