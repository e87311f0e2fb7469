"""Trees that several contenders grow alike are grown once, and their time counts for each."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from lexiprog_boost.learners import C45TreeClassifier

# A fold's pool and what others grow in between; the oldest trees are forgotten.
MOST_TREES = 64


@dataclass(frozen=True)
class Spent:
    """Seconds on the clock and of the processor, each from a start of its own.

    Attributes
    ----------
    seconds, processor : float
        Only differences mean something.
    """

    seconds: float
    processor: float

    def since(self, start: Spent) -> Spent:
        """What was spent from `start` to here."""
        return Spent(self.seconds - start.seconds, self.processor - start.processor)


class _Forest:
    """The last trees of this process, by what they were grown from."""

    def __init__(self) -> None:
        self._grown: OrderedDict[bytes, tuple[dict[str, Any], Spent]] = OrderedDict()
        self._spared = Spent(0.0, 0.0)

    def now(self) -> Spent:
        """The time, as if every tree had been grown."""
        return Spent(
            time.perf_counter() + self._spared.seconds,
            time.process_time() + self._spared.processor,
        )

    def find(self, key: bytes) -> dict[str, Any] | None:
        """A tree's attributes; its time is charged once more."""
        if key not in self._grown:
            return None
        self._grown.move_to_end(key)
        attributes, spent = self._grown[key]
        self._spared = Spent(
            self._spared.seconds + spent.seconds, self._spared.processor + spent.processor
        )
        return attributes

    def keep(self, key: bytes, attributes: dict[str, Any], spent: Spent) -> None:
        self._grown[key] = attributes, spent
        if len(self._grown) > MOST_TREES:
            self._grown.popitem(last=False)


_FOREST = _Forest()


def now() -> Spent:
    """Return the time, as if every tree had been grown anew.

    Examples
    --------
    >>> from lexiprog_boost.experiments.cells.shared_trees import now
    >>> start = now()
    >>> now().since(start).seconds >= 0
    True
    """
    return _FOREST.now()


class SharedTree(C45TreeClassifier):
    """The same tree, not grown again from the same points, weights and seed in this process.

    AdaBoost, LPAdaBoost, LexiBoost and every setting of LPUBoost start from the same members.

    Examples
    --------
    >>> from lexiprog_boost.experiments.cells.shared_trees import SharedTree
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> first, second = (SharedTree(random_state=0).fit(X, y) for _ in range(2))
    >>> first.grown_ is second.grown_
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SharedTree:
        """Grow and prune, or remember; as for `C45TreeClassifier`."""
        key = _key(self.get_params(), X, y, sample_weight)
        known = None if key is None else _FOREST.find(key)
        if known is not None:
            for name, value in known.items():
                setattr(self, name, value)
            return self
        start = now()
        super().fit(X, y, sample_weight)
        if key is not None:
            _FOREST.keep(key, dict(vars(self)), now().since(start))
        return self


def _key(parameters: dict[str, Any], *arrays: Any) -> bytes | None:
    """What a tree is grown from, None if that does not tell two of them apart."""
    if not isinstance(parameters["random_state"], int):
        return None
    digest = blake2b(repr(sorted(parameters.items())).encode())
    for one in arrays:
        values = np.ascontiguousarray(one)
        if values.dtype.hasobject and one is not None:
            return None
        digest.update(f"{one is None} {values.dtype} {values.shape}".encode())
        if one is not None:
            digest.update(values.tobytes())
    return digest.digest()
