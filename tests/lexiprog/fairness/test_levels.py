"""Levels of linear utilities against z3's rationals, and proofs that fail when tampered with."""

from dataclasses import replace

import numpy as np
import pytest

from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.fairness.audit import audit_shares
from lexiprog.fairness.levels import raise_levels
from lexiprog.fairness.records import NoLeximin, Utilities
from lexiprog.status import Status
from tests.lexiprog.fairness.exact import Exact


def random_case(seed):
    """Small whole numbers, so that there are ties, twins and constants among the utilities."""
    rng = np.random.default_rng(seed)
    columns, rows, people = rng.integers(2, 5), rng.integers(1, 4), rng.integers(1, 7)
    A = rng.integers(-1, 4, (rows, columns)).astype(float)
    b = rng.integers(2, 12, rows).astype(float)
    U, offsets = rng.integers(-1, 3, (people, columns)).astype(float), rng.integers(-2, 3, people)
    if people > 2:
        U[1], offsets[1] = U[0], offsets[0]
    return A, b, U, offsets.astype(float), np.full(columns, 6.0)


def form_of(A, b, upper, zero=0):
    cones = Cones(zero=zero, nonneg=b.size - zero)
    lower = np.zeros(A.shape[1])
    return StandardForm(np.zeros(A.shape[1]), 0.0, A, b, cones, lower=lower, upper=upper)


@pytest.mark.parametrize("seed", range(25))
def test_levels_and_members_are_those_of_exact_arithmetic(seed):
    A, b, U, offsets, upper = random_case(seed)
    utilities = Utilities(U, offsets)
    found = raise_levels(form_of(A, b, upper), utilities)
    wanted = Exact(A, b, 0, np.zeros(upper.size), upper, U, offsets).levels()
    merged = {}
    for value, members in wanted:
        merged.setdefault(value, []).extend(members)
    assert len(found.levels) == len(merged)
    for level, (value, members) in zip(found.levels, sorted(merged.items()), strict=True):
        assert level.value == pytest.approx(float(value), abs=1e-9)
        assert sorted(level.members) == sorted(members)
    assert audit_shares(form_of(A, b, upper), utilities, found).passed


def proved():
    """The Talmud's division of 200: 50 at the first level, then 75 and 75."""
    A = np.vstack([np.ones((1, 3)), np.eye(3)])
    form = form_of(A, np.array([200.0, 50.0, 100.0, 150.0]), np.full(3, np.inf), zero=1)
    utilities = Utilities(np.eye(3))
    found = raise_levels(form, utilities)
    assert [level.value for level in found.levels] == [50.0, 75.0]
    return form, utilities, found


def test_a_point_that_was_moved_is_noticed():
    form, utilities, found = proved()
    assert not audit_shares(form, utilities, replace(found, x=found.x + 1e-6)).passed


@pytest.mark.parametrize("shift", [1e-6, -1e-6])
def test_a_level_that_was_moved_is_noticed(shift):
    form, utilities, found = proved()
    values = found.steps.values.copy()
    values[-1] += shift
    assert not audit_shares(
        form, utilities, replace(found, steps=replace(found.steps, values=values))
    ).passed


def test_a_step_that_is_missing_is_noticed():
    form, utilities, found = proved()
    steps = found.steps
    short = replace(
        steps, values=steps.values[:-1], weights=steps.weights[:-1],
        multipliers=steps.multipliers[:-1],
    )  # fmt: skip
    assert not audit_shares(form, utilities, replace(found, steps=short)).passed


def test_multipliers_of_somebody_else_prove_nothing():
    form, utilities, found = proved()
    wrong = replace(found.steps, multipliers=found.steps.multipliers * 0.5)
    assert not audit_shares(form, utilities, replace(found, steps=wrong)).passed


def test_whoever_can_rise_without_limit_is_named():
    form = form_of(np.array([[1.0, 0.0]]), np.array([2.0]), np.full(2, np.inf))
    with pytest.raises(NoLeximin, match="utility 1 can rise without limit") as caught:
        raise_levels(form, Utilities(np.eye(2)))
    assert caught.value.members == (1,)
    assert caught.value.status is Status.UNBOUNDED


def test_an_empty_set_is_called_so():
    form = form_of(np.array([[1.0]]), np.array([-1.0]), np.ones(1))
    with pytest.raises(NoLeximin) as caught:
        raise_levels(form, Utilities(np.eye(1)))
    assert caught.value.status is Status.INFEASIBLE
