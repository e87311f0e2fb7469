"""Citizens' assemblies: the chances of 150 people, as exact numbers of a real instance."""

import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

# The first levels, and how many people are on each. What they were found by is no part of this
# library: column generation over merged types, with reduced costs of at most 1e-7.
LEVELS = {(1, 11): 22, (3, 26): 26, (1, 8): 16, (3, 19): 19, (1, 6): 18}


# A notebook of the gallery finds the same levels in every run of the tests.
@pytest.mark.nightly
def test_the_chances_of_150_people_are_the_exact_ones(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    panels = __import__("_panels")
    try:
        panels.fixture()
    except panels.Missing as missing:
        pytest.skip(str(missing))
    chances, found = panels.by_lexiprog()
    assert found.status == "optimal"
    assert found.certificate.worst <= 1e-9
    assert sum(chances.values()) == pytest.approx(panels.SEATS, abs=1e-7)
    counts = Counter(chances.values())
    found_first = sorted(counts.items())[: len(LEVELS)]
    for (value, count), (wanted, people) in zip(found_first, LEVELS.items(), strict=True):
        assert abs(value - Fraction(*wanted)) <= 1e-9
        assert count == people
    sys.modules.pop("_panels", None)
