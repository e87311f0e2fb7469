"""What is tried for a subproblem, and in which order: one table of strategies.

Each row says when a strategy applies, who solves, and how locks are put. A lock is the ordinary
constraint that ``Subproblem.held`` declares. Where a solver finds no point within it, the same
demand is put in other ways before any slack is added. ``Program.describe(strategies=True)`` shows
what the table comes to for each subproblem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from lexiprog.backends.solver import EXACT, FallbackSolvers, Solver, has_exact
from lexiprog.compile.binding import Given
from lexiprog.compile.task import BackendName, Mode, Solutions, Strategy
from lexiprog.model.lock import NO_SLACK, Slack, single
from lexiprog.model.reformulate import (
    Powers,
    can_restate,
    flat_at_zero,
    has_arguments,
    powers_of,
)
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.solve.conic_face import ConicFace
from lexiprog.solve.direct import Backend, Custom, Direct
from lexiprog.solve.lp_chain import FaceChain, find_chains, held_apart
from lexiprog.solve.mixed_rows import MixedRowChain
from lexiprog.tolerances import ALL_DIGITS, MAY_BE_ZERO, SHARPEST_HIGHS
from lexiprog.typing import cached_property

if TYPE_CHECKING:
    from lexiprog.results.result import Result
    from lexiprog.solve.exact import Exact
    from lexiprog.solve.warm_start import WarmHighs

# Beyond this many rows fractions are only used if the user asks for them.
LARGEST = 500
# The same where all that a level holds is solved again in fractions.
FEW = 30


@dataclass(frozen=True)
class Case:
    """A subproblem as the table sees it, with the solver whose turn it is.

    Attributes
    ----------
    subproblem : Subproblem
    solvers : tuple of Solver
        The one asked for and its fallbacks.
    place : int
        Which of these has its turn.
    loosened : frozenset of str
        Owners whose locks have slack that is not in their declaration.
    chain : bool
        Whether it belongs to a chain of linear problems that knows all optimal faces it holds.
    mixed : bool
        Whether all it holds is linear and exact, over rows of its own.
    apart : bool
        Whether it holds nothing and is held by linear problems that lack some of its rows.
    ambiguous : bool
        Whether rounding may have changed the face of an optimum it holds.
    fractions : bool
        Whether it is small enough for rational arithmetic, and that is installed.
    rounded : bool
        Whether an optimum it holds is known in floats only.
    powers : tuple
        Sizes of held curved terms that are far from one.
    """

    subproblem: Subproblem
    solvers: FallbackSolvers
    place: int = 0
    loosened: frozenset[str] = frozenset()
    chain: bool = False
    mixed: bool = False
    apart: bool = False
    ambiguous: bool = False
    fractions: bool = False
    rounded: bool = False
    powers: Powers = ()

    @property
    def solver(self) -> Solver:
        """Whose turn it is."""
        return self.solvers[self.place]

    @property
    def first(self) -> bool:
        """Whether it is the solver asked for, no fallback."""
        return self.place == 0

    @property
    def exact(self) -> bool:
        """Whether the solver works in fractions."""
        return self.solver.target == EXACT

    @property
    def highs(self) -> bool:
        """Whether the solver is HiGHS, asked for by name."""
        return self.solver.target == "HIGHS"

    @property
    def fair(self) -> bool:
        """Whether it is solved level by level."""
        return self.subproblem.fair is not None

    @property
    def priced(self) -> bool:
        """Whether it is fair, over columns that are generated."""
        return self.subproblem.fair is not None and self.subproblem.fair.pricing is not None

    @property
    def searched(self) -> bool:
        """Whether it is not convex, so that a search over other problems or points solves it."""
        return self.subproblem.qcp or self.subproblem.nlp

    @property
    def apart_from_rows(self) -> bool:
        """Whether no knowledge of optimal faces or rows is of use to who solves it."""
        return self.fair or self.searched or self.solver.is_custom

    @property
    def locked(self) -> bool:
        """Whether it holds earlier optima."""
        return bool(self.subproblem.locks)

    @property
    def restatable(self) -> bool:
        """Whether its locks may be put to this solver in other ways than as bounds."""
        other = self.fair or self.solver.is_custom or self.exact or self.searched
        return self.locked and not other

    @property
    def on_chain(self) -> bool:
        """Whether its first strategies are those on the faces of its chain."""
        return self.chain and not (self.apart or self.ambiguous)

    @property
    def alone_on_highs(self) -> list[Solver]:
        """The HiGHS solvers of a linear problem that holds nothing."""
        if self.fair or self.locked or self.subproblem.kind != "LP":
            return []
        return [solver for solver in self.solvers if solver.name == "HIGHS"]

    @property
    def as_declared(self) -> bool:
        """Whether the solver is asked without refinement: beside HiGHS others give a check."""
        if self.fair:
            return self.first or not self.priced
        own = self.solver.name == "HIGHS" or self.solver.is_custom or self.exact
        return own or not self.alone_on_highs

    @property
    def checked(self) -> bool:
        """Whether it is time to refine a linear problem that holds nothing."""
        highs = self.alone_on_highs
        if highs:
            return self.solver is highs[-1] or not self.as_declared
        own = self.fair or self.locked or self.solver.is_custom or self.exact
        own = own or bool(self.solver.options)  # whoever gives options means that very solve
        return self.subproblem.kind == "LP" and not own

    @property
    def presolved(self) -> bool:
        """Whether presolve may be switched off."""
        return self.solver.name == "HIGHS" and "presolve" not in self.solver.options

    @property
    def exact_last(self) -> bool:
        """Whether the last fallback works in fractions."""
        return self.solvers[-1].target == EXACT

    @cached_property
    def argument(self) -> bool:
        """Whether some curved objective can be held by its argument."""
        return can_restate(self.subproblem, "argument", self.loosened)

    @cached_property
    def equal(self) -> bool:
        """Whether some lock can be an equation."""
        return can_restate(self.subproblem, "equal", self.loosened)

    @property
    def conic(self) -> bool:
        """Whether a curved set is all that is held exactly, and not all of it by arguments."""
        subproblem, locks = self.subproblem, [lock for _, lock in self.subproblem.locks]
        if not subproblem.dpp or subproblem.kind in ("LP", "QP", "MILP"):
            return False
        if self.solver.target != "CLARABEL" or len(subproblem.references) > len(locks):
            return False  # the effect of other references needs multipliers
        if any(k.loose or k.fair or k.owner_name in self.loosened for k in locks):
            return False
        return not all(map(has_arguments, locks))


class StrategyRow(NamedTuple):
    """A row of the table: a strategy, and when it is tried.

    Attributes
    ----------
    name : str
    turn : {"first", "each", "last"}
        Once before all others, for each solver in turn, or for each after all others.
    applies : callable
        Whether it is tried for a case.
    mode : Mode
        How locks are put.
    does : str
        What it does, for people.
    backend : BackendName
        Who solves.
    refined : bool
        Whether the answer gets twice the digits of floats.
    strict : callable
        Whether an answer that rounding limits is refused, since a more exact one comes next.
    solver : callable
        The solver, if it is not just that of the case.
    """

    name: str
    turn: Literal["first", "each", "last"]
    applies: Callable[[Case], bool]
    mode: Mode
    does: str
    backend: BackendName = "solver"
    refined: bool = False
    strict: Callable[[Case], bool] = lambda _: False
    solver: Callable[[Case], Solver] = lambda case: case.solver

    def strategy(self, case: Case) -> Strategy:
        """What it comes to for a case."""
        loosened = case.loosened if self.mode in ("argument", "equal") else frozenset[str]()
        powers = case.powers if self.mode == "own size" else ()
        return Strategy(
            self.solver(case), self.mode, loosened, self.refined, self.strict(case), self.backend,
            powers,
        )  # fmt: skip


def _in_fractions(case: Case) -> Solver:
    return Solver(EXACT, accept=case.solver.accept)


def _first_highs(case: Case) -> Solver:
    highs = case.alone_on_highs
    return highs[0] if case.solver in highs else case.solver


TABLE = (
    StrategyRow(
        "refined at once", "first", lambda c: c.apart, "value",
        "refined to twice the digits, as others hold the optimum without having all rows",
        refined=True, strict=lambda _: True,
    ),
    StrategyRow(
        "fractions at once", "first", lambda c: c.ambiguous, "value",
        "in rational arithmetic, as floats leave a held optimum ambiguous", solver=_in_fractions,
    ),
    StrategyRow(
        "face", "first", lambda c: c.chain, "face",
        "on the optimal faces of what it holds, on one HiGHS model for the whole chain",
        "face chain", strict=lambda c: c.on_chain,
    ),
    StrategyRow(
        "refined face", "first", lambda c: c.on_chain, "face",
        "the same, faces and optimum refined to twice the digits",
        "face chain", refined=True, strict=lambda c: c.fractions,
    ),
    StrategyRow(
        "fractions on the face", "first", lambda c: c.on_chain and c.fractions, "value",
        "the same in rational arithmetic", solver=_in_fractions,
    ),
    StrategyRow(
        "mixed-row face", "first", lambda c: c.mixed and c.highs, "face",
        "on the optimal faces of what it holds, found again over all rows of these problems",
        "mixed rows", strict=lambda _: True,
    ),
    StrategyRow(
        "refined mixed-row face", "first", lambda c: c.mixed and c.highs, "face",
        "the same, faces and optimum refined to twice the digits", "mixed rows", refined=True,
    ),
    StrategyRow(
        "conic face", "each", lambda c: c.restatable and c.conic, "face",
        "on the optimal face of a cone program, where the held objective is constant",
        "conic face", strict=lambda c: c.argument,
    ),
    StrategyRow(
        "argument", "each", lambda c: c.restatable and c.argument, "argument",
        "locks by the arguments of strictly convex terms, which are the same at every optimum",
    ),
    StrategyRow(
        "own size", "each", lambda c: c.restatable and bool(c.powers), "own size",
        "as declared, with held powers in the size of their limits",
    ),
    StrategyRow(
        "as declared", "each", lambda c: c.as_declared, "value",
        "as declared", strict=lambda c: c.mixed and c.first,
    ),
    StrategyRow(
        "mixed-row face after it", "each", lambda c: c.mixed and c.first and not c.highs, "face",
        "on the optimal faces of what it holds, found again by HiGHS and refined",
        "mixed rows", refined=True, strict=lambda _: True,
    ),
    StrategyRow(
        "refined", "each", lambda c: c.checked or (c.mixed and c.first), "value",
        "refined to twice the digits by HiGHS", refined=True,
        strict=lambda c: c.fractions if c.mixed else c.exact_last, solver=_first_highs,
    ),
    StrategyRow(
        "fractions", "each", lambda c: c.mixed and c.first and c.fractions, "value",
        "in rational arithmetic, with all that it holds", solver=_in_fractions,
    ),
    StrategyRow(
        "without presolve", "each", lambda c: c.restatable and c.presolved, "value",
        "as declared, without presolve", solver=lambda c: c.solver.also(presolve="off"),
    ),
    StrategyRow(
        "refined bound", "each",
        lambda c: c.restatable and c.presolved and c.subproblem.kind == "LP", "value",
        "as declared, refined to twice the digits", refined=True,
    ),
    StrategyRow(
        "equation", "each", lambda c: c.restatable and c.equal, "equal",
        "linear locks as equations",
    ),
    StrategyRow(
        "guarded", "each", lambda c: c.restatable, "guarded",
        "locks loosened by a millionth, which is recorded and warned about",
    ),
    StrategyRow(
        "guarded levels", "last", lambda c: c.locked and (c.searched or (c.fair and not c.priced)),
        "guarded",
        "locks loosened by a millionth, which is recorded and warned about",
    ),
    StrategyRow(
        "refined at last", "last", lambda c: c.exact_last and c.solver in c.alone_on_highs, "value",
        "refined to twice the digits, even if rounding limits the answer", refined=True,
        solver=_first_highs,
    ),
    StrategyRow(
        "guarded fractions", "last", lambda c: c.first and c.exact and c.rounded, "guarded",
        "locks on rounded optima loosened by a millionth, recorded and warned about",
    ),
)  # fmt: skip


def strategies_for(case: Case) -> Iterator[tuple[StrategyRow, Strategy]]:
    """The strategies for a case in order, none twice; each is made when it is asked for."""
    if any(lock.fair for _, lock in case.subproblem.locks) and not case.fair:
        case = replace(case, solvers=tuple(map(_sharp, case.solvers)))
    seen = set()
    for turn, places in (("first", 1), ("each", len(case.solvers)), ("last", len(case.solvers))):
        for place in range(places):
            at = case if place == case.place else replace(case, place=place)
            for row in TABLE:
                if row.turn == turn and row.applies(at):
                    strategy = row.strategy(at)
                    if repr(strategy) not in seen:
                        seen.add(repr(strategy))
                        yield row, strategy


def _sharp(solver: Solver) -> Solver:
    """Levels of a leximin optimum are held by rows: HiGHS with its smallest tolerances."""
    if solver.name != "HIGHS" or solver.options.keys() & {"highs_options", *SHARPEST_HIGHS}:
        return solver
    return solver.also(**SHARPEST_HIGHS)


@dataclass(frozen=True)
class Backends:
    """The backends of one solve, and the strategies that it tries them with."""

    solvers: Mapping[str, FallbackSolvers]
    chains: Mapping[str, FaceChain] = field(default_factory=dict)
    loosened: frozenset[str] = frozenset()
    slack: Slack = NO_SLACK
    given: Given = field(default_factory=lambda: Given(()))
    warm: WarmHighs | None = None
    # What each subproblem holds within parameters that are not zero.
    opened: Mapping[str, frozenset[str]] = field(default_factory=dict)
    exact: dict[int, Exact] = field(default_factory=dict)
    conic: ConicFace = field(default_factory=ConicFace)
    mixed: MixedRowChain = field(default_factory=MixedRowChain)
    # Those that refer to others or are referred to.
    related: frozenset[str] = frozenset()
    # Linear ones that hold nothing, but others hold them without having their rows: all digits of
    # the optimum count.
    apart: frozenset[str] = frozenset()
    # Solves the inner problems of fair ones that are not linear, or not for HiGHS.
    execute: Callable[..., Result] | None = None
    note: Callable[[str], None] = lambda _: None  # told how far a fair problem has come

    @classmethod
    def of(
        cls,
        stages: Iterable[Stage],
        solvers: Mapping[str, FallbackSolvers],
        slack: Slack = NO_SLACK,
        warm: WarmHighs | None = None,
        given: Given | None = None,
        execute: Callable[..., Result] | None = None,
        note: Callable[[str], None] = lambda _: None,
    ) -> Backends:
        """Those for these stages and solvers; ``given`` are the parameters' values."""
        stages = tuple(stages)
        subproblems = [p for stage in stages for p in stage.subproblems]
        common = cls(solvers, warm=warm, related=_related(subproblems), execute=execute, note=note)
        locked = [p for p in subproblems if p.locks]
        if not locked:
            return common
        chains = find_chains(stages, solvers, loosened=slack.tolerances)
        if warm is not None:
            warm.join(chains)
        loosened = frozenset(name for name, room in slack.tolerances.items() if room > 0)
        given = Given(()) if given is None else given
        return replace(
            common,
            slack=slack,
            given=given,
            chains=chains,
            loosened=loosened,
            opened=given.undisturbed(lambda: {p.name: _opened(p) for p in locked}),
            mixed=MixedRowChain(loosened),
            apart=frozenset(held_apart(stages) - {p.name for p in locked}),
        )

    def strategies(self, subproblem: Subproblem, solved: Solutions) -> Iterator[Strategy]:
        """What to try in order, now that all earlier stages are solved."""
        return (strategy for _, strategy in strategies_for(self.case(subproblem, solved)))

    def case(self, subproblem: Subproblem, solved: Solutions | None = None) -> Case:
        """A subproblem as the table sees it.

        While the optima it holds are not ``solved``, they are taken to be found in floats that
        leave nothing ambiguous.
        """
        loosened = self.loosened | self.opened.get(subproblem.name, frozenset())
        loosened |= _at_zero(subproblem, solved)
        powers = self._powers(subproblem, solved)
        case = Case(subproblem, self.solvers[subproblem.name], loosened=loosened, powers=powers)
        if not case.solvers or case.apart_from_rows:
            return case
        if case.exact:
            return replace(case, rounded=_holds_rounded(subproblem, solved))
        chain = self.chains.get(subproblem.name)
        knows_faces = chain is not None and (solved is None or chain.serves(subproblem))
        if subproblem.name in self.apart:
            return replace(case, apart=True, chain=knows_faces)
        small = chain is not None and _is_small(subproblem, LARGEST, chain)
        ambiguous = solved is not None and self._needs_fractions(subproblem, solved, small=small)
        if knows_faces or ambiguous or not (case.locked and self.mixed.serves(subproblem)):
            return replace(case, chain=knows_faces, ambiguous=ambiguous, fractions=small)
        return replace(case, mixed=True, fractions=case.highs and _is_small(subproblem, FEW))

    def _powers(self, subproblem: Subproblem, solved: Solutions | None) -> Powers:
        """Sizes of curved terms that it holds, where they are far from one."""
        if solved is None or not subproblem.locks or subproblem.kind in ("LP", "MILP"):
            return ()

        def limits() -> dict[str, float]:
            held = [(lock, solved[lock.owner_name]) for _, lock in single(subproblem.locks)]
            return {k.owner_name: float(self.slack.limit(k, s.value, s.unit)) for k, s in held}

        return powers_of(subproblem, self.given.undisturbed(limits))

    def _needs_fractions(self, subproblem: Subproblem, solved: Solutions, *, small: bool) -> bool:
        """Whether its chain has begun with fractions, or floats leave what it holds ambiguous."""
        exact = self.exact.get(id(self.chains.get(subproblem.name)))
        begun = exact is not None and any(
            lock.owner_name in exact.outcomes for _, lock in single(subproblem.locks)
        )
        return begun or (small and bool(self.ambiguous(subproblem, solved)))

    def ambiguous(self, subproblem: Subproblem, solved: Solutions) -> list[str]:
        """The optima it holds that floats may have missed by more than they can tell.

        Either rounding may have changed its face, or it has none and is not known to all digits:
        the lock then stands beside the optimum, where a linear problem may have another one.
        """
        chain = self.chains.get(subproblem.name)
        if chain is None:
            return []
        beside = [
            lock.owner_name
            for _, lock in single(subproblem.locks)
            if lock.owner_name not in chain.faces
            and solved[lock.owner_name].uncertainty > ALL_DIGITS * solved[lock.owner_name].size
        ]
        return chain.doubtful(subproblem) + beside

    def backend(self, subproblem: Subproblem, strategy: Strategy) -> Backend:
        """Who runs the subproblem with this strategy."""
        if subproblem.fair is not None:
            return self._fair(subproblem, strategy)
        if subproblem.qcp or subproblem.nlp:
            return self._searching(subproblem)
        match strategy.backend:
            case "face chain":
                return self.chains[subproblem.name]
            case "mixed rows":
                return self.mixed
            case "conic face":
                return self.conic
        if strategy.solver.target == EXACT:
            return self._exact(subproblem)
        if strategy.solver.is_custom:
            return Custom()
        warm = None if self.warm is None else self.warm.backend(subproblem, strategy)
        if warm is not None:
            return warm
        return Direct(sharp=subproblem.name in self.related)

    def _exact(self, subproblem: Subproblem) -> Backend:
        """One exact backend a chain, since its levels build on each other."""
        from lexiprog.solve.exact import Exact, ExactResolve

        chain = self.chains.get(subproblem.name)
        if chain is None:
            return ExactResolve() if self.mixed.serves(subproblem) else Exact()
        return self.exact.setdefault(id(chain), Exact(chain))

    def _searching(self, subproblem: Subproblem) -> Backend:
        """Who solves what is not convex."""
        if self.execute is None:
            raise TypeError("nobody here solves the inner problems of quasiconvex ones")
        if subproblem.nlp:
            from lexiprog.nonconvex.local import LocalSearch

            return LocalSearch()
        from lexiprog.nonconvex.bisection import Bisection

        return Bisection(self.execute)

    def _fair(self, subproblem: Subproblem, strategy: Strategy) -> Backend:
        """Who raises the levels of a fair problem."""
        from lexiprog.fairness.any_solver import leximin_backend
        from lexiprog.fairness.backend import FairHighs, FairLotteries

        if subproblem.fair is not None and subproblem.fair.pricing is not None:
            return FairLotteries(self.note)
        if FairHighs.serves(subproblem, strategy):
            return FairHighs(self.note)
        if self.execute is None:
            raise TypeError("nobody here solves the inner problems of fair ones")
        return leximin_backend(self.execute, self.note, subproblem, strategy)


