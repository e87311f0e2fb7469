"""One subproblem at its optimum: how that follows the parameters and earlier optima it reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import cvxpy as cp
import numpy as np
import scipy.sparse as sp

from lexiprog.backends.clarabel import solve_conic
from lexiprog.backends.highs import HighsModel
from lexiprog.backends.solver import Solver
from lexiprog.canon.standard_form import Bounds, StandardForm
from lexiprog.certify.measures import prove
from lexiprog.compile.answer import Answer
from lexiprog.compile.task import compile_for
from lexiprog.cvxpy_adapter import Compiled, Entries, FormSlopes, answer_at, tensor_slopes
from lexiprog.model.expressions import CVXPY_LOCK, holding
from lexiprog.model.references import REFERENCES
from lexiprog.model.reformulate import can_restate, restated
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.rebind import constant_of
from lexiprog.results.solution import Solution
from lexiprog.sensitivity.first_order import Changes, FirstOrder, NoDerivative, one_sided
from lexiprog.tolerances import (
    CURVED_STEP,
    EXTRAPOLATION_AGREES,
    EXTRAPOLATION_STEPS,
    LOCK_FEASIBILITY,
    RESOLVED_VALUE,
)
from lexiprog.typing import Array, Matrix, Solutions, Value

# Derivatives of a compiled problem's numbers, by compiling it at other parameter values.


At = Callable[[cp.Parameter, Value], StandardForm]


def difference_slopes(
    form_at: At, parameters: list[tuple[cp.Parameter, Value]], *, affine: bool
) -> FormSlopes:
    """Slopes by each entry, column by column; exact where the numbers are affine.

    Parameters
    ----------
    form_at : callable
        The form with another value of one parameter.
    parameters : list of (parameter, value)
    affine : bool
        Whether the numbers are known to be affine in the parameters.
    """
    columns = []
    for parameter, value in parameters:
        for entry in range(value.size):

            def moved(by: float, p=parameter, v=value, e=entry) -> list[Array]:  # type: ignore[no-untyped-def]
                flat = np.ravel(v, order="F").astype(float)
                flat[e] += by
                return _numbers(form_at(p, np.reshape(flat, v.shape, order="F")))

            size = abs(float(np.ravel(value, order="F")[entry])) or 1.0
            step = 1.0 if affine else CURVED_STEP * size
            slopes = _central(moved, step)
            if not affine:  # two steps of Richardson's: the error falls with the sixth power
                half, quarter = _central(moved, step / 2), _central(moved, step / 4)
                first = [(4.0 * b - a) / 3.0 for a, b in zip(slopes, half, strict=True)]
                second = [(4.0 * b - a) / 3.0 for a, b in zip(half, quarter, strict=True)]
                slopes = [(16.0 * b - a) / 15.0 for a, b in zip(first, second, strict=True)]
            columns.append(slopes)
    c, offset, b, lower, upper = (
        sp.csc_array(np.column_stack([column[k] for column in columns])) for k in range(5)
    )
    A, P = (_entries([column[k] for column in columns]) for k in (5, 6))
    return FormSlopes(c, np.ravel(offset.toarray()), A, b, P, lower, upper)


def _central(moved: Callable[[float], list[Array]], step: float) -> list[Array]:
    return [(a - b) / (2.0 * step) for a, b in zip(moved(step), moved(-step), strict=True)]


def _numbers(form: StandardForm) -> list[Array]:
    size = form.c.size
    bounds = [np.zeros(size) if b is None else np.where(np.isfinite(b), b, 0.0)
              for b in (form.lower, form.upper)]  # fmt: skip
    curve = np.zeros((size, size)) if form.P is None else form.P.toarray()
    return [form.c, np.array([form.offset]), form.b, *bounds, form.A.toarray(), curve]


def _entries(matrices: list[Array]) -> Entries:
    found = [np.nonzero(matrix) for matrix in matrices]
    return Entries(
        np.concatenate([rows for rows, _ in found]),
        np.concatenate([across for _, across in found]),
        np.concatenate([np.full(rows.size, k) for k, (rows, _) in enumerate(found)]),
        np.concatenate([m[where] for m, where in zip(matrices, found, strict=True)]),
    )


# One-sided derivatives of conic programs at kinks, by ever smaller steps to that side.
#
# The optimal points and multipliers of a linear program are told by rows, which one more linear
# program searches; those of a cone are not. So the optimum itself is solved for at four steps that
# halve, each with a certificate, and its differences are extrapolated. What two extrapolations and
# the certificates' gaps leave open is the error; beyond a limit there is no answer.


Interval = tuple[float, float]  # what an optimum is certified to lie in
Values = list[tuple[cp.Parameter, Value]]


def along_steps(
    read: Values, jacobians: Mapping[int, Array], interval: Callable[[Values], Interval]
) -> Array:
    """The derivative along each column of the jacobians, in its direction.

    Parameters
    ----------
    read : list of (parameter, value)
        What the problem reads.
    jacobians : mapping
        How each of these follows, by CVXPY's ids.
    interval : callable
        Where the optimum lies with other values.
    """
    size = 1.0 + max(float(np.max(np.abs(value), initial=0.0)) for _, value in read)
    out = np.zeros(next(iter(jacobians.values())).shape[1])
    for k in range(out.size):
        directions = [np.reshape(jacobians[p.id][:, k], p.shape, order="F") for p, _ in read]
        speed = max(float(np.max(np.abs(direction), initial=0.0)) for direction in directions)
        if speed:

            def optimum_at(t: float, directions: list[Array] = directions) -> Interval:
                return interval(
                    [(p, v + t * w) for (p, v), w in zip(read, directions, strict=True)]
                )

            out[k] = by_steps(optimum_at, size / speed)
    return out


def by_steps(optimum_at: Callable[[float], Interval], size: float) -> float:
    """The derivative at 0, to the right, of an optimum that is known within intervals.

    Parameters
    ----------
    optimum_at : callable
        Where the optimum lies after a step.
    size : float
        What a step of one is compared with.

    Raises
    ------
    NoDerivative
        If the differences do not settle.

    Examples
    --------
    >>> round(by_steps(lambda t: (abs(t) + t**2, abs(t) + t**2), 1.0), 6)
    1.0
    """
    here, told = optimum_at(0.0), []
    for first in EXTRAPOLATION_STEPS:
        steps = first * size * np.array([1.0, 0.5, 0.25, 0.125])
        ends = np.array([optimum_at(float(step)) for step in steps])
        slopes = (ends.mean(axis=1) - np.mean(here)) / steps
        gaps = (ends[:, 1] - ends[:, 0] + here[1] - here[0]) / steps
        straight = 2.0 * slopes[1:] - slopes[:-1]  # without what grows with the step
        curved = (4.0 * straight[1:] - straight[:-1]) / 3.0  # nor with its square
        error = abs(curved[1] - curved[0]) + float(gaps[-1])
        if error <= EXTRAPOLATION_AGREES * (1.0 + abs(curved[1])):
            return float(curved[1])
        told += [float(slope) for slope in slopes]
    raise NoDerivative(
        f"the optimum has a kink here, and its differences to this side do not settle: they are "
        f"{abs(told[0]):.4g} to {abs(told[-1]):.4g} in size for steps from "
        f"{EXTRAPOLATION_STEPS[0] * size:.1g} to {EXTRAPOLATION_STEPS[-1] * size / 8:.1g}. It may "
        "fall without limit at first; solve at a step that matters to you and take the difference"
    )


Jacobians = Mapping[int, Array]  # by CVXPY id: entries by entries of the user's parameter


def statement_of(subproblem: Subproblem, solution: Solution) -> Subproblem:
    """The subproblem with exact locks on curved optima put in a way that multipliers suit.

    A bound on a curved objective that only its optima meet has none that are finite.
    """
    loosened = frozenset(lock.name for lock in solution.locks if lock.tolerance > 0.0)
    if can_restate(subproblem, "argument", loosened):
        return restated(subproblem, "argument", loosened)
    exact = [
        (position, owner)
        for position, lock in subproblem.locks
        if (owner := lock.owner()) is not None
        and lock.owner_name not in loosened
        and owner.kind != "LP"
    ]
    if not exact:
        return subproblem
    return subproblem.memory.once(("pinned", loosened), lambda: _pinned(subproblem, exact))


def _pinned(subproblem: Subproblem, exact: list[tuple[int, Subproblem]]) -> Subproblem:
    """With all variables of the held problems where they were: right if those are unique."""
    left_out = {position for position, _ in exact}
    constraints = [c for k, c in enumerate(subproblem.constraints) if k not in left_out]
    fixed = [v == owner.at(v) for _, owner in exact for v in owner.variables]
    return Subproblem(
        subproblem.name, subproblem.objective, [*constraints, *fixed], gp=subproblem.gp
    )


@dataclass(frozen=True)
class Local:
    """A subproblem as it was solved, solved once more and looked at to first order."""

    subproblem: Subproblem
    statement: Subproblem
    solution: Solution
    values: tuple[tuple[cp.Parameter, Value], ...]  # of all that the statement reads
    compiled: Compiled
    first: FirstOrder

    @classmethod
    def of(cls, subproblem: Subproblem, statement: Subproblem, solutions: Solutions) -> Local:
        """Compile at the recorded values and solve; refuse what does not give the same optimum."""
        if subproblem.qcp or subproblem.nlp:
            raise NoDerivative(
                "it is not convex, and no multipliers are known that would say how its optimum "
                "moves; solve it again at a value nearby"
            )
        if subproblem.integer:
            raise NoDerivative(
                "it has integer variables, whose optimum jumps; fix them in a further problem and "
                "ask for its gradient"
            )
        solution = solutions[subproblem.name]
        values = tuple((p, _value(p, solution, solutions)) for p in statement.inputs)
        with CVXPY_LOCK, holding(values):
            compiled = compile_for(statement, _solver(statement), {})
            form = compiled.scaled
        x, z = _optimum(form, statement)
        local = cls(subproblem, statement, solution, values, compiled, FirstOrder(form, x, z))
        value = local.users_value(compiled.scaling.value(form.objective(x)))
        if not abs(value - solution.value) <= RESOLVED_VALUE * solution.size:
            raise NoDerivative(
                f"solved again it has the optimum {value:.10g} and not {solution.value:.10g}"
            )
        return local

    def users_value(self, minimised: float) -> float:
        """The optimum in the user's sense, from that of the form."""
        signed = -minimised if self.subproblem.maximise else minimised
        return float(np.exp(signed)) if self.subproblem.gp else signed

    def reads(self, jacobians: Jacobians) -> list[tuple[cp.Parameter, Value]]:
        """The parameters and placeholders in the statement itself that follow the parameter."""
        direct = {p.id for p in self.statement.problem.parameters()}
        return [(p, v) for p, v in self.values if p.id in direct and p.id in jacobians]

    def changes(self, jacobians: Jacobians) -> Changes:
        """What each entry of the user's parameter does to the form's numbers, scaled."""
        read = self.reads(jacobians)
        slopes = self._slopes(read)
        along = np.vstack([jacobians[p.id] for p, _ in read])
        scaling, form = self.compiled.scaling, self.first.form
        x, z = scaling.point(self.first.x), scaling.multipliers(self.first.z)
        size, count = form.c.size, slopes.inputs
        curved = slopes.P.times(x, size, count)
        costs = slopes.c + curved + slopes.A.transposed_times(z, size, count)
        rows = slopes.b - slopes.A.times(x, form.b.size, count)
        own = x @ slopes.c + slopes.offset + 0.5 * (x @ curved)
        unit = scaling.columns[:, None]
        bounds = self.first.rows
        return Changes(
            costs=scaling.cost * unit * np.asarray(costs @ along),
            rows=np.vstack(
                [
                    scaling.rows[:, None] * np.asarray(rows @ along),
                    -np.asarray(slopes.lower @ along)[bounds.lower] / unit[bounds.lower],
                    np.asarray(slopes.upper @ along)[bounds.upper] / unit[bounds.upper],
                ]
            ),
            value=scaling.cost * np.asarray(own @ along),
            coefficients=partial(self._coefficients, slopes, along),
            curved=slopes.P.value.size > 0,
        )

    def _coefficients(self, slopes: FormSlopes, along: Array, k: int) -> Matrix | None:
        """What one change does to the rows' coefficients, scaled."""
        entries, scaling = slopes.A, self.compiled.scaling
        moved = entries.value * along[entries.which, k]
        moved = scaling.rows[entries.row] * moved * scaling.columns[entries.column]
        if not moved.any():
            return None
        shape = (self.first.rows.h.size, self.first.x.size)  # bounds among the rows, as zeros
        return sp.csr_array(sp.coo_array((moved, (entries.row, entries.column)), shape=shape))

    def value_derivative(
        self, changes: Changes, jacobians: Jacobians, *, sided: bool = False
    ) -> Array:
        """Derivative of the optimum in the user's sense; ``sided``: in these directions alone."""
        form = self.first.form
        try:
            minimised = self.first.value(changes) / self.compiled.scaling.cost
        except NoDerivative:
            if not sided:
                raise
            if form.cones.linear == form.b.size:
                minimised = one_sided(self.first, changes) / self.compiled.scaling.cost
            else:
                minimised = along_steps(self.reads(jacobians), jacobians, self._interval)
        signed = -minimised if self.subproblem.maximise else minimised
        return signed * self.solution.value if self.subproblem.gp else signed

    def _interval(self, moved: list[tuple[cp.Parameter, Value]]) -> Interval:
        """Where the optimum of the form is certified to lie with other values."""
        with CVXPY_LOCK, holding(self.values), holding(moved):
            compiled = compile_for(self.statement, _solver(self.statement), {})
            form = compiled.scaled
        optimum = solve_conic(form)
        if optimum is None:
            raise NoDerivative("on this side nothing is feasible, or it could not be solved there")
        found = prove(form, optimum.x, optimum.z, claimed=form.objective(optimum.x))
        bound = found.measures.bound
        if not found.measures.certificate.proved or bound is None:
            raise NoDerivative("on this side no optimum could be certified")
        return compiled.scaling.value(bound), compiled.scaling.value(form.objective(found.x))

    def translated(self, dx: Array, dz: Array) -> Answer:
        """The answer near the optimum, in terms of the user's variables and constraints."""
        x, z = self.first.x + dx, self.first.z + dz[: self.first.z.size]
        return answer_at(self.compiled, x, z, iterations=None)

    def _slopes(self, read: list[tuple[cp.Parameter, Value]]) -> FormSlopes:
        statement = self.statement
        affine = statement.dpp and not statement.gp
        if affine:
            with CVXPY_LOCK, holding(self.values):
                slopes = tensor_slopes(self.compiled, [p.id for p, _ in read])
            if slopes is not None:
                return slopes

        def form_at(parameter: cp.Parameter, value: Value) -> StandardForm:
            with CVXPY_LOCK, holding(self.values), holding([(parameter, value)]):
                return compile_for(statement, _solver(statement), {}).form

        return difference_slopes(form_at, read, affine=affine)


def _solver(subproblem: Subproblem) -> Solver:
    return Solver("HIGHS" if subproblem.kind == "LP" else "CLARABEL")


def _value(parameter: cp.Parameter, solution: Solution, solutions: Solutions) -> Value:
    known = constant_of(solution, parameter)
    if known is not None:
        return known
    reference = REFERENCES.get(parameter)
    if reference is None:
        return np.asarray(parameter.value)
    value = reference.read(solutions[reference.owner_name])
    return np.reshape(np.asarray(value, dtype=float), parameter.shape)


def _optimum(form: StandardForm, statement: Subproblem) -> tuple[Array, Array]:
    if statement.kind == "LP":
        for tolerance in LOCK_FEASIBILITY:
            session = HighsModel(form.A, {"primal_feasibility_tolerance": tolerance})
            vertex = session.run(form.c, Bounds.of(form))
            if vertex.optimal:
                return vertex.x, -vertex.row_dual
    found = solve_conic(form)
    if found is None:
        raise NoDerivative("it could not be solved again")
    return found.x, found.z
