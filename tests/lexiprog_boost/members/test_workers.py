"""Small data are trained on in this process, whatever number of workers is asked for."""

import os

import numpy as np
from sklearn.dummy import DummyClassifier

from lexiprog_boost import LexiEnsembleClassifier
from lexiprog_boost.members.fitting import MANY_ENTRIES, workers_for


class Noting(DummyClassifier):
    """Remembers the process it was fitted in."""

    def fit(self, X, y, sample_weight=None):
        self.process_ = os.getpid()
        return super().fit(X, y, sample_weight)


def test_few_points_start_no_process():
    X, y = np.arange(60.0)[:, None], np.arange(60) % 3 == 0
    model = LexiEnsembleClassifier([("a", Noting()), ("b", Noting())], n_jobs=2).fit(X, y)
    assert {one.process_ for one in model.ensemble_.estimators_} == {os.getpid()}


def test_many_points_get_the_workers_asked_for():
    many = np.broadcast_to(0.0, (MANY_ENTRIES, 1))
    assert workers_for(many, -1) == -1
    assert workers_for(many[:-1], -1) == 1
    assert workers_for(many, None) is None
