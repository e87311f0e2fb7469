"""The site as `make docs` builds it: whole, without network, and every link leads somewhere."""

import contextlib
import functools
import http.server
import importlib
import importlib.util
import os
import re
import shlex
import subprocess
import sys
import threading
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

import lexiprog
from tests.browser import needs_browser, page_after

ROOT = Path(__file__).parents[2]
PUBLIC = ["lexiprog", "lexiprog.plots", "lexiprog_boost", "lexiprog_boost.plots",
          "lexiprog_boost.datasets", "lexiprog_boost.metrics"]  # fmt: skip
# Tables of names and constants have a page where they are described, not one each.
WITHOUT_PAGE = {"datasets", "metrics", "GAUSSIAN_SETS", "KEEL_MULTI_CLASS", "KEEL_TWO_CLASS",
                "SCENES"}  # fmt: skip
SHORT = ".".join(lexiprog.__version__.split(".")[:2])
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
    """Run the recipe of `make site`, with a folder of our own in place of build/site."""
    folder = tmp_path_factory.mktemp("site")
    makefile = (ROOT / "Makefile").read_text()
    plain, recipe = (re.search(rf"^{target}:.*\n\t\$\(BIN\)/python (.*)$", makefile, re.M)[1]
                     for target in ("docs", "site"))  # fmt: skip
    assert recipe == plain.replace("build/docs", "build/site") + " --version-folder"
    words = shlex.split(recipe.replace("build/site", str(folder)))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return folder / SHORT


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
            there = file.relative_to(site.parent).as_posix().removeprefix(f"{SHORT}/")
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


def test_versions_lie_beside_each_other_and_the_newest_comes_first(tmp_path):
    spec = importlib.util.spec_from_file_location("site_builder", ROOT / ".ci/site.py")
    builder = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(builder)
    for name in ("0.3", "0.10", "0.9", "notes"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").write_text("")
    assert builder.list_versions(tmp_path) == ["0.10", "0.9", "0.3"]
    assert (tmp_path / "versions.js").read_text() == 'var VERSIONS = ["0.10", "0.9", "0.3"];\n'
    assert 'url=0.10/index.html"' in (tmp_path / "index.html").read_text()
    assert builder.version() == SHORT


def test_every_picture_has_a_text(site):
    without = []
    for path in site.rglob("*.html"):
        if "_static" not in path.parts:
            pictures = re.findall(r"<img\b[^>]*>", path.read_text())
            words = re.compile(r'alt="[^"]*\w[^"]*(?<!\.png)(?<!\.svg)"')
            without += [f"{path.name}: {one[:90]}" for one in pictures if not words.search(one)]
    assert not without


@contextlib.contextmanager
def served(folder):
    """Pages by http: a search reads them for its summaries, which a browser refuses for files."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *said):
            pass

    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@needs_browser
def test_the_search_finds_words_with_hyphens_and_keeps_cells_apart(site, tmp_path):
    with served(site.parent) as address:
        found = page_after(f"{address}/{SHORT}/search.html?q=Ctrl-C", tmp_path)
    results = re.search(r'<ul role="list" class="search">.*?</ul>', found, re.S)[0]
    pages = re.findall(r'<a href="([^"?#]+)', results)
    assert {"guide/scaling.html", "guide/failures.html", "api/lexiprog.Interrupted.html"} <= set(
        pages
    )
    marked = set(re.findall(r'<span class="highlighted">(.*?)</span>', results))
    assert marked == {"Ctrl-C"}
    index = (site / "searchindex.js").read_text()
    assert not re.findall(r'"?[a-z]*optimal[a-z]*high[a-z]*"?:', index)


@needs_browser
def test_every_page_has_a_menu_of_versions_that_needs_no_network(site, tmp_path):
    (site.parent / "versions.js").write_text(f'var VERSIONS = ["9.9", "{SHORT}"];\n')
    found = page_after((site / "guide/index.html").as_uri(), tmp_path)
    menus = re.findall(r'<select[^>]*versions".*?</select>', found, re.S)
    assert len(menus) == 2  # in the bar, and in the menu of narrow screens
    for menu in menus:
        assert re.findall(r'<option value="([^"]+)"', menu) == ["9.9", SHORT]
