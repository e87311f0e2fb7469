"""Build the documentation: `site.py build/docs`; no network is needed, warnings are errors.

The pages of docs/ are written to be read in the repository as well. They are copied to a folder of
their own together with the notebooks and the changelog; links between these stay inside, links to
anything else of the repository lead to where it is kept. Sphinx does the rest.
"""

import base64
import json
import os
import re
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path

from sphinx.cmd.build import main as sphinx

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(\]\()([^()\s#:]+)(#[^()\s]*)?(\))")
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
# Where files outside of docs/ stand on the site.
PLACES = {"CHANGELOG.md": "changelog.md", "README.md": "index.md"}
PICTURES = (".png", ".svg")
# Where a page lists the notebooks of a folder; on the site they are cards.
NOTEBOOKS = re.compile("<!-- cards of (\\S+) -->.*?<!-- end -->", re.DOTALL)


def place(path: Path) -> Path | None:
    """Where a file of the repository stands on the site; None if it does not."""
    inside = path.relative_to(ROOT)
    if inside.as_posix() in PLACES:
        return Path(PLACES[inside.as_posix()])
    if inside.parts[0] == "docs" and path.suffix in (".md", *PICTURES):
        return inside.relative_to("docs")
    shown = path.suffix in (".ipynb", *PICTURES)
    return inside if inside.parts[0] == "notebooks" and shown else None


def linked(text: str, page: Path, source: str) -> str:
    """A page with its links as they must be on the site."""
    here = place(page).parent

    def rewritten(found: re.Match) -> str:
        goal = (page.parent / found[2]).resolve()
        if not goal.exists():
            return found[0]
        there = place(goal)
        if there is None:
            path = f"{source}/blob/main/{goal.relative_to(ROOT).as_posix()}"
        else:
            path = Path(os.path.relpath(there, here)).as_posix()
        return f"{found[1]}{path}{found[3] or ''}{found[4]}"

    parts = FENCE.split(text)
    parts[::2] = [
        re.sub(r'<a id="([^"]+)"></a>', r"(\1)=", LINK.sub(rewritten, part)) for part in parts[::2]
    ]
    return "".join(parts)


def cards(home: Path, folder: Path) -> str:
    """A card for every notebook of a folder: its title, its first words and its first picture."""
    out, names = ["::::{grid} 1 2 2 3", ":gutter: 3", ""], []
    for path in sorted(home.glob("*.ipynb")):
        cells = json.loads(path.read_text())["cells"]
        title, words = "".join(cells[0]["source"]).strip().split("\n\n")[:2]
        names.append(path.relative_to(ROOT).with_suffix("").as_posix())
        picture = _first_picture(cells, folder / "thumbnails" / f"{path.stem}.png")
        out += [f":::{{grid-item-card}} {title.lstrip('# ')}", f":link: {names[-1]}"]
        out += [":link-type: doc", *([f":img-top: thumbnails/{path.stem}.png"] * picture)]
        out += ["", _shortened(words), ":::", ""]
    hidden = ["```{toctree}", ":hidden:", "", *names, "```", ""]
    return "\n".join([*out, "::::", "", *hidden])


def _shortened(words: str) -> str:
    plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(words.split()))
    first = re.match(r".*?[.:](?= |$)", plain)
    return first[0] if first else plain


def _first_picture(cells: list[dict], to: Path) -> bool:
    for cell in cells:
        for output in cell.get("outputs", ()):
            if (data := output.get("data", {}).get("image/png")) is not None:
                to.parent.mkdir(parents=True, exist_ok=True)
                to.write_bytes(base64.b64decode("".join(data)))
                return True
    return False


def stage(folder: Path) -> None:
    """Copy everything that the site is made of into a folder."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    shutil.copytree(ROOT / "docs", folder, ignore=shutil.ignore_patterns("*.md", "__pycache__"))
    shutil.copytree(
        ROOT / "notebooks", folder / "notebooks", ignore=shutil.ignore_patterns("*.py", ".*", "_*")
    )
    pages = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "CHANGELOG.md"]
    for page in pages:
        to = folder / place(page)
        text = linked(page.read_text(), page, project["urls"]["Source"])
        to.write_text(NOTEBOOKS.sub(lambda found: cards(ROOT / found[1], folder), text))


def build(to: Path) -> int:
    """Write the site to a folder; the exit code is that of Sphinx."""
    with tempfile.TemporaryDirectory(prefix="site-") as home:
        pages = Path(home, "pages")
        stage(pages)
        options = ["-W", "--keep-going", "-q", "-b", "html", "-d", str(Path(home, "doctrees"))]
        return sphinx([*options, str(pages), str(to)])


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1]).resolve()))
