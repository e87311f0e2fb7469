"""The public names are the documented ones, and each shows a use that works."""

import doctest
import importlib
import inspect
import pkgutil
from importlib.metadata import version
from pathlib import Path

import pytest

import lexiprog
from lexiprog import plots

# A name is added here, to the README's table and to `lexiprog.__all__` together.
PUBLIC = {
    "OptimalFace",
    "optimal_face",
    "SolverChoice",
    "Status",
    "Goal",
    "SolverComparison",
    "compare_solvers",
    "Leximax",
    "Leximin",
    "Tradeoff",
    "goal_program",
    "leximax",
    "leximin",
    "minimax_regret",
    "preemptive",
    "tradeoff",
    "Subproblem",
    "Stage",
    "Program",
    "Solver",
    "Result",
    "Solution",
    "Certificate",
    "LexiprogError",
    "LexiprogWarning",
    "DeclarationError",
    "StageError",
    "Interrupted",
}

ALIASES = {"SolverChoice"}  # names for types have no docstring of their own

MODULES = [
    lexiprog.__name__,
    *(found.name for found in pkgutil.walk_packages(lexiprog.__path__, "lexiprog.")),
]


def test_all_is_exactly_what_is_documented():
    assert set(lexiprog.__all__) == PUBLIC
    assert len(lexiprog.__all__) == len(PUBLIC)


@pytest.mark.parametrize("name", plots.__all__)
def test_plot_has_a_docstring_with_an_example(name):
    assert "Examples\n--------" in (inspect.getdoc(getattr(plots, name)) or "")


def test_version_is_the_same_everywhere():
    citation = (Path(__file__).parents[2] / "CITATION.cff").read_text()
    assert lexiprog.__version__ == version("lexiprog")
    assert f"\nversion: {lexiprog.__version__}\n" in citation


@pytest.mark.parametrize("name", sorted(PUBLIC - ALIASES))
def test_public_name_has_a_docstring_with_an_example(name):
    text = inspect.getdoc(getattr(lexiprog, name)) or ""
    assert "Examples\n--------" in text, f"{name} shows no example"
    assert doctest.DocTestParser().get_examples(text), f"{name}'s example has no code"


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_module_run(module):
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    outcome = doctest.testmod(importlib.import_module(module), optionflags=flags)
    assert outcome.failed == 0
