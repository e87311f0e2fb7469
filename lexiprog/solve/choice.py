"""Who runs what: the right runner for each way of trying a subproblem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lexiprog.backends.solver import EXACT, Ladder, Solver, has_exact
from lexiprog.backends.strategies import Strategy, more_exactly, strategies_to_try
from lexiprog.compile.binding import Given
from lexiprog.compile.task import Solutions
from lexiprog.fairness.backend import FairHighs, FairLotteries, Note
from lexiprog.model.lock import Slack, single
from lexiprog.model.reformulate import flat_at_zero
from lexiprog.model.stage import Stage
from lexiprog.model.subproblem import Subproblem
from lexiprog.solve.conic_face import ConicFace
from lexiprog.solve.direct import Backend, Custom, Direct
from lexiprog.solve.exact import Exact, ExactResolve
from lexiprog.solve.lp_chain import FaceChain, find_chains, held_apart
from lexiprog.solve.mixed_rows import MixedRowChain
from lexiprog.solve.warm_start import WarmHighs
from lexiprog.tolerances import ALL_DIGITS, MAY_BE_ZERO

_NATIVE, _SHARP, _CUSTOM = Direct(sharp=False), Direct(), Custom()
# Beyond this many rows fractions are only used if the user asks for them.
LARGEST = 500
# The same where all that a level holds is solved again in fractions.
FEW = 30


@dataclass(frozen=True)
class BackendTable:
    """The runners of one solve: face chains, warm sessions if asked for, and the rest."""

    ladders: Mapping[str, Ladder]
    chains: Mapping[str, FaceChain]
    loosened: frozenset[str]
    warm: WarmHighs | None = None
    # What each subproblem holds within parameters that are not zero.
    opened: Mapping[str, frozenset[str]] = field(default_factory=dict)
    exact: dict[int, Exact] = field(default_factory=dict)
    curved: ConicFace = field(default_factory=ConicFace)
    wider: MixedRowChain = field(default_factory=MixedRowChain)
    # Those that refer to others or are referred to.
    related: frozenset[str] = frozenset()
    # Linear ones that others hold without having their rows: all digits of the optimum count.
    apart: frozenset[str] = frozenset()
    # Who solves fair problems that are not linear, or not for HiGHS.
    fair: Callable[[Subproblem, Strategy], Backend] | None = None
    note: Note = lambda _: None  # told how far a fair problem has come

    @classmethod
    def of(
        cls,
        stages: Iterable[Stage],
        ladders: Mapping[str, Ladder],
        slack: Slack,
        warm: WarmHighs | None,
        fair: Callable[[Subproblem, Strategy], Backend] | None = None,
        note: Note = lambda _: None,
        given: Given | None = None,
    ) -> BackendTable:
        """The runners for these stages and solvers; ``given`` are the parameters' values."""
        everyone = [p for stage in stages for p in stage.subproblems]
        chains = find_chains(stages, ladders, loosened=slack.tolerances)
        if warm is not None:
            warm.join(chains)
        loosened = frozenset(name for name, room in slack.tolerances.items() if room > 0)
        given = Given.to(everyone) if given is None else given
        opened = given.undisturbed(lambda: {p.name: _opened(p) for p in everyone if p.locks})
        referring = [p for p in everyone if p.references]
        related = {r.owner_name for p in referring for _, r in p.references}
        related |= {p.name for p in referring}
        return cls(
            ladders, chains, loosened, warm, opened, related=frozenset(related), fair=fair,
            note=note, wider=MixedRowChain(loosened), apart=frozenset(held_apart(stages)),
        )  # fmt: skip

    def strategies(self, subproblem: Subproblem, solved: Solutions) -> Sequence[Strategy]:
        """Every solver and lock to try, now that all earlier stages are solved."""
        chain = self.chains.get(subproblem.name)
        ladder = self.ladders[subproblem.name]
        exact_first = bool(ladder) and ladder[0].target == EXACT
        face = not exact_first and chain is not None and chain.serves(subproblem)
        loosened = self.loosened | self.opened.get(subproblem.name, frozenset())
        loosened |= {
            lock.owner_name
            for _, lock in subproblem.locks
            if flat_at_zero(lock)
            and not abs(solved[lock.owner_name].value) > MAY_BE_ZERO * solved[lock.owner_name].unit
        }
        strategies = strategies_to_try(subproblem, ladder, face=face, loosened=loosened)
        if exact_first:
            # In fractions there may be no point at all within an optimum that floats have rounded.
            rounded = any(solved[k.owner_name].exact is None for _, k in subproblem.locks)
            return [*strategies, Strategy(ladder[0], "guarded")] if rounded else strategies
        if not ladder:
            return strategies
        if subproblem.name in self.apart and not subproblem.locks and not ladder[0].is_custom:
            return [Strategy(ladder[0], refined=True, strict=True), *strategies]
        exact = Strategy(Solver(EXACT, accept=ladder[0].accept))
        fractions = chain is not None and has_exact() and self._is_small(subproblem, chain)
        begun = chain is not None and self._has_begun(chain, subproblem)
        if begun or (fractions and self.doubtful(subproblem, solved)):
            return [exact, *(strategy for strategy in strategies if strategy != exact)]
        if face:
            more = [exact] if fractions else []
            return more_exactly(strategies, [Strategy(ladder[0], "face", refined=True), *more])
        if ladder[0].is_custom or not self.wider.serves(subproblem):
            return strategies
        wider, more = Strategy(ladder[0], "face", refined=True), [Strategy(ladder[0], refined=True)]
        if ladder[0].target != "HIGHS":
            return more_exactly(strategies, [wider, *more])
        if has_exact() and self._is_small(subproblem, most=FEW):
            more.append(exact)
        return [Strategy(ladder[0], "face", strict=True), wider, *more_exactly(strategies, more)]

    def _has_begun(self, chain: FaceChain, subproblem: Subproblem) -> bool:
        """Whether an optimum that it holds was found in fractions."""
        exact = self.exact.get(id(chain))
        held = (lock.owner_name for _, lock in single(subproblem.locks))
        return exact is not None and any(name in exact.outcomes for name in held)

    def _is_small(
        self, subproblem: Subproblem, chain: FaceChain | None = None, most: int = LARGEST
    ) -> bool:
        rows = [sum(constraint.size for constraint in subproblem.constraints)]
        rows += [] if chain is None else [form.b.size for form in chain.forms.values()]
        return all(size <= most for size in rows)

    def doubtful(self, subproblem: Subproblem, solved: Solutions) -> list[str]:
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
        """Who runs the subproblem this way."""
        if subproblem.fair is not None:
            if subproblem.fair.pricing is not None:
                return FairLotteries(self.note)
            if FairHighs.serves(subproblem, strategy):
                return FairHighs(self.note)
            if self.fair is None:
                raise TypeError("nobody here solves fair problems")
            return self.fair(subproblem, strategy)
        if strategy.mode == "face" and subproblem.kind == "LP":
            faces = self.chains.get(subproblem.name)
            return faces if faces is not None and faces.serves(subproblem) else self.wider
        if strategy.mode == "face":
            return self.curved
        if strategy.solver.target == EXACT:
            return self._exact(subproblem)
        if strategy.solver.is_custom:
            return _CUSTOM
        again = None if self.warm is None else self.warm.backend(subproblem, strategy)
        if again is not None:
            return again
        return _SHARP if subproblem.name in self.related else _NATIVE

    def _exact(self, subproblem: Subproblem) -> Backend:
        """One exact runner a chain, since its levels build on each other."""
        chain = self.chains.get(subproblem.name)
        if chain is None:
            return ExactResolve() if self.wider.serves(subproblem) else Exact()
        return self.exact.setdefault(id(chain), Exact(chain))


def _opened(subproblem: Subproblem) -> frozenset[str]:
    """The owners of locks whose tolerance is a parameter that is not zero now."""
    return frozenset(
        lock.owner_name
        for _, lock in subproblem.locks
        if lock.parameters and any(tolerance > 0.0 for tolerance in lock.tolerances)
    )
