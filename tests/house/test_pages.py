"""The pages of docs/ as HTML: links inside stay inside, mathematics stays as it is written."""

import importlib.util
import re
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / ".ci" / "pages.py"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    spec = importlib.util.spec_from_file_location("pages", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return {
        path.name: path.read_text() for path in script.write_pages(tmp_path_factory.mktemp("d"))
    }


def test_links_lead_to_a_page_a_place_or_the_repository(pages):
    ids = {name: set(re.findall(r'id="([^"]+)"', text)) for name, text in pages.items()}
    for name, text in pages.items():
        goals = re.findall(r'(?:href|src)="([^"]*)"', text)
        assert len(goals) > 10
        for goal in goals:
            path, _, fragment = goal.partition("#")
            if not goal.startswith("https://") and path != "index.html":
                assert path in ("", *pages), f"{name}: {goal}"
                assert not fragment or fragment in ids[path or name], f"{name}: {goal}"


def test_signs_of_mathematics_are_no_markup(pages):
    facts = pages["facts.html"]
    assert "L_j = theta - max_t m_jt" in " ".join(facts.split())
    assert set(re.findall(r"<em>(.*?)</em>", facts)) == {"Proof."}
    assert facts.count("<pre>") >= 15


def test_the_index_leads_to_every_page(pages):
    index = (SCRIPT.parent / "pdoc" / "index.html.jinja2").read_text()
    assert set(re.findall(r'href="([^"]*)"', index)) == set(pages)
