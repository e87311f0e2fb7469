"""Links and paths in the pages of the repository lead somewhere."""

from pathlib import Path

import pytest

from tests.house.markdown_links import broken, places

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    page
    for where in ("*.md", "docs/**/*.md", ".github/**/*.md", "benchmarks/README.md")
    for page in ROOT.glob(where)
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_of_the_page_leads_somewhere(page):
    assert not broken(page, ROOT)


def test_headings_are_spelt_as_github_does():
    text = '# `quality.py`: the *best*, by far\n## Why?\n## Why?\n<a id="f1"></a>\n'
    assert places(text) == {"qualitypy-the-best-by-far", "why", "why-1", "f1"}
    assert places("```sh\n# no heading\n```\n") == set()


def test_a_link_that_leads_nowhere_is_found(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "there.md").write_text("# A place\n")
    page = tmp_path / "page.md"
    page.write_text(
        "[a](docs/there.md) [b](docs/there.md#a-place) [c](https://example.org/x) `f(x)[0](gone)`\n"
        "[d](gone.md) ![e](docs/there.md#gone) [f](#gone) [g](../outside.md) `docs/gone.py`\n"
    )
    assert broken(page, tmp_path) == [
        "page.md: gone.md is not there",
        "page.md: docs/there.md#gone has no such place",
        "page.md: #gone has no such place",
        "page.md: ../outside.md is not there",
        "page.md: `docs/gone.py` is not there",
    ]
