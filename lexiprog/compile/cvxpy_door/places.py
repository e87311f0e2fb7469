"""Where variables, multipliers and parameters stand in the vectors of a compiled form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Array, Value, ValuesById

__all__ = ["Place", "Places", "Reader"]


@dataclass(frozen=True)
class Place:
    """A stretch of a vector that is an array of the user's, column by column."""

    id: int
    part: slice
    shape: tuple[int, ...]

    def of(self, vector: Value) -> Value:
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


@dataclass(frozen=True)
class Reader:
    """Reads the parameters' values of the moment into one vector that ends with a one."""

    slots: tuple[tuple[cp.Parameter, slice], ...]
    size: int

    @classmethod
    def of(cls, parameters: Sequence[cp.Parameter], places: Mapping[int, int]) -> Reader:
        """Of parameters whose entries begin at these places, by CVXPY's ids."""
        slots = tuple((p, slice(places[p.id], places[p.id] + p.size)) for p in parameters)
        return cls(slots, sum(parameter.size for parameter in parameters))

    def __call__(self) -> Array:
        """The values, each array column by column."""
        out = np.ones(self.size + 1)
        for parameter, slot in self.slots:
            out[slot] = np.asarray(parameter.value).ravel(order="F")
        return out
