"""Who runs what: the right runner for each way of trying a subproblem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lexiprog.declare.lock import Slack
from lexiprog.declare.stage import Stage
from lexiprog.declare.subproblem import Subproblem
from lexiprog.runners.chains import find_chains
from lexiprog.runners.custom import Custom
from lexiprog.runners.face import FaceChain
from lexiprog.runners.native import Native
from lexiprog.runners.runner import Runner
from lexiprog.runners.warm import WarmHighs
from lexiprog.solvers.solver import Ladder
from lexiprog.solvers.ways import Way, ways_to_try

__all__ = ["Runners"]

_NATIVE, _CUSTOM = Native(), Custom()


@dataclass(frozen=True)
class Runners:
    """The runners of one solve: face chains, warm sessions if asked for, and the rest."""

    ladders: Mapping[str, Ladder]
    chains: Mapping[str, FaceChain]
    loosened: frozenset[str]
    warm: WarmHighs | None = None

    @classmethod
    def of(
        cls,
        stages: Iterable[Stage],
        ladders: Mapping[str, Ladder],
        slack: Slack,
        warm: WarmHighs | None,
    ) -> Runners:
        """The runners for these stages and solvers."""
        chains = find_chains(stages, ladders, loosened=slack.tolerances)
        loosened = frozenset(name for name, given in slack.tolerances.items() if given > 0)
        return cls(ladders, chains, loosened, warm)

    def ways(self, subproblem: Subproblem) -> list[Way]:
        """Every solver and lock to try, now that all earlier stages are solved."""
        chain = self.chains.get(subproblem.name)
        face = chain is not None and chain.serves(subproblem)
        ladder = self.ladders[subproblem.name]
        return ways_to_try(subproblem, ladder, face=face, loosened=self.loosened)

    def runner(self, subproblem: Subproblem, way: Way) -> Runner:
        """Who runs the subproblem this way."""
        if way.mode == "face":
            return self.chains[subproblem.name]
        if way.solver.is_custom:
            return _CUSTOM
        if self.warm is not None and self.warm.serves(subproblem, way):
            return self.warm
        return _NATIVE
