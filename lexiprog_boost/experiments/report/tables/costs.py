"""Is there really nothing to tune? G-Mean against the minority's cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexiprog_boost.experiments.report.markdown import (
    best_in_bold,
    fixed,
    markdown_page,
    markdown_table,
    p_value,
)
from lexiprog_boost.experiments.report.results import Results, score_of
from lexiprog_boost.experiments.report.statistics import signed_rank

_HOW_TO_READ = (
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
        (contender.removesuffix(" with costs"), learner): _sweep(results, learner, contender)
        for contender in results.contenders("sweep")
        for learner in results.study.learners
    }


def _sweep(results: Results, learner: str, contender: str) -> CostSweep | None:
    found = [(name, results.cells(name, learner, contender)) for name in results.study.datasets]
    whole = {name: cells for name, cells in found if cells is not None}
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
    parts = [_HOW_TO_READ]
    for (method, learner), sweep in cost_sweeps(results).items():
        parts.append(f"## {method}, {learner}")
        if sweep is None:
            parts.append("No data set is complete yet.")
            continue
        costs = [f"{cost:g}" for cost in sweep.costs]
        header = ["data set", *costs, "best cost", "its gain", "chosen elsewhere", "its gain"]
        parts += [markdown_table(header, _rows(sweep)), _sentence(sweep)]
    return markdown_page(f"{results.study.name}: class costs", *parts)


def _rows(sweep: CostSweep) -> Iterator[list[str]]:
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


def _sentence(sweep: CostSweep) -> str:
    verdict = signed_rank(sweep.elsewhere, sweep.plain)
    moved = int(np.sum(np.ptp(sweep.means, axis=1) > 1e-9))
    return (
        f"Signed rank test, cost chosen elsewhere against no cost: {p_value(verdict.p)}, "
        f"{verdict}. On {moved} of {len(sweep.datasets)} data sets some cost changes the G-Mean."
    )
