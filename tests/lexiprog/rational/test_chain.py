"""Lexicographic chains on exact faces, against z3 and against an exact lexicographic simplex."""

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from lexiprog.rational.program import ExactLP
from lexiprog.rational.prover import Prover
from lexiprog.solve.exact import locked_multipliers
from tests.lexiprog.formulations import exact as by_z3
from tests.lexiprog.formulations.random_chains import chains
from tests.lexiprog.rational.programs import weighted_rows

quickly = settings(max_examples=60, suppress_health_check=list(HealthCheck))


def by_levels(lp, costs):
    """Minimise costs in order, each on the optimal face of the one before it."""
    prover, outcomes = Prover(lp), []
    for cost in costs:
        before = outcomes[-1] if outcomes else None
        face, start = (before.face, before.basis) if before else (None, None)
        outcomes.append(prover.minimise(cost, face=face, start=start))
    return outcomes


def as_lp(chain):
    """The feasible set and the costs of a random chain, in its own units."""
    units = [Fraction(2) ** power for power in chain.column_powers]
    flipped = {"<=": 1, ">=": -1, "==": 1}
    rows = sorted(zip(chain.rows, chain.row_powers, strict=True), key=lambda row: row[0][1] != "==")
    scales = [flipped[sense] * Fraction(10) ** power for (_, sense, _), power in rows]
    A = [
        [scale * a / u for a, u in zip(coefficients, units, strict=True)]
        for scale, ((coefficients, _, _), _) in zip(scales, rows, strict=True)
    ]
    b = [scale * row[2] for scale, (row, _) in zip(scales, rows, strict=True)]
    costs = [
        [(1 if sense == "min" else -1) * c / u for c, u in zip(coefficients, units, strict=True)]
        for sense, coefficients in chain.objectives
    ]
    lp = ExactLP.of(
        costs[0], A, b,
        zero=sum(sense == "==" for _, sense, _ in chain.rows),
        lower=[low * u for low, u in zip(chain.lower, units, strict=True)],
        upper=[high * u for high, u in zip(chain.upper, units, strict=True)],
    )  # fmt: skip
    return lp, costs


@quickly
@given(chains(integers=False))
def test_every_level_of_a_random_chain_is_exactly_z3s(chain):
    lp, costs = as_lp(chain)
    optima = by_z3.lexicographic_optimum(chain)
    if optima is not None:
        signs = [1 if sense == "min" else -1 for sense, _ in chain.objectives]
        assert [sign * o.value for sign, o in zip(signs, by_levels(lp, costs), strict=True)] == (
            optima
        )


@quickly
@given(chains(integers=False, lengths=(3, 5)))
def test_multipliers_with_locks_are_exact_duals_of_the_declared_problem(chain):
    lp, costs = as_lp(chain)
    outcomes = by_levels(lp, costs)
    for k in range(len(costs)):
        multipliers, locks = locked_multipliers(outcomes[: k + 1])
        assert all(value >= 0 for value in [*multipliers[lp.zero :], *locks])
        reduced = [a + b for a, b in zip(costs[k], weighted_rows(lp, multipliers), strict=True)]
        bound = -sum((b * y for b, y in zip(lp.b, multipliers, strict=True)), Fraction(0))
        for weight, cost, outcome in zip(locks, costs[:k], outcomes[:k], strict=True):
            reduced = [a + weight * c for a, c in zip(reduced, cost, strict=True)]
            bound -= weight * outcome.value
        for value, low, high in zip(reduced, lp.lower, lp.upper, strict=True):
            bound += value * (low if value > 0 else high)
        assert bound == outcomes[k].value  # strong duality


def test_the_multiplier_of_a_held_level_worked_by_hand():
    # max x, then max y on x + y <= 1: one unit of x given up is one of y gained.
    lp = ExactLP.of([-1, 0], [[1, 1]], [1], lower=[0, 0])
    first, second = by_levels(lp, [[-1, 0], [0, -1]])
    assert (first.value, second.value) == (-1, 0)
    assert locked_multipliers([first, second])[1] == [1]


