"""A choice of solvers reaches the stages it names, and only known names are taken."""

import pytest

from lexiprog_boost.checks.values import check_solver_names, solver_for, solver_of
from lexiprog_boost.programs import lexiboost_program

PROGRAM = lexiboost_program([[1, -1], [-1, 1]], ["a", "b"])


def test_names_of_stages_and_subproblems_stay_and_others_go():
    choice = {"classes": "HIGHS", "class:a": "ECOS", "weights": "CLARABEL"}
    assert solver_for(PROGRAM, choice) == {"classes": "HIGHS", "class:a": "ECOS"}
    assert "weights" in choice  # the caller's mapping is left alone
    for plain in (None, "HIGHS", ["HIGHS", "CLARABEL"]):
        assert solver_for(PROGRAM, plain) == plain


def test_the_first_name_that_is_there_decides():
    choice = {"classes": "HIGHS", "class:a": "ECOS"}
    assert solver_of(choice, "class:a", "classes") == "ECOS"
    assert solver_of(choice, "class:b", "classes") == "HIGHS"
    assert solver_of(choice, "balance") is None
    assert solver_of("HIGHS", "balance") == "HIGHS"


def test_an_unknown_name_is_refused_with_the_known_ones():
    check_solver_names({"edge": "HIGHS"}, ["margin", "edge"])
    check_solver_names("anything", ["margin"])
    with pytest.raises(ValueError, match=r"'balnce', which is no stage.*\['margin', 'edge'\]"):
        check_solver_names({"balnce": "HIGHS"}, ["margin", "edge"])
