"""What is known of a claimed optimum, in words and numbers that a user can read."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from lexiprog.summary import TableCell, TableSummary, draw, tiny
from lexiprog.tolerances import CERTIFIED, NEARNESS
from lexiprog.typing import cached_property

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
    """Why a point is optimal: for which data, and how near its value is to the true optimum.

    Every measure compares a quantity with the terms that it is summed from. Multiplying a row, a
    column or the objective by any number changes none of them, so the units of a model make no
    difference. The first four say that the point is optimal for data each number of which differs
    from yours by at most about the largest of them. The gap says how far the value may be from the
    optimum of your data as they are.

    Attributes
    ----------
    rows : float
        Largest violation of an equation, inequality or bound, over its terms.
    columns : float
        Largest reduced cost that no bound holds, over its terms.
    cones : float
        Largest violation of a cone that is no half-line, over the terms of its rows together.
    slackness : float
        What the multipliers charge for slack (complementary slackness), over the terms of the
        objective and of its dual.
    gap : float
        Width of the interval in which the optimum is proved to lie, over the size of the value
        itself; 0 where rounding of its terms explains it. For integer problems the bound is that
        of the solver; not a number if nobody has one.
    claim : float
        Distance between the value claimed by the solver and the objective at its point, likewise.
    integrality : float
        Largest distance of an integer variable from a whole number, or of a row of whole numbers
        or decimals over integer variables from its limit, in its steps; 0 is asked for.
    tolerance, gap_tolerance, row_tolerance : float
        What the claim, the gap and the rows are compared with; columns, cones and slackness with a
        tenth of the first. Rows of linear problems have to be met up to rounding, and slackness
        no less.
    basis : str
        How it is known: "duals" (proved by the solver's own multipliers), "bound" (proved by a
        solve of our own), "incumbent" (an integer point with the solver's word for its bound),
        "point" (an integer point without any bound), "exact" (proved in rational numbers) or
        "oracle" (multipliers, with the word of a pricing oracle for its bounds).
    interval : tuple of float or None
        Where the optimum of the user's own objective is proved to lie.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(name="x")
    >>> program = lx.Program(lx.Stage("only", lx.Subproblem("low", cp.Minimize(x), [x >= 1])))
    >>> certificate = program.solve()["low"].certificate
    >>> certificate.passed, certificate.nearness <= 1e-9
    (True, True)
    """

    rows: float = 0.0
    columns: float = 0.0
    cones: float = 0.0
    slackness: float = 0.0
    gap: float = 0.0
    claim: float = 0.0
    integrality: float = 0.0
    tolerance: float = CERTIFIED
    gap_tolerance: float = CERTIFIED
    row_tolerance: float = NEARNESS * CERTIFIED
    basis: str = "duals"
    interval: tuple[float, float] | None = None

    @property
    def primal(self) -> float:
        """The same as ``rows``."""
        return _renamed("primal", "rows", self.rows)

    @property
    def dual(self) -> float:
        """The same as ``columns``."""
        return _renamed("dual", "columns", self.columns)

    @property
    def cone(self) -> float:
        """The same as ``cones``."""
        return _renamed("cone", "cones", self.cones)

    @property
    def measures(self) -> dict[str, float]:
        """Every measure by name."""
        names = ("rows", "columns", "cones", "slackness", "gap", "claim", "integrality")
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
        limits = {"gap": self.gap_tolerance, "claim": self.tolerance, "integrality": 0.0}
        limits["rows"] = self.row_tolerance
        # Rows that are met up to rounding leave as little to be charged for.
        limits["slackness"] = min(NEARNESS * self.tolerance, self.row_tolerance)
        return limits.get(name, NEARNESS * self.tolerance)

    @property
    def passed(self) -> bool:
        """Whether the point may be used; see also :attr:`proved`."""
        return not self.failures

    @property
    def proved(self) -> bool:
        """Whether the point may be called optimal."""
        return self.passed and self.gap <= self.tolerance

    @property
    def near(self) -> bool:
        """Whether the point is at least optimal for data near the user's, if not for these."""
        limits = {name: max(self._limit(name), NEARNESS * self.tolerance) for name in self.measures}
        return all(self.measures[name] <= limits[name] for name in limits if name != "gap")

    @property
    def nearness(self) -> float:
        """By how much of itself a number of the data may differ from yours for this to be optimal.

        Not a number if a measure is none.
        """
        return _most((self.rows, self.columns, self.cones, self.slackness))

    @property
    def worst(self) -> float:
        """The largest measure."""
        return _most(tuple(self.measures.values()))

    @property
    def words(self) -> str:
        """For which data the point is optimal, where its value lies, and how that is known."""
        basis = BASIS_WORDS[self.basis]
        if self.failures:
            return f"{self}."
        return f"{str(self)[0].upper()}{str(self)[1:]} ({basis})."

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
        if self.failures:
            limits = ((name, value, self._limit(name)) for name, value in self.failures.items())
            parts = [f"{name} {value:.1e} (up to {limit:.0e})" for name, value, limit in limits]
            return f"not certified: {', '.join(parts)}"
        if self.basis == "exact":
            return "optimal for your data"
        word = "optimal" if self.proved else "feasible"
        word = "locally optimal" if self.basis == "local" else word
        where = f"{word} for data within {tiny(self.nearness)} of yours"
        if self.interval is None:
            return where
        low, high = self.interval
        return f"{where}, value within [{_digits(low, high)}]"


def _renamed(old: str, new: str, value: float) -> float:
    warnings.warn(
        f"certificate.{old} is now certificate.{new}: deprecated since 0.3, to be removed in 0.5.",
        FutureWarning, stacklevel=3,
    )  # fmt: skip
    return value


def _most(values: tuple[float, ...]) -> float:
    return float("nan") if np.isnan(values).any() else max(values)


def _digits(low: float, high: float) -> str:
    """Both ends, with as many digits as tell them apart."""
    for digits in range(6, 18):
        ends = f"{low:.{digits}g}", f"{high:.{digits}g}"
        if ends[0] != ends[1]:
            break
    return f"{ends[0]}, {ends[1]}" if low != high else f"{low:.10g}, {high:.10g}"
