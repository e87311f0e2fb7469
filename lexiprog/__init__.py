"""Hierarchies of convex problems whose later stages use earlier optima."""

from importlib import import_module
from typing import TYPE_CHECKING

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
from lexiprog.formulations.fairness import leximax, leximin, minimax_regret
from lexiprog.formulations.goals import Goal, goal_program
from lexiprog.formulations.least_squares import hierarchical_least_squares
from lexiprog.formulations.priorities import Blend, preemptive
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.program import Program
from lexiprog.progress import Progress
from lexiprog.results.result import Result
from lexiprog.results.solution import Solution
from lexiprog.status import Status

if TYPE_CHECKING:
    from lexiprog.compiled import CompiledProgram, CompiledResult
    from lexiprog.files import read
    from lexiprog.files.bridges import from_gurobi, from_highs, from_linopy, from_pulp
    from lexiprog.formulations.repair import RelaxedProgram, relaxed
    from lexiprog.parametric.explorer import Explorer, explore
    from lexiprog.parametric.front import Frontier
    from lexiprog.parametric.pareto import frontier
    from lexiprog.parametric.tradeoffs import Tradeoff, tradeoff
    from lexiprog.results.face_equations import OptimalFace, optimal_face
    from lexiprog.scenarios.ensemble import ScenarioStage, over
    from lexiprog.scenarios.parameters import Sweep, sweep
    from lexiprog.scenarios.solvers import SolverComparison, compare_solvers

__version__ = "0.3.0"  # the one place: pyproject.toml reads it from here

__all__ = [
    "Blend",
    "Certificate",
    "CompiledProgram",
    "CompiledResult",
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
    "RelaxedProgram",
    "RemoteExecutor",
    "Result",
    "ScenarioStage",
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
    "from_gurobi",
    "from_highs",
    "from_linopy",
    "from_pulp",
    "frontier",
    "goal_program",
    "hierarchical_least_squares",
    "leximax",
    "leximin",
    "minimax_regret",
    "optimal_face",
    "over",
    "preemptive",
    "read",
    "relaxed",
    "sweep",
    "tradeoff",
]

# Public names whose modules are imported when one of them is first used.
_LATER = {
    "CompiledProgram": "lexiprog.compiled",
    "CompiledResult": "lexiprog.compiled",
    "from_gurobi": "lexiprog.files.bridges",
    "from_highs": "lexiprog.files.bridges",
    "from_linopy": "lexiprog.files.bridges",
    "from_pulp": "lexiprog.files.bridges",
    "read": "lexiprog.files",
    "RelaxedProgram": "lexiprog.formulations.repair",
    "relaxed": "lexiprog.formulations.repair",
    "ScenarioStage": "lexiprog.scenarios.ensemble",
    "over": "lexiprog.scenarios.ensemble",
    "Explorer": "lexiprog.parametric.explorer",
    "explore": "lexiprog.parametric.explorer",
    "Frontier": "lexiprog.parametric.front",
    "frontier": "lexiprog.parametric.pareto",
    "tradeoff": "lexiprog.parametric.tradeoffs",
    "Tradeoff": "lexiprog.parametric.tradeoffs",
    "OptimalFace": "lexiprog.results.face_equations",
    "optimal_face": "lexiprog.results.face_equations",
    "Sweep": "lexiprog.scenarios.parameters",
    "sweep": "lexiprog.scenarios.parameters",
    "SolverComparison": "lexiprog.scenarios.solvers",
    "compare_solvers": "lexiprog.scenarios.solvers",
}


def __getattr__(name: str) -> object:
    """``lexiprog.plots`` and the names of optional packages, imported when first asked for."""
    if name == "plots":
        return import_module("lexiprog.plots")
    if name in _LATER:
        value = globals()[name] = getattr(import_module(_LATER[name]), name)
        return value
    raise AttributeError(
        f"module 'lexiprog' has no attribute {name!r}.{did_you_mean(name, __all__)}"
    )


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, "plots"})
