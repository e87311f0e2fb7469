"""The default pool: what it takes, and that a fit builds it once."""

import numpy as np
from sklearn.utils import get_tags

from lexiprog_boost import LexiEnsembleClassifier
from lexiprog_boost.classifiers import lexi_ensemble
from lexiprog_boost.classifiers.shared.listed_members import (
    DEFAULT_INPUT_KINDS,
    NamedMembers,
    default_pool,
)
from tests.lexiprog_boost.classifiers.kinds import X, Y


def test_what_is_said_of_the_members_is_what_they_say_themselves():
    tags = get_tags(NamedMembers(default_pool())).input_tags
    assert (tags.sparse, tags.allow_nan) == DEFAULT_INPUT_KINDS
    own = get_tags(LexiEnsembleClassifier()).input_tags
    assert (own.sparse, own.allow_nan) == DEFAULT_INPUT_KINDS


def test_a_fit_builds_the_pool_once(monkeypatch):
    built = []

    def counted(_n_points):
        built.append(default_pool()[:1])  # the linear one, which is quick
        return built[-1]

    monkeypatch.setattr(lexi_ensemble, "default_pool", counted)
    model = LexiEnsembleClassifier(random_state=0).fit(X, Y)
    model.predict(X)
    assert len(built) == 1
    assert model.ensemble_.members is built[0]


def test_every_member_treats_the_classes_alike():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], [380, 20])
    points = rng.normal(size=(400, 3)) + 1.5 * labels[:, None]
    for _name, member in default_pool():
        predicted = member.fit(points, labels).predict(rng.normal(size=(400, 3)) + 0.75)
        # Half-way between the classes a balanced learner is of two minds.
        assert 0.15 < predicted.mean() < 0.85


def test_the_trees_of_gradient_boosting_grow_with_the_points():
    trees = {n: dict(default_pool(n))["boosting"][-1] for n in (0, 3000, 8000, 12_400, 10**6)}
    leaves = {n: one.max_leaf_nodes for n, one in trees.items()}
    assert leaves == {0: 8, 3000: 8, 8000: 20, 12_400: 31, 10**6: 31}
    assert trees[0].learning_rate == 0.05
    assert trees[12_400].learning_rate == 0.1
