"""Lotteries over panels, from and to the objects of sortition-algorithms."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog

from lexiprog.contrib.sortition import find_distribution_leximin

errors = pytest.importorskip("sortition_algorithms.errors", reason="`clients` and `dev` have it")
features_module = pytest.importorskip("sortition_algorithms.features")
people_module = pytest.importorskip("sortition_algorithms.people")
settings_module = pytest.importorskip("sortition_algorithms.settings")

COLUMNS = ["id", "gender", "age", "street", "number"]
PEOPLE = [
    ("ann", "F", "old", "a", "1"), ("bea", "F", "old", "b", "2"), ("cid", "M", "old", "a", "1"),
    ("dan", "M", "young", "c", "3"), ("eve", "F", "young", "d", "4"),
    ("fay", "F", "old", "e", "5"), ("gus", "M", "young", "f", "6"),
]  # fmt: skip
QUOTAS = [("gender", "F", 1, 2), ("gender", "M", 1, 2), ("age", "old", 1, 1),
          ("age", "young", 2, 2)]  # fmt: skip


def pool(quotas=QUOTAS, people=PEOPLE, address=()):
    heads = ["feature", "value", "min", "max"]
    rows = [dict(zip(heads, map(str, quota), strict=True)) for quota in quotas]
    features, *_ = features_module.read_in_features(heads, rows)
    settings = settings_module.Settings(
        id_column="id", columns_to_keep=["street", "number"],
        check_same_address=bool(address), check_same_address_columns=list(address),
    )  # fmt: skip
    listed = [dict(zip(COLUMNS, person, strict=True)) for person in people]
    found, *_ = people_module.read_in_people(COLUMNS, listed, features, settings)
    return features, found


def chances(committees, weights):
    out = dict.fromkeys((person[0] for person in PEOPLE), 0.0)
    for committee, weight in zip(committees, weights, strict=True):
        for member in committee:
            out[member] += weight
    return out


def panels(quotas, *, homes):
    for panel in combinations(PEOPLE, 3):
        counts = {q: sum(q[1] in person for person in panel) for q in quotas}
        if all(q[2] <= count <= q[3] for q, count in counts.items()) and (
            not homes or len({person[3:] for person in panel}) == 3
        ):
            yield [person in panel for person in PEOPLE]


def leximin_by_enumeration(columns):
    """Chances over listed panels, level by level: who cannot rise is settled."""
    table = np.array(columns, dtype=float).T
    settled = np.full(len(table), np.nan)
    while np.isnan(settled).any():
        open_ones = np.isnan(settled)
        floors = np.where(open_ones, 0.0, settled)
        above = np.c_[-table, open_ones.astype(float)]
        whole = [[1.0] * table.shape[1] + [0.0]]
        level = -linprog([0.0] * table.shape[1] + [-1.0], above, -floors, whole, [1.0]).fun
        for k in np.flatnonzero(open_ones):
            lowest = np.where(open_ones, level, settled)
            best = -linprog(-table[k], -table, 1e-10 - lowest, [[1.0] * table.shape[1]], [1.0]).fun
            if best < level + 1e-7:
                settled[k] = level
    return settled


@pytest.mark.parametrize("address", [(), ("street", "number")])
def test_chances_are_those_of_leximin_over_all_panels(address):
    features, people = pool(address=address)
    committees, weights, report = find_distribution_leximin(features, people, 3, address)
    columns = list(panels(QUOTAS, homes=bool(address)))
    listed = [frozenset(p[0] for p, seat in zip(PEOPLE, c, strict=True) if seat) for c in columns]
    assert set(committees) <= set(listed)
    assert sum(weights) == pytest.approx(1)
    wanted = leximin_by_enumeration(columns)
    assert list(chances(committees, weights).values()) == pytest.approx(wanted, abs=1e-7)
    assert "levels" in report.as_text()


def test_quotas_that_no_panel_meets_are_the_packages_own_error():
    features, people = pool([("gender", "F", 0, 3), ("gender", "M", 0, 0), ("age", "old", 0, 0),
                             ("age", "young", 0, 3)])  # fmt: skip
    with pytest.raises(errors.InfeasibleQuotasError):
        find_distribution_leximin(features, people, 3)
