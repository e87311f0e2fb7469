"""Fair shares with known answers: filled channels, divided games, elected committees."""

import itertools
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog

import lexiprog as lx


def flows(count, seed):
    """Flows over three links each, of whole capacities."""
    rng = np.random.default_rng(seed)
    uses = np.zeros((max(4, count // 4), count), dtype=int)
    for flow in range(count):
        uses[rng.choice(len(uses), 3, replace=False), flow] = 1
    return uses, rng.integers(5, 100, len(uses))


def water_filling(uses, capacities):
    """All rates rise together; whose link is full stops. In fractions."""
    rates = [None] * uses.shape[1]
    while None in rates:
        room = {}
        for link, flows_on in enumerate(uses):
            rising = [f for f in np.flatnonzero(flows_on) if rates[f] is None]
            if rising:
                used = sum(rates[f] for f in np.flatnonzero(flows_on) if rates[f] is not None)
                room[link] = (Fraction(int(capacities[link])) - used) / len(rising)
        level = min(room.values())
        for link in [link for link, left in room.items() if left == level]:
            for flow in np.flatnonzero(uses[link]):
                rates[flow] = level if rates[flow] is None else rates[flow]
    return np.array([float(rate) for rate in rates])


@pytest.mark.parametrize("count", [12, 60, 240])
def test_rates_are_those_of_water_filling(count):
    uses, capacities = flows(count, count)
    rate = cp.Variable(count, nonneg=True, name="rate")
    found = lx.leximin(rate, [uses @ rate <= capacities]).solve().final
    wanted = water_filling(uses, capacities)
    assert found.status == "optimal"
    assert np.max(np.abs(found[rate] - wanted)) <= 1e-9
    for value, flows_there in found.levels:
        assert np.max(np.abs(wanted[list(flows_there)] - value)) <= 1e-9
    assert sorted(f for _, there in found.levels for f in there) == list(range(count))


def test_many_utilities_are_declared_as_one_vector():
    """Whatever is looked at once costs a fixed number of expressions, not one for each pair."""
    x = cp.Variable(300, nonneg=True, name="x")
    utilities = [x[k] for k in range(300)]
    program = lx.leximin(utilities, [cp.sum(x) <= 300])
    assert len(program.subproblems) == 1
    assert program["leximin"].fair.stack.shape == (300,)
    assert program.solve().final.levels == ((pytest.approx(1), tuple(range(300))),)


def random_game(players, seed):
    """Worths of all coalitions but the whole, in whole numbers, and of the whole."""
    rng = np.random.default_rng(seed)
    sizes = range(1, players)
    coalitions = [c for size in sizes for c in itertools.combinations(range(players), size)]
    return {c: int(rng.integers(0, 10 * len(c))) for c in coalitions}, 12 * players


def is_nucleolus(x, worth, tolerance=1e-6):
    """Whether coalitions at or below each level are balanced (Kohlberg 1971; Sobolev 1975).

    At every level nobody can move so that some coalition there gains and none loses: the sum of
    their gains is at most zero.
    """
    coalitions = list(worth)
    members = np.array([np.isin(np.arange(x.size), c) for c in coalitions], dtype=float)
    gains = members @ x - np.array([worth[c] for c in coalitions])
    for level in np.unique(gains.round(7)):
        low = members[gains <= level + tolerance]
        most = linprog(
            -low.sum(axis=0), -low, np.zeros(len(low)), np.ones((1, x.size)), [0.0], bounds=(-1, 1)
        )
        if most.fun < -tolerance:
            return False
    return True


@pytest.mark.parametrize(("players", "seed"), [(4, 0), (4, 1), (5, 2), (6, 3), (7, 4), (8, 5)])
def test_nucleoli_of_random_games_are_balanced_at_every_level(players, seed):
    worth, total = random_game(players, seed)
    x = cp.Variable(players, name="x")
    gains = {str(c): cp.sum(x[list(c)]) - v for c, v in worth.items()}
    found = lx.leximin(gains, [cp.sum(x) == total]).solve().final
    assert found.status == "optimal"
    assert is_nucleolus(found[x], worth)
    elsewhere = found[x] + np.eye(players)[0] * 1e-3 - np.eye(players)[1] * 1e-3
    assert not is_nucleolus(elsewhere, worth)


# The expected committees of abcvoting 2.19.2, tests/test_abcrules.py, profiles 1 to 4: candidates,
# seats, approvals, and all committees of the rules lexcc and leximaxphragmen.
PROFILES = {
    1: (6, 4, "045 0 145 1 245 2 345 3", "0123", "0123"),
    2: (5, 3, "012 012 012 012 012 01 34 34 3", "013", "013 023 123"),
    3: (
        6, 4, "0345 12 025 2 01234 034 024 01", "0124",
        "0123 0124 0125 0234 0235 0245 1234 1235 1245",
    ),
    4: (4, 2, "013 01 01 03 23", "03", "03 13"),
}  # fmt: skip


def elected(chosen):
    return "".join(str(k) for k in np.flatnonzero(np.round(chosen)))


@pytest.mark.parametrize("profile", PROFILES)
def test_lexicographic_chamberlin_courant_is_a_leximin_of_represented_voters(profile):
    candidates, seats, approvals, wanted, _ = PROFILES[profile]
    chosen = cp.Variable(candidates, boolean=True, name="chosen")
    served = [sum(chosen[int(c)] for c in voter) for voter in approvals.split()]
    found = lx.leximin(served, [cp.sum(chosen) == seats]).solve().final
    assert elected(found[chosen]) in wanted.split()


@pytest.mark.parametrize("profile", PROFILES)
def test_leximax_phragmen_is_a_leximax_of_loads(profile):
    candidates, seats, listed, _, wanted = PROFILES[profile]
    approvals = listed.split()
    chosen = cp.Variable(candidates, boolean=True, name="chosen")
    loads = cp.Variable((len(approvals), candidates), nonneg=True, name="loads")
    may = np.array([[str(c) in voter for c in range(candidates)] for voter in approvals])
    rules = [cp.sum(chosen) == seats, cp.sum(loads, axis=0) == chosen, loads <= may.astype(float)]
    found = lx.leximax(cp.sum(loads, axis=1), rules).solve().final
    assert elected(found[chosen]) in wanted.split()
