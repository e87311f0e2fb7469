"""Every public name shows a use that works, and one version is named everywhere."""

import doctest
import importlib
import inspect
import pkgutil
import re
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

import lexiprog
import lexiprog_boost
from lexiprog import contrib, plots

ALIASES = {"SolverChoice"}  # names for types have no docstring of their own

MODULES = [
    lexiprog.__name__,
    *(found.name for found in pkgutil.walk_packages(lexiprog.__path__, "lexiprog.")),
]


BRIDGES = {
    f"{found.name}.{name}": getattr(importlib.import_module(found.name), name)
    for found in pkgutil.iter_modules(contrib.__path__, "lexiprog.contrib.")
    for name in importlib.import_module(found.name).__all__
}


def assert_shows_an_example_and_when_to_use_it(name, text):
    assert "Examples\n--------" in text, f"{name} shows no example"
    assert doctest.DocTestParser().get_examples(text), f"{name}'s example has no code"
    lead = re.split(r"\n\w[\w ]*\n---+\n", text)[0].strip().split("\n\n")
    assert len(lead) > 1, f"{name} says what it does, but not when to use it"


@pytest.mark.parametrize("name", plots.__all__)
def test_plot_has_a_docstring_with_an_example(name):
    assert "Examples\n--------" in (inspect.getdoc(getattr(plots, name)) or "")


def test_version_is_the_same_everywhere():
    root = Path(__file__).parents[2]
    assert lexiprog.__version__ == version("lexiprog"), "install again: the metadata are older"
    assert lexiprog_boost.__version__ == lexiprog.__version__
    assert f"\nversion: {lexiprog.__version__}\n" in (root / "CITATION.cff").read_text()
    newest = re.search(r"^## \[(.*?)\]", (root / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None
    assert newest[1] == lexiprog.__version__
    assert f"\nVersion {lexiprog.__version__} " in (root / "README.md").read_text()


@pytest.mark.parametrize("name", sorted(set(lexiprog.__all__) - ALIASES))
def test_public_name_has_a_docstring_with_an_example(name):
    text = inspect.getdoc(getattr(lexiprog, name)) or ""
    assert_shows_an_example_and_when_to_use_it(name, text)


@pytest.mark.parametrize("name", BRIDGES)
def test_bridge_has_a_docstring_with_an_example(name):
    assert_shows_an_example_and_when_to_use_it(name, inspect.getdoc(BRIDGES[name]) or "")


def test_every_bridge_has_a_place_in_the_api():
    page = (Path(__file__).parents[2] / "docs" / "api.md").read_text()
    assert len(BRIDGES) >= 7
    assert [name for name in BRIDGES if name.removeprefix("lexiprog.contrib.") not in page] == []


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_module_run(module, capsys):
    if module.startswith("lexiprog.contrib."):
        source = inspect.getsource(importlib.import_module(module))
        for package in re.findall(r">>> (?:from|import) (\w+)", source):
            if find_spec(package) is None:
                pytest.skip(f"{package} is not installed (pip install 'lexiprog[clients]')")
    if module == "lexiprog.contrib.cobra":
        with capsys.disabled():  # where Gurobi is installed, it speaks of its licence once
            importlib.import_module("cobra").Model().solver  # noqa: B018
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    outcome = doctest.testmod(importlib.import_module(module), optionflags=flags)
    assert outcome.failed == 0
