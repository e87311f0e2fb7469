"""Look at what every held level costs: a slider for each tolerance, the rest follows at once."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

import numpy as np

from lexiprog.backends.solver import SolverChoice
from lexiprog.compile.binding import Given
from lexiprog.deadline import Deadline
from lexiprog.errors import DeclarationError, LexiprogError, LexiprogWarning, there_are, visible
from lexiprog.model.expressions import shorten
from lexiprog.model.lock import Lock
from lexiprog.parametric.context import ScenarioCache
from lexiprog.parametric.tradeoffs import Tradeoff, tradeoff
from lexiprog.parametric.value_function import CurveKind
from lexiprog.program import Program
from lexiprog.results.result import Result
from lexiprog.summary import ExploreSummary, LevelSummary, PairSummary, draw, number
from lexiprog.tolerances import SHOWN_MOVE
from lexiprog.typing import Array

# Tolerances of each of two levels, and seconds in which all pairs of them have to be solved.
STEPS, PATIENCE = 6, 10.0


def pairs_of(
    scenarios: ScenarioCache, levels: Sequence[LevelSummary], seconds: float
) -> tuple[PairSummary, ...]:
    """Every two levels at a few tolerances of each; ``seconds`` is what one solve takes.

    What would take too long is left out; so is a pair in which some answer fails.
    """
    if STEPS**2 * seconds > PATIENCE:
        return ()
    pairs, deadline = [], Deadline(PATIENCE)
    for k, first in enumerate(levels):
        for second in levels[k + 1 :]:
            ends = _end(first, first), _end(first, second)
            if not all(ends) or not second.optima:
                continue
            try:
                pair = _pair(scenarios, first, second, ends, deadline)
            except LexiprogError:
                continue
            if pair is not None:
                pairs.append(pair)
    return tuple(pairs)


def _end(first: LevelSummary, level: LevelSummary) -> float:
    """The largest tolerance worth a look: alone, or as far as the level moves with the first."""
    alone = level.tolerances[-1] if level.tolerances else 0.0
    moved = [max(v) - min(v) for name, _, v in first.optima if name == level.name]
    return alone or max(moved, default=0.0)


def _pair(
    scenarios: ScenarioCache,
    first: LevelSummary,
    second: LevelSummary,
    ends: tuple[float, float],
    deadline: Deadline,
) -> PairSummary | None:
    shown = [name for name, _, _ in second.optima]
    senses = {name: sense for name, sense, _ in second.optima}
    grids = [
        tuple(sorted({*np.linspace(0.0, last, STEPS).tolist(), min(level.declared, last)}))
        for level, last in zip((first, second), ends, strict=True)
    ]
    values: dict[str, list[float | None]] = {name: [] for name in shown}
    for tolerances in product(*grids):
        if deadline.left() == 0.0:
            return None
        with warnings.catch_warnings():  # what they are about is not shown
            warnings.simplefilter("ignore", LexiprogWarning)
            result = scenarios.at(dict(zip((first.name, second.name), tolerances, strict=True)))
        for name in shown:
            certified = result[name].status == "optimal"
            values[name].append(result[name].value if certified else None)
    return PairSummary(
        names=(first.name, second.name),
        declared=(first.declared, second.declared),
        tolerances=(grids[0], grids[1]),
        optima=tuple((name, senses[name], tuple(values[name])) for name in shown),
    )


# Points of a curve that are shown, and variables beside it: those that move most.
POINTS, BARS = 60, 12


@dataclass(frozen=True, repr=False)
class Explorer:
    """Curves of all held levels, shown in a notebook with a slider for each tolerance.

    The display needs no kernel: a saved page goes on working. Only what was proved is shown: a
    curve that is not exact between its points is dots, and its slider goes from one to the next.
    Moving one slider puts the others back to their declared tolerance, where they were computed.
    Below, two tolerances may move at once, over the pairs that were solved; :meth:`at` solves for
    any others.

    Attributes
    ----------
    summary : ExploreSummary
        Everything that is shown, as plain records.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> v = cp.Variable(2, nonneg=True, name="v")
    >>> limits = [2 * v[0] + v[1] <= 3, v[0] + 2 * v[1] <= 3]
    >>> wishes = {"first": cp.Maximize(v[0]), "second": cp.Maximize(v[1])}
    >>> print(lx.explore(lx.preemptive(wishes, limits)))
    tolerance on first: 0 to 1.5, second from 0 to 1.5
    """

    summary: ExploreSummary
    held: tuple[str, ...] = field(compare=False)
    scenarios: ScenarioCache = field(compare=False)

    def at(self, tolerances: Mapping[str, float]) -> Result:
        """Solve with these tolerances, several at once, in place of the declared ones.

        Parameters
        ----------
        tolerances : mapping
            Held subproblem to how much of its optimum may be given up.

        Returns
        -------
        Result
            For the values that parameters had when this was made.
        """
        for name, tolerance in tolerances.items():
            if name not in self.held:
                known = there_are(self.held, name)
                raise DeclarationError(f"nobody holds {name!r}; what is held: {known}")
            if not 0 <= tolerance < np.inf:
                raise DeclarationError(
                    f"a tolerance is a finite number of at least 0, not {tolerance!r}."
                )
        return self.scenarios.at({name: float(t) for name, t in tolerances.items()})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a page that works in any browser, without a network."""
        page = draw(replace(self.summary, framed=False))
        Path(path).write_text(page or str(self), encoding="utf-8")

    def _repr_html_(self) -> str | None:
        return draw(self.summary)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        lines = []
        for level in self.summary.levels:
            if not level.tolerances:
                lines.append(f"tolerance on {level.name}: {level.note}")
                continue
            first, last = number(level.tolerances[0]), number(level.tolerances[-1])
            optima = [
                f"{name} from {number(values[0] + 0.0)} to {number(values[-1] + 0.0)}"
                for name, _, values in level.optima
            ]
            lines.append(f"tolerance on {level.name}: {first} to {last}, {', '.join(optima)}")
        return "\n".join(visible(line, lines=False) for line in lines)


