"""How many cases a promise takes: against the published table, and against binomial sums."""

import numpy as np
import pytest
from scipy.special import comb

from lexiprog_boost.thresholds.promises import (
    ErrorLevels,
    cases_needed,
    lower_bound,
    read_priorities,
    right_needed,
    too_few,
    upper_bound,
    wrong_allowed,
)


@pytest.mark.parametrize(
    ("floor", "cases"),
    [
        (0.8, (14, 22, 30, 50)),
        (0.9, (29, 46, 61, 103)),
        (0.95, (59, 93, 124, 208)),
        (0.99, (299, 473, 628, 1049)),
    ],
)
def test_cases_for_so_many_misses_are_the_known_ones(floor, cases):
    for misses, n in zip((0, 1, 2, 5), cases, strict=True):
        assert right_needed(n, floor, 0.05) == n - misses
        before = right_needed(n - 1, floor, 0.05)
        assert before is None or before > n - 1 - misses
    assert cases_needed(floor, 0.05) == cases[0]


@pytest.mark.parametrize("n", [0, 1, 17, 60])
@pytest.mark.parametrize("floor", [0.3, 0.9])
def test_the_count_needed_is_the_least_by_the_sum_of_its_chances(n, floor):
    chances = [comb(n, k) * floor**k * (1 - floor) ** (n - k) for k in range(n + 1)]
    tails = np.cumsum(chances[::-1])[::-1]
    good = [k for k in range(n + 1) if tails[k] <= 0.05]
    assert right_needed(n, floor, 0.05) == (good[0] if good else None)
    k = right_needed(n, 1 - floor, 0.05)
    assert wrong_allowed(n, floor, 0.05) == (None if k is None else n - k)


def test_a_bound_meets_the_floor_exactly_where_the_count_does():
    for n in (29, 60, 200):
        k = right_needed(n, 0.9, 0.05)
        assert lower_bound(k, n, 0.05) >= 0.9 > lower_bound(k - 1, n, 0.05)
    assert lower_bound(0, 10, 0.05) == 0
    assert upper_bound(10, 10, 0.05) == 1
    assert upper_bound(0, 20, 0.05) == pytest.approx(1 - 0.05 ** (1 / 20))


def test_the_sentence_tells_what_it_would_take():
    said = too_few(20, "cases of A", 0.9, 0.05)
    assert said == "20 cases of A; 0.9 needs at least 29, all right; 20 can promise at most 0.861"
    assert "0 can promise nothing" in too_few(0, "cases of A", 0.9, 0.05)


def test_joint_levels_keep_the_joint_level_whatever_is_spent():
    for apart in (True, False):
        levels, kept = ErrorLevels(0.05, 3, joint=True, apart=apart), 1.0
        spent = []
        for share in (1.0, 0.3, 1.0):
            spent.append(share * levels.next())
            kept *= 1 - spent[-1]
            levels.spend(spent[-1])
        assert (1 - kept if apart else sum(spent)) == pytest.approx(0.05)
    alone = ErrorLevels(0.05, 3, joint=False, apart=True)
    alone.spend(0.05)
    assert alone.next() == 0.05


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([("recall", "C", 0.9)], "the classes are"),
        ([("recall", "A", 1.5)], "between 0 and 1"),
        ([("precision", "A")], "needs a limit"),
        ([("accuracy", "A", 0.5)], "no priority"),
        ([("cost", {"C": 1})], "there is a cost for 'C'"),
        ([("cost", {"A": -1})], "a number from 0 on"),
        ([("worst recall", "sex", "age")], "no priority"),
        ([("worst recall", 0.8)], "give every class one of its own"),
    ],
)
def test_what_is_no_priority_is_named(given, said):
    with pytest.raises(ValueError, match=said):
        read_priorities(given, np.array(["A", "B"]))


def test_one_priority_needs_no_list_and_what_is_open_serves_the_worst_class():
    def texts(given):
        return [str(one) for one in read_priorities(given, np.array(["A", "B"]))]

    assert texts(("recall", "A", 0.9)) == ["recall of A >= 0.9", "worst recall"]
    assert texts([("recall", "A")]) == ["recall of A", "worst recall"]
    assert texts("balanced accuracy") == ["balanced accuracy"]
    assert texts(None) == ["worst recall"]
    assert texts([("false positive rate", "B", 0.05), ("cost", {"A": 5})]) == [
        "false positive rate of B <= 0.05",
        "cost",
    ]
    assert texts([("recall", "A", 0.9), ("recall", "A", 0.9)]) == texts(("recall", "A", 0.9))
    again = read_priorities([("recall", "A", 0.9, "sex")], np.array(["A", "B"]))
    assert read_priorities(again, np.array(["A", "B"])) == again
