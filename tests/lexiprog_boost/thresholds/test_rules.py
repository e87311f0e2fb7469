"""The rule against all thresholds there are, against its own program, and on new points."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from lexiprog_boost.thresholds import (
    DecisionRule,
    ScoredPoints,
    fit_rule,
    priorities_program,
    read_priorities,
)
from lexiprog_boost.thresholds.search import BY, OffsetSearch
from tests.lexiprog_boost.thresholds.drawn import draw, recalls


def wanted(given, points):
    return read_priorities(given, points.classes)


def every_count(points):
    """The counts of right points that some offsets of three classes have, by brute force."""
    gaps = points.logs - points.logs[np.arange(len(points.codes)), points.codes][:, None]
    firsts = {0.0}
    for a, b in ((0, 1), (0, 2), (1, 2)):
        rows = np.isin(points.codes, (a, b))
        firsts |= set((points.logs[rows, a] - points.logs[rows, b]).tolist())
    ones = np.array([x + s * 2 * BY for x in firsts for s in (-1, 1)])
    both = np.unique(np.concatenate([ones, -ones]))
    seen = set()
    for first in both:
        # The second offset matters relative to either of the others.
        seconds = np.concatenate([both, both + first])
        for second in np.unique(seconds):
            offsets = np.array([0.0, first, second])
            right = ((gaps + offsets).argmax(axis=1) == points.codes) & (
                np.partition(gaps + offsets, -2, axis=1)[:, -2] + BY
                <= (gaps + offsets)[np.arange(len(points.codes)), points.codes]
            )
            seen.add(tuple(np.bincount(points.codes, right, 3).astype(int)))
    return np.array(sorted(seen))


@pytest.mark.parametrize("seed", range(4))
def test_the_worst_recall_is_that_of_all_offsets_there_are(seed):
    points = draw(seed, [7, 6, 5], spread=0.8)
    sizes = np.bincount(points.codes)
    best = (every_count(points) / sizes).min(axis=1).max()
    found = fit_rule(points, wanted("worst recall", points), rule="multipliers")
    assert recalls(points, found.rule).min() == pytest.approx(best)
    assert found.aims[0][1] == pytest.approx(best)


@pytest.mark.parametrize("seed", range(3))
def test_a_recall_is_as_good_as_a_floor_leaves_it(seed):
    points = draw(seed, [9, 8, 7], spread=0.8)
    counts = every_count(points)
    allowed = counts[counts[:, 0] >= 7]
    found = fit_rule(
        points, wanted([("recall", 0, 7 / 9), ("recall", 1)], points), rule="multipliers"
    )
    got = recalls(points, found.rule) * np.bincount(points.codes)
    assert got[0] >= 7
    assert got[1] == allowed[:, 1].max()
    best = allowed[allowed[:, 1] == got[1]]
    assert min(got / [9, 8, 7]) == pytest.approx((best / [9, 8, 7]).min(axis=1).max())


def test_least_offsets_are_least():
    points = draw(0, [20, 20, 20])
    cells = [points.codes == c for c in range(3)]
    search = OffsetSearch(points.logs, points.codes, cells)
    found = search.least([12, 15, 13])
    counts = search.counts(found)
    assert (counts >= [12, 15, 13]).all()
    for c in range(3):
        if found[c] != 0:
            lower = found.copy()
            lower[c] -= 1e-6
            assert search.counts(lower)[c] < (12, 15, 13)[c]
    assert search.least([21, 0, 0]) is None


def short_of(floor, points):
    """By how many points a floor is missed."""
    count, needed = round(floor.measured * floor.cases), floor.needed
    if floor.priority.measure == "recall":
        return max(0, needed - count)
    if floor.priority.measure == "false positive rate":
        return max(0, count - (floor.cases - needed))
    assert floor.measured >= floor.priority.limit
    return 0


@pytest.mark.parametrize("sizes", [[11, 10], [11, 10, 9]], ids=["two classes", "three"])
@pytest.mark.parametrize(
    "given",
    [
        [("recall", 0, 0.6), ("recall", 1, 0.4), "worst recall"],
        [("recall", 1, 0.6), ("false positive rate", 1, 0.5), ("recall", 1)],
        [("false positive rate", 0, 0.2), ("recall", 1, 0.5)],
        [("recall", 0, 0.4), ("precision", 0, 0.3), ("recall", 1, 0.3), "worst recall"],
        [("precision", 0, 0.6), "worst recall"],
        [("recall", 0, 0.4, "sex"), ("recall", 1, 0.3), ("worst recall", "sex")],
        [("recall", 0, 0.5), ("recall", 1), "worst recall"],
        [("false positive rate", 1, 0.4), ("recall", 0, 0.6), ("recall", 1, 0.3)],
    ],
    ids=lambda given: ", ".join(one if isinstance(one, str) else one[0] for one in given),
)
@pytest.mark.parametrize("rule", ["cascade", "multipliers"])
def test_the_program_has_the_values_of_the_search(rule, given, sizes):
    points = draw(900, sizes, spread=0.9)
    points = replace(points, groups={"sex": (["f", "m"], np.arange(len(points.codes)) % 2)})
    priorities = wanted(given, points)
    countable = all(one.measure in ("recall", "worst recall") for one in priorities)
    if rule == "multipliers" and not (countable and len(sizes) > 2):
        return  # refused, or the same as a cascade
    found = fit_rule(points, priorities, rule=rule, alpha=0.3)
    result = priorities_program(points, priorities, found).solve()
    for floor in found.floors:
        assert result[floor.wanted].value == pytest.approx(short_of(floor, points), abs=1e-6)
    for one, value, proved in found.aims:
        assert result[str(one)].value == pytest.approx(value, abs=1e-6)
        assert proved


def test_with_floors_on_both_of_two_classes_the_threshold_is_the_best_of_all():
    points = draw(7, [80, 60], spread=0.9)
    gap = points.logs[:, 1] - points.logs[:, 0]
    found = fit_rule(points, wanted([("recall", 1, 0.6), ("recall", 0, 0.5)], points))
    assert [floor.status for floor in found.floors] == ["promised", "promised"]
    owed = [floor.needed for floor in found.floors]
    best = 0.0
    for t in [*gap, gap.max() + 1]:
        right = (gap[80:] >= t).sum(), (gap[:80] < t).sum()
        if right[0] >= owed[0] and right[1] >= owed[1]:
            best = max(best, min(right[0] / 60, right[1] / 80))
    assert found.aims[0][1] == pytest.approx(best)


def test_aims_leave_a_ceiling_alone_that_came_after_a_floor():
    points = draw(3, [100] * 3)
    given = [("recall", 0, 0.6), ("false positive rate", 0, 0.2), ("recall", 0)]
    floors = fit_rule(points, wanted(given, points)).floors
    assert [floor.status for floor in floors] == ["promised", "promised"]
    assert floors[1].bound <= 0.2
    assert floors[1].measured > 0.1, "what the ceiling leaves is used"


def test_a_ceiling_takes_nothing_from_the_floors_after_it():
    points = draw(0, [100] * 3, spread=0.7)
    later = [("recall", 0, 0.7), "worst recall"]
    alone = fit_rule(points, wanted(later, points)).floors[0]
    ceiling, floor = fit_rule(
        points, wanted([("false positive rate", 1, 0.4), *later], points)
    ).floors
    assert (ceiling.priority.label, ceiling.status) == (1, "promised")
    assert floor.is_kept
    assert floor.measured == alone.measured
    # The class that is left may need more than the ceiling leaves: the claim gives way.
    wide, left = fit_rule(
        points, wanted([("false positive rate", 0, 0.9), ("false positive rate", 1, 0.9),
                        ("recall", 2, 0.6)], points)
    ).floors[::2]  # fmt: skip
    assert (wide.status, left.status) == ("promised", "promised")


def test_a_precision_of_the_class_that_is_left_is_tested():
    points = draw(1, [100, 100])
    high, low = (
        fit_rule(points, wanted([("recall", 0, 0.9), ("precision", 1, limit)], points)).floors[1]
        for limit in (0.99, 0.6)
    )
    assert (high.status, low.status) == ("not promised", "promised")
    assert 0.6 <= low.bound == high.bound < 0.99


def test_after_a_threshold_that_was_searched_for_nothing_is_proved():
    points = draw(1, [400] * 3)
    found = fit_rule(points, wanted([("precision", 0, 0.8), ("recall", 1, 0.6)], points))
    assert [floor.status for floor in found.floors] == ["estimated", "estimated"]


def test_jointly_a_floor_that_was_not_reached_has_spent_its_share():
    given = [("recall", 0, 0.9), ("recall", 1, 0.9), ("recall", 2, 0.5)]
    far, near = (draw(0, [100] * 3, spread=spread) for spread in (4.0, 0.3))
    reached, missed = (fit_rule(p, wanted(given, p), joint=True).floors for p in (far, near))
    assert (reached[1].is_kept, missed[1].is_kept) == (True, False)
    assert reached[2].confidence == missed[2].confidence


@pytest.mark.parametrize("rule", ["cascade", "multipliers"])
@pytest.mark.parametrize("unit", [1e-12, 1e12])
def test_scores_may_be_measured_in_any_unit(unit, rule):
    drawn = draw(0, [80] * 3)
    given = [("recall", 0, 0.8), ("recall", 1, 0.5), "balanced accuracy"]
    plain, scaled = (
        replace(drawn, logs=drawn.logs * factor, offsets=np.zeros(3)) for factor in (1.0, unit)
    )
    first, second = (fit_rule(p, wanted(given, p), rule=rule) for p in (plain, scaled))
    assert np.array_equal(first.rule(plain.logs), second.rule(scaled.logs))
    assert first.floors[1].measured > 0.5


def test_a_score_just_below_its_threshold_does_not_pass():
    rule = DecisionRule((0,), (1.0,), np.array([-np.inf, 1000.0]), np.zeros(2))
    assert rule(np.array([[np.nextafter(1.0, 0), 0.0], [1.0, 0.0]])).tolist() == [1, 0]


def test_two_classes_have_the_best_sum_of_all_thresholds():
    points = draw(3, [30, 20], spread=0.5)
    gap = points.logs[:, 1] - points.logs[:, 0]
    for given, worth in (("balanced accuracy", [1 / 30, 1 / 20]), (("cost", {0: 3}), [3, 1])):
        best = max(
            worth[0] * (gap[:30] < t).sum() + worth[1] * (gap[30:] >= t).sum()
            for t in [*gap, gap.max() + 1]
        )
        found = fit_rule(points, wanted(given, points))
        right = found.rule(points.logs) == points.codes
        assert worth[0] * right[:30].sum() + worth[1] * right[30:].sum() == pytest.approx(best)
        assert found.aims[0][2]


def test_the_worst_class_is_followed_by_the_next():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], 40)
    logs = np.zeros((120, 3))
    logs[np.arange(120), codes] = 5.0
    logs[codes == 2] = rng.normal(size=(40, 3))  # class 2 looks like anything
    third = np.full(3, 1 / 3)
    points = ScoredPoints(logs, codes, np.arange(3), third, np.zeros(3))
    found = recalls(points, fit_rule(points, wanted(None, points)).rule)
    assert found[2] == 1
    assert found[:2].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("n", "joint", "rule"), [(60, False, "cascade"), (60, True, "cascade"), (150, False, "cascade")]
)
def test_promises_are_broken_at_most_as_often_as_stated(n, joint, rule):
    runs, broken, either, promised = 200, np.zeros(2), 0, np.zeros(2)
    fresh = draw(10**6, [4000] * 3)
    for seed in range(runs):
        points = draw(seed, [n] * 3)
        given = wanted([("recall", 0, 0.8), ("recall", 1, 0.7), "balanced accuracy"], points)
        found = fit_rule(points, given, joint=joint, rule=rule, alpha=0.1)
        on_new = recalls(fresh, found.rule)
        bad = np.array([f.is_kept and on_new[f.priority.label] < f.priority.limit
                        for f in found.floors])  # fmt: skip
        broken += bad
        either += bad.any()
        promised += [f.is_kept for f in found.floors]
    error = 3 * np.sqrt(0.1 * 0.9 / runs)
    assert (broken / runs <= 0.1 + error).all()
    assert (promised / runs > 0.5).all()
    assert broken.sum() > 0, "a promise that is never broken is too dear"
    if joint:
        assert either / runs <= 0.1 + error


def test_ceilings_on_false_positives_hold_and_leave_recall():
    fresh, broken = draw(10**6, [4000] * 3), 0
    for seed in range(120):
        points = draw(seed, [50] * 3)
        given = wanted([("false positive rate", 2, 0.1), "worst recall"], points)
        found = fit_rule(points, given, alpha=0.1)
        assert found.floors[0].status == "promised"
        predicted = found.rule(fresh.logs)
        broken += (predicted[fresh.codes != 2] == 2).mean() > 0.1
        assert recalls(fresh, found.rule)[2] > 0.3
    assert broken / 120 <= 0.1 + 3 * np.sqrt(0.09 / 120)


def test_precision_is_tested_or_found():
    points = draw(1, [400] * 3)
    found = fit_rule(points, wanted([("precision", 0, 0.8), "worst recall"], points))
    floor = found.floors[0]
    predicted = found.rule(points.logs)
    assert floor.status == "estimated"
    assert (points.codes[predicted == 0] == 0).mean() == pytest.approx(floor.measured)
    assert floor.bound >= 0.8
    both = fit_rule(points, wanted([("recall", 0, 0.7), ("precision", 0, 0.5)], points))
    assert [f.status for f in both.floors] == ["promised", "promised"]
    high = fit_rule(points, wanted([("recall", 0, 0.95), ("precision", 0, 0.9)], points))
    assert [f.status for f in high.floors] == ["promised", "not promised"]


def test_with_two_classes_a_false_positive_is_a_missed_case_of_the_other():
    points = draw(2, [200, 200])
    ceiling = fit_rule(points, wanted([("false positive rate", 1, 0.1)], points))
    floor = fit_rule(points, wanted([("recall", 0, 0.9)], points))
    assert np.array_equal(ceiling.rule(points.logs), floor.rule(points.logs))
    assert ceiling.floors[0].status == "promised"
    assert ceiling.floors[0].bound == pytest.approx(1 - floor.floors[0].bound)
    assert ceiling.floors[0].why.endswith("are not claimed")
    assert floor.floors[0].why.endswith("are right")


def test_ceilings_by_multipliers_are_refused_with_the_way_out():
    points = draw(0, [30] * 3)
    with pytest.raises(ValueError, match="rule='cascade'"):
        fit_rule(points, wanted([("false positive rate", 2, 0.1)], points), rule="multipliers")


def test_what_cannot_be_promised_has_the_plain_threshold_and_the_reason():
    points = draw(0, [20, 300, 300])
    found = fit_rule(points, wanted([("recall", 0, 0.9)], points))
    floor = found.floors[0]
    assert (floor.status, floor.measured) == ("not promised", 0.9)
    assert floor.why == (
        "20 cases of 0; 0.9 needs at least 29, all right; 20 can promise at most 0.861"
    )


def test_a_floor_that_earlier_ones_prevent_comes_as_near_as_it_can():
    points = draw(0, [100] * 3, spread=0.3)
    for rule in ("cascade", "multipliers"):
        found = fit_rule(
            points, wanted([("recall", 0, 0.9), ("recall", 1, 0.9)], points), rule=rule
        )
        first, second = found.floors
        assert first.is_kept
        assert second.status == "not promised"
        assert "earlier priorities" in second.why


def test_by_multipliers_floors_of_three_classes_are_estimated():
    points = draw(0, [100] * 3)
    found = fit_rule(points, wanted([("recall", 0, 0.8)], points), rule="multipliers")
    assert found.floors[0].status == "estimated"


def test_groups_have_a_floor_each():
    points = draw(0, [200] * 3)
    groups = np.arange(600) % 2
    points = ScoredPoints(points.logs, points.codes, points.classes, points.shares, points.offsets,
                    {"sex": (["f", "m"], groups)})  # fmt: skip
    found = fit_rule(points, wanted([("recall", 0, 0.8, "sex"), ("worst recall", "sex")], points))
    assert [f.wanted for f in found.floors] == [
        "recall of 0 >= 0.8 where sex = f", "recall of 0 >= 0.8 where sex = m"
    ]  # fmt: skip
    right = found.rule(points.logs) == points.codes
    for g, floor in enumerate(found.floors):
        assert floor.status == "promised"
        assert floor.measured == right[(points.codes == 0) & (groups == g)].mean()
    worst = min(right[(points.codes == c) & (groups == g)].mean()
                for c, g in product(range(3), range(2)))  # fmt: skip
    assert found.aims[0][1] == pytest.approx(worst)


def test_tied_scores_are_claimed_together():
    points = draw(0, [60] * 3, steps=1)
    found = fit_rule(points, wanted([("recall", 0, 0.8)], points))
    floor = found.floors[0]
    right = found.rule(points.logs) == points.codes
    assert floor.measured == right[points.codes == 0].mean()
    assert floor.status == "promised"


@pytest.mark.parametrize("aim", ["balanced accuracy", "worst recall"])
def test_an_aim_raises_a_class_beyond_a_floor_with_room(aim):
    points = draw(5, [60, 40], spread=0.7)
    gap = points.logs[:, 1] - points.logs[:, 0]
    found = fit_rule(points, wanted([("recall", 1, 0.4), aim], points))
    assert found.floors[0].status == "promised"
    best = 0.0
    for t in [*gap, gap.max() + 1]:
        rates = (gap[:60] < t).mean(), (gap[60:] >= t).mean()
        if rates[1] * 40 >= found.floors[0].needed:
            best = max(best, min(rates) if aim == "worst recall" else np.mean(rates))
    assert found.aims[0][1] == pytest.approx(best)


def test_scores_that_tie_between_many_classes_come_to_an_end():
    points = draw(0, [12] * 8, steps=1)
    for rule in ("cascade", "multipliers"):
        found = fit_rule(points, wanted([("recall", 0, 0.5), "worst recall"], points), rule=rule)
        assert found.floors[0].measured >= 0.5
        assert found.aims[0][1] == recalls(points, found.rule).min()
    codes = np.repeat([0, 1, 2], 10)
    logs = np.zeros((30, 3))  # nothing to tell the classes by
    same = ScoredPoints(logs, codes, np.arange(3), np.full(3, 1 / 3), np.zeros(3))
    assert recalls(same, fit_rule(same, wanted(None, same)).rule).max() == 1