def explore(program: Program, *, solver: SolverChoice = None, progress: bool = False) -> Explorer:
    """Show what every held optimum costs the later ones, with sliders for the tolerances.

    Beside a slider stand the later optima, the variables that move, and the curve with the current
    point. All of it is computed before (see :func:`tradeoff`), so that nothing is waited for.

    Parameters
    ----------
    program : Program
        In which some subproblem holds another.
    solver : optional
        As for :meth:`Program.solve`.
    progress : bool
        Show a bar for each level (needs tqdm).

    Returns
    -------
    Explorer
        What a notebook shows; ``summary`` has the numbers.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(2, nonneg=True, name="x")
    >>> program = lx.preemptive({"cost": cp.Minimize(x[0] + 2 * x[1]),
    ...                          "even": cp.Minimize(cp.abs(x[0] - x[1]))}, [cp.sum(x) >= 4])
    >>> explorer = lx.explore(program)
    >>> [level.name for level in explorer.summary.levels], explorer.summary.levels[0].tolerances
    (['cost'], (0.0, 2.0))
    """
    if not isinstance(program, Program):
        raise DeclarationError(f"explore takes a Program, not {shorten(repr(program))}.")
    held: dict[str, Lock] = {}
    for subproblem in program.subproblems.values():
        for _, lock in subproblem.locks:
            held.setdefault(lock.owner_name, lock)
    if not held:
        raise DeclarationError(
            "nothing to explore: no subproblem holds another's optimum (held(), or a formulation "
            "such as preemptive)."
        )
    given = Given.to(program.subproblems.values())
    scenarios = ScenarioCache(program, program.ladders(solver), given)
    begin = time.perf_counter()
    result = program.solve(solver)
    seconds = time.perf_counter() - begin
    levels = []
    for name in (n for n in program.subproblems if n in held):
        declared = held[name].tolerance(result[name].value)
        try:
            curve = tradeoff(program, name, solver=solver, progress=progress)
            levels.append(_level(program, curve, declared, scenarios))
        except LexiprogError as error:
            levels.append(LevelSummary(name, declared, note=f"no curve: {error}"))
    pairs = pairs_of(scenarios, levels, seconds)
    return Explorer(ExploreSummary(tuple(levels), pairs), tuple(held), scenarios)


