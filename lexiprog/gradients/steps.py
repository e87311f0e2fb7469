"""One-sided derivatives of conic programs at kinks, by ever smaller steps to that side.

The optimal points and multipliers of a linear program are told by rows, which one more linear
program searches; those of a cone are not. So the optimum itself is solved for at four steps that
halve, each with a certificate, and its differences are extrapolated. What two extrapolations and
the certificates' gaps leave open is the error; beyond a limit there is no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Array, Value
from lexiprog.gradients.first_order import NoDerivative

__all__ = ["Interval", "along_steps", "by_steps"]

# The first of four steps, as shares of the parameter's size: smaller ones where those do not agree.
FIRST = (1e-2, 1e-3, 1e-4)
# How far two extrapolations may be apart, and what the gaps may add, relative to one and the slope.
AGREE = 1e-4

Interval = tuple[float, float]  # what an optimum is certified to lie in
Values = list[tuple[cp.Parameter, Value]]


def along_steps(
    read: Values, jacobians: Mapping[int, Array], interval: Callable[[Values], Interval]
) -> Array:
    """The derivative along each column of the jacobians, in its direction.

    Parameters
    ----------
    read : list of (parameter, value)
        What the problem reads.
    jacobians : mapping
        How each of these follows, by CVXPY's ids.
    interval : callable
        Where the optimum lies with other values.
    """
    size = 1.0 + max(float(np.max(np.abs(value), initial=0.0)) for _, value in read)
    out = np.zeros(next(iter(jacobians.values())).shape[1])
    for k in range(out.size):
        ways = [np.reshape(jacobians[p.id][:, k], p.shape, order="F") for p, _ in read]
        speed = max(float(np.max(np.abs(way), initial=0.0)) for way in ways)
        if speed:

            def optimum_at(t: float, ways: list[Array] = ways) -> Interval:
                return interval([(p, v + t * w) for (p, v), w in zip(read, ways, strict=True)])

            out[k] = by_steps(optimum_at, size / speed)
    return out


def by_steps(optimum_at: Callable[[float], Interval], size: float) -> float:
    """The derivative at 0, to the right, of an optimum that is known within intervals.

    Parameters
    ----------
    optimum_at : callable
        Where the optimum lies after a step.
    size : float
        What a step of one is compared with.

    Raises
    ------
    NoDerivative
        If the differences do not settle.

    Examples
    --------
    >>> round(by_steps(lambda t: (abs(t) + t**2, abs(t) + t**2), 1.0), 6)
    1.0
    """
    here, told = optimum_at(0.0), []
    for first in FIRST:
        steps = first * size * np.array([1.0, 0.5, 0.25, 0.125])
        ends = np.array([optimum_at(float(step)) for step in steps])
        slopes = (ends.mean(axis=1) - np.mean(here)) / steps
        gaps = (ends[:, 1] - ends[:, 0] + here[1] - here[0]) / steps
        straight = 2.0 * slopes[1:] - slopes[:-1]  # without what grows with the step
        curved = (4.0 * straight[1:] - straight[:-1]) / 3.0  # nor with its square
        error = abs(curved[1] - curved[0]) + float(gaps[-1])
        if error <= AGREE * (1.0 + abs(curved[1])):
            return float(curved[1])
        told += [float(slope) for slope in slopes]
    raise NoDerivative(
        f"the optimum has a kink here, and its differences to this side do not settle: they are "
        f"{abs(told[0]):.4g} to {abs(told[-1]):.4g} in size for steps from {FIRST[0] * size:.1g} "
        f"to {FIRST[-1] * size / 8:.1g}. It may fall without limit at first; solve at a step that "
        "matters to you and take the difference"
    )
