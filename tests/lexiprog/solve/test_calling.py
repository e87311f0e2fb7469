"""What is told of a try that broke, and when further tries would be idle."""

import cvxpy as cp
import pytest

import lexiprog as lx
from lexiprog.deadline import Deadline
from lexiprog.errors import Attempt
from lexiprog.solve.driver import at_once, failed, is_solvers_fault, settled, shielded
from lexiprog.status import Fault, Status


class Task:
    """Something to run, with a watch."""

    def __init__(self):
        self.deadline = Deadline(seconds=100.0)


class Raises:
    """A runner that raises."""

    def __init__(self, error):
        self.error = error

    def run(self, task):
        assert task.deadline.used >= 0.0
        raise self.error


class Panic(BaseException):
    """As native code raises it: no exception that anybody catches."""


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(), ValueError("odd")])
def test_what_can_be_caught_is_raised_as_it_is(error):
    with pytest.raises(type(error)) as caught:
        shielded(Raises(error), Task())
    assert caught.value is error


def test_a_panic_becomes_an_error_that_can_be_told():
    future = at_once(Raises(Panic("index out of bounds")), Task())
    error = future.exception()
    assert isinstance(error, Exception)
    told = failed("CLARABEL", error, Fault.BROKEN)
    assert told.reason == "Panic: index out of bounds"
    assert (told.solver, told.status, told.fault) == ("CLARABEL", Status.FAILED, Fault.BROKEN)


def test_an_error_is_told_on_one_line_with_its_kind():
    assert failed("X", ValueError("two\n  lines"), Fault.BROKEN).reason == "ValueError: two lines"
    assert failed("X", ValueError(), Fault.BROKEN).reason == "ValueError"


def test_another_solver_is_asked_only_where_it_may_do_better():
    assert is_solvers_fault(cp.error.SolverError("no"))
    assert is_solvers_fault(ZeroDivisionError())
    assert not is_solvers_fault(TypeError("ours"))
    assert not is_solvers_fault(lx.LexiprogError("said already"))


@pytest.mark.parametrize("status", [Status.INFEASIBLE, Status.UNBOUNDED])
def test_two_solvers_are_enough_and_one_for_integers_but_none_for_locks(status):
    x, n = cp.Variable(name="x"), cp.Variable(name="n", integer=True)
    plain = lx.Subproblem("plain", cp.Minimize(x), [x >= 1])
    whole = lx.Subproblem("whole", cp.Minimize(n), [n >= 1])
    locked = lx.Subproblem("locked", cp.Minimize(x), [x >= 1, plain.held()])
    one, other = Attempt("HIGHS", status), Attempt("CLARABEL", Status.FAILED)
    fractions = Attempt("EXACT", status)
    assert [settled(plain, tries) for tries in ([], [one], [one, one], [one, fractions])] == [
        False, False, False, True,
    ]  # fmt: skip  # fractions are cheap here, and asked before it is said
    assert [settled(whole, tries) for tries in ([], [other], [one])] == [False, False, True]
    assert not settled(locked, [one, one, one])