def _is_small(subproblem: Subproblem, most: int, chain: FaceChain | None = None) -> bool:
    """Whether it has few enough rows for fractions, and these are installed."""
    rows = [sum(constraint.size for constraint in subproblem.constraints)]
    rows += [] if chain is None else [form.b.size for form in chain.forms.values()]
    return has_exact() and all(size <= most for size in rows)


def _holds_rounded(subproblem: Subproblem, solved: Solutions | None) -> bool:
    """Whether it holds an optimum that is known in floats only."""
    owners = [lock.owner_name for _, lock in subproblem.locks]
    return bool(owners) and (solved is None or any(solved[name].exact is None for name in owners))


def _at_zero(subproblem: Subproblem, solved: Solutions | None) -> frozenset[str]:
    """The owners of locks that say nothing of their argument, since the optimum may be zero."""
    if solved is None:
        return frozenset()
    return frozenset(
        lock.owner_name
        for _, lock in subproblem.locks
        if flat_at_zero(lock)
        and not abs(solved[lock.owner_name].value) > MAY_BE_ZERO * solved[lock.owner_name].unit
    )


def _related(subproblems: list[Subproblem]) -> frozenset[str]:
    """Those that refer to others or are referred to."""
    referring = [p for p in subproblems if p.references]
    owners = {r.owner_name for p in referring for _, r in p.references}
    return frozenset(owners.union(p.name for p in referring))


