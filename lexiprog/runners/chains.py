"""Find the linear chains of a program that a face lock can serve."""

from __future__ import annotations

import weakref
from collections.abc import Hashable, Iterable, Mapping

from lexiprog.aliases import Constraint
from lexiprog.compile.joint import Joint, join
from lexiprog.declare.lock import single
from lexiprog.declare.references.reference import REFERENCES
from lexiprog.declare.stage import Stage
from lexiprog.declare.subproblem import Subproblem
from lexiprog.runners.face import FaceChain
from lexiprog.solvers.solver import EXACT, Ladder


def find_chains(
    stages: Iterable[Stage],
    ladders: Mapping[str, Ladder],
    loosened: Iterable[str] = (),
) -> dict[str, FaceChain]:
    """The chain of every subproblem that belongs to one.

    Parameters
    ----------
    stages : iterable
        In order.
    ladders : mapping
        The solvers of each subproblem.
    loosened : iterable of str
        Subproblems whose lock has a tolerance that is not in its declaration.
    """
    loosened = set(loosened)
    groups: dict[Hashable, dict[str, Subproblem]] = {}
    starts: dict[Hashable, int] = {}
    level = {p.name: k for k, stage in enumerate(stages) for p in stage.subproblems}
    everyone = [p for stage in stages for p in stage.subproblems]
    wanted = {lock.owner_name for p in everyone for _, lock in p.locks}
    for subproblem in everyone:
        if not single(subproblem.locks) and subproblem.name not in wanted:
            continue  # neither holds nor is held
        if not is_linear(subproblem) or not _asks_highs(ladders[subproblem.name]):
            continue
        options = sorted((k, repr(v)) for k, v in ladders[subproblem.name][0].options.items())
        key = (own_constraints(subproblem), tuple(options))
        start = starts.setdefault(key, level[subproblem.name])
        group = groups.setdefault(key, {})
        if reads_nothing_later(subproblem, level, start) and _fits(subproblem, group, loosened):
            group[subproblem.name] = subproblem
    chains: dict[str, FaceChain] = {}
    for group in groups.values():
        locks = {name: single(member.locks) for name, member in group.items()}
        held = {lock.owner_name for own in locks.values() for _, lock in own}
        used = {name: member for name, member in group.items() if locks[name] or name in held}
        if held:
            first = next(iter(used))
            lead = ladders[first][0]
            chain = FaceChain(used, {} if lead.target == EXACT else lead.options, joined(used))
            chains |= dict.fromkeys(used, chain)
    return chains


def is_linear(subproblem: Subproblem) -> bool:
    """Whether it is a linear program with real variables, compiled once for all parameters."""
    return (
        not subproblem.gp
        and subproblem.fair is None
        and subproblem.dpp
        and subproblem.kind == "LP"
        and all(variable.is_real() for variable in subproblem.variables)
    )


def _asks_highs(ladder: Ladder) -> bool:
    return ladder[0].target in ("HIGHS", EXACT) and "highs_options" not in ladder[0].options


def reads_nothing_later(subproblem: Subproblem, level: Mapping[str, int], start: int) -> bool:
    """Whether what its objective reads is known at ``start``: all of a chain is compiled then."""
    return all(
        level.get(reference.owner_name, -1) < start  # an owner outside is solved already
        for parameter in subproblem.objective.parameters()
        if (reference := REFERENCES.get(parameter)) is not None
    )


def own_constraints(subproblem: Subproblem) -> frozenset[int]:
    """The ids of all constraints but the locks on single optima."""
    return frozenset(c.id for c in without_faces(subproblem))


def without_faces(subproblem: Subproblem) -> list[Constraint]:
    """All constraints but the locks on single optima: levels are kept by their rows."""
    faces = dict(single(subproblem.locks))
    return [c for k, c in enumerate(subproblem.constraints) if k not in faces]


def _fits(subproblem: Subproblem, group: Mapping[str, Subproblem], loosened: set[str]) -> bool:
    """Whether each of its locks is exact and its holders held nothing that it lets go."""
    held = {lock.owner_name for _, lock in subproblem.locks}
    for _, lock in single(subproblem.locks):
        owner = group.get(lock.owner_name)
        if owner is None or owner is not lock.owner() or lock.atol or lock.rtol:
            return False
        if lock.owner_name in loosened:
            return False
        if not {inner.owner_name for _, inner in owner.locks} <= held:
            return False
    return True


def held_apart(stages: Iterable[Stage]) -> set[str]:
    """Linear subproblems that are held by others which do not have all of their constraints."""
    locks = [
        (p, lock.owner()) for stage in stages for p in stage.subproblems for _, lock in p.locks
    ]
    return {
        owner.name
        for holder, owner in locks
        if owner is not None and owner.kind == holder.kind == "LP" and is_linear(owner)
        and not own_constraints(owner) <= own_constraints(holder)
    }  # fmt: skip


def joined(members: Mapping[str, Subproblem]) -> Joint:
    """All members as one problem, compiled once for as long as they live."""
    listed = list(members.values())
    # Members are kept weakly, or none would ever be freed.
    key = ("joint", *(weakref.ref(member) for member in listed))
    joint: Joint = listed[0].memory.once(key, lambda: _join(listed))
    return joint


def _join(members: list[Subproblem]) -> Joint:
    return join([(m.name, m.objective) for m in members], without_faces(members[0]))
