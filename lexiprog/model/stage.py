"""Subproblems that stand side by side: none sees the others, all see the stages before."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from lexiprog.errors import DeclarationError, visible
from lexiprog.model.checks import check_name
from lexiprog.model.expressions import automatic_names, readable, written
from lexiprog.model.lock import Tolerance
from lexiprog.model.subproblem import Frozen, Subproblem
from lexiprog.summary import Hold, ProblemSummary, ProgramSummary, Read, StageSummary

if TYPE_CHECKING:
    from lexiprog.backends.solver import SolverOrFallbacks


class Stage(Frozen):
    """One level of a hierarchy.

    Use it to say which subproblems come before which; those of one stage know nothing of each
    other.

    Parameters
    ----------
    name : str
        Unique in its program.
    *subproblems : Subproblem
        Solved independently of each other, in parallel where workers allow.
    solver : optional
        A name, Solver, object or list of these, for all of the stage's subproblems.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(name="x")
    >>> lx.Stage("ends", lx.Subproblem("low", cp.Minimize(x), [x >= 0]),
    ...          lx.Subproblem("high", cp.Maximize(x), [x <= 1]), solver="CLARABEL")
    Stage('ends': low, high)
    """

    name: str
    subproblems: tuple[Subproblem, ...]
    solver: SolverOrFallbacks | None

    def __init__(
        self, name: str, *subproblems: Subproblem, solver: SolverOrFallbacks | None = None
    ) -> None:
        check_name("stage", name)
        if not subproblems:
            raise DeclarationError(f"stage {name!r} holds no subproblem: give it at least one.")
        for subproblem in subproblems:
            if not isinstance(subproblem, Subproblem):
                raise DeclarationError(
                    f"stage {name!r} holds subproblems only, not {subproblem!r}: wrap it in "
                    "Subproblem(name, objective, constraints)."
                )
        self._declare(name=name, subproblems=subproblems, solver=solver)

    def __repr__(self) -> str:
        names = ", ".join(p.name for p in self.subproblems)
        return visible(f"Stage({self.name!r}: {names})", lines=False)


def check_unique_names(stages: tuple[Stage, ...]) -> None:
    """Refuse names that stand for two things."""
    seen: dict[str, str] = {}
    for stage in stages:
        if [s.name for s in stages].count(stage.name) > 1:
            raise DeclarationError(f"two stages are called {stage.name!r}: names are unique.")
        for subproblem in stage.subproblems:
            if subproblem.name in seen:
                raise DeclarationError(
                    f"two subproblems are called {subproblem.name!r}, in stages "
                    f"{seen[subproblem.name]!r} and {stage.name!r}: names are unique."
                )
            seen[subproblem.name] = stage.name
    for stage in stages:
        if seen.get(stage.name, stage.name) != stage.name:
            raise DeclarationError(
                f"{stage.name!r} names a stage and a subproblem of another stage, "
                f"{seen[stage.name]!r}: a solver choice for it would be ambiguous."
            )


def check_references(stages: tuple[Stage, ...]) -> None:
    """Refuse references to anything but earlier stages."""
    level = {p: k for k, stage in enumerate(stages) for p in stage.subproblems}
    for subproblem, own in level.items():
        for _, reference in subproblem.references:
            owner = reference.owner()
            where = f"subproblem {subproblem.name!r} uses {reference.label}, but"
            if owner is None or owner not in level:
                raise DeclarationError(
                    f"{where} subproblem {reference.owner_name!r} is not part of this "
                    "program: add it to an earlier stage."
                )
            if owner is subproblem or level[owner] == own:
                raise DeclarationError(
                    f"{where} {reference.owner_name!r} stands in the same stage, "
                    f"{stages[own].name!r}: only earlier stages can be referred to."
                )
            if level[owner] > own:
                raise DeclarationError(
                    f"{where} {reference.owner_name!r} is solved later, in stage "
                    f"{stages[level[owner]].name!r}: only earlier stages can be "
                    "referred to."
                )


# What stages declare, as plain records.


def summary_of(
    stages: Iterable[Stage], solvers: Callable[[Subproblem], Iterable[str]]
) -> ProgramSummary:
    """Every stage and subproblem, with the names of the ``solvers`` it would be tried with."""
    return ProgramSummary(
        tuple(
            StageSummary(stage.name, tuple(_problem(p, solvers(p)) for p in stage.subproblems))
            for stage in stages
        )
    )


def _shown(tolerance: Tolerance) -> float | str:
    return tolerance if isinstance(tolerance, float) else str(tolerance.name())


def _sense(subproblem: Subproblem) -> str:
    if subproblem.fair is not None:
        return subproblem.fair.kind
    return "maximise" if subproblem.maximise else "minimise"


def _problem(subproblem: Subproblem, solvers: Iterable[str]) -> ProblemSummary:
    held, fair = dict(subproblem.locks), subproblem.fair
    names = automatic_names(subproblem.variables)
    reads = dict.fromkeys(
        Read(reference.owner_name, reference.what)
        for _, reference in subproblem.references
        if reference.lock is None
    )
    return ProblemSummary(
        name=subproblem.name,
        kind=subproblem.kind,
        sense=_sense(subproblem),
        objective=readable(subproblem.objective.expr if fair is None else fair.stack, names),
        constraints=tuple(
            f"{c.label}: {written(c, names)}" if c.label else written(c, names)
            for k, c in enumerate(subproblem.constraints)
            if k not in held
        ),
        variables=tuple(
            (key, tuple(v.shape))
            for key, v in zip(subproblem.keys, subproblem.variables, strict=True)
        ),
        reads=tuple(reads),
        holds=tuple(
            Hold(lock.owner_name, _shown(lock.atol), _shown(lock.rtol)) for lock in held.values()
        ),
        solvers=tuple(dict.fromkeys(solvers)),
    )
