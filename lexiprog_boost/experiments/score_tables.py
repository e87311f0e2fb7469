"""Tables of scores and times: by data set, by what was varied, by cost, against the controls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.datasets import GAUSSIAN_SETS, GaussianSpec
from lexiprog_boost.datasets.dataset import Dataset
from lexiprog_boost.experiments.markdown import (
    NOTHING,
    best_in_bold,
    fixed,
    markdown_page,
    markdown_table,
    p_value,
)
from lexiprog_boost.experiments.results import (
    METRICS,
    PROTOCOL_NAMES,
    Metric,
    Protocol,
    Results,
    Scores,
    score_of,
)
from lexiprog_boost.experiments.statistics import average_ranks, signed_rank


def scores_page(results: Results) -> str:
    """Mean score of every method on every complete data set."""
    parts = ["Means over the test folds; the best of a row (as printed) is in boldface."]
    for learner in results.study.learners:
        for metric in METRICS:
            for protocol in results.protocols:
                scores = results.scores_at_hand(learner, metric, protocol)
                name = results.metric_name(metric)
                parts.append(f"## {learner}, {name}, {PROTOCOL_NAMES[protocol]}")
                if not scores.datasets:
                    parts.append("No data set is complete yet.")
                    continue
                rows = [
                    [dataset, *best_in_bold(list(row), 3, largest=True)]
                    for dataset, row in zip(scores.datasets, scores.means, strict=True)
                ]
                mean = best_in_bold(list(scores.means.mean(axis=0)), 3, largest=True)
                parts.append(
                    markdown_table(["data set", *scores.methods], [*rows, ["mean", *mean]])
                )
    return markdown_page(f"{results.study.name}: scores", *parts)


def datasets_page(results: Results, data: Mapping[str, Dataset]) -> str:
    """What the data sets are: size, classes, imbalance, and how many cells are there."""
    rows = []
    for name in results.study.datasets:
        dataset = data.get(name)
        done = sum(record["dataset"] == name for record in results.records)
        wanted = sum(cell.dataset == name for cell in results.study.cells())
        facts = [NOTHING] * 4
        if dataset is not None:
            points, features = dataset.X.shape
            smallest = min(dataset.counts.values())
            facts = [str(points), str(features), str(len(dataset.counts)), str(smallest)]
        ratio = None if dataset is None else dataset.imbalance_ratio
        rows.append([name, *facts, fixed(ratio), f"{done} of {wanted}"])
    header = [
        "data set", "points", "features", "classes", "smallest class", "imbalance ratio", "cells",
    ]  # fmt: skip
    return markdown_page(f"{results.study.name}: data sets", markdown_table(header, rows))


# The artificial sets from four sides: average G-Mean by what was varied in the data.

SPECS = {spec.name: spec for spec in GAUSSIAN_SETS}
VIEWS: tuple[tuple[str, Callable[[GaussianSpec], str]], ...] = (
    ("imbalance ratio", lambda spec: f"{spec.imbalance_ratio}"),
    ("points", lambda spec: f"{spec.n_points}"),
    ("centre of the majority", lambda spec: f"{spec.center:g}"),
    ("outliers", lambda spec: "10 %" if spec.outliers else "none"),
)


def views_page(results: Results) -> str:
    """A table a learner: a row a value of what was varied."""
    parts = ["Mean G-Mean over the sets that share a value, with each method's best setting."]
    for learner in results.study.learners:
        scores = results.scores_at_hand(learner, "g_mean", "best")
        parts.append(f"## {learner}")
        parts.append(views_table(scores) if scores.datasets else "No data set is complete yet.")
    return markdown_page(f"{results.study.name}: by what was varied", *parts)


def views_table(scores: Scores) -> str:
    """Mean scores by imbalance, size, overlap and outliers, and of all sets."""
    return markdown_table(["", "sets", *scores.methods], _view_rows(scores))


def _view_rows(scores: Scores) -> Iterator[list[str]]:
    for label, value_of in VIEWS:
        values = np.array([value_of(SPECS[name]) for name in scores.datasets])
        for tick in dict.fromkeys(map(value_of, GAUSSIAN_SETS)):
            yield _row(f"{label}: {tick}", scores, values == tick)
    yield _row("all", scores, np.ones(len(scores.datasets), dtype=bool))


def _row(label: str, scores: Scores, chosen: np.ndarray) -> list[str]:
    if not chosen.any():
        return [label, "0", *[""] * len(scores.methods)]
    means = scores.means[chosen].mean(axis=0)
    return [label, str(int(chosen.sum())), *best_in_bold(list(means), 3, largest=True)]


# Is there really nothing to tune? G-Mean against the minority's cost.

_HOW_TO_READ_COSTS = (
    "Mean G-Mean of LexiBoost and of Dual-LexiBoost when a regret of the minority counts so many "
    "times that of the majority; cost 1 is the method as published. "
    '"Best cost" is chosen by looking at the test folds, a setting a data set; "chosen elsewhere" '
    "takes for every fold the cost that is best on the other folds, which a user could do. With "
    "kNN there is one neighbourhood throughout."
)


@dataclass(frozen=True, eq=False)
class CostSweep:
    """G-Mean against cost.

    Attributes
    ----------
    datasets : tuple of str
        The sets on which the sweep is complete.
    costs : tuple of float
        Of the minority, the majority's being 1.
    folds : ndarray of shape (datasets, costs, folds)
        G-Means.
    """

    datasets: tuple[str, ...]
    costs: tuple[float, ...]
    folds: NDArray[np.float64]

    @property
    def means(self) -> NDArray[np.float64]:
        """Mean over folds, shape (datasets, costs)."""
        return self.folds.mean(axis=2)

    @property
    def plain(self) -> NDArray[np.float64]:
        """The method without costs, a value a data set."""
        return self.means[:, self.costs.index(1.0)]

    @property
    def best(self) -> NDArray[np.float64]:
        """The best cost's value a data set, chosen on the folds it is measured on."""
        return self.means.max(axis=1)

    @property
    def elsewhere(self) -> NDArray[np.float64]:
        """Each fold's value with the cost best on the other folds, the mildest of equals."""
        n_folds = self.folds.shape[2]
        order = sorted(range(len(self.costs)), key=lambda k: abs(np.log2(self.costs[k])))
        ordered = self.folds[:, order]
        values = np.zeros((len(self.datasets), n_folds))
        for fold in range(n_folds):
            others = np.delete(ordered, fold, axis=2).mean(axis=2)
            chosen = np.argmax(np.round(others, 9), axis=1)
            values[:, fold] = ordered[np.arange(len(chosen)), chosen, fold]
        return values.mean(axis=1)


