"""Fair shares of linear problems, level by level on one HiGHS object."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

import numpy as np

from lexiprog.compile.answer import Answer, Shares
from lexiprog.compile.cvxpy_door import Compiled, answer_at
from lexiprog.compile.task import Solutions, Task, compile_alone
from lexiprog.declare.objectives.fairness import Fairness
from lexiprog.declare.subproblem import Subproblem
from lexiprog.fair.audit import Audit, audit_order, audit_shares
from lexiprog.fair.failures import NoFairShare
from lexiprog.fair.integers import order_levels
from lexiprog.fair.levels import raise_levels
from lexiprog.fair.maximin import Maximin
from lexiprog.fair.records import FairLevel, Told
from lexiprog.outline.numbers import number
from lexiprog.outline.text import names_text
from lexiprog.proof.certify import Checked, check_answer
from lexiprog.solvers.ways import Way
from lexiprog.watch import Returned

__all__ = ["FairHighs", "Note", "levels_of", "telling", "unshared", "with_audit"]

Note = Callable[[str], None]

DOUBT = (
    "who can rise beyond a level depends on digits that floats don't have (utilities that are "
    "nearly the same, or rows nearly parallel): use Solver('EXACT')"
)


class FairHighs:
    """Linear utilities, with integers or without, on HiGHS."""

    alone = False

    def __init__(self, note: Note = lambda _: None) -> None:
        self._note = note

    @staticmethod
    def serves(subproblem: Subproblem, way: Way) -> bool:
        """Whether this is a fair linear problem for HIGHS."""
        fair = subproblem.fair
        return (
            way.solver.target == "HIGHS"
            and subproblem.kind in ("LP", "MILP")
            and "highs_options" not in way.solver.options
            and fair is not None
            and fair.pricing is None
            and not fair.stack.is_constant()
        )

    def compile(self, subproblem: Subproblem, way: Way, solutions: Solutions) -> Compiled:
        """The problem of the first level."""
        return compile_alone(subproblem, way, solutions)

    def run(self, task: Task) -> Answer:
        """Raise level after level in equilibrated units, and check all of them."""
        fair = task.subproblem.fair
        if fair is None:
            raise TypeError(f"subproblem {task.subproblem.name!r} has one objective only")
        start = time.perf_counter()
        parts = Maximin.of(task.native.scaled, len(fair.names))
        try:
            unit = fair.sign * float(task.native.scaling.columns[parts.level])
            told = telling(self._note, task, unit)
            answer = (_ordered if task.integer else _raised)(task, fair, parts, told)
        except NoFairShare as failure:
            answer = unshared(failure, fair.names)
        return replace(answer, seconds=time.perf_counter() - start)

    def accepted(self, task: Task, answer: Answer) -> None:
        """Nothing is kept from solve to solve."""


def telling(note: Note, task: Task, unit: float) -> Told:
    """Who puts what is settled into words, values in the user's units."""
    name, fair = task.subproblem.name, task.subproblem.fair
    count = 0 if fair is None else len(fair.names)
    return lambda settled, value: note(
        f"{name}: {settled} of {count} settled, level {number(value * unit)}"
    )


def _found(levels: Callable[..., Returned], task: Task, parts: Maximin, told: Told) -> Returned:
    """All levels, found here or elsewhere, whence nothing is told on the way."""
    numbers = (parts.rest, parts.utilities, task.options)
    away = task.watch.elsewhere
    if away is None:
        return levels(*numbers, told)
    return away.call(levels, *numbers, watch=task.watch)


def _raised(task: Task, fair: Fairness, parts: Maximin, told: Told) -> Answer:
    found = _found(raise_levels, task, parts, told)
    audit = audit_shares(parts.rest, parts.utilities, found)
    x = parts.point(found.x)
    first = (np.asarray(found.steps.weights[[0]].todense()), found.steps.multipliers[[0]])
    z = parts.multipliers(first[0][0], np.asarray(first[1].todense())[0])
    answer = answer_at(task.native, x, z, iterations=found.iterations)
    # Multipliers of the wrong sign are rounding, and count as what they leave over.
    checked = check_answer(parts.form, x, z, claimed=answer.claimed, tolerance=task.solver.accept)
    doubt = DOUBT if found.doubtful else ""
    return _answer(task, fair, parts, answer, checked, audit, found.levels, doubt)


def _ordered(task: Task, fair: Fairness, parts: Maximin, told: Told) -> Answer:
    found = _found(order_levels, task, parts, told)
    audit = audit_order(parts.rest, parts.utilities, found)
    x = parts.point(found.x)
    answer = answer_at(task.native, x, None, iterations=found.nodes)
    checked = check_answer(
        parts.form,
        x,
        None,
        claimed=answer.claimed,
        tolerance=task.solver.accept,
        gap_tolerance=task.solver.gap,
        bound=parts.objective(float(found.bounds[0])),
    )
    return _answer(task, fair, parts, answer, checked, audit, found.levels)


def _answer(
    task: Task,
    fair: Fairness,
    parts: Maximin,
    answer: Answer,
    checked: Checked,
    audit: Audit,
    levels: Sequence[FairLevel],
    doubt: str = "",
) -> Answer:
    """The answer with its levels in the user's units."""
    scaling = task.native.scaling
    unit = float(scaling.columns[parts.level])
    bound = None if checked.bound is None else -fair.sign * scaling.value(checked.bound)
    shares = Shares(
        levels_of(levels, fair.sign * unit),
        Checked(with_audit(checked, audit).certificate, bound),
        1.0 / scaling.cost,
        doubt=doubt,
    )
    return replace(answer, shares=shares)


def levels_of(
    levels: Sequence[FairLevel], unit: float
) -> tuple[tuple[float, tuple[int, ...]], ...]:
    """Values in the user's units, and positions as plain numbers."""
    return tuple(
        (level.value * unit + 0.0, tuple(int(member) for member in level.members))
        for level in levels
    )


def with_audit(checked: Checked, audit: Audit) -> Checked:
    """The certificate of the first level with what an audit of all levels found."""
    certificate = checked.certificate
    gap = max(certificate.gap, audit.gap) if audit.complete else np.inf
    return replace(
        checked,
        certificate=replace(
            certificate,
            primal=max(certificate.primal, audit.outside),
            claim=max(certificate.claim, audit.missed),
            gap=gap,
        ),
    )


def unshared(failure: NoFairShare, names: tuple[Hashable, ...]) -> Answer:
    """Why there is no fair share, with the utilities by their names."""
    if not failure.members:
        return Answer(failure.status, said=f"that {str(failure).rstrip('.')}")
    who = names_text([names[member] for member in failure.members])
    return Answer(failure.status, said=f"that {who} can rise without limit")
