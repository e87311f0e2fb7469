"""Every notebook runs from top to bottom, quietly, and prints what it was committed with."""

import os
import re
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent.parent / "notebooks"
NAMES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("[!.]*.ipynb"))
# What the gallery may ask for and not every environment has; without it a notebook is not run.
CLIENTS = re.compile(
    r"^(?:from|import) (abcvoting|cobra|gurobi_optimods|sortition_algorithms)\b", re.MULTILINE
)
# Durations, and what is only rounding, differ from machine to machine.
UNSTEADY = re.compile(r"\d+(\.\d+)? ?(µs|ms|s)\b|-?\d(\.\d+)?e-\d\d?")
# Scores are shown with two digits. Another processor may break a tie inside a tree the other way,
# which moves one point of a few hundred and with it the last digit.
SCORE = re.compile(r"\b0\.\d\d\b")

pytestmark = pytest.mark.slow


def read(name):
    return nbformat.read(FOLDER / name, as_version=4)


def cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def complaints(notebook):
    """Errors and what went to stderr, cell by cell."""
    return [
        output.get("evalue") or output.get("ename") or output.text
        for cell in cells(notebook)
        for output in cell.outputs
        if output.output_type == "error" or output.get("name") == "stderr"
    ]


def absent(notebook):
    """Why a notebook cannot be run here: a client's package or its data are missing."""
    for cell in cells(notebook):
        for package in CLIENTS.findall(cell.source):
            if find_spec(package) is None:
                return f"{package} is not installed (pip install 'lexiprog[clients]')"
        for output in cell.outputs:
            if output.get("ename") == "Missing":
                return output.evalue
    return None


def printed(cell):
    text = "".join(output.text for output in cell.outputs if output.get("name") == "stdout")
    return UNSTEADY.sub("~", text)


def assert_same(now, before, source):
    """The same words and numbers; scores may differ by one in their last digit."""
    assert SCORE.sub("#", now) == SCORE.sub("#", before), source
    for ours, theirs in zip(SCORE.findall(now), SCORE.findall(before), strict=True):
        assert abs(float(ours) - float(theirs)) < 0.015, source


def kinds(cell):
    """What a cell shows, whatever it contains; a busy kernel sends printed text in pieces."""
    shown = [sorted(output.get("data", {"text": ""})) for output in cell.outputs]
    return [kind for kind, before in zip(shown, [None, *shown], strict=False) if kind != before]


def execute(notebook, folder=FOLDER):
    client = NotebookClient(
        notebook,
        timeout=300,
        resources={"metadata": {"path": str(folder)}},
        kernel_name="python3",
        allow_errors=True,
    )
    # The tests draw into files; a notebook draws into itself, as it does for its reader.
    return client.execute(env={k: v for k, v in os.environ.items() if k != "MPLBACKEND"})


def test_there_are_notebooks():
    assert len(NAMES) >= 15


@pytest.mark.parametrize("name", NAMES)
def test_notebook_runs_quietly_and_shows_what_was_committed(name):
    committed = read(name)
    if reason := absent(committed):
        pytest.skip(reason)
    fresh = execute(read(name), (FOLDER / name).parent)
    if reason := absent(fresh):
        pytest.skip(reason)
    assert complaints(fresh) == []
    for before, now in zip(cells(committed), cells(fresh), strict=True):
        assert_same(printed(now), printed(before), before.source)
        assert kinds(now) == kinds(before), before.source


@pytest.mark.parametrize("name", NAMES)
def test_notebook_was_committed_as_run_from_the_top(name):
    notebook = read(name)
    assert complaints(notebook) == []
    counts = [cell.execution_count for cell in cells(notebook)]
    assert counts == list(range(1, len(counts) + 1))


@pytest.mark.parametrize("name", NAMES)
def test_what_was_committed_names_only_solvers_that_make_installs(name):
    shown = str([cell.outputs for cell in cells(read(name))])
    assert not re.search(r"\b(GUROBI|MOSEK|CPLEX|XPRESS|COPT|SCIP|CBC|GLPK)\b", shown)


@pytest.mark.parametrize(
    ("now", "same"), [("a 0.74 1.25", True), ("a 0.77 1.25", False), ("a 0.75 1.26", False)]
)
def test_another_number_would_be_noticed(now, same):
    with nullcontext() if same else pytest.raises(AssertionError):
        assert_same(now, "a 0.75 1.25", "")


def test_a_progress_bar_warns_of_nothing_without_ipywidgets():
    code = """import cvxpy as cp
import lexiprog as lx
x = cp.Variable(nonneg=True)
lx.Program(lx.Stage("one", lx.Subproblem("x", cp.Minimize(x)))).solve(progress=True);"""
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(code)]
    shown = "".join(map(str, execute(notebook).cells[0].outputs))
    assert "problem" in shown or "HBox" in shown
    assert "Warning" not in shown


def test_only_what_is_absent_is_an_excuse(monkeypatch):
    monkeypatch.setitem(globals(), "find_spec", lambda name: None)
    notebook = nbformat.v4.new_notebook()
    for code, excused in {
        "import cobra.io": True,
        "import lexiprog": False,
        "1 / 0": False,
    }.items():
        notebook.cells = [nbformat.v4.new_code_cell(code)]
        assert bool(absent(notebook)) == excused


def test_errors_and_warnings_would_be_noticed():
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [
        nbformat.v4.new_code_cell("import sys; print('careful', file=sys.stderr)"),
        nbformat.v4.new_code_cell("1 / 0"),
    ]
    assert complaints(execute(notebook)) == ["careful\n", "division by zero"]
