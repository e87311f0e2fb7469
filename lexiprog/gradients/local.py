"""One subproblem at its optimum: how that follows the parameters and earlier optima it reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import cvxpy as cp
import numpy as np
import scipy.sparse as sp

from lexiprog.aliases import Array, Matrix, Solutions, Value
from lexiprog.compile.answer import Answer
from lexiprog.compile.cvxpy_door import Compiled, FormSlopes, answer_at, tensor_slopes
from lexiprog.compile.task import compile_for
from lexiprog.declare.leaves import CVXPY_LOCK, holding
from lexiprog.declare.references.reference import REFERENCES
from lexiprog.declare.restate import can_restate, restated
from lexiprog.declare.subproblem import Subproblem
from lexiprog.forms.standard_form import StandardForm
from lexiprog.gradients.first_order import Changes, FirstOrder, NoDerivative
from lexiprog.gradients.kinks import one_sided
from lexiprog.gradients.slopes_by_difference import difference_slopes
from lexiprog.gradients.steps import Interval, along_steps
from lexiprog.proof.certify import check_answer
from lexiprog.result.attachment import constant_of
from lexiprog.result.solution import Solution
from lexiprog.solvers.clarabel import solve_conic
from lexiprog.solvers.highs import Bounds, Session
from lexiprog.solvers.solver import Solver

__all__ = ["Local", "statement_of"]

# How well the problem, solved again, must meet the recorded optimum, over its size.
SAME = 1e-5

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
        found = local.own_value(compiled.scaling.value(form.objective(x)))
        if not abs(found - solution.value) <= SAME * solution.size:
            raise NoDerivative(
                f"solved again it has the optimum {found:.10g} and not {solution.value:.10g}"
            )
        return local

    def own_value(self, minimised: float) -> float:
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
        found = solve_conic(form)
        if found is None:
            raise NoDerivative("on this side nothing is feasible, or it could not be solved there")
        value = form.objective(found.x)
        checked = check_answer(form, found.x, found.z, claimed=value)
        if not checked.certificate.proved or checked.bound is None:
            raise NoDerivative("on this side no optimum could be certified")
        return compiled.scaling.value(checked.bound), compiled.scaling.value(value)

    @cached_property
    def constants(self) -> dict[int, Value]:
        """Values of what it reads, by CVXPY id."""
        return {p.id: value for p, value in self.values}

    def translated(self, dx: Array, dz: Array) -> Answer:
        """The answer near the optimum, in terms of the user's variables and constraints."""
        x, z = self.first.x + dx, self.first.z + dz[: self.first.z.size]
        return answer_at(self.compiled, x, z, iterations=None)

    def _slopes(self, read: list[tuple[cp.Parameter, Value]]) -> FormSlopes:
        statement = self.statement
        found = None
        if statement.dpp and not statement.gp:
            with CVXPY_LOCK, holding(self.values):
                found = tensor_slopes(self.compiled, [p.id for p, _ in read])
        if found is not None:
            return found

        def form_at(parameter: cp.Parameter, value: Value) -> StandardForm:
            with CVXPY_LOCK, holding(self.values), holding([(parameter, value)]):
                return compile_for(statement, _solver(statement), {}).form

        return difference_slopes(form_at, read, affine=statement.dpp and not statement.gp)


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
        for tolerance in (1e-9, 1e-7):  # a lock without slack may be too much to ask at first
            session = Session(form.A, {"primal_feasibility_tolerance": tolerance})
            vertex = session.run(form.c, Bounds.of(form))
            if vertex.optimal:
                return vertex.x, -vertex.row_dual
    found = solve_conic(form)
    if found is None:
        raise NoDerivative("it could not be solved again")
    return found.x, found.z
