"""Which solver runs on which subproblem, and with what options."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.util import find_spec
from types import MappingProxyType
from typing import Protocol, runtime_checkable

import cvxpy as cp
import numpy as np
import scipy.sparse as sp

from lexiprog.errors import LexiprogError, did_you_mean
from lexiprog.model.expressions import is_integer_kind
from lexiprog.model.subproblem import Subproblem
from lexiprog.tolerances import CERTIFIED, FIRST_ORDER_GAP, INTERIOR_GAP, MIP_FEASIBILITY
from lexiprog.typing import NUMBERS, FreshOptions, Options

# What a solver of the user's own must be able to do.


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


# Which solvers there are on this machine.


@cache
def installed() -> tuple[str, ...]:
    """Names of the solvers CVXPY finds on this machine; to look costs more than a small solve."""
    return tuple(cp.installed_solvers())


def is_installed(name: str) -> bool:
    """Whether it is there now: somebody may have installed it since we last looked."""
    if name not in installed():
        installed.cache_clear()
    return name in installed()


# Options that a solver does not know, noticed before anything is solved.

# What CVXPY or this library reads before the solver sees it.
_OURS = {"verbose", "warm_start", "use_quad_obj", "highs_options", "accept_unknown", "gap"}
_ECOS = {
    "abstol",
    "reltol",
    "feastol",
    "abstol_inacc",
    "reltol_inacc",
    "feastol_inacc",
    "max_iters",
}
# Solvers that cannot be asked for all the names of their options, only for one.
_LISTED = {
    "ECOS": _ECOS,
    "ECOS_BB": _ECOS | {"mi_max_iters", "mi_abs_eps", "mi_rel_eps", "mi_verbose"},
    "SCS": {
        "acceleration_interval", "acceleration_lookback", "adaptive_scale", "alpha", "cudss", "eps",
        "eps_abs", "eps_infeas", "eps_rel", "gpu", "linear_solver", "log_csv_filename",
        "max_iters", "mkl", "normalize", "rho_x", "scale", "time_limit_secs", "use_indirect",
        "write_data_filename",
    },
    "SCIPY": {"scipy_options"},
    "EXACT": {"read_as", "time_limit"},
    "DAQP": {
        "cycle_tol", "dual_tol", "eps_prox", "eta_prox", "fval_bound", "iter_limit", "pivot_tol",
        "primal_tol", "progress_tol", "zero_tol",
    },
}  # fmt: skip


# Solvers whose options are keywords of a call, so that only a try tells which there are.
_BY_KEYWORD = ("SCS", "ECOS", "ECOS_BB")


def unknown_option(solver: str, options: Options) -> str | None:
    """A sentence about the first option that the solver called ``solver`` does not know.

    None if it knows them all, or only it can tell.
    """
    for name in options:
        if name in _OURS:
            continue
        known = _LISTED.get(solver) or _asked(solver)
        if known and name not in known and not _takes(solver, name):
            hint = did_you_mean(name, known)
            few = f" It has {', '.join(sorted(known))}." if not hint and len(known) < 20 else ""
            return f"{solver} has no option {name!r}.{hint}{few}"
    return None


def refused_option(solver: str, options: Options) -> str | None:
    """A sentence about the first option whose value the solver called ``solver`` does not take.

    None if it takes them all, or cannot be tried without a problem.
    """
    nested = options.get("highs_options", {})
    if not isinstance(nested, Mapping):
        return f"highs_options must be a dictionary of options, not {nested!r}."
    for name, value in [*options.items(), *nested.items()]:
        if name in _OURS:
            continue
        try:
            said = _said_of(solver, name, value)
        except TypeError:  # not hashable
            said = _said_of.__wrapped__(solver, name, value)
        if said is not None:
            return f"{solver} refuses {name}={value!r}.{said and f' It says: {said}.'}"
    return None


@lru_cache(maxsize=1000, typed=True)
def _said_of(solver: str, name: str, value: object) -> str | None:
    """What a solver says if it refuses an option's value; None if it takes it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of older words; they warn when they are used
            _try_option(solver, name, value)
    except Exception as error:  # noqa: BLE001 - every solver has its own
        if isinstance(error, TypeError) and solver in _BY_KEYWORD and not _takes(solver, name):
            return None  # CVXPY reads it
        said = str(error).strip().partition("\n")[0].rstrip(".")
        return "" if solver in ("HIGHS", "OSQP") else said  # they have numbers alone for it
    return None


