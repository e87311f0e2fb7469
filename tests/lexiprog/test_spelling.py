"""What may have been meant, and nothing where nothing is near."""

import pytest

from lexiprog.errors import did_you_mean


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("HIHGS", ["CLARABEL", "HIGHS"], "HIGHS"),
        ("highs", ["CLARABEL", "HIGHS"], "HIGHS"),
        ("cheep", ["clean", "cheap"], "cheap"),
        ("tol_gap", ["tol_gap_abs", "max_iter"], "tol_gap_abs"),
    ],
)
def test_the_nearest_name_is_asked_for(name, known, meant):
    assert did_you_mean(name, known) == f" Did you mean {meant!r}?"


@pytest.mark.parametrize("known", [[], ["entirely", "different"]])
def test_nothing_is_asked_where_nothing_is_near(known):
    assert did_you_mean("xyz", known) == ""


def test_names_need_not_be_texts():
    assert did_you_mean(3, ["one"]) == ""
