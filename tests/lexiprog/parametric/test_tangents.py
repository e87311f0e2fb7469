"""Convex functions between tangents and chords."""

import numpy as np
import pytest

from lexiprog.deadline import Deadline
from lexiprog.parametric.outer_inner import Sample, sandwich


def hyperbola(t):
    return Sample(t, 1 / t, 1 / t, -1 / t**2)


@pytest.mark.parametrize("error", [0.1, 0.01, 1e-4])
def test_the_stated_error_is_true_and_as_small_as_asked(error):
    found = sandwich(hyperbola, 0.1, 10.0, error=error, limit=1000)
    assert not found.note
    assert found.error <= error * (10 - 0.1)
    places, heights = ([getattr(s, name) for s in found.samples] for name in ("t", "value"))
    t = np.linspace(0.1, 10, 5001)
    off = np.interp(t, places, heights) - 1 / t
    assert off.min() >= -1e-12
    assert off.max() <= found.error + 1e-12


def test_a_vertical_start_needs_no_slope():
    found = sandwich(
        lambda t: Sample(t, -np.sqrt(t), -np.sqrt(t), -0.5 / np.sqrt(t) if t else None),
        0.0, 1.0, error=0.01, limit=1000,
    )  # fmt: skip
    assert found.error <= 0.01
    t = np.linspace(0, 1, 5001)
    chords = np.interp(t, [s.t for s in found.samples], [s.value for s in found.samples])
    assert (chords + np.sqrt(t)).max() <= found.error


def test_a_line_needs_two_samples_and_a_constant_too():
    line = sandwich(lambda t: Sample(t, 1 - t, 1 - t, -1.0), 0.0, 1.0, error=1e-6, limit=9)
    flat = sandwich(lambda t: Sample(t, 2.0, 2.0, 0.0), 0.0, 1.0, error=1e-6, limit=9)
    assert (len(line.samples), len(flat.samples)) == (2, 2)


def test_limits_and_time_leave_a_note_and_a_true_error():
    few = sandwich(hyperbola, 0.1, 10.0, error=1e-6, limit=4)
    assert (len(few.samples), few.note) == (4, "4 points were asked for.")
    assert few.error > 0
    late = sandwich(hyperbola, 0.1, 10.0, error=1e-6, limit=99, deadline=Deadline(1e-9))
    assert (len(late.samples), late.note) == (2, "1e-09 seconds were not enough.")


def test_what_is_known_is_not_asked_again():
    first = sandwich(hyperbola, 0.1, 10.0, error=1e-3, limit=6)
    asked = []

    def ask(t):
        asked.append(t)
        return hyperbola(t)

    known = first.samples
    second = sandwich(ask, 0.1, 10.0, error=1e-3, limit=1000, known=known)
    assert not {s.t for s in known} & set(asked)
    assert {s.t for s in known} <= {s.t for s in second.samples}


def test_bounds_that_are_not_tight_count_as_error():
    found = sandwich(lambda t: Sample(t, 1 - t, 0.9 - t, -1.0), 0.0, 1.0, error=1e-3, limit=50)
    assert found.error >= 0.1 - 1e-9
