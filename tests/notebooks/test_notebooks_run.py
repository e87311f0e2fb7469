"""Every notebook runs from top to bottom, quietly, and prints what it was committed with."""

import os
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent.parent / "notebooks"
NAMES = sorted(path.name for path in FOLDER.glob("*.ipynb"))
# Durations, and what is only rounding, differ from machine to machine.
UNSTEADY = re.compile(r"\d+(\.\d+)? ?(µs|ms|s)\b|-?\d(\.\d+)?e-\d\d?")

pytestmark = pytest.mark.slow


def read(name):
    return nbformat.read(FOLDER / name, as_version=4)


def cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def complaints(notebook):
    """Errors and what went to stderr, cell by cell."""
    return [
        output.get("evalue") or output.text
        for cell in cells(notebook)
        for output in cell.outputs
        if output.output_type == "error" or output.get("name") == "stderr"
    ]


def printed(cell):
    text = "".join(output.text for output in cell.outputs if output.get("name") == "stdout")
    return UNSTEADY.sub("~", text)


def kinds(cell):
    """What a cell shows, whatever it contains; a busy kernel sends printed text in pieces."""
    shown = [sorted(output.get("data", {"text": ""})) for output in cell.outputs]
    return [kind for kind, before in zip(shown, [None, *shown], strict=False) if kind != before]


def execute(notebook):
    client = NotebookClient(
        notebook,
        timeout=300,
        resources={"metadata": {"path": str(FOLDER)}},
        kernel_name="python3",
        allow_errors=True,
    )
    # The tests draw into files; a notebook draws into itself, as it does for its reader.
    return client.execute(env={k: v for k, v in os.environ.items() if k != "MPLBACKEND"})


def test_there_are_notebooks():
    assert len(NAMES) >= 4


@pytest.mark.parametrize("name", NAMES)
def test_notebook_runs_quietly_and_shows_what_was_committed(name):
    committed, fresh = read(name), execute(read(name))
    assert complaints(fresh) == []
    for before, now in zip(cells(committed), cells(fresh), strict=True):
        assert printed(now) == printed(before), before.source
        assert kinds(now) == kinds(before), before.source


@pytest.mark.parametrize("name", NAMES)
def test_notebook_was_committed_as_run_from_the_top(name):
    notebook = read(name)
    assert complaints(notebook) == []
    counts = [cell.execution_count for cell in cells(notebook)]
    assert counts == list(range(1, len(counts) + 1))


def test_errors_and_warnings_would_be_noticed():
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [
        nbformat.v4.new_code_cell("import sys; print('careful', file=sys.stderr)"),
        nbformat.v4.new_code_cell("1 / 0"),
    ]
    assert complaints(execute(notebook)) == ["careful\n", "division by zero"]
