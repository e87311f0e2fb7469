"""What slack on one level buys in the later ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from lexiprog.declare.lock import Slack
from lexiprog.errors import DeclarationError
from lexiprog.outline.drawing import draw
from lexiprog.outline.numbers import cleaned, number
from lexiprog.outline.records import TableCell, TableOutline
from lexiprog.outline.text import text_table
from lexiprog.program import Program
from lexiprog.progress import bar
from lexiprog.result.result import Result
from lexiprog.runners.warm import WarmHighs
from lexiprog.solve.hierarchy import execute
from lexiprog.solvers.solver import SolverChoice

if TYPE_CHECKING:
    import pandas

__all__ = ["Tradeoff", "tradeoff"]


@dataclass(frozen=True)
class Tradeoff:
    """Optima along a range of tolerances on one level.

    Attributes
    ----------
    name : str
        The level whose tolerance varies.
    tolerances : tuple of float
        Absolute degradations allowed.
    values : mapping
        Later subproblem to its optimum at each tolerance.
    given_up : tuple of float
        How much of the level's optimum the last stage really gave up.
    results : tuple of Result
        The whole solution at each tolerance.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x, y = cp.Variable(nonneg=True, name="x"), cp.Variable(nonneg=True, name="y")
    >>> program = lx.preemptive({"x": cp.Maximize(x), "y": cp.Maximize(y)},
    ...                         [2 * x + y <= 3, 0.5 * x + y <= 1.5])
    >>> print(lx.tradeoff(program, "x", [0, 0.5, 1.5]))
    tolerance on x    y
                 0    0
               0.5    1
               1.5  1.5
    """

    name: str
    tolerances: tuple[float, ...]
    values: Mapping[str, tuple[float, ...]]
    given_up: tuple[float, ...]
    results: tuple[Result, ...] = field(repr=False)

    def to_frame(self) -> pandas.DataFrame:
        """A pandas table, one row a tolerance."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_frame() needs pandas: pip install pandas.") from error
        columns = {"tolerance": self.tolerances, "given up": self.given_up} | dict(self.values)
        return pandas.DataFrame(columns).set_index("tolerance")

    @property
    def outline(self) -> TableOutline:
        """The table as plain records for display."""
        columns = (f"tolerance on {self.name}", *self.values)
        series = [list(map(number, cleaned(s))) for s in (self.tolerances, *self.values.values())]
        return TableOutline(
            title=f"What slack on {self.name} buys",
            columns=columns,
            rows=tuple(tuple(map(TableCell, row)) for row in zip(*series, strict=True)),
            numeric=frozenset(columns),
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str | None:
        return draw(self.outline)

    def __str__(self) -> str:
        return text_table(self.outline)


def tradeoff(
    program: Program,
    name: str,
    tolerances: Iterable[float],
    *,
    solver: SolverChoice = None,
    progress: bool = False,
) -> Tradeoff:
    """Solve a program again and again with more slack on one held optimum.

    The stages up to that optimum are solved once; later ones are compiled once and, where they
    are linear, started from the last basis.

    Parameters
    ----------
    program : Program
    name : str
        A subproblem that later ones hold (``held()``, as the formulations do).
    tolerances : iterable of float
        Absolute degradations, in place of those declared.
    solver : optional
        As for :meth:`Program.solve`.
    progress : bool
        Show a bar (needs tqdm).

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x, y = cp.Variable(nonneg=True, name="x"), cp.Variable(nonneg=True, name="y")
    >>> program = lx.preemptive({"x": cp.Maximize(x), "y": cp.Maximize(y)},
    ...                         [2 * x + y <= 3, 0.5 * x + y <= 1.5])
    >>> [round(y, 6) for y in lx.tradeoff(program, "x", [0.25, 0.5, 1.5]).values["y"]]
    [0.5, 1.0, 1.5]
    """
    held = program[name]
    if not any(lock.owner() is held for p in program.subproblems.values() for _, lock in p.locks):
        raise DeclarationError(f"no later subproblem holds {name!r}: there is nothing to trade.")
    steps = [float(tolerance) for tolerance in tolerances]
    for step in steps:
        if not 0 <= step < np.inf:
            raise DeclarationError(f"a tolerance is a finite number of at least 0, not {step!r}.")
    position = next(k for k, s in enumerate(program.stages) if held in s.subproblems)
    head = Program(*program.stages[: position + 1]).solve(_head_choice(program, solver, position))
    later = [p.name for stage in program.stages[position + 1 :] for p in stage.subproblems]
    ladders = program.ladders(solver)
    warm = WarmHighs()
    results = []
    with bar(len(steps), 0, progress=progress) as tick:
        for step in steps:
            results.append(
                execute(
                    program.stages, ladders, workers=1, tick=lambda _: None, solved=head,
                    slack=Slack({name: step}), warm=warm,
                )
            )  # fmt: skip
            tick(f"{name} {step:g}")
    return Tradeoff(
        name=name,
        tolerances=tuple(steps),
        values={other: tuple(result[other].value for result in results) for other in later},
        given_up=tuple(_given_up(result, later, name) for result in results),
        results=tuple(results),
    )


def _head_choice(program: Program, solver: Any, position: int) -> Any:
    """The part of a solver choice that concerns the stages up to ``position``."""
    if not isinstance(solver, Mapping):
        return solver
    stages = program.stages[: position + 1]
    names = {name for s in stages for name in (s.name, *(p.name for p in s.subproblems))}
    return {name: choice for name, choice in solver.items() if name in names}


def _given_up(result: Result, later: list[str], name: str) -> float:
    """Drift of the level in the last subproblem that holds it."""
    drifts = [lock.drift for p in later for lock in result[p].locks if lock.name == name]
    return drifts[-1]