def _try_option(solver: str, name: str, value: object) -> None:
    """Give a solver an option, with a problem of one variable if it looks at options only then."""
    row, one = sp.csc_matrix(np.ones((1, 1))), np.ones(1)
    if solver == "HIGHS":
        from lexiprog.backends.highs import try_option

        try_option(name, value)
    elif solver == "CLARABEL":
        import clarabel

        settings = clarabel.DefaultSettings()
        setattr(settings, name, value)
        settings.verbose = False
        clarabel.DefaultSolver(0.0 * row, one, row, one, [clarabel.NonnegativeConeT(1)], settings)
    elif solver == "OSQP":
        import osqp  # type: ignore[import-untyped]

        osqp.OSQP().setup(0.0 * row, one, row, -one, one, verbose=False, **{name: value})
    elif solver == "SCS":
        import scs  # type: ignore[import-untyped]

        scs.SCS({"A": row, "b": one, "c": one}, {"l": 1}, verbose=False, **{name: value})
    elif solver in ("ECOS", "ECOS_BB"):
        import ecos

        ecos.solve(-one, row, one, {"l": 1, "q": []}, verbose=False, **{name: value})


@cache
def _asked(solver: str) -> frozenset[str]:
    """The names of a solver's options, as its own package lists them; empty if it does not."""
    if solver == "HIGHS" and find_spec("highspy"):
        import highspy

        return _names(highspy.HighsOptions())
    if solver == "CLARABEL" and find_spec("clarabel"):
        import clarabel

        return _names(clarabel.DefaultSettings())
    if solver == "OSQP" and find_spec("osqp"):
        import osqp

        settings = getattr(getattr(osqp.OSQP(), "ext", None), "OSQPSettings", None)
        # Older words that CVXPY or OSQP still takes.
        return _names(settings) | {"polish", "warm_start"} if settings else frozenset()
    if solver == "GUROBI" and find_spec("gurobipy"):
        import gurobipy

        return _names(gurobipy.GRB.Param) | {"env", "reoptimize", "save_file", "IISMethod"}
    return frozenset()


def _names(settings: object) -> frozenset[str]:
    return frozenset(name for name in dir(settings) if not name.startswith("_"))


@cache
def _takes(solver: str, name: str) -> bool:
    """Whether a solver takes an option that is not listed, such as one of a newer version."""
    if solver == "HIGHS":
        from lexiprog.backends.highs import knows_option

        return knows_option(name)
    if solver not in _BY_KEYWORD:
        return False
    for value in (1, True):  # numbers, and what is on or off
        try:
            _try_option(solver, name, value)
        except (TypeError, ImportError):
            continue
        except Exception:  # noqa: BLE001 - the name is known, if not the value
            return True
        return True
    return False


# What solvers call a time limit and a gap, and the settings they need to be exact enough.

# Solvers whose factory settings stop short of what a certificate, or a later stage that holds
# the optimum, asks for; what they reach is judged by its certificate, not by their own word.
SHARPER: dict[str, Options] = {
    "CLARABEL": {"tol_gap_abs": INTERIOR_GAP, "tol_gap_rel": INTERIOR_GAP, "accept_unknown": True},
    "ECOS": dict.fromkeys(("abstol", "reltol", "feastol"), INTERIOR_GAP),
    "SCS": {"eps_abs": FIRST_ORDER_GAP, "eps_rel": FIRST_ORDER_GAP, "max_iters": 100_000},
    "OSQP": {
        "eps_abs": FIRST_ORDER_GAP,
        "eps_rel": FIRST_ORDER_GAP,
        "max_iter": 100_000,
        "polishing": True,
    },
}
SHARPER_MIP: dict[str, Options] = {
    "HIGHS": {"mip_rel_gap": 0.0, "mip_feasibility_tolerance": MIP_FEASIBILITY},
    "GUROBI": {"MIPGap": 0.0},
    "SCIPY": {"scipy_options": {"mip_rel_gap": 0.0}},
    "ECOS_BB": {"mi_rel_eps": FIRST_ORDER_GAP, "mi_abs_eps": FIRST_ORDER_GAP},
}


@dataclass(frozen=True)
class Words:
    """What a solver calls the time limit and the relative gap.

    Attributes
    ----------
    time, gap : str
        The options; empty if it has none, as a solver that cannot be stopped.
    inside : str
        The option that holds a dictionary of the two; empty if they stand by themselves.
    also : str
        Another such dictionary, in which users may write them.
    second : float
        One second, in the solver's unit of time.
    least : float
        The shortest limit, for solvers that take no time at all for no limit.
    """

    time: str = ""
    gap: str = ""
    inside: str = ""
    also: str = ""
    second: float = 1.0
    least: float = 0.0

    def read(self, word: str, options: Options) -> float | None:
        """What the options say of "time" or "gap" in the solver's own words."""
        name, unit = getattr(self, word), self.second if word == "time" else 1.0
        for place in (options, options.get(self.inside), options.get(self.also)):
            if name and isinstance(place, Mapping) and place.get(name) is not None:
                try:
                    return float(place[name]) / unit
                except (TypeError, ValueError) as error:
                    raise ValueError(f"{name} must be a number, not {place[name]!r}.") from error
        return None

    def put(self, word: str, value: float, options: FreshOptions) -> None:
        """Write "time" or "gap" into options that may be changed, in the place of what is there."""
        name, unit = getattr(self, word), self.second if word == "time" else 1.0
        if word == "time":
            value = max(value, self.least)
        if not name:
            return
        place = options
        for key in (self.also, self.inside):
            if key and (key == self.inside or name in options.get(key, {})):
                place = options[key] = dict(options.get(key, {}))
                break
        place[name] = value * unit if unit == 1.0 else round(value * unit)


