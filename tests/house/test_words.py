"""Pages, notebooks, docstrings and messages are spelt right and use the words of the field."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# What this project's authors once wrote, and what a reader of the field expects.
INSTEAD = {
    r"told": "reported, warned, stated, known",
    r"hands? (?:out|over|back)": "pass, return",
    r"on the clock": "elapsed time",
    r"points? the wrong way": "wrong curvature",
    r"second opinions?": "verification solve",
    r"bare points?": "verification solve",
    r"made whole": "rounded and solved again",
    r"ladder": "fallback solvers, strategies",
    r"rungs?": "level",
    r"lanes?": "batched chain",
    r"runners?": "backend, strategy",
    r"lets? go": "excluded, dropped",
    r"worst measure": "largest residual",
    r"hushed": "rounding-limited",
    r"corners?": "vertex",
    r"by the wall": "elapsed time",
    r"contenders?": "methods",
    r"a priori": "in advance",
    r"of one's own": "your own",
    r"let alone": "and certainly not",
    r"as it were": "(nothing)",
    r"(?<!chosen )(?-i:elsewhere)": "on workers, in other cells, on the network",  # not the class
    r"swallows?": "catch",
    r"believed?": "trusted, accepted",
    r"whence": "from which",
}
IDIOM = re.compile(rf"\b(?:{'|'.join(INSTEAD)})\b", re.IGNORECASE)
CODE = re.compile(
    r"^```.*?^```$|`[^`\n]*`|\]\([^)]*\)|^ *(?:>>>|\.\.\.) [^\n]*", re.MULTILINE | re.DOTALL
)
PAGES = [
    page
    for where in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/**/*.md", ".github/**/*.md")
    for page in ROOT.glob(where)
]
NOTEBOOKS = sorted((ROOT / "notebooks").rglob("*.ipynb"))
SOURCES = [
    *(path for top in ("lexiprog", "lexiprog_boost") for path in (ROOT / top).rglob("*.py")),
    *(ROOT / "notebooks").glob("*.py"),
]


def explained(path: Path) -> str:
    """The prose of a file: a page, a notebook's text, or a module's docstrings and messages."""
    if path.suffix == ".md":
        return path.read_text()
    if path.suffix == ".ipynb":
        cells = json.loads(path.read_text())["cells"]
        return "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    nodes = list(ast.walk(ast.parse(path.read_text())))
    named = [n for n in nodes if isinstance(n, ast.Module | ast.ClassDef | ast.FunctionDef)]
    docstrings = [ast.get_docstring(node) or "" for node in named]
    inside = {id(node.body[0].value) for node in named if isinstance(node.body[0], ast.Expr)}
    texts = [n.value for n in nodes if isinstance(n, ast.Constant) and id(n) not in inside]
    return "\n\n".join([*docstrings, *(text for text in texts if " " in str(text))])


def idioms(text: str) -> list[str]:
    """Every idiom of a text with the words around it; code and addresses are no prose."""
    prose = CODE.sub(" ", text)
    return [prose[max(found.start() - 30, 0) : found.end() + 30] for found in IDIOM.finditer(prose)]


@pytest.mark.parametrize("group", [PAGES, NOTEBOOKS, SOURCES], ids=["pages", "notebooks", "docs"])
def test_the_words_are_those_of_the_field(group):
    found = {path.relative_to(ROOT).as_posix(): idioms(explained(path)) for path in group}
    assert not {name: there for name, there in found.items() if there}


def test_an_idiom_is_found_and_code_is_none(tmp_path):
    message = tmp_path / "module.py"
    message.write_text('raise ValueError(f"{row} was let go: {1}.")\n')
    assert [found.strip() for found in idioms(explained(message))] == ["was let go:"]
    assert idioms("Digits are told apart here.") == ["Digits are told apart here."]
    assert not idioms("`corner` [a](corner.md)\n```python\ncorner = 1\n```\n")


def test_the_spelling_is_right(tmp_path):
    pytest.importorskip("codespell_lib")  # of the extra `test`
    for path in NOTEBOOKS:
        (tmp_path / path.with_suffix(".txt").name).write_text(explained(path))
    command = [sys.executable, "-m", "codespell_lib", "--toml", ROOT / "pyproject.toml"]
    checked = [*PAGES, ROOT / "CHANGELOG.md", ROOT / "lexiprog", ROOT / "lexiprog_boost", tmp_path]
    done = subprocess.run([*command, *checked], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