def _level(
    program: Program, curve: Tradeoff, declared: float, scenarios: ScenarioCache
) -> LevelSummary:
    """The curve at no more points than can be seen, with the variables at each.

    Where it is not exact between the points shown, it is those points alone, and the declared
    tolerance is one of them.
    """
    finite = np.flatnonzero(np.isfinite(curve.tolerances)).tolist()
    count = min(len(finite), POINTS)
    chosen = [finite[round(k)] for k in np.linspace(0, len(finite) - 1, count)]
    between = _known_between(curve) if len(chosen) == len(finite) else None
    sampled = len(chosen) > 1 and between is None
    points = {float(curve.tolerances[k]): _at(curve, k) for k in chosen}
    home = min(declared, max(points))
    if sampled and home not in points:
        result = scenarios.at({curve.name: home})
        points[home] = {name: result[name].value for name in curve.values}, result
    senses = {n: "maximise" if p.maximise else "minimise" for n, p in program.subproblems.items()}
    last, places = list(curve.values)[-1], sorted(points)
    return LevelSummary(
        name=curve.name,
        declared=declared,
        tolerances=tuple(places),
        optima=tuple(
            (name, senses[name], tuple(points[t][0][name] for t in places)) for name in curve.values
        ),
        variables=_moving_variables([points[t][1] for t in places], last),
        steps=between is CurveKind.STEPS,
        sampled=sampled,
        note=_note(len(chosen), len(finite), sampled=sampled),
    )


def _known_between(curve: Tradeoff) -> CurveKind | None:
    """What all optima are between two points: linear or in steps; None if that is not proved."""
    kinds = {function.kind for function in curve.functions.values()}
    if len(kinds) != 1 or any(curve.errors.values()):
        return None
    (kind,) = kinds
    return kind if kind in (CurveKind.LINEAR, CurveKind.STEPS) else None


def _at(curve: Tradeoff, k: int) -> tuple[dict[str, float], Result]:
    """The optima at one tolerance of a curve, as they were solved there."""
    result = curve.results[k]
    return {name: result[name].value for name in curve.values}, result


def _moving_variables(
    results: Sequence[Result], name: str
) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """Label and values of the entries of variables that move most."""
    columns: dict[str, list[float]] = {}
    for result in results:
        for key, value in result[name].variables.items():
            for label, entry in _entries(np.asarray(value), key):
                columns.setdefault(label, []).append(entry)
    ranges = {label: max(values) - min(values) for label, values in columns.items()}
    least = SHOWN_MOVE * (1.0 + max(ranges.values(), default=0.0))
    moving = sorted((n for n in ranges if ranges[n] > least), key=lambda n: -ranges[n])[:BARS]
    return tuple((label, tuple(values)) for label, values in columns.items() if label in moving)


def _note(shown: int, count: int, *, sampled: bool) -> str:
    if shown <= 1:
        return "more slack buys nothing here"
    if not sampled:
        return "exact"
    thinned = "" if shown == count else f", {shown} of {count} points of the curve"
    return f"solved at each of these tolerances{thinned}; in between nothing is shown"


def _entries(value: Array, key: str) -> Iterator[tuple[str, float]]:
    """Every entry of an array with a label for it."""
    for index in np.ndindex(value.shape):
        label = key + (f"[{', '.join(map(str, index))}]" if index else "")
        yield label, float(np.real(value[index]))
