"""What a program's optima are in one scenario after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, overload

import numpy as np

from lexiprog.aliases import Array, Value
from lexiprog.errors import LexiprogError, StageError
from lexiprog.outline.charts import Chart, series_of
from lexiprog.outline.numbers import number
from lexiprog.outline.records import TableCell, TableOutline, counted
from lexiprog.outline.tables import ShownTable
from lexiprog.result.result import Result

if TYPE_CHECKING:
    import pandas

__all__ = ["Sweep"]

# Longer tables are shown by their two ends.
SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(ShownTable, Sequence[Result | LexiprogError]):
    """A program solved for one set of parameter values after the other.

    ``sweep[i]`` is the Result at position i of the lists, or the error if there is none.

    Attributes
    ----------
    parameters : mapping
        Name of each parameter that varied to its values.
    names : tuple of str
        The program's subproblems, in stage order.
    rows : tuple of Result or LexiprogError
        What was found, scenario by scenario.
    found : mapping
        How many linear problems were answered by a "kept" basis without a solve, how many "warm"
        and how many "cold".

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x, demand = cp.Variable(2, nonneg=True, name="x"), cp.Parameter(name="demand")
    >>> cheap = lx.Subproblem("cheap", cp.Minimize(3 * x[0] + x[1]), [cp.sum(x) >= demand, x <= 3])
    >>> table = lx.sweep(lx.Program(lx.Stage("cost", cheap)), {demand: [2, 4, 7]})
    >>> print(table)
       demand  cheap
    0       2      2
    1       4      6
    2       7      -  infeasible
    3 scenarios, 1 without a result.
    >>> table[1]["cheap"].value, table[2].status == "infeasible", list(table.failures)
    (6.0, True, [2])
    """

    parameters: Mapping[str, Sequence[Value]]
    names: tuple[str, ...]
    rows: tuple[Result | LexiprogError, ...] = field(repr=False)
    found: Mapping[str, int] = field(default_factory=dict)

    @overload
    def __getitem__(self, position: int) -> Result | LexiprogError: ...

    @overload
    def __getitem__(self, position: slice) -> Sequence[Result | LexiprogError]: ...

    def __getitem__(
        self, position: int | slice
    ) -> Result | LexiprogError | Sequence[Result | LexiprogError]:
        return self.rows[position]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Result | LexiprogError]:
        return iter(self.rows)

    @property
    def values(self) -> Mapping[str, Array]:
        """Subproblem to its optimum in every scenario; not a number where there is none."""
        return {
            name: np.array([_optimum(row, name) for row in self.rows], dtype=float)
            for name in self.names
        }

    @property
    def failures(self) -> Mapping[int, LexiprogError]:
        """The scenarios without a result, by position, each with its error."""
        return {k: row for k, row in enumerate(self.rows) if not isinstance(row, Result)}

    def to_frame(self) -> pandas.DataFrame:
        """A pandas table, one row a scenario: scalar parameters, optima, and why one is missing."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_frame() needs pandas: pip install pandas.") from error
        scalars = {n: list(map(float, v)) for n, v in self.parameters.items() if _is_scalar(v)}
        failed = [_reason(row) for row in self.rows]
        columns = scalars | dict(self.values) | {"failure": failed}
        return pandas.DataFrame(columns, index=pandas.RangeIndex(len(self), name="scenario"))

    @property
    def outline(self) -> TableOutline:
        """The table as plain records for display."""
        scalars = {name: v for name, v in self.parameters.items() if _is_scalar(v)}
        columns = ("", *scalars, *self.names, " ")
        shown: list[int | None] = list(range(len(self)))
        if len(self) > SHOWN:
            half = SHOWN // 2
            shown = [*range(half), None, *range(len(self) - half, len(self))]
        values = self.values
        rows = []
        for k in shown:
            if k is None:
                rows.append((*(TableCell("...", "quiet") for _ in columns[:-1]), _BLANK))
                continue
            given = [TableCell(number(float(v[k]))) for v in scalars.values()]
            optima = [_cell(values[name][k]) for name in self.names]
            reason = TableCell(_reason(self.rows[k]), "bad")
            rows.append((TableCell(str(k), "quiet"), *given, *optima, reason))
        failed = len(self.failures)
        note = f"{counted(len(self), 'scenario')}, {failed or 'none'} without a result."
        return TableOutline(
            title="Scenario by scenario",
            columns=columns,
            rows=tuple(rows),
            numeric=frozenset(columns[:-1]),
            notes=(TableCell(note),),
            chart=self.chart,
        )

    @property
    def chart(self) -> Chart:
        """The optima over the one scalar parameter that varies, or over the scenarios' numbers."""
        scalars = [name for name, values in self.parameters.items() if _is_scalar(values)]
        across, places = "scenario", list(map(float, range(len(self))))
        if len(self.parameters) == 1 and scalars:
            across, places = scalars[0], [float(v) for v in self.parameters[scalars[0]]]
        order = np.argsort(places, kind="stable")
        values = self.values
        series = [
            series_of(name, np.array(places)[order], values[name][order],
                      "straight" if across != "scenario" else "not")
            for name in self.names
        ]  # fmt: skip
        return Chart(across, self.names[0] if len(self.names) == 1 else "optimum", tuple(series))


_BLANK = TableCell("")


def _optimum(row: Result | LexiprogError, name: str) -> float:
    """What is known of one optimum, also in a scenario that failed later."""
    known = row if isinstance(row, Result) else getattr(row, "partial", None)
    return known[name].value if known is not None and name in known else np.nan


def _reason(row: Result | LexiprogError) -> str:
    if isinstance(row, Result):
        return ""
    return str(row.status) if isinstance(row, StageError) else str(row)


def _cell(value: float) -> TableCell:
    return TableCell("-", "quiet") if np.isnan(value) else TableCell(number(value + 0.0))


def _is_scalar(values: Sequence[Value]) -> bool:
    return all(np.ndim(value) == 0 for value in values)
