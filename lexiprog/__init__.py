"""Hierarchies of convex problems whose later stages use earlier optima."""

from importlib import import_module
from types import ModuleType

import lexiprog.show.html  # noqa: F401 - registers how outlines are drawn
from lexiprog.declare.objectives.fairness import Leximax, Leximin
from lexiprog.declare.stage import Stage
from lexiprog.declare.subproblem import Subproblem
from lexiprog.errors import (
    DeclarationError,
    Interrupted,
    LexiprogError,
    LexiprogWarning,
    StageError,
)
from lexiprog.formulations.fairness import leximax, leximin
from lexiprog.formulations.goals import Goal, goal_program
from lexiprog.formulations.priorities import preemptive
from lexiprog.formulations.regret import minimax_regret
from lexiprog.program import Program
from lexiprog.progress import Progress
from lexiprog.proof.certificate import Certificate
from lexiprog.result.face_equations import OptimalFace, optimal_face
from lexiprog.result.result import Result
from lexiprog.result.solution import Solution
from lexiprog.solvers.elsewhere.desk import Elsewhere
from lexiprog.solvers.solver import Solver, SolverChoice
from lexiprog.spelling import did_you_mean
from lexiprog.status import Status
from lexiprog.sweeps.exploring import Explorer, explore
from lexiprog.sweeps.pareto import Frontier, frontier
from lexiprog.sweeps.scenario_table import Sweep
from lexiprog.sweeps.scenarios import sweep
from lexiprog.sweeps.solver_table import SolverComparison
from lexiprog.sweeps.solvers import compare_solvers
from lexiprog.sweeps.tolerances import Tradeoff, tradeoff

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
