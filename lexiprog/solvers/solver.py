"""Which solver runs on which subproblem, and with what options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from types import MappingProxyType

import cvxpy as cp

from lexiprog.aliases import NUMBERS, FreshOptions, Options
from lexiprog.errors import LexiprogError
from lexiprog.kinds import is_integer_kind
from lexiprog.proof.certificate import TOLERANCE
from lexiprog.solvers.custom_solver import CustomSolver, SolverInterface
from lexiprog.solvers.machine import installed, is_installed
from lexiprog.solvers.options import unknown_option
from lexiprog.solvers.words import SHARPER, SHARPER_MIP, words_of
from lexiprog.spelling import did_you_mean

__all__ = [
    "CustomSolver",
    "Ladder",
    "Solver",
    "SolverChoice",
    "UnknownSolver",
    "default_ladder",
    "resolve",
]

# A name, an object with solve(problem), or an interface of CVXPY's own kind.
Target = str | CustomSolver | SolverInterface
EXACT = "EXACT"
# Whatever CVXPY has a name for, installed or not.
_SOLVERS = [key for key, value in vars(cp).items() if key.isupper() and key == value]


@cache
def has_exact() -> bool:
    """Whether linear programs can be solved in rational numbers here."""
    return find_spec("flint") is not None


class UnknownSolver(LexiprogError, LookupError):
    """A solver, option, stage or subproblem was named that does not exist here."""


@dataclass(frozen=True, init=False)
class Solver:
    """A solver with options; names are CVXPY's.

    Use it wherever a name would do and the defaults do not: options, a gap, a time limit.

    Parameters
    ----------
    name : str or object
        A solver CVXPY knows (``"HIGHS"``), an instance of CVXPY's custom-solver class, or an
        object with ``solve(problem)``, which runs alone and is believed only as far as the
        certificate goes.
    accept : float
        Largest certificate measure that still counts as optimal.
    gap : float, optional
        Relative gap accepted for integer problems and given to the solver, whose own option
        (``mip_rel_gap``, ``MIPGap``) is the same wish; as ``accept`` if not given.
    time_limit : float, optional
        Seconds for one subproblem, retries included. What an integer search has found by then is
        taken, status "within_gap", with a warning; if ``gap`` is given, only within that gap.
        HIGHS, GUROBI, SCIP, SCIPY, CBC, COPT, CPLEX, GLPK_MI, MOSEK, XPRESS, CLARABEL, OSQP, SCS
        and PDLP can be stopped; others, ECOS and ECOS_BB among them, cannot.
    **options
        Passed to the solver as they are.

    Examples
    --------
    >>> import lexiprog as lx
    >>> lx.Solver("CLARABEL", tol_gap_abs=1e-9)
    Solver('CLARABEL', tol_gap_abs=1e-09)
    """

    target: Target
    accept: float = TOLERANCE
    gap: float | None = None
    time_limit: float | None = None
    options: Options = field(default_factory=dict)

    def __init__(
        self,
        name: Target,
        *,
        accept: float = TOLERANCE,
        gap: float | None = None,
        time_limit: float | None = None,
        **options: object,
    ) -> None:
        target = name.upper() if isinstance(name, str) else name
        words = words_of(str(target))
        gap = words.wish("gap", options) if gap is None else gap
        time_limit = words.wish("time", options) if time_limit is None else time_limit
        for label, value in (("accept", accept), ("gap", gap), ("time_limit", time_limit)):
            if value is not None and not (isinstance(value, NUMBERS) and value >= 0):
                raise ValueError(
                    f"Solver({name!r}): {label} must be a number of at least 0, not {value!r}."
                )
        object.__setattr__(self, "target", target)
        object.__setattr__(self, "accept", float(accept))
        object.__setattr__(self, "gap", gap)
        object.__setattr__(self, "time_limit", time_limit)
        object.__setattr__(self, "options", MappingProxyType(options))

    @property
    def name(self) -> str:
        """How results and errors call it."""
        if isinstance(self.target, str):
            return self.target
        own = getattr(self.target, "name", None)
        return str(own() if callable(own) else own or type(self.target).__name__)

    @property
    def is_custom(self) -> bool:
        """Whether it solves CVXPY problems itself, outside of CVXPY's pipeline."""
        return not isinstance(self.target, str) and not hasattr(self.target, "solve_via_data")

    def options_for(self, *, integer: bool) -> FreshOptions:
        """A fresh copy of the options with our defaults beneath the user's."""
        options: FreshOptions = dict(SHARPER.get(self.name, {}))
        if integer:
            options |= SHARPER_MIP.get(self.name, {})
        # Some CVXPY interfaces write into the dictionaries they are given.
        given = {k: dict(v) if isinstance(v, dict) else v for k, v in self.options.items()}
        nested = given.get("highs_options", {})
        out = {key: value for key, value in options.items() if key not in nested} | given
        if integer and self.gap is not None:
            words_of(self.name).put("gap", self.gap, out)
        return out

    def also(self, **more: object) -> Solver:
        """The same with further options."""
        own = {name: getattr(self, name) for name in ("accept", "gap", "time_limit")}
        return Solver(self.target, **own, **(dict(self.options) | more))

    def __repr__(self) -> str:
        shown: dict[str, object] = {} if self.accept == TOLERANCE else {"accept": self.accept}
        wishes = (("gap", "gap", self.gap), ("time_limit", "time", self.time_limit))
        shown |= {
            label: value
            for label, word, value in wishes
            if value is not None and value != words_of(self.name).wish(word, self.options)
        }
        shown |= dict(self.options)
        parts = [repr(self.name), *(f"{k}={v!r}" for k, v in shown.items())]
        return f"Solver({', '.join(parts)})"


