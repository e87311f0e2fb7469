"""Floats read as rational numbers: as the decimals their user meant, or exactly as they are.

``0.1`` is no binary fraction: the float that stands for it is larger by 5.6e-18. Who writes 0.1
means 1/10, so a float whose shortest decimal is short is read as that decimal. Short arithmetic
hides a short decimal: ``3 * 0.1`` is the float 0.30000000000000004, next to 0.3, and amounts in
other units are such products. So the default, "nearby", also reads a float next to a short decimal
as that one; "decimal" takes only floats that show one, and "binary" reads every float as it is.
A number like ``1 / 3``, with no short decimal near it, is the binary fraction that it is for all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import ModuleType
from typing import Any, Literal, TypeAlias, get_args, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lexiprog.canon.decimals import DIGITS, NEAR, NEAR_DIGITS, extreme, find
from lexiprog.deadline import check_here
from lexiprog.typing import Array

# A whole number of Python or of python-flint, which has no types.
Integer: TypeAlias = Any
Ratio: TypeAlias = tuple[Integer, Integer]
ReadAs = Literal["nearby", "decimal", "binary"]

DEFAULT: ReadAs = "nearby"
# So many numbers are read between two looks at the clock.
READ_AT_ONCE = 256


def read_floats(values: ArrayLike, read_as: ReadAs = DEFAULT) -> list[Fraction]:
    """Finite floats as fractions, in order.

    Parameters
    ----------
    values : array-like
        Floats; read in one dimension.
    read_as : {"nearby", "decimal", "binary"}
        "decimal": a float that shows at most 12 digits means that decimal. "nearby": so does one
        within 4 units in the last place of a decimal of at most 10 digits. "binary": none does.

    Raises
    ------
    ValueError
        If a value is infinite or not a number, or ``read_as`` is unknown.

    Examples
    --------
    >>> from lexiprog.rational.numbers import read_floats
    >>> [str(value) for value in read_floats([0.1, 2.5e-7, 12.0, 3 * 0.1])]
    ['1/10', '1/4000000', '12', '3/10']
    >>> read_floats([1 / 3]) == [Fraction(1 / 3)]
    True
    >>> str(read_floats([0.1], "binary")[0])
    '3602879701896397/36028797018963968'
    >>> read_floats([3 * 0.1], "decimal") == [Fraction(3 * 0.1)]
    True
    """
    if read_as not in get_args(ReadAs):
        known = ", ".join(map(repr, get_args(ReadAs)))
        raise ValueError(f"Floats are read as one of {known}, not as {read_as!r}.")
    floats = np.asarray(values, dtype=float).ravel()
    if not np.isfinite(floats).all():
        at = int(np.flatnonzero(~np.isfinite(floats))[0])
        raise ValueError(f"Entry {at} is {floats[at]}: only finite numbers are rational.")
    # Matrices repeat few numbers many times.
    distinct, places = np.unique(floats, return_inverse=True)
    if read_as == "binary":
        fractions = [Fraction(value) for value in distinct.tolist()]
    else:
        fractions = _decimals(distinct, near=NEAR if read_as == "nearby" else 0)
    return [fractions[place] for place in places.tolist()]


def nearest(fractions: Sequence[Fraction]) -> Array:
    """The nearest floats; infinite where none is near."""
    return np.array([quotient(f.numerator, f.denominator) for f in fractions], dtype=float)


def quotient(numerator: Integer, denominator: Integer) -> float:
    """The float nearest to a quotient of whole numbers, infinite beyond the largest."""
    try:
        return int(numerator) / int(denominator)
    except OverflowError:
        return float("inf") if (numerator > 0) == (denominator > 0) else float("-inf")


def _decimals(values: Array, near: int) -> list[Fraction]:
    """Each value as its short decimal, or a shorter one nearby, if it has one, else as it is."""
    digits, powers, left = np.zeros(values.size), np.zeros(values.size, dtype=int), values != 0
    find(values, digits, powers, left, DIGITS, 0)
    if near:
        find(values, digits, powers, left, NEAR_DIGITS, near)
    fractions = []
    for m, k in zip(digits.tolist(), powers.tolist(), strict=True):
        fractions.append(Fraction(int(m) * 10**k) if k >= 0 else Fraction(int(m), 10**-k))
        if len(fractions) % READ_AT_ONCE == 0:
            check_here()
    for turn, place in enumerate(np.flatnonzero(left).tolist(), 1):
        if turn % READ_AT_ONCE == 0:
            check_here()
        value = float(values[place])
        decimal = extreme(value, near)
        fractions[place] = Fraction(value) if decimal is None else decimal
    return fractions


# Vectors of rational numbers whose entries share their denominators.
#
# The entries of a solved linear system have one large denominator in common. Kept as one object
# they are added as whole numbers; written as reduced fractions, each sum would cost a greatest
# common divisor of thousands of digits.


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
    >>> from lexiprog.rational.numbers import RationalVector
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
