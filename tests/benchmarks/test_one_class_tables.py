"""What the one-class benchmark counts, worked by hand."""

from pathlib import Path

import numpy as np
import pytest

from lexiprog_boost.datasets.dataset import Dataset

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
# One fold's scores by kind, the same in both folds: with these and the rare points left out, a
# tenth of the normal ones lies below 1.8.
FOLD = {"a": [2.0] * 10, "b": [0.0] * 2 + [2.0] * 8, "rare": [-1.0, 1.0]}


class Reads:
    """A detector whose score is the only feature, and which keeps what it was given."""

    def fit(self, X, groups=None):
        self.groups = groups
        return self

    def score_samples(self, X):
        return X[:, 0]


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return __import__("one_class")


def made_up(fold):
    y = np.array([kind for kind, scores in fold.items() for _ in scores] * 2)
    X = np.array([score for scores in fold.values() for score in scores] * 2)[:, None]
    folds = np.repeat([0, 1], len(y) // 2)
    return Dataset("made up", X, y, ("score",), folds)


def counted(benchmark, monkeypatch, fold):
    made = {"given": [], "alone": []}

    def keep(who):
        return lambda _seed: made[who].append(Reads()) or made[who][-1]

    monkeypatch.setattr(benchmark, "load_keel", lambda _name: made_up(fold))
    monkeypatch.setattr(
        benchmark, "WITH_KINDS", {"kinds given": keep("given"), "alone": keep("alone")}
    )
    return benchmark.kinds("made up", 2), made


def test_shares_are_those_of_unseen_normal_points(benchmark, monkeypatch):
    found, _ = counted(benchmark, monkeypatch, FOLD)
    # Two of twenty, both of kind b; of 40 pairs of normal and rare points those of the two zeros
    # with the rare 1 are in the wrong order.
    # The tenth of kind b lies at 0, below which is only the rare point at -1.
    expected = {"all": 0.1, "worst": 0.2, "worst, spared": 0, "caught, spared": 0.5}
    assert found["alone"] == pytest.approx(expected | {"auc": 38 / 40})


def test_kinds_are_given_to_those_who_are_to_have_them_and_the_rare_one_to_nobody(
    benchmark, monkeypatch
):
    _, made = counted(benchmark, monkeypatch, FOLD)
    assert all(set(one.groups) == {"a", "b"} for one in made["given"])
    assert all(one.groups is None for one in made["alone"])


def test_a_kind_of_few_points_is_not_the_worst(benchmark, monkeypatch):
    few = FOLD | {"c": [-5.0] * 3}
    found, _ = counted(benchmark, monkeypatch, few)
    assert found["alone"]["all"] == pytest.approx(3 / 23)
    assert found["alone"]["worst"] == 0


def test_the_better_one_has_the_first_rank_whichever_way_is_better(benchmark):
    found = {name: {"x": {"v": 0.1}, "y": {"v": 0.3}} for name in ("one", "two")}
    for largest, ranks in ((True, ["2.00", "1.00"]), (False, ["1.00", "2.00"])):
        rows = benchmark.summary(found, "v", largest=largest, against=["x"])
        assert rows[0] == ["one", "0.100", "0.300"]
        assert rows[2] == ["mean", "0.100", "0.300"]
        assert rows[3] == ["average rank", *ranks]
        assert rows[4] == ["signed rank test against x, p", "", "0.500"]
