"""Points of a class on which all members have the same margins, merged into one row."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.aliases import Floats
from lexiprog_boost.programs.inputs import Inputs

# Votes of so many members and the class together make one whole number.
BITS = 48


@dataclass(frozen=True)
class Compressed:
    """Merged rows and the way back to the points, as `compress_rows` finds them.

    Solve a program on `inputs`, and divide the point weights of a dual by `to_points`.

    Attributes
    ----------
    inputs : Inputs
        One row a distinct row of a class, with the summed weight.
    groups : ndarray of int, shape (n,)
        The merged row of each point; -1 for a point of weight zero, which is left out.
    shares : ndarray of shape (n,)
        The point's share of its merged row's weight.

    Examples
    --------
    >>> from lexiprog_boost.programs import check_inputs
    >>> from lexiprog_boost.reductions import compress_rows
    >>> merged = compress_rows(check_inputs([[1], [1], [-1], [1]], ["a", "a", "a", "b"]))
    >>> merged.inputs.weights.round(3).tolist(), merged.groups.tolist()
    ([0.333, 0.667, 1.0], [1, 1, 0, 2])
    >>> merged.to_points([0.2, 0.4, 0.4]).tolist()
    [0.2, 0.2, 0.2, 0.4]
    """

    inputs: Inputs
    groups: NDArray[np.intp]
    shares: Floats

    def to_points(self, weights: NDArray | list[float]) -> Floats:
        """Divide a weight a merged row among its points, in proportion to their weights."""
        return self.shares * np.asarray(weights, dtype=np.float64)[self.groups]


def compress_rows(inputs: Inputs) -> Compressed:
    """Merge equal rows inside each class; optimum and optimal weights stay the same.

    Use it for hard votes of few members, where n points have few different rows (fact F6,
    docs/facts.md).

    Parameters
    ----------
    inputs : Inputs
        Of n points.

    Returns
    -------
    Compressed

    Examples
    --------
    Ten thousand points, four voters, two classes:

    >>> import numpy as np
    >>> from lexiprog_boost.programs import check_inputs
    >>> from lexiprog_boost.reductions import compress_rows
    >>> rng = np.random.default_rng(0)
    >>> votes = rng.choice([-1, 1], size=(10_000, 4))
    >>> len(compress_rows(check_inputs(votes, np.arange(10_000) % 2)).inputs.codes)  # 2 * 2**4
    32
    """
    used = np.flatnonzero(inputs.weights)
    margins, codes = inputs.margins[used], inputs.codes[used]
    _, first, inverse = np.unique(row_keys(margins, codes), return_index=True, return_inverse=True)
    merged = np.bincount(inverse, weights=inputs.weights[used]).astype(np.float64)
    groups = np.full(len(inputs.codes), -1, dtype=np.intp)
    groups[used] = inverse
    shares = np.zeros(len(groups))
    shares[used] = inputs.weights[used] / merged[inverse]
    rows = replace(inputs, margins=margins[first], codes=codes[first], weights=merged)
    return Compressed(rows, groups, shares)


def row_keys(margins: NDArray, codes: NDArray[np.intp]) -> NDArray:
    """One opaque value a row, equal for equal margins and classes; the class comes first."""
    if not margins.size:
        return codes
    low, high = margins.min(), margins.max()
    # Votes: a bit a member is enough, and all of them with the class are one number.
    votes = bool(((margins == low) | (margins == high)).all())
    if votes and margins.shape[1] <= BITS:
        bits = np.zeros((len(codes), 64), dtype=bool)
        bits[:, 64 - margins.shape[1] :] = margins == high
        packed = np.packbits(bits, axis=1).view(">u8").ravel().astype(np.uint64)
        return packed | (codes.astype(np.uint64) << np.uint64(BITS))
    if votes:
        body = np.packbits(margins == high, axis=1)
    else:
        table = np.ascontiguousarray(margins, dtype=np.float64)
        body = (table + 0.0).view(np.uint8)  # -0.0 becomes 0.0
    head = codes.astype(">u4")[:, None].view(np.uint8)
    rows = np.ascontiguousarray(np.hstack([head, body.reshape(len(codes), -1)]))
    return rows.view(np.dtype((np.void, rows.shape[1]))).reshape(-1)
