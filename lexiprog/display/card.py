"""One problem of a diagram as a card: declared, solved, or still open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from lexiprog.display.frame import explained, safe, tag, variable_lines
from lexiprog.summary import (
    Levels,
    LockSummary,
    ProblemSummary,
    ProgramSummary,
    SolvedSummary,
    StageSummary,
    counted,
    duration,
    level_texts,
    number,
    tiny,
)
from lexiprog.tolerances import SHOWN_DRIFT

# A program as rows from top to bottom, long stages and long programs summarised.

MOST_PROBLEMS = 6
MOST_STAGES = 6
FIRST, LAST = 2, 1  # of a longer program, the stages that are shown one by one


@dataclass(frozen=True)
class Row:
    """A stage's head, one problem, or the several problems that are not shown one by one."""

    text: str
    note: str = ""
    problems: tuple[ProblemSummary, ...] = ()
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


def rows_of(program: ProgramSummary, seen: str | None = None) -> list[Row]:
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


def _stage_rows(position: int, stage: StageSummary, seen: str | None) -> list[Row]:
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


def _kinds(problems: tuple[ProblemSummary, ...]) -> str:
    kinds = dict.fromkeys(p.kind for p in problems if p.kind)
    sizes = counted(sum(p.size for p in problems), "variable")
    return ", ".join([*kinds, f"{sizes} in all"]) if kinds else ""


SHOWN_CONSTRAINTS = 3
SHOWN_CHIPS = 3
MOST_FOLDED = 20  # lines and chips that unfold

Solved = Mapping[str, SolvedSummary]


@dataclass(frozen=True)
class Halt:
    """The problem at which a solve could not go on, and why."""

    name: str
    status: str
    reason: str


def stopped_card(
    problem: ProblemSummary, colours: Mapping[str, str], stop: Halt, least: int
) -> str:
    """The card of the problem that has no certified optimum."""
    status = tag("span", "lx-bad lx-value", safe(stop.status.replace("_", " ")))
    head = [_sign("not certified", "✗", "bad"), _name(problem), status, _kind(problem)]
    locks = [(hold.owner, f"holds {hold}") for hold in problem.holds]
    return _card(
        "lx-failed",
        least,
        tag("div", "lx-head", *head),
        _model(problem, constrained=True),
        _chips([*_reads(problem), *locks], colours),
        tag("div", "lx-reason", safe(stop.reason)),
    )


def problem_card(
    problem: ProblemSummary, colours: Mapping[str, str], solved: Solved | None, least: int
) -> str:
    """A card at least ``least`` pixels high, its links in the colours of what they lead to."""
    if solved is None:
        body = [_declared_head(problem), _model(problem, constrained=True)]
        locks = [(hold.owner, f"holds {hold}") for hold in problem.holds]
        return _card("", least, *body, _chips([*_reads(problem), *locks], colours))
    found = solved.get(problem.name)
    if found is None:
        head = tag("div", "lx-head", _name(problem), _quiet("not solved"))
        return _card("lx-open", least, head, _model(problem, constrained=False))
    locks = [(lock.name, lock_text(lock)) for lock in found.locks]
    return _card(
        "" if found.certified else "lx-failed",
        least,
        _solved_head(problem, found),
        _model(problem, constrained=False),
        level_table(found.levels),
        variable_lines(found.variables),
        _chips([*_reads(problem), *locks], colours),
        tag("div", "lx-quiet" if found.certified else "lx-bad", explained(found.certificate)),
    )


def summary_card(row: Row, solved: Solved | None, least: int) -> str:
    """A card for several problems."""
    parts = [tag("span", "lx-name", safe(row.text)), _quiet(row.note)]
    if solved is None:
        return _card("lx-open", least, tag("div", "lx-head", *parts), _listed(row, {}))
    found = [solved[p.name] for p in row.problems if p.name in solved]
    failed = sum(not one.certified for one in found)
    if found:
        worst = max(
            found, key=lambda one: (not one.certified, one.status != "optimal", not one.proved)
        )
        parts.insert(0, mark(worst))
        low, high = (number(f(one.value for one in found)) for f in (min, max))
        parts.append(tag("span", "lx-value", f"optima from {low} to {high}"))
    if failed:
        parts.append(tag("span", "lx-bad", f"{failed} not certified"))
    if len(found) < len(row.problems):
        parts.append(_quiet(f"{len(row.problems) - len(found)} not solved"))
    parts.append(tag("span", "lx-end lx-quiet", duration(sum(one.seconds for one in found))))
    return _card("lx-open", least, tag("div", "lx-head", *parts), _listed(row, solved))


def _listed(row: Row, solved: Solved) -> str:
    """Each of the problems in a line, to be unfolded."""
    lines = []
    for problem in row.problems[:MOST_FOLDED]:
        found = solved.get(problem.name)
        sign = "" if found is None else mark(found)
        text = f"{problem.sense} {problem.objective}" if found is None else found.text()
        word = tag("span", "lx-word lx-quiet", safe(problem.name))
        lines.append(tag("div", "lx-line", word, tag("span", "lx-code", sign, " ", safe(text))))
    rest = len(row.problems) - len(lines)
    more = _line("", f"and {rest} more") if rest else ""
    return tag("details", "lx-more", "<summary>one by one</summary>", *lines, more)


