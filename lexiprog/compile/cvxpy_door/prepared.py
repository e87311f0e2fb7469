"""Compile a problem for one solver, with a chain of reductions that we have looked through."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import cvxpy as cp
import cvxpy.settings as s

from lexiprog.aliases import FreshOptions
from lexiprog.compile.cvxpy_door.filling import Filling
from lexiprog.compile.cvxpy_door.numbers import Compiled
from lexiprog.compile.cvxpy_door.straight import Straight
from lexiprog.compile.cvxpy_door.version import CvxpyMismatch
from lexiprog.declare.leaves import CVXPY_LOCK
from lexiprog.solvers.solver import Target

if TYPE_CHECKING:
    from cvxpy.reductions.solvers.solving_chain import SolvingChain

# As fast as any on large data, and the only one that stays fast with large parameters (1e3 x 20:
# 0.01 s, SCIPY 2.4 s). The choice is not part of CVXPY's cache key, so make one.
BACKEND = "COO"


class Prepared:
    """A problem for one solver, with a chain of reductions that we have looked through.

    CVXPY keeps one compiled form a problem and drops it when the solver changes, so each of
    these has a problem of its own.
    """

    def __init__(self, problem: cp.Problem, *, gp: bool = False, dpp: bool = True) -> None:
        self._problem = cp.Problem(problem.objective, problem.constraints)
        self._gp, self._ignore_dpp = gp, not dpp
        self._chain: SolvingChain | None = None
        self._straight: Straight | None = None
        self._filling: Filling | None = None
        self._tried = False  # whether there is a quicker way than CVXPY's was asked already

    def compile(self, solver: Target, options: FreshOptions) -> Compiled:
        """Numbers at the parameters' values of the moment; quick after the first time."""
        start = time.perf_counter()
        with CVXPY_LOCK:
            if not self._tried and solver == "HIGHS" and not self._gp and not self._ignore_dpp:
                problem = self._problem
                self._straight = Straight.of([problem.objective], problem.constraints)
            if self._straight is not None:
                found: Compiled = self._straight.compile()[0]
            elif self._filling is not None and self._chain is not None:
                for reduction in self._chain.reductions:
                    reduction.update_parameters(self._problem)
                found = self._filling.fill(options)
            else:
                found = self._by_cvxpy(solver, options)
                if not self._tried and self._is_parametric(found):
                    self._filling = Filling.of(found)
                    if self._filling is not None:  # as ever after, for the same units
                        found = self._filling.fill(options)
            self._tried = True
        return replace(found, seconds=time.perf_counter() - start)

    def _is_parametric(self, compiled: Compiled) -> bool:
        """Whether CVXPY itself would fill the same program again, at other parameter values."""
        program = self._problem._cache.param_prog  # noqa: SLF001
        return program is not None and program is compiled.data[s.PARAM_PROB]

    def _by_cvxpy(self, solver: Target, options: FreshOptions) -> Compiled:
        with warnings.catch_warnings():
            # CVXPY's analysis multiplies infinite bounds by zeros: noise, no fault of the model.
            warnings.filterwarnings("ignore", message="invalid value encountered", module="cvxpy")
            # Its reductions do what it warns its users of.
            warnings.filterwarnings("ignore", "\\s*You didn't specify the order", FutureWarning)
            if self._chain is None:
                self._chain = self._without_guessed_bounds(solver, options)
            data, chain, inverse = self._problem.get_problem_data(
                solver, gp=self._gp, ignore_dpp=self._ignore_dpp, canon_backend=BACKEND,
                solver_opts=dict(options),
            )  # fmt: skip
        if chain is not self._chain:
            raise CvxpyMismatch(
                f"CVXPY {cp.__version__} compiled with a chain of reductions of its own in place "
                "of the one that lexiprog had prepared, so that bounds which it only guesses may "
                "cut off the optimum. Install a supported version, and please report this."
            )
        return Compiled(chain, data, inverse, 0.0)

    def _without_guessed_bounds(self, solver: Target, options: FreshOptions) -> SolvingChain:
        """Put a chain of reductions in the problem's cache that bounds no auxiliary variable.

        CVXPY 1.9.3 guesses bounds of the variables it adds for maxima, norms and the like by
        interval arithmetic in which zero times infinity may end as zero. A wrong one cuts off
        the optimum, and nothing that is computed from the compiled numbers can tell. They are
        redundant anyway.
        """
        problem = self._problem
        name = solver.upper() if isinstance(solver, str) else solver
        chain = problem._construct_chain(  # noqa: SLF001
            solver=name, gp=self._gp, ignore_dpp=self._ignore_dpp, canon_backend=BACKEND,
            solver_opts=dict(options),
        )  # fmt: skip
        if chain.solver_context is not None:
            chain.solver_context.solver_supports_bounds = False
        cache = problem._cache  # noqa: SLF001
        cache.invalidate()
        cache.key = cache.make_key(name, self._gp, self._ignore_dpp, options.get("use_quad_obj"))
        cache.solving_chain = chain
        problem._solver_cache = {}  # noqa: SLF001
        problem.solver_context = chain.solver_context
        return chain
