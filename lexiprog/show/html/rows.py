"""A program as rows from top to bottom, long stages and long programs summarised."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from lexiprog.outline.records import ProblemOutline, ProgramOutline, StageOutline, counted

MOST_PROBLEMS = 6
MOST_STAGES = 6
FIRST, LAST = 2, 1  # of a longer program, the stages that are shown one by one


@dataclass(frozen=True)
class Row:
    """A stage's head, one problem, or the several problems that are not shown one by one."""

    text: str
    note: str = ""
    problems: tuple[ProblemOutline, ...] = ()
    single: bool = False

    @property
    def names(self) -> set[str]:
        """The problems this row stands for."""
        return {problem.name for problem in self.problems}

    @property
    def owners(self) -> set[str]:
        """The problems this row reads or holds."""
        reads = {read.owner for p in self.problems for read in p.reads}
        return reads | {hold.owner for p in self.problems for hold in p.holds}


def rows_of(program: ProgramOutline, seen: str | None = None) -> list[Row]:
    """Heads and problems in order; the problem called ``seen`` is never summarised."""
    stages = list(enumerate(program.stages, 1))
    if len(stages) <= MOST_STAGES:
        return [row for k, stage in stages for row in _stage_rows(k, stage, seen)]
    shown = {k for k, _ in stages[:FIRST] + stages[-LAST:]}
    shown |= {k for k, stage in stages if any(p.name == seen for p in stage.problems)}
    rows: list[Row] = []
    for visible, group in groupby(stages, key=lambda stage: stage[0] in shown):
        together = list(group)
        if visible:
            rows += [row for k, stage in together for row in _stage_rows(k, stage, seen)]
            continue
        problems = tuple(p for _, stage in together for p in stage.problems)
        names = _span([stage.name for _, stage in together])
        text = f"{counted(len(together), 'further stage')}: {names}"
        rows.append(Row(text, _kinds(problems), problems))
    return rows


def _stage_rows(position: int, stage: StageOutline, seen: str | None) -> list[Row]:
    count = len(stage.problems)
    note = f"{count} problems, independent of each other" if count > 1 else ""
    head = Row(f"{position}. {stage.name}", note)
    cut = count if count <= MOST_PROBLEMS else MOST_PROBLEMS - 1
    shown = [p for k, p in enumerate(stage.problems) if k < cut or p.name == seen]
    rows = [Row(p.name, problems=(p,), single=True) for p in shown]
    hidden = tuple(p for k, p in enumerate(stage.problems) if k >= cut and p.name != seen)
    if hidden:
        text = f"{len(hidden)} more: {_span([p.name for p in hidden])}"
        rows.append(Row(text, _kinds(hidden), hidden))
    return [head, *rows]


def _span(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{names[0]}, {names[1]}, …, {names[-1]}"


def _kinds(problems: tuple[ProblemOutline, ...]) -> str:
    kinds = dict.fromkeys(p.kind for p in problems if p.kind)
    sizes = counted(sum(p.size for p in problems), "variable")
    return ", ".join([*kinds, f"{sizes} in all"]) if kinds else ""
