"""Average ranks and tests, as the paper's tables with its figures beside ours; the CSV files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from lexiprog_boost.experiments.markdown import (
    NOTHING,
    best_in_bold,
    fixed,
    markdown_page,
    markdown_table,
    p_value,
    setting_text,
)
from lexiprog_boost.experiments.results import (
    METRICS,
    PROTOCOL_NAMES,
    Metric,
    Protocol,
    Results,
    Role,
    Scores,
    choose,
    score_of,
)
from lexiprog_boost.experiments.score_tables import fit_seconds
from lexiprog_boost.experiments.statistics import (
    Verdict,
    average_ranks,
    critical_difference,
    friedman,
    kruskal_wallis,
    signed_rank,
    win_tie_loss,
)

# The figures that the paper prints in its tables on real data, to stand beside ours.

NINE = (
    "AdaBoost", "AdaMEC-Calib", "AdaBoost.NC", "LPAdaBoost", "LPUBoost", "LexiBoost",
    "Dual-LPAdaBoost", "Dual-LPUBoost", "Dual-LexiBoost",
)  # fmt: skip
SIX = ("AdaBoost", "AdaBoost.NC", "LPAdaBoost", "LexiBoost", "Dual-LPAdaBoost", "Dual-LexiBoost")
CONTROLS = ("LexiBoost", "Dual-LexiBoost")


@dataclass(frozen=True)
class Printed:
    """One block of a table of the paper.

    Attributes
    ----------
    ranks : mapping of method -> float
        Average ranks.
    friedman : str
        Verdict, nothing where the paper does not test.
    signed_rank : mapping of control -> method -> str
        H0 or H1, without a direction.
    win_tie_loss : mapping of control -> method -> (int, int, int)
        Of the method against the control.
    """

    ranks: Mapping[str, float]
    friedman: str = ""
    signed_rank: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    win_tie_loss: Mapping[str, Mapping[str, tuple[int, int, int]]] = field(default_factory=dict)


def printed(study: str, learner: str, metric: str) -> Printed | None:
    """What the paper prints for a study, None where it prints no figures.

    Examples
    --------
    >>> from lexiprog_boost.experiments.rank_tables import printed
    >>> printed("keel-two-class", "kNN", "g_mean").ranks["Dual-LexiBoost"]
    2.2
    >>> printed("artificial", "kNN", "g_mean") is None
    True
    """
    return _BLOCKS.get((study, learner, metric))


# Study, base learner, metric; ranks; verdicts with LexiBoost and with Dual-LexiBoost as control.
# On KEEL's sets a verdict is a digit, 0 or 1 for H0 or H1; on images it is three, the method's
# wins, ties and losses. The control itself has a dash. (ImageNet there, CIFAR-10's features here.)
_TABLES = """
keel-two-class   C4.5 auc    | 6.80 4.90 8.07 5.30 4.27 2.70 7.23 3.17 2.57 | 11111-100 | 11110010-
keel-two-class   C4.5 g_mean | 6.97 4.53 8.30 5.40 4.27 2.77 7.23 3.03 2.50 | 11111-100 | 11110010-
keel-two-class   kNN  auc    | 7.80 6.00 6.97 6.10 4.73 3.10 5.27 2.63 2.40 | 11111-100 | 11111010-
keel-two-class   kNN  g_mean | 7.87 5.67 6.83 6.37 4.53 2.93 5.77 2.83 2.20 | 11111-100 | 11111011-
keel-multi-class C4.5 auc    | 3.70 3.80 5.10 1.80 4.70 1.90 | 111-10 | 11101-
keel-multi-class C4.5 g_mean | 3.75 3.80 4.80 2.55 4.00 2.10 | 001-10 | 11101-
keel-multi-class kNN  auc    | 4.40 3.95 4.60 2.50 4.30 1.25 | 101-11 | 11111-
keel-multi-class kNN  g_mean | 4.10 4.25 4.75 2.70 3.60 1.60 | 111-01 | 11111-
hyperspectral    kNN  auc    | 3.40 4.60 5.50 2.40 4.10 1.00 | 020 011 011 - 020 110 | 011 002 002 011 011 -
hyperspectral    kNN  g_mean | 3.40 4.70 5.50 2.40 4.00 1.00 | 020 002 011 - 011 110 | 011 002 002 011 011 -
images           kNN  auc    | 3.67 3.00 5.67 2.67 5.00 1.00 | 030 030 021 - 021 120 | 003 012 003 012 003 -
images           kNN  g_mean | 4.33 3.00 5.00 3.00 4.67 1.00 | 021 030 021 - 012 300 | 003 003 003 003 003 -
"""  # noqa: E501 - a row of the paper is a row here


def _printed_block(line: str) -> tuple[tuple[str, str, str], Printed]:
    head, *fields = line.split("|")
    study, learner, metric = head.split()
    ranks, *verdicts = (field.split() for field in fields)
    if study.startswith("keel"):
        verdicts = [list(digits) for (digits,) in verdicts]
    names = NINE if len(ranks) == len(NINE) else SIX
    numbers = {name: float(rank) for name, rank in zip(names, ranks, strict=True)}
    said = {
        control: {name: word for name, word in zip(names, row, strict=True) if word != "-"}
        for control, row in zip(CONTROLS, verdicts, strict=True)
    }
    if study.startswith("keel"):
        tests = {who: {name: f"H{word}" for name, word in row.items()} for who, row in said.items()}
        return (study, learner, metric), Printed(numbers, "H1", tests)
    counts = {who: {name: _count(word) for name, word in row.items()} for who, row in said.items()}
    return (study, learner, metric), Printed(numbers, win_tie_loss=counts)


def _count(word: str) -> tuple[int, int, int]:
    wins, ties, losses = map(int, word)
    return wins, ties, losses


_BLOCKS = dict(_printed_block(line) for line in _TABLES.strip().splitlines())


_HOW_TO_READ = (
    "Rank 1 is best; equal scores share their ranks. WSRT: Wilcoxon's signed rank test at 5 % "
    "against the control; H0: no significant difference, H1 +: the method is significantly "
    "better than the control, H1 -: significantly worse. (The paper prints H1 without a direction.)"
)
_HOW_TO_COUNT = (
    "Rank 1 is best; equal scores share their ranks. Wins/ties/losses of the method against the "
    "control by the rank-sum test over folds at 5 %, counted only on the data sets where "
    "Kruskal and Wallis's test finds a difference among the methods."
)


def ranks_page(results: Results, *, baselines: bool = False) -> str:
    """The page of ranks and tests, among the paper's methods or with the baselines beside them."""
    roles: tuple[Role, ...] = ("paper", "baseline") if baselines else ("paper",)
    few = results.study.few_sets
    parts = [_HOW_TO_COUNT if few else _HOW_TO_READ]
    if baselines and results.absent:
        parts.append(f"Not measured: {', '.join(results.absent)}.")
    for learner in results.study.learners:
        for metric in METRICS:
            parts += _rank_block(results, learner, metric, roles)
    among = "with what a user would take instead" if baselines else "among the paper's methods"
    return markdown_page(f"{results.study.name}: average ranks {among}", *parts)


