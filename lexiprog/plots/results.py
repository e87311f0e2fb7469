"""A result from top to bottom: stages, their problems, what each took and found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lexiprog.plots.canvas import BAD, LIGHT, MAIN, NOTE, SOFT, axes_for, fitting
from lexiprog.program import Program
from lexiprog.summary import counted, duration, number
from lexiprog.tolerances import SHOWN_POSITIVE, SHOWN_ZERO

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lexiprog.results.result import Result
    from lexiprog.results.solution import Solution
    from lexiprog.summary import ProblemSummary, ProgramSummary


MOST = 12
WORDS = 1.9  # inches behind the longest bar


def hierarchy(result: Result | Program, *, ax: Axes | None = None) -> Axes:
    """Draw stages and problems as bars of compile and solve time, with optimum and solver.

    Use it to see where the time of a solve went.

    Parameters
    ----------
    result : Result or Program
        Complete or partial; of long stages the first and the slowest problems are drawn. Of a
        program that is not solved: what each problem is and what it takes from earlier ones.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> from lexiprog import plots
    >>> x = cp.Variable(name="x")
    >>> low = lx.Subproblem("low", cp.Minimize(x), [x >= 1])
    >>> near = lx.Subproblem("near", cp.Minimize(cp.square(x)), [x >= low.optimum])
    >>> result = lx.Program(lx.Stage("first", low), lx.Stage("second", near)).solve()
    >>> [label.get_text() for label in plots.hierarchy(result).get_yticklabels()]
    ['low', 'near']
    """
    if isinstance(result, Program):
        return _declared(result.summary, ax)
    groups = [(stage, _shown(result, names)) for stage, names in result.stages.items()]
    rows = sum(len(shown) + 1.4 for _, shown in groups)
    ax = axes_for(ax, height=max(2.0, 0.9 + 0.34 * rows))
    longest = max((found.seconds for found in result.values()), default=0.0)
    scale, unit = (1e3, "milliseconds") if longest < 1 else (1.0, "seconds")
    full = max(longest * scale, SHOWN_POSITIVE)
    top, ticks, labels = 0.0, [], []
    for position, (stage, shown) in enumerate(groups, 1):
        bottom = top + len(shown) + 1.4
        if position % 2:
            ax.axhspan(top, bottom, color=LIGHT, zorder=0, linewidth=0)
        _text(ax, 0.01 * full, top + 0.7, f"{position}. {fitting(stage, 60)}", bold=True)
        for k, (name, solution) in enumerate(shown):
            y = top + 1.6 + k
            ticks.append(y)
            labels.append(fitting(name))
            _bar(ax, y, solution, scale=scale, room=0.012 * full)
        top = bottom
    ax.set_yticks(ticks, labels)
    ax.set_ylim(top, 0)
    ax.set_xlim(0, full / max(0.3, 1 - max(0.43, WORDS / _inches(ax))))
    ax.set_xticks([tick for tick in ax.get_xticks() if tick <= 1.05 * full])
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(f"{unit} to compile (light) and solve (dark)", loc="left")
    total = duration(sum(found.seconds for found in result.values()))
    counts = f"{counted(len(result), 'problem')} in {counted(len(groups), 'stage')}"
    ax.set_title(f"{counts}, {total} of work", loc="left")
    return ax


def _inches(ax: Axes) -> float:
    """How wide the picture is."""
    return float(ax.bbox.width) / ax.figure.dpi


def _declared(program: ProgramSummary, ax: Axes | None) -> Axes:
    """Stages and problems in words, before anything is solved."""
    rows = sum(min(len(stage.problems), MOST) + 1.4 for stage in program.stages)
    ax = axes_for(ax, height=max(2.0, 0.9 + 0.34 * rows))
    top, ticks, labels = 0.0, [], []
    for position, stage in enumerate(program.stages, 1):
        problems = stage.problems[:MOST]
        hidden = len(stage.problems) - len(problems)
        more = f" (and {counted(hidden, 'more problem')})" if hidden else ""
        bottom = top + len(problems) + 1.4
        if position % 2:
            ax.axhspan(top, bottom, color=LIGHT, zorder=0, linewidth=0)
        _text(ax, 0.01, top + 0.7, f"{position}. {fitting(stage.name, 60)}{more}", bold=True)
        for k, problem in enumerate(problems):
            ticks.append(top + 1.6 + k)
            labels.append(fitting(problem.name))
            _text(ax, 0.02, ticks[-1], fitting(_in_words(problem), 100))
        top = bottom
    ax.set_yticks(ticks, labels)
    ax.set_ylim(top, 0)
    ax.set_xlim(0, 1)
    ax.set_xticks([])
    ax.spines["bottom"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    count = counted(sum(len(stage.problems) for stage in program.stages), "problem")
    ax.set_title(f"{count} in {counted(len(program.stages), 'stage')}, not solved", loc="left")
    return ax


def _in_words(problem: ProblemSummary) -> str:
    sizes = f"{counted(problem.size, 'variable')}, {counted(problem.demands, 'constraint')}"
    uses = [f"reads {read}" for read in problem.reads] + [f"holds {hold}" for hold in problem.holds]
    return "; ".join([f"{problem.sense}, {problem.kind}, {sizes}", *uses])


def _shown(result: Result, names: tuple[str, ...]) -> list[tuple[str, Solution | None]]:
    """A stage's problems, or the slowest of a long stage in their order."""
    if len(names) > MOST:
        seconds = {name: result[name].seconds if name in result else 0.0 for name in names}
        slowest = set(sorted(names, key=lambda name: -seconds[name])[:MOST])
        names = tuple(name for name in names if name in slowest)
    return [(name, result.get(name)) for name in names]


