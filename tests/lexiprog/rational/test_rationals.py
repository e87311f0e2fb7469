"""Floats as the decimals their user wrote, or as they are."""

import random
from fractions import Fraction

import numpy as np
import pytest

from lexiprog.rational.numbers import nearest, quotient, read_floats


def by_its_text(value):
    """The rule in one line, slowly: a repr of at most twelve digits is meant."""
    digits = repr(value).lower().split("e")[0].replace("-", "").replace(".", "").strip("0")
    return Fraction(repr(value)) if len(digits) <= 12 else Fraction(value)


def test_a_short_decimal_is_meant_and_a_long_one_is_not():
    assert read_floats([0.1, -2.5e-7, 1e23, 0.0]) == [
        Fraction(1, 10), Fraction(-25, 10**8), Fraction(10**23), Fraction(0)
    ]  # fmt: skip
    values = [1 / 3, 0.1 + 0.2]
    assert read_floats(values, "decimal") == [Fraction(value) for value in values]


def test_binary_reads_every_float_as_it_is():
    values = [0.1, 1e23, -0.3, 5e-324]
    assert read_floats(values, "binary") == [Fraction(value) for value in values]


def test_the_fast_way_agrees_with_the_text_of_each_float():
    rng = random.Random(4)
    values = [0.0, -0.0, 5e-324, 1.7e308, 2.0**53 + 2, 123456789012.0, 1234567890123.0]
    values += [10.0**k for k in range(-40, 41)]
    for _ in range(3000):
        digits = rng.randint(1, 17)
        values.append(float(f"{rng.randint(1, 10**digits - 1)}e{rng.randint(-40, 30)}"))
        values.append(-rng.uniform(0, 5))
    assert read_floats(values, "decimal") == [by_its_text(value) for value in values]


def test_by_default_the_rounding_of_short_arithmetic_is_undone():
    values = [3 * 0.1, 0.1 + 0.2, 1.1 * 1.1, 0.7 / 256, 123.45 * 678.9]
    exact = [
        Fraction(3, 10), Fraction(3, 10), Fraction(121, 100), Fraction(7, 2560),
        Fraction(12345 * 6789, 1000),
    ]  # fmt: skip
    assert read_floats(values) == exact
    assert read_floats([1 / 3, 2**0.5, 1 / 7e9]) == [Fraction(v) for v in (1 / 3, 2**0.5, 1 / 7e9)]


def test_numbers_in_other_units_are_the_numbers_that_were_meant():
    rng = random.Random(5)
    for _ in range(2000):
        number, up, down = rng.randint(-999, 999), rng.randint(-40, 40), rng.randint(-40, 40)
        meant = number * Fraction(10) ** up / Fraction(10) ** down
        assert read_floats([number * 10.0**up / 10.0**down]) == [meant]


def test_no_float_is_moved_by_more_than_four_units_in_the_last_place_and_few_are():
    values = np.random.default_rng(2).normal(size=20_000)
    moved = 0
    for value, fraction in zip(values.tolist(), read_floats(values), strict=True):
        assert abs(fraction - Fraction(value)) <= 4 * Fraction(abs(np.spacing(value)))
        moved += fraction != Fraction(value)
    assert moved <= 20


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_refused_with_its_place(bad):
    with pytest.raises(ValueError, match=r"Entry 1 is (nan|inf)"):
        read_floats([1.0, bad])


def test_an_unknown_way_of_reading_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="'nearby', 'decimal', 'binary', not as 'hex'"):
        read_floats([1.0], "hex")


def test_the_nearest_float_of_any_fraction():
    fractions = [Fraction(1, 3), Fraction(10**400, 10**399), Fraction(-(10**400)), Fraction(0)]
    assert nearest(fractions).tolist() == [1 / 3, 10.0, -np.inf, 0.0]
    assert quotient(10**500, 10**499) == 10.0
