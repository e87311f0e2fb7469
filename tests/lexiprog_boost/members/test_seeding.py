"""Every source of chance in a clone has a seed of its own."""

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from lexiprog_boost.members.fitting import seeded_clone


def test_seeds_reach_every_nested_learner_and_nothing_else():
    chain = make_pipeline(OneHotEncoder(), DecisionTreeClassifier(max_depth=3))
    copy = seeded_clone(chain, np.random.RandomState(0))
    assert isinstance(copy[-1].random_state, int)
    assert copy[-1].max_depth == 3
    assert chain[-1].random_state is None
    assert seeded_clone(KNeighborsClassifier(2), np.random.RandomState(0)).n_neighbors == 2
