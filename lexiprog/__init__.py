"""Hierarchies of convex problems whose later stages use earlier optima."""

from importlib.metadata import PackageNotFoundError, version

from lexiprog.certificate import Certificate
from lexiprog.errors import (
    DeclarationError,
    Interrupted,
    LexiprogError,
    LexiprogWarning,
    StageError,
)
from lexiprog.program import Program
from lexiprog.result import Result
from lexiprog.solution import Solution
from lexiprog.solver import Solver
from lexiprog.stage import Stage
from lexiprog.subproblem import Subproblem

try:
    __version__ = version("lexiprog")
except PackageNotFoundError:  # running from a checkout that was not installed
    __version__ = "0+unknown"

__all__ = [
    "Certificate",
    "DeclarationError",
    "Interrupted",
    "LexiprogError",
    "LexiprogWarning",
    "Program",
    "Result",
    "Solution",
    "Solver",
    "Stage",
    "StageError",
    "Subproblem",
]
