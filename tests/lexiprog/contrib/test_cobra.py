"""Flux balance in levels, against cobra's own loop on models of its wheel."""

import numpy as np
import pytest

from lexiprog import DeclarationError, tradeoff
from lexiprog.contrib.cobra import flux_program, lexicographic_fluxes

io = pytest.importorskip("cobra.io", reason="the extra `clients` has it")
solver = pytest.importorskip("cobra.util.solver")

LEVELS = ["Biomass_Ecoli_core", "EX_glc__D_e", "EX_o2_e", "EX_ac_e", "EX_co2_e", "EX_nh4_e"]


@pytest.fixture(scope="module")
def model():
    return io.load_model("textbook")


@pytest.mark.parametrize("directions", ["max", ["max", "max", "min", "max", "min", "max"]])
def test_optima_are_those_of_cobra(model, directions):
    found = lexicographic_fluxes(model, LEVELS, directions)
    with model:
        wanted = solver.add_lexicographic_constraints(model, LEVELS, directions)
    assert list(found.index) == list(wanted.index)
    assert found.to_numpy() == pytest.approx(wanted.to_numpy(), abs=1e-7)


def test_the_model_is_left_as_it_is(model):
    before = len(model.constraints), str(model.objective)
    flux_program(model, model.reactions[:2]).solve()
    assert (len(model.constraints), str(model.objective)) == before


def test_growth_of_a_large_network_keeps_its_digits_whatever_follows():
    # Rational arithmetic gives 0.9823718127269794 (`solve("EXACT")`), glpk 0.98237181272698.
    model = io.load_model("iJO1366")
    growth = "BIOMASS_Ec_iJO1366_core_53p95M"
    alone = flux_program(model, [growth]).solve()
    assert alone.final.value == pytest.approx(0.9823718127269794, abs=1e-9)
    curve = tradeoff(flux_program(model, [growth, "EX_succ_e"]), growth)
    model.solver = "glpk"
    model.reactions.get_by_id(growth).lower_bound = 0.5
    model.objective = model.reactions.get_by_id("EX_succ_e")
    there = np.interp(alone.final.value - 0.5, curve.tolerances, curve.values["EX_succ_e"])
    assert there == pytest.approx(model.slim_optimize(), abs=1e-6)


def test_limits_that_a_user_added_hold(model):
    with model:
        uptake, leak = (model.reactions.get_by_id(name) for name in ("EX_o2_e", "EX_ac_e"))
        limit = model.problem.Constraint(
            uptake.flux_expression + 2 * leak.flux_expression, lb=-15, ub=1, name="limit"
        )
        model.add_cons_vars(limit)
        found = flux_program(model, ["Biomass_Ecoli_core", "EX_ac_e"]).solve()
        wanted = solver.add_lexicographic_constraints(model, ["Biomass_Ecoli_core", "EX_ac_e"])
        assert [s.value for s in found.values()] == pytest.approx(wanted.to_numpy(), abs=1e-7)


def test_limits_on_what_is_no_flux_are_named(model):
    with model:
        other = model.problem.Variable("other", lb=0)
        model.add_cons_vars([other, model.problem.Constraint(other, ub=1, name="odd")])
        with pytest.raises(DeclarationError, match=r"'odd'.*'other'"):
            flux_program(model, ["EX_ac_e"])
    with model:
        forward = model.reactions.get_by_id("EX_ac_e").forward_variable
        model.add_cons_vars(model.problem.Constraint(forward, ub=1, name="one_way"))
        with pytest.raises(DeclarationError, match=r"'one_way'.*two directions"):
            flux_program(model, ["EX_ac_e"])


def test_what_is_not_in_the_model_is_named(model):
    with pytest.raises(DeclarationError, match="no reaction 'growth'"):
        flux_program(model, ["growth"])
    with pytest.raises(DeclarationError, match="objective_direction"):
        flux_program(model, LEVELS, ["max"])
