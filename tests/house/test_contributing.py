"""The tables of CONTRIBUTING.md are those of `packages.py`, and the targets it names exist."""

import re
from pathlib import Path

import pytest

from tests.house.package_table import CONTRIBUTING, LAYERS, table, with_tables
from tests.house.packages import Package

ROOT = Path(__file__).parents[2]
TEXT = CONTRIBUTING.read_text()


def test_the_layers_are_those_that_the_architecture_test_enforces():
    assert with_tables(TEXT) == TEXT, "run `python -m tests.house.package_table`"


def test_a_package_that_changed_is_noticed():
    package = LAYERS["lexiprog"][0][0]
    changed = TEXT.replace(f"| {package.does} |", "| something else |")
    assert with_tables(changed) == TEXT != changed


def test_siblings_have_one_number():
    first = [Package("errors status", "words", "errors.py")]
    siblings = [Package("forms/", "numbers", "cones.py"), Package("last/", "end", "end.py")]
    assert table("pkg", [first, siblings]).splitlines()[2:] == [
        "| 1 | `errors`, `status` | words | [errors.py](pkg/errors.py) |",
        "| 2 | `forms/` | numbers | [cones.py](pkg/forms/cones.py) |",
        "| 2 | `last/` | end | [end.py](pkg/last/end.py) |",
    ]


@pytest.mark.parametrize("top", LAYERS)
def test_every_package_is_there_with_its_entry(top):
    for package in (package for layer in LAYERS[top] for package in layer):
        inside = ROOT / top / (package.name if package.name.endswith("/") else "")
        assert (inside / package.entry).is_file(), f"{top}: {package.name} has no {package.entry}"


def test_every_target_of_the_makefile_is_explained_and_exists():
    makefile = (ROOT / "Makefile").read_text()
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert phony is not None
    targets = {name for name in phony[1].split() if name.isalpha()} - {"help"}
    explained = set(re.findall(r"^make ([a-z]+)", TEXT, re.MULTILINE))
    assert explained == targets
    helped = set(re.findall(r'@echo "make ([a-z]+)', makefile))
    assert helped == targets