def cost_sweeps(results: Results) -> dict[tuple[str, str], CostSweep | None]:
    """Every sweep by method and learner; None where no data set is complete."""
    return {
        (method.removesuffix(" with costs"), learner): _sweep(results, learner, method)
        for method in results.methods("sweep")
        for learner in results.study.learners
    }


def _sweep(results: Results, learner: str, method: str) -> CostSweep | None:
    by_set = [(name, results.cells(name, learner, method)) for name in results.study.datasets]
    whole = {name: cells for name, cells in by_set if cells is not None}
    if not whole:
        return None
    costs = tuple(float(run["setting"]["cost"]) for run in next(iter(whole.values()))[0]["runs"])
    values = [
        [[score_of(cell["runs"][i], "g_mean") for cell in cells] for i in range(len(costs))]
        for cells in whole.values()
    ]
    return CostSweep(tuple(whole), costs, np.array(values)) if 1.0 in costs else None


def costs_page(results: Results) -> str:
    """G-Mean a cost and data set, and what tuning the cost gains."""
    parts = [_HOW_TO_READ_COSTS]
    for (method, learner), sweep in cost_sweeps(results).items():
        parts.append(f"## {method}, {learner}")
        if sweep is None:
            parts.append("No data set is complete yet.")
            continue
        costs = [f"{cost:g}" for cost in sweep.costs]
        header = ["data set", *costs, "best cost", "its gain", "chosen elsewhere", "its gain"]
        parts += [markdown_table(header, _cost_rows(sweep)), _cost_sentence(sweep)]
    return markdown_page(f"{results.study.name}: class costs", *parts)