_WORDS = {
    "HIGHS": Words("time_limit", "mip_rel_gap", also="highs_options"),
    "GUROBI": Words("TimeLimit", "MIPGap"),
    "SCIP": Words("limits/time", "limits/gap", inside="scip_params"),
    "SCIPY": Words("time_limit", "mip_rel_gap", inside="scipy_options"),
    "CBC": Words("maximumSeconds", "allowableFractionGap"),
    "COPT": Words("TimeLimit", "RelGap"),
    "CPLEX": Words("timelimit", "mip.tolerances.mipgap", inside="cplex_params"),
    "GLPK_MI": Words("tm_lim", "mip_gap", second=1000.0, least=0.001),
    "MOSEK": Words(
        "MSK_DPAR_OPTIMIZER_MAX_TIME", "MSK_DPAR_MIO_TOL_REL_GAP", inside="mosek_params"
    ),
    "XPRESS": Words("maxtime", "miprelstop"),
    "CLARABEL": Words("time_limit"),
    "OSQP": Words("time_limit", least=0.001),
    "SCS": Words("time_limit_secs", least=0.001),
    "PDLP": Words("time_sec_limit"),
    "ECOS_BB": Words(gap="mi_rel_eps"),
}


def words_of(name: str) -> Words:
    """The words of a solver; none for one that nobody knows, or that cannot be stopped."""
    return _WORDS.get(name, Words())


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
    """A solver, option, value of one, stage or subproblem was named that does not exist here."""


@dataclass(frozen=True, init=False)
class Solver:
    """A solver with options; names are CVXPY's.

    Use it wherever a name would do and the defaults do not: options, a gap, a time limit.

    Parameters
    ----------
    name : str or object
        A solver CVXPY knows (``"HIGHS"``), an instance of CVXPY's custom-solver class, or an
        object with ``solve(problem)``, which runs alone; its answers are accepted if
        they pass the certificate.
    accept : float
        Largest certificate measure that still counts as optimal.
    gap : float, optional
        Relative gap accepted for integer problems and given to the solver, whose own option
        (``mip_rel_gap``, ``MIPGap``) means the same; as ``accept`` if not given.
    time_limit : float, optional
        Seconds for one subproblem, retries included. What an integer search has found by then is
        taken, status "within_gap", with a warning; if ``gap`` is given, only within that gap.
        HIGHS, GUROBI, SCIP, SCIPY, CBC, COPT, CPLEX, GLPK_MI, MOSEK, XPRESS, CLARABEL, OSQP, SCS
        and PDLP know of it; others, ECOS and ECOS_BB among them, cannot be. One that goes on
        all the same is left to end by itself, and counts as a failed try.
    **options
        Passed to the solver as they are.

    Examples
    --------
    >>> import lexiprog as lx
    >>> lx.Solver("CLARABEL", tol_gap_abs=1e-9)
    Solver('CLARABEL', tol_gap_abs=1e-09)
    """

    target: Target
    accept: float = CERTIFIED
    gap: float | None = None
    time_limit: float | None = None
    options: Options = field(default_factory=dict)

    def __init__(
        self,
        name: Target,
        *,
        accept: float = CERTIFIED,
        gap: float | None = None,
        time_limit: float | None = None,
        **options: object,
    ) -> None:
        target = name.upper() if isinstance(name, str) else name
        words = words_of(str(target))
        gap = words.read("gap", options) if gap is None else gap
        time_limit = words.read("time", options) if time_limit is None else time_limit
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
        usual = self.accept == CERTIFIED
        shown: dict[str, object] = {} if usual else {"accept": self.accept}
        solve_options = (("gap", "gap", self.gap), ("time_limit", "time", self.time_limit))
        shown |= {
            label: value
            for label, word, value in solve_options
            if value is not None and value != words_of(self.name).read(word, self.options)
        }
        shown |= dict(self.options)
        parts = [repr(self.name), *(f"{k}={v!r}" for k, v in shown.items())]
        return f"Solver({', '.join(parts)})"


