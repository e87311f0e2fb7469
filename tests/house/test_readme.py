"""What the README shows is what the code does, and it names all that is public."""

import re
import tomllib
from pathlib import Path

import pytest

import lexiprog
import lexiprog_boost
from tests.house.snippets import run

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PYPROJECT = (ROOT / "pyproject.toml").read_text()


def test_readme_snippets_run_and_print_what_is_shown():
    assert run(README, name="README") > 0


def test_a_wrong_output_is_noticed():
    snippet = "```python\nx = 1\nprint(x, '12.5 ms')\n```\n\n```text\n{}\n```\n"
    assert run(snippet.format("1 3 ms")) == 1
    with pytest.raises(AssertionError):
        run(snippet.format("2 3 ms"))


@pytest.mark.parametrize("package", [lexiprog, lexiprog_boost], ids=lambda p: p.__name__)
def test_every_public_name_is_in_a_table_of_the_readme(package):
    rows = "\n".join(line for line in README.splitlines() if line.startswith("| `"))
    named = set(re.findall(r"\w+", rows))
    assert not set(package.__all__) - named


def test_install_comes_first_and_every_extra_is_explained():
    first = re.search(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert first is not None
    assert first[1].startswith("pip install lexiprog")
    for name in tomllib.loads(PYPROJECT)["project"]["optional-dependencies"]:
        assert f"| `{name}` |" in README, f"the extra {name} is not explained"
