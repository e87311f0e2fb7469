"""Leximin of linear problems, level by level on one HiGHS model."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.backends.highs_mip import WORD
from lexiprog.canon.standard_form import StandardForm
from lexiprog.certify.certificate import Certificate
from lexiprog.certify.measures import Measures, measure, prove
from lexiprog.compile.answer import Answer, LeximinAnswer
from lexiprog.compile.task import Solutions, Strategy, Task, compile_alone
from lexiprog.cvxpy_adapter import Compiled, answer_at
from lexiprog.deadline import Returned
from lexiprog.fairness.audit import Audit, audit_lottery, audit_order, audit_shares
from lexiprog.fairness.integers import order_levels
from lexiprog.fairness.levels import raise_levels
from lexiprog.fairness.objective import Fairness
from lexiprog.fairness.pricing import price_levels
from lexiprog.fairness.records import LeximinLevel, NoLeximin, OnStep, Utilities
from lexiprog.model.subproblem import Subproblem
from lexiprog.results.solution import Lottery
from lexiprog.status import Status
from lexiprog.summary import names_text, number
from lexiprog.typing import Array

# A compiled maximin problem taken apart: what everyone gets, and what all share.
#
# Compiled, the least of several utilities is a column t to be minimised, with a row for each of
# them,
#
#     -a_i t - u_i x <= b_i,    that is    (u_i x + b_i) / a_i >= -t,
#
# and t occurs nowhere else. So the rows are the utilities, in the order in which they were
# declared.


class NotMaximin(ValueError):
    """A form has no single column to be minimised, or not the rows that belong to it."""


@dataclass(frozen=True)
class Maximin:
    """The parts of a compiled maximin problem.

    Attributes
    ----------
    form : StandardForm
        The whole.
    rest : StandardForm
        Without the level and the rows of the utilities.
    utilities : Utilities
        Over the columns of ``rest``.
    level : int
        The column of the level, whose utilities are the rows ``rows``.
    pull : ndarray
        How much of the level is in each of these rows.
    """

    form: StandardForm
    rest: StandardForm
    utilities: Utilities
    level: int
    rows: NDArray[np.intp]
    pull: Array

    @classmethod
    def of(cls, form: StandardForm, count: int) -> Maximin:
        """Take a form with ``count`` utilities apart."""
        matrix = sp.csr_array(form.A)
        costs = np.flatnonzero(form.c)
        if costs.size != 1 or form.c[costs[0]] <= 0 or form.P is not None:
            raise NotMaximin("there is no single column to be minimised.")
        level = int(costs[0])
        column = matrix[:, [level]].toarray()[:, 0]
        rows = np.flatnonzero(column)
        inequalities = (rows >= form.cones.zero) & (rows < form.cones.linear)
        if rows.size != count or not inequalities.all() or (column[rows] > 0).any():
            raise NotMaximin(f"{rows.size} rows have the level, but there are {count} utilities.")
        pull = -column[rows]
        others = np.delete(np.arange(form.c.size), level)
        shares = sp.csr_array(sp.diags_array(1.0 / pull) @ matrix[rows][:, others])
        kept = np.delete(np.arange(form.b.size), rows)
        rest = replace(
            form,
            c=np.zeros(others.size),
            offset=0.0,
            A=matrix[kept][:, others],
            b=form.b[kept],
            cones=replace(form.cones, nonneg=form.cones.nonneg - count),
            lower=None if form.lower is None else form.lower[others],
            upper=None if form.upper is None else form.upper[others],
            integer=_integers(form, level),
        )
        return cls(form, rest, Utilities(-shares, form.b[rows] / pull), level, rows, pull)

    def point(self, x: Array) -> Array:
        """A point of the rest, with the level that it has, as one of the whole."""
        return np.insert(x, self.level, -float(np.min(self.utilities.at(x))))

    def multipliers(self, weights: Array, multipliers: Array) -> Array:
        """Of all rows, from the weights of the utilities and the multipliers of the rest."""
        cost = float(self.form.c[self.level])
        out = np.empty(self.form.b.size)
        kept = np.ones(out.size, dtype=bool)
        kept[self.rows] = False
        out[self.rows] = weights * (cost / self.pull)
        out[kept] = multipliers * cost
        return out

    def objective(self, least: float) -> float:
        """The objective of the whole where the least utility has this value."""
        return self.form.offset - float(self.form.c[self.level]) * least


def _integers(form: StandardForm, level: int) -> NDArray[np.intp] | None:
    if form.integer is None or not form.integer.size:
        return None
    return form.integer - (form.integer > level)


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
    def serves(subproblem: Subproblem, strategy: Strategy) -> bool:
        """Whether this is a fair linear problem for HIGHS."""
        fair = subproblem.fair
        return (
            strategy.solver.target == "HIGHS"
            and subproblem.kind in ("LP", "MILP")
            and "highs_options" not in strategy.solver.options
            and fair is not None
            and fair.pricing is None
            and not fair.stack.is_constant()
        )

    def compile(self, subproblem: Subproblem, strategy: Strategy, solutions: Solutions) -> Compiled:
        """The problem of the first level."""
        return compile_alone(subproblem, strategy, solutions)

    def run(self, task: Task) -> Answer:
        """Raise level after level in equilibrated units, and check all of them."""
        fair = task.subproblem.fair
        if fair is None:
            raise TypeError(f"subproblem {task.subproblem.name!r} has one objective only")
        start = time.perf_counter()
        parts = Maximin.of(task.native.scaled, len(fair.names))
        try:
            unit = fair.sign * float(task.native.scaling.columns[parts.level])
            report = reporting(self._note, task, unit)
            answer = (_ordered if task.integer else _raised)(task, fair, parts, report)
        except NoLeximin as failure:
            answer = unshared(failure, fair.names)
        return replace(answer, seconds=time.perf_counter() - start)

    def accepted(self, task: Task, answer: Answer) -> None:
        """Nothing is kept from solve to solve."""


def reporting(note: Note, task: Task, unit: float) -> OnStep:
    """Who puts what is settled into words, values in the user's units."""
    name, fair = task.subproblem.name, task.subproblem.fair
    count = 0 if fair is None else len(fair.names)
    return lambda settled, value: note(
        f"{name}: {settled} of {count} settled, level {number(value * unit)}"
    )


