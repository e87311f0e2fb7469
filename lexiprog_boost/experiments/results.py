"""From finished cells to fold scores: which setting counts, under two protocols."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.experiments.cell import Record
from lexiprog_boost.experiments.methods import OWN
from lexiprog_boost.experiments.study import Study

Metric = Literal["g_mean", "auc"]
Protocol = Literal["best", "honest"]
Role = Literal["paper", "baseline", "control", "sweep"]

METRICS: tuple[Metric, ...] = ("g_mean", "auc")
_METRIC_NAMES = {"g_mean": "G-Mean", "auc": "AUC"}
PROTOCOL_NAMES = {"best": "best setting", "honest": "setting chosen inside the training folds"}
# What differs by less is rounding: it must neither decide a choice nor break a tie of ranks.
DECIMALS = 9


@dataclass(frozen=True, eq=False)
class Scores:
    """Fold scores of several methods on several data sets.

    Attributes
    ----------
    datasets, methods : tuple of str
        What the first two axes of `folds` stand for.
    folds : ndarray of shape (datasets, methods, folds)
        One score each; a fold whose setting failed scores 0.
    """

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    folds: NDArray[np.float64]

    @property
    def means(self) -> NDArray[np.float64]:
        """Mean over the folds, shape (datasets, methods)."""
        return np.round(self.folds.mean(axis=2), DECIMALS)


@dataclass(frozen=True, eq=False)
class Results:
    """A study with the records that its store has.

    Attributes
    ----------
    study : Study
        What was to be measured.
    records : sequence of dict
        Finished cells, in any order; data sets that lack some are left out of tables.
    """

    study: Study
    records: Sequence[Record]

    @cached_property
    def _cells(self) -> dict[tuple[str, str, str, int], Record]:
        return {_address(record): record for record in self.records}

    @cached_property
    def clock(self) -> Literal["processor", "seconds"]:
        """Which clock times are of: the processor's, unless some fit has kept the clock's alone."""
        fits = [run for record in self.records for run in record["runs"] if "seconds" in run]
        return "processor" if all("processor" in run for run in fits) else "seconds"

    @property
    def protocols(self) -> tuple[Protocol, ...]:
        """The ways to choose a setting that the study allows."""
        return ("best", "honest") if self.study.choose else ("best",)

    def metric_name(self, metric: Metric) -> str:
        """What the paper calls a metric: with more than two classes the AUC is an average."""
        return "Avg-AUC" if self.study.many_classes and metric == "auc" else _METRIC_NAMES[metric]

    def methods(self, *roles: Role) -> tuple[str, ...]:
        """Names of the methods with one of these roles, in the order of the paper's tables."""
        return tuple(
            method.name
            for method in self.study.methods
            if method.role in roles and method.name not in self.absent
        )

    @cached_property
    def absent(self) -> tuple[str, ...]:
        """Baselines without a complete data set while another has one: tables do without."""
        baselines = [method.name for method in self.study.methods if method.role == "baseline"]
        absent = [name for name in baselines if not self._complete(OWN, (name,))]
        return tuple(absent) if len(absent) < len(baselines) else ()

    def cells(self, dataset: str, learner: str, method: str) -> list[Record] | None:
        """A method's folds on a data set, None while some are missing."""
        roles = {one.name: one.role for one in self.study.methods}
        grown_on = OWN if roles[method] == "baseline" else learner
        folds = range(self.study.folds)
        cells = [self._cells.get((dataset, grown_on, method, fold)) for fold in folds]
        complete = [one for one in cells if one is not None]
        return complete if len(complete) == len(cells) else None

    def complete(self, learner: str, *roles: Role) -> tuple[str, ...]:
        """The data sets on which every such method has all its folds."""
        return self._complete(learner, self.methods(*roles))

    def _complete(self, learner: str, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(
            dataset
            for dataset in self.study.datasets
            if all(self.cells(dataset, learner, name) is not None for name in names)
        )

    def scores(
        self, learner: str, metric: Metric, protocol: Protocol = "best", *roles: Role
    ) -> Scores:
        """Fold scores of the methods with these roles (the paper's if none are named)."""
        return self.scores_of(self.methods(*roles or ("paper",)), learner, metric, protocol)

    def scores_at_hand(self, learner: str, metric: Metric, protocol: Protocol) -> Scores:
        """Those with the baselines; of the paper's methods alone while baselines are missing."""
        whole = self.scores(learner, metric, protocol, "paper", "baseline")
        return whole if whole.datasets else self.scores(learner, metric, protocol)

    def scores_of(
        self, names: tuple[str, ...], learner: str, metric: Metric, protocol: Protocol
    ) -> Scores:
        """Fold scores of these methods on the data sets where all of them are complete."""
        datasets = self._complete(learner, names)
        values = np.zeros((len(datasets), len(names), self.study.folds))
        for i, dataset in enumerate(datasets):
            for j, name in enumerate(names):
                chosen = choose(self.cells(dataset, learner, name) or [], metric, protocol)
                values[i, j] = [score_of(run, metric) for run in chosen]
        return Scores(datasets, names, values)


def choose(folds: Sequence[Record], metric: Metric, protocol: Protocol) -> list[Record]:
    """Choose one run a fold.

    Parameters
    ----------
    folds : sequence of dict
        One method's cells on one data set, a cell a fold, with the same settings in each.
    metric : {"g_mean", "auc"}
        What "best" looks at.
    protocol : {"best", "honest"}
        "best" takes, as the paper does, the setting with the best mean over the test folds.
        "honest" takes in every fold the setting with the best G-Mean inside the training fold,
        whatever the metric. Of equals the first counts.

    Returns
    -------
    list of dict
        The runs, a run a fold.

    Examples
    --------
    >>> from lexiprog_boost.experiments.results import choose
    >>> a, b = {"g_mean": 0.5, "inner": [0.9]}, {"g_mean": 0.7, "inner": [0.1]}
    >>> folds = [{"runs": [a, b]}]
    >>> choose(folds, "g_mean", "best")[0]["g_mean"], choose(folds, "g_mean", "honest")[0]["g_mean"]
    (0.7, 0.5)
    """
    if protocol == "honest":
        return [max(fold["runs"], key=_inside) for fold in folds]
    table = np.array([[score_of(run, metric) for run in fold["runs"]] for fold in folds])
    best = int(np.argmax(np.round(table.mean(axis=0), DECIMALS)))
    return [fold["runs"][best] for fold in folds]


def score_of(run: Record, metric: Metric) -> float:
    """A run's score, 0 if it failed."""
    return float(run.get(metric, 0.0))


def _inside(run: Record) -> float:
    if "error" in run:
        return -1.0
    return round(float(np.mean(run.get("inner", [0.0]))), DECIMALS)


def _address(record: Record) -> tuple[str, str, str, int]:
    return record["dataset"], record["learner"], record["contender"], record["fold"]
