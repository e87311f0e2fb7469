"""Which face a vertex is optimal on, told with as many digits as it takes."""

from __future__ import annotations

from dataclasses import dataclass

from lexiprog.compile.cvxpy_door import Compiled
from lexiprog.declare.memory import Memory
from lexiprog.forms.digits.decimals import Tails, lacking
from lexiprog.forms.optimal_face import Sizes
from lexiprog.runners.corners import Corners
from lexiprog.runners.faces.left import LeftFace
from lexiprog.runners.held_face import HeldFace
from lexiprog.solvers.highs import Vertex
from lexiprog.watch import Watch

__all__ = ["Telling"]


@dataclass(frozen=True)
class Telling:
    """Faces of vertices over one matrix, whose numbers are remembered."""

    corners: Corners
    memory: Memory

    def face(self, name: str, compiled: Compiled, within: LeftFace, vertex: Vertex) -> HeldFace:
        """The face of a member's vertex, found on the face that others left.

        Multipliers are looked at as those of the decimals that the user wrote where rounding could
        have made them, and where they were refined.
        """
        form, cost = compiled.scaled, compiled.scaling.cost
        sizes = self.memory.of("sizes", (form.A,), lambda: Sizes(form.A))
        if vertex.error is not None:
            tails = self._tails(name, compiled)
            return HeldFace.of(form, cost, vertex, within, sizes, tails)
        found = HeldFace.of(form, cost, vertex, within, sizes)
        tails = self._tails(name, compiled) if found.hushed else None
        if tails is None:
            return found
        vertex = self.corners.corrected(form, vertex, tails)
        return HeldFace.of(form, cost, vertex, within, sizes, tails)

    def refined(
        self, name: str, compiled: Compiled, within: LeftFace, vertex: Vertex, watch: Watch
    ) -> Vertex:
        """The vertex with twice the digits, if they can be had; else as it is."""
        tails = self._tails(name, compiled)
        return self.corners.refined(compiled.scaled, within, vertex, watch, tails)

    def _tails(self, name: str, compiled: Compiled) -> Tails | None:
        form, of = compiled.form, self.memory.of
        entries = of("lacking", (form.A,), lambda: lacking(form.A.data))
        return of(("tails", name), (compiled,), lambda: Tails.of(form, compiled.scaling, entries))