def _solved(solve: Callable[..., Returned], task: Task, parts: Maximin, report: OnStep) -> Returned:
    """All levels, found here or by a worker, which reports nothing on the way."""
    numbers = (parts.rest, parts.utilities, task.options)
    return task.deadline.follow(solve, *numbers, here={"report": report})


# What is measured of doubtful levels may be so many times as large.
DOUBTFUL = 1e3


def _raised(task: Task, fair: Fairness, parts: Maximin, report: OnStep) -> Answer:
    result = _solved(raise_levels, task, parts, report)
    audit = audit_shares(parts.rest, parts.utilities, result)
    x = parts.point(result.x)
    z = parts.multipliers(*result.steps.of(0))
    # Floors of later levels are computed numbers; levels that hang on digits which floats do not
    # have are not called optimal, whatever is measured.
    accept = task.solver.accept * (DOUBTFUL if result.doubtful else 1.0)
    value = parts.form.objective(x)
    found = prove(parts.form, x, z, claimed=value, tolerance=accept, rows="found")
    answer = answer_at(task.native, found.x, found.z, iterations=result.iterations)
    checked = found.measures
    doubt = DOUBT if result.doubtful else ""
    return _answer(task, fair, parts, answer, checked, audit, result.levels, doubt)


def _ordered(task: Task, fair: Fairness, parts: Maximin, report: OnStep) -> Answer:
    result = _solved(order_levels, task, parts, report)
    audit = audit_order(parts.rest, parts.utilities, result)
    x = parts.point(result.x)
    answer = answer_at(task.native, x, None, iterations=result.nodes)
    checked = measure(
        parts.form,
        x,
        None,
        claimed=answer.claimed,
        tolerance=task.solver.accept,
        gap_tolerance=task.solver.gap,
        bound=parts.objective(float(result.bounds[0])),
    )
    doubt = WORD if task.deadline.on_their_word else ""
    return _answer(task, fair, parts, answer, checked, audit, result.levels, doubt)


