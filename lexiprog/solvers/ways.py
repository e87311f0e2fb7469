"""Hold an earlier optimum by a bound on its objective, and loosen it only step by step.

The bound is the ordinary constraint that ``Subproblem.held`` declares. Where a solver finds no
point within it, the same demand is put in other ways before any slack is added: as an equation,
then with a numerical guard that is recorded and warned about.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any, Literal

from lexiprog.declare.argument import arguments
from lexiprog.declare.reference import Lock, limit_of
from lexiprog.declare.subproblem import Subproblem
from lexiprog.solvers.solver import Ladder, Solver

Mode = Literal["face", "argument", "value", "equal", "guarded"]

GUARD = 1e-6


@dataclass(frozen=True)
class Rung:
    """One way of trying a subproblem: a solver, and how locks are put to it."""

    solver: Solver
    mode: Mode = "value"
    loosened: frozenset[str] = frozenset()  # owners whose locks have slack beyond declaration


def rungs(
    subproblem: Subproblem,
    ladder: Ladder,
    *,
    face: bool,
    loosened: frozenset[str] = frozenset(),
) -> list[Rung]:
    """Every way a subproblem is tried, in order.

    Locks of the ``loosened`` owners stay bounds, since their slack is not in the declaration.
    """
    if not subproblem.locks:
        if not face:
            return [Rung(solver) for solver in ladder]
        return [Rung(ladder[0], "face"), *(Rung(solver) for solver in ladder)]
    out: list[Rung] = []
    curved = _may_be_put(subproblem, "argument", loosened)
    equal = _may_be_put(subproblem, "equal", loosened)
    for position, solver in enumerate(ladder):
        if face and position == 0:
            out.append(Rung(solver, "face"))
        if solver.is_custom:
            out.append(Rung(solver))
            continue
        if curved:
            out.append(Rung(solver, "argument", loosened))
        out.append(Rung(solver))
        if solver.name == "HIGHS" and "presolve" not in solver.options:
            out.append(Rung(_without_presolve(solver)))
        if equal:
            out.append(Rung(solver, "equal", loosened))
        out.append(Rung(solver, "guarded"))
    return _without_repeats(out)


def _without_presolve(solver: Solver) -> Solver:
    return Solver(
        solver.target, accept=solver.accept, gap=solver.gap,
        **(dict(solver.options) | {"presolve": "off"}),
    )  # fmt: skip


def _without_repeats(rungs: list[Rung]) -> list[Rung]:
    seen: list[str] = []
    out = []
    for rung in rungs:
        if repr(rung) not in seen:
            seen.append(repr(rung))
            out.append(rung)
    return out


_VARIANTS: weakref.WeakKeyDictionary[Subproblem, dict[Any, Subproblem]] = (
    weakref.WeakKeyDictionary()
)


def variant(subproblem: Subproblem, rung: Rung) -> Subproblem:
    """The subproblem with its exact locks put another way; itself if there is no other way."""
    if rung.mode not in ("argument", "equal"):
        return subproblem
    made = _VARIANTS.setdefault(subproblem, {})
    key = (rung.mode, rung.loosened)
    if key not in made:
        made[key] = _rewrite(subproblem, rung.mode, rung.loosened)
    return made[key]


def _may_be_put(subproblem: Subproblem, mode: Mode, loosened: frozenset[str]) -> bool:
    """Whether there is such a variant, without declaring one that is seldom needed."""
    return any(
        _other_way(lock, subproblem.constraints[position], mode) is not None
        for position, lock in subproblem.locks
        if lock.owner_name not in loosened
    )


def _rewrite(subproblem: Subproblem, mode: Mode, loosened: frozenset[str]) -> Subproblem:
    constraints: list[Any] = []
    locks = {k: lock for k, lock in subproblem.locks if lock.owner_name not in loosened}
    changed = False
    for position, constraint in enumerate(subproblem.constraints):
        lock = locks.get(position)
        other = None if lock is None else _other_way(lock, constraint, mode)
        changed = changed or other is not None
        constraints += [constraint] if other is None else other
    if not changed:
        return subproblem
    return Subproblem(subproblem.name, subproblem.objective, constraints, gp=subproblem.gp)


def _other_way(lock: Lock, constraint: Any, mode: Mode) -> list[Any] | None:
    owner = lock.owner()
    if owner is None or lock.atol or lock.rtol:
        return None
    expression = owner.objective.expr
    if mode == "equal":
        if not expression.is_affine():
            return None
        return [expression == limit_of(constraint, lock)]
    held = None if owner.gp else arguments(expression)
    return None if held is None else [part == owner.at(part) for part in held]
