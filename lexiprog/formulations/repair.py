"""A plan although not everything can be had: the least violation first, then the program itself.

Stages: "repair", which minimises the weighted violation of constraints; then those of the program,
over constraints that may be missed by as much in all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf
from typing import NamedTuple, TypeAlias

import cvxpy as cp
import numpy as np

from lexiprog.errors import DeclarationError, there_are
from lexiprog.fairness.objective import Aim
from lexiprog.model.expressions import ENTRY_NAMES, written
from lexiprog.model.lock import LOCKS
from lexiprog.model.references import REFERENCES, ReferenceKind
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.program import Program
from lexiprog.results.result import Result
from lexiprog.tolerances import GOAL_MET
from lexiprog.typing import NUMBERS, Constraint

# Each constraint that may be broken: the names of its entries, and by how much each is.
Slacks: TypeAlias = tuple[tuple[tuple[str, ...], cp.Expression], ...]


class Breach(NamedTuple):
    """A constraint that is broken, and by how much."""

    constraint: str
    amount: float


class RelaxedProgram(Program):
    """A program whose first stage, "repair", finds the least violation that must be.

    :func:`relaxed` makes it. Use it like any program; ``broken(result)`` then says what had to
    be given up.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(name="x")
    >>> rows = [(x >= 5).set_label("least"), (x <= 4).set_label("most")]
    >>> program = lx.relaxed(lx.preemptive({"low": cp.Minimize(x)}, rows), {"most": 2})
    >>> [(breach.constraint, round(breach.amount, 6)) for breach in program.broken(program.solve())]
    [('least', 1.0)]
    """

    _slacks: Slacks

    def __init__(self, *stages: Stage, slacks: Slacks = ()) -> None:
        super().__init__(*stages)
        self._declare(_slacks=slacks)

    def broken(self, result: Result) -> tuple[Breach, ...]:
        """The constraints that the last solved subproblem breaks, the worst first."""
        known = [name for name in self.subproblems if name in result]
        at = result[known[-1]]
        out = []
        for names, slack in self._slacks:
            amounts = np.atleast_1d(np.asarray(at.at(slack), float)).ravel(order="F")
            labels = names if len(names) == amounts.size else names * amounts.size
            out += [
                Breach(label, float(amount))
                for label, amount in zip(labels, amounts, strict=True)
                if amount > GOAL_MET
            ]
        return tuple(sorted(out, key=lambda breach: -breach.amount))


def relaxed(program: Program, weights: Mapping[str, float] | None = None) -> RelaxedProgram:
    """The program after a stage that finds the least violation it cannot do without.

    Use it where a plan is wanted although the constraints contradict each other, with a list of
    what was broken: JuMP's ``relax_with_penalty!`` and Gurobi's ``feasRelax`` as a first level.

    Parameters
    ----------
    program : Program
        It stays as it is.
    weights : mapping, optional
        Name of a constraint (CVXPY's ``set_label``, or a row of a file) to what a unit of its
        violation counts, 1 by default; ``inf`` forbids it. Only constraints with names may be
        broken, unless none has one: then all of the first stage may. Bounds that variables were
        declared with are never broken.

    Returns
    -------
    RelaxedProgram
        ``broken(result)`` lists what was broken, by name and amount.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(2, nonneg=True, name="x")
    >>> rows = [(cp.sum(x) >= 8).set_label("demand"), (x[0] <= 3).set_label("north"),
    ...         (x[1] <= 4).set_label("south")]
    >>> program = lx.relaxed(lx.preemptive({"cost": cp.Minimize(2 * x[0] + x[1])}, rows),
    ...                      {"demand": 10})
    >>> result = program.solve()
    >>> {name: round(solution.value, 6) for name, solution in result.items()}
    {'repair': 1.0, 'cost': 11.0}
    >>> program.broken(result)
    (Breach(constraint='south', amount=1.0),)
    """
    given = {} if weights is None else dict(weights)
    soft = _Soft(program, given)
    name = "repair"
    while name in program.subproblems or name in {stage.name for stage in program.stages}:
        name += "'"
    first = [c for p in program.stages[0].subproblems for c in p.constraints]
    rows = [soft.stated(c) for c in {c.id: c for c in first}.values()]
    rules = {
        kind: any(getattr(p, kind) for p in program.stages[0].subproblems)
        for kind in ("qcp", "nlp")
    }
    stated = [row for part in rows for row in part]
    repair = Subproblem(name, cp.Minimize(soft.total()), stated, **rules)
    copies = _Copies(soft, repair)
    stages = [copies.stage(stage) for stage in program.stages]
    return RelaxedProgram(Stage(name, repair), *stages, slacks=tuple(soft.shown))


def _names(constraint: Constraint) -> tuple[str, ...]:
    """What a constraint, or each of its entries, is called; nothing if it has no name."""
    return ENTRY_NAMES.get(constraint) or ((constraint.label,) if constraint.label else ())


class _Soft:
    """The constraints that may be broken, each with its slack."""

    def __init__(self, program: Program, weights: dict[str, float]) -> None:
        every = [c for p in program.subproblems.values() for c in p.constraints]
        named = {name for c in every for name in _names(c)}
        for name, weight in weights.items():
            if name not in named:
                raise DeclarationError(
                    f"weights names {name!r}, which is no constraint's name (set_label); there are "
                    f"{there_are(named, name)}"
                )
            if not isinstance(weight, NUMBERS) or not weight > 0:
                raise DeclarationError(f"the weight of {name!r} must be positive, not {weight!r}.")
        self.weights, self.named = weights, bool(named)
        self.first = {c.id for p in program.stages[0].subproblems for c in p.constraints}
        self.rows: dict[int, list[Constraint]] = {}
        self.shown: list[tuple[tuple[str, ...], cp.Expression]] = []
        self.costs: list[cp.Expression] = []

    def total(self) -> cp.Expression:
        """The weighted violation of all that may be broken."""
        if not self.costs:
            raise DeclarationError(
                "no constraint of the first stage may be broken: name some with set_label, or "
                "give others than inf as weights."
            )
        return sum(self.costs[1:], self.costs[0])

    def stated(self, constraint: Constraint) -> list[Constraint]:
        """The constraint with its slack, if it may be broken."""
        if constraint.id not in self.rows:
            self.rows[constraint.id] = self._loosened(constraint)
        return self.rows[constraint.id]

    def _may_break(self, constraint: Constraint) -> bool:
        kinds = cp.constraints
        plain = isinstance(constraint, kinds.Inequality | kinds.Equality)
        chosen = bool(_names(constraint)) if self.named else constraint.id in self.first
        held = LOCKS.get(constraint) is not None or _reads(constraint)
        return plain and chosen and not held and bool(constraint.is_dcp())

    def _loosened(self, constraint: Constraint) -> list[Constraint]:
        names, shape = _names(constraint), constraint.expr.shape
        weights = np.array([self.weights.get(name, 1.0) for name in names] or [1.0], float)
        if not self._may_break(constraint) or np.isinf(weights).all():
            return [constraint]
        label = names[0] if len(names) == 1 else written(constraint)
        weights = np.broadcast_to(weights, constraint.size)
        most = np.where(np.isinf(weights), 0.0, inf).reshape(shape, order="F")
        slack = cp.Variable(shape, name=f"{label} missed by", bounds=[np.zeros(shape), most])
        sides, row = [slack], constraint.expr <= slack
        if isinstance(constraint, cp.constraints.Equality):
            under = cp.Variable(shape, name=f"{label} under by", bounds=[np.zeros(shape), most])
            sides, row = [slack, under], constraint.expr == slack - under
        for side in sides:
            self.costs.append(np.where(np.isinf(weights), 0.0, weights) @ cp.vec(side, order="F"))
            self.shown.append((names or (label,), side))
        if len(names) > 1:
            ENTRY_NAMES.add(row, names)
        return [row.set_label(constraint.label) if constraint.label else row]


def _reads(thing: cp.Expression) -> bool:
    """Whether it refers to an earlier optimum."""
    return any(REFERENCES.get(p) is not None for p in thing.parameters())


class _Copies:
    """The program's subproblems over constraints with slack, referring to each other's copies."""

    def __init__(self, soft: _Soft, repair: Subproblem) -> None:
        self.soft, self.repair, self.held = soft, repair, repair.held()
        self.made: dict[str, Subproblem] = {}
        self.leaves: dict[int, cp.Parameter] = {}
        self.locks: dict[int, Constraint] = {}

    def stage(self, stage: Stage) -> Stage:
        """The same stage of copies."""
        copies = [self._subproblem(p) for p in stage.subproblems]
        for one in copies:
            self.made[one.name] = one
        return Stage(stage.name, *copies, solver=stage.solver)

    def _subproblem(self, own: Subproblem) -> Subproblem:
        if own.gp:
            raise DeclarationError(f"subproblem {own.name!r} is geometric: nothing can be added.")
        rows = [row for c in own.constraints for row in self._rows(c)]
        aim: Aim = own.objective
        if own.fair is not None:
            if _reads(own.fair.stack):
                raise DeclarationError(f"subproblem {own.name!r}: its utilities refer to optima.")
            aim = own.fair
        elif _reads(own.objective.expr):
            aim = type(own.objective)(self._copy(own.objective.expr))
        return Subproblem(own.name, aim, [*rows, self.held], qcp=own.qcp, nlp=own.nlp)

    def _rows(self, constraint: Constraint) -> Iterator[Constraint]:
        lock = LOCKS.get(constraint)
        if lock is not None:
            if constraint.id not in self.locks:
                owner = self.made[lock.owner_name]
                self.locks[constraint.id] = owner.held(atol=lock.atol, rtol=lock.rtol)
            yield self.locks[constraint.id]
        elif _reads(constraint):
            copy = self._copy(constraint)
            yield copy.set_label(constraint.label) if constraint.label else copy
        else:
            yield from self.soft.stated(constraint)

    def _copy(self, thing: cp.Expression) -> cp.Expression:
        for parameter in thing.parameters():
            reference = REFERENCES.get(parameter)
            if reference is not None and id(parameter) not in self.leaves:
                self.leaves[id(parameter)] = self._reference(parameter)
        return thing.tree_copy(dict(self.leaves))

    def _reference(self, parameter: cp.Parameter) -> cp.Parameter:
        reference = REFERENCES.get(parameter)
        if reference is None:
            raise TypeError(f"{parameter} is no reference")
        owner = self.made[reference.owner_name]
        if reference.kind is ReferenceKind.OPTIMUM:
            return owner.optimum
        if reference.kind is ReferenceKind.AT and reference.expression is not None:
            return owner.at(self._copy(reference.expression))
        raise DeclarationError(
            f"{reference.label} is not the same once constraints may be broken: refer to optima "
            "and points alone."
        )
