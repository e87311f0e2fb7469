"""What stages declare, as plain records."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lexiprog.declare.leaves import automatic_names
from lexiprog.declare.lock import Tolerance
from lexiprog.declare.stage import Stage
from lexiprog.declare.subproblem import Subproblem
from lexiprog.declare.text import readable, written
from lexiprog.outline.records import Hold, ProblemOutline, ProgramOutline, Read, StageOutline


def outline_of(
    stages: Iterable[Stage], solvers: Callable[[Subproblem], Iterable[str]]
) -> ProgramOutline:
    """Every stage and subproblem, with the names of the ``solvers`` it would be tried with."""
    return ProgramOutline(
        tuple(
            StageOutline(stage.name, tuple(_problem(p, solvers(p)) for p in stage.subproblems))
            for stage in stages
        )
    )


def _shown(tolerance: Tolerance) -> float | str:
    return tolerance if isinstance(tolerance, float) else str(tolerance.name())


def _sense(subproblem: Subproblem) -> str:
    if subproblem.fair is not None:
        return subproblem.fair.kind
    return "maximise" if subproblem.maximise else "minimise"


def _problem(subproblem: Subproblem, solvers: Iterable[str]) -> ProblemOutline:
    held, fair = dict(subproblem.locks), subproblem.fair
    names = automatic_names(subproblem.variables)
    reads = dict.fromkeys(
        Read(reference.owner_name, reference.what)
        for _, reference in subproblem.references
        if reference.lock is None
    )
    return ProblemOutline(
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