def _rank_block(
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
    # Ranks among more methods are no longer those of the paper.
    paper = None if "baseline" in roles else printed(study.name, learner, metric)
    yield markdown_table(["", *first.methods], _rank_rows(results, scores, paper))
    yield _sentence(scores, paper, few=study.few_sets)


def _rank_rows(
    results: Results, scores: Mapping[Protocol, Scores], paper: Printed | None
) -> Iterator[list[str]]:
    names = scores["best"].methods
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
        row = [said.get(name, NOTHING) for name in scores["best"].methods]
        yield [f"WSRT, control {control}, paper", *row]


def _counts(
    scores: Mapping[Protocol, Scores], control: str, paper: Printed | None
) -> Iterator[list[str]]:
    best = scores["best"]
    counts = win_tie_loss(best.folds, best.methods.index(control))
    yield [f"wins/ties/losses, control {control}", *(_slashed(count) for count in counts)]
    if paper is not None and control in paper.win_tie_loss:
        said = paper.win_tie_loss[control]
        row = [_slashed(said.get(name)) for name in best.methods]
        yield [f"wins/ties/losses, control {control}, paper", *row]


def _slashed(counts: tuple[int, int, int] | None) -> str:
    return NOTHING if counts is None else "/".join(map(str, counts))


def _sentence(scores: Mapping[Protocol, Scores], paper: Printed | None, *, few: bool) -> str:
    best = scores["best"]
    if few:
        rejected = sum(kruskal_wallis(folds).hypothesis == "H1" for folds in best.folds)
        total = len(best.datasets)
        return f"Kruskal-Wallis finds a difference on {rejected} of {total} data sets."
    parts = []
    for protocol, folds in scores.items():
        statistic, verdict = friedman(folds.means)
        text = f"chi-square {fixed(statistic)}, {p_value(verdict.p)}"
        parts.append(f"{PROTOCOL_NAMES[protocol]} {text}: {verdict.hypothesis}")
    if paper is not None:
        parts.append(f"paper: {paper.friedman}")
    width = critical_difference(len(best.methods), len(best.datasets))
    return f"Friedman: {'; '.join(parts)}. Critical difference (Nemenyi, 5 %): {fixed(width)}."


def against(scores: Scores, control: str) -> list[Verdict | None]:
    """The signed rank test of every method against one of them, None for that one."""
    position = scores.methods.index(control)
    means = scores.means
    return [
        None if j == position else signed_rank(means[:, j], means[:, position])
        for j in range(len(scores.methods))
    ]


# Everything to compute with, as CSV: scores of every fold, ranks with p-values, training times.


def comma_separated(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    r"""The rows as a CSV file's text.

    Examples
    --------
    >>> from lexiprog_boost.experiments.rank_tables import comma_separated
    >>> comma_separated(["set", "rank"], [["a,b", 1]])
    'set,rank\n"a,b",1\n'
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def scores_file(results: Results) -> str:
    """Every fold's score, one method, data set, metric and protocol a line."""
    folds = [f"fold {k + 1}" for k in range(results.study.folds)]
    header = ["data set", "learner", "contender", "metric", "protocol", "mean", *folds, "settings"]
    return comma_separated(header, _score_lines(results))


def _score_lines(results: Results) -> Iterator[list[object]]:
    for dataset in results.study.datasets:
        for learner in results.study.learners:
            for method in results.methods("paper", "baseline"):
                cells = results.cells(dataset, learner, method)
                for metric in METRICS if cells is not None else ():
                    for protocol in results.protocols:
                        runs = choose(cells or [], metric, protocol)
                        scores = [score_of(run, metric) for run in runs]
                        settings = [setting_text(run["setting"]) for run in runs]
                        yield [
                            dataset, learner, method, metric, protocol,
                            f"{sum(scores) / len(scores):.6f}",
                            *(f"{value:.6f}" for value in scores),
                            "; ".join(dict.fromkeys(settings) if protocol == "best" else settings),
                        ]  # fmt: skip


def tests_file(results: Results) -> str:
    """Every rank and p-value, one a line, with the baselines and without."""
    rows: list[Sequence[object]] = []
    choices: tuple[tuple[str, tuple[Role, ...]], ...] = (
        ("paper", ("paper",)),
        ("paper and rivals", ("paper", "baseline")),
    )
    for among, roles in choices:
        for learner in results.study.learners:
            for metric in METRICS:
                for protocol in results.protocols:
                    scores = results.scores(learner, metric, protocol, *roles)
                    if scores.datasets:
                        rows += _test_lines([among, learner, metric, protocol], scores)
    header = [
        "among", "learner", "metric", "protocol", "data sets", "contender", "average rank",
        "p against LexiBoost", "p against Dual-LexiBoost",
    ]  # fmt: skip
    return comma_separated(header, rows)


def _test_lines(start: list[str], scores: Scores) -> Iterator[list[object]]:
    ranks = average_ranks(scores.means)
    tests = [against(scores, control) for control in CONTROLS]
    for j, name in enumerate(scores.methods):
        p_values = [
            "" if test is None else f"{test.p:.6f}" for test in (column[j] for column in tests)
        ]
        yield [*start, len(scores.datasets), name, f"{ranks[j]:.4f}", *p_values]


def times_file(results: Results) -> str:
    """Mean seconds of one fit and of the whole cell, inner folds included, a data set a line."""
    rows: list[list[object]] = []
    for dataset in results.study.datasets:
        for learner in results.study.learners:
            for method in results.methods("paper", "baseline", "sweep"):
                fits = list(chain(*fit_seconds(results, dataset, learner, method)))
                cells = results.cells(dataset, learner, method) or []
                if fits:
                    total = sum(cell[results.clock] for cell in cells)
                    mean = f"{np.mean(fits):.6f}"
                    rows.append([dataset, learner, method, len(fits), mean, f"{total:.3f}"])
    header = ["data set", "learner", "contender", "fits", "seconds a fit", "seconds in all"]
    return comma_separated(header, rows)
