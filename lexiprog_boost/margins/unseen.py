"""Margins measured on points that a member did not see, and what stands in for the rest."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.aliases import Codes


@dataclass(frozen=True)
class UnseenMargins:
    """A full margin matrix and the record of which entries were measured.

    What `out_of_bag_margins` and `cross_fitted_margins` return: honest margins (fact F9,
    docs/facts.md) with nothing missing, so that every program can be made of them.

    Attributes
    ----------
    margins : ndarray of shape (n, T)
        Measured where the member had not seen the point; elsewhere a stand-in.
    measured : ndarray of bool, shape (n, T)
        Which entries are measurements.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog_boost.margins import UnseenMargins
    >>> found = UnseenMargins(np.ones((2, 1)), np.array([[True], [False]]))
    >>> found.measured.mean().item()
    0.5
    """

    margins: NDArray[np.float64]
    measured: NDArray[np.bool_]


def fill_with_class_means(
    margins: NDArray[np.float64],
    measured: NDArray[np.bool_],
    codes: Codes,
    weights: NDArray[np.float64],
    classes: NDArray,
) -> NDArray[np.float64]:
    """Put in place of what was not measured the member's mean over its class.

    The class means, which are all that the game on them needs (fact F1, docs/facts.md), are then
    those of the measurements. A member without a measurement in a class gets the mean of the other
    members there: it is neither preferred nor avoided for want of data.
    """
    filled = margins.copy()
    for c, label in enumerate(classes.tolist()):
        rows = np.flatnonzero(codes == c)
        if not len(rows):
            continue
        known = measured[rows] & (weights[rows] > 0)[:, None]
        mass = np.where(known, weights[rows][:, None], 0.0)
        total = mass.sum(axis=0)
        if not total.any():
            raise ValueError(
                f"no member has an unseen point of class {label!r}: there is nothing to measure it "
                "on. Use more members, cross-fitted margins or margins on the training data."
            )
        means = np.divide(
            (mass * margins[rows]).sum(axis=0), total, out=np.zeros_like(total), where=total > 0
        )
        means[total == 0] = means[total > 0].mean()
        filled[rows] = np.where(measured[rows], margins[rows], means)
    return filled
