"""A program with several of its tolerances moved at once, each answer solved for when asked."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from lexiprog.compile.binding import Given
from lexiprog.errors import DeclarationError, LexiprogError, LexiprogWarning
from lexiprog.outline.exploring import LevelOutline, PairOutline
from lexiprog.program import Program
from lexiprog.result.result import Result
from lexiprog.runners.warm import WarmHighs
from lexiprog.solve.hierarchy import execute
from lexiprog.solvers.solver import SolverChoice
from lexiprog.spelling import there_are
from lexiprog.sweeps.slack.cases import slack_of

__all__ = ["Together", "pairs_of"]

# Tolerances of each of two levels, and seconds in which all pairs of them have to be solved.
STEPS, PATIENCE = 6, 10.0


@dataclass
class Together:
    """The answers of one program, with the numbers that its parameters had, at any tolerances."""

    program: Program
    solver: SolverChoice
    given: Given
    held: tuple[str, ...]
    warm: WarmHighs = field(default_factory=WarmHighs)

    def __call__(self, tolerances: Mapping[str, float]) -> Result:
        """The result with these tolerances in place of the declared ones."""
        for name, tolerance in tolerances.items():
            if name not in self.held:
                known = there_are(self.held, name)
                raise DeclarationError(f"nobody holds {name!r}; what is held: {known}")
            if not 0 <= tolerance < np.inf:
                raise DeclarationError(
                    f"a tolerance is a finite number of at least 0, not {tolerance!r}."
                )
        slack = slack_of(self.program, {name: float(t) for name, t in tolerances.items()})
        return execute(
            self.program.stages, self.program.ladders(self.solver), workers=1,
            tick=lambda _: None, solved={}, slack=slack, warm=self.warm, given=self.given,
        )  # fmt: skip


def pairs_of(
    together: Together, levels: Sequence[LevelOutline], seconds: float
) -> tuple[PairOutline, ...]:
    """Every two levels at a few tolerances of each; ``seconds`` is what one solve takes.

    What would take too long is left out; so is a pair in which some answer fails.
    """
    if STEPS**2 * seconds > PATIENCE:
        return ()
    pairs, end = [], time.monotonic() + PATIENCE
    for k, first in enumerate(levels):
        for second in levels[k + 1 :]:
            ends = _end(first, first), _end(first, second)
            if not all(ends) or not second.optima:
                continue
            try:
                pair = _pair(together, first, second, ends, end)
            except LexiprogError:
                continue
            if pair is not None:
                pairs.append(pair)
    return tuple(pairs)


def _end(first: LevelOutline, level: LevelOutline) -> float:
    """The largest tolerance worth a look: alone, or as far as the level moves with the first."""
    alone = level.tolerances[-1] if level.tolerances else 0.0
    moved = [max(v) - min(v) for name, _, v in first.optima if name == level.name]
    return alone or max(moved, default=0.0)


def _pair(
    together: Together,
    first: LevelOutline,
    second: LevelOutline,
    ends: tuple[float, float],
    end: float,
) -> PairOutline | None:
    shown = [name for name, _, _ in second.optima]
    senses = {name: sense for name, sense, _ in second.optima}
    grids = [
        tuple(sorted({*np.linspace(0.0, last, STEPS).tolist(), min(level.declared, last)}))
        for level, last in zip((first, second), ends, strict=True)
    ]
    values: dict[str, list[float | None]] = {name: [] for name in shown}
    for one in grids[0]:
        for other in grids[1]:
            if time.monotonic() > end:
                return None
            with warnings.catch_warnings():  # what they are about is not shown
                warnings.simplefilter("ignore", LexiprogWarning)
                result = together({first.name: one, second.name: other})
            for name in shown:
                sure = result[name].status == "optimal"
                values[name].append(result[name].value if sure else None)
    return PairOutline(
        names=(first.name, second.name),
        declared=(first.declared, second.declared),
        tolerances=(grids[0], grids[1]),
        optima=tuple((name, senses[name], tuple(values[name])) for name in shown),
    )
