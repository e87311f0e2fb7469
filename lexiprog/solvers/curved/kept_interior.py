"""CLARABEL again for a problem of which only the right-hand side has changed.

To set it up (units, an order of elimination, memory) takes a tenth to a third of a small solve.
None of that depends on the right-hand side, and a solve keeps nothing of the last one. So whoever
sets it up without, and gives the right-hand side afterwards, gets the same digits from a kept
solver as from a new one.
"""

from __future__ import annotations

import os
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import clarabel
import numpy as np
from numpy.typing import NDArray

from lexiprog.aliases import Array, Matrix
from lexiprog.declare.fork import ForkSafeLock

__all__ = ["InteriorPoint", "KeptInterior"]

# Numbers of a problem whose solver is kept: of larger ones setting up is the lesser part.
SMALL = 20_000
# How many are kept, whatever their problems.
MOST = 16
# CLARABEL leaves out rows with limits beyond this when it is set up.
INFINITE = 1e20
# A solver that ended otherwise is not used again.
WELL = ("Solved", "AlmostSolved", "InsufficientProgress")


@dataclass(frozen=True)
class InteriorPoint:
    """A point of CLARABEL's, the multipliers of the rows, the value and the status it claims."""

    x: Array
    z: Array
    value: float
    iterations: int
    said: str


@dataclass(eq=False)
class _Spare:
    """A solver that nobody uses now, and what it was set up for."""

    A: weakref.ref[Matrix]
    process: int
    numbers: tuple[NDArray[Any], ...]
    rest: tuple[object, ...]
    solver: Any

    def serves(self, numbers: tuple[NDArray[Any], ...], rest: tuple[object, ...]) -> bool:
        """Whether all but the right-hand side is the same, in the same process."""
        return (
            self.process == os.getpid()
            and self.rest == rest
            and all(map(np.array_equal, self.numbers, numbers))
        )


class KeptInterior:
    """The solvers of the last few problems, by the objects that their matrices are."""

    def __init__(self) -> None:
        self._spares: deque[_Spare] = deque(maxlen=MOST)
        self._lock = ForkSafeLock()

    def solve(
        self,
        P: Matrix,
        c: Array,
        A: Matrix,
        b: Array,
        make: Callable[[], tuple[list[object], object]],
        rest: tuple[object, ...],
    ) -> Any:
        """What CLARABEL finds.

        ``make`` gives cones and settings, which depend on ``rest`` alone.
        """
        small = A.nnz + P.nnz + b.size + c.size <= SMALL
        if not small or np.count_nonzero(np.abs(b) < INFINITE) < b.size:
            return clarabel.DefaultSolver(P, c, A, b, *make()).solve()
        spare, numbers = self._taken(A), (c, *_parts(P), *_parts(A))
        if spare is None or not spare.serves(numbers, rest):
            solver = clarabel.DefaultSolver(P, c, A, np.zeros(b.size), *make())
            # It has taken the problem apart, as sparse semidefinite ones, and takes no other side.
            if not solver.is_data_update_allowed():
                return clarabel.DefaultSolver(P, c, A, b, *make()).solve()
            # Others may write into what they are given: an object is no proof of its numbers.
            copies = tuple(part.copy() for part in numbers)
            spare = _Spare(weakref.ref(A), os.getpid(), copies, rest, solver)
        spare.solver.update(b=b)
        found = spare.solver.solve()
        if str(found.status) in WELL:
            with self._lock:
                self._spares.append(spare)
        return found

    def _taken(self, A: Matrix) -> _Spare | None:
        """The solver of a matrix, for one alone: whoever comes meanwhile makes another."""
        with self._lock:
            for spare in self._spares:
                if spare.A() is A:
                    self._spares.remove(spare)
                    return spare
        return None


def _parts(matrix: Matrix) -> tuple[NDArray[Any], ...]:
    return matrix.data, matrix.indices, matrix.indptr
