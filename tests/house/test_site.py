"""The site as `make docs` builds it: whole, without network, and every link leads somewhere."""

import importlib
import os
import re
import shlex
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[2]
PUBLIC = ["lexiprog", "lexiprog.plots", "lexiprog_boost", "lexiprog_boost.plots",
          "lexiprog_boost.datasets", "lexiprog_boost.metrics"]  # fmt: skip
# Tables of names and constants have a page where they are described, not one each.
WITHOUT_PAGE = {"datasets", "metrics", "GAUSSIAN_SETS", "KEEL_MULTI_CLASS", "KEEL_TWO_CLASS",
                "SCENES"}  # fmt: skip
# Whose addresses make a browser load something.
LOADED = {"script": "src", "img": "src", "iframe": "src", "link": "href"}

pytestmark = pytest.mark.slow


class Page(HTMLParser):
    """The addresses and the places of a page, and what a browser would load for it."""

    def __init__(self, text: str):
        super().__init__()
        self.goals: list[str] = []
        self.places: set[str] = set()
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.places |= {given[key] for key in ("id", "name") if given.get(key)}
        self.goals += [given[key] for key in ("href", "src") if given.get(key)]
        if given.get(LOADED.get(tag, "")):
            self.loaded.append(given[LOADED[tag]])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Run the recipe of `make docs`, with a folder of our own in place of build/docs."""
    folder = tmp_path_factory.mktemp("site")
    recipe = re.search(r"^docs:.*\n\t\$\(BIN\)/python (.*)$", (ROOT / "Makefile").read_text(), re.M)
    words = shlex.split(recipe[1].replace("build/docs", str(folder)))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


@pytest.fixture(scope="module")
def pages(site):
    return {path.relative_to(site).as_posix(): Page(path.read_text()) for path in
            site.rglob("*.html") if "_static" not in path.parts}  # fmt: skip


def test_every_link_leads_to_a_file_and_a_place(site, pages):
    broken = []
    for name, page in pages.items():
        for goal in page.goals:
            if re.match(r"[a-z]+:", goal):
                continue
            path, _, fragment = unquote(goal).partition("#")
            path = re.sub(r"\?.*", "", path)
            file = (site / name).parent.joinpath(path).resolve() if path else site / name
            there = file.relative_to(site).as_posix()
            if not file.exists() or (fragment and there in pages
                                     and fragment not in pages[there].places):  # fmt: skip
                broken.append(f"{name}: {goal}")
    assert len(pages) > 60
    assert not broken


def test_a_browser_loads_nothing_from_elsewhere(site, pages):
    outside = [f"{name}: {goal}" for name, page in pages.items() for goal in page.loaded
               if re.match(r"(https?:)?//", goal)]  # fmt: skip
    assert not outside
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*['\"]?(https?:)?//", sheet.read_text()), sheet


@pytest.mark.parametrize("package", PUBLIC)
def test_every_public_name_has_a_page_and_one_topic(package, site, pages):
    listed = re.findall(r'href="api/([\w.]+)\.html#', (site / "api.html").read_text())
    for name in set(importlib.import_module(package).__all__) - WITHOUT_PAGE:
        assert f"api/{package}.{name}.html" in pages, f"docs/api.md does not list {name}"
        assert listed.count(f"{package}.{name}") == 1


def test_what_is_internal_is_left_out(pages):
    assert "lexiprog.Program.solve" in pages["api/lexiprog.Program.html"].places
    for name in ("summary", "adopt", "ladders", "_check_names"):
        assert f"lexiprog.Program.{name}" not in pages["api/lexiprog.Program.html"].places
    for page in pages.values():
        assert not [place for place in page.places if place.endswith("_request")]


def test_every_notebook_is_in_the_gallery_and_shown_with_its_output(site, pages):
    gallery = set(pages["gallery.html"].goals)
    notebooks = [path.relative_to(ROOT) for path in (ROOT / "notebooks").rglob("*.ipynb")]
    assert {path.parent.name for path in notebooks} == {"notebooks", "gallery"}
    for page in (path.with_suffix(".html").as_posix() for path in notebooks):
        assert page in gallery
        assert "cell_output" in (site / page).read_text()


def test_signs_of_mathematics_are_no_markup(site):
    facts = (site / "facts.html").read_text()
    assert "L_j = theta - max_t m_jt" in " ".join(facts.split())
    article = re.search(r"<article.*?</article>", facts, re.S)[0]
    assert set(re.findall(r"<em>(.*?)</em>", article)) == {"Proof."}
