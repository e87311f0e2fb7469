"""Vectors of rational numbers whose entries share their denominators.

The entries of a solved linear system have one large denominator in common. Kept as one object
they are added as whole numbers; written as reduced fractions, each sum would cost a greatest
common divisor of thousands of digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import ModuleType
from typing import overload

import numpy as np
from numpy.typing import NDArray

from lexiprog.exact.rationals import Integer, Ratio, quotient


def library() -> ModuleType:
    """python-flint, which is optional."""
    try:
        import flint
    except ImportError as error:
        raise ImportError(
            "Exact solutions need python-flint: pip install 'lexiprog[exact]'."
        ) from error
    return flint


@dataclass(frozen=True)
class Vector:
    """Whole numerators and positive denominators, one each an entry."""

    numerators: list[Integer]
    denominators: list[Integer]

    def dot(self, places: Sequence[int], weights: Sequence[Integer], start: Integer = 0) -> Ratio:
        """``start + sum(weights * self[places])`` as a numerator and a denominator."""
        sums: dict[int, list[Integer]] = {}
        for place, weight in zip(places, weights, strict=True):
            numerator = self.numerators[place]
            if numerator:
                denominator = self.denominators[place]
                group = sums.get(id(denominator))
                if group is None:
                    sums[id(denominator)] = [weight * numerator, denominator]
                else:
                    group[0] += weight * numerator
        if len(sums) == 1:
            ((total, denominator),) = sums.values()
            return (total + start * denominator if start else total), denominator
        fmpq = library().fmpq
        whole = fmpq(start)
        for total, denominator in sums.values():
            whole += fmpq(total, denominator)
        return whole.p, whole.q


class RationalVector(Sequence[Fraction]):
    """Exact numbers that become fractions when they are looked at.

    Fractions of thousands of digits take longer to make than to find, and few are ever read.

    Parameters
    ----------
    numerators, denominators : sequence of int
        One each an entry; they need not be reduced.

    Examples
    --------
    >>> from lexiprog.exact.systems.vectors import RationalVector
    >>> vector = RationalVector([2, 3], [4, 1])
    >>> vector[0], len(vector), vector.floats()
    (Fraction(1, 2), 2, array([0.5, 3. ]))
    """

    def __init__(self, numerators: Sequence[int], denominators: Sequence[int]) -> None:
        self._numerators, self._denominators = tuple(numerators), tuple(denominators)

    @overload
    def __getitem__(self, place: int) -> Fraction: ...
    @overload
    def __getitem__(self, place: slice) -> list[Fraction]: ...
    def __getitem__(self, place: int | slice) -> Fraction | list[Fraction]:
        if isinstance(place, slice):
            return [self[k] for k in range(len(self))[place]]
        return Fraction(self._numerators[place], self._denominators[place])

    def __len__(self) -> int:
        return len(self._numerators)

    def __iter__(self) -> Iterator[Fraction]:
        return map(Fraction, self._numerators, self._denominators)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"RationalVector([{', '.join(map(str, self))}])"

    @property
    def nonzero(self) -> NDArray[np.bool_]:
        """Which entries are not zero."""
        return np.array([bool(value) for value in self._numerators], dtype=bool)

    def floats(self) -> NDArray[np.float64]:
        """The nearest floats; infinite where there is none."""
        pairs = zip(self._numerators, self._denominators, strict=True)
        return np.array([quotient(top, bottom) for top, bottom in pairs], dtype=float)
