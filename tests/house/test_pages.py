"""The pages of docs/ as HTML: links inside stay inside, mathematics stays as it is written."""

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / ".ci" / "pages.py"


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


@pytest.mark.slow
def test_the_recipe_of_make_docs_runs_without_a_warning(tmp_path):
    makefile = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    recipe = re.search(r"^docs:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert recipe is not None
    commands = re.findall(r"^\t\$\(BIN\)/python (.*)$", recipe[1], re.MULTILINE)
    assert len(commands) == 2
    # Some versions of numpy ask lscpu when they are imported, which pdoc would refuse.
    environment = {**os.environ, "PDOC_ALLOW_EXEC": "1", "PYTHONPATH": str(ROOT)}
    for command in commands:
        words = shlex.split(command.replace("build/docs", str(tmp_path)))
        done = subprocess.run(
            [sys.executable, *words], cwd=ROOT, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr[-2000:]
    written = {path.name for path in tmp_path.iterdir()}
    assert {"index.html", "lexiprog.html", "lexiprog_boost.html", "facts.html"} <= written
