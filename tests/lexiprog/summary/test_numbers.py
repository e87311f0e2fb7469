"""Numbers are shown short, without noise, and in the unit that fits."""

import pytest

from lexiprog.summary import cleaned, duration, number, tiny


@pytest.mark.parametrize(
    ("value", "text"),
    [(-0.0, "0"), (1 / 3, "0.333333"), (1234567.0, "1.23457e+06"), (-2.5, "-2.5")],
)
def test_a_number_has_six_digits_and_no_negative_zero(value, text):
    assert number(value) == text


def test_only_what_is_rounding_beside_the_largest_becomes_zero():
    assert cleaned([1e3, 2e-8, -9e-9, -5.0]) == [1e3, 2e-8, 0.0, -5.0]
    assert cleaned([3e-13, -2e-13]) == [3e-13, -2e-13]
    assert cleaned([]) == []


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1.6e-9, "2e-9"), (3e-12, "3e-12"), (float("nan"), "not a number")],
)
def test_an_error_is_shown_by_its_order(value, text):
    assert tiny(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (12e-6, "12 µs"), (1e-3, "1 ms"), (0.0456, "45.6 ms"), (1.0, "1 s"), (119.0, "119 s"),
        (120.0, "2 min"), (5400.0, "90 min"),
    ],
)  # fmt: skip
def test_a_duration_has_the_unit_that_fits(seconds, text):
    assert duration(seconds) == text
