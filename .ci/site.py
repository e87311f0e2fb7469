"""Build the documentation: `site.py build/docs`; no network is needed, warnings are errors.

With `--version-folder` the pages go to a folder for the version, `build/site/0.3/`. Beside it are a
list of all versions whose folders lie there, from which every page makes a menu, and a page that
leads to the newest.

The pages of docs/ are written to be read in the repository as well. They are copied to a folder of
their own together with the notebooks and the changelog; links between these stay inside, links to
anything else of the repository lead to where it is kept. Sphinx does the rest.
"""

import argparse
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
# Where a page lists notebooks; on the site they are cards.
NOTEBOOKS = re.compile("<!-- cards -->(.*?)<!-- end -->", re.DOTALL)
# Of a notebook's title; the cards have an order of their own.
HEADING = re.compile(r"^# *")
# Where a page shows the measured commits.
SERIES = "<!-- table of the series -->"


def place(path: Path) -> Path | None:
    """Where a file of the repository stands on the site; None if it does not."""
    inside = path.relative_to(ROOT)
    if inside.as_posix() in PLACES:
        return Path(PLACES[inside.as_posix()])
    if inside.parts[:2] == ("docs", "paper"):
        return None
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


def cards(listed: str, folder: Path) -> str:
    """A card for every notebook that a list links to: title, first words and first picture."""
    out, names = ["::::{grid} 1 2 2 3", ":gutter: 3", ""], []
    for found in re.findall(r"\((?:\.\./)?(notebooks/\S+\.ipynb)\)", listed):
        path = ROOT / found
        cells = json.loads(path.read_text())["cells"]
        title, words = "".join(cells[0]["source"]).strip().split("\n\n")[:2]
        names.append(path.relative_to(ROOT).with_suffix("").as_posix())
        text = _first_picture(cells, folder / "thumbnails" / f"{path.stem}.png")
        out += [f":::{{grid-item-card}} {HEADING.sub('', title)}", f":link: {names[-1]}"]
        out.append(":link-type: doc")
        if text is not None:
            out += [f":img-top: thumbnails/{path.stem}.png", f":img-alt: {text}"]
        out += ["", _shortened(words), ":::", ""]
    hidden = ["```{toctree}", ":hidden:", "", *names, "```", ""]
    return "\n".join([*out, "::::", "", *hidden])


def series() -> str:
    """The records of benchmarks/results/series.json as a table, the newest first."""
    kept = json.loads((ROOT / "benchmarks/results/series.json").read_text())[::-1]
    times = list(kept[0]["ms"])
    words = list(kept[0].get("cases", ()))
    head = ["commit", "date", "processor", *(f"{name}, ms" for name in times), *words]
    rows = [head, ["---"] * len(head)]
    for of in kept:
        shown = [f"{of['ms'][name]:.1f}" if name in of["ms"] else "" for name in times]
        cases = [of.get("cases", {}).get(word, "") for word in words]
        rows.append([of["commit"], of["committed"][:10], of["processor"], *shown, *cases])
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)


def _shortened(words: str) -> str:
    plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(words.split()))
    first = re.match(r".*?\.(?= |$)", plain)
    return first[0] if first else plain


def _first_picture(cells: list[dict], to: Path) -> str | None:
    """What the first picture shows, in words, once it is written to a file."""
    for cell in cells:
        for output in cell.get("outputs", ()):
            if (data := output.get("data", {}).get("image/png")) is not None:
                to.parent.mkdir(parents=True, exist_ok=True)
                to.write_bytes(base64.b64decode("".join(data)))
                return cell["metadata"]["mystnb"]["image"]["alt"]
    return None


def stage(folder: Path) -> None:
    """Copy everything that the site is made of into a folder."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    shutil.copytree(
        ROOT / "docs", folder, ignore=shutil.ignore_patterns("*.md", "paper", "__pycache__")
    )
    shutil.copytree(
        ROOT / "notebooks", folder / "notebooks", ignore=shutil.ignore_patterns("*.py", ".*", "_*")
    )
    for page in [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "CHANGELOG.md"]:
        if (there := place(page)) is None:
            continue
        to = folder / there
        text = linked(page.read_text(), page, project["urls"]["Source"])
        text = NOTEBOOKS.sub(lambda found: cards(found[1], folder), text)
        to.write_text(text.replace(SERIES, series() if SERIES in text else ""))


def build(to: Path, *settings: str) -> int:
    """Write the site to a folder; the exit code is that of Sphinx."""
    with tempfile.TemporaryDirectory(prefix="site-") as home:
        pages = Path(home, "pages")
        stage(pages)
        options = ["-W", "--keep-going", "-q", "-b", "html", "-d", str(Path(home, "doctrees"))]
        return sphinx([*options, *settings, str(pages), str(to)])


def version() -> str:
    """The version without its last part: corrections replace the pages of what they correct."""
    source = (ROOT / "lexiprog/__init__.py").read_text()
    return re.search(r'__version__ = "(\d+\.\d+)', source)[1]


def list_versions(home: Path) -> list[str]:
    """Write what every page's menu reads, and the page that leads to the newest version."""
    found = [path.parent.name for path in home.glob("*/index.html")]
    found = sorted((name for name in found if re.fullmatch(r"\d+(\.\d+)+", name)), reverse=True,
                   key=lambda name: [int(part) for part in name.split(".")])  # fmt: skip
    (home / "versions.js").write_text(f"var VERSIONS = {json.dumps(found)};\n")
    goal = f"{found[0]}/index.html"
    (home / "index.html").write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>lexiprog</title>'
        f'<meta http-equiv="refresh" content="0; url={goal}">'
        f'<a href="{goal}">lexiprog {found[0]}</a></html>\n'
    )
    return found


def main(argv: list[str]) -> int:
    """Build one version, in a folder of its own if that is wanted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--version-folder", action="store_true", help="beside other versions")
    given = parser.parse_args(argv)
    home = given.folder.resolve()
    if not given.version_folder:
        return build(home)
    code = build(home / version(), "-A", f"version_folder={version()}")
    shutil.rmtree(home / "jupyter_execute", ignore_errors=True)  # MyST's, empty of what is shown
    list_versions(home)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
