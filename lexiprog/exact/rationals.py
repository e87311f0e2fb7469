"""Floats read as rational numbers: as the decimals their user meant, or exactly as they are.

``0.1`` is no binary fraction: the float that stands for it is larger by 5.6e-18. Who writes 0.1
means 1/10, so a float whose shortest decimal is short is read as that decimal. Short arithmetic
hides a short decimal: ``3 * 0.1`` is the float 0.30000000000000004, next to 0.3, and amounts in
other units are such products. So the default, "nearby", also reads a float next to a short decimal
as that one; "decimal" takes only floats that show one, and "binary" reads every float as it is.
A number like ``1 / 3``, with no short decimal near it, is the binary fraction that it is for all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lexiprog.aliases import Array

# A whole number of Python or of python-flint, which has no types.
Integer: TypeAlias = Any
Ratio: TypeAlias = tuple[Integer, Integer]
ReadAs = Literal["nearby", "decimal", "binary"]

# A decimal of at most this many digits is taken for what the user wrote. Up to 15 digits no two
# decimals share a float; sums of short decimals often end in an error of the 16th or 17th digit.
DIGITS = 12
# Powers of ten that are floats exactly, so that one division or product by them is rounded once.
POWERS = 22
# "nearby": so many units in the last place from a decimal of at most so many digits, the errors of
# four roundings (two numbers read, a product, a quotient). One float in 100,000 is so near by
# chance; one in 10,000 has 12 digits by chance.
NEAR, NEAR_DIGITS = 4, 10
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
    _find(values, digits, powers, left, DIGITS, 0)
    if near:
        _find(values, digits, powers, left, NEAR_DIGITS, near)
    fractions = [
        Fraction(int(m) * 10**k) if k >= 0 else Fraction(int(m), 10**-k)
        for m, k in zip(digits.tolist(), powers.tolist(), strict=True)
    ]
    for place in np.flatnonzero(left).tolist():
        fractions[place] = _long_or_extreme(float(values[place]), near)
    return fractions


def _find(
    values: Array,
    digits: Array,
    powers: NDArray[np.intp],
    left: NDArray[np.bool_],
    length: int,
    near: int,
) -> None:
    """Write ``digits * 10**powers`` for those left that are within ``near`` units of it.

    ``m / 10**k`` is rounded once when ``m`` and ``10**k`` are floats exactly, so that equality
    with the value says that the value is the float nearest to that decimal. At most one decimal
    so short is near a float, so it is the one that `repr` shows.
    """
    # From the largest unit to the smallest, so that the first hit has no idle zeros.
    for power in range(POWERS, -POWERS - 1, -1):
        places = np.flatnonzero(left)
        ten, rest = 10.0 ** abs(power), values[places]
        with np.errstate(over="ignore"):
            whole = np.rint(rest / ten if power >= 0 else rest * ten)
            decimal = whole * ten if power >= 0 else whole / ten
        found = np.abs(decimal - rest) <= near * np.abs(np.spacing(rest))
        found &= np.abs(whole) < 10.0**length
        digits[places[found]], powers[places[found]] = whole[found], power
        left[places[found]] = False
        if not left.any():
            return


def _long_or_extreme(value: float, near: int) -> Fraction:
    """A value without a short decimal, or too large or small for powers of ten that are floats."""
    if 10.0 ** (DIGITS - POWERS) <= abs(value) < 10.0**POWERS:
        return Fraction(value)
    shown = repr(value)
    mantissa = shown.lower().split("e")[0].replace("-", "").replace(".", "").strip("0")
    if len(mantissa) <= DIGITS:
        return Fraction(shown)
    short = f"{value:.{NEAR_DIGITS - 1}e}"
    is_near = abs(float(short) - value) <= near * math.ulp(value)
    return Fraction(short) if is_near else Fraction(value)
