"""What the README shows is what the code does; two pages name all that is public."""

import importlib
import re
import tomllib
from pathlib import Path

import pytest

from tests.house.snippets import run

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
NAMES = (ROOT / "docs/names.md").read_text()
INSTALL = (ROOT / "docs/install.md").read_text()
MOST_LINES = 120
TABLE = re.compile(r"^\| name \| what it is \|\n\|---\|---\|\n((?:\|.*\n)+)", re.MULTILINE)
PYPROJECT = (ROOT / "pyproject.toml").read_text()


def test_readme_snippets_run_and_print_what_is_shown():
    assert run(README, name="README") > 0


def test_a_wrong_output_is_noticed():
    snippet = "```python\nx = 1\nprint(x, '12.5 ms')\n```\n\n```text\n{}\n```\n"
    assert run(snippet.format("1 3 ms")) == 1
    with pytest.raises(AssertionError):
        run(snippet.format("2 3 ms"))


def names_in_tables() -> dict[str, set[str]]:
    """The names in the first column of the tables of names, by the package they belong to."""
    found: dict[str, set[str]] = {}
    for package, table in zip(("lexiprog", "lexiprog_boost"), TABLE.findall(NAMES), strict=True):
        for row in table.splitlines():
            own, *names = re.findall(r"`([\w.]+)[^`]*`", row.split("|")[1])
            # "`lexiprog.plots`: `hierarchy`, ..." has names of another package than the table's.
            inner = own == f"{package}.plots"
            found.setdefault(own if inner else package, set()).update(
                names if inner else [own, *names]
            )
    return found


@pytest.mark.parametrize("package", ["lexiprog", "lexiprog_boost"])
def test_the_tables_of_names_hold_exactly_what_is_public(package):
    named = {name.removeprefix(f"{package}.") for name in names_in_tables()[package]}
    assert named == set(importlib.import_module(package).__all__)
    plots = f"{package}.plots"
    assert names_in_tables()[plots] == set(importlib.import_module(plots).__all__)


def test_the_readme_is_short():
    assert len(README.splitlines()) <= MOST_LINES


@pytest.mark.parametrize("page", [README, INSTALL], ids=["README", "install"])
def test_install_is_the_first_command(page):
    first = re.search(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert first is not None
    assert first[1].startswith("pip install lexiprog")


def test_every_extra_is_explained():
    for name in tomllib.loads(PYPROJECT)["project"]["optional-dependencies"]:
        assert f"| `{name}` |" in INSTALL, f"the extra {name} is not explained"
