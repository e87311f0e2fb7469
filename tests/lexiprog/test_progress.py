"""progress=True shows a bar that counts subproblems; without it nothing is written."""

import cvxpy as cp

import lexiprog as lx


def program():
    x = cp.Variable(name="x")
    a = lx.Subproblem("a", cp.Minimize(x), [x >= 1])
    b = lx.Subproblem("b", cp.Minimize(x), [x >= a.optimum])
    return lx.Program(lx.Stage("one", a), lx.Stage("two", b))


def test_the_bar_counts_every_subproblem(capsys):
    program().solve(progress=True)
    shown = capsys.readouterr().err
    assert "2/2" in shown
    assert "100%" in shown


def test_the_bar_starts_from_what_was_resumed(capsys):
    declared = program()
    result = declared.solve()
    declared.solve(progress=True, resume=result)
    assert "0/2" not in capsys.readouterr().err


def test_by_default_nothing_is_written(capfd):
    program().solve()
    program().solve("CLARABEL", workers=2)
    assert capfd.readouterr() == ("", "")
