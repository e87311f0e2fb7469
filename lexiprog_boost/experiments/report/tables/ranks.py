"""Average ranks and tests, laid out as the paper's tables with its figures beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lexiprog_boost.experiments.report.markdown import (
    NOTHING,
    best_in_bold,
    fixed,
    markdown_page,
    markdown_table,
    p_value,
)
from lexiprog_boost.experiments.report.paper import CONTROLS, Printed, printed
from lexiprog_boost.experiments.report.results import (
    METRICS,
    PROTOCOL_NAMES,
    Metric,
    Protocol,
    Results,
    Role,
    Scores,
)
from lexiprog_boost.experiments.report.statistics import (
    Verdict,
    average_ranks,
    critical_difference,
    friedman,
    kruskal_wallis,
    signed_rank,
    win_tie_loss,
)

_HOW_TO_READ = (
    "Rank 1 is best; equal scores share their ranks. WSRT: Wilcoxon's signed rank test at 5 % "
    "against the control; H0: no significant difference, H1 +: the contender is significantly "
    "better than the control, H1 -: significantly worse. (The paper prints H1 without a direction.)"
)
_HOW_TO_COUNT = (
    "Rank 1 is best; equal scores share their ranks. Wins/ties/losses of the contender against the "
    "control by the rank-sum test over folds at 5 %, counted only on the data sets where "
    "Kruskal and Wallis's test finds a difference among the contenders."
)


def ranks_page(results: Results, *, rivals: bool = False) -> str:
    """The page of ranks and tests, among the paper's contenders or with the rivals beside them."""
    roles: tuple[Role, ...] = ("paper", "rival") if rivals else ("paper",)
    few = results.study.few_sets
    parts = [_HOW_TO_COUNT if few else _HOW_TO_READ]
    if rivals and results.absent:
        parts.append(f"Not measured: {', '.join(results.absent)}.")
    for learner in results.study.learners:
        for metric in METRICS:
            parts += _block(results, learner, metric, roles)
    among = "with what a user would take instead" if rivals else "among the paper's contenders"
    return markdown_page(f"{results.study.name}: average ranks {among}", *parts)


def _block(
    results: Results, learner: str, metric: Metric, roles: tuple[Role, ...]
) -> Iterator[str]:
    study = results.study
    scores = {name: results.scores(learner, metric, name, *roles) for name in results.protocols}
    first = scores["best"]
    name = results.metric_name(metric)
    yield f"## {learner}, {name}, {len(first.datasets)} of {len(study.datasets)} data sets"
    if not first.datasets:
        yield "No data set is complete yet."
        return
    # Ranks among more contenders are no longer those of the paper.
    paper = None if "rival" in roles else printed(study.name, learner, metric)
    yield markdown_table(["", *first.contenders], _rows(results, scores, paper))
    yield _sentence(scores, paper, few=study.few_sets)


def _rows(
    results: Results, scores: Mapping[Protocol, Scores], paper: Printed | None
) -> Iterator[list[str]]:
    names = scores["best"].contenders
    for protocol, found in scores.items():
        ranks = best_in_bold(list(average_ranks(found.means)), 2, largest=False)
        yield [f"average rank, {PROTOCOL_NAMES[protocol]}", *ranks]
    if paper is not None:
        yield ["average rank, paper", *(fixed(paper.ranks.get(name)) for name in names)]
    for protocol, found in scores.items():
        means = best_in_bold(list(found.means.mean(axis=0)), 3, largest=True)
        yield [f"mean score, {PROTOCOL_NAMES[protocol]}", *means]
    few = results.study.few_sets
    for control in CONTROLS:
        yield from (_counts if few else _verdicts)(scores, control, paper)


def _verdicts(
    scores: Mapping[Protocol, Scores], control: str, paper: Printed | None
) -> Iterator[list[str]]:
    for protocol, found in scores.items():
        tests = against(found, control)
        cells = [NOTHING if test is None else str(test) for test in tests]
        yield [f"WSRT, control {control}, {PROTOCOL_NAMES[protocol]}", *cells]
    if paper is not None and control in paper.signed_rank:
        said = paper.signed_rank[control]
        row = [said.get(name, NOTHING) for name in scores["best"].contenders]
        yield [f"WSRT, control {control}, paper", *row]


def _counts(
    scores: Mapping[Protocol, Scores], control: str, paper: Printed | None
) -> Iterator[list[str]]:
    found = scores["best"]
    counts = win_tie_loss(found.folds, found.contenders.index(control))
    yield [f"wins/ties/losses, control {control}", *(_slashed(one) for one in counts)]
    if paper is not None and control in paper.win_tie_loss:
        said = paper.win_tie_loss[control]
        row = [_slashed(said.get(name)) for name in found.contenders]
        yield [f"wins/ties/losses, control {control}, paper", *row]


def _slashed(counts: tuple[int, int, int] | None) -> str:
    return NOTHING if counts is None else "/".join(map(str, counts))


def _sentence(scores: Mapping[Protocol, Scores], paper: Printed | None, *, few: bool) -> str:
    found = scores["best"]
    if few:
        rejected = sum(kruskal_wallis(one).hypothesis == "H1" for one in found.folds)
        total = len(found.datasets)
        return f"Kruskal-Wallis finds a difference on {rejected} of {total} data sets."
    parts = []
    for protocol, one in scores.items():
        statistic, verdict = friedman(one.means)
        text = f"chi-square {fixed(statistic)}, {p_value(verdict.p)}"
        parts.append(f"{PROTOCOL_NAMES[protocol]} {text}: {verdict.hypothesis}")
    if paper is not None:
        parts.append(f"paper: {paper.friedman}")
    width = critical_difference(len(found.contenders), len(found.datasets))
    return f"Friedman: {'; '.join(parts)}. Critical difference (Nemenyi, 5 %): {fixed(width)}."


def against(scores: Scores, control: str) -> list[Verdict | None]:
    """The signed rank test of every contender against one of them, None for that one."""
    position = scores.contenders.index(control)
    means = scores.means
    return [
        None if j == position else signed_rank(means[:, j], means[:, position])
        for j in range(len(scores.contenders))
    ]
