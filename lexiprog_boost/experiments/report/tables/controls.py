"""What of Dual-LexiBoost is its game, and what the equal class weights of its first member."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lexiprog_boost.experiments.report.markdown import (
    NOTHING,
    best_in_bold,
    fixed,
    markdown_page,
    markdown_table,
    p_value,
)
from lexiprog_boost.experiments.report.results import (
    METRICS,
    PROTOCOL_NAMES,
    Metric,
    Protocol,
    Results,
    Scores,
)
from lexiprog_boost.experiments.report.statistics import average_ranks, signed_rank

MAIN = "Dual-LexiBoost"
# What the tables print: scores that agree so far are the same to a reader.
SAME = 5e-4

_HOW_TO_READ = (
    "Dual-LexiBoost against its first member alone, which is one learner with equal weight for "
    "each class and no game at all; with more than two classes also against Dual-LexiBoost whose "
    "loops go on until a member is no better than chance (an error of 1 - 1/C instead of the "
    "paper's 1/C). A table holds the data sets on which both are complete. Its last rows compare "
    "the control with Dual-LexiBoost: on how many data sets the score is the same, better or worse "
    "(beyond .0005), and the signed rank test at 5 %."
)


def controls_page(results: Results) -> str:
    """Scores of Dual-LexiBoost and a control: a learner, metric, protocol and control a table."""
    parts = [_HOW_TO_READ]
    for learner in results.study.learners:
        for metric in METRICS:
            for protocol in _protocols(results, learner):
                parts += _block(results, learner, metric, protocol)
    return markdown_page(f"{results.study.name}: the game and the balanced learner", *parts)


def _protocols(results: Results, learner: str) -> tuple[Protocol, ...]:
    """Dual-LexiBoost has the learner's settings alone: where there is one, none is chosen."""
    return results.protocols if len(results.study.learners[learner]) > 1 else ("best",)


def _block(results: Results, learner: str, metric: Metric, protocol: Protocol) -> Iterator[str]:
    name = results.metric_name(metric)
    yield f"## {learner}, {name}, {PROTOCOL_NAMES[protocol]}"
    # Tables of their own: what of one control is not measured must not hide the other.
    for control in results.contenders("control"):
        found = results.scores_of((MAIN, control), learner, metric, protocol)
        if found.datasets:
            yield markdown_table(["data set", *found.contenders], _rows(found))
        else:
            yield f"{control}: no data set is complete yet."


def _rows(found: Scores) -> Iterator[list[str]]:
    means = found.means
    for dataset, row in zip(found.datasets, means, strict=True):
        same = bool(np.ptp(row) < SAME)
        yield [dataset, *best_in_bold(list(row), 3, largest=True, bold=not same)]
    yield ["mean", *(fixed(one, 3) for one in means.mean(axis=0))]
    yield ["average rank", *(fixed(one) for one in average_ranks(means))]
    main, control = means.T
    yield ["same / better / worse", NOTHING, _counts(control - main)]
    test = signed_rank(control, main)
    yield ["signed rank test", NOTHING, f"{test}, {p_value(test.p)}"]


def _counts(difference: np.ndarray) -> str:
    better, worse = int((difference > SAME).sum()), int((difference < -SAME).sum())
    return f"{len(difference) - better - worse} / {better} / {worse}"
