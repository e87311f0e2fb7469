"""Everything a program's solve found, by name, in stage order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import cvxpy as cp

from lexiprog.errors import LexiprogError, UnknownName, blank, did_you_mean, this_version
from lexiprog.results import files as store
from lexiprog.results.files import fitted
from lexiprog.results.solution import Solution, check_numbers
from lexiprog.status import Status
from lexiprog.summary import (
    FailureSummary,
    Hold,
    ProblemSummary,
    ProgramSummary,
    Read,
    ResultSummary,
    StageSummary,
    TableCell,
    TableSummary,
    counted,
    data_frame,
    draw,
    level_lines,
    text_table,
    value_text,
)
from lexiprog.typing import Array, Record

if TYPE_CHECKING:
    import os

    import pandas

    from lexiprog.errors import StageError
    from lexiprog.program import Program


def as_text(table: Iterable[Record], notes: Iterable[str]) -> str:
    """One line a solved subproblem, and notes below."""
    columns = ("stage", "subproblem", "value", "status", "solver", "seconds", "certificate")
    rows = [
        (
            row["stage"],
            row["subproblem"],
            value_text(row["value"], row["bound"], row["status"], 10),
            row["status"],
            row["solver"],
            f"{row['seconds']:.3f}",
            f"{row['certificate']:.1e}",
        )
        for row in table
    ]
    return text_table(
        TableSummary(
            title="",
            columns=columns,
            rows=tuple(tuple(map(TableCell, row)) for row in rows),
            numeric=frozenset(["value", "seconds", "certificate"]),
            notes=tuple(map(TableCell, notes)),
        )
    )


def summary_of_solutions(
    stages: Mapping[str, Iterable[str]], solutions: Mapping[str, Solution]
) -> ProgramSummary:
    """What solutions themselves say of the program, where no declaration is at hand."""
    earlier: list[str] = []
    summaries = []
    for stage, names in stages.items():
        problems = tuple(_problem(name, solutions.get(name), earlier) for name in names)
        summaries.append(StageSummary(stage, problems))
        earlier += names
    return ProgramSummary(tuple(summaries))


def _problem(name: str, solution: Solution | None, earlier: list[str]) -> ProblemSummary:
    if solution is None:
        return ProblemSummary(name)
    reads = []
    for label in solution.references:
        # A name may contain dots; the longest one that fits is the owner's.
        owner = max((n for n in earlier if label.startswith(f"{n}.")), key=len, default="")
        what = label.removeprefix(f"{owner}.")
        if owner and what != "held":
            reads.append(Read(owner, what))
    return ProblemSummary(
        name,
        variables=tuple((key, value.shape) for key, value in solution.variables.items()),
        reads=tuple(reads),
        holds=tuple(Hold(lock.name, lock.tolerance) for lock in solution.locks),
    )


# Derivative of an optimum, given the solutions, a parameter and the subproblem's name.
Derive = Callable[[Mapping[str, Solution], cp.Parameter, str, str | None], Array]


class Result(Mapping[str, Solution]):
    """Every certified optimum of a program, by subproblem name and in stage order.

    What :meth:`Program.solve` returns: look solutions up, compare them, save them.

    Attributes
    ----------
    stages : mapping
        Stage name to the names of its subproblems, as declared.
    complete : bool
        Whether every declared subproblem was solved.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> x = cp.Variable(name="x")
    >>> low = lx.Subproblem("low", cp.Minimize(x), [x >= 1])
    >>> result = lx.Program(lx.Stage("only", low)).solve()
    >>> list(result), result["low"].value, result.final.value
    (['low'], 1.0, 1.0)
    """

    def __init__(
        self,
        stages: Mapping[str, tuple[str, ...]],
        solutions: Mapping[str, Solution],
        declared: ProgramSummary | Callable[[], ProgramSummary] | None = None,
        derive: Derive | None = None,
    ) -> None:
        self._derive = derive
        self._declared = declared  # as text, costly for large problems, so made when asked for
        self.stages = MappingProxyType({stage: tuple(names) for stage, names in stages.items()})
        order = [name for names in self.stages.values() for name in names]
        self._solutions = {name: solutions[name] for name in order if name in solutions}

    def __getitem__(self, name: str) -> Solution:
        try:
            return self._solutions[name]
        except KeyError:
            solved = ", ".join(map(repr, self._solutions)) or "nothing"
            hint = did_you_mean(name, self._solutions)
            raise UnknownName(f"no solution named {name!r}; solved: {solved}.{hint}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._solutions)

    def __len__(self) -> int:
        return len(self._solutions)

    def __reduce__(self) -> tuple[object, ...]:
        parts = {"stages": dict(self.stages), "solutions": dict(self._solutions)}
        return blank, (Result, this_version()), parts | {"declared": self.summary.program}

    def __setstate__(self, state: Record) -> None:
        self.__init__(*state.values())  # type: ignore[misc]

    @property
    def complete(self) -> bool:
        """Whether every declared subproblem was solved."""
        solved = [s for s in self.values() if s.status is not Status.UNFINISHED]
        return len(solved) == sum(len(names) for names in self.stages.values())

    @property
    def final(self) -> Solution:
        """The solution of the last stage, which must hold a single subproblem."""
        stage, names = list(self.stages.items())[-1]
        if len(names) != 1:
            known = f"{len(names)} subproblems: choose one of {', '.join(map(repr, names))}"
            raise LookupError(f"the last stage, {stage!r}, has {known} by name.")
        return self[names[0]]

    def gradient(self, parameter: cp.Parameter, *, of: str, side: str | None = None) -> Array:
        """Derivative of the optimum of ``of`` by a parameter, in the parameter's shape.

        It goes through every reference between: optima, and points and multipliers where unique.

        Parameters
        ----------
        parameter : cvxpy.Parameter
            One that the program was solved with.
        of : str
            A subproblem's name.
        side : str, optional
            "right" or "left", which optima have at kinks as well: exact for linear and
            quadratic subproblems, of cones by steps to that side, to about four digits.

        Raises
        ------
        LexiprogError
            There is no derivative here, with the reason: a kink, points or multipliers that are
            not unique, integers, nothing feasible on that side. Or the result was loaded alone.

        Examples
        --------
        >>> import cvxpy as cp, lexiprog as lx
        >>> x, demand = cp.Variable(2, nonneg=True, name="x"), cp.Parameter(name="demand", value=4)
        >>> program = lx.preemptive({"cost": cp.Minimize(3 * x[0] + x[1]),
        ...                          "spread": cp.Minimize(cp.sum_squares(x))},
        ...                         [cp.sum(x) >= demand], rtol={"cost": 0.5})
        >>> result = program.solve()
        >>> [round(float(result.gradient(demand, of=name)), 6) for name in result]
        [1.0, 5.0]
        """
        if self._derive is None:
            raise LexiprogError(
                "a result that was loaded or unpickled knows no CVXPY objects: "
                "Result.load(path, program=...) or program.adopt(result) connects it again."
            )
        self[of]  # an unknown name is refused here
        return self._derive(self, parameter, of, side)

    def to_frame(self) -> pandas.DataFrame:
        """A pandas table, one row a subproblem."""
        return data_frame(self._table(), "subproblem")

    def _table(self) -> list[Record]:
        columns = ("value", "bound", "status", "solver", "seconds", "iterations")
        return [
            {"stage": solution.stage, "subproblem": name}
            | {column: getattr(solution, column) for column in columns}
            | {"certificate": solution.certificate.worst}
            for name, solution in self.items()
        ]

    def save(self, path: str | os.PathLike[str], *, proof: bool = False) -> None:
        """Write everything but the CVXPY objects to a JSON file; floats round-trip exactly.

        The file is replaced as a whole: what it held before is lost only once the new result is
        on the disk.

        Parameters
        ----------
        path : str or path-like
        proof : bool
            Write also each problem as bare numbers, with the point and the multipliers that its
            certificate was computed from. ``docs/check_certificates.py``, which needs nothing of
            this library, checks optimality from them. The file becomes as large as the problems.
        """
        for name, solution in self.items():
            if proof and solution.evidence is None:
                raise LexiprogError(
                    f"nothing is at hand that proves {name!r}: pickles, and files that were saved "
                    "without proof=True, leave it out; solve again."
                )
        record = {
            "stages": {stage: list(names) for stage, names in self.stages.items()},
            "solutions": [solution.record(evidence=proof) for solution in self.values()],
        }
        store.write(record, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], program: Program | None = None) -> Result:
        """Read a saved result; with ``program`` it answers to CVXPY objects again.

        A file whose content has changed since it was saved is refused, and so is a program other
        than the one that was solved, if only by a constant, or one whose objective or constraints
        say something else of the points in the file.
        """
        record = store.read(path)
        try:
            result = cls._from_record(record)
        except store.BadRecord as error:
            raise store.BadFile(f"{path} is not a whole result: at {error}.") from error
        except store.MALFORMED as error:
            raise store.BadFile(f"{path} is not a whole result: {error}.") from error
        return result if program is None else program.adopt(result)

    @classmethod
    def _from_record(cls, record: Record) -> Result:
        stages = fitted(Mapping[str, tuple[str, ...]], record.get("stages"), "stages")
        known = {name: stage for stage, names in stages.items() for name in names}
        solutions: dict[str, Solution] = {}
        for solution in fitted(tuple[Solution, ...], record.get("solutions"), "solutions"):
            if known.get(solution.name) != solution.stage or solution.name in solutions:
                place = f"solutions[{len(solutions)}].name"
                raise store.BadRecord(place, f"{solution.name!r} is not in stages, or twice")
            check_numbers(solution, f"solutions[{len(solutions)}]")
            solutions[solution.name] = solution
        return cls(stages, solutions)

    @property
    def summary(self) -> ResultSummary:
        """What was declared and found, as plain records for display."""
        if callable(self._declared):
            self._declared = self._declared()
        declared = self._declared or summary_of_solutions(self.stages, self)
        found = {k: replace(s.summary, variables=s.shown_variables) for k, s in self.items()}
        return ResultSummary(declared, found)

    def stopped_by(self, error: StageError) -> FailureSummary:
        """What was declared and found, and why there is no more of it, as plain records."""
        return FailureSummary(
            self.summary, error.subproblem, error.status, error.reason, error.attempts,
            error.conflict, error.direction,
        )  # fmt: skip

    def _repr_html_(self) -> str | None:
        return draw(self.summary)

    def __str__(self) -> str:
        missing = [n for names in self.stages.values() for n in names if n not in self]
        levels = {name: solution.levels for name, solution in self.items() if solution.levels}
        notes = [f"{name}:\n" + "\n".join(level_lines(level)) for name, level in levels.items()]
        notes += [f"not solved: {', '.join(missing)}"] * bool(missing)
        return as_text(self._table(), notes)

    def __repr__(self) -> str:
        return f"<Result of {counted(len(self), 'subproblem')}>\n{self}"
