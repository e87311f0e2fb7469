"""Lexicographic chains in exact arithmetic: each level on the optimal face of the one before it.

By complementary slackness a feasible point is optimal exactly if every column and row with a
non-zero multiplier stays at its bound. With exact multipliers there is no tolerance in it: what
is fixed is the optimal face and nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from lexiprog.exact.integer_program import Limits
from lexiprog.exact.outcome import Effort, Outcome
from lexiprog.exact.program import ExactLP
from lexiprog.exact.prover import Prover
from lexiprog.exact.search import Search
from lexiprog.exact.verification import verify
from lexiprog.exact.whole_matrix import Line


def solve_chain(
    lp: ExactLP, costs: Iterable[Sequence[Fraction]], *, time_limit: float | None = None
) -> list[Outcome]:
    """Minimise costs in order over one feasible set, up to the first without an optimum.

    Parameters
    ----------
    lp : ExactLP
        The feasible set; its own costs are not used.
    costs : iterable of sequences of Fraction
        One a level.
    time_limit : float, optional
        Seconds for each level.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from lexiprog.exact.chain import solve_chain
    >>> from lexiprog.exact.program import ExactLP
    >>> lp = ExactLP.of([0, 0], [[1, 1]], [1], lower=[0, 0])
    >>> [outcome.value for outcome in solve_chain(lp, [[-1, -1], [Fraction(1, 3), 0]])]
    [Fraction(-1, 1), Fraction(0, 1)]
    """
    prover, outcomes = Prover(lp, time_limit=time_limit), list[Outcome]()
    for c in costs:
        before = outcomes[-1] if outcomes else None
        if before is not None and before.status != "optimal":
            break
        outcomes.append(
            prover.minimise(
                [Fraction(value) for value in c],
                face=before.face if before else None,
                start=before.basis if before else None,
            )
        )
    return outcomes


@dataclass(frozen=True)
class Locked:
    """Multipliers of a level as it is declared: with the earlier optima as constraints.

    Attributes
    ----------
    y, reduced : list of Fraction
        Of rows and columns, all of the right sign: ``reduced`` is
        ``c + A'y + sum(locks * earlier costs)``.
    locks : list of Fraction
        Of the constraints ``earlier cost <= its optimum``, in order.
    """

    y: list[Fraction]
    reduced: list[Fraction]
    locks: list[Fraction]


def locked_multipliers(levels: Sequence[Outcome]) -> Locked:
    """Multipliers of the last level's locked problem, from those of each level on its face.

    What a face fixes may have a multiplier of either sign there. Adding enough of the multipliers
    of the level that fixed it, and that much of its lock's, mends it, from the last to the first.

    Parameters
    ----------
    levels : sequence of Outcome
        In order, all optimal, each on the face of the one before.
    """
    *earlier, last = levels
    y, reduced = list(last.y or ()), list(last.reduced or ())
    locks = [Fraction(0)] * len(earlier)
    for k in range(len(earlier) - 1, -1, -1):
        owner, before = earlier[k], earlier[k - 1].face if k else None
        need = Fraction(0)
        if owner.y is None or owner.reduced is None:
            raise ValueError("Every level of a chain needs an optimum.")
        for i in owner.face.rows - (before.rows if before else frozenset()):
            need = max(need, -y[i] / owner.y[i])
        for j in owner.face.columns.keys() - (before.columns.keys() if before else set()):
            need = max(need, -reduced[j] / owner.reduced[j])
        if need:
            y = [a + need * b for a, b in zip(y, owner.y, strict=True)]
            reduced = [a + need * b for a, b in zip(reduced, owner.reduced, strict=True)]
            locks[k] = need
    return Locked(y, reduced, locks)


def price(
    prover: Prover,
    outcome: Outcome,
    c: Sequence[Fraction],
    earlier: Sequence[Sequence[Fraction]],
    held: int,
) -> Fraction:
    """What slack on an earlier level buys in a later one: a right derivative, not negative.

    The optimum falls at the rate of the steepest direction that no tight bound, row or lock
    forbids, where the one lock gives way at rate one.

    Parameters
    ----------
    prover : Prover
        Of the chain.
    outcome : Outcome
        The later level's optimum.
    c : sequence of Fraction
        Its costs.
    earlier : sequence of sequences of Fraction
        Costs of the levels it holds.
    held : int
        Which of them is given slack.
    """
    program, tight = prover.program, outcome.tight
    n, m = program.matrix.n, program.matrix.m
    locks: list[Line] = []
    lower: Limits = [0 if j in tight.lower else None for j in range(n)]
    upper: Limits = [0 if j in tight.upper else None for j in range(n)]
    lower += [0 if i < prover.lp.zero else None for i in range(m)]
    upper += [0 if i in tight.rows else None for i in range(m)]
    for k, costs in enumerate(earlier):
        whole, units = program.cost(costs)
        kept = [j for j, value in enumerate(whole) if value]
        locks.append((kept, [whole[j] for j in kept]))
        lower.append(None)
        upper.append(units if k == held else 0)
    cost, units = program.cost(c)
    matrix = program.matrix.with_rows(locks)
    found = Search(matrix, prover.options).run(
        cost, lower, upper, Effort(), deadline=time.perf_counter() + prover.limit
    )
    verify(found, matrix, cost, lower, upper)
    top, bottom = found.point.dot(range(n), cost)
    return -Fraction(int(top), int(bottom) * units)
