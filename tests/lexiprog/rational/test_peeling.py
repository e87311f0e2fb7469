"""Substitution first: what a peeling promises, on random patterns."""

import random

import pytest

from lexiprog.rational.systems import SingularError, peel


def columns_of(rows, size):
    return [[i for i, row in enumerate(rows) if j in row] for j in range(size)]


def random_rows(rng, size, extra):
    """A random pattern with a full diagonal, its columns shuffled."""
    order = rng.sample(range(size), size)
    rows = [{order[i]} for i in range(size)]
    for _ in range(extra):
        rows[rng.randrange(size)].add(rng.randrange(size))
    return [sorted(row) for row in rows]


def test_a_triangle_has_no_core():
    rows = [[0], [0, 1], [0, 1, 2]]
    peeling = peel(rows, columns_of(rows, 3))
    assert peeling.core == ([], [])
    assert len(peeling.first) + len(peeling.last) == 3


@pytest.mark.parametrize("seed", range(40))
def test_each_place_is_known_when_its_turn_comes_both_ways(seed):
    rng = random.Random(seed)
    size = rng.randint(1, 25)
    rows = random_rows(rng, size, rng.randint(0, 2 * size))
    columns = columns_of(rows, size)
    peeling = peel(rows, columns)
    core_rows, core_columns = (set(part) for part in peeling.core)
    for lines, first, core, inner, last in (
        (rows, peeling.first, core_rows, core_columns, peeling.last),
        (
            columns,
            [(j, i) for i, j in peeling.last],
            core_columns,
            core_rows,
            [(j, i) for i, j in peeling.first],
        ),
    ):
        known = set()
        for line, place in first:
            assert set(lines[line]) - {place} <= known
            known.add(place)
        assert all(set(lines[line]) <= known | inner for line in core)
        known |= inner
        for line, place in reversed(last):
            assert set(lines[line]) - {place} <= known
            known.add(place)
        assert known == set(range(size))


@pytest.mark.parametrize(
    "rows", [[[], [0, 1]], [[0], [0]], [[0], [0], [1, 2]], [[0, 1], [2], [2]], [[1], [1]]]
)
def test_a_pattern_that_is_always_singular_is_refused(rows):
    with pytest.raises(SingularError):
        peel(rows, columns_of(rows, len(rows)))