Ladder = tuple[Solver, ...]
# One way to name a solver, several to be tried in turn, and what `Program.solve` takes.
OneSolver = Solver | Target
SolverOrLadder = OneSolver | Sequence[OneSolver]
SolverChoice = SolverOrLadder | Mapping[str, SolverOrLadder] | None


def default_ladder(kind: str) -> Ladder:
    """HIGHS for linear problems, CLARABEL for the rest, each with a second opinion.

    CLARABEL takes no integers: there, the first installed solver that does is asked.
    """
    if kind == "MILP":
        return (Solver("HIGHS"),)
    if kind == "LP":
        last = (Solver(EXACT),) if has_exact() else ()
        return (Solver("HIGHS"), Solver("HIGHS", presolve="off"), Solver("CLARABEL"), *last)
    if is_integer_kind(kind):
        names = ("GUROBI", "MOSEK", "SCIP", "XPRESS", "ECOS_BB")
        return tuple(Solver(name) for name in names if name in installed())
    conic = (Solver("CLARABEL"), Solver("CLARABEL", equilibrate_enable=False))
    # ECOS has another licence (GPL-3), so people may have to do without it.
    return (*conic, Solver("ECOS")) if "ECOS" in installed() else conic


def resolve(
    choice: SolverChoice, stages: Mapping[str, tuple[Sequence[str], SolverOrLadder | None]]
) -> dict[str, Ladder | None]:
    """A ladder (or None: the default) for every subproblem.

    Parameters
    ----------
    choice : object
        What the user gave to ``solve``: a name, Solver, object, list of these, or a mapping
        from stage and subproblem names to these.
    stages : mapping
        Stage name to (its subproblems' names, its own solver).
    """
    by_name: Mapping[str, SolverOrLadder] = choice if isinstance(choice, Mapping) else {}
    general = None if isinstance(choice, Mapping) else choice
    known = {name for stage, (names, _) in stages.items() for name in (stage, *names)}
    for name in by_name:
        if name not in known:
            raise UnknownSolver(
                f"solver choice for {name!r}, which is no stage or subproblem of this program; "
                f"it has {', '.join(map(repr, sorted(known)))}.{did_you_mean(name, known)}"
            )
    table: dict[str, Ladder | None] = {}
    for stage, (names, own) in stages.items():
        for name in names:
            picked = next(
                (c for c in (by_name.get(name), by_name.get(stage), own, general) if c is not None),
                None,
            )
            table[name] = None if picked is None else _ladder(picked, name)
    return table


def _ladder(choice: SolverOrLadder, where: str) -> Ladder:
    if isinstance(choice, str) or not isinstance(choice, Sequence):
        return (_solver(choice, where),)
    if not choice:
        raise UnknownSolver(f"the solver ladder for {where!r} is empty: name at least one solver.")
    return tuple(_solver(rung, where) for rung in choice)


def _solver(choice: OneSolver, where: str) -> Solver:
    solver = choice if isinstance(choice, Solver) else Solver(choice)
    if solver.target == EXACT:
        if not has_exact():
            raise UnknownSolver(
                f"solver 'EXACT', asked for {where!r}, needs python-flint: "
                "pip install 'lexiprog[exact]'."
            )
    elif isinstance(solver.target, str):
        if not is_installed(solver.target):
            raise UnknownSolver(
                f"solver {solver.target!r}, asked for {where!r}, is not installed; "
                f"installed are {', '.join(sorted(installed()))}."
                f"{did_you_mean(solver.target, [*installed(), *_SOLVERS])}"
            )
        if (unknown := unknown_option(solver.target, solver.options)) is not None:
            raise UnknownSolver(f"solver choice for {where!r}: {unknown}")
    elif solver.is_custom and not isinstance(solver.target, CustomSolver):
        raise UnknownSolver(
            f"{solver.target!r}, asked for {where!r}, is no solver: give a name, a lexiprog.Solver "
            "or an object with a method solve(problem)."
        )
    return solver
