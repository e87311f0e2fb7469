"""Problems within a problem have names of their own."""

import pytest

from lexiprog.fairness.any_solver import Inner


@pytest.mark.parametrize(
    "taken", [[], ["fair"], ["fair, sum of 1"], ["fair, sum", "fair, sum of' 2"]]
)
def test_inner_names_begin_as_no_earlier_one_does(taken):
    found = Inner(None, None, dict.fromkeys(taken)).unused("fair, sum of")
    assert found.startswith("fair, sum of")
    assert not any(name.startswith(found) for name in taken)
