"""Lexicographic chains in exact arithmetic: each level on the optimal face of the one before it.

By complementary slackness a feasible point is optimal exactly if every column and row with a
non-zero multiplier stays at its bound. With exact multipliers there is no tolerance in it: what
is fixed is the optimal face and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from lexiprog.exact.outcome import Outcome
from lexiprog.exact.program import ExactLP
from lexiprog.exact.prover import Prover


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
                c,
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
            y = _plus(y, need, owner.y)
            reduced = _plus(reduced, need, owner.reduced)
            locks[k] = need
    return Locked(y, reduced, locks)


def _plus(
    values: Sequence[Fraction], times: Fraction, others: Sequence[Fraction]
) -> list[Fraction]:
    return [a + times * b if b else a for a, b in zip(values, others, strict=True)]
