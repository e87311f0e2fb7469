"""Hierarchies of convex problems whose later stages use earlier optima."""

from importlib import import_module
from types import ModuleType

import lexiprog.display  # noqa: F401 - registers how outlines are drawn
from lexiprog.backends.remote import Elsewhere, RemoteExecutor
from lexiprog.backends.solver import Solver, SolverChoice
from lexiprog.certify.certificate import Certificate
from lexiprog.errors import (
    DeclarationError,
    Interrupted,
    LexiprogError,
    LexiprogWarning,
    StageError,
    did_you_mean,
)
from lexiprog.fairness.objective import Leximax, Leximin
from lexiprog.formulations.fairness import leximax, leximin
from lexiprog.formulations.goals import Goal, goal_program
from lexiprog.formulations.priorities import preemptive
from lexiprog.formulations.regret import minimax_regret
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.parametric.explorer import Explorer, explore
from lexiprog.parametric.front_record import Frontier
from lexiprog.parametric.pareto import frontier
from lexiprog.parametric.tradeoffs import tradeoff
from lexiprog.parametric.value_function import Tradeoff
from lexiprog.program import Program
from lexiprog.progress import Progress
from lexiprog.results.face_equations import OptimalFace, optimal_face
from lexiprog.results.result import Result
from lexiprog.results.solution import Solution
from lexiprog.scenarios.parameters import Sweep, sweep
from lexiprog.scenarios.solvers import SolverComparison, compare_solvers
from lexiprog.status import Status

__version__ = "0.2.0"  # the one place: pyproject.toml reads it from here

__all__ = [
    "Certificate",
    "DeclarationError",
    "Elsewhere",
    "Explorer",
    "Frontier",
    "Goal",
    "Interrupted",
    "Leximax",
    "Leximin",
    "LexiprogError",
    "LexiprogWarning",
    "OptimalFace",
    "Program",
    "Progress",
    "RemoteExecutor",
    "Result",
    "Solution",
    "Solver",
    "SolverChoice",
    "SolverComparison",
    "Stage",
    "StageError",
    "Status",
    "Subproblem",
    "Sweep",
    "Tradeoff",
    "compare_solvers",
    "explore",
    "frontier",
    "goal_program",
    "leximax",
    "leximin",
    "minimax_regret",
    "optimal_face",
    "preemptive",
    "sweep",
    "tradeoff",
]


def __getattr__(name: str) -> ModuleType:
    """``lexiprog.plots``, imported when it is first asked for."""
    if name == "plots":
        return import_module("lexiprog.plots")
    raise AttributeError(
        f"module 'lexiprog' has no attribute {name!r}.{did_you_mean(name, __all__)}"
    )
