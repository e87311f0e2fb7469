"""Training times: they differ from run to run, so they have files of their own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np

from lexiprog_boost.experiments.choose import Results
from lexiprog_boost.experiments.markdown import NOTHING, comma_separated, number, page, table


def fit_seconds(results: Results, dataset: str, learner: str, contender: str) -> list[list[float]]:
    """Seconds of every fit, a list of settings a fold; nothing while folds are missing."""
    cells = results.cells(dataset, learner, contender) or []
    return [[run["seconds"] for run in cell["runs"] if "seconds" in run] for cell in cells]


def times_page(results: Results) -> str:
    """Mean seconds of one fit, and of all settings that a method has to be tried with."""
    parts = [
        "Seconds of training on one fold, mean over data sets and folds: of one setting, and of "
        "the whole grid of settings, which is what tuning costs. Measured while all cores worked."
    ]
    for learner in results.study.learners:
        rows = list(_rows(results, learner))
        parts.append(f"## {learner}")
        header = ["", "data sets", "settings", "one fit", "the whole grid", "grid against AdaBoost"]
        parts.append(table(header, rows))
    return page(f"{results.study.name}: training times", *parts)


def _rows(results: Results, learner: str) -> Iterator[list[str]]:
    sets = results.complete(learner, "paper", "rival")
    whole: dict[str, float] = {}
    for contender in results.contenders("paper", "rival"):
        fits = [fold for name in sets for fold in fit_seconds(results, name, learner, contender)]
        if not any(fits):
            yield [contender, str(len(sets)), *[NOTHING] * 4]
            continue
        one = float(np.mean([seconds for fold in fits for seconds in fold]))
        whole[contender] = float(np.mean([sum(fold) for fold in fits]))
        ratio = whole[contender] / whole["AdaBoost"] if "AdaBoost" in whole else None
        settings = max(len(fold) for fold in fits)
        yield [contender, str(len(sets)), str(settings), number(one, 3),
               number(whole[contender], 3), number(ratio, 1)]  # fmt: skip


def times_file(results: Results) -> str:
    """Mean seconds of one fit and of the whole cell, inner folds included, a data set a line."""
    rows: list[list[object]] = []
    for dataset in results.study.datasets:
        for learner in results.study.learners:
            for contender in results.contenders("paper", "rival", "sweep"):
                fits = list(chain(*fit_seconds(results, dataset, learner, contender)))
                cells = results.cells(dataset, learner, contender) or []
                if fits:
                    total = sum(cell["seconds"] for cell in cells)
                    mean = f"{np.mean(fits):.6f}"
                    rows.append([dataset, learner, contender, len(fits), mean, f"{total:.3f}"])
    header = ["data set", "learner", "contender", "fits", "seconds a fit", "seconds in all"]
    return comma_separated(header, rows)
