"""Where the links of a Markdown page lead, and the places that a page has to be led to."""

import re
from collections.abc import Iterator
from pathlib import Path

CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?) *$", re.MULTILINE)
ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
# What stands in code and begins like this is a path in the repository.
PATH = re.compile(r"`((?:\.ci|benchmarks|docs|lexiprog|lexiprog_boost|notebooks|tests)/[\w./-]*)`")


def places(text: str) -> set[str]:
    """The fragments that a link may name: anchors, and headings as GitHub spells them."""
    found: list[str] = []
    for heading in HEADING.findall(CODE.sub("", text)):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        repeated = sum(re.sub(r"-\d+$", "", other) == slug for other in found)
        found.append(f"{slug}-{repeated}" if repeated else slug)
    return {*found, *ANCHOR.findall(text)}


def relative_links(text: str) -> Iterator[str]:
    """The targets of all links and pictures that stay in the repository."""
    prose = SPAN.sub("", CODE.sub("", text))
    yield from (goal for goal in LINK.findall(prose) if not re.match(r"[a-z]+:", goal))


def broken(page: Path, root: Path) -> list[str]:
    """List the links of a page that lead to no file, or to no place in it."""
    text = page.read_text()
    complaints = []
    for goal in relative_links(text):
        path, _, fragment = goal.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or not file.is_relative_to(root):
            complaints.append(f"{page.name}: {goal} is not there")
        elif fragment and file.suffix == ".md" and fragment not in places(file.read_text()):
            complaints.append(f"{page.name}: {goal} has no such place")
    complaints += [
        f"{page.name}: `{path}` is not there"
        for path in PATH.findall(CODE.sub("", text))
        if not (root / path).exists()
    ]
    return complaints
