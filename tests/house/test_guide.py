"""Every block of code in the documentation runs, page by page, and prints what is shown."""

import importlib.util
import re
from pathlib import Path

import pytest

from tests.house.snippets import FENCE, run

DOCS = Path(__file__).parents[2] / "docs"
# The facts have tests of their own; these pages have no code to run.
APART = {
    "facts.md", "api.md", "gallery.md", "what-we-found.md", "who-is-right.md", "guide/index.md",
    "names.md", "peers.md", "experiments.md", "guide/glossary.md", "series.md", "paper/paper.md",
}  # fmt: skip
PAGES = {
    name: path
    for path in sorted(DOCS.rglob("*.md"))
    if (name := path.relative_to(DOCS).as_posix()) not in APART
}
# Shell commands are those of the Makefile and of pip; there is no Julia to run the third.
LANGUAGES = {"python", "text", "sh", "julia", "{toctree}"}


@pytest.mark.parametrize("page", PAGES)
def test_the_page_runs_from_its_top_and_prints_what_is_shown(page):
    assert run(PAGES[page].read_text(), name=page) > 0


@pytest.mark.parametrize("page", PAGES)
def test_every_block_has_a_language_that_is_known(page):
    opened = re.findall(r"^```(\S+)$", PAGES[page].read_text(), re.MULTILINE)
    assert set(opened) <= LANGUAGES
    assert not re.search(r"^```\n+```$", PAGES[page].read_text(), re.MULTILINE)  # not compared
    assert opened.count("julia") <= (page == "guide/coming-from.md")


def test_pages_without_tests_of_their_own_have_no_code():
    for name in APART - {"facts.md"}:
        assert "python" not in {block[1] for block in FENCE.finditer((DOCS / name).read_text())}


def test_the_guide_lists_every_page_of_its_folder():
    index = (DOCS / "guide/index.md").read_text()
    parts = re.findall(r"```\{toctree\}\n(.*?)```", index, re.S)
    names = [line for line in "".join(parts).splitlines() if line and not line.startswith(":")]
    assert len(names) == len(set(names))
    assert set(names) - {"../facts", "../theory"} == {
        path.stem for path in DOCS.glob("guide/*.md") if path.stem != "index"
    }
    # In the same order, each page with its own title and a line on what is inside.
    lines = re.findall(r"^\| \[([^]]+)\]\((\S+)\.md\) \| (.{20,}) \|$", index, re.MULTILINE)
    assert [name for _, name, _ in lines] == names
    for title, name, _ in lines:
        assert (DOCS / "guide" / f"{name}.md").read_text().startswith(f"# {title}\n")


def test_pictures_of_the_guide_show_what_is_computed(tmp_path):
    spec = importlib.util.spec_from_file_location("draw_pictures", DOCS / "draw_pictures.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.main(tmp_path)
    drawn, kept = tmp_path.glob("*.svg"), (DOCS / "pictures").glob("*.svg")
    texts = [
        {path.name: re.findall(r"<text[^>]*>([^<]*)</text>", path.read_text()) for path in some}
        for some in (drawn, kept)
    ]
    assert len(texts[0]) >= 5
    assert texts[0] == texts[1]
