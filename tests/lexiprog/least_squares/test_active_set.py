"""One active set over all levels: against pseudo-inverses, brute force, and its own check."""

from dataclasses import replace

import numpy as np
import pytest

from lexiprog.deadline import Deadline, OutOfTime
from lexiprog.least_squares.active_set import find
from lexiprog.least_squares.check import check_levels
from lexiprog.least_squares.hierarchy import Hierarchy, Rank
from tests.lexiprog.least_squares.families import (
    EQUATIONS,
    INEQUALITIES,
    brute_force,
    pseudo_inverse_cascade,
    random_hierarchy,
)


@pytest.mark.parametrize("family", EQUATIONS)
def test_equations_have_the_point_of_the_pseudo_inverse_cascade(family):
    for seed in range(25):
        h = random_hierarchy(seed, family)
        held = find(h, Rank())
        wanted = pseudo_inverse_cascade(h.by_level(h.A), h.by_level(h.upper))
        size = np.abs(wanted).max()
        # With pivots of 1e-6 either way keeps ten digits of a point.
        allowed = 1e-6 if family == "near-singular" else 1e-9
        assert held.point.x == pytest.approx(wanted, abs=allowed * size), seed
        assert check_levels(h, held).passed, seed


@pytest.mark.parametrize("family", INEQUALITIES)
def test_inequalities_are_proved_and_the_start_does_not_matter(family):
    for seed in range(8):
        h = random_hierarchy(seed, family)
        cold = find(h, Rank())
        assert check_levels(h, cold).passed, seed
        again = find(h, Rank(), (cold.side, cold.point.x))
        assert again.decompositions == 1
        other = find(random_hierarchy(seed + 1000, family), Rank())
        if other.side.size >= cold.side.size:  # a set and a point of quite other numbers
            side = other.side[: cold.side.size]
            warm = find(h, Rank(), (side, np.resize(other.point.x, h.columns)))
            assert check_levels(h, warm).passed, seed
            assert warm.point.x == pytest.approx(cold.point.x, abs=1e-8), seed


@pytest.mark.parametrize("seed", range(30))
def test_small_hierarchies_agree_with_brute_force(seed):
    """Small whole numbers: corners where many rows meet, and levels that are met exactly."""
    rng = np.random.default_rng(seed)
    n, sizes = int(rng.integers(1, 4)), rng.integers(1, 3, 3)
    m = int(sizes.sum())
    A = rng.integers(-2, 3, (m, n)).astype(float)
    lower = rng.integers(-2, 2, m).astype(float)
    upper = lower + rng.integers(0, 3, m)
    lower[rng.random(m) < 0.3] = -np.inf
    starts = tuple(np.cumsum([0, *sizes]).tolist())
    h = Hierarchy(A, lower, upper, starts)
    found = check_levels(h, find(h, Rank()))
    assert found.passed
    assert found.values == pytest.approx(brute_force(A, lower, upper, starts), abs=1e-9)


def test_a_first_level_of_bounds_that_contradict_shares_what_is_missing():
    A = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    h = Hierarchy(A, np.array([2.0, -np.inf, 5.0]), np.array([np.inf, 0.0, 5.0]), (0, 2, 3))
    held = find(h, Rank())
    assert held.point.x.tolist() == pytest.approx([1.0, 5.0])
    assert check_levels(h, held).values == pytest.approx([2.0, 0.0])


def test_units_of_rows_and_of_the_whole_change_nothing():
    for seed in range(10):
        h = random_hierarchy(seed, "inequalities")
        plain = find(h, Rank())
        for factor in (1e-9, 1e9):
            other = Hierarchy(h.A * factor, h.lower * factor, h.upper * factor, h.starts)
            scaled = find(other, Rank())
            assert check_levels(other, scaled).passed
            assert scaled.point.x == pytest.approx(plain.point.x, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("family", ["generic", "inequalities", "exhausted"])
def test_a_point_that_is_a_little_off_does_not_pass(family):
    for seed in range(10):
        h = random_hierarchy(seed, family)
        held = find(h, Rank())
        rng = np.random.default_rng(seed)
        x = held.point.x + 1e-5 * rng.normal(size=h.columns)
        point = replace(held.point, x=x)
        assert not check_levels(h, replace(held, point=point)).passed


def test_a_set_with_a_row_that_should_leave_does_not_pass():
    """Of x >= 1 and then x = 0: holding x at its upper end of 2 is feasible, and wrong."""
    h = Hierarchy(np.ones((2, 1)), np.array([1.0, 0.0]), np.array([2.0, 0.0]), (0, 1, 2))
    right = find(h, Rank())
    assert right.point.x.tolist() == [1.0]
    assert check_levels(h, right).passed
    upper = find(Hierarchy(h.A, np.array([2.0, 0.0]), h.upper, h.starts), Rank())
    wrong = replace(upper, side=np.array([1, 2]))
    assert not check_levels(h, wrong).passed


def test_noise_of_a_level_that_is_met_frees_no_row_of_later_ones():
    """The second level is met; its multipliers are rounding and excuse no sign on the third."""
    A = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    h = Hierarchy(A, np.array([-np.inf, 3.0, -9.0]), np.array([1.0, 3.0, -9.0]), (0, 1, 2, 3))
    right = find(h, Rank())
    assert right.point.x.tolist() == pytest.approx([-9.0, 3.0])
    pinned = find(Hierarchy(A, np.array([1.0, 3.0, -9.0]), h.upper, h.starts), Rank())
    noisy = pinned.point.multipliers.copy()
    noisy[0, 1] = 1e-17
    held = replace(pinned, side=np.array([1, 2, 2]), point=replace(pinned.point, multipliers=noisy))
    assert not check_levels(h, held).passed


def test_a_search_ends_at_its_deadline():
    with pytest.raises(OutOfTime):
        find(random_hierarchy(0, "inequalities"), Rank(), deadline=Deadline(0.0))
    assert find(random_hierarchy(0, "inequalities"), Rank(), deadline=Deadline(60.0)).rows.size


def test_numbas_kernel_finds_and_measures_the_same():
    jitted = pytest.importorskip("lexiprog.least_squares.jitted", exc_type=ImportError)
    from lexiprog.least_squares.active_set import Kernel

    kernel = Kernel(jitted.jitted_held, jitted.jitted_signs)
    for family in EQUATIONS + INEQUALITIES:
        for seed in range(5):
            h = random_hierarchy(seed, family)
            plain, other = find(h, Rank()), find(h, Rank(), None, kernel)
            size = np.abs(plain.point.x).max()
            assert other.point.x == pytest.approx(plain.point.x, abs=1e-6 * size)
            assert (other.point.ranks == plain.point.ranks).all()
            ours, theirs = check_levels(h, plain), jitted.jitted_check(h, plain)
            assert theirs.values == pytest.approx(ours.values)
            assert theirs.columns == pytest.approx(ours.columns, abs=1e-10)
            assert theirs.gap == pytest.approx(ours.gap, abs=1e-7)


def test_ctrl_c_within_compiled_code_is_ctrl_c():
    """Numba makes a SystemError of it, with functions of its own in between."""
    jitted = pytest.importorskip("lexiprog.least_squares.jitted", exc_type=ImportError)
    wrong = SystemError("returned a result with an exception set")
    wrong.__cause__ = SystemError("another")

    @jitted._heeding_ctrl_c
    def compiled():
        raise wrong

    for reason, raised in ((KeyboardInterrupt(), KeyboardInterrupt), (None, SystemError)):
        wrong.__cause__.__cause__ = reason
        with pytest.raises(raised):
            compiled()
