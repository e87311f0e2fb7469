"""Floats read as rational numbers: as the decimals their user meant, or exactly as they are.

``0.1`` is no binary fraction: the float that stands for it is larger by 5.6e-18. Who writes 0.1
means 1/10, so a float whose shortest decimal is short is read as that decimal. Short arithmetic
hides a short decimal: ``3 * 0.1`` is the float 0.30000000000000004, next to 0.3, and amounts in
other units are such products. So the default, "nearby", also reads a float next to a short decimal
as that one; "decimal" takes only floats that show one, and "binary" reads every float as it is.
A number like ``1 / 3``, with no short decimal near it, is the binary fraction that it is for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from lexiprog.aliases import Array
from lexiprog.forms.digits.decimals import DIGITS, NEAR, NEAR_DIGITS, extreme, find

# A whole number of Python or of python-flint, which has no types.
Integer: TypeAlias = Any
Ratio: TypeAlias = tuple[Integer, Integer]
ReadAs = Literal["nearby", "decimal", "binary"]

DEFAULT: ReadAs = "nearby"


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
    >>> from lexiprog.exact.rationals import read_floats
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
    fractions = [
        Fraction(int(m) * 10**k) if k >= 0 else Fraction(int(m), 10**-k)
        for m, k in zip(digits.tolist(), powers.tolist(), strict=True)
    ]
    for place in np.flatnonzero(left).tolist():
        value = float(values[place])
        decimal = extreme(value, near)
        fractions[place] = Fraction(value) if decimal is None else decimal
    return fractions
