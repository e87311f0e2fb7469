"""Judge a claimed optimum from the problem's own numbers, never by the solver's word."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexiprog.forms.cones import distances
from lexiprog.forms.standard_form import StandardForm

Array = NDArray[np.float64]

TOLERANCE = 1e-6


@dataclass(frozen=True)
class Certificate:
    """How far a point is from a proved optimum; accepted when every measure is small.

    Attributes
    ----------
    primal : float
        Largest violation of an equation, inequality or bound, over ``1 + norm(b)``.
    dual : float
        Largest violation of dual feasibility, over ``1 + norm(c)``.
    gap : float
        Distance between the primal and the dual objective, and the first-order effect of the
        violations on the optimum, over ``1 + abs(value)``. For integer problems the distance
        to the bound that the solver reports.
    cone : float
        Largest distance to a non-linear cone or to its dual, relative as above.
    claim : float
        Distance between the value claimed by the solver and the objective at its point.
    integrality : float
        Largest distance of an integer variable from a whole number.
    tolerance, gap_tolerance : float
        What the measures, and the gap of an integer problem, are compared with.
    basis : str
        "duals" (proved by the solver's own multipliers), "bound" (proved by an independent
        dual bound) or "incumbent" (an integer point with the solver's reported bound).

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
    tolerance: float = TOLERANCE
    gap_tolerance: float = TOLERANCE
    basis: str = "duals"

    @property
    def measures(self) -> dict[str, float]:
        """Every measure by name."""
        names = ("primal", "dual", "gap", "cone", "claim", "integrality")
        return {name: getattr(self, name) for name in names}

    @property
    def failures(self) -> dict[str, float]:
        """The measures above their tolerance; not-a-number counts as failed."""
        return {
            name: value
            for name, value in self.measures.items()
            if not value <= (self.gap_tolerance if name == "gap" else self.tolerance)
        }

    @property
    def passed(self) -> bool:
        """Whether the point may be called optimal."""
        return not self.failures

    @property
    def worst(self) -> float:
        """The largest measure."""
        values = list(self.measures.values())
        return float("nan") if np.isnan(values).any() else max(values)

    def __str__(self) -> str:
        if self.passed:
            return f"certified: {self.basis}, worst measure {self.worst:.1e}"
        parts = ", ".join(f"{name} {value:.1e}" for name, value in self.failures.items())
        return f"not certified: {parts} (accepted up to {self.tolerance:.0e})"


@np.errstate(over="ignore", invalid="ignore")  # a measure that overflows has failed
def certify(
    form: StandardForm,
    x: Array,
    z: Array | None,
    *,
    claimed: float,
    tolerance: float = TOLERANCE,
    gap_tolerance: float | None = None,
    bound: float | None = None,
) -> Certificate:
    """Measure primal point ``x`` and multipliers ``z`` of ``form`` against optimality.

    Parameters
    ----------
    form : StandardForm
        The problem's numbers.
    x, z : ndarray
        Primal point and multipliers of the conic rows (None for integer problems).
    claimed : float
        The optimum the solver claims, in the form's own (minimising) sense.
    bound : float, optional
        A lower bound on the optimum, used where there are no multipliers.
    """
    gap_tolerance = tolerance if gap_tolerance is None else max(tolerance, gap_tolerance)
    value = form.objective(x)
    scale = 1.0 + abs(value)
    norm_b = 1.0 + _largest(form.b)
    linear = form.cones.linear
    outside = distances(form.cones, form.slack(x))
    beyond = _beyond_bounds(form, x)
    primal = max(_largest(outside[:linear]), _largest(beyond)) / norm_b
    cone = _largest(outside[linear:]) / norm_b
    claim = abs(claimed - value) / scale
    integrality = 0.0
    if form.integer is not None and form.integer.size:
        integrality = _largest(x[form.integer] - np.round(x[form.integer]))
    if z is None:
        gap = (value - bound) / scale if bound is not None else np.nan
        dual = 0.0
        basis = "incumbent" if form.integer is not None and form.integer.size else "bound"
    else:
        dual, dual_cone, gap = _dual_side(form, x, z, outside, beyond, value)
        cone = max(cone, dual_cone)
        basis = "duals"
    return Certificate(
        primal=primal,
        dual=dual,
        gap=abs(gap),
        cone=cone,
        claim=claim,
        integrality=integrality,
        tolerance=tolerance,
        gap_tolerance=gap_tolerance,
        basis=basis,
    )


def _dual_side(
    form: StandardForm, x: Array, z: Array, outside: Array, beyond: Array, value: float
) -> tuple[float, float, float]:
    """Dual residual, distance of z to the dual cones, and relative gap."""
    curvature = form.P @ x if form.P is not None else np.zeros_like(x)
    reduced = form.c + curvature + (form.A.T @ z if z.size else 0.0)
    lower = np.full(x.size, -np.inf) if form.lower is None else form.lower
    upper = np.full(x.size, np.inf) if form.upper is None else form.upper
    # A bound carries the multiplier that the rows leave over, on the side it pushes to.
    rest = np.where(reduced > 0, lower, upper)
    held = np.isfinite(rest)
    norm_c = 1.0 + _largest(form.c)
    linear = form.cones.linear
    wrong = distances(form.cones, z, dual=True)
    dual = max(_largest(reduced[~held]), _largest(wrong[:linear])) / norm_c
    dual_cone = _largest(wrong[linear:]) / norm_c
    dual_value = (
        form.offset
        - 0.5 * float(x @ curvature)
        - float(form.b @ z)
        + float(reduced[held] @ rest[held])
    )
    # Violated rows make the point look too good: their multipliers say by how much.
    effect = float(np.abs(z) @ outside) + float(np.abs(reduced) @ beyond)
    gap = max(abs(value - dual_value), effect) / (1.0 + abs(value))
    return dual, dual_cone, gap


def _beyond_bounds(form: StandardForm, x: Array) -> Array:
    beyond = np.zeros(x.size)
    if form.lower is not None:
        beyond = np.maximum(beyond, form.lower - x)
    if form.upper is not None:
        beyond = np.maximum(beyond, x - form.upper)
    return beyond


def _largest(values: Array) -> float:
    """Largest absolute entry; not-a-number stays not-a-number."""
    return float(np.max(np.abs(values))) if values.size else 0.0