def _cost_rows(sweep: CostSweep) -> Iterator[list[str]]:
    columns = zip(
        sweep.datasets, sweep.means, sweep.plain, sweep.best, sweep.elsewhere, strict=True
    )
    for name, means, plain, best, elsewhere in columns:
        values = best_in_bold(list(means), 3, largest=True, bold=np.ptp(means) > 1e-9)
        yield [name, *values, *_gains(plain, best, elsewhere)]
    mean = best_in_bold(list(sweep.means.mean(axis=0)), 3, largest=True)
    ends = (float(one.mean()) for one in (sweep.plain, sweep.best, sweep.elsewhere))
    yield ["mean", *mean, *_gains(*ends)]


def _gains(plain: float, best: float, elsewhere: float) -> list[str]:
    return [
        fixed(best, 3), fixed(best - plain, 3),
        fixed(elsewhere, 3), fixed(elsewhere - plain, 3),
    ]  # fmt: skip


def _cost_sentence(sweep: CostSweep) -> str:
    verdict = signed_rank(sweep.elsewhere, sweep.plain)
    moved = int(np.sum(np.ptp(sweep.means, axis=1) > 1e-9))
    return (
        f"Signed rank test, cost chosen elsewhere against no cost: {p_value(verdict.p)}, "
        f"{verdict}. On {moved} of {len(sweep.datasets)} data sets some cost changes the G-Mean."
    )


# What of Dual-LexiBoost is its game, and what the equal class weights of its first member.

MAIN = "Dual-LexiBoost"
# What the tables print: scores that agree so far are the same to a reader.
SAME = 5e-4

_HOW_TO_READ_CONTROLS = (
    "Dual-LexiBoost against its first member alone, which is one learner with equal weight for "
    "each class and no game at all; with more than two classes also against Dual-LexiBoost whose "
    "loops go on until a member is no better than chance (an error of 1 - 1/C instead of the "
    "paper's 1/C). A table holds the data sets on which both are complete. Its last rows compare "
    "the control with Dual-LexiBoost: on how many data sets the score is the same, better or worse "
    "(beyond .0005), and the signed rank test at 5 %."
)


def controls_page(results: Results) -> str:
    """Scores of Dual-LexiBoost and a control: a learner, metric, protocol and control a table."""
    parts = [_HOW_TO_READ_CONTROLS]
    for learner in results.study.learners:
        for metric in METRICS:
            for protocol in _protocols(results, learner):
                parts += _control_block(results, learner, metric, protocol)
    return markdown_page(f"{results.study.name}: the game and the balanced learner", *parts)


def _protocols(results: Results, learner: str) -> tuple[Protocol, ...]:
    """Dual-LexiBoost has the learner's settings alone: where there is one, none is chosen."""
    return results.protocols if len(results.study.learners[learner]) > 1 else ("best",)


def _control_block(
    results: Results, learner: str, metric: Metric, protocol: Protocol
) -> Iterator[str]:
    name = results.metric_name(metric)
    yield f"## {learner}, {name}, {PROTOCOL_NAMES[protocol]}"
    # Tables of their own: what of one control is not measured must not hide the other.
    for control in results.methods("control"):
        scores = results.scores_of((MAIN, control), learner, metric, protocol)
        if scores.datasets:
            yield markdown_table(["data set", *scores.methods], _control_rows(scores))
        else:
            yield f"{control}: no data set is complete yet."


