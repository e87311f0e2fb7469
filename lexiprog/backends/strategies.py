"""What is tried for a subproblem, in order: solvers, and how locks are put to them.

A lock is the ordinary constraint that ``Subproblem.held`` declares. Where a solver finds no
point within it, the same demand is put in other ways before any slack is added: as an equation,
then with a numerical guard that is recorded and warned about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, overload

from lexiprog.backends.solver import EXACT, Ladder, Solver
from lexiprog.model.lock import Slack
from lexiprog.model.reformulate import can_restate, has_arguments, restated
from lexiprog.model.subproblem import Subproblem
from lexiprog.tolerances import LOCK_GUARD, SHARPEST_HIGHS

Mode = Literal["face", "argument", "value", "equal", "guarded"]


@dataclass(frozen=True)
class Strategy:
    """One way of trying a subproblem: a solver, and how locks are put to it."""

    solver: Solver
    mode: Mode = "value"
    loosened: frozenset[str] = frozenset()  # owners whose locks have slack at this solve
    refined: bool = False  # with twice the digits of floats
    strict: bool = False  # an answer that hangs on unknown digits is not taken: fractions are next

    def statement(self, subproblem: Subproblem) -> Subproblem:
        """The subproblem as it is put to the solver."""
        if self.mode == "argument" or self.mode == "equal":
            return restated(subproblem, self.mode, self.loosened)
        return subproblem

    def slack(self, given: Slack) -> Slack:
        """How far held optima may degrade when tried this way."""
        return replace(given, guard=LOCK_GUARD) if self.mode == "guarded" else given

    def kind_of_lock(self, subproblem: Subproblem, position: int) -> str:
        """How the lock at ``position`` is put: by its "face", by its "argument" or by "value"."""
        if self.mode == "argument":
            kept = self.statement(subproblem).constraints
            constraint = subproblem.constraints[position]
            return "value" if any(constraint is other for other in kept) else "argument"
        if self.mode == "face" and not dict(subproblem.locks)[position].fair:
            return "face"
        return "value"


class Strategies(Sequence[Strategy]):
    """Strategies in order, each thought of when somebody gets so far: mostly the first one does."""

    def __init__(self, strategies: Iterable[Strategy]) -> None:
        self._coming = _without_repeats(strategies)
        self._known: list[Strategy] = []

    @overload
    def __getitem__(self, place: int) -> Strategy: ...

    @overload
    def __getitem__(self, place: slice) -> list[Strategy]: ...

    def __getitem__(self, place: int | slice) -> Strategy | list[Strategy]:
        while isinstance(place, int) and len(self._known) <= place:
            strategy = next(self._coming, None)
            if strategy is None:
                break
            self._known.append(strategy)
        if isinstance(place, slice) or place < 0:
            return self._all()[place]
        return self._known[place]

    def __bool__(self) -> bool:
        return bool(self._known) or next((True for _ in self), False)

    def __len__(self) -> int:
        return len(self._all())

    def _all(self) -> list[Strategy]:
        self._known += self._coming
        return self._known


def strategies_to_try(
    subproblem: Subproblem,
    ladder: Ladder,
    *,
    face: bool,
    loosened: frozenset[str] = frozenset(),
) -> Strategies:
    """Every way a subproblem is tried, in order.

    Locks of the ``loosened`` owners stay bounds: their slack is not in the declaration, or is a
    parameter that is not zero.
    """
    return Strategies(_strategies(subproblem, ladder, loosened, face=face))


def _strategies(
    subproblem: Subproblem, ladder: Ladder, loosened: frozenset[str], *, face: bool
) -> Iterator[Strategy]:
    if subproblem.fair is not None and subproblem.fair.pricing is not None:
        yield Strategy(ladder[0])
        return
    if subproblem.fair is not None:
        yield from (Strategy(solver) for solver in ladder)
        if subproblem.locks:
            yield from (Strategy(solver, "guarded") for solver in ladder)
        return
    if any(lock.fair for _, lock in subproblem.locks):
        ladder = tuple(_sharp(solver) for solver in ladder)
    if face:
        yield Strategy(ladder[0], "face")
    if not subproblem.locks:
        yield from _alone(subproblem, ladder)
        return
    curved = can_restate(subproblem, "argument", loosened)
    equal = can_restate(subproblem, "equal", loosened)
    for solver in ladder:
        if solver.is_custom or solver.target == EXACT:
            yield Strategy(solver)
            continue
        if solver.target == "CLARABEL" and _has_curved_face(subproblem, loosened):
            yield Strategy(solver, "face", strict=curved)
        if curved:
            yield Strategy(solver, "argument", loosened)
        yield Strategy(solver)
        if solver.name == "HIGHS" and "presolve" not in solver.options:
            yield Strategy(solver.also(presolve="off"))
            if subproblem.kind == "LP":
                yield Strategy(solver, refined=True)
        if equal:
            yield Strategy(solver, "equal", loosened)
        yield Strategy(solver, "guarded")


def _alone(subproblem: Subproblem, ladder: Ladder) -> Iterator[Strategy]:
    """Each solver; linear problems that HIGHS is asked for are also refined."""
    linear = [solver for solver in ladder if subproblem.kind == "LP" and solver.name == "HIGHS"]
    exact = ladder[-1].target == EXACT
    for solver in ladder:
        own = not linear or solver in linear or solver.is_custom or solver.target == EXACT
        yield Strategy(solver) if own else Strategy(solver, refined=True, strict=exact)
        if linear and solver is linear[-1]:  # after a second opinion
            yield Strategy(linear[0], refined=True, strict=exact)
    if linear and exact:
        yield Strategy(linear[0], refined=True)


def more_exactly(strategies: Strategies, more: Sequence[Strategy]) -> Strategies:
    """The same, with more exact ways after the first; all that have another are strict."""

    def each() -> Iterator[Strategy]:
        for place, strategy in enumerate(strategies):
            first = [strategy] if place else [strategy, *more]
            yield from (replace(one, strict=True) for one in first[:-1])
            yield first[-1]

    return Strategies(each())


def _has_curved_face(subproblem: Subproblem, loosened: frozenset[str]) -> bool:
    """Whether a curved set is all that is held exactly, and not all of it by arguments."""
    locks = [lock for _, lock in subproblem.locks]
    if subproblem.integer or not subproblem.dpp or subproblem.kind in ("LP", "QP"):
        return False
    if len(subproblem.references) > len(locks):
        return False  # their effect could not be told without multipliers
    if any(k.loose or k.fair or k.owner_name in loosened for k in locks):
        return False
    return not all(map(has_arguments, locks))


def _sharp(solver: Solver) -> Solver:
    """Levels are kept by rows that HiGHS may miss by its tolerance: the least that it takes."""
    if solver.name != "HIGHS" or solver.options.keys() & {"highs_options", *SHARPEST_HIGHS}:
        return solver
    return solver.also(**SHARPEST_HIGHS)


def _without_repeats(strategies: Iterable[Strategy]) -> Iterator[Strategy]:
    seen: list[Strategy] = []
    for strategy in strategies:
        if not any(repr(strategy) == repr(other) for other in seen):
            yield strategy
        seen.append(strategy)
