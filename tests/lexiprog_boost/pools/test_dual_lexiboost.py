"""One loop: what it trains members on, and each reason to end it."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import lexiprog as lx
from lexiprog_boost.pools.dual_lexiboost import check_error_limit, dual_loop_pool
from lexiprog_boost.pools.point_weights import NextWeights

RESULTS = Path(__file__).parents[3] / "benchmarks" / "results"
X, Y = np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 0, 0])
EVEN = np.full(6, 1 / 6)


def loop(answers, **settings):
    """A loop whose dual programs give these answers, one a round."""
    given = iter(answers)
    settings = {"start": EVEN, "n_estimators": 3, "error_limit": 0.5, **settings}
    stump, rng = DecisionTreeClassifier(max_depth=1), np.random.RandomState(0)
    return dual_loop_pool(stump, X, Y, lambda margins: next(given), rng=rng, **settings)


LEFT = NextWeights(np.array([1.0, 1, 1, 1, 0, 0]) / 4)
RIGHT = NextWeights(np.array([0.0, 0, 1, 1, 1, 1]) / 4)


def test_every_member_is_trained_on_the_weights_of_its_round():
    rounds = []
    pool = loop([LEFT, RIGHT], on_round=lambda t, error: rounds.append((t, error)))
    np.testing.assert_array_equal(pool.distributions, [EVEN, LEFT.distribution, RIGHT.distribution])
    # The first stump is right on two thirds, each of the others on all that weighs.
    assert [member.predict(X).tolist() for member in pool.estimators[1:]] == [
        [0, 0, 1, 1, 1, 1],
        [1, 1, 1, 1, 0, 0],
    ]
    assert rounds == [(1, pytest.approx(1 / 3)), (2, 0), (3, 0)]
    assert pool.stopped == "all 3 rounds were trained."
    assert pool.weights.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("answers", "settings", "n_members", "reason"),
    [
        ([NextWeights(EVEN)], {}, 1, "round 2 repeats an earlier one and was dropped"),
        ([NextWeights(None)], {}, 1, "no point has weight after round 1: the members are perfect"),
        ([LEFT, NextWeights(RIGHT.distribution, ((EVEN, 0.9),))], {}, 2, "no edge over the limit"),
        ([LEFT, RIGHT], {"n_estimators": 2}, 2, "all 2 rounds were trained"),
    ],
)
def test_reasons_to_end(answers, settings, n_members, reason):
    pool = loop(answers, **settings)
    assert len(pool.estimators) == n_members
    assert reason in pool.stopped


def test_a_repeated_member_may_cost_its_round_alone():
    seeds = []

    class Wanderer(DecisionTreeClassifier):
        """The same stump twice, then another one."""

        def fit(self, X, y, sample_weight=None):
            seeds.append(self.random_state)
            best = EVEN if len(seeds) < 3 else LEFT.distribution
            return super().fit(X, y, sample_weight=best)

    def pool(repeats):
        seeds.clear()
        return dual_loop_pool(
            Wanderer(max_depth=1), X, Y, lambda margins: NextWeights(EVEN), start=EVEN,
            n_estimators=3, error_limit=0.5, repeats=repeats, rng=np.random.RandomState(0),
        )  # fmt: skip

    assert len(pool("stop").estimators) == 1
    found = pool("retry")
    assert len(set(seeds)) == 3
    assert found.margins.T.tolist() == [[1, 1, -1, -1, 1, 1], [1, 1, 1, 1, -1, -1]]
    assert found.stopped == "all 3 rounds were trained."


def test_a_member_with_too_large_an_error_is_dropped_but_the_first_is_kept_alone():
    easy = np.array([1.0, 1, 1, 1, 0.25, 0.25]) / 4.5  # a stump misses the last two
    pool = loop([NextWeights(EVEN)], start=easy, error_limit=0.2)
    assert len(pool.estimators) == 1
    assert "round 2 has the weighted error 0.333 > 0.200 and was dropped" in pool.stopped
    with pytest.warns(lx.LexiprogWarning, match=r"weighted error 0\.333 > 0\.200; it is kept"):
        pool = loop([LEFT], error_limit=0.2)
    assert (len(pool.estimators), pool.stopped[-20:]) == (1, "; it is kept, alone.")


def test_the_warning_promises_no_more_of_chance_than_was_measured():
    stump, y = DecisionTreeClassifier(max_depth=1), np.array([0, 0, 1, 1, 2, 2])
    once = {"start": EVEN, "n_estimators": 2, "error_limit": 0.1, "rng": np.random.RandomState(0)}
    with pytest.warns(lx.LexiprogWarning) as heard:
        dual_loop_pool(stump, X, y, lambda _: None, **once)
    record = json.loads((RESULTS / "error_limit.json").read_text())["5 neighbours"]
    means = {
        key: [
            np.mean([np.mean([one[limit][key] for one in cells]) for cells in record.values()])
            for limit in ("chance", "paper")
        ]
        for key in ("members", "g_mean")
    }
    many, few = means["members"]
    chance, paper = means["g_mean"]
    said = str(heard[0].message)
    assert len(record) == 10
    assert "on ten multi-class data sets" in said
    assert f"kept {many:.0f} members instead of {few:.0f}" in said
    assert f"({chance:.3f} and {paper:.3f}, benchmarks/error_limit.py)" in said
    with pytest.warns(lx.LexiprogWarning) as heard:
        loop([LEFT], error_limit=0.2)
    assert "chance" not in str(heard[0].message)  # it would be the same limit


def test_limits_are_the_papers_or_chance_and_rounds_are_needed():
    assert check_error_limit("paper", 3) == pytest.approx(1 / 3)
    assert check_error_limit("chance", 3) == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="unknown error_limit 'half'"):
        check_error_limit("half", 3)
    with pytest.raises(ValueError, match="n_estimators is 0"):
        loop([], n_estimators=0)
