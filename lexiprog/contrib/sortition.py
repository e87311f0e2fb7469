"""Citizens' assemblies: fair lotteries over panels, for the package sortition-algorithms.

Its own leximin needs Gurobi and stops at 5e-4; this one needs no licence and proves every level.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import cvxpy as cp
import numpy as np

from lexiprog.contrib import package
from lexiprog.errors import StageError
from lexiprog.formulations.fairness import leximin
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.program import Program
from lexiprog.results.solution import Lottery
from lexiprog.status import Status
from lexiprog.tolerances import NEGLIGIBLE_WEIGHT
from lexiprog.typing import Array, Value

if TYPE_CHECKING:
    from sortition_algorithms.features import FeatureCollection
    from sortition_algorithms.people import People
    from sortition_algorithms.utils import RunReport

__all__ = ["find_distribution_leximin"]


@dataclass(frozen=True)
class _Pool:
    """Whoever may stand in for one another is of one type; types share chances and seats."""

    kinds: tuple[tuple[str, ...], ...]  # who is of each type
    features: tuple[Mapping[str, str], ...]  # what they are
    households: tuple[tuple[int, ...], ...]  # types of which one panel takes one person

    @property
    def sizes(self) -> Array:
        return np.array([len(members) for members in self.kinds], dtype=float)


def find_distribution_leximin(
    features: FeatureCollection,
    people: People,
    number_people_wanted: int,
    check_same_address_columns: Sequence[str] = (),
) -> tuple[list[frozenset[str]], list[float], RunReport]:
    """The leximin lottery over panels, from and to the objects of sortition-algorithms.

    Parameters and result are those of the function of the same name in that package, which can
    be replaced by this one: where Gurobi is not at hand, or where chances are to be proved.

    Parameters
    ----------
    features : sortition_algorithms.features.FeatureCollection
        Quotas: least and most seats of every value of every feature.
    people : sortition_algorithms.people.People
        The pool.
    number_people_wanted : int
        Seats on a panel.
    check_same_address_columns : sequence of str
        Columns that are equal for those who share a household, of which a panel takes one person.

    Returns
    -------
    committees : list of frozenset of str
        Panels that meet all quotas.
    probabilities : list of float
        The chance of each; they sum to one.
    report : sortition_algorithms.utils.RunReport
        What to tell the user: how many levels there are, how exactly they are proved.

    Raises
    ------
    sortition_algorithms.errors.SelectionError
        If no panel meets the quotas; the package's own error, with the quotas it would relax.

    Examples
    --------
    Two seats, one for each gender, of three women and two men:

    >>> from sortition_algorithms.features import read_in_features
    >>> from sortition_algorithms.people import read_in_people
    >>> from sortition_algorithms.settings import Settings
    >>> from lexiprog.contrib.sortition import find_distribution_leximin
    >>> quota = {"feature": "gender", "min": "1", "max": "1"}
    >>> quotas = [quota | {"value": "F"}, quota | {"value": "M"}]
    >>> features, *_ = read_in_features(["feature", "value", "min", "max"], quotas)
    >>> pool = [{"id": name, "gender": "F" if name in "abc" else "M"} for name in "abcde"]
    >>> settings = Settings(id_column="id", columns_to_keep=[])
    >>> people, *_ = read_in_people(["id", "gender"], pool, features, settings)
    >>> panels, chances, report = find_distribution_leximin(features, people, 2)
    >>> [round(sum(p for q, p in zip(panels, chances) if name in q), 6) for name in "ad"]
    [0.333333, 0.5]
    """
    utils = package("sortition_algorithms.utils", "sortition-algorithms")
    pool = _pooled(features, people, check_same_address_columns)
    panels = _Panels(pool, features, number_people_wanted)
    if not panels.exist():
        common = package("sortition_algorithms.committee_generation.common", "sortition-algorithms")
        wanted = (number_people_wanted, list(check_same_address_columns))
        common.setup_committee_generation(features, people, *wanted)  # it raises, with its advice
    nothing = {members[0]: 0.0 for members in pool.kinds}
    found = leximin(nothing, pricing=panels).solve().final
    committees = _seated(pool, cast("Lottery", found.lottery))
    report = utils.RunReport()
    lowest = min(value for value, _ in found.levels)
    report.add_line(
        f"Leximin by lexiprog: {len(found.levels)} levels, the lowest chance {lowest:.2%}, "
        f"proved to {found.certificate.gap:.0e}."
    )
    return list(committees), list(committees.values()), report


def _pooled(features: FeatureCollection, people: People, address: Sequence[str]) -> _Pool:
    """Types of people; who shares a household with others is of a type of one."""
    homes = list(people.households(list(address)).values()) if address else []
    shared = {member for home in homes if len(home) > 1 for member in home}
    members: dict[Hashable, list[str]] = {}
    traits: dict[Hashable, dict[str, str]] = {}
    for person, data in people.items():
        own = {name: data[name].lower() for name in features}
        kind = (*own.values(), person if person in shared else None)
        members.setdefault(kind, []).append(person)
        traits[kind] = own
    place = {names[0]: k for k, names in enumerate(members.values())}
    return _Pool(
        tuple(map(tuple, members.values())),
        tuple(traits.values()),
        tuple(tuple(place[member] for member in home) for home in homes if len(home) > 1),
    )


class _Panels:
    """The panels that meet all quotas, as an oracle that seats the one of the largest worth."""

    def __init__(self, pool: _Pool, features: FeatureCollection, seats: int) -> None:
        self._sizes = pool.sizes
        count = len(pool.kinds)
        self._seated = cp.Variable(count, integer=True, bounds=[0, self._sizes], name="seated")
        self._worth = cp.Parameter(count, nonneg=True, name="worth", value=np.zeros(count))
        rules = [cp.sum(self._seated) == seats]
        for name, values in features.items():
            for value, quota in values.items():
                having = [float(own[name] == value.lower()) for own in pool.features]
                rules += [
                    np.array(having) @ self._seated >= quota.min,
                    np.array(having) @ self._seated <= quota.max,
                ]
        rules += [cp.sum(self._seated[list(home)]) <= 1 for home in pool.households]
        worth = cp.Maximize(self._worth @ self._seated)
        self._program = Program(Stage("panel", Subproblem("panel", worth, rules)))

    def exist(self) -> bool:
        """Whether there is a panel at all."""
        try:
            self._program.solve()
        except StageError as error:
            if Status.of(error.status).is_infeasible:
                return False
            raise
        return True

    def __call__(self, prices: Array) -> tuple[list[Value], float]:
        """What the best panel gives every type, and what no panel exceeds."""
        self._worth.value = prices / self._sizes
        found = self._program.solve().final
        return [found[self._seated] / self._sizes], cast("float", found.bound)


def _seated(pool: _Pool, lottery: Lottery) -> dict[frozenset[str], float]:
    """Panels of people from seats of types: everyone of a type sits equally often.

    The seats of a type go round among its people: at a point u of a circle of length one, they
    begin with the person whose part of the circle u is in. Which panel it is changes only where
    a part of some type ends.
    """
    committees: dict[frozenset[str], float] = {}
    for column, weight in zip(lottery.columns, lottery.weights, strict=True):
        if weight <= NEGLIGIBLE_WEIGHT:
            continue
        seats = np.rint(column * pool.sizes).astype(int)
        split = {len(k) for k, n in zip(pool.kinds, seats, strict=True) if 0 < n < len(k)}
        ends = sorted({Fraction(part, size) for size in split | {1} for part in range(size + 1)})
        for start, end in pairwise(ends):
            panel = frozenset(
                kind[(int(start * len(kind)) + turn) % len(kind)]
                for kind, count in zip(pool.kinds, seats, strict=True)
                for turn in range(count)
            )
            committees[panel] = committees.get(panel, 0.0) + float(weight * (end - start))
    total = sum(committees.values())
    return {panel: weight / total for panel, weight in committees.items()}
