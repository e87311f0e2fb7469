"""Decimal residuals: the short decimals that floats stand for, minus the floats.

``0.1`` is no binary fraction: the float that stands for it is larger by 5.6e-18. A sum that is zero
in decimals is then some 1e-17; the residuals of its terms distinguish it from a true 1e-17.
"""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from lexiprog.canon.compensated import two_product
from lexiprog.canon.scaling import Scaling, multiplied
from lexiprog.canon.standard_form import StandardForm, transpose_product
from lexiprog.tolerances import COMPUTED_ROUNDING
from lexiprog.typing import Array, Mask, Matrix

# A decimal of at most this many digits is taken for what the user wrote. Up to 15 digits no two
# decimals share a float; sums of short decimals often end in an error of the 16th or 17th digit.
DIGITS = 12
# Powers of ten that are floats exactly, so that one division or product by them is rounded once.
POWERS = 22
# "nearby": so many units in the last place from a decimal of at most so many digits, the errors of
# four roundings (two numbers read, a product, a quotient). One float in 100,000 is so near by
# chance; one in 10,000 has 12 digits by chance.
NEAR, NEAR_DIGITS = 4, 10
# Numbers with that many binary digits were hardly rounded when they were read.
SHORT = 44
# Numbers with more digits were computed, since nobody writes so many.
WRITTEN = 15
# Numbers that are looked at first.
FEW = 64
# Below this every whole number is a float.
LARGEST_WHOLE = 2.0**53


# Digits that somebody may have written; the quotient of two whole numbers up to this was computed.
_WRITTEN, _LARGEST_TERM = 16, 10_000


def is_short(numbers: Array) -> Mask:
    """Which numbers have few binary digits, as whole numbers of moderate size have."""
    mantissas = np.frexp(numbers)[0] * 2.0**SHORT
    short: Mask = mantissas == np.rint(mantissas)
    return short


def are_written(numbers: Array) -> bool:
    """Whether all show with up to 16 digits, as written numbers do; mostly computed ones have 17.

    Quotients such as 1 / 15 have 16, and are recognised by their terms.

    Examples
    --------
    >>> are_written(np.array([0.1, 3.0, 1e-9, -12.25])), are_written(np.array([0.1, 3 * 0.1]))
    (True, False)
    >>> are_written(np.array([1 / 15])), are_written(np.array([1.000000000000001]))
    (False, True)
    """
    return not any(_is_computed(number) for number in numbers[~is_short(numbers)].tolist())


def _is_computed(number: float) -> bool:
    digits = _digits(number)
    if digits != _WRITTEN:
        return digits > _WRITTEN
    ratio = Fraction(number).limit_denominator(_LARGEST_TERM)
    return abs(ratio.numerator) <= _LARGEST_TERM and float(ratio) == number


def _digits(number: float) -> int:
    """How many digits it takes to tell a float from its neighbours."""
    mantissa = repr(number).lower().lstrip("-").partition("e")[0]
    return len(mantissa.replace(".", "").lstrip("0"))


