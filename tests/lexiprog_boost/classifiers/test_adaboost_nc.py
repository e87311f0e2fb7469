"""AdaBoost.NC: the published formula, with a penalty and without."""

import numpy as np
import pytest

import lexiprog as lx
from lexiprog_boost import AdaBoostNCClassifier
from tests.lexiprog_boost.written_out.stumps import BestStump, small_problem


def plain(X, y, n_rounds, penalty=0.0):
    """The rounds written out, one point at a time; without a penalty p plays no part."""
    n = len(y)
    D = np.full(n, 1 / n)
    members, scales = [], []
    for _ in range(n_rounds):
        members.append(BestStump().fit(X, y, D))
        answers = np.array([m.predict(X) for m in members])
        right = answers[-1] == y
        p = np.empty(n)
        for i in range(n):
            labels, counts = np.unique(answers[:, i], return_counts=True)
            together = float(labels[np.argmax(counts)] == y[i])
            amb = np.mean([together - float(answer == y[i]) for answer in answers[:, i]])
            p[i] = 1 - abs(amb)
        mass = D * p**penalty
        scales.append(0.5 * np.log(mass[right].sum() / mass[~right].sum()))
        D = mass * np.exp(-scales[-1] * right)
        D /= D.sum()
    return members, np.array(scales)


@pytest.mark.parametrize("penalty", [0.0, 2.0, 9.0])
@pytest.mark.parametrize("seed", range(2))
def test_rounds_follow_the_published_formula(seed, penalty):
    X, y = small_problem(seed, n=20)
    model = AdaBoostNCClassifier(BestStump(), 3, penalty=penalty, oversample=False).fit(X, y)
    members, scales = plain(X, y, len(model.estimators_), penalty)
    assert [m.stump_ for m in model.estimators_] == [m.stump_ for m in members]
    assert model.estimator_weights_ == pytest.approx(scales / scales.sum())


def test_settings_that_cannot_work_are_refused():
    X, y = small_problem(0)
    with pytest.raises(ValueError, match="penalty is -1"):
        AdaBoostNCClassifier(penalty=-1).fit(X, y)


def test_a_first_member_that_is_mostly_wrong_votes_alone_and_says_so():
    X, y = np.zeros((8, 1)), [0, 1, 2, 3] * 2
    with pytest.warns(lx.LexiprogWarning, match="wrong on a share of 0.750"):
        model = AdaBoostNCClassifier(BestStump(), oversample=False).fit(X, y)
    assert len(model.estimators_) == 1
    assert "wrong on half of the points or more" in model.stopped_