def _control_rows(scores: Scores) -> Iterator[list[str]]:
    means = scores.means
    for dataset, row in zip(scores.datasets, means, strict=True):
        same = bool(np.ptp(row) < SAME)
        yield [dataset, *best_in_bold(list(row), 3, largest=True, bold=not same)]
    yield ["mean", *(fixed(mean, 3) for mean in means.mean(axis=0))]
    yield ["average rank", *(fixed(mean) for mean in average_ranks(means))]
    main, control = means.T
    yield ["same / better / worse", NOTHING, _counts(control - main)]
    test = signed_rank(control, main)
    yield ["signed rank test", NOTHING, f"{test}, {p_value(test.p)}"]


def _counts(difference: np.ndarray) -> str:
    better, worse = int((difference > SAME).sum()), int((difference < -SAME).sum())
    return f"{len(difference) - better - worse} / {better} / {worse}"


# Training times: they differ from run to run, so they have files of their own.


def fit_seconds(results: Results, dataset: str, learner: str, method: str) -> list[list[float]]:
    """Seconds of every fit, a list of settings a fold; nothing while folds are missing."""
    cells, clock = results.cells(dataset, learner, method) or [], results.clock
    return [[run[clock] for run in cell["runs"] if clock in run] for cell in cells]


def times_page(results: Results) -> str:
    """Mean seconds of one fit, and of all settings that a method has to be tried with."""
    told_by = {
        "processor": "Processor time, which other work on the machine hardly changes.",
        "seconds": "Measured while all cores worked.",
    }
    parts = [
        "Seconds of training on one fold, mean over data sets and folds: of one setting, and of "
        f"the whole grid of settings, which is what tuning costs. {told_by[results.clock]} "
        "A tree that several fits grow alike is grown once, and its time counts for each."
    ]
    for learner in results.study.learners:
        rows = list(_time_rows(results, learner))
        parts.append(f"## {learner}")
        header = ["", "data sets", "settings", "one fit", "the whole grid", "grid against AdaBoost"]
        parts.append(markdown_table(header, rows))
    parts += work_parts(results)
    return markdown_page(f"{results.study.name}: training times", *parts)


def work_page(results: Results) -> str:
    """What the cells of a part took."""
    return markdown_page(f"{results.study.title}: processor time", *work_parts(results))


def work_parts(results: Results) -> Iterator[str]:
    """Processor time of all cells that kept theirs, a method and learner a row."""
    yield "## Processor time of all cells"
    yield (
        "Seconds of all folds and settings, inner folds included, with everything around the fits: "
        "work, not waiting for a core."
    )
    spent: dict[tuple[str, str], list[float]] = {}
    for record in results.records:
        where = record["contender"], record["learner"]
        spent.setdefault(where, [])
        if "processor" in record:
            spent[where].append(record["processor"])
    order = [method.name for method in results.study.methods]
    rows = [
        [*where, str(len(values)), fixed(sum(values), 1)]
        for where, values in sorted(spent.items(), key=lambda method: order.index(method[0][0]))
        if values
    ]
    every = [method for values in spent.values() for method in values]
    if not every:
        yield "No cell has kept its own."
        return
    rows.append(["all", "", f"{len(every)} of {len(results.records)}", fixed(sum(every), 1)])
    yield markdown_table(["method", "learner", "cells", "processor seconds"], rows, left=2)


def _time_rows(results: Results, learner: str) -> Iterator[list[str]]:
    # Without baselines yet the paper's methods are still compared with each other.
    sets = results.complete(learner, "paper", "baseline") or results.complete(learner, "paper")
    whole: dict[str, float] = {}
    for method in results.methods("paper", "baseline"):
        fits = [fold for name in sets for fold in fit_seconds(results, name, learner, method)]
        if not any(fits):
            yield [method, str(len(sets)), *[NOTHING] * 4]
            continue
        seconds_a_fit = float(np.mean([seconds for fold in fits for seconds in fold]))
        whole[method] = float(np.mean([sum(fold) for fold in fits]))
        ratio = whole[method] / whole["AdaBoost"] if "AdaBoost" in whole else None
        settings = max(len(fold) for fold in fits)
        yield [method, str(len(sets)), str(settings), fixed(seconds_a_fit, 3),
               fixed(whole[method], 3), fixed(ratio, 1)]  # fmt: skip
