"""How an earlier optimum was held while a later problem was solved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from lexiprog.aliases import Record
from lexiprog.outline.records import LockOutline
from lexiprog.result.files.reading import fitted, fitted_fields, mapping

__all__ = ["LockRecord", "Price"]


class Price:
    """What a unit of slack would buy: known, or found the first time somebody asks."""

    def __init__(self, value: float | None = None, find: Callable[[], float | None] | None = None):
        self._value = value
        self._find = find

    @property
    def known(self) -> float | None:
        """The price, if it need not be computed first."""
        return self._value

    @property
    def value(self) -> float | None:
        """The price; None if the lock has none."""
        if self._find is not None:
            self._value, self._find = self._find(), None
        return self._value


@dataclass(frozen=True)
class LockRecord:
    """One held optimum, as a later solution found it.

    Attributes
    ----------
    name : str
        The subproblem whose optimum was held.
    kind : str
        "value" (its objective was bounded), "face" (its optimal face was kept) or "argument"
        (what its curved objective depends on was kept).
    limit, tolerance, guard : float
        The bound on its objective, the degradation the user allowed, and the numerical slack
        that was added to it (0 unless a lock had to be loosened).
    drift : float
        How far the held objective ended up beyond its optimum.
    """

    name: str
    kind: str
    limit: float
    tolerance: float
    guard: float = 0.0
    drift: float = 0.0
    _price: Price = field(default_factory=Price, repr=False, compare=False)

    @property
    def price(self) -> float | None:
        """Gain in the later objective per unit of further slack, found when first asked for."""
        return self._price.value

    @property
    def distortion(self) -> float | None:
        """How much of the later optimum may be owed to the guard."""
        if self.guard == 0.0:
            return 0.0
        return None if self.price is None else self.price * self.guard

    @property
    def outline(self) -> LockOutline:
        """The lock as a plain record; a price that nobody has asked for yet is left out."""
        known = self._price.known
        return LockOutline(self.name, self.kind, self.tolerance, self.guard, self.drift, known)

    def record(self) -> Record:
        """Every field and the price, as numbers and texts."""
        names = ("name", "kind", "limit", "tolerance", "guard", "drift")
        return {name: getattr(self, name) for name in names} | {"price": self.price}

    @classmethod
    def from_record(cls, record: object, place: str = "lock") -> LockRecord:
        """The lock that :meth:`record` described; ``place`` says where in a file it stands."""
        values = dict(mapping(record, place))
        price = fitted(float | None, values.pop("price", None), f"{place}.price")
        return cls(_price=Price(price), **fitted_fields(cls, values, place))

    def __reduce__(self) -> tuple[object, ...]:
        return LockRecord.from_record, (self.record(),)
