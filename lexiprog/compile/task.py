"""A subproblem with all its numbers, ready for a backend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Protocol

import cvxpy as cp
import numpy as np

from lexiprog.backends.solver import EXACT, Solver, words_of
from lexiprog.canon.standard_form import StandardForm
from lexiprog.compile.binding import Given, bind_references, read_parameters
from lexiprog.cvxpy_adapter import AffineCanonicaliser, Compiled, Prepared
from lexiprog.deadline import Deadline
from lexiprog.model.expressions import CVXPY_LOCK, Memory, dense
from lexiprog.model.lock import NO_SLACK, Slack
from lexiprog.model.reformulate import Powers, in_own_size, restated
from lexiprog.model.subproblem import Subproblem
from lexiprog.tolerances import LOCK_GUARD
from lexiprog.typing import Constraint, FreshOptions, Objective, Options, Value, Values

if TYPE_CHECKING:
    from lexiprog.compile.rational_data import Fractions
    from lexiprog.results.solution import Solution


# How the locks of a subproblem are put to a solver: by the optimal face of what they hold, by the
# argument of a curved objective, as the declared bound, as that in the limit's own size, as an
# equation, or as a loosened bound.
Mode = Literal["face", "argument", "value", "own size", "equal", "guarded"]
# Who solves it: the solver itself, or one of the backends for faces.
BackendName = Literal["solver", "face chain", "mixed rows", "conic face"]


@dataclass(frozen=True)
class Strategy:
    """One attempt at a subproblem: a solver, and how locks are put to it."""

    solver: Solver
    mode: Mode = "value"
    loosened: frozenset[str] = frozenset()  # owners whose locks have slack at this solve
    refined: bool = False  # iterative refinement, with twice the digits of floats
    strict: bool = False  # an answer limited by rounding is refused: a more exact one is next
    backend: BackendName = "solver"
    powers: Powers = ()  # sizes of held curved terms, for locks in their own size

    def statement(self, subproblem: Subproblem) -> Subproblem:
        """The subproblem as it is put to the solver."""
        if self.mode == "argument" or self.mode == "equal":
            return restated(subproblem, self.mode, self.loosened)
        return in_own_size(subproblem, self.powers) if self.mode == "own size" else subproblem

    def slack(self, given: Slack) -> Slack:
        """How far held optima may degrade with this strategy."""
        return replace(given, guard=LOCK_GUARD) if self.mode == "guarded" else given

    def kind_of_lock(self, subproblem: Subproblem, position: int) -> str:
        """How the lock at ``position`` is put: by its "face", by its "argument" or by "value"."""
        if self.mode == "argument":
            kept = self.statement(subproblem).constraints
            constraint = subproblem.constraints[position]
            return "value" if any(constraint is other for other in kept) else "argument"
        if self.mode == "face" and not dict(subproblem.locks)[position].fair:
            return "face"
        return "value"


# Numbers of a problem that is solved in tenths of a second, if not in less, and by whom.
BRIEF, QUICK = 20_000, ("HIGHS", "CLARABEL", EXACT)

Solutions = Mapping[str, "Solution"]
Compiler = Callable[[Subproblem, Strategy, Solutions], Compiled | None]


@dataclass(frozen=True)
class Task:
    """A subproblem with all its numbers, ready for a solver."""

    subproblem: Subproblem
    strategy: Strategy
    options: FreshOptions
    slack: Slack
    parameters: Values
    references: Values
    constants: Mapping[int, Value]  # values of parameters and placeholders by CVXPY id
    compiled: Compiled | None  # None for solvers that take problems
    given: Given  # the parameters of all subproblems, as they were when the solve began
    deadline: Deadline = field(default_factory=Deadline)
    # Values of variables by CVXPY id at earlier points, the latest first, to start integers from.
    starts: tuple[Mapping[int, Value], ...] = ()
    # Placeholders by CVXPY id whose values are known better than in floats, for fractions.
    fractions: Fractions = field(default_factory=dict)

    @property
    def solver(self) -> Solver:
        """Who is asked."""
        return self.strategy.solver

    @property
    def native(self) -> Compiled:
        """The compiled form, for solvers that have one."""
        if self.compiled is None:
            raise TypeError(f"{self.solver.name} takes problems, not compiled forms")
        return self.compiled

    @property
    def form(self) -> StandardForm:
        """The problem's numbers."""
        return self.native.form

    @property
    def compile_seconds(self) -> float:
        """Time that compiling took."""
        return 0.0 if self.compiled is None else self.compiled.seconds

    @property
    def integer(self) -> bool:
        """Whether some variable must be whole."""
        return self.subproblem.integer

    def is_brief(self, together: int = 1) -> bool:
        """Whether it is solved before anybody could miss it, alone or one of several.

        To send it to a worker would then take longer than to wait for it.
        """
        if self.compiled is None or self.integer or self.solver.name not in QUICK:
            return False
        form = self.compiled.form
        size = form.A.nnz + form.b.size + form.c.size + (0 if form.P is None else form.P.nnz)
        return bool(size <= (BRIEF if together == 1 else BRIEF // 10) and not form.cones.psd)

    def fresh_options(self) -> FreshOptions:
        """Options the solver's interface may write into, with the time that is left."""
        options = {k: dict(v) if isinstance(v, dict) else v for k, v in self.options.items()}
        seconds = self.deadline.for_solver
        if seconds is not None:
            words_of(self.solver.name).put("time", seconds, options)
        return options


def prepare(
    subproblem: Subproblem,
    strategy: Strategy,
    solutions: Solutions,
    slack: Slack = NO_SLACK,
    compiler: Compiler | None = None,
    given: Given | None = None,
    deadline: Deadline | None = None,
    begun: Solution | None = None,
) -> Task:
    """Bind and compile; the task no longer depends on CVXPY's mutable values.

    ``compiler`` makes the numbers; by default the subproblem is compiled by itself. ``given`` are
    the user's parameters; by default those of the moment. ``begun`` is the incumbent of a search
    for the same optimum that was stopped.
    """
    known = Given.to([subproblem]) if given is None else given
    slack = strategy.slack(slack)
    statement = strategy.statement(subproblem)

    def task() -> Task:
        parameters = read_parameters(subproblem)
        references = bind_references(subproblem, solutions, slack)
        if statement is not subproblem:
            bind_references(statement, solutions, slack)
        inputs = [*subproblem.inputs, *statement.inputs]
        constants = {p.id: np.array(dense(p.value)) for p in inputs}
        options = strategy.solver.options_for(integer=subproblem.integer)
        compiled = (compiler or compile_alone)(subproblem, strategy, solutions)
        starts = () if not subproblem.integer else _starts(subproblem, solutions, begun)
        fractions: Fractions = {}
        if strategy.solver.target == EXACT:
            from lexiprog.compile.rational_data import exact_references
            from lexiprog.rational.numbers import DEFAULT

            read_as = options.get("read_as", DEFAULT)
            fractions = exact_references(subproblem, solutions, slack, read_as)
        return Task(
            subproblem, strategy, options, slack, parameters, references, constants, compiled,
            known, deadline or Deadline(), starts, fractions,
        )  # fmt: skip

    return known.undisturbed(task)


def _starts(
    subproblem: Subproblem, solutions: Solutions, begun: Solution | None
) -> tuple[Mapping[int, Value], ...]:
    """Earlier points that say what every integer of the subproblem may be."""
    kinds = ("integer", "boolean")
    whole = [v for v in subproblem.variables if any(v.attributes[kind] for kind in kinds)]
    out: list[Mapping[int, Value]] = []
    for solution in reversed([*solutions.values(), *([] if begun is None else [begun])]):
        with suppress(KeyError):
            out.append({v.id: solution[v] for v in whole})
    return tuple(out)


def compile_alone(subproblem: Subproblem, strategy: Strategy, _: Solutions) -> Compiled:
    """The subproblem by itself, as it is put to the solver."""
    options = strategy.solver.options_for(integer=subproblem.integer)
    return compile_for(strategy.statement(subproblem), strategy.solver, options)


def compile_for(subproblem: Subproblem, solver: Solver, options: FreshOptions) -> Compiled:
    """The subproblem's numbers for a solver, at the values its placeholders have now."""
    target = solver.target if isinstance(solver.target, str) else id(solver.target)
    prepared = subproblem.memory.once(
        ("prepared", target, options.get("use_quad_obj")),
        lambda: Prepared(subproblem.problem, gp=subproblem.gp, dpp=subproblem.dpp),
    )
    return prepared.compile(solver.target, options)


# Several linear objectives over the same constraints, compiled once.

Objectives = Sequence[tuple[str, Objective]]


class Joint(Protocol):
    """Linear problems that differ in their objectives only.

    Its ``memory`` keeps what is made of their numbers for as long as those are the same.
    """

    memory: Memory

    def compile(self, name: str, options: Options) -> Compiled:
        """The numbers of one of them, at the parameters' values of the moment."""

    def together(self) -> Mapping[str, Compiled]:
        """Those of all of them, as far as they come out at once."""


def join(objectives: Objectives, constraints: Sequence[Constraint]) -> Joint:
    """The problems as one whose objectives are rows, or, if need be, as one with weights."""
    with CVXPY_LOCK:
        canonicaliser = AffineCanonicaliser.of(
            [objective for _, objective in objectives], constraints
        )
    if canonicaliser is not None:
        return _Rows({name: k for k, (name, _) in enumerate(objectives)}, canonicaliser)
    return _weighted(objectives, constraints)


@dataclass
class _Rows:
    """All objectives come out of one compiled form, as rows."""

    rows: Mapping[str, int]
    canonicaliser: AffineCanonicaliser
    memory: Memory = field(default_factory=Memory)

    def compile(self, name: str, _: Options) -> Compiled:
        return self.canonicaliser.compile()[self.rows[name]]

    def together(self) -> Mapping[str, Compiled]:
        return dict(zip(self.rows, self.canonicaliser.compile(), strict=True))


@dataclass
class _Weighted:
    """One objective, the sum of all, with a weight on each."""

    prepared: Prepared
    weights: Mapping[str, cp.Parameter]
    memory: Memory = field(default_factory=Memory)

    def compile(self, name: str, options: Options) -> Compiled:
        for other, weight in self.weights.items():
            weight.value = float(other == name)
        return self.prepared.compile("HIGHS", dict(options))

    def together(self) -> Mapping[str, Compiled]:
        return {}


def _weighted(objectives: Objectives, constraints: Sequence[Constraint]) -> _Weighted:
    rows, weights, terms = list(constraints), {}, []
    for name, objective in objectives:
        cost = -objective.expr if isinstance(objective, cp.Maximize) else objective.expr
        if cost.parameters():
            # A weight times a parameter is not DPP, so the weight goes to a bound on the cost.
            bound = cp.Variable()
            rows.append(cost <= bound)
            cost = bound
        weights[name] = cp.Parameter(nonneg=True)
        terms.append(weights[name] * cost)
    return _Weighted(Prepared(cp.Problem(cp.Minimize(sum(terms)), rows)), weights)
