"""The program of the priorities against the search and against all thresholds there are."""

import pytest

from lexiprog_boost.thresholds import fit_rule, priorities_program, read_priorities
from tests.lexiprog_boost.thresholds.drawn import draw, recalls


def solved(points, given, alpha=0.05):
    """What the search finds, and the last value of the program."""
    wanted = read_priorities(given, points.classes)
    found = fit_rule(points, wanted, alpha=alpha)
    return found, priorities_program(points, wanted, found).solve()


def every_threshold(points):
    """The recalls of two classes at each threshold that tells some points apart."""
    gaps = points.logs[:, 0] - points.logs[:, 1]
    first = points.codes == 0
    for least in [*gaps, gaps.max() + 1]:
        yield (gaps[first] >= least).mean(), (gaps[~first] < least).mean()


@pytest.mark.parametrize("given", [
    [("false positive rate", 1, 0.3), "worst recall"],
    [("recall", 0, 0.6), ("recall", 1)],
])  # fmt: skip
@pytest.mark.parametrize("seed", range(2))
def test_the_worst_recall_is_that_of_the_search(given, seed):
    points = draw(seed, [12] * 3, spread=1.0)
    found, result = solved(points, given)
    assert found.floors[0].status == "promised"
    assert result[found.floors[0].wanted].value == 0
    assert result["worst recall"].value == pytest.approx(recalls(points, found.rule).min())


@pytest.mark.parametrize("seed", range(2))
def test_a_precision_is_that_of_the_points(seed):
    points = draw(seed, [15, 10], spread=1.0)
    _, result = solved(points, [("precision", 0, 0.8), "worst recall"])
    # Classes of equal shares: of what is called 0, r is right and 1 - s is not.
    best = max(min(r, s) for r, s in every_threshold(points) if r >= 0.8 * (r + 1 - s) and r)
    assert result["worst recall"].value == pytest.approx(best)


@pytest.mark.parametrize("seed", range(2))
def test_sums_of_recalls_and_costs_are_the_largest_of_all(seed):
    points = draw(seed, [15, 10], spread=1.0)
    _, result = solved(points, "balanced accuracy")
    assert result.final.value == pytest.approx(max(r + s for r, s in every_threshold(points)))
    _, result = solved(points, ("cost", {0: 3}))
    saved = max(3 * 15 * r + 10 * s for r, s in every_threshold(points))
    assert result.final.value == pytest.approx(saved)


def test_an_optimum_that_a_search_without_presolve_misses_is_found():
    # HiGHS 1.15 without presolve calls 2.299 optimal, where the search of thresholds finds 2.390.
    points = draw(44, [5, 11, 7], spread=0.9)
    given = [("recall", 0, 0.6), ("false positive rate", 0, 0.5), "balanced accuracy"]
    found, result = solved(points, given, alpha=0.3)
    assert result.final.value >= recalls(points, found.rule).sum() - 1e-6


@pytest.mark.parametrize("given", [
    [("precision", 0, 0.6), ("false positive rate", 0, 0.5), ("precision", 0, 0.6), "cost"],
    [("false positive rate", 1, 0.3), ("precision", 1, 0.4), ("cost", {1: 3}), ("cost", {0: 2})],
])  # fmt: skip
def test_a_class_may_have_several_floors_and_costs_come_twice(given):
    given = [("cost", {}) if one == "cost" else one for one in given]
    found, result = solved(draw(1, [15, 10], spread=1.0), given)
    costs = [one for one in given if one[0] == "cost"]
    assert all(result[name].value >= 0 for name in ["cost", "cost (2)"][: len(costs)])
    assert all(result[floor.wanted].value == 0 for floor in found.floors if floor.is_kept)
