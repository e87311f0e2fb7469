"""One vertex after another over the same matrix, on one warm HiGHS object."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import highspy

from lexiprog.aliases import Matrix, Options
from lexiprog.forms.digits.decimals import Tails
from lexiprog.forms.standard_form import StandardForm
from lexiprog.runners.faces.left import LeftFace
from lexiprog.runners.held_face import HeldFace
from lexiprog.solvers.elsewhere.vertices import SessionElsewhere
from lexiprog.solvers.highs import TINY, Session, Vertex
from lexiprog.solvers.linear.refinement import refined
from lexiprog.watch import Watch

__all__ = ["Corners"]

OPTIONS = {"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9}
AT_ONCE = {"presolve": "off"}
# Up to so many rows the primal simplex method is as fast as the dual one, or faster.
MODERATE = 2_000


@dataclass
class Corners:
    """Finds the vertices of a chain's members, each from where the last one ended."""

    session: Callable[[Matrix, Options], Session] = SessionElsewhere
    # Where each member ended, and may start.
    bases: dict[str, highspy.HighsBasis] = field(default_factory=dict)
    _session: Session | None = None

    def follow(self, before: Corners) -> None:
        """Go on where an earlier solve ended."""
        self.bases, self._session = dict(before.bases), before._session

    def find(
        self,
        name: str,
        form: StandardForm,
        within: LeftFace,
        held: list[HeldFace],
        options: Options,
        watch: Watch | None,
        last: Vertex | None = None,
        *,
        correct: bool,
    ) -> Vertex:
        """The best vertex of what is left; with ``correct``, multipliers that are more exact.

        ``last`` is a vertex of it, which may be the best already.
        """
        if self._session is None or not self._session.has_matrix(form.A):
            if self._session is not None and self._session.shape != form.A.shape:
                self.bases.clear()
            usual = OPTIONS | AT_ONCE if form.b.size <= TINY else OPTIONS
            self._session = self.session(form.A, usual | dict(options))
        same = None if last is None else self.at(name, form, last, within, correct=correct)
        if same is not None:
            return same
        bounds = within.bounds(form)
        starts: list[tuple[highspy.HighsBasis | None, bool]] = []
        starts += [(self.bases.pop(name), False)] if name in self.bases else []
        # Without a basis presolve does its part, which may be most of the work.
        starts += [(None, False)] if not held or held[-1].easy else []
        # The last holder's point is one of this face: only the costs are others.
        starts += [(held[-1].basis, True)] if held and form.b.size <= MODERATE else []
        starts += [(held[-1].basis, False)] if held else []
        for start, primal in starts:
            vertex = self._session.run(
                form.c, bounds, start, refine=correct, primal=primal, watch=watch
            )
            if vertex.optimal:
                break
        return vertex

    def at(
        self,
        name: str,
        form: StandardForm,
        vertex: Vertex,
        within: LeftFace | None = None,
        *,
        correct: bool = False,
    ) -> Vertex | None:
        """The same vertex with the multipliers of a member's costs, if HiGHS is there still.

        With a face that it may not be all of, only if it is the best of that.
        """
        if self._session is None:
            return None
        bounds = None if within is None else within.bounds(form)
        found = self._session.at(form.c, vertex, bounds, refine=correct)
        if found is not None:
            self.bases.pop(name, None)
        return found

    def corrected(self, form: StandardForm, vertex: Vertex, tails: Tails) -> Vertex:
        """The vertex with multipliers of the decimals that were meant, if they can be had."""
        return vertex if self._session is None else self._session.corrected(form.c, vertex, tails)

    def refined(
        self,
        form: StandardForm,
        within: LeftFace,
        vertex: Vertex,
        watch: Watch,
        tails: Tails | None = None,
    ) -> Vertex:
        """The vertex with twice the digits, if they can be had; else as it is."""
        if self._session is None:
            return vertex
        bounds = within.bounds(form)
        found = refined(self._session, form.A, form.c, bounds, vertex, watch, tails)
        if found is None:
            return vertex
        return replace(
            vertex, x=found.x.nearest, row_dual=found.y.high, reduced=None,
            correction=found.y.low, basis=found.basis, basic=None, error=found.error,
            gain=found.gain,
        )  # fmt: skip
