"""Direct results that CVXPY's interfaces stumble over, and solves from several threads."""

import threading
import time

import cvxpy as cp
import numpy as np
import pytest

import lexiprog as lx
from lexiprog import cvxpy_adapter
from lexiprog.compile.answer import Answer
from lexiprog.status import Status


def program():
    x = cp.Variable(2, nonneg=True, name="x")
    first = lx.Subproblem("first", cp.Minimize(cp.sum(x)), [x >= 1])
    second = lx.Subproblem("second", cp.Maximize(x[0]), [cp.sum(x) <= first.optimum + 1])
    return lx.Program(lx.Stage("a", first), lx.Stage("b", second))


@pytest.mark.parametrize("status", ["kUnknown", "kNotset", "kSolveError", "kMemoryLimit"])
def test_a_status_highs_itself_cannot_explain_is_a_stage_error_with_what_was_solved(
    monkeypatch, status
):
    true_run, calls = cvxpy_adapter.run, []

    def run(compiled, options, **terms):
        calls.append(None)
        found = true_run(compiled, options, **terms)
        return found if len(calls) == 1 else found | {"model_status": status}

    monkeypatch.setattr(cvxpy_adapter, "run", run)
    with pytest.raises(lx.StageError) as caught:
        program().solve("HIGHS")
    assert (caught.value.stage, caught.value.subproblem) == ("b", "second")
    assert caught.value.partial["first"].value == pytest.approx(2.0)
    monkeypatch.undo()
    assert program().solve(["HIGHS", "CLARABEL"])["second"].value == pytest.approx(3.0)


def test_one_program_solved_from_several_threads_gives_each_the_same_answer():
    shared, values = program(), []

    def work():
        values.extend(shared.solve()["second"].value for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(values) == 20
    assert np.allclose(values, 3.0)


@pytest.mark.parametrize("deed", ["raises", "has no point"])
def test_what_a_solver_says_after_its_time_is_over_is_that_there_is_no_point(monkeypatch, deed):
    def run(*_, **__):
        time.sleep(0.06)
        if deed == "raises":
            raise ValueError("too late")

    monkeypatch.setattr(cvxpy_adapter, "run", run)
    monkeypatch.setattr(cvxpy_adapter, "interpret", lambda *_: Answer(Status.INFEASIBLE))
    with pytest.raises(lx.StageError) as caught:
        program().solve("CLARABEL", time_limit=0.05)
    assert caught.value.status == "no_point_at_limit"


def test_a_long_linear_problem_on_highs_itself_has_the_same_optimum_and_multipliers(monkeypatch):
    short = program().solve("HIGHS")
    monkeypatch.setattr("lexiprog.solve.direct.LONG", 0)
    long = program().solve("HIGHS")
    for name in short:
        assert long[name].status == "optimal"
        assert long[name].value == pytest.approx(short[name].value)
        np.testing.assert_allclose(long[name].dual(0), short[name].dual(0), atol=1e-9)
