"""Random lexicographic chains: whatever is called optimal is the exact optimum, by z3.

A StageError, and a solution that is called "optimal_inaccurate" with a warning, are honest and
count as not answered. The rates are printed by `python -m tests.lexiprog.formulations.exact_rates`.
"""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.lexiprog.formulations.exact import Chain, as_program, lexicographic_optimum
from tests.lexiprog.formulations.exact_rates import KINDS, survey
from tests.lexiprog.formulations.random_chains import chains

# What the others answer is reported, not asked for: nobody should hold optima with them.
LEAST_RATE = {"HIGHS": 1.0, "CLARABEL": 0.95}
EXAMPLES = {("HIGHS", False): 100, ("HIGHS", True): 60}  # else 30

every_kind = pytest.mark.parametrize(("solver", "integers"), KINDS)


def check(solver, integers, examples, record_property):
    rates = survey(solver, examples, chains(integers=integers))
    record_property("rates", f"{solver} {rates}")
    assert rates.rate >= LEAST_RATE.get(solver, 0.0), str(rates)


@pytest.mark.slow
@every_kind
def test_whatever_is_called_optimal_is_exact(solver, integers, record_property):
    check(solver, integers, EXAMPLES.get((solver, integers), 30), record_property)


@pytest.mark.nightly
@every_kind
def test_whatever_is_called_optimal_is_exact_in_a_thousand(solver, integers, record_property):
    check(solver, integers, 1000, record_property)


def six_badly_scaled():
    return chains(integers=False, lengths=(6, 6), scaled=True)


@pytest.mark.slow
def test_six_stages_on_badly_scaled_programs_are_exact_to_one_in_ten_million(record_property):
    rates = survey("HIGHS", 25, six_badly_scaled(), tolerance=1e-7)
    record_property("rates", str(rates))
    assert rates.rate == 1.0, str(rates)


@pytest.mark.nightly
def test_six_stages_on_badly_scaled_programs_are_exact_in_hundreds(record_property):
    rates = survey("HIGHS", 300, six_badly_scaled(), tolerance=1e-7)
    record_property("rates", str(rates))
    assert rates.rate == 1.0, str(rates)


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(chains(integers=False))
def test_a_linear_chain_for_highs_is_held_by_faces_alone(chain):
    result = as_program(chain).solve()
    assert {lock.kind for solution in result.values() for lock in solution.locks} == {"face"}


def test_the_strategy_draws_ties_redundant_rows_both_senses_and_every_length():
    seen = set()

    @settings(max_examples=150, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
    @given(chains())
    def look(chain):
        rows = [coefficients for coefficients, _, _ in chain.rows]
        objectives = [coefficients for _, coefficients in chain.objectives]
        seen.add(("length", len(objectives)))
        seen.update(("sense", sense) for sense, _ in chain.objectives)
        seen.update(("row", sense) for _, sense, _ in chain.rows)
        seen.update(("power", power) for power in chain.row_powers)
        seen.update(("whole", whole) for whole in chain.whole)
        seen.add(("same rows", len(set(rows)) < len(rows)))
        seen.add(("same objectives", len(set(objectives)) < len(objectives)))
        seen.add(("face", bool(set(rows) & set(objectives))))
        seen.add(("bounds", chain.bounds_as_rows))

    look()
    flags = ("same rows", "same objectives", "face", "bounds", "whole")
    wanted = {(flag, value) for flag in flags for value in (True, False)}
    wanted |= {("length", length) for length in range(2, 7)}
    wanted |= {("sense", "min"), ("sense", "max"), ("row", "<="), ("row", ">="), ("row", "==")}
    wanted |= {("power", power) for power in range(-3, 7)}
    assert wanted <= seen


def small(**changes):
    parts = {
        "lower": (0, 0), "upper": (3, 3), "rows": (((2, 1), "<=", 4), ((1, 3), "<=", 6)),
        "objectives": (("max", (1, 1)), ("min", (1, 0))), "whole": (False, False),
        "row_powers": (0, 0), "column_powers": (0, 0),
    }  # fmt: skip
    return Chain(**(parts | changes))


def test_the_exact_optimum_is_the_one_worked_by_hand():
    # The rows cross at (6/5, 8/5).
    assert lexicographic_optimum(small()) == [Fraction(14, 5), Fraction(6, 5)]


def test_the_exact_optimum_in_integers_is_the_one_found_by_counting():
    chain = small(
        whole=(True, True), objectives=(("max", (1, 2)), ("min", (0, 1)), ("max", (1, 0)))
    )
    points = [
        point for point in product(range(4), repeat=2)
        if all(sum(c * x for c, x in zip(row, point, strict=True)) <= rhs
               for row, _, rhs in chain.rows)
    ]  # fmt: skip
    best = max((x + 2 * y, -y, x) for x, y in points)
    assert lexicographic_optimum(chain) == [best[0], -best[1], best[2]]