def _answer(
    task: Task,
    fair: Fairness,
    parts: Maximin,
    answer: Answer,
    checked: Measures,
    audit: Audit,
    levels: Sequence[LeximinLevel],
    doubt: str = "",
) -> Answer:
    """The answer with its levels in the user's units."""
    scaling = task.native.scaling
    unit = float(scaling.columns[parts.level])
    bound = None if checked.bound is None else -fair.sign * scaling.value(checked.bound)
    leximin = LeximinAnswer(
        levels_of(levels, fair.sign * unit),
        Measures(with_audit(checked, audit).certificate, bound),
        1.0 / scaling.cost,
        inaccurate=doubt,
    )
    return replace(answer, leximin=leximin)


def levels_of(
    levels: Sequence[LeximinLevel], unit: float
) -> tuple[tuple[float, tuple[int, ...]], ...]:
    """Values in the user's units, and positions as plain numbers."""
    return tuple(
        (level.value * unit + 0.0, tuple(int(member) for member in level.members))
        for level in levels
    )


def with_audit(checked: Measures, audit: Audit) -> Measures:
    """The certificate of the first level with what an audit of all levels found."""
    certificate = checked.certificate
    gap = max(certificate.gap, audit.gap) if audit.complete else np.inf
    return replace(
        checked,
        certificate=replace(
            certificate,
            rows=max(certificate.rows, audit.outside),
            claim=max(certificate.claim, audit.missed),
            gap=gap,
        ),
    )


def unshared(failure: NoLeximin, names: tuple[Hashable, ...]) -> Answer:
    """Why there is no fair share, with the utilities by their names."""
    if not failure.members:
        return Answer(failure.status, reason=str(failure).rstrip("."))
    who = names_text([names[member] for member in failure.members])
    return Answer(failure.status, reason=f"{who} can rise without limit")


# Leximin lotteries whose columns an oracle of the user's finds.


class FairLotteries:
    """Columns are asked for in the caller's thread, since the oracle is the caller's own."""

    alone = True

    def __init__(self, note: Note = lambda _: None) -> None:
        self._note = note

    def compile(self, *_: object) -> None:
        """There is nothing to compile: the columns are not known."""

    def run(self, task: Task) -> Answer:
        """Raise level after level, and check all of them."""
        fair = task.subproblem.fair
        if fair is None or fair.pricing is None or fair.offsets is None:
            raise TypeError(f"subproblem {task.subproblem.name!r} has no oracle")
        if task.solver.target != "HIGHS":
            return Answer(Status.FAILED, reason="lotteries are solved on HIGHS only")
        start = time.perf_counter()
        try:
            result = price_levels(
                fair.pricing, fair.offsets, task.options, reporting(self._note, task, 1.0),
                deadline=task.deadline,
            )  # fmt: skip
        except NoLeximin as failure:
            return unshared(failure, fair.names)
        levels = levels_of(result.levels, 1.0)
        first = Certificate(tolerance=task.solver.accept, basis="oracle")
        checked = with_audit(Measures(first, None), audit_lottery(fair.offsets, result))
        unit = float(np.max(np.abs(result.columns))) or 1.0
        gap = checked.certificate.gap * (unit + abs(levels[0][0]))
        used = result.weights > 0
        leximin = LeximinAnswer(
            levels,
            replace(checked, bound=levels[0][0] + gap),
            unit,
            duals=(),
            lottery=Lottery(result.columns[used], result.weights[used]),
        )
        variable = task.subproblem.variables[0]
        return Answer(
            Status.OPTIMAL,
            primal={variable.id: result.weights @ result.columns},
            iterations=result.iterations,
            seconds=time.perf_counter() - start,
            leximin=leximin,
        )

    def accepted(self, task: Task, answer: Answer) -> None:
        """Nothing is kept from solve to solve."""
