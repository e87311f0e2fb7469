"""Where the user's variables and multipliers stand in the vectors of a compiled form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lexiprog.aliases import Array, ValuesById

__all__ = ["Place", "Places"]


@dataclass(frozen=True)
class Place:
    """A stretch of a vector that is an array of the user's, column by column."""

    id: int
    part: slice
    shape: tuple[int, ...]

    def of(self, vector: Any) -> Any:
        """The array."""
        return vector[self.part].reshape(self.shape, order="F")


@dataclass(frozen=True)
class Places:
    """How a compiled form's vectors are cut up into what the user declared.

    Attributes
    ----------
    primal, dual : tuple of Place
        Variables in a point, and constraints in the multipliers of the rows.
    sign : float
        Minus one if the form minimises what the user maximises.
    """

    primal: tuple[Place, ...]
    dual: tuple[Place, ...]
    sign: float

    def variables(self, x: Array) -> ValuesById:
        """The values of the user's variables, by CVXPY's ids."""
        return {place.id: place.of(x) for place in self.primal}

    def multipliers(self, z: Array) -> ValuesById:
        """The multipliers of the user's constraints, by CVXPY's ids."""
        return {place.id: place.of(z) for place in self.dual}