def _opened(subproblem: Subproblem) -> frozenset[str]:
    """The owners of locks whose tolerance is a parameter that is not zero now."""
    return frozenset(
        lock.owner_name
        for _, lock in subproblem.locks
        if lock.parameters
        and all(parameter.value is not None for parameter in lock.parameters.values())
        and any(tolerance > 0.0 for tolerance in lock.tolerances)
    )


def describe_strategies(stages: Iterable[Stage], solvers: Mapping[str, FallbackSolvers]) -> str:
    """What would be tried for every subproblem, in order, as text."""
    from lexiprog.least_squares.chain import ACTIVE_SET, DOES, LeastSquaresChain

    stages = tuple(stages)
    backends = Backends.of(stages, solvers)
    lines = ["strategies, each tried if none before it has found a certified optimum:"]
    chain = LeastSquaresChain.of(stages)
    at_once = frozenset[str]() if chain is None else chain.names
    for subproblem in (p for stage in stages for p in stage.subproblems):
        lines.append(f"  {subproblem.name}")
        if subproblem.name in at_once:
            lines.append(f"    0. {ACTIVE_SET}: {DOES}, unless a solver is asked for")
        case = backends.case(subproblem)
        if not case.solvers:
            lines.append("    none: no installed solver takes such problems")
            continue
        lines += [
            f"    {number}. {_named(strategy.solver)}: {row.does}"
            for number, (row, strategy) in enumerate(strategies_for(case), start=1)
        ]
        if case.chain and case.locked and case.fractions:
            lines.append("    EXACT comes first if rounding leaves a held optimum ambiguous")
    return "\n".join(lines)


def _named(solver: Solver) -> str:
    options = ", ".join(f"{name}={value!r}" for name, value in solver.options.items())
    return f"{solver.name} ({options})" if options else solver.name
