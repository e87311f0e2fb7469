"""Everything to compute with, as CSV: scores of every fold, ranks with p-values, training times."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import numpy as np

from lexiprog_boost.experiments.report.markdown import setting_text
from lexiprog_boost.experiments.report.paper import CONTROLS
from lexiprog_boost.experiments.report.results import (
    METRICS,
    Results,
    Role,
    Scores,
    choose,
    score_of,
)
from lexiprog_boost.experiments.report.statistics import average_ranks
from lexiprog_boost.experiments.report.tables.ranks import against
from lexiprog_boost.experiments.report.tables.times import fit_seconds


def comma_separated(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    r"""The rows as a CSV file's text.

    Examples
    --------
    >>> from lexiprog_boost.experiments.report.tables.files import comma_separated
    >>> comma_separated(["set", "rank"], [["a,b", 1]])
    'set,rank\n"a,b",1\n'
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def scores_file(results: Results) -> str:
    """Every fold's score, one contender, data set, metric and protocol a line."""
    folds = [f"fold {k + 1}" for k in range(results.study.folds)]
    header = ["data set", "learner", "contender", "metric", "protocol", "mean", *folds, "settings"]
    return comma_separated(header, _score_lines(results))


def _score_lines(results: Results) -> Iterator[list[object]]:
    for dataset in results.study.datasets:
        for learner in results.study.learners:
            for contender in results.contenders("paper", "rival"):
                cells = results.cells(dataset, learner, contender)
                for metric in METRICS if cells is not None else ():
                    for protocol in results.protocols:
                        runs = choose(cells or [], metric, protocol)
                        scores = [score_of(run, metric) for run in runs]
                        settings = [setting_text(run["setting"]) for run in runs]
                        yield [
                            dataset, learner, contender, metric, protocol,
                            f"{sum(scores) / len(scores):.6f}", *(f"{one:.6f}" for one in scores),
                            "; ".join(dict.fromkeys(settings) if protocol == "best" else settings),
                        ]  # fmt: skip


def tests_file(results: Results) -> str:
    """Every rank and p-value, one a line, with the rivals and without."""
    rows: list[Sequence[object]] = []
    choices: tuple[tuple[str, tuple[Role, ...]], ...] = (
        ("paper", ("paper",)),
        ("paper and rivals", ("paper", "rival")),
    )
    for among, roles in choices:
        for learner in results.study.learners:
            for metric in METRICS:
                for protocol in results.protocols:
                    found = results.scores(learner, metric, protocol, *roles)
                    if found.datasets:
                        rows += _test_lines([among, learner, metric, protocol], found)
    header = [
        "among", "learner", "metric", "protocol", "data sets", "contender", "average rank",
        "p against LexiBoost", "p against Dual-LexiBoost",
    ]  # fmt: skip
    return comma_separated(header, rows)


def _test_lines(start: list[str], found: Scores) -> Iterator[list[object]]:
    ranks = average_ranks(found.means)
    tests = [against(found, control) for control in CONTROLS]
    for j, name in enumerate(found.contenders):
        p_values = [
            "" if test is None else f"{test.p:.6f}" for test in (column[j] for column in tests)
        ]
        yield [*start, len(found.datasets), name, f"{ranks[j]:.4f}", *p_values]


def times_file(results: Results) -> str:
    """Mean seconds of one fit and of the whole cell, inner folds included, a data set a line."""
    rows: list[list[object]] = []
    for dataset in results.study.datasets:
        for learner in results.study.learners:
            for contender in results.contenders("paper", "rival", "sweep"):
                fits = list(chain(*fit_seconds(results, dataset, learner, contender)))
                cells = results.cells(dataset, learner, contender) or []
                if fits:
                    total = sum(cell[results.clock] for cell in cells)
                    mean = f"{np.mean(fits):.6f}"
                    rows.append([dataset, learner, contender, len(fits), mean, f"{total:.3f}"])
    header = ["data set", "learner", "contender", "fits", "seconds a fit", "seconds in all"]
    return comma_separated(header, rows)
