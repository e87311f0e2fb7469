"""Committees by the lexicographic rules, against the package's own brute force."""

import numpy as np
import pytest

from lexiprog import DeclarationError
from lexiprog.contrib.abcvoting import lexicographic_committees

preferences = pytest.importorskip("abcvoting.preferences", reason="the extra `clients` has it")
abcrules = pytest.importorskip("abcvoting.abcrules")
misc = pytest.importorskip("abcvoting.misc")


def random_profile(seed, candidates=6, voters=7):
    rng = np.random.default_rng(seed)
    profile = preferences.Profile(candidates)
    for _ in range(voters):
        size = int(rng.integers(1, 4))
        profile.add_voter(rng.choice(candidates, size, replace=False).tolist())
    return profile


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rule", ["lexcc", "lexminimaxav"])
def test_all_winning_committees_are_those_of_the_packages_brute_force(rule, seed):
    profile = random_profile(seed)
    wanted = abcrules.compute(rule, profile, 3, algorithm="brute-force")
    found = lexicographic_committees(rule, profile, 3)
    assert sorted(map(sorted, found)) == sorted(map(sorted, wanted))
    assert all(isinstance(committee, misc.CandidateSet) for committee in found)
    assert lexicographic_committees(rule, profile, 3, resolute=True)[0] in wanted


def test_loads_are_shared_as_the_package_expects():
    # Profile 4 of its tests/test_abcrules.py, with both committees of leximaxphragmen.
    profile = preferences.Profile(4)
    profile.add_voters([[0, 1, 3], [0, 1], [0, 1], [0, 3], [2, 3]])
    found = lexicographic_committees("leximaxphragmen", profile, 2)
    assert list(map(sorted, found)) == [[0, 3], [1, 3]]


def test_all_tied_committees_are_found_where_the_next_best_shares_loads_differently():
    # Another profile of the same tests; after its three winners the fourth is farther down.
    profile = preferences.Profile(5)
    profile.add_voters([*[[0, 1, 2]] * 5, [0, 1], [3, 4], [3, 4], [3]])
    found = lexicographic_committees("leximaxphragmen", profile, 3)
    assert list(map(sorted, found)) == [[0, 1, 3], [0, 2, 3], [1, 2, 3]]


def test_every_committee_may_be_tied():
    profile = preferences.Profile(3)
    profile.add_voters([[0, 1, 2]])
    assert len(lexicographic_committees("lexcc", profile, 2)) == 3
    assert len(lexicographic_committees("lexcc", profile, 2, max_num_of_committees=2)) == 2


def test_a_voter_of_weight_two_is_two_voters_and_one_of_a_half_is_none():
    profile = preferences.Profile(3)
    profile.add_voter(preferences.Voter([0], weight=2))
    profile.add_voter(preferences.Voter([1]))
    assert lexicographic_committees("lexcc", profile, 1) == [{0}]
    profile.add_voter(preferences.Voter([2], weight=0.5))
    with pytest.raises(DeclarationError, match=r"weight 0\.5"):
        lexicographic_committees("lexcc", profile, 1)


def test_another_rule_is_refused():
    with pytest.raises(DeclarationError, match=r"Did you mean .lexcc"):
        lexicographic_committees("lexc", random_profile(0), 3)
