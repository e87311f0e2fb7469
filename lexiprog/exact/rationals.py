"""Floats read as rational numbers: as the decimals their user wrote, or exactly as they are.

``0.1`` is no binary fraction: the float that stands for it is larger by 5.6e-18. Who writes 0.1
means 1/10, so a float whose shortest decimal is short is read as that decimal ("decimal"). A
result of arithmetic, like ``1 / 3``, has a long one and is read as the binary fraction that it is.
"binary" reads every float as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

ReadAs = Literal["decimal", "binary"]
Array = NDArray[np.float64]

# A decimal of at most this many digits is taken for what the user wrote. Up to 15 digits no two
# decimals share a float; sums of short decimals often end in an error of the 16th or 17th digit.
DIGITS = 12
# Powers of ten that are floats exactly, so that one division or product by them is rounded once.
POWERS = 22


def read(values: ArrayLike, read_as: ReadAs = "decimal") -> list[Fraction]:
    """Finite floats as fractions, in order.

    Parameters
    ----------
    values : array-like
        Floats; read in one dimension.
    read_as : {"decimal", "binary"}
        Whether a float with a decimal of at most 12 digits means that decimal.

    Raises
    ------
    ValueError
        If a value is infinite or not a number, or ``read_as`` is unknown.

    Examples
    --------
    >>> from lexiprog.exact.rationals import read
    >>> [str(value) for value in read([0.1, 2.5e-7, 12.0])]
    ['1/10', '1/4000000', '12']
    >>> read([1 / 3]) == [Fraction(1 / 3)]
    True
    >>> str(read([0.1], "binary")[0])
    '3602879701896397/36028797018963968'
    """
    if read_as not in ("decimal", "binary"):
        raise ValueError(f"Floats are read as 'decimal' or 'binary', not as {read_as!r}.")
    floats = np.asarray(values, dtype=float).ravel()
    if not np.isfinite(floats).all():
        at = int(np.flatnonzero(~np.isfinite(floats))[0])
        raise ValueError(f"Entry {at} is {floats[at]}: only finite numbers are rational.")
    # Matrices repeat few numbers many times.
    distinct, places = np.unique(floats, return_inverse=True)
    if read_as == "binary":
        fractions = [Fraction(value) for value in distinct.tolist()]
    else:
        fractions = _decimals(distinct)
    return [fractions[place] for place in places.tolist()]


def nearest(fractions: Sequence[Fraction]) -> Array:
    """The nearest floats; infinite where none is near."""
    return np.array([quotient(f.numerator, f.denominator) for f in fractions], dtype=float)


def quotient(numerator: Any, denominator: Any) -> float:
    """The float nearest to a quotient of whole numbers, infinite beyond the largest."""
    try:
        return int(numerator) / int(denominator)
    except OverflowError:
        return float("inf") if (numerator > 0) == (denominator > 0) else float("-inf")


def _decimals(values: Array) -> list[Fraction]:
    """Each value as its short decimal, if it has one, else as it is.

    ``m / 10**k`` is rounded once when ``m`` and ``10**k`` are floats exactly, so that equality
    with the value says that the value is the float nearest to that decimal. At most one decimal
    so short is near a float, so it is the one that `repr` shows.
    """
    digits, powers = np.zeros(values.size), np.zeros(values.size, dtype=int)
    left = np.flatnonzero(values)
    # From the largest unit to the smallest, so that the first hit has no idle zeros.
    for power in range(POWERS, -POWERS - 1, -1):
        ten, rest = 10.0 ** abs(power), values[left]
        with np.errstate(over="ignore"):
            whole = np.rint(rest / ten if power >= 0 else rest * ten)
            found = (whole * ten if power >= 0 else whole / ten) == rest
        found &= np.abs(whole) < 10.0**DIGITS
        digits[left[found]], powers[left[found]] = whole[found], power
        left = left[~found]
        if not left.size:
            break
    fractions = [
        Fraction(int(m) * 10**k) if k >= 0 else Fraction(int(m), 10**-k)
        for m, k in zip(digits.tolist(), powers.tolist(), strict=True)
    ]
    for place in left.tolist():
        fractions[place] = _long_or_extreme(float(values[place]))
    return fractions


def _long_or_extreme(value: float) -> Fraction:
    """A value without a short decimal, or too large or small for powers of ten that are floats."""
    if 10.0 ** (DIGITS - POWERS) <= abs(value) < 10.0**POWERS:
        return Fraction(value)
    text = repr(value)
    mantissa = text.lower().split("e")[0].replace("-", "").replace(".", "").strip("0")
    return Fraction(text) if len(mantissa) <= DIGITS else Fraction(value)
