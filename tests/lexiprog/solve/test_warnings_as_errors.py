"""A warning that the caller turns into an error reaches the caller as that warning."""

import warnings

import cvxpy as cp
import pytest

import lexiprog as lx


def test_a_warning_made_an_error_is_not_taken_for_a_failed_solver():
    disk = cp.Variable(2, name="disk")
    program = lx.preemptive(
        {"right": cp.Maximize(disk[0]), "up": cp.Maximize(disk[1])}, [cp.norm(disk) <= 1]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", lx.LexiprogWarning)
        with pytest.raises(lx.LexiprogWarning, match="'up'"):
            program.solve(lx.Solver("SCS"))
