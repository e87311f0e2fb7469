"""Curves with integers, by enumeration, and levels after curves: nothing is wrong, few refused."""

import os

import pytest

from tests.lexiprog.trust import cases, curved_terms, whole_terms

COUNT = 300 if os.environ.get("LEXIPROG_PROFILE") == "nightly" else 10

pytestmark = pytest.mark.filterwarnings("ignore::lexiprog.LexiprogWarning")


@pytest.mark.parametrize(
    "family", [curved_terms.after_a_curve, curved_terms.mixed_integer, *whole_terms.FAMILIES]
)
def test_curves_are_right_in_any_unit(family, record_property):
    found = cases.tally(family, COUNT, seed=11)
    record_property(family.__name__, str(dict(found)))
    assert found["wrong"] == 0, found
    assert found["right"] >= 0.97 * COUNT, found