def find(
    values: Array, digits: Array, powers: NDArray[np.intp], left: Mask, length: int, near: int
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


def extreme(value: float, near: int) -> Fraction | None:
    """The short decimal of a value too large or small for powers of ten that are floats."""
    if 10.0 ** (DIGITS - POWERS) <= abs(value) < 10.0**POWERS:
        return None
    shown = repr(value)
    mantissa = shown.lower().split("e")[0].replace("-", "").replace(".", "").strip("0")
    if len(mantissa) <= DIGITS:
        return Fraction(shown)
    short = f"{value:.{NEAR_DIGITS - 1}e}"
    is_near = abs(float(short) - value) <= near * math.ulp(value)
    return Fraction(short) if is_near else None


def written(values: Array) -> list[Fraction] | None:
    """Finite floats as the whole numbers or decimals that were written; None if one is neither.

    Examples
    --------
    >>> [str(value) for value in written(np.array([12.0, 0.1, 3 * 0.1, 12345678901.25]))]
    ['12', '1/10', '3/10', '49382715605/4']
    >>> written(np.array([0.1, 1 / 3]))
    """
    values, places = np.unique(values, return_inverse=True)
    digits, powers = np.zeros(values.size), np.zeros(values.size, dtype=int)
    whole = (values == np.rint(values)) & (np.abs(values) < LARGEST_WHOLE)
    digits[whole], left = values[whole], ~whole
    if left.any():
        find(values, digits, powers, left, NEAR_DIGITS, NEAR)
        find(values, digits, powers, left, WRITTEN, 0)
    if left.any():
        return None
    read = [
        Fraction(int(m) * 10**k) if k >= 0 else Fraction(int(m), 10**-k)
        for m, k in zip(digits.tolist(), powers.tolist(), strict=True)
    ]
    return [read[place] for place in places.ravel().tolist()]


def decimal_residuals(values: Array) -> Array | None:
    """The decimals nearby minus the floats; None if some float has none and is long.

    So is what is next to nothing beside the others, unless somebody wrote it: ``0.1 + 0.2 - 0.3``
    is a power of two.

    Examples
    --------
    >>> decimal_residuals(np.array([0.1, 0.5, 3 * 0.1]))
    array([-5.55111512e-18,  0.00000000e+00, -4.44089210e-17])
    >>> decimal_residuals(np.array([0.1, 1 / 3]))
    """
    least = COMPUTED_ROUNDING * float(np.abs(values).max(initial=0.0))
    broken = np.flatnonzero((values != np.rint(values)) | (np.abs(values) >= 2.0**SHORT))
    # Where all are long, as measured data are, a few of them tell.
    if _decimal_residuals(values[broken[:FEW]], least) is None:
        return None
    residuals = _decimal_residuals(values[broken], least)
    if residuals is None:
        return None
    out = np.zeros(values.size)
    out[broken] = residuals
    return out


def _decimal_residuals(values: Array, least: float) -> Array | None:
    """The same of some numbers; what is less than ``least`` counts only if it is written."""
    values, places = np.unique(values, return_inverse=True)
    digits, powers = np.zeros(values.size), np.zeros(values.size, dtype=int)
    left = np.ones(values.size, dtype=bool)
    find(values, digits, powers, left, NEAR_DIGITS, NEAR)
    find(values, digits, powers, left, WRITTEN, 0)
    below, above = ~left & (powers < 0), ~left & (powers >= 0)
    out, tens = np.zeros(values.size), 10.0 ** np.abs(powers)
    high, low = two_product(values[below], tens[below])
    out[below] = ((digits[below] - high) - low) / tens[below]
    high, low = two_product(digits[above], tens[above])
    out[above] = (high - values[above]) + low
    left &= ~is_short(values) | (np.abs(values) <= least)
    for place in np.flatnonzero(left).tolist():
        value = float(values[place])
        decimal = extreme(value, NEAR)
        if decimal is None:
            return None
        out[place] = float(decimal - Fraction(value))
    return out[places.ravel()]


@dataclass(frozen=True)
class DecimalResiduals:
    """Of the numbers of a linear program, as the decimals that they are read as."""

    costs: Array
    matrix: Matrix
    sides: Array | None = None

    @classmethod
    def of(
        cls, form: StandardForm, units: Scaling, entries: Array | None
    ) -> DecimalResiduals | None:
        """Of a program as the user wrote it, in other units; ``entries`` are those of its matrix.

        None if some number is long.
        """
        costs = None if entries is None else decimal_residuals(form.c)
        if costs is None:
            return None
        matrix = copy(form.A)
        matrix.data = entries
        costs = costs * (units.cost * units.columns)
        return cls(costs, multiplied(matrix, units.rows, units.columns))

    def of_reduced_costs(self, y: Array) -> Array:
        """Those of the reduced costs ``c + A'y``."""
        out: Array = self.costs + transpose_product(self.matrix, y)
        return out

    def of_slack(self, x: Array) -> Array:
        """Those of ``b - Ax``."""
        activity: Array = self.matrix @ x
        return -activity if self.sides is None else self.sides - activity
