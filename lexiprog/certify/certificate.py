"""What is known of a claimed optimum, in words and numbers that a user can read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lexiprog.summary import TableCell, TableSummary, draw, tiny
from lexiprog.tolerances import CERTIFIED

BASIS_WORDS = {
    "duals": "proved by its multipliers",
    "bound": "proved by the bound of a solve of our own",
    "incumbent": "a point with the solver's word for its bound",
    "point": "a point without any bound",
    "exact": "proved in rational numbers",
    "bisection": "proved by convex problems at either end",
    "local": "a local optimum by its first-order conditions",
    "oracle": "proved by multipliers and the bounds of its oracle",
}


@dataclass(frozen=True)
class Certificate:
    """How far a point is from a proved optimum; accepted when every measure is small.

    All measures are taken in equilibrated units, in which the numbers of the problem are about
    one: they do not depend on the units that the model is written in.

    Attributes
    ----------
    primal : float
        Largest violation of an equation, inequality or bound, over the size of its terms.
    dual : float
        Largest violation of dual feasibility, over ``1 + norm(c)``.
    gap : float
        Distance between the objective and a proved bound of the optimum, and the first-order
        effect of the violations, over ``1 + abs(value)``. The bound comes from the multipliers
        brought into their cones, with what is left of the reduced costs charged over the range
        of each variable. For integer problems it is the bound that the solver reports; not a
        number if nobody has one.
    cone : float
        Largest distance to a non-linear cone or to its dual, relative as above.
    claim : float
        Distance between the value claimed by the solver and the objective at its point.
    integrality : float
        Largest distance of an integer variable from a whole number.
    tolerance, gap_tolerance : float
        What the measures, and the gap of an integer problem, are compared with.
    basis : str
        How it is known: "duals" (proved by the solver's own multipliers), "bound" (proved by a
        solve of our own), "incumbent" (an integer point with the solver's word for its bound),
        "point" (an integer point without any bound), "exact" (proved in rational numbers) or
        "oracle" (multipliers, with the word of a pricing oracle for its bounds).
    radius : float or None
        Where some variable has no bounds, neither its own nor implied by the rows: the proof
        speaks of all points within this distance, in equilibrated units.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(name="x")
    >>> program = lx.Program(lx.Stage("only", lx.Subproblem("low", cp.Minimize(x), [x >= 1])))
    >>> certificate = program.solve()["low"].certificate
    >>> certificate.passed, certificate.gap <= 1e-9
    (True, True)
    """

    primal: float = 0.0
    dual: float = 0.0
    gap: float = 0.0
    cone: float = 0.0
    claim: float = 0.0
    integrality: float = 0.0
    tolerance: float = CERTIFIED
    gap_tolerance: float = CERTIFIED
    basis: str = "duals"
    radius: float | None = None

    @property
    def measures(self) -> dict[str, float]:
        """Every measure by name."""
        names = ("primal", "dual", "gap", "cone", "claim", "integrality")
        return {name: getattr(self, name) for name in names}

    @cached_property
    def failures(self) -> dict[str, float]:
        """The measures above their tolerance; not-a-number counts as failed."""
        return {
            name: value
            for name, value in self.measures.items()
            if not value <= self._limit(name) and not (name == "gap" and self.basis == "point")
        }

    def _limit(self, name: str) -> float:
        # Whole means whole: what is a little off may let a big M leak.
        limits = {"gap": self.gap_tolerance, "integrality": 0.0}
        return limits.get(name, self.tolerance)

    @property
    def passed(self) -> bool:
        """Whether the point may be used; see also :attr:`proved`."""
        return not self.failures

    @property
    def proved(self) -> bool:
        """Whether the point may be called optimal."""
        return self.passed and self.gap <= self.tolerance

    @property
    def worst(self) -> float:
        """The largest measure."""
        values = list(self.measures.values())
        return float("nan") if np.isnan(values).any() else max(values)

    @property
    def words(self) -> str:
        """How it is known, to what tolerance and where, in a sentence."""
        if self.failures:
            return f"{self}."
        ball = "" if self.radius is None else f" among all points within {self.radius:.3g} of it"
        basis = BASIS_WORDS[self.basis].capitalize()
        return (
            f"{basis}{ball}, to {self.gap_tolerance:.0e} of the sizes in "
            f"equilibrated units (worst measure {self.worst:.1e})."
        )

    @property
    def summary(self) -> TableSummary:
        """Every measure beside what it is compared with, under the sentence that says it all."""
        failures = self.failures
        rows = tuple(
            (
                TableCell(name),
                TableCell(tiny(value), "bad" if name in failures else "good"),
                TableCell(tiny(self._limit(name)), "quiet"),
            )
            for name, value in self.measures.items()
        )
        columns = ("measure", "found", "accepted up to")
        return TableSummary(self.words, columns, rows, numeric=frozenset(columns[1:]))

    def _repr_html_(self) -> str | None:
        return draw(self.summary)

    def __str__(self) -> str:
        if self.passed:
            ball = "" if self.radius is None else f" within {self.radius:.3g}"
            return f"certified: {self.basis}{ball}, worst measure {self.worst:.1e}"
        parts = ", ".join(f"{name} {value:.1e}" for name, value in self.failures.items())
        return f"not certified: {parts} (accepted up to {self.tolerance:.0e})"
