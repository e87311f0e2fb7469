"""Who solves a fair problem that is not linear, or not for HiGHS."""

from __future__ import annotations

from lexiprog.declare.subproblem import Subproblem
from lexiprog.runners.fair.linear import Note
from lexiprog.runners.runner import Runner
from lexiprog.solve.fair.by_sums import LevelsBySums
from lexiprog.solve.fair.by_value import LevelsByValue
from lexiprog.solve.fair.inner import Execute
from lexiprog.solvers.solver import EXACT
from lexiprog.solvers.ways import Way

__all__ = ["fair_runner"]


def fair_runner(execute: Execute, note: Note, subproblem: Subproblem, way: Way) -> Runner:
    """By value where multipliers settle people; by sums where there are none, or fractions."""
    if subproblem.integer or way.solver.is_custom or way.solver.target == EXACT:
        return LevelsBySums(execute)
    return LevelsByValue(execute, note)