def _bar(ax: Axes, y: float, solution: Solution | None, *, scale: float, room: float) -> None:
    if solution is None:
        _text(ax, room, y, "not solved")
        return
    passed = solution.certificate.passed
    solving = scale * solution.timings.get("solve", 0.0)
    compiling = scale * solution.seconds - solving
    ax.barh(y, compiling, height=0.62, color=SOFT)
    ax.barh(y, solving, left=compiling, height=0.62, color=MAIN)
    found = solution.summary
    word = "optimum" if found.settled else "reached"
    said = f"{word} {found.text()}, {solution.solver}"
    verdict = said if passed else f"{said}, not certified"
    _text(ax, compiling + solving + room, y, verdict, colour=NOTE if passed else BAD)


def _text(
    ax: Axes, x: float, y: float, text: str, *, colour: str = NOTE, bold: bool = False
) -> None:
    weight = "bold" if bold else "normal"
    ax.text(x, y, text, va="center", color=colour, fontsize=9, fontweight=weight, clip_on=True)


# What each held level costs: the gain of a later problem per unit of slack.


def prices(result: Result, name: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw the price of every optimum that one problem holds.

    Use it to see which earlier optimum costs the later one most.

    Parameters
    ----------
    result : Result
    name : str, optional
        The problem that holds, the last that holds any by default.
    ax : matplotlib Axes, optional

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> from lexiprog import plots
    >>> v = cp.Variable(2, nonneg=True, name="v")
    >>> limits = [2 * v[0] + v[1] <= 3, v[0] + 2 * v[1] <= 3]
    >>> wishes = {"first": cp.Maximize(v[0]), "second": cp.Maximize(v[1])}
    >>> plots.prices(lx.preemptive(wishes, limits).solve()).get_title(loc="left")
    'What second pays for each level above it'
    """
    if name is None:
        holders = [key for key, solution in result.items() if solution.locks]
        if not holders:
            raise ValueError("no problem of this result holds an earlier optimum.")
        name = holders[-1]
    locks = result[name].locks
    ax = axes_for(ax, height=1.3 + 0.42 * max(len(locks), 1))
    widths = [lock.price or 0.0 for lock in locks]
    ax.barh(range(len(locks)), widths, height=0.6, color=MAIN)
    full = max(widths, default=0.0) or 1.0
    for k, lock in enumerate(locks):
        if lock.price is None:
            text = "none: its argument is kept" if lock.kind == "argument" else "no price: integers"
        else:
            text = number(lock.price) if lock.price > SHOWN_ZERO else "0: slack would buy nothing"
        ax.text(widths[k] + 0.012 * full, k, text, va="center", color=NOTE, fontsize=9)
    ax.set_yticks(range(len(locks)), [fitting(lock.name) for lock in locks])
    ax.set_ylim(len(locks) - 0.4, -0.6)
    ax.set_xlim(0, 1.25 * full)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel("gain per unit of further slack")
    ax.set_title(f"What {fitting(name)} pays for each level above it", loc="left")
    return ax
