"""Shared texts are filled in whole, at import, and without docstrings nothing breaks."""

import inspect
import re
import sys
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import lexiprog_boost
from lexiprog_boost import learners
from lexiprog_boost.checks.docstrings import PLACE, TEXTS, described

DOORS = [lexiprog_boost, learners]
ESTIMATORS = {
    name: getattr(door, name)
    for door in DOORS
    for name in door.__all__
    if inspect.isclass(getattr(door, name)) and issubclass(getattr(door, name), BaseEstimator)
}


def entries(text, section):
    """The names that a section of a docstring speaks of."""
    found = re.search(rf"^{section}\n-+\n(.*?)(?:\n\n\w+\n-+\n|\Z)", text, re.S | re.M)
    lines = [line for line in found[1].splitlines() if line and not line.startswith(" ")]
    return {name.strip() for line in lines for name in line.split(" : ")[0].split(",")}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_parameter_is_described_and_nothing_else(name):
    text = inspect.getdoc(ESTIMATORS[name])
    assert entries(text, "Parameters") == set(ESTIMATORS[name]().get_params(deep=False))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_no_place_is_left_open_in_a_class_or_its_methods(name):
    kind = ESTIMATORS[name]
    documented = [kind, *(value for _, value in inspect.getmembers(kind, inspect.isfunction))]
    for thing in documented:
        assert not PLACE.search(inspect.getdoc(thing) or ""), thing


def test_a_section_opens_with_its_heading_and_takes_further_entries():
    @described
    def grow():
        """Grow a tree.

        {Parameters: verbose}
        depth : int
            How deep.
        {n_jobs}
        """

    assert inspect.getdoc(grow).splitlines()[2:] == [
        "Parameters",
        "----------",
        *TEXTS["verbose"].splitlines(),
        "depth : int",
        "    How deep.",
        *TEXTS["n_jobs"].splitlines(),
    ]


def test_sets_in_braces_are_left_alone():
    def rule():
        """One of {"vote", "proba"}, or {1, 2}."""

    before = rule.__doc__
    assert described(rule).__doc__ == before


def test_an_unknown_text_is_named():
    def wrong():
        """{Parameters: n_estimatorz}."""

    wrong.__doc__ = "{Parameters: n_estimatorz}"
    with pytest.raises(KeyError, match="asks for the text 'n_estimatorz'"):
        described(wrong)


@pytest.mark.parametrize("module", ["classifiers.lp_boost", "pools.adaboost_m2"])
def test_without_docstrings_as_under_python_oo_everything_is_declared_as_before(module):
    path = Path(lexiprog_boost.__file__).parent / f"{module.replace('.', '/')}.py"
    name = f"lexiprog_boost.{module}"
    bare = {"__name__": name}
    exec(compile(path.read_text(), str(path), "exec", optimize=2), bare)
    for thing in ("LPBoostClassifier", "adaboost_m2_pool"):
        if thing in bare:
            whole = getattr(sys.modules[name], thing)
            assert "Parameters" in whole.__doc__
            assert "Parameters" not in (bare[thing].__doc__ or "")
            assert inspect.signature(bare[thing]) == inspect.signature(whole)
