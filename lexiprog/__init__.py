"""Hierarchies of convex problems whose later stages use earlier optima."""

from importlib.metadata import PackageNotFoundError, version

from lexiprog.certificate import Certificate
from lexiprog.compare import compare_solvers
from lexiprog.comparison import SolverComparison
from lexiprog.errors import (
    DeclarationError,
    Interrupted,
    LexiprogError,
    LexiprogWarning,
    StageError,
)
from lexiprog.formulations.goals import Goal, goal_program
from lexiprog.formulations.leximin import Leximax, Leximin, leximax, leximin
from lexiprog.formulations.minimax_regret import minimax_regret
from lexiprog.formulations.preemptive import preemptive
from lexiprog.program import Program
from lexiprog.result import Result
from lexiprog.solution import Solution
from lexiprog.solver import Solver
from lexiprog.stage import Stage
from lexiprog.subproblem import Subproblem
from lexiprog.tradeoff import Tradeoff, tradeoff

try:
    __version__ = version("lexiprog")
except PackageNotFoundError:  # running from a checkout that was not installed
    __version__ = "0+unknown"

__all__ = [
    "Certificate",
    "DeclarationError",
    "Goal",
    "Interrupted",
    "Leximax",
    "Leximin",
    "LexiprogError",
    "LexiprogWarning",
    "Program",
    "Result",
    "Solution",
    "Solver",
    "SolverComparison",
    "Stage",
    "StageError",
    "Subproblem",
    "Tradeoff",
    "compare_solvers",
    "goal_program",
    "leximax",
    "leximin",
    "minimax_regret",
    "preemptive",
    "tradeoff",
]
