"""What slack on a held optimum buys in a later level, exactly."""

from __future__ import annotations

import time
from collections.abc import Sequence
from fractions import Fraction

from lexiprog.rational.basis import Effort, Outcome
from lexiprog.rational.program import Limits, Line
from lexiprog.rational.prover import NotProved, Prover, verify
from lexiprog.rational.search import Search


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

    Raises
    ------
    ValueError
        If the level has no optimum.
    TimeoutError
        If the prover's time limit passes.
    """
    if outcome.status != "optimal":
        raise ValueError(f"Only an optimum has a price; this level is {outcome.status}.")
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
        cost,
        lower,
        upper,
        Effort(),
        solvable=True,
        deadline=time.perf_counter() + prover.time_limit,
    )
    verify(found, matrix, cost, lower, upper)
    if found.kind != "optimal":
        raise NotProved("The costs are not those that the level was solved with.")
    top, bottom = found.point.dot(range(n), cost)
    return -Fraction(int(top), int(bottom) * units)