FallbackSolvers = tuple[Solver, ...]
# One way to name a solver, several to be tried in turn, and what `Program.solve` takes.
OneSolver = Solver | Target
SolverOrFallbacks = OneSolver | Sequence[OneSolver]
SolverChoice = SolverOrFallbacks | Mapping[str, SolverOrFallbacks] | None


# Solvers of smooth problems that are not convex, in the order in which they are asked.
NONLINEAR = ("IPOPT", "UNO", "KNITRO", "COPT")


@cache
def enclosing() -> Solver:
    """Stands for the default solvers of the convex problems that enclose a quasiconvex optimum."""
    return Solver("HIGHS")


def default_fallbacks(kind: str) -> FallbackSolvers:
    """HIGHS for linear problems, CLARABEL for the rest, each verified by another.

    Curved problems with integers are left to the installed solvers that prove a bound. CLARABEL,
    which takes no integers, serves a search of our own.
    """
    if kind == "MILP":
        return (Solver("HIGHS"),)
    if kind == "LP":
        last = (Solver(EXACT),) if has_exact() else ()
        return (Solver("HIGHS"), Solver("HIGHS", presolve="off"), Solver("CLARABEL"), *last)
    if kind in ("QCP", "MIQCP"):
        return (enclosing(),)
    if kind == "NLP":
        return tuple(Solver(name) for name in NONLINEAR if name in installed())
    if is_integer_kind(kind):
        names = ("GUROBI", "MOSEK", "SCIP", "XPRESS", "CLARABEL", "ECOS_BB")
        return tuple(Solver(name) for name in names if name in installed())
    conic = (Solver("CLARABEL"), Solver("CLARABEL", equilibrate_enable=False))
    # ECOS has another licence (GPL-3), so people may have to do without it.
    return (*conic, Solver("ECOS")) if "ECOS" in installed() else conic


def with_defaults(
    subproblems: Iterable[Subproblem], solvers: Mapping[str, FallbackSolvers | None]
) -> dict[str, FallbackSolvers]:
    """The solvers of each subproblem, the default ones where none are asked for."""
    subproblems = list(subproblems)
    kinds = {p.kind for p in subproblems if not solvers[p.name]}
    defaults = {kind: default_fallbacks(kind) for kind in kinds}
    return {p.name: solvers[p.name] or defaults[p.kind] for p in subproblems}


def resolve(
    choice: SolverChoice, stages: Mapping[str, tuple[Sequence[str], SolverOrFallbacks | None]]
) -> dict[str, FallbackSolvers | None]:
    """The solvers (or None: the default ones) of every subproblem.

    Parameters
    ----------
    choice : object
        What the user gave to ``solve``: a name, Solver, object, list of these, or a mapping
        from stage and subproblem names to these.
    stages : mapping
        Stage name to (its subproblems' names, its own solver).
    """
    by_name: Mapping[str, SolverOrFallbacks] = choice if isinstance(choice, Mapping) else {}
    general = None if isinstance(choice, Mapping) else choice
    known = {name for stage, (names, _) in stages.items() for name in (stage, *names)}
    for name in by_name:
        if name not in known:
            raise UnknownSolver(
                f"solver choice for {name!r}, which is no stage or subproblem of this program; "
                f"it has {', '.join(map(repr, sorted(known)))}.{did_you_mean(name, known)}"
            )
    table: dict[str, FallbackSolvers | None] = {}
    for stage, (names, own) in stages.items():
        for name in names:
            picked = next(
                (c for c in (by_name.get(name), by_name.get(stage), own, general) if c is not None),
                None,
            )
            table[name] = None if picked is None else _solvers(picked, name)
    return table


def _solvers(choice: SolverOrFallbacks, where: str) -> FallbackSolvers:
    if isinstance(choice, str) or not isinstance(choice, Sequence):
        return (_solver(choice, where),)
    if not choice:
        raise UnknownSolver(f"the list of solvers for {where!r} is empty: name at least one.")
    return tuple(_solver(one, where) for one in choice)


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
                + ("" if solver.target in _SOLVERS else did_you_mean(solver.target, _SOLVERS))
            )
    elif solver.is_custom and not isinstance(solver.target, CustomSolver):
        raise UnknownSolver(
            f"{solver.target!r}, asked for {where!r}, is no solver: give a name, a lexiprog.Solver "
            "or an object with a method solve(problem)."
        )
    if isinstance(solver.target, str):
        name, options = solver.target, solver.options
        unknown = unknown_option(name, options) or refused_option(name, options)
        if unknown is not None:
            raise UnknownSolver(f"solver choice for {where!r}: {unknown}")
    return solver
