"""What a solver of the user's own must be able to do."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import cvxpy as cp

__all__ = ["CustomSolver", "SolverInterface"]


@runtime_checkable
class CustomSolver(Protocol):
    """Anything that can be handed a CVXPY problem and sets its variables' values."""

    def solve(self, problem: cp.Problem) -> object:
        """Solve ``problem`` in place."""


class SolverInterface(Protocol):
    """A solver behind an interface of CVXPY's own kind, which is handed compiled numbers."""

    def name(self) -> str:
        """How results and errors call it."""

    def solve_via_data(self, *numbers: object, **options: object) -> object:
        """Solve what was compiled."""
