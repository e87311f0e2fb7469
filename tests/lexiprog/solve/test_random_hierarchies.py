"""Random hierarchies, every answer judged by scipy's linprog with our references as data."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.lexiprog.solve.random_hierarchies import hierarchies
from tests.lexiprog.solve.random_rates import SOLVERS, survey

# References to multipliers that are not unique are warned about; here they are data like others.
pytestmark = pytest.mark.filterwarnings("ignore::lexiprog.LexiprogWarning")

# What the others answer is reported: `python -m tests.lexiprog.solve.random_rates`.
LEAST_RATE = {"HIGHS": 0.99, "CLARABEL": 0.95}
# 500 of each by night.
EXAMPLES = {"HIGHS": 60, "CLARABEL": 40, "ECOS": 20, "SCS": 20}


@pytest.mark.parametrize("solver", SOLVERS)
def test_whatever_is_called_optimal_is_optimal_by_linprog(solver, record_property):
    rates = survey(solver, examples=EXAMPLES[solver])
    record_property("rates", str(rates))
    assert rates.rate >= LEAST_RATE.get(solver, 0.0), str(rates)


@pytest.mark.nightly
@pytest.mark.parametrize("solver", SOLVERS)
def test_whatever_is_called_optimal_is_optimal_by_linprog_in_many_more(solver, record_property):
    rates = survey(solver, examples=500)
    record_property("rates", str(rates))
    assert rates.rate >= LEAST_RATE.get(solver, 0.0), str(rates)


def terms_of(stages):
    for problem in [problem for stage in stages for problem in stage]:
        yield from (("objective", term) for term in problem.cost_terms + problem.offset_terms)
        yield from (("constraint", term) for rows in problem.rows for term in rows.terms)


def test_the_strategy_draws_every_kind_of_reference_large_programs_and_shared_variables():
    seen, largest, shared = set(), (0, 0), False

    @settings(max_examples=150, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
    @given(hierarchies())
    def look(stages):
        nonlocal largest, shared
        seen.update((where, term.reference.kind) for where, term in terms_of(stages))
        largest = max(largest, (len(stages), max(map(len, stages))))
        blocks = [b.name for stage in stages for problem in stage for b in problem.blocks]
        shared = shared or len(set(blocks)) < len(blocks)

    look()
    kinds = ("optimum", "solution", "expression", "dual")
    assert seen == {(where, kind) for where in ("objective", "constraint") for kind in kinds}
    assert largest == (4, 3)
    assert shared
