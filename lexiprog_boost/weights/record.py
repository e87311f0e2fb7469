"""What is known about an ensemble's weights once they are found."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import NDArray

import lexiprog as lx
from lexiprog_boost.aliases import Floats


@dataclass(frozen=True)
class LexiWeights:
    """The weights of an ensemble's members, and the programs they come from.

    `lexicographic_weights` returns it: read `alpha` to vote, the rest to see what it costs whom.

    Attributes
    ----------
    alpha : ndarray of shape (T,)
        On the simplex.
    classes : ndarray of shape (C,)
        Sorted labels.
    class_optima : ndarray of shape (C,)
        L_j: the least mean loss of each class by itself.
    class_losses, deviations : ndarray of shape (C,)
        The mean loss of each class with `alpha`, and its distance to `class_optima`.
    chi : float
        The least worst costed deviation; below zero only if the optima were given (fact F10,
        docs/facts.md).
    program : lexiprog.Program
        What was solved last: with a reduction, the reduced program.
    result : lexiprog.Result
        Its certified optima.
    reduction : {"class means", "merged rows", "points in doubt", "passes", "none"}
        Which exact reduction was used.
    gap : float
        How far chi and the class optima may be from the true ones, as a share of them; zero
        unless they were found by passes over blocks.
    passes : int
        How often all points were read, if they came in blocks; else zero.

    Examples
    --------
    >>> from lexiprog_boost.weights import lexicographic_weights
    >>> found = lexicographic_weights([[1, -1], [-1, 1]], ["a", "b"])
    >>> found.class_losses.round(6).tolist(), found.deviations.round(6).tolist()
    ([1.0, 1.0], [1.0, 1.0])
    """

    alpha: Floats
    classes: NDArray
    class_optima: Floats
    class_losses: Floats
    chi: float
    program: lx.Program
    result: lx.Result
    reduction: str
    gap: float = 0.0
    passes: int = 0

    @property
    def deviations(self) -> Floats:
        """How far each class is from its optimum, costs left out."""
        return self.class_losses - self.class_optima

    @property
    def deviation(self) -> float:
        """The paper's chi, which is not negative."""
        return max(0.0, self.chi)
