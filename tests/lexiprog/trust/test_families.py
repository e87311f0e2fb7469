"""Nothing wrong is called optimal, and what can be answered is answered: families of real data."""

import os

import pytest

import lexiprog as lx
from tests.lexiprog.trust import families
from tests.lexiprog.trust.families import tally

NIGHTLY = os.environ.get("LEXIPROG_PROFILE") == "nightly"
COUNT = 200 if NIGHTLY else 20
FEW = 60 if NIGHTLY else 5

# The least share of right answers with the default solvers; what is not right must be refused
# or flagged, never wrong.
SHARES = {
    "objectives": 0.99,
    "rows": 0.99,
    "columns": 0.99,
    "everything": 0.99,
    "integer_chains": 0.99,
    "goals": 0.99,
    "small_coefficients": 0.99,
    "nearly_parallel": 0.95,
    "big_m": 0.8,
}
LINEAR = ["objectives", "rows", "columns", "everything", "goals", "nearly_parallel"]

pytestmark = pytest.mark.filterwarnings("ignore::lexiprog.LexiprogWarning")


@pytest.mark.slow
@pytest.mark.parametrize("family", SHARES)
def test_default_solvers_are_right(family):
    found = tally(getattr(families, family), COUNT)
    assert found["wrong"] == 0, found
    assert found["right"] >= SHARES[family] * COUNT, found


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["CLARABEL", "ECOS", "SCS", "OSQP"])
@pytest.mark.parametrize("family", LINEAR)
def test_no_other_solver_is_believed_when_it_is_wrong(family, solver):
    found = tally(getattr(families, family), FEW, solver, seed=1)
    assert found["wrong"] == 0, found


@pytest.mark.parametrize("solver", [lx.Solver("ECOS_BB", mi_rel_eps=0.3, mi_abs_eps=30.0), "HIGHS"])
def test_a_solver_without_a_bound_gets_none_from_its_own_claim(solver):
    found = tally(families.loose_gaps, FEW, solver)
    assert found["wrong"] == 0, found
