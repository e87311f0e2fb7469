"""A StageError as a picture: where it stops, the conflict, who was asked, and what is left."""

import cvxpy as cp
import pytest

import lexiprog as lx
from lexiprog import errors as notebook
from tests.lexiprog.display.test_diagram import Strict


def failing():
    x = cp.Variable(2, bounds=[0, 10], name="x")
    cost, rye = 3 * x[0] + x[1], (2 * x[0] + x[1] >= 8).set_label("rye <&>")
    demand = [x[0] + 2 * x[1] >= 8, rye]
    cheap = lx.Subproblem("cheap", cp.Minimize(cost), demand)
    later = lx.Subproblem("later", cp.Minimize(x[0]), [*demand, x[1] <= 1.5, cheap.held()])
    last = lx.Subproblem("last", cp.Minimize(x[1]), [*demand, later.held()])
    return lx.Program(lx.Stage("one", cheap), lx.Stage("two", later), lx.Stage("three", last))


@pytest.fixture(scope="module")
def error():
    with pytest.raises(lx.StageError) as caught:
        failing().solve(["HIGHS", "CLARABEL"])
    return caught.value


def test_the_picture_marks_the_failed_problem_and_says_why(error):
    page = Strict(error._repr_html_())
    assert page.count("lx-failed") == 1
    assert page.count("lx-reason") == 1
    assert "later infeasible" in page.text
    assert "These 3 constraints cannot hold together" in page.text
    assert "last not solved" in page.text
    assert "cheap optimum 8" in page.text


def test_the_conflict_is_a_table_with_places_labels_and_relaxations(error):
    page = Strict(error._repr_html_())
    assert "place constraint as written earlier optimum least relaxation" in page.text
    assert "2 rye <&> 2 * x[0] + x[1] >= 8" in page.text
    assert "cheap.held 8.5" in page.text


def test_who_was_asked_is_there_with_how_long_it_took(error):
    assert all(attempt.seconds > 0 for attempt in error.attempts)
    page = Strict(error._repr_html_())
    assert "What was tried solver said in time HIGHS infeasible" in page.text
    assert "1 solved problem is in error.partial" in page.text


def test_a_direction_is_a_table_by_variable():
    z = cp.Variable(2, name="z")
    with pytest.raises(lx.StageError) as caught:
        lx.Program(lx.Stage("only", lx.Subproblem("p", cp.Maximize(z[0]), [z[1] >= z[0]]))).solve()
    text = Strict(caught.value._repr_html_()).text
    assert "Where it improves without limit variable direction z [1., 1.]" in text
    assert "Nothing was solved before." in text


def test_a_failed_problem_is_shown_however_long_its_stage_and_program():
    x = cp.Variable(name="x")
    good = [lx.Subproblem(f"p{k}", cp.Minimize(x), [x >= k]) for k in range(40)]
    bad = lx.Subproblem("bad", cp.Minimize(x), [x >= 1, x <= 0])
    stages = [lx.Stage(f"s{k}", p) for k, p in enumerate(good[:15])]
    stages.append(lx.Stage("long", *good[15:25], bad))
    stages += [lx.Stage(f"t{k}", p) for k, p in enumerate(good[25:])]
    with pytest.raises(lx.StageError) as caught:
        lx.Program(*stages).solve()
    page = Strict(caught.value._repr_html_())
    assert "bad infeasible" in page.text
    assert "16. long" in page.text
    assert page.text.count("further stages") == 2


class Kernel:
    """As much of a notebook's shell as a traceback needs."""

    kernel = property(lambda self: self)
    InteractiveTB = property(lambda self: self)
    cell = "1"

    def get_parent(self):
        return {"header": {"msg_id": self.cell}}

    def structured_traceback(self, kind, error, trace, tb_offset):
        return [f"{kind.__name__}: {error}"]


@pytest.fixture
def shell_is(monkeypatch):
    """What stands for the shell of a notebook in this test."""
    return lambda shell: monkeypatch.setattr(notebook, "_shell", lambda: shell)


def test_a_notebook_gets_the_picture_once_a_cell_and_then_the_trace(error, shell_is, monkeypatch):
    shell, shown = Kernel(), []
    shell_is(shell)
    monkeypatch.setattr(notebook, "_SHOWN", {})
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    assert error._render_traceback_() == [f"StageError: {error}"]
    error._render_traceback_()  # the kernel asks again for its reply
    assert [list(data) for data in shown] == [["text/html", "text/plain"]]
    shell.cell = "2"
    error._render_traceback_()
    assert len(shown) == 2


def test_a_picture_that_cannot_be_drawn_does_not_hide_the_error(error, shell_is, monkeypatch):
    shell_is(Kernel())
    monkeypatch.setattr(type(error), "_repr_html_", lambda self: 1 / 0)
    assert error._render_traceback_() == [f"StageError: {error}"]


def test_without_ipython_the_trace_is_python_s(error, shell_is):
    shell_is(None)
    lines = error._render_traceback_()
    assert lines[0].startswith("Traceback")
    assert str(error) in lines[-1]


def test_a_real_kernel_shows_the_picture_above_the_trace():
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    code = (
        "import cvxpy as cp, lexiprog as lx\n"
        "x = cp.Variable(name='x')\n"
        "p = lx.Subproblem('p', cp.Minimize(x), [x >= 2, x <= 1])\n"
        "lx.Program(lx.Stage('s', p)).solve()"
    )
    page = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    nbclient.NotebookClient(page, allow_errors=True, timeout=120).execute()
    shown = [output for output in page.cells[0].outputs if output.output_type != "stream"]
    assert [output.output_type for output in shown] == ["display_data", "error"]
    assert "What cannot hold together" in shown[0].data["text/html"]
    assert "cannot hold together" in "".join(shown[1].traceback)
