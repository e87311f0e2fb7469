"""Levels of a fair solution as a user reads them, and the lottery that attains them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

from lexiprog.aliases import Value
from lexiprog.result.files.reading import fitted

__all__ = ["Level", "Lottery"]


class Level(NamedTuple):
    """A value, and the names of all whose utility is settled there."""

    value: float
    names: tuple[Hashable, ...]

    @classmethod
    def from_record(cls, record: object, place: str = "level") -> Level:
        """The level that a file holds as a pair."""
        value, names = fitted(tuple[Any, ...], record, place)
        return cls(
            fitted(float, value, f"{place}[0]"), fitted(tuple[str | int, ...], names, f"{place}[1]")
        )


@dataclass(frozen=True)
class Lottery:
    """Columns that an oracle found, each with its weight; weights sum to one.

    Attributes
    ----------
    columns : ndarray of shape (columns, utilities)
        What everyone gets from each, in the order of the declaration.
    weights : ndarray of shape (columns,)
    """

    columns: Value
    weights: Value
