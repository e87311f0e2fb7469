"""Numbers as short texts, the same in every display."""

from __future__ import annotations

from collections.abc import Iterable
from math import isnan


def number(value: float) -> str:
    """Six digits, without the sign of a zero."""
    return f"{value + 0.0:.6g}"


def cleaned(values: Iterable[float]) -> list[float]:
    """The values, with zeros for those that are rounding errors beside the largest."""
    values = list(values)
    noise = 1e-11 * max(map(abs, values), default=0.0)
    return [value if abs(value) > noise else 0.0 for value in values]


def tiny(value: float) -> str:
    """The order of an error; nothing else of it matters."""
    if value == 0:
        return "0"
    return "not a number" if isnan(value) else f"{value:.0e}".replace("e-0", "e-")


def duration(seconds: float) -> str:
    """Seconds in the unit that fits."""
    if seconds < 1e-3:
        return f"{1e6 * seconds:.0f} µs"
    if seconds < 1:
        return f"{1e3 * seconds:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 120 else f"{seconds / 60:.3g} min"
