"""Lotteries: the same levels as over all columns, and oracles that contradict themselves."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from lexiprog.fairness.audit import audit_lottery
from lexiprog.fairness.pricing import price_levels
from lexiprog.fairness.records import NoLeximin
from tests.lexiprog.fairness.exact import Exact


def panels(seed, people=6, seats=3):
    """All panels that keep two quotas."""
    rng = np.random.default_rng(seed)
    traits = rng.integers(0, 2, (2, people))
    every = [np.isin(np.arange(people), c) for c in itertools.combinations(range(people), seats)]
    kept = [p for p in every if all(1 <= t[p].sum() <= 2 for t in traits)]
    return np.array(kept or every, dtype=float)


def oracle_of(columns):
    def oracle(prices):
        worth = columns @ prices
        return columns[[worth.argmax()]], float(worth.max())

    return oracle


@pytest.mark.parametrize("seed", range(10))
def test_levels_are_those_of_all_columns_in_exact_arithmetic(seed):
    columns = panels(seed)
    offsets = np.random.default_rng(seed).integers(0, 2, 6) / 4
    found = price_levels(oracle_of(columns), offsets)
    count = len(columns)
    wanted = Exact(
        np.ones((1, count)), [1.0], 1, np.zeros(count), np.ones(count), columns.T, offsets
    ).levels()
    values = np.empty(6)
    for value, members in wanted:
        values[list(members)] = float(value)
    gets = found.weights @ found.columns + offsets
    assert gets == pytest.approx(values, abs=1e-9)
    assert audit_lottery(offsets, found).passed


def test_proofs_that_were_tampered_with_fail():
    offsets = np.zeros(6)
    found = price_levels(oracle_of(panels(1)), offsets)
    assert not audit_lottery(offsets, replace(found, bounds=found.bounds + 1e-6)).passed
    assert not audit_lottery(offsets, replace(found, weights=found.weights * 0.999)).passed
    assert not audit_lottery(offsets, replace(found, steps=found.steps + 1e-6)).passed
    assert not audit_lottery(offsets, replace(found, prices=-found.prices)).passed


def test_an_oracle_that_breaks_its_word_is_refused():
    columns = panels(0)
    with pytest.raises(ValueError, match="no column is worth more than 0, and gives one"):
        price_levels(lambda prices: (oracle_of(columns)(prices)[0], 0.0), np.zeros(6))
    with pytest.raises(NoLeximin, match="make its bound tighter"):
        price_levels(lambda prices: (oracle_of(columns)(prices)[0], 1e3), np.zeros(6))
    with pytest.raises(NoLeximin, match="no column at all"):
        price_levels(lambda _: (np.zeros((0, 6)), 0.0), np.zeros(6))
    with pytest.raises(ValueError, match="6 finite utilities each"):
        price_levels(lambda _: ([[1.0]], 1.0), np.zeros(6))
