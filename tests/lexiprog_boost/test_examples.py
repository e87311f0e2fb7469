"""The examples in lexiprog_boost's docstrings run, and every public name has one."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import lexiprog_boost

MODULES = [
    "lexiprog_boost",
    *(m.name for m in pkgutil.walk_packages(lexiprog_boost.__path__, "lexiprog_boost.")),
]
FRONT_DOORS = [
    "lexiprog_boost.datasets",
    "lexiprog_boost.learners",
    "lexiprog_boost.margins",
    "lexiprog_boost.metrics",
    "lexiprog_boost.plots",
    "lexiprog_boost.pools",
    "lexiprog_boost.programs",
    "lexiprog_boost.reductions",
    "lexiprog_boost.weights",
]
PUBLIC = [
    (door, name)
    for door in FRONT_DOORS
    for name in importlib.import_module(door).__all__
    if callable(getattr(importlib.import_module(door), name))
]


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module):
    outcome = doctest.testmod(
        importlib.import_module(module), optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    )
    assert outcome.failed == 0


@pytest.mark.parametrize(("door", "name"), PUBLIC)
def test_public_name_shows_an_example(door, name):
    text = inspect.getdoc(getattr(importlib.import_module(door), name)) or ""
    assert "Examples\n--------" in text
    assert doctest.DocTestParser().get_examples(text)