def _card(extra: str, least: int, *parts: str) -> str:
    return f'<div class="lx-card {extra}" style="min-height:{least + 14}px">{"".join(parts)}</div>'


def _name(problem: ProblemSummary) -> str:
    return tag("span", "lx-name", safe(problem.name))


def _quiet(text: str) -> str:
    return tag("span", "lx-quiet", safe(text)) if text else ""


def _declared_head(problem: ProblemSummary) -> str:
    sizes = f"{counted(problem.size, 'variable')}, {counted(problem.demands, 'constraint')}"
    solvers = tag("span", "lx-end lx-quiet", safe(", else ".join(problem.solvers)))
    return tag("div", "lx-head", _name(problem), _kind(problem), _quiet(sizes), solvers)


def _kind(problem: ProblemSummary) -> str:
    return tag("span", "lx-kind", safe(problem.kind)) if problem.kind else ""


def _solved_head(problem: ProblemSummary, found: SolvedSummary) -> str:
    end = f"{found.solver}, {duration(found.seconds)}"
    word = "optimum " if found.settled else "reached "
    if found.status == "local":
        word = "local optimum "
    what = "first level " if found.levels else word
    value = tag("span", "", _quiet(what), tag("span", "lx-value", safe(found.text())))
    parts = [mark(found), _name(problem), value, _kind(problem)]
    parts += [
        tag("span", "lx-quiet", explained("" if found.status == "optimal" else found.status)),
        tag("span", "lx-end lx-quiet", safe(end)),
    ]
    return tag("div", "lx-head", *parts)


def level_table(levels: Levels) -> str:
    """Each level of a fair solution with the names of all who are settled there."""
    lines = [_line(value, names) for value, names in level_texts(levels)]
    return tag("div", "lx-levels", *lines) if lines else ""


def mark(found: SolvedSummary) -> str:
    """A green tick for a proof, one in brackets for a word, a red cross for neither of them."""
    if not found.certified:
        return _sign("not certified", "✗", "bad")
    if found.status == "optimal" and found.proved:
        return _sign("certified", "✓", "good")
    if found.status == "optimal":
        return _sign("the point was checked; its bound is the solver's word", "(✓)", "near")
    return _sign("not proved to be optimal", "≈", "near")


def _sign(word: str, sign: str, tone: str) -> str:
    return f'<span class="lx-{tone}" title="{word}" role="img" aria-label="{word}">{sign}</span>'


def _model(problem: ProblemSummary, *, constrained: bool) -> str:
    """Objective and constraints as one writes them, the words on the left."""
    if not problem.objective:
        return ""
    lines = [_line(problem.sense, problem.objective)]
    if constrained:
        words = ["subject to", *[""] * len(problem.constraints)]
        rows = [_line(word, c) for word, c in zip(words, problem.constraints, strict=False)]
        if len(rows) <= SHOWN_CONSTRAINTS + 1:
            lines += rows
        else:
            rest = counted(len(rows) - SHOWN_CONSTRAINTS, "further constraint")
            hidden = f"<summary>{rest}</summary>{''.join(rows[SHOWN_CONSTRAINTS:])}"
            lines += [*rows[:SHOWN_CONSTRAINTS], tag("details", "lx-more", hidden)]
    return "".join(lines)


def _line(word: str, expression: str) -> str:
    word = tag("span", "lx-word lx-quiet", safe(word))
    return tag("div", "lx-line", word, tag("span", "lx-code", safe(expression)))


def _reads(problem: ProblemSummary) -> list[tuple[str, str]]:
    return [(read.owner, f"reads {read}") for read in problem.reads]


def _chips(uses: list[tuple[str, str]], colours: Mapping[str, str]) -> str:
    chips = [
        tag("span", f"lx-chip {colours.get(owner, '')}", explained(text)) for owner, text in uses
    ]
    if len(chips) > SHOWN_CHIPS + 1:
        summary = f"<summary>and {len(chips) - SHOWN_CHIPS} more</summary>"
        hidden = chips[SHOWN_CHIPS : SHOWN_CHIPS + MOST_FOLDED]
        chips[SHOWN_CHIPS:] = [tag("details", "lx-more", summary, *hidden)]
    return tag("div", "lx-chips", *chips) if chips else ""


def lock_text(lock: LockSummary) -> str:
    """The held optimum in words, its price only where somebody has asked for it already."""
    allowed = f"within {number(lock.tolerance)}" if lock.tolerance else "exactly"
    parts = [f"holds {lock.name} {allowed} ({lock.kind} lock)"]
    if lock.guard:
        parts.append(f"loosened by {tiny(lock.guard)}")
    parts.append(f"drift {number(lock.drift) if lock.drift > SHOWN_DRIFT else tiny(lock.drift)}")
    if lock.price is not None:
        parts.append(f"price {number(lock.price)}")
    return ", ".join(parts)
