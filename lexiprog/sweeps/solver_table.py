"""A table of what several choices of solvers made of one program."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lexiprog.outline.numbers import duration, tiny
from lexiprog.outline.records import TableCell, TableOutline, value_text
from lexiprog.outline.tables import ShownTable
from lexiprog.status import Status

if TYPE_CHECKING:
    import pandas

__all__ = ["SolverComparison", "SolverRow"]

NOT_REACHED = "not reached"
DOUBTFUL = 1e-5  # further apart than two values can be that are certified to 1e-6

_COLUMNS = ("subproblem", "solvers", "optimum", "certificate", "disagreement", "time", "verdict")


@dataclass(frozen=True)
class SolverRow:
    """One subproblem under one choice of solvers; None for what a failure left unknown.

    ``certificate`` is the worst measure, ``seconds`` the time in the solver, ``compile_seconds``
    that before it, and ``disagreement`` the distance to the most trusted value, over one plus
    its size.
    """

    choice: str
    stage: str
    subproblem: str
    solver: str
    status: str
    reason: str = ""
    value: float | None = None
    certificate: float | None = None
    seconds: float | None = None
    compile_seconds: float | None = None
    disagreement: float | None = None
    bound: float | None = None  # proved, of an optimum that is known as an interval


@dataclass(frozen=True, repr=False)
class SolverComparison(ShownTable):
    """What several choices of solvers made of one program.

    What :func:`compare_solvers` returns: a table to choose from, and whether all agree.

    Attributes
    ----------
    rows : tuple of SolverRow
        Subproblem by subproblem in stage order, each with every choice in the order given.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(name="x")
    >>> program = lx.Program(lx.Stage("only", lx.Subproblem("low", cp.Minimize(x), [x >= 1])))
    >>> table = lx.compare_solvers(program, ["HIGHS", "CLARABEL"])
    >>> [(row.choice, row.status, round(row.value, 6)) for row in table.rows]
    [('HIGHS', 'optimal', 1.0), ('CLARABEL', 'optimal', 1.0)]
    >>> max(row.disagreement for row in table.rows) < 1e-6
    True
    """

    rows: tuple[SolverRow, ...]

    @classmethod
    def of(cls, groups: Iterable[list[SolverRow]]) -> SolverComparison:
        """Compare the rows of each group, which belong to one subproblem, with each other."""
        return cls(tuple(row for rows in groups for row in _measured(rows)))

    @property
    def failures(self) -> tuple[SolverRow, ...]:
        """The rows without a certified optimum."""
        return tuple(row for row in self.rows if row.value is None)

    def to_frame(self) -> pandas.DataFrame:
        """A pandas table, one row a subproblem and choice."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_frame() needs pandas: pip install pandas.") from error
        columns = list(SolverRow.__dataclass_fields__)
        frame = pandas.DataFrame([vars(row) for row in self.rows], columns=columns)
        return frame.set_index(["subproblem", "choice"])

    @property
    def outline(self) -> TableOutline:
        """The table as plain records for display."""
        return TableOutline(
            title="One program, several solvers",
            columns=_COLUMNS,
            rows=tuple(_cells(row, self.rows[:k]) for k, row in enumerate(self.rows)),
            numeric=frozenset(["optimum", "certificate", "disagreement", "time"]),
        )


def _cells(row: SolverRow, before: tuple[SolverRow, ...]) -> tuple[TableCell, ...]:
    """A row's texts; what the rows before it have said already is not repeated."""
    again = bool(before) and before[-1].subproblem == row.subproblem
    name, choice = TableCell("" if again else row.subproblem), TableCell(row.choice)
    if row.value is None:
        told = {(other.choice, other.reason) for other in before}
        new = row.reason and (row.choice, row.reason) not in told
        said = f"{row.status}: {row.reason}" if new else row.status
        blank = (TableCell("-", "quiet"),) * 4
        return (
            name,
            choice,
            *blank,
            TableCell(said, "quiet" if row.status == NOT_REACHED else "bad"),
        )
    apart = row.disagreement or 0.0
    return (
        name,
        choice,
        TableCell(value_text(row.value, row.bound, row.status, 8)),
        TableCell(tiny(row.certificate or 0.0)),
        TableCell(tiny(apart), "bad" if apart > DOUBTFUL else ""),
        TableCell(duration(row.seconds or 0.0)),
        TableCell(row.status, "good" if row.status == Status.OPTIMAL else "bad"),
    )


def _measured(rows: list[SolverRow]) -> list[SolverRow]:
    """The rows with their distance to the value whose certificate is best."""
    solved = [row for row in rows if row.value is not None and row.certificate is not None]
    if not solved:
        return rows
    trusted = min(solved, key=lambda row: row.certificate or 0.0).value or 0.0
    return [
        row
        if row.value is None
        else replace(row, disagreement=abs(row.value - trusted) / (1.0 + abs(trusted)))
        for row in rows
    ]
