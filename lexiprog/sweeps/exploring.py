"""Look at what every held level costs: a slider for each tolerance, the rest follows at once."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from lexiprog.aliases import Array
from lexiprog.compile.binding import Given
from lexiprog.declare.lock import Lock
from lexiprog.errors import DeclarationError, LexiprogError
from lexiprog.outline.drawing import draw
from lexiprog.outline.exploring import ExploreOutline, LevelOutline
from lexiprog.outline.numbers import number
from lexiprog.program import Program
from lexiprog.result.result import Result
from lexiprog.solvers.solver import SolverChoice
from lexiprog.sweeps.slack.record import Tradeoff
from lexiprog.sweeps.together import Together, pairs_of
from lexiprog.sweeps.tolerances import tradeoff

__all__ = ["Explorer", "explore"]

# Points of a curve that are shown, and variables beside it: those that move most.
POINTS, BARS = 60, 12


@dataclass(frozen=True, repr=False)
class Explorer:
    """Curves of all held levels, shown in a notebook with a slider for each tolerance.

    The display needs no kernel: a saved page goes on working. Moving one slider puts the others
    back to their declared tolerance, since each curve is exact with the others there. Below, two
    tolerances may move at once, over the pairs that were solved; :meth:`at` solves for any others.

    Attributes
    ----------
    outline : ExploreOutline
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

    outline: ExploreOutline
    together: Together = field(compare=False)

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
        return self.together(tolerances)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a page that works in any browser, without a network."""
        head = '<!doctype html><meta charset="utf-8"><title>What a priority costs</title>'
        Path(path).write_text(head + (draw(self.outline) or str(self)), encoding="utf-8")

    def _repr_html_(self) -> str | None:
        return draw(self.outline)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        lines = []
        for level in self.outline.levels:
            if not level.tolerances:
                lines.append(f"tolerance on {level.name}: {level.note}")
                continue
            first, last = number(level.tolerances[0]), number(level.tolerances[-1])
            optima = [
                f"{name} from {number(values[0] + 0.0)} to {number(values[-1] + 0.0)}"
                for name, _, values in level.optima
            ]
            lines.append(f"tolerance on {level.name}: {first} to {last}, {', '.join(optima)}")
        return "\n".join(lines)


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
        What a notebook shows; ``outline`` has the numbers.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(2, nonneg=True, name="x")
    >>> program = lx.preemptive({"cost": cp.Minimize(x[0] + 2 * x[1]),
    ...                          "even": cp.Minimize(cp.abs(x[0] - x[1]))}, [cp.sum(x) >= 4])
    >>> explorer = lx.explore(program)
    >>> [level.name for level in explorer.outline.levels], explorer.outline.levels[0].tolerances
    (['cost'], (0.0, 2.0))
    """
    held: dict[str, Lock] = {}
    for subproblem in program.subproblems.values():
        for _, lock in subproblem.locks:
            held.setdefault(lock.owner_name, lock)
    if not held:
        raise DeclarationError(
            "nothing to explore: no subproblem holds another's optimum (held(), or a formulation "
            "such as preemptive)."
        )
    together = Together(program, solver, Given.to(program.subproblems.values()), tuple(held))
    begin = time.perf_counter()
    result = program.solve(solver)
    seconds = time.perf_counter() - begin
    levels = []
    for name in (n for n in program.subproblems if n in held):
        declared = held[name].tolerance(result[name].value)
        try:
            curve = tradeoff(program, name, solver=solver, progress=progress)
            levels.append(_level(program, curve, declared))
        except LexiprogError as error:
            levels.append(LevelOutline(name, declared, note=f"no curve: {error}"))
    return Explorer(ExploreOutline(tuple(levels), pairs_of(together, levels, seconds)), together)


def _level(program: Program, curve: Tradeoff, declared: float) -> LevelOutline:
    """The curve at no more points than can be seen, with the variables at each."""
    finite = [k for k, t in enumerate(curve.tolerances) if np.isfinite(t)]
    chosen = finite
    if len(finite) > POINTS:
        chosen = sorted({finite[round(k)] for k in np.linspace(0, len(finite) - 1, POINTS)})
    results = [curve.results[k] for k in chosen]
    senses = {n: "maximise" if p.maximise else "minimise" for n, p in program.subproblems.items()}
    moving = any(program[name].integer for name in curve.values)
    last = list(curve.values)[-1]
    columns: dict[str, list[float]] = {}
    for result in results:
        for key, value in result[last].variables.items():
            for label, entry in _entries(np.asarray(value), key):
                columns.setdefault(label, []).append(entry)
    ranges = {label: max(values) - min(values) for label, values in columns.items()}
    size = max(ranges.values(), default=0.0)
    most = sorted((n for n in ranges if ranges[n] > 1e-6 * (1.0 + size)), key=lambda n: -ranges[n])
    shown = [label for label in columns if label in most[:BARS]]
    thinned = "" if len(chosen) == len(finite) else f"; {len(chosen)} of {len(finite)} points shown"
    exact = all(error == 0.0 for error in curve.errors.values())
    note = "exact" if exact else "to the stated error of the curve"
    note = note + thinned if len(chosen) > 1 else "more slack buys nothing here"
    return LevelOutline(
        name=curve.name,
        declared=declared,
        tolerances=tuple(float(curve.tolerances[k]) for k in chosen),
        optima=tuple(
            (name, senses[name], tuple(float(values[k]) for k in chosen))
            for name, values in curve.values.items()
        ),
        variables=tuple((label, tuple(columns[label])) for label in shown),
        steps=moving,
        note=note,
    )


def _entries(value: Array, key: str) -> Iterator[tuple[str, float]]:
    """Every entry of an array with a label for it."""
    for index in np.ndindex(value.shape):
        label = key + (f"[{', '.join(map(str, index))}]" if index else "")
        yield label, float(np.real(value[index]))
