"""What is tried for a subproblem, in order: solvers, and how locks are put to them.

A lock is the ordinary constraint that ``Subproblem.held`` declares. Where a solver finds no
point within it, the same demand is put in other ways before any slack is added: as an equation,
then with a numerical guard that is recorded and warned about.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from lexiprog.declare.lock import Slack
from lexiprog.declare.restate import can_restate, has_arguments, restated
from lexiprog.declare.subproblem import Subproblem
from lexiprog.solvers.solver import EXACT, Ladder, Solver

__all__ = ["GUARD", "Way", "ways_to_try"]

Mode = Literal["face", "argument", "value", "equal", "guarded"]

GUARD = 1e-6
SHARP = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


@dataclass(frozen=True)
class Way:
    """One way of trying a subproblem: a solver, and how locks are put to it."""

    solver: Solver
    mode: Mode = "value"
    loosened: frozenset[str] = frozenset()  # owners whose locks have slack beyond declaration

    def statement(self, subproblem: Subproblem) -> Subproblem:
        """The subproblem as it is put to the solver."""
        if self.mode == "argument" or self.mode == "equal":
            return restated(subproblem, self.mode, self.loosened)
        return subproblem

    def slack(self, given: Slack) -> Slack:
        """How far held optima may degrade when tried this way."""
        return replace(given, guard=GUARD) if self.mode == "guarded" else given

    def kind_of_lock(self, subproblem: Subproblem, position: int) -> str:
        """How the lock at ``position`` is put: by its "face", by its "argument" or by "value"."""
        if self.mode == "argument":
            kept = self.statement(subproblem).constraints
            constraint = subproblem.constraints[position]
            return "value" if any(constraint is other for other in kept) else "argument"
        if self.mode == "face" and not dict(subproblem.locks)[position].fair:
            return "face"
        return "value"


def ways_to_try(
    subproblem: Subproblem,
    ladder: Ladder,
    *,
    face: bool,
    loosened: frozenset[str] = frozenset(),
) -> list[Way]:
    """Every way a subproblem is tried, in order.

    Locks of the ``loosened`` owners stay bounds, since their slack is not in the declaration.
    """
    if subproblem.fair is not None and subproblem.fair.pricing is not None:
        return [Way(ladder[0])]
    if subproblem.fair is not None:
        guarded = [Way(solver, "guarded") for solver in ladder] if subproblem.locks else []
        return [*(Way(solver) for solver in ladder), *guarded]
    if any(lock.fair for _, lock in subproblem.locks):
        ladder = tuple(_sharp(solver) for solver in ladder)
    if not subproblem.locks:
        if not face:
            return [Way(solver) for solver in ladder]
        return [Way(ladder[0], "face"), *(Way(solver) for solver in ladder)]
    out: list[Way] = []
    curved = can_restate(subproblem, "argument", loosened)
    equal = can_restate(subproblem, "equal", loosened)
    for position, solver in enumerate(ladder):
        if face and position == 0:
            out.append(Way(solver, "face"))
        if solver.is_custom or solver.target == EXACT:
            out.append(Way(solver))
            continue
        if solver.target == "CLARABEL" and _has_curved_face(subproblem, loosened):
            out.append(Way(solver, "face"))
        if curved:
            out.append(Way(solver, "argument", loosened))
        out.append(Way(solver))
        if solver.name == "HIGHS" and "presolve" not in solver.options:
            out.append(Way(solver.also(presolve="off")))
        if equal:
            out.append(Way(solver, "equal", loosened))
        out.append(Way(solver, "guarded"))
    return _without_repeats(out)


def _has_curved_face(subproblem: Subproblem, loosened: frozenset[str]) -> bool:
    """Whether a curved set is all that is held exactly, and not all of it by arguments."""
    locks = [lock for _, lock in subproblem.locks]
    if subproblem.integer or not subproblem.dpp or subproblem.kind in ("LP", "QP"):
        return False
    if len(subproblem.references) > len(locks):
        return False  # their effect could not be told without multipliers
    if any(k.atol or k.rtol or k.fair or k.owner_name in loosened for k in locks):
        return False
    return not all(map(has_arguments, locks))


def _sharp(solver: Solver) -> Solver:
    """Levels are kept by rows that HiGHS may miss by its tolerance: the least that it takes."""
    if solver.name != "HIGHS" or solver.options.keys() & {"highs_options", *SHARP}:
        return solver
    return solver.also(**SHARP)


def _without_repeats(ways: list[Way]) -> list[Way]:
    seen: list[str] = []
    out = []
    for way in ways:
        if repr(way) not in seen:
            seen.append(repr(way))
            out.append(way)
    return out
