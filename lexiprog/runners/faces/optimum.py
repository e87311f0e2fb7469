"""The optimum of a linear level on the face that others leave."""

from __future__ import annotations

from dataclasses import dataclass

from lexiprog.aliases import Array
from lexiprog.forms.standard_form import StandardForm
from lexiprog.runners.faces.left import LeftFace
from lexiprog.runners.held_face import HeldFace, lift, paid_for
from lexiprog.solvers.linear.refinement import is_off
from lexiprog.solvers.vertex import Vertex

__all__ = ["FaceOptimum", "FaceVertex"]


@dataclass  # not frozen, which takes five times as long to make
class FaceVertex:
    """The best vertex of what is left, before it is judged.

    Attributes
    ----------
    form, face : StandardForm, LeftFace
        The member's problem, and what those that it holds leave of it.
    names, held : tuple of str, list of HeldFace
        Whose optima are held, and their faces.
    own : HeldFace or None
        Its own face, if somebody holds it and there is one.
    off : bool or None
        Whether its point missed rows by more than rounding, if anybody looked.
    """

    form: StandardForm
    face: LeftFace
    names: tuple[str, ...]
    held: list[HeldFace]
    vertex: Vertex
    own: HeldFace | None
    off: bool | None

    @property
    def on_face(self) -> tuple[StandardForm, Array]:
        """The problem on the face, and the multipliers of its rows."""
        return self.face.form(self.form), -self.vertex.row_dual[self.face.rows.order]


@dataclass(frozen=True)
class FaceOptimum:
    """What a member came to, in equilibrated units.

    Attributes
    ----------
    form, z : StandardForm, ndarray
        The problem on the face, and the multipliers of its rows.
    multipliers, prices : ndarray, list of float
        Those of the rows as declared, and, in the user's units, those of the locks.
    holds : tuple of str
        Whose optima are held.
    own : HeldFace or None
        Its own face, if somebody holds it.
    missed : bool
        Whether its point misses rows by more than rounding.
    """

    form: StandardForm
    vertex: Vertex
    z: Array
    multipliers: Array
    prices: list[float]
    holds: tuple[str, ...]
    own: HeldFace | None
    missed: bool

    @classmethod
    def of(cls, corner: FaceVertex, cost: float) -> FaceOptimum:
        """A vertex, with multipliers of the right signs; ``cost`` is the unit of its objective."""
        form, face, held, vertex = corner.form, corner.face, corner.held, corner.vertex
        off = corner.off
        if off is None:
            off = vertex.optimal and is_off(form.A, face.bounds(form), vertex.x)
        y, prices = -vertex.row_dual, [0.0] * len(held)
        z, multipliers = y, y
        if vertex.optimal:
            z, reduced = y[face.rows.order], form.c + form.pull(y)
            every, paid = lift(reduced[None], y[None], held, [len(held)], form.cones.zero)
            multipliers, prices = every[0], paid_for(paid, held, [cost])[0]
        return cls(
            face.form(form), vertex, z, multipliers, prices, corner.names, corner.own,
            missed=off and vertex.error is None,
        )  # fmt: skip
