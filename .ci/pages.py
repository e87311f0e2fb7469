"""Turn the pages of docs/ into HTML beside the API documentation: `pages.py build/docs`."""

import re
import sys
import tomllib
from pathlib import Path

import markdown2

ROOT = Path(__file__).parent.parent
# "code-friendly" leaves the underscores of m_jt alone.
EXTRAS = ["tables", "fenced-code-blocks", "code-friendly", "cuddled-lists", "header-ids"]
STYLE = "body { max-width: 60em; margin: 2em auto; padding: 0 1em; font-family: sans-serif; } \
pre { background: #f5f5f5; padding: .8em; overflow-x: auto; } \
td, th { border: 1px solid #ddd; padding: .2em .5em; } table { border-collapse: collapse; }"


def page(text: str, source: str) -> str:
    """Render one page; links into the repository lead to where it is kept."""
    title = re.search(r"^# (.*)$", text, re.MULTILINE)
    body = str(markdown2.markdown(text, extras=EXTRAS))
    body = re.sub(r'(href|src)="\.\./', rf'\1="{source}/blob/main/', body)
    body = re.sub(r'href="([\w-]+)\.md(["#])', r'href="\1.html\2', body)
    name = title[1] if title else "lexiprog"
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{name}</title>'
        f"<style>{STYLE}</style></head>\n"
        f'<body>\n<p><a href="index.html">lexiprog</a></p>\n{body}</body>\n</html>\n'
    )


def write_pages(folder: Path) -> list[Path]:
    """Write every page of docs/ to a folder and return the files."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    written = []
    for path in sorted((ROOT / "docs").glob("*.md")):
        written.append(folder / f"{path.stem}.html")
        written[-1].write_text(page(path.read_text(), project["urls"]["Source"]))
    return written


if __name__ == "__main__":
    for file in write_pages(Path(sys.argv[1])):
        print(f"Written: {file}")