def lexicographic_maxima(A, b, F, top):
    """Maximise the rows of F in order over Ax <= b, 0 <= x <= top: a tableau of fractions."""
    m, n = A.shape
    rows = [
        [Fraction(int(v)) for v in line] + [Fraction(int(i == k)) for k in range(m + n)] + [side]
        for i, (line, side) in enumerate(
            [(A[i], Fraction(int(b[i]))) for i in range(m)]
            + [(np.eye(n, dtype=int)[j], Fraction(top)) for j in range(n)]
        )
    ]
    basis, width = list(range(n, 2 * n + m)), 2 * n + m
    allowed, optima = [True] * width, []
    goals = [[-Fraction(int(v)) for v in f] + [Fraction(0)] * (m + n + 1) for f in F]
    for k, goal in enumerate(goals):
        while True:  # Bland's rule
            j = next((j for j in range(width) if allowed[j] and goal[j] < 0), None)
            if j is None:
                break
            ratios = [(r[-1] / r[j], basis[i], i) for i, r in enumerate(rows) if r[j] > 0]
            i = min(ratios)[2]
            rows[i] = [v / rows[i][j] for v in rows[i]]
            basis[i] = j
            for line in [*rows[:i], *rows[i + 1 :], *goals[k:]]:
                if line[j]:
                    line[:] = [a - line[j] * p for a, p in zip(line, rows[i], strict=True)]
        optima.append(goal[-1])
        allowed = [ok and not value for ok, value in zip(allowed, goal, strict=False)]
    return optima


def nearly_parallel(seed, factor):
    """Rows in pairs that differ by one in a few thousand up to a hundred million."""
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 5, (7, 6))
    A = np.vstack([base * factor + rng.integers(-1, 2, base.shape) for _ in range(2)])
    b = np.concatenate([rng.integers(4, 12, 7)] * 2) * factor + rng.integers(-2, 3, 14)
    F = rng.integers(-2, 4, (4, 6))
    F[0], F[2] = base[0], base[1] - base[0]
    return np.maximum(A, 0), np.maximum(b, 1), F


@pytest.mark.parametrize("factor", [3_000, 10**5, 10**6, 10**8])
def test_chains_over_nearly_parallel_rows_are_exact(factor):
    for seed in range(10):
        A, b, F = nearly_parallel(seed, factor)
        lp = ExactLP.of(np.zeros(6), A.astype(float), b.astype(float), lower=[0] * 6, upper=[9] * 6)
        outcomes = by_levels(lp, -F.astype(object))
        assert [-o.value for o in outcomes] == lexicographic_maxima(A, b, F, 9)


@pytest.mark.nightly
@pytest.mark.parametrize("factor", [3_000, 10**5, 10**6, 10**8])
def test_hundreds_of_chains_over_nearly_parallel_rows_are_exact(factor):
    for seed in range(100, 300):
        A, b, F = nearly_parallel(seed, factor)
        lp = ExactLP.of(np.zeros(6), A.astype(float), b.astype(float), lower=[0] * 6, upper=[9] * 6)
        outcomes = by_levels(lp, -F.astype(object))
        assert [-o.value for o in outcomes] == lexicographic_maxima(A, b, F, 9)


def test_ties_are_kept_and_the_last_level_decides():
    # All of x + y + z = 1 is optimal for two levels; the third one chooses its corner.
    lp = ExactLP.of([0] * 3, [[1, 1, 1]], [1], zero=1, lower=[0] * 3)
    outcomes = by_levels(lp, [[1, 1, 1], [0, 0, 0], [3, 1, 2]])
    assert [o.value for o in outcomes] == [1, 0, 1]
    assert outcomes[1].face == outcomes[0].face
    assert outcomes[2].x == [0, 1, 0]


def test_random_orders_of_the_same_objectives_agree_with_their_first_level():
    rng = random.Random(3)
    lp = ExactLP.of([0] * 4, [[1, 2, 3, 4], [4, 3, 2, 1]], [10, 10], lower=[0] * 4)
    costs = [[-rng.randint(0, 3) for _ in range(4)] for _ in range(4)]
    alone = [Prover(lp.with_cost(c)).minimise().value for c in costs]
    for k, first in enumerate(costs):
        values = [o.value for o in by_levels(lp, [first, *costs])]
        assert values[0] == values[k + 1] == alone[k]
        assert all(value >= best for value, best in zip(values[1:], alone, strict=True))
