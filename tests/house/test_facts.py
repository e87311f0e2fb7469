"""The page of facts: every claim's check runs, and every fact that the source names is there."""

import re
from pathlib import Path

import pytest

from tests.house.snippets import run

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "facts.md").read_text()
NUMBER = re.compile(r"\bF(1[0-9]|[1-9])\b")
SETUP, *SECTIONS = re.split(r'^<a id="f(\d+)"></a>\n', PAGE, flags=re.MULTILINE)
FACTS = dict(zip(map(int, SECTIONS[::2]), SECTIONS[1::2], strict=True))


class Reader:
    """Runs the page from its top; a check may use what an earlier one has found."""

    def __init__(self):
        self.namespace: dict[str, object] = {}
        run(SETUP, namespace=self.namespace)
        self.waiting = list(FACTS)

    def read_up_to(self, number):
        ran = 0
        while self.waiting and self.waiting[0] <= number:
            fact = self.waiting.pop(0)
            ran = run(FACTS[fact], name=f"F{fact}", namespace=self.namespace)
        return ran


@pytest.fixture(scope="module")
def reader():
    return Reader()


@pytest.mark.parametrize("number", FACTS)
def test_the_check_of_the_fact_holds(number, reader):
    assert reader.read_up_to(number) > 0


@pytest.mark.parametrize("number", FACTS)
def test_a_fact_has_a_statement_a_proof_and_a_use(number):
    text = FACTS[number]
    assert text.startswith(f"## F{number}: ")
    assert re.search(r"^\*\*.*?\*\*$", text, re.MULTILINE | re.DOTALL)
    assert re.search(r"^\*Proof\.\* .*∎$", text, re.MULTILINE | re.DOTALL)
    assert re.search(r"\]\(\.\./lexiprog_boost/[\w/]+\.py\)", text)


def test_every_fact_that_is_named_anywhere_is_on_the_page():
    files = [*ROOT.glob("lexiprog_boost/**/*.py"), *ROOT.glob("docs/**/*.md"), ROOT / "README.md"]
    named = {int(number) for file in files for number in NUMBER.findall(file.read_text())}
    assert named <= FACTS.keys()
    assert list(FACTS) == list(range(1, len(FACTS) + 1))
