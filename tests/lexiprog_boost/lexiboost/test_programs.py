"""The paper's programs have the optima that scipy finds, with every option and every solver."""

import numpy as np
import pytest

from lexiprog_boost import dual_balance_program, dual_class_program, lexiboost_program
from tests.lexiprog_boost.lexiboost import random_margins as independent

OPTIONS = {
    "plain": {},
    "target": {"theta": 0.4},
    "cap": {"cap": 0.3},
    "weights": {"weights": np.arange(60) % 4 + 1},
    "all": {"theta": 0.5, "cap": 0.4, "weights": np.arange(60) % 3},
}


def ours(options):
    names = {"theta": "margin_target", "cap": "weight_cap", "weights": "sample_weight"}
    return {names[name]: value for name, value in options.items()}


@pytest.mark.parametrize("kind", ["votes", "values"])
@pytest.mark.parametrize("name", OPTIONS)
def test_primal_optima_are_those_of_linprog(name, kind):
    M, y = independent.margins(1, kind=kind)
    costs = np.array([1.0, 2.0, 0.5])
    result = lexiboost_program(M, y, class_costs=costs, **ours(OPTIONS[name])).solve()
    optima = np.array([independent.class_optimum(M, y, j, **OPTIONS[name]) for j in range(3)])
    np.testing.assert_allclose([result[f"class:{j}"].value for j in range(3)], optima, atol=1e-9)
    chi = independent.balance(M, y, optima, costs=costs, **OPTIONS[name])
    assert result["balance"].value == pytest.approx(chi, abs=1e-9)


@pytest.mark.parametrize("kind", ["votes", "values"])
@pytest.mark.parametrize("name", OPTIONS)
def test_exact_duals_close_the_gap(name, kind):
    M, y = independent.margins(2, kind=kind)
    costs = np.array([1.0, 3.0, 0.5])
    primal = lexiboost_program(M, y, class_costs=costs, **ours(OPTIONS[name])).solve()
    optima = [primal[f"class:{j}"].value for j in range(3)]
    for j in range(3):
        dual = dual_class_program(M, y, j, form="exact", **ours(OPTIONS[name])).solve()
        assert dual.final.value == pytest.approx(optima[j], abs=1e-9)
    dual = dual_balance_program(
        M, y, optima, form="exact", class_costs=costs, **ours(OPTIONS[name])
    ).solve()
    assert dual.final.value == pytest.approx(primal["balance"].value, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_printed_duals_have_the_optima_of_linprog(seed):
    M, y = independent.margins(seed, members=4)
    for j in range(3):
        found = dual_class_program(M, y, j).solve().final.value
        assert found == pytest.approx(independent.paper_dual_class(M, y, j), abs=1e-9)
    optima = np.array([0.1, 0.2, 0.3])
    found = dual_balance_program(M, y, optima).solve().final.value
    assert found == pytest.approx(independent.paper_dual_balance(M, y, optima), abs=1e-9)


@pytest.mark.parametrize("solver", ["HIGHS", "CLARABEL", "ECOS", "SCIPY"])
def test_every_solver_finds_the_same_optimum(solver):
    M, y = independent.margins(5, kind="values")
    reference = lexiboost_program(M, y, margin_target=0.5).solve()
    result = lexiboost_program(M, y, margin_target=0.5).solve(solver)
    for name, solution in reference.items():
        assert result[name].value == pytest.approx(solution.value, abs=1e-6)


def test_f10_chi_free_is_the_papers_chi_below_zero_cut_off():
    M, y = independent.margins(3)
    for optima in (np.zeros(3), np.full(3, 2.0)):
        free = independent.balance(M, y, optima)
        paper = independent.balance(M, y, optima, chi_free=False)
        assert paper == pytest.approx(max(0.0, free), abs=1e-9)


def test_f4_a_printed_class_dual_may_leave_its_own_class_without_weight():
    # The only member is right on class 0 and wrong on class 1, where all the weight goes.
    D = dual_class_program([[1], [1], [-1], [-1]], [0, 0, 1, 1], 0).solve().final["D"]
    np.testing.assert_allclose(D, [0, 0, 0.5, 0.5], atol=1e-9)


def test_unit_costs_of_another_scale_change_nothing_but_chi():
    M, y = independent.margins(4)
    one = lexiboost_program(M, y).solve()["balance"].value
    ten = lexiboost_program(M, y, class_costs=[10, 10, 10]).solve()["balance"].value
    assert ten == pytest.approx(10 * one, abs=1e-8)


M2, Y2 = [[1, -1], [-1, 1]], ["a", "b"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": ["a", "a"]}, "one class"),
        ({"y": ["a"]}, "one label a row"),
        ({"sample_weight": [1, 0]}, "class 'b' has no point of weight > 0"),
        ({"margins": [[1, np.nan], [-1, 1]]}, "the margin of member 1 on point 0 is nan"),
        ({"margins": [1, -1]}, "one row a point"),
        ({"class_costs": {"a": 1}}, "no cost for class 'b'"),
        ({"class_costs": {"a": 1, "b": 1, "c": 1}}, "'c', which is no class"),
        ({"class_costs": {"a": -1, "b": 1}}, "cost of class 'a' is -1.0"),
        ({"class_costs": [1, np.inf]}, "cost of class 'b' is inf"),
        ({"class_costs": [1]}, "1 costs for the 2 classes"),
        ({"class_costs": [0, 0]}, "zero for every class"),
        ({"margin_target": 0}, "margin_target is 0"),
        ({"margin_target": 1.5}, "margin_target is 1.5"),
        ({"weight_cap": 0.4}, "at least 1/2"),
        ({"weight_cap": -1}, "above 0"),
    ],
)
def test_bad_input_is_named(change, message):
    with pytest.raises(ValueError, match=message):
        lexiboost_program(**{"margins": M2, "y": Y2, **change})


def test_a_label_that_is_no_class_and_an_unknown_form_are_refused():
    with pytest.raises(ValueError, match="'c' is no class"):
        dual_class_program(M2, Y2, "c")
    with pytest.raises(ValueError, match="unknown form"):
        dual_balance_program(M2, Y2, [0, 0], form="printed")
    with pytest.raises(ValueError, match="no value for class 'b'"):
        dual_balance_program(M2, Y2, {"a": 0})
